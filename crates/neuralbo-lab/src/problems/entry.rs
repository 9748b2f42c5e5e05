//! How a problem is listed: its name, its dimensions and how it is made.

use std::path::PathBuf;

use super::bbob::BbobError;
use super::control::Control;
use super::functions::Formula;
use crate::data::DataError;
use crate::{Problem, Simulation};

/// Coordinates of a scalable problem when none are asked for.
pub const DEFAULT_DIM: usize = 10;

/// Why a problem could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ProblemError {
    /// No such name.
    #[error("problem `{name}` is unknown; known problems: {known}")]
    UnknownName {
        /// What was asked for.
        name: String,
        /// All names, separated by commas.
        known: String,
    },
    /// The problem has one dimension only.
    #[error("dim = {dim} is not possible for problem `{name}`, whose dim is always {allowed}")]
    FixedDim {
        /// The problem.
        name: String,
        /// What was asked for.
        dim: usize,
        /// The only dimension there is.
        allowed: usize,
    },
    /// The problem needs more coordinates.
    #[error("dim = {dim} is too small for problem `{name}`, whose dim must be at least {least}")]
    SmallDim {
        /// The problem.
        name: String,
        /// What was asked for.
        dim: usize,
        /// The smallest possible dimension.
        least: usize,
    },
    /// No such control.
    #[error("problem `{name}`: control `{control}` is unknown; after @ there may be {}", Control::NAMES.join(" or "))]
    UnknownControl {
        /// What was asked for.
        name: String,
        /// What followed the `@`.
        control: String,
    },
    /// What is moved must be known.
    #[error("problem `{0}` cannot be moved: its optimum is not known")]
    NoOptimum(String),
    /// Nobody said how many coordinates.
    #[error("the number of coordinates must be given for {0}")]
    NoDim(&'static str),
    /// No such BBOB function.
    #[error(transparent)]
    Bbob(#[from] BbobError),
    /// Its data is missing or damaged.
    #[error(transparent)]
    Data(#[from] DataError),
}

/// How many coordinates a problem may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dims {
    /// Always so many.
    Fixed(usize),
    /// So many or more.
    AtLeast(usize),
}

/// How a problem is made; this decides where it can be used.
#[derive(Clone, Copy, Debug)]
pub enum BuildProblem {
    /// A test function, for `neuralbo run --function` and the experiment `synthetic`.
    Formula(Formula),
    /// A simulation with noise of its own, for the experiment `push`.
    Simulation(fn() -> Box<dyn Simulation>),
    /// Anything that needs more than a dimension.
    Requested(fn(&ProblemRequest) -> Result<Box<dyn Problem>, ProblemError>),
}

/// What may be said about the problem that is wanted.
#[derive(Clone, Debug)]
pub struct ProblemRequest {
    /// Number of coordinates.
    pub dim: Option<usize>,
    /// Number of the function in a suite.
    pub function: u32,
    /// Number of its instance.
    pub instance: u32,
    /// Where the data is.
    pub data: Option<PathBuf>,
}

/// One problem of [`PROBLEMS`](super::PROBLEMS).
#[derive(Clone, Copy, Debug)]
pub struct ProblemEntry {
    /// Its name without the dimension.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Its dimensions.
    pub dims: Dims,
    /// How it is made.
    pub build: BuildProblem,
}

impl ProblemEntry {
    /// A row of the table of test functions.
    pub const fn formula(formula: Formula) -> Self {
        let plain = formula.limits.is_empty();
        Self {
            name: formula.name,
            about: if plain {
                "synthetic"
            } else {
                "outcome constraints"
            },
            dims: formula.dims,
            build: BuildProblem::Formula(formula),
        }
    }

    /// What a problem of one dimension calls itself, such as `push-14`; the name where there are many.
    pub fn full_name(&self) -> String {
        match self.dims {
            Dims::Fixed(dim) => format!("{}-{dim}", self.name),
            Dims::AtLeast(_) => self.name.to_owned(),
        }
    }

    /// Makes it; `name` is what it was called, for errors.
    pub(super) fn make(
        &self,
        name: &str,
        request: &ProblemRequest,
    ) -> Result<Box<dyn Problem>, ProblemError> {
        let dim = self.dims.check(name, request.dim)?;
        match self.build {
            BuildProblem::Formula(formula) => Ok(Box::new(formula.of(dim))),
            BuildProblem::Simulation(build) => Ok(build()),
            BuildProblem::Requested(build) => build(request),
        }
    }
}

impl ProblemRequest {
    /// The first instance of the first function, with so many coordinates.
    pub fn of_dim(dim: Option<usize>) -> Self {
        Self {
            dim,
            function: 1,
            instance: 1,
            data: None,
        }
    }
}

impl Dims {
    fn check(self, name: &str, asked: Option<usize>) -> Result<usize, ProblemError> {
        match (self, asked) {
            (Dims::Fixed(allowed), Some(dim)) if dim != allowed => Err(ProblemError::FixedDim {
                name: name.to_owned(),
                dim,
                allowed,
            }),
            (Dims::Fixed(allowed), _) => Ok(allowed),
            (Dims::AtLeast(least), Some(dim)) if dim < least => Err(ProblemError::SmallDim {
                name: name.to_owned(),
                dim,
                least,
            }),
            (Dims::AtLeast(_), asked) => Ok(asked.unwrap_or(DEFAULT_DIM)),
        }
    }
}
