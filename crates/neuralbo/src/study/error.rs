//! What can go wrong with a study.

use crate::record::{DefinitionError, StopReason};
use crate::space::SpaceError;
use crate::store::StoreError;
use crate::strategy::NoModel;
use crate::strategy::presets::MethodError;

/// Why a study did not do what it was asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// An error of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The study's objectives or outcome constraints are wrong.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// The study's method cannot be made, or not for this study.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// A point or a space is not what it should be.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// There is no model.
    #[error(transparent)]
    NoModel(#[from] NoModel),
    /// A model is asked for of something that the study does not measure.
    #[error(
        "`{name}` is neither an objective nor limited by an outcome constraint; the study measures {known}"
    )]
    Unmeasured {
        /// What was asked for.
        name: String,
        /// What there is, separated by commas.
        known: String,
    },
    /// There is nothing to ask for any more.
    #[error("the study has ended: {0}")]
    Ended(StopReason),
    /// All trials that the study may have are running.
    #[error("nothing to evaluate: {running} trials are running")]
    Busy {
        /// How many.
        running: u64,
    },
    /// A parameter is asked for with a domain that cannot be joined with the one it has.
    #[error(
        "parameter `{name}` is {stored} in this study and cannot become {given}; use another name"
    )]
    Incompatible {
        /// The parameter.
        name: String,
        /// What it is.
        stored: String,
        /// What was asked for.
        given: String,
    },
}
