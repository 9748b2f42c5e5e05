//! The messages of the protocol.

use neuralbo::record::Direction;
use neuralbo::space::{Params, Space};
use serde::{Deserialize, Serialize};

use crate::method::Start;

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// What the lab writes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Message {
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
    pub point: Params,
    /// The observed value; none if the evaluation failed.
    pub value: Option<f64>,
}

/// What a method answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reply {
    /// The next point.
    Point(Params),
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
