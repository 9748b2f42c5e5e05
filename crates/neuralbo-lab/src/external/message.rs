//! The messages of the protocol.

use neuralbo::record::{Direction, ObjectiveSpec, OutcomeConstraint, Values};
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
    /// Which way the value, or the first of several objectives, is better.
    #[serde(default)]
    pub direction: Direction,
    /// The objectives where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objectives: Vec<ObjectiveSpec>,
    /// Limits on measured quantities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcome_constraints: Vec<OutcomeConstraint>,
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
    /// The observed value, of several objectives the first; none if the evaluation failed.
    pub value: Option<f64>,
    /// All objectives and limited quantities by name, where there is more than the value.
    #[serde(default, skip_serializing_if = "Values::is_empty")]
    pub values: Values,
}

/// What a method answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MethodReply {
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
            direction: start.direction(),
            objectives: if start.objectives.len() > 1 {
                start.objectives.clone()
            } else {
                Vec::new()
            },
            outcome_constraints: start.constraints.clone(),
            seed: start.seed,
            budget: start.budget,
        }
    }
}
