//! How much an experiment runs, in which units, and with which methods.

use crate::method::{MethodSpec, registry};
use crate::problems::DEFAULT_DIM;

/// The values of ν among which the paper searched.
pub const NU_GRID: [&str; 3] = ["0.1", "1", "10"];

/// How much one experiment runs, in its own [`SizeUnits`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// The problems.
    pub problems: Vec<String>,
    /// Runs of every method on every problem.
    pub runs: u32,
    /// Evaluations of a run after the initial design.
    pub evaluations: u64,
}

impl Size {
    /// So many runs and evaluations on each of the problems.
    pub fn new<P: Into<String>>(
        problems: impl IntoIterator<Item = P>,
        runs: u32,
        evaluations: u64,
    ) -> Self {
        Self {
            problems: problems.into_iter().map(Into::into).collect(),
            runs,
            evaluations,
        }
    }
}

/// What a run of a problem asks of a method; its cost follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workload {
    /// Encoded dimension.
    pub dim: usize,
    /// Points of the shared initial design.
    pub initial: usize,
    /// Evaluations after it.
    pub evaluations: u64,
    /// Whether one of a pool of rows is sought.
    pub pool: bool,
}

impl Workload {
    /// A box of so many coordinates, with a shared initial design of one point more.
    pub fn of_box(dim: usize, evaluations: u64) -> Self {
        Self {
            dim,
            initial: dim + 1,
            evaluations,
            pool: false,
        }
    }

    /// The same without an initial design: each method has its own.
    pub fn without_design(dim: usize, evaluations: u64) -> Self {
        Self {
            initial: 0,
            ..Self::of_box(dim, evaluations)
        }
    }

    /// A box of as many coordinates as the name of a problem ends with.
    pub(super) fn of_name(problem: &str, evaluations: u64) -> Self {
        let original = problem.split('@').next().unwrap_or(problem);
        let dim = original.rsplit('-').next().and_then(|dim| dim.parse().ok());
        Self::of_box(dim.unwrap_or(DEFAULT_DIM), evaluations)
    }
}

/// What runs and evaluations count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeUnits {
    /// Whether evaluations are counted per dimension.
    pub per_dimension: bool,
    /// What a run is called, in the plural.
    pub runs: &'static str,
}

impl SizeUnits {
    /// Runs, and evaluations whatever the dimension.
    pub const PLAIN: Self = Self {
        per_dimension: false,
        runs: "runs",
    };

    /// Evaluations of a run in a space of `dim` coordinates.
    pub fn total(self, evaluations: u64, dim: usize) -> u64 {
        let times = if self.per_dimension { dim as u64 } else { 1 };
        evaluations * times
    }

    /// What follows a number of evaluations.
    pub fn evaluations(self) -> &'static str {
        if self.per_dimension {
            "·D evaluations"
        } else {
            " evaluations"
        }
    }
}

/// The methods of the paper, as far as the library has them.
pub fn paper_methods() -> Vec<MethodSpec> {
    let grid = NU_GRID.iter().map(|nu| format!("neuralbo-paper:nu={nu}"));
    let ours = ["neuralbo", "neuralbo-faithful"].map(String::from);
    let others = "gp-ucb gp-ts gp-ei rf dngo neural-greedy random".split(' ');
    known_methods(ours.into_iter().chain(grid).chain(others.map(String::from)))
}

/// Those of some methods that the library has.
pub fn known_methods<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Vec<MethodSpec> {
    let registry = registry();
    let known = |text: &str| {
        registry
            .find(text.split(':').next()?)
            .is_ok()
            .then(|| text.parse().ok())?
    };
    texts
        .into_iter()
        .filter_map(|text| known(text.as_ref()))
        .collect()
}
