//! When a study ends, and the ends as values.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Definition, DefinitionError};
use crate::limits;

/// When a study ends; a rule that is `None` never does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Most trials that may ever be asked for; known results do not count.
    pub trials: Option<u64>,
    /// End when the best value is at least as good as this.
    pub target: Option<f64>,
    /// End when this many trials in a row have finished without a new best value; known results do not count.
    pub patience: Option<u64>,
}

impl Limits {
    /// Whether a study of this definition can have them: a target is a finite value of the only objective.
    pub fn check(&self, definition: &Definition) -> Result<(), DefinitionError> {
        let what = "limit";
        let limit = |reason| DefinitionError::Limit { what, reason };
        for (name, count) in [("trials", self.trials), ("patience", self.patience)] {
            limits::check_number(name, count.unwrap_or(0)).map_err(limit)?;
        }
        match self.target {
            Some(target) if !target.is_finite() => Err(limit(format!(
                "target must be a finite number, found {target}"
            ))),
            Some(target) if definition.objectives.len() > 1 => {
                Err(DefinitionError::TargetOfSeveral {
                    target,
                    objectives: definition.objectives.len(),
                })
            }
            _ => Ok(()),
        }
    }

    /// These limits, with those that `given` names in their place.
    ///
    /// ```
    /// use neuralbo::record::Limits;
    ///
    /// let stored = Limits { trials: Some(100), target: Some(0.5), patience: None };
    /// let more = stored.updated(&Limits { trials: Some(200), ..Limits::default() });
    /// assert_eq!(more, Limits { trials: Some(200), target: Some(0.5), patience: None });
    /// ```
    pub fn updated(&self, given: &Self) -> Self {
        Self {
            trials: given.trials.or(self.trials),
            target: given.target.or(self.target),
            patience: given.patience.or(self.patience),
        }
    }
}

/// Why a study, or the work of one process on it, ended.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum StopReason {
    /// The given number of trials has finished.
    Trials(u64),
    /// The time for the whole run has passed.
    Timeout(Duration),
    /// The given value was reached.
    Target(f64),
    /// The given number of trials brought no improvement.
    NoImprovement(u64),
    /// Every point of a finite space has been evaluated.
    Exhausted,
    /// Somebody asked it to end.
    Interrupted,
}

impl StopReason {
    /// One word for programs: `trials`, `timeout`, `target`, `no_improvement`, `exhausted` or `interrupted`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Trials(_) => "trials",
            Self::Timeout(_) => "timeout",
            Self::Target(_) => "target",
            Self::NoImprovement(_) => "no_improvement",
            Self::Exhausted => "exhausted",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trials(1) => write!(f, "the only trial is done"),
            Self::Trials(count) => write!(f, "all {count} trials are done"),
            Self::Timeout(limit) => write!(
                f,
                "the timeout of the whole run, {} s, is over",
                limit.as_secs_f64()
            ),
            Self::Target(value) => write!(f, "the target {value} is reached"),
            Self::NoImprovement(count) => write!(f, "no improvement in {count} trials"),
            Self::Exhausted => write!(f, "every point of the space has been evaluated"),
            Self::Interrupted => write!(f, "interrupted"),
        }
    }
}
