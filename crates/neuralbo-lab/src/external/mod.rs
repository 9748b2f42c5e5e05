//! Methods as programs: line-delimited JSON over standard input and output.
//!
//! The lab writes one JSON object per line:
//!
//! | message | meaning | answer |
//! | --- | --- | --- |
//! | `{"start":{"protocol":1,"problem":"ackley-10","space":{…},"direction":"minimize","seed":7,"budget":100}}` | a run begins | none |
//! | `{"tell":{"point":{"x0":1.5,…},"value":3.2}}` | a result, told before the next ask; those of the shared initial design come first | none |
//! | `{"ask":1}` | the next point is wanted | `{"point":{"x0":1.5,…}}` or `{"error":"why not"}` |
//! | `{"stop":true}` | the run is over; the input ends too | none |
//!
//! Of several objectives `start` has `"objectives":[{"name":"f1","direction":"minimize"},…]`, of outcome
//! constraints `"outcome_constraints":[{"name":"g1","at_most":0.0},…]`; each `tell` then also has
//! `"values":{"f1":0.3,"f2":1.2,…}`, all objectives and limited quantities by name (a single objective is
//! called `value`).
//!
//! The space is a table from parameter names to `{"type":"float","low":0.0,"high":1.0}` and the like, as in space files. A failed
//! evaluation is told with `"value":null`. What the program writes on standard error is shown when it fails.
//!
//! [`serve`] is the other side: our methods behind the same protocol.

mod client;
mod server;

use neuralbo::record::Values;
use neuralbo::space::Params;
use serde::{Deserialize, Serialize};

use crate::method::RunStart;

pub use client::External;
pub(crate) use client::{resident_bytes, shell};
pub use server::{ServeError, serve};

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
