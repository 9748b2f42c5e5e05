//! Why a run ended before its time.

use std::panic::{AssertUnwindSafe, catch_unwind};

use neuralbo::study::StudyError;

/// Why a run ended before its time.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// The method cannot be made, or its study refused something.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// The pool is used up.
    #[error("every point of the space has been evaluated")]
    Exhausted,
    /// A program could not be started, ended early or broke the protocol.
    #[error("external method: {0}")]
    External(String),
    /// The method or the problem panicked.
    #[error("panic: {0}")]
    Panic(String),
}

/// Does `work`; a panic becomes an error.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, RunError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        RunError::Panic(text.unwrap_or("no message").to_owned())
    })
}
