//! The records of a study: plain data, the same in memory, in databases, in files and in Python.
//!
//! | record | holds |
//! |---|---|
//! | [`Definition`] | what decides which points are suggested; a change makes the next version, and both are kept |
//! | [`Trial`] | one evaluation: parameters and values by name, how it ended, where its point came from |
//! | [`Limits`] | when the study ends |
//! | [`Pruner`] | when a trial is stopped early |
//! | [`Outcome`] | what an objective answers, and [`Ending`], what is stored of it |
//!
//! A value belongs to a *name*: reordering parameters changes nothing, and what a trial did not have is absent from it.

mod definition;
mod definition_check;
mod failure;
mod limits;
mod objective;
mod outcome;
mod outcome_constraint;
mod pruner;
mod token;
mod trial;

pub use definition::{Alias, DEFAULT_METHOD, Definition, Difference, VALUE};
pub use definition_check::DefinitionError;
pub use failure::{Failure, FailureKind, Retries, UnknownFailureKind, storable};
pub use limits::{Limits, StopReason};
pub use objective::{Direction, ObjectiveSpec, ObjectiveTextError, UnknownDirection};
pub use outcome::{Ending, Outcome};
pub use outcome_constraint::{OutcomeConstraint, OutcomeConstraintTextError};
pub use pruner::{Course, Halving, Learn, Pruner, PrunerError, Rule, StepReport, Verdict};
pub use token::Token;
pub use trial::{Attributes, Batch, KNOWN, Provenance, RESUMED, Report, State, Trial, Values};
