//! Studies: trials, ask and tell.
//!
//! A [`Study`] lives in memory and knows neither files nor programs. Whoever drives it asks for trials, evaluates them in any
//! order and tells the results; [`Study::stop_reason`] says when to end.

mod adopt;
mod ask_tell;
mod clock;
mod direction;
mod failure;
mod model;
mod observer;
mod stop;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod trial;

pub use adopt::RestoreError;
pub use ask_tell::{Study, TellError};
pub use clock::{Clock, SystemClock};
pub use direction::Direction;
pub use failure::{Failure, FailureKind, UnknownFailureKind};
pub use model::{Recommendation, SampledObjective, StudyModel};
pub use observer::Observer;
pub use stop::{StopReason, StopRules};
pub use trial::{State, Trial};
