//! The messages of the protocol.

use neuralbo::space::{Point, Space, SpaceError, Value};
use neuralbo::study::Direction;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::method::Start;

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// The values of a point by parameter name.
pub type NamedValues = Map<String, serde_json::Value>;

/// What the lab writes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Request {
    /// A run begins.
    Start(Box<StartMessage>),
    /// A result.
    Tell(TellMessage),
    /// This many points are wanted; always 1.
    Ask(u32),
    /// The run is over.
    Stop(bool),
}

/// What a method is told before a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StartMessage {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// The problem's name, for people.
    #[serde(default)]
    pub problem: String,
    /// What is searched.
    pub space: Space,
    /// Which way is better.
    #[serde(default)]
    pub direction: Direction,
    /// Makes the method's choices repeatable.
    #[serde(default)]
    pub seed: u64,
    /// How many evaluations will follow.
    #[serde(default)]
    pub budget: u64,
}

/// A result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TellMessage {
    /// Where.
    pub point: NamedValues,
    /// The observed value; none if the evaluation failed.
    pub value: Option<f64>,
}

/// What a method answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reply {
    /// The next point.
    Point(NamedValues),
    /// Why there is none.
    Error(String),
}

impl From<&Start> for StartMessage {
    fn from(start: &Start) -> Self {
        Self {
            protocol: PROTOCOL,
            problem: start.problem.clone(),
            space: start.space.clone(),
            direction: start.direction,
            seed: start.seed,
            budget: start.budget,
        }
    }
}

/// A point with the names of its parameters.
pub(super) fn named(space: &Space, point: &Point) -> NamedValues {
    space.named(point).filter_map(|(name, value)| Some((name.to_owned(), serde_json::to_value(value).ok()?))).collect()
}

/// The point that the names and values describe.
pub(super) fn point(space: &Space, values: NamedValues) -> Result<Point, PointError> {
    let read = |(name, json): (String, serde_json::Value)| match serde_json::from_value::<Value>(json) {
        Ok(value) => Ok((name, value)),
        Err(error) => Err(PointError::Value { name, reason: error.to_string() }),
    };
    let values: Vec<(String, Value)> = values.into_iter().map(read).collect::<Result<_, _>>()?;
    Ok(space.point_from_named(values)?)
}

/// Why a message holds no point of the space.
#[derive(Debug, thiserror::Error)]
pub enum PointError {
    /// A value is no number, text or truth value.
    #[error("parameter `{name}`: {reason}")]
    Value {
        /// The parameter.
        name: String,
        /// What was expected.
        reason: String,
    },
    /// A name or a value does not belong to the space.
    #[error(transparent)]
    Space(#[from] SpaceError),
}
