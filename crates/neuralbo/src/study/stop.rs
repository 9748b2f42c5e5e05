//! When a study ends, and the ends as values.

use std::fmt;
use std::time::Duration;

/// The rules that end a study; a rule that is `None` never does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StopRules {
    /// Stop when this many suggested trials have finished; results told up front do not count.
    pub trials: Option<u64>,
    /// Stop when this much time has passed since the study was made.
    pub time: Option<Duration>,
    /// Stop when the best value is at least as good as this.
    pub target: Option<f64>,
    /// Stop when this many trials in a row have finished without a new best value.
    pub patience: Option<u64>,
}

/// Why a study ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopReason {
    /// The given number of trials has finished.
    Trials(u64),
    /// The given time has passed.
    Time(Duration),
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
    /// One word for programs: `trials`, `time`, `target`, `no_improvement`, `exhausted` or `interrupted`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Trials(_) => "trials",
            Self::Time(_) => "time",
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
            Self::Trials(count) => write!(f, "all {count} trials are done"),
            Self::Time(limit) => write!(f, "the time of {} s is over", limit.as_secs_f64()),
            Self::Target(value) => write!(f, "the target {value} is reached"),
            Self::NoImprovement(count) => write!(f, "no improvement in {count} trials"),
            Self::Exhausted => write!(f, "every point of the space has been evaluated"),
            Self::Interrupted => write!(f, "interrupted"),
        }
    }
}
