//! Runs: from options to a study, its evaluation and its result; the same for studies in memory and in a storage.

pub mod args;
pub mod definition;
pub mod evaluator;
pub mod front;
#[cfg(feature = "lab")]
pub mod function;
#[cfg(not(feature = "lab"))]
#[path = "without_functions.rs"]
pub mod function;
pub mod goals;
pub mod known;
pub mod progress;
pub mod study;
pub mod study_run;
pub mod summary;
pub mod trace;
