//! One evaluation of the objective, from suggestion to result.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Failure, Token};
use crate::limits;
use crate::space::Params;

/// Numbers by name: the values of objectives, and of what outcome constraints measure.
pub type Values = BTreeMap<String, f64>;

/// Whatever users attach to a trial, by key.
pub type Attributes = BTreeMap<String, serde_json::Value>;

/// The origin of trials that go on with a stopped one.
pub const RESUMED: &str = "resumed";

/// The origin of results that were not suggested but known from elsewhere.
pub const KNOWN: &str = "known";

/// How far a trial has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum State {
    /// Claimed by a worker, or waiting for one.
    Running,
    /// Told finite values.
    Complete,
    /// Told a failure.
    Failed {
        /// Why.
        failure: Failure,
    },
    /// Stopped early; its values are the last ones reported.
    Pruned {
        /// The step at which it was stopped, where one is known.
        step: Option<i64>,
    },
}

impl State {
    /// `running`, `complete`, `failed` or `pruned`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Failed { .. } => "failed",
            Self::Pruned { .. } => "pruned",
        }
    }
}

/// One evaluation: what was suggested, where it came from and how it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Counts from zero within the study; the name by which the trial is told.
    pub number: u64,
    /// The version of the definition under which its point was chosen, from 1.
    pub version: u64,
    /// What to evaluate: the parameters that are active in it, by name; `None` while the point is being chosen.
    pub params: Option<Params>,
    /// How far it has come.
    #[serde(flatten)]
    pub state: State,
    /// What was measured; empty unless it is complete or pruned.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: Values,
    /// What users attached.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: Attributes,
    /// How the point was chosen; `None` while it is being chosen.
    pub provenance: Option<Provenance>,
    /// Position among the finished trials, from 1; `None` while it runs.
    pub seq: Option<u64>,
    /// Who has or had it.
    pub worker: String,
    /// Counts the claims of this trial, from 1.
    pub attempt: u64,
    /// Names the latest claim; not part of exports.
    #[serde(skip)]
    pub token: Token,
    /// When the lease ends, in milliseconds since 1970; 0 when the trial waits for a worker or has finished.
    pub lease_until_ms: i64,
    /// When it was first asked for, in milliseconds since 1970.
    pub asked_ms: i64,
    /// When its evaluation began.
    pub started_ms: Option<i64>,
    /// When it finished.
    pub finished_ms: Option<i64>,
}

impl Trial {
    /// A trial that was not suggested, with these parameters; a store gives it its number.
    pub fn known(params: Params, state: State, values: Values) -> Self {
        let provenance = Provenance {
            origin: KNOWN.to_owned(),
            ..Provenance::default()
        };
        Self {
            params: Some(params),
            state,
            values,
            provenance: Some(provenance),
            ..Self::claimed(0, "", 0)
        }
    }

    /// A trial whose point is still to be chosen.
    pub fn claimed(number: u64, worker: &str, asked_ms: i64) -> Self {
        Self {
            number,
            version: 1,
            params: None,
            state: State::Running,
            values: Values::new(),
            attributes: Attributes::new(),
            provenance: None,
            seq: None,
            worker: worker.to_owned(),
            attempt: 1,
            token: Token::NONE,
            lease_until_ms: 0,
            asked_ms,
            started_ms: None,
            finished_ms: None,
        }
    }

    /// What a complete or pruned trial measured under this name.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.values.get(name).copied()
    }

    /// The failure, if the trial failed.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.state {
            State::Failed { failure } => Some(failure),
            _ => None,
        }
    }

    /// Whether the trial is still to be told.
    pub fn is_running(&self) -> bool {
        self.state == State::Running
    }

    /// Whether the trial runs but nobody works on it: its worker gave it back, or it was added to be run.
    pub fn is_waiting(&self) -> bool {
        self.is_running() && self.lease_until_ms == 0
    }

    /// Whether it was told from elsewhere rather than suggested.
    pub fn is_known(&self) -> bool {
        self.provenance.as_ref().is_some_and(|p| p.origin == KNOWN)
    }

    /// The pruned trial that it resumes.
    pub fn resumes(&self) -> Option<u64> {
        self.provenance.as_ref()?.resumes
    }
}

/// Where a point came from and what was known then.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Where it came from, in the strategy's words.
    pub origin: String,
    /// Predicted value of the first objective, in the user's units.
    pub mean: Option<f64>,
    /// Standard deviation of the observation predicted, noise included.
    pub sd: Option<f64>,
    /// Time spent on choosing it; shared equally by the points of one ask.
    pub suggest_ms: f64,
    /// How many finished trials the strategy knew: those with `seq` up to this.
    pub based_on: u64,
    /// The numbers of the running trials it knew.
    pub pending: Vec<u64>,
    /// The suggestions made together with it; `None` when it was made alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<Batch>,
    /// The stopped trial that it goes on with, from its checkpoint, where it was promoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumes: Option<u64>,
}

impl Provenance {
    /// Whether trial `number` can have it: everything that is counted or allocated by it has a limit.
    pub fn check(&self, number: u64) -> Result<(), String> {
        limits::check_number("based_on", self.based_on)?;
        limits::check_number("resumes", self.resumes.unwrap_or(0))?;
        limits::check_number("pending", self.pending.last().copied().unwrap_or(0))?;
        if !self.pending.is_sorted_by(|a, b| a < b) {
            return Err("pending must list each trial once, in order".to_owned());
        }
        let (most, contains) = (limits::ASKED as u64, |batch: &Batch| {
            let place = number.checked_sub(batch.first);
            place.is_some_and(|place| place < batch.count)
        });
        match self
            .batch
            .filter(|batch| batch.count > most || !contains(batch))
        {
            Some(Batch { first, count }) => Err(format!(
                "batch must be at most {most} trials with this one among them, found {count} from {first} on"
            )),
            None => Ok(()),
        }
    }
}

/// Suggestions made in one go: `count` trials from number `first` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Number of the first.
    pub first: u64,
    /// How many.
    pub count: u64,
}

/// An intermediate value of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// How far the trial had come, in the objective's own count.
    pub step: i64,
    /// What was measured; the name of an objective, or any other.
    pub name: String,
    /// The value.
    pub value: f64,
}
