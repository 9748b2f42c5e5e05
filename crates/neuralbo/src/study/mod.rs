//! Studies: ask and tell on top of a store.
//!
//! A [`Study`] is a store, a strategy and the [`Log`] of what happened. Its driver asks for trials, evaluates them in any
//! order and tells the results; [`drive`](crate::drive::drive) is the loop that does so.

mod asking;
mod branches;
mod change;
mod curves;
mod error;
mod forecast;
mod front;
mod log;
mod model;
mod observations;
mod plan;
mod promotion;
mod replay;
mod state;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use asking::{Asked, Worker};
pub use change::Growth;
pub use error::StudyError;
pub use forecast::GainForecast;
pub use front::hypervolume_history;
pub use log::{Event, Log};
pub use model::{Recommendation, SampledObjective, StudyModel};
pub use plan::strategy_of;
pub use replay::{Mismatch, Replay, replay};
pub use state::Study;
