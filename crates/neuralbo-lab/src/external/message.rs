//! The messages of the protocol.

use neuralbo::record::Values;
use neuralbo::space::Params;
use serde::{Deserialize, Serialize};

use crate::method::RunStart;

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// What the lab writes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Message {
    /// A run begins.
    Start(Box<RunStart>),
    /// A result.
    Tell(TellMessage),
    /// This many points are wanted; always 1.
    Ask(u32),
    /// The run is over.
    Stop(bool),
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
