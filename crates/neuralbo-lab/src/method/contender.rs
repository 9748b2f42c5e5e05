//! What the lab wants from a method during one run.

use neuralbo::space::{Point, Space};
use neuralbo::strategy::presets::MethodError;
use neuralbo::study::Direction;

/// What a method is told before a run.
#[derive(Clone, Debug)]
pub struct Start {
    /// What is searched.
    pub space: Space,
    /// Which way is better.
    pub direction: Direction,
    /// Makes the method's choices repeatable.
    pub seed: u64,
    /// How many evaluations will follow.
    pub budget: u64,
    /// The problem's name, for people.
    pub problem: String,
}

/// Why a method could not go on.
#[derive(Debug, thiserror::Error)]
pub enum ContenderError {
    /// The method cannot be made.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The pool is used up.
    #[error("every point of the space has been evaluated")]
    Exhausted,
    /// A program could not be started, ended early or broke the protocol.
    #[error("external method: {0}")]
    External(String),
    /// A call out of order, or a point outside the space.
    #[error("{0}")]
    Protocol(String),
}

/// A point chosen by a method.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// What to evaluate.
    pub point: Point,
    /// Where it came from, in the method's words.
    pub origin: String,
    /// The value that the method's model predicts, where it made a prediction.
    pub mean: Option<f64>,
    /// Standard deviation of the predicted observation, noise included.
    pub sd: Option<f64>,
    /// Seconds the method took to choose it.
    pub seconds: f64,
}

/// A method in one run: results known beforehand, then ask and tell in turns.
pub trait Contender {
    /// Adds a result from elsewhere; comes before the first ask.
    fn know(&mut self, point: &Point, value: f64) -> Result<(), ContenderError>;

    /// The next point.
    fn ask(&mut self) -> Result<Asked, ContenderError>;

    /// The value of the point asked for last; NaN and infinities count as failed evaluations.
    fn tell(&mut self, value: f64) -> Result<(), ContenderError>;

    /// Of the points evaluated so far, the one that the method's model believes best without noise; none without a model.
    fn recommend(&mut self) -> Option<Point> {
        None
    }

    /// The resident set of the method's own process in bytes, where it has one.
    fn resident_bytes(&self) -> Option<u64> {
        None
    }
}
