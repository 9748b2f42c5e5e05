//! Exit codes and the errors behind them.

use neuralbo::record::DefinitionError;
use neuralbo::store::StoreError;
use neuralbo::strategy::presets::MethodError;
use neuralbo::study::StudyError;

/// The run ended by one of its rules and has a result.
pub const EXIT_OK: u8 = 0;
/// The input was fine, but something went wrong: a program that cannot start, a file that cannot be written, no value at all.
pub const EXIT_FAILURE: u8 = 1;
/// The input was wrong; nothing was run.
pub const EXIT_USAGE: u8 = 2;
/// A storage was checked, and something is wrong with it.
pub const EXIT_UNSOUND: u8 = 3;
/// Ctrl-C or a request to terminate; what was found so far has been printed.
pub const EXIT_INTERRUPTED: u8 = 130;

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The user's input is wrong.
    #[error("{0}")]
    Usage(String),
    /// Something went wrong while running.
    #[error("{0}")]
    Failure(String),
}

impl CommandError {
    /// Wrong input, named by the option it came from.
    pub fn usage(option: &str, error: impl std::fmt::Display) -> Self {
        Self::Usage(format!("{option}: {error}"))
    }

    /// Something went wrong with what is named.
    pub fn failure(what: &str, error: impl std::fmt::Display) -> Self {
        Self::Failure(format!("{what}: {error}"))
    }

    /// The code to end with.
    pub fn code(&self) -> u8 {
        match self {
            Self::Usage(_) => EXIT_USAGE,
            Self::Failure(_) => EXIT_FAILURE,
        }
    }
}

/// Wrong names, URLs and trials are wrong input; the rest went wrong.
impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::BadUrl { .. }
            | StoreError::BadName { .. }
            | StoreError::BadTrial { .. }
            | StoreError::Missing { .. }
            | StoreError::UnknownStudy { .. }
            | StoreError::UnknownTrial { .. }
            | StoreError::NameTaken { .. } => Self::Usage(error.to_string()),
            _ => Self::Failure(error.to_string()),
        }
    }
}

impl From<MethodError> for CommandError {
    fn from(error: MethodError) -> Self {
        let option = match error {
            MethodError::UnknownMethod { .. } | MethodError::Unsuitable { .. } => "--method",
            _ => "--option",
        };
        Self::usage(option, error)
    }
}

impl From<DefinitionError> for CommandError {
    fn from(error: DefinitionError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<StudyError> for CommandError {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Store(error) => error.into(),
            StudyError::Method(error) => error.into(),
            StudyError::Space(error) => Self::Usage(error.to_string()),
            StudyError::Definition(error) => error.into(),
            _ => Self::Failure(error.to_string()),
        }
    }
}
