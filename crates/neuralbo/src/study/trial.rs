//! One evaluation of the objective, from suggestion to result.

use std::time::Duration;

use super::Failure;
use crate::space::Point;
use crate::strategy::Origin;

/// How far a trial has come.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// Asked for, not yet told.
    Running,
    /// Told a finite value.
    Complete(f64),
    /// Told a failure.
    Failed(Failure),
}

impl State {
    /// `running`, `complete` or `failed`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Complete(_) => "complete",
            Self::Failed(_) => "failed",
        }
    }
}

/// One evaluation: what was suggested, where it came from and how it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Counts from zero within the study; the name by which the trial is told.
    pub number: u64,
    /// What to evaluate.
    pub point: Point,
    /// The point as the strategy sees it.
    pub row: Vec<f64>,
    /// How far it has come.
    pub state: State,
    /// Where the point came from.
    pub origin: Origin,
    /// Predicted value, in the user's units, where a model made one.
    pub mean: Option<f64>,
    /// Standard deviation of the predicted observation, noise included, where a model made one.
    pub sd: Option<f64>,
    /// Time spent on choosing the point; shared equally by the points of one ask.
    pub suggest_time: Duration,
}

impl Trial {
    /// The value, if the trial is complete.
    pub fn value(&self) -> Option<f64> {
        match self.state {
            State::Complete(value) => Some(value),
            _ => None,
        }
    }

    /// The failure, if the trial failed.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.state {
            State::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// Whether the trial is still to be told.
    pub fn is_running(&self) -> bool {
        self.state == State::Running
    }
}
