//! What is told about a trial, and what the store answers.

use neuralbo::study::{Failure, FailureKind};

use crate::TrialState;

/// Longest failure message that is kept, in bytes.
const MESSAGE_KEPT: usize = 16 * 1024;

/// How an evaluation ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A value; NaN and infinities are stored as failures of kind `nonfinite`.
    Value(f64),
    /// No value.
    Failed(Failure),
    /// Stopped early at this value.
    Pruned(f64),
}

impl Outcome {
    /// The state that this outcome leads to.
    ///
    /// Texts lose what not every database can hold: a NUL becomes U+FFFD, and a message is cut at 16 KiB.
    pub(crate) fn into_state(self) -> TrialState {
        match self {
            Self::Value(value) if value.is_finite() => TrialState::Complete { value },
            Self::Pruned(value) if value.is_finite() => TrialState::Pruned { value },
            Self::Value(value) | Self::Pruned(value) => {
                let message = format!("value = {value} is not finite");
                TrialState::Failed { failure: Failure::new(FailureKind::NonFinite, message) }
            }
            Self::Failed(failure) => {
                TrialState::Failed { failure: Failure::new(failure.kind, storable(&failure.message, MESSAGE_KEPT)) }
            }
        }
    }
}

/// The text without NUL and with at most `limit` bytes.
pub(crate) fn storable(text: &str, limit: usize) -> String {
    let end = (0..=limit.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
    text[..end].replace('\0', "\u{fffd}")
}

/// What became of a told result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The trial has finished with this result.
    Finished,
    /// The trial had finished with this very result: the same news twice.
    Already,
    /// The trial waits to be tried again.
    Retried,
}
