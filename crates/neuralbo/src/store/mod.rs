//! Storage of studies: the contract of every store, and the memory store.
//!
//! Stores in files and on servers implement [`Store`] in crates of their own; `neuralbo-testkit` has the tests that each must pass.

mod check;
mod clock;
mod error;
mod memory;
mod memory_study;
mod reading;
mod records;

pub use check::{
    check_definition, check_name, check_study, check_trials, merged_attributes, stored_name,
    too_late, unknown_study,
};
pub use clock::{Clock, SystemClock};
pub use error::StoreError;
pub use memory::MemoryStore;
pub use reading::{all_trials, each_finished, first_of};
pub use records::{
    Claim, Claimed, Counts, Finished, Lease, NewStudy, NewTrial, Proposal, Proposed, StoredParams,
    StudyId, StudyRecord, Told,
};

use std::time::Duration;

use crate::record::{Attributes, Definition, Ending, Limits, Report, StepReport, Trial};

/// A storage of studies.
///
/// # Contract
/// **Who may call.** Any number of threads at once; of a durable store any number of processes and
/// machines. Every method is one transaction: it happens completely or not at all, and after `Ok` its
/// effect survives crashes and power cuts. No transaction spans a suggestion or an evaluation.
///
/// **Trials.** A trial is claimed, gets its point, and is told once. [`Store::claim`] gives a worker a trial that waits for one
/// (its worker died or gave it back) or else creates the next number, never more than [`Limits::trials`] in all, numbers without
/// gaps unless one was released without a point. The point is chosen outside of any transaction and entered by
/// [`Store::propose`]; two workers that choose at once have different numbers, hence different random streams, and one that
/// proposes a point that is already running gets [`Proposed::Repeated`], and so does one that resumes a
/// trial a second time.
///
/// **Identity.** A claim is known by its token. Reports, results and whatever else a [`Lease`] allows reach a trial only if its latest
/// claim has this token: names of studies, their identifiers and numbers of trials may be used again.
///
/// **Leases.** A claim is valid until its lease ends; [`Store::renew`] makes it longer. After that anybody may claim the trial
/// with the next attempt, exactly one worker gets it, and the old attempt can no longer tell. Until
/// then the late worker can still tell. [`Store::fail_expired`] ends expired trials that have no attempts left as failed of kind `lost`,
/// each exactly once. Leases are measured with one clock: that of the database server, or of the machine that has the file.
///
/// **Immutable.** What a finished trial was told never changes; only [`Store::set_attributes`] adds to it. Definitions are added by
/// [`Store::redefine`], never replaced.
///
/// **Order.** Finished trials are numbered 1, 2, … (`seq`) in the order in which their tells were committed. A reader that sees a `seq`
/// sees all earlier ones, so all read the same history in the same order.
///
/// **Cost.** `claim`, `propose`, `tell`, `renew` and `report` take the same time however many trials a study has; they may
/// grow with the number of running ones.
///
/// **What may fail.** Contention, a restarted server and a lost connection are waited out and never reported, up to a minute; then
/// the error is one for which [`StoreError::is_outage`] holds. A claim or a tell that is repeated after a lost connection has the
/// effect of one.
///
/// **Texts.** Parameter values may be of any length the database takes (a gigabyte); NUL bytes in messages and names of workers
/// are replaced, as PostgreSQL cannot hold them, and messages are cut at 16 KiB.
pub trait Store: Send + Sync {
    /// Makes a study with its trials, all or nothing; [`StoreError::NameTaken`] if there is one of this name.
    ///
    /// Trials keep their numbers, which must all be different. Those of origin `known` do not count for [`Limits::trials`], and
    /// running ones wait for a worker.
    fn create_study(&self, study: &NewStudy) -> Result<StudyRecord, StoreError>;
    /// The study of this name with the newest version of its definition; [`StoreError::UnknownStudy`] if there is none.
    fn study(&self, name: &str) -> Result<StudyRecord, StoreError>;
    /// All studies by name.
    fn studies(&self) -> Result<Vec<StudyRecord>, StoreError>;
    /// The names of all studies in their order, also of those whose records cannot be read.
    fn study_names(&self) -> Result<Vec<String>, StoreError> {
        Ok(self.studies()?.into_iter().map(|s| s.name).collect())
    }
    /// All versions of a study's definition, the first one first.
    fn definitions(&self, study: StudyId) -> Result<Vec<Definition>, StoreError>;
    /// Changes when a study ends.
    fn limit(&self, study: StudyId, limits: &Limits) -> Result<(), StoreError>;
    /// Adds the next version of a study's definition and returns its number; its trials stay. The error is
    /// [`StoreError::Redefined`] if the newest version is not `from`.
    fn redefine(
        &self,
        study: StudyId,
        from: u64,
        definition: &Definition,
    ) -> Result<u64, StoreError>;
    /// Gives a study another name; [`StoreError::NameTaken`] if another one has it. Its workers know it by its identifier and go on.
    fn rename_study(&self, study: StudyId, name: &str) -> Result<(), StoreError>;
    /// Adds attributes to a study; an attribute of the same key is replaced.
    fn set_study_attributes(
        &self,
        study: StudyId,
        attributes: &Attributes,
    ) -> Result<(), StoreError>;
    /// Removes a study with all its trials.
    fn delete_study(&self, study: StudyId) -> Result<(), StoreError>;

    /// A trial to evaluate, if there is one; its `version` is the newest one of the study's definition while it has no point.
    fn claim(&self, study: StudyId, claim: &Claim) -> Result<Claimed, StoreError>;
    /// Enters the point of a claimed trial; its evaluation begins.
    fn propose(&self, lease: &Lease, proposal: &Proposal) -> Result<Proposed, StoreError>;
    /// Gives a trial back: one without a point disappears, any other waits for a worker and keeps its attempts.
    fn release(&self, lease: &Lease) -> Result<(), StoreError>;
    /// Ends a lease whose worker is known to be dead, as if its time had run out; nothing happens if it is not the current one.
    fn expire(&self, lease: &Lease) -> Result<(), StoreError>;
    /// Makes leases last for another `lease` from now; returns those that were lost.
    fn renew(&self, leases: &[Lease], lease: Duration) -> Result<Vec<Lease>, StoreError>;
    /// Tells how a trial ended.
    fn tell(&self, lease: &Lease, ending: &Ending) -> Result<Told, StoreError>;
    /// Ends expired trials without attempts left; returns their numbers.
    fn fail_expired(&self, study: StudyId) -> Result<Vec<u64>, StoreError>;
    /// Adds intermediate values; the last one told for a step and name counts. A trial that has ended takes none:
    /// [`StoreError::AlreadyFinished`].
    fn report(&self, lease: &Lease, reports: &[Report]) -> Result<(), StoreError>;
    /// Adds attributes to a trial, running or finished; an attribute of the same key is replaced.
    fn set_attributes(
        &self,
        study: StudyId,
        number: u64,
        attributes: &Attributes,
    ) -> Result<(), StoreError>;
    /// Adds trials from elsewhere, finished in the order given, all or none; returns their numbers, the next ones of the study.
    /// Those of origin `known` do not count for [`Limits::trials`], and running ones wait for a worker.
    fn add(&self, study: StudyId, trials: &[NewTrial]) -> Result<Vec<u64>, StoreError>;

    /// One trial.
    fn trial(&self, study: StudyId, number: u64) -> Result<Trial, StoreError>;
    /// Up to `count` trials by number, from `first` on.
    fn trials(&self, study: StudyId, first: u64, count: u64) -> Result<Vec<Trial>, StoreError>;
    /// The trials that have not finished, by number.
    fn running(&self, study: StudyId) -> Result<Vec<Trial>, StoreError>;
    /// Up to `count` finished trials after this position, in order.
    fn finished_since(
        &self,
        study: StudyId,
        seq: u64,
        count: u64,
    ) -> Result<Vec<Finished>, StoreError>;
    /// [`Store::finished_since`] as whole records.
    fn trials_since(&self, study: StudyId, seq: u64, count: u64) -> Result<Vec<Trial>, StoreError> {
        self.finished_since(study, seq, count)?
            .iter()
            .map(|finished| self.trial(study, finished.number))
            .collect()
    }
    /// The complete, feasible trial with the best value of the first objective, the earliest finished one of equals.
    fn best(&self, study: StudyId) -> Result<Option<Trial>, StoreError>;
    /// How many trials there are.
    fn counts(&self, study: StudyId) -> Result<Counts, StoreError>;
    /// The intermediate values of a trial by step and name.
    fn reports(&self, study: StudyId, number: u64) -> Result<Vec<Report>, StoreError>;
    /// The intermediate values called `name` of all trials at a step, running ones too, by number; its time grows with how many
    /// there are, not with the study.
    fn reports_at(
        &self,
        study: StudyId,
        step: i64,
        name: &str,
    ) -> Result<Vec<StepReport>, StoreError>;
    /// The intermediate values called `name` of the finished trials with positions from `after + 1` to `until`: position, step and
    /// value, in this order.
    fn curves(
        &self,
        study: StudyId,
        name: &str,
        after: u64,
        until: u64,
    ) -> Result<Vec<(u64, i64, f64)>, StoreError> {
        let mut found = Vec::new();
        for finished in self.finished_since(study, after, until.saturating_sub(after))? {
            let reports = self.reports(study, finished.number)?;
            let wanted = reports.into_iter().filter(|r| r.name == stored_name(name));
            found.extend(wanted.map(|report| (finished.seq, report.step, report.value)));
        }
        Ok(found)
    }
    /// How often the running trials or their points have changed, where that is known at no cost: a reader that has kept count need
    /// not read them again.
    fn changes(&self, _study: StudyId) -> Option<u64> {
        None
    }
    /// The storage, without its password.
    fn url(&self) -> &str;
}
