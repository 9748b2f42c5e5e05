//! Why an experiment could not be run.

use std::path::PathBuf;

use crate::data::DataError;
use crate::problems::ProblemError;

/// Why an experiment could not be run.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The experiment has no such problem.
    #[error("problem `{problem}` does not belong to experiment {experiment}; {allowed}")]
    UnknownProblem {
        /// What was asked for.
        problem: String,
        /// The experiment.
        experiment: &'static str,
        /// What there is.
        allowed: String,
    },
    /// A problem cannot be made.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A data file is missing or damaged.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The folder holds another experiment.
    #[error("{}: holds results of other settings: {difference}; name another folder", folder.display())]
    OtherSettings {
        /// The folder.
        folder: PathBuf,
        /// Which settings differ, and how.
        difference: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Something about a run that cannot be.
    #[error("{0}")]
    Impossible(String),
}

impl LabError {
    /// A problem that an experiment does not have.
    pub fn unknown(problem: &str, experiment: &'static str, names: &[impl AsRef<str>]) -> Self {
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        Self::UnknownProblem {
            problem: problem.to_owned(),
            experiment,
            allowed: format!("its problems: {}", names.join(", ")),
        }
    }

    /// Something about a run that cannot be.
    pub fn impossible(reason: impl std::fmt::Display) -> Self {
        Self::Impossible(reason.to_string())
    }

    /// A file that cannot be read or written.
    pub fn file(path: &std::path::Path, reason: impl std::fmt::Display) -> Self {
        Self::File {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}
