//! What callers and stores exchange.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::record::{
    Attributes, Definition, Failure, Limits, Provenance, Report, State, Token, Trial, Values,
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
    /// What users have written down about it.
    pub attributes: Attributes,
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
    /// What users have written down about it.
    #[serde(default)]
    pub attributes: Attributes,
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
            attributes: Attributes::new(),
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
    /// A claim repeated with the same token is answered with the same trial.
    pub token: Token,
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
    /// Counts the claims, for users.
    pub attempt: u64,
    /// The claim: a later one takes the right away.
    pub token: Token,
}

impl Lease {
    /// The right to tell a trial as it was claimed.
    pub fn of(study: StudyId, trial: &Trial) -> Self {
        Self {
            study,
            number: trial.number,
            attempt: trial.attempt,
            token: trial.token,
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
    /// Its intermediate values of the first objective by step, where `each_finished` is asked for them.
    pub curve: Vec<(i64, f64)>,
}

impl Finished {
    /// What a trial is whose record cannot be read: failed.
    pub(crate) fn unreadable(&self, reason: &str) -> Self {
        Self {
            params: None,
            state: State::Failed {
                failure: Failure::unreadable(reason),
            },
            values: Values::new(),
            ..self.clone()
        }
    }
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
            resumes: trial.resumes(),
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
