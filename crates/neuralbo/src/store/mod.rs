//! Storage of studies: the contract of every store, and the memory store.
//!
//! Stores in files and on servers implement [`Store`] in crates of their own; `neuralbo-testkit` has the tests that each must pass.

mod check;
mod error;
mod memory;
mod memory_study;
mod reading;

pub use check::{LARGEST_NUMBER, check_name, check_trials, stored_name, too_late, unknown_study};
pub use error::StoreError;
pub use memory::{Clock, MemoryStore, SystemClock};
pub use reading::{all_trials, each_finished, first_of};

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::record::{
    Attributes, Definition, Ending, Limits, Provenance, Report, State, StepReport, Trial, Values,
};
use crate::space::{Params, Space};

/// Names a study within its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StudyId(pub i64);

/// A study as a store knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyRecord {
    /// Names it within its store.
    pub id: StudyId,
    /// Its name.
    pub name: String,
    /// The version of its definition, from 1.
    pub version: u64,
    /// The space, the objectives and the method.
    pub definition: Definition,
    /// When it ends.
    pub limits: Limits,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
}

/// A study to be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewStudy {
    /// Its name; unique within the store.
    pub name: String,
    /// All versions of its definition, the first one first; a study from scratch has one.
    pub definitions: Vec<Definition>,
    /// When it ends.
    pub limits: Limits,
    /// Trials from elsewhere: the finished ones in the order in which they finished, then the others.
    pub trials: Vec<NewTrial>,
}

impl NewStudy {
    /// A study without trials.
    pub fn new(name: impl Into<String>, definition: Definition, limits: Limits) -> Self {
        Self {
            name: name.into(),
            definitions: vec![definition],
            limits,
            trials: Vec::new(),
        }
    }
}

/// A trial from elsewhere, with its intermediate values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewTrial {
    /// The trial; its position is given by the store, and its number if the study has trials already.
    pub trial: Trial,
    /// Its intermediate values.
    pub reports: Vec<Report>,
}

impl From<Trial> for NewTrial {
    fn from(trial: Trial) -> Self {
        Self {
            trial,
            reports: Vec::new(),
        }
    }
}

/// A worker's wish for a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The name of the worker, for users.
    pub worker: String,
    /// Different for every claim ever made: a claim repeated with the same token is answered with the same trial.
    pub token: String,
    /// How long the trial is the worker's without being renewed.
    pub lease: Duration,
}

/// The answer to a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Claimed {
    /// A trial of one's own: a new one, or one whose worker died; its params are `None` when the point is still to be chosen.
    Trial(Box<Trial>),
    /// All trials that the study may have exist, and none waits for a worker.
    Full {
        /// How many of them have not finished.
        running: u64,
    },
}

/// A point that a worker wants to evaluate in a trial it has claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The version of the definition under which it was chosen.
    pub version: u64,
    /// The values of the parameters.
    pub params: Params,
    /// How it was chosen.
    pub provenance: Provenance,
    /// Whether a point that is running elsewhere may be run once more.
    pub repeat_allowed: bool,
}

/// The answer to a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposed {
    /// The trial has this point now.
    Accepted,
    /// Another running trial has this very point, or resumes the same trial.
    Repeated,
}

/// What became of a told result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The trial has finished with this result.
    Finished,
    /// The trial had finished with this very result: the same news twice.
    Already,
    /// The trial waits to be tried again.
    Retried,
}

impl Told {
    /// `finished`, `already` or `retried`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Already => "already",
            Self::Retried => "retried",
        }
    }
}

/// The right to tell a trial, held by one worker for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lease {
    /// The study.
    pub study: StudyId,
    /// The trial.
    pub number: u64,
    /// The claim: a later one takes the right away.
    pub attempt: u64,
}

impl Lease {
    /// The right to tell a trial as it was claimed.
    pub fn of(study: StudyId, trial: &Trial) -> Self {
        Self {
            study,
            number: trial.number,
            attempt: trial.attempt,
        }
    }
}

/// A finished trial as a study's log needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Position among the finished trials, from 1.
    pub seq: u64,
    /// The trial.
    pub number: u64,
    /// The version of the definition under which it was made.
    pub version: u64,
    /// Its parameters; `None` if its worker died, again and again, while choosing.
    pub params: Option<StoredParams>,
    /// How it ended.
    pub state: State,
    /// What was measured.
    pub values: Values,
    /// Whether it was told up front.
    pub known: bool,
    /// The pruned trial that it resumes.
    pub resumes: Option<u64>,
    /// Its intermediate values of the first objective by step, where [`each_finished`] is asked for them.
    pub curve: Vec<(i64, f64)>,
}

impl From<&Trial> for Finished {
    fn from(trial: &Trial) -> Self {
        Self {
            seq: trial.seq.unwrap_or(0),
            number: trial.number,
            version: trial.version,
            params: trial.params.clone().map(StoredParams::Params),
            state: trial.state.clone(),
            values: trial.values.clone(),
            known: trial.is_known(),
            resumes: trial
                .provenance
                .as_ref()
                .and_then(|provenance| provenance.resumes),
            curve: Vec::new(),
        }
    }
}

/// Stored parameters; the text of a database is read directly into a row.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredParams {
    /// By name.
    Params(Params),
    /// A JSON object.
    Json(String),
}

impl StoredParams {
    /// The parameters by name, or a parse error.
    pub fn params(&self) -> Result<Cow<'_, Params>, String> {
        match self {
            Self::Params(params) => Ok(Cow::Borrowed(params)),
            Self::Json(text) => serde_json::from_str(text)
                .map(Cow::Owned)
                .map_err(|error| error.to_string()),
        }
    }

    /// As a row of this space, see [`Space::row_of`], or a parse error.
    pub fn row(&self, space: &Space) -> Result<Vec<f64>, String> {
        match self {
            Self::Params(params) => Ok(space.row_of(params)),
            Self::Json(text) => space.row_of_json(text).map_err(|error| error.to_string()),
        }
    }
}

/// How many trials a study has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Claimed or waiting for a worker.
    pub running: u64,
    /// With values.
    pub complete: u64,
    /// Without.
    pub failed: u64,
    /// Stopped early.
    pub pruned: u64,
    /// Told up front, among the others.
    pub known: u64,
}

impl Counts {
    /// All that have ended.
    pub fn finished(&self) -> u64 {
        self.complete + self.failed + self.pruned
    }
}

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
/// **Leases.** A claim is valid until its lease ends; [`Store::renew`] makes it longer. After that anybody may claim the trial
/// with the next attempt, exactly one worker gets it, and the old attempt can no longer tell. Until
/// then the late worker can still tell. [`Store::fail_expired`] ends expired trials that have no attempts left as failed of kind `lost`,
/// each exactly once. Leases are measured with one clock: that of the database server, or of the machine that has the file.
///
/// **Immutable.** What a finished trial was told never changes; only [`Store::set_attributes`] adds to it. Definitions are added by
/// [`Store::redefine`], never replaced.
///
/// **Order.** Finished trials are numbered 1, 2, … (`seq`) in the order in which their tells were committed. Whoever sees a `seq`
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
        Ok(self
            .studies()?
            .into_iter()
            .map(|study| study.name)
            .collect())
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
            let wanted = reports
                .into_iter()
                .filter(|report| report.name == stored_name(name));
            found.extend(wanted.map(|report| (finished.seq, report.step, report.value)));
        }
        Ok(found)
    }
    /// How often the running trials or their points have changed, where that is known at no cost: whoever has counted along need
    /// not read them again.
    fn changes(&self, _study: StudyId) -> Option<u64> {
        None
    }
    /// The storage, without its password.
    fn url(&self) -> &str;
}
