//! The contract of a storage.

use std::time::Duration;

use crate::{
    Counts, Definition, Finished, Lease, Limits, Outcome, Proposal, Report, StoreError, StudyId, StudyRecord, Told, TrialRecord,
};

/// A worker's wish for a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Who asks; for people.
    pub worker: String,
    /// Different for every claim ever made: a claim repeated with the same token is answered with the same trial.
    pub token: String,
    /// How long the trial is the worker's without a sign of life.
    pub lease: Duration,
}

/// The answer to a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Claimed {
    /// A trial of one's own: a new one, or one whose worker died; its params are `None` when the point is still to be chosen.
    Trial(Lease, Box<TrialRecord>),
    /// All trials that the study may have exist, and none waits for a worker.
    Full {
        /// How many of them have not finished.
        running: u64,
    },
}

/// The answer to a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposed {
    /// The trial has this point now.
    Accepted,
    /// Another running trial has this very point.
    Repeated,
}

/// Where studies live.
///
/// # Contract
/// **Who may call.** Any number of threads, processes and machines at once. Every method is one transaction: it happens
/// completely or not at all, and when it has returned `Ok` its effect survives the death of everybody, with a power cut too.
/// No transaction spans a suggestion or an evaluation.
///
/// **Trials.** A trial is claimed, gets its point, and is told once. [`Store::claim`] gives a worker a trial that waits for one
/// (its worker died or gave it back) or else creates the next number, never more than [`Limits::trials`] in all, numbers without
/// gaps unless one was released without a point. The point is chosen outside of any transaction and entered by
/// [`Store::propose`]; two workers that choose at once have different numbers, hence different random streams, and one that
/// proposes what is running already is told so.
///
/// **Leases.** A claim is valid until its lease ends; [`Store::renew`] makes it longer. After that anybody may claim the trial
/// with the next attempt, exactly one of those who try gets it, and the old attempt can no longer tell. Until somebody does, the
/// late worker is still welcome. [`Store::fail_expired`] ends expired trials that have no attempts left as failed of kind `lost`,
/// each exactly once. Leases are measured with one clock: that of the database server, or of the machine that has the file.
///
/// **Immutable.** A finished trial never changes. The definition of a study changes only through [`Store::redefine`].
///
/// **Order.** Finished trials are numbered 1, 2, … (`seq`) in the order in which their tells were committed. Whoever sees a `seq`
/// sees all before it, so everybody reads the same history in the same order.
///
/// **Cost.** `claim`, `propose`, `tell`, `renew` and `report` take the same time however many trials a study has; they may
/// grow with the number of running ones.
///
/// **What may fail.** Contention, a restarted server and a lost connection are waited out and never reported, up to a minute. A
/// claim or a tell that is repeated after a lost connection has the effect of one. The other errors are in [`StoreError`].
///
/// **Texts.** Parameter values may be of any length the database takes (a gigabyte); NUL bytes in messages and names of workers
/// are replaced, as PostgreSQL cannot hold them.
pub trait Store: Send + Sync {
    /// Makes a study; [`StoreError::NameTaken`] if there is one of this name.
    fn create_study(&self, name: &str, definition: &Definition, limits: &Limits) -> Result<StudyRecord, StoreError>;
    /// The study of this name; [`StoreError::UnknownStudy`] if there is none.
    fn study(&self, name: &str) -> Result<StudyRecord, StoreError>;
    /// All studies by name.
    fn studies(&self) -> Result<Vec<StudyRecord>, StoreError>;
    /// Changes when a study ends.
    fn limit(&self, study: StudyId, limits: &Limits) -> Result<(), StoreError>;
    /// Changes what a study is; its trials stay.
    fn redefine(&self, study: StudyId, definition: &Definition) -> Result<(), StoreError>;
    /// Removes a study with all its trials.
    fn delete_study(&self, study: StudyId) -> Result<(), StoreError>;

    /// A trial to evaluate, if there is one.
    fn claim(&self, study: StudyId, claim: &Claim) -> Result<Claimed, StoreError>;
    /// Enters the point of a claimed trial.
    fn propose(&self, lease: &Lease, proposal: &Proposal) -> Result<Proposed, StoreError>;
    /// Gives a trial back: one without a point disappears, any other waits for a worker and keeps its attempts.
    fn release(&self, lease: &Lease) -> Result<(), StoreError>;
    /// Makes leases last for another `lease` from now; returns those that were lost.
    fn renew(&self, leases: &[Lease], lease: Duration) -> Result<Vec<Lease>, StoreError>;
    /// Tells how a trial ended.
    fn tell(&self, lease: &Lease, outcome: &Outcome) -> Result<Told, StoreError>;
    /// Ends expired trials without attempts left; returns their numbers.
    fn fail_expired(&self, study: StudyId) -> Result<Vec<u64>, StoreError>;
    /// Adds intermediate values; the last one told for a step and name counts.
    fn report(&self, lease: &Lease, reports: &[Report]) -> Result<(), StoreError>;
    /// Adds trials from elsewhere, finished in the order given; all or none. They keep their numbers if the study is empty and get
    /// the next ones otherwise; trials of origin `known` do not count for [`Limits::trials`], and running ones wait for a worker.
    fn import(&self, study: StudyId, trials: &[(TrialRecord, Vec<Report>)]) -> Result<(), StoreError>;

    /// One trial.
    fn trial(&self, study: StudyId, number: u64) -> Result<TrialRecord, StoreError>;
    /// Up to `count` trials by number, from `first` on.
    fn trials(&self, study: StudyId, first: u64, count: u64) -> Result<Vec<TrialRecord>, StoreError>;
    /// The trials that have not finished, by number.
    fn running(&self, study: StudyId) -> Result<Vec<TrialRecord>, StoreError>;
    /// Up to `count` finished trials after this position, in order.
    fn finished_since(&self, study: StudyId, seq: u64, count: u64) -> Result<Vec<Finished>, StoreError>;
    /// The complete trial with the best value, the earliest finished one of equals.
    fn best(&self, study: StudyId) -> Result<Option<TrialRecord>, StoreError>;
    /// How many trials there are.
    fn counts(&self, study: StudyId) -> Result<Counts, StoreError>;
    /// The intermediate values of a trial by step and name.
    fn reports(&self, study: StudyId, number: u64) -> Result<Vec<Report>, StoreError>;
    /// The intermediate values called `name` of all complete trials at a step.
    fn reports_at(&self, study: StudyId, step: i64, name: &str) -> Result<Vec<f64>, StoreError>;
    /// The storage, without its password.
    fn url(&self) -> &str;
}
