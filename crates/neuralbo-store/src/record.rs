//! The records of a store.

use serde::{Deserialize, Serialize};

use neuralbo::study::Failure;

use crate::Definition;

/// Names a study within its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StudyId(pub(crate) i64);

/// When a study ends; every rule may be absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Most trials that may ever be asked for; known results do not count.
    pub trials: Option<u64>,
    /// End when the best value is at least as good as this.
    pub target: Option<f64>,
    /// End when this many trials in a row have finished without a new best value.
    pub patience: Option<u64>,
}

/// A study: its definition never changes unless forced, its limits may.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyRecord {
    /// Names it within its store.
    pub id: StudyId,
    /// Its name.
    pub name: String,
    /// What is searched and how.
    pub definition: Definition,
    /// When it ends.
    pub limits: Limits,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
}

/// How far a stored trial has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum TrialState {
    /// Claimed by a worker, or waiting to be retried.
    Running,
    /// Told a finite value.
    Complete {
        /// The value.
        value: f64,
    },
    /// Told a failure.
    Failed {
        /// Why.
        failure: Failure,
    },
    /// Stopped early.
    Pruned {
        /// The last value before it was stopped.
        value: f64,
    },
}

impl TrialState {
    /// `running`, `complete`, `failed` or `pruned`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Complete { .. } => "complete",
            Self::Failed { .. } => "failed",
            Self::Pruned { .. } => "pruned",
        }
    }

    /// The value of a complete or pruned trial.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Complete { value } | Self::Pruned { value } => Some(*value),
            Self::Running | Self::Failed { .. } => None,
        }
    }
}

/// One trial with everything the store knows about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// Counts from zero within the study.
    pub number: u64,
    /// The values of the parameters as a JSON array in the space's order; `None` while the point is being chosen.
    pub params: Option<String>,
    /// How far it has come.
    #[serde(flatten)]
    pub state: TrialState,
    /// Position among the finished trials, from 1; `None` while running.
    pub seq: Option<u64>,
    /// How the point was chosen.
    pub proposal: Option<Provenance>,
    /// Who has or had it.
    pub worker: String,
    /// Counts the claims of this trial, from 1.
    pub attempt: u64,
    /// When the lease ends, in milliseconds since 1970; 0 when the trial waits for a worker.
    pub lease_until_ms: i64,
    /// When it was first asked for, in milliseconds since 1970.
    pub asked_ms: i64,
    /// When it finished.
    pub finished_ms: Option<i64>,
}

/// Where a point came from and what was known then.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Where it came from, in the strategy's words.
    pub origin: String,
    /// Predicted value, in the user's units.
    pub mean: Option<f64>,
    /// Standard deviation of the prediction.
    pub sd: Option<f64>,
    /// Time spent on choosing it.
    pub suggest_ms: f64,
    /// How many finished trials the strategy knew: those with `seq` up to this.
    pub based_on: u64,
    /// The numbers of the running trials it knew.
    pub pending: Vec<u64>,
}

/// A point that a worker wants to evaluate in a trial it has claimed.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The values of the parameters as a JSON array in the space's order.
    pub params: String,
    /// How it was chosen.
    pub provenance: Provenance,
    /// Whether a point that is running elsewhere may be run once more.
    pub repeat_allowed: bool,
}

/// The right to tell a trial, held by one worker for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The study.
    pub study: StudyId,
    /// The trial.
    pub number: u64,
    /// The claim: a later one takes the right away.
    pub attempt: u64,
}

/// A finished trial as a strategy needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Position among the finished trials, from 1.
    pub seq: u64,
    /// The trial.
    pub number: u64,
    /// The values of the parameters as a JSON array; `None` if its worker died, again and again, while choosing.
    pub params: Option<String>,
    /// How it ended.
    pub state: TrialState,
    /// Whether it was told up front.
    pub known: bool,
}

/// An intermediate value of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// How far the trial had come, in the program's own count.
    pub step: i64,
    /// What was measured; `value` is what the study is about.
    pub name: String,
    /// The value.
    pub value: f64,
}

/// How many trials a study has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Claimed or waiting to be retried.
    pub running: u64,
    /// With a value.
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
