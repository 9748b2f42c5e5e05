//! How much an experiment runs, in which units, and with which methods.

use neuralbo::strategy::presets::METHODS;

use crate::method::MethodSpec;

/// The values of ν among which the paper searched.
pub const NU_GRID: [&str; 3] = ["0.1", "1", "10"];

/// How much one experiment runs, in its own [`Units`].
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
    pub fn new<P: Into<String>>(problems: impl IntoIterator<Item = P>, runs: u32, evaluations: u64) -> Self {
        Self { problems: problems.into_iter().map(Into::into).collect(), runs, evaluations }
    }
}

/// What runs and evaluations count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units {
    /// Whether evaluations are counted per dimension.
    pub per_dimension: bool,
    /// What a run is called, in the plural.
    pub runs: &'static str,
}

impl Units {
    /// Runs, and evaluations whatever the dimension.
    pub const PLAIN: Self = Self { per_dimension: false, runs: "runs" };

    /// What follows a number of evaluations.
    pub fn evaluations(self) -> &'static str {
        if self.per_dimension { "·D evaluations" } else { " evaluations" }
    }
}

/// The methods of the paper, as far as the library has them.
pub fn paper_methods() -> Vec<MethodSpec> {
    let grid = NU_GRID.iter().map(|nu| format!("neuralbo-paper:nu={nu}"));
    let others = ["gp-ucb", "gp-ts", "gp-ei", "rf", "dngo", "neural-greedy", "random"].map(String::from);
    known_methods(["neuralbo".to_owned()].into_iter().chain(grid).chain(others))
}

/// Those of some methods that the library has.
pub fn known_methods<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Vec<MethodSpec> {
    let known = |text: &str| METHODS.iter().any(|method| text.split(':').next() == Some(method.name));
    texts.into_iter().filter(|text| known(text.as_ref())).filter_map(|text| text.as_ref().parse().ok()).collect()
}
