//! The sizes of the profiles.

use neuralbo::strategy::presets::METHODS;

use super::{Kind, Profile};
use crate::method::MethodSpec;

/// The values of ν among which the paper searched.
pub const NU_GRID: [&str; 3] = ["0.1", "1", "10"];

/// How much one experiment runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// The problems.
    pub problems: Vec<String>,
    /// Runs; of BBOB instances.
    pub runs: u32,
    /// Evaluations; of BBOB per dimension.
    pub evaluations: u64,
}

/// The size of an experiment.
pub fn size(kind: Kind, profile: Profile) -> Size {
    let (problems, runs, evaluations) = match (kind, profile) {
        (Kind::Synthetic, Profile::Quick) => (synthetic(&[5]), 3, 6),
        (Kind::Synthetic, Profile::Standard) => (synthetic(&[10, 20, 50, 100]), 5, 200),
        (Kind::Synthetic, Profile::Paper) => (synthetic(&[10, 20, 50, 100]), 10, 2000),
        (Kind::Bbob, Profile::Quick) => (bbob(&[1, 8, 21], &[2]), 1, 5),
        (Kind::Bbob, Profile::Standard) => (bbob(&ALL_FUNCTIONS, &[2, 3, 5, 10]), 3, 20),
        (Kind::Bbob, Profile::Paper) => (bbob(&ALL_FUNCTIONS, &[2, 3, 5, 10]), 15, 20),
        (Kind::Sensitive, Profile::Quick) => (one("sensitive-49"), 2, 4),
        (Kind::Sensitive, Profile::Standard) => (one("sensitive-49"), 10, 200),
        (Kind::Sensitive, Profile::Paper) => (one("sensitive-49"), 10, 1000),
        (Kind::Retrieval, Profile::Quick) => (one("retrieval-counts"), 2, 2),
        (Kind::Retrieval, Profile::Standard) => (one("retrieval-counts"), 10, 50),
        (Kind::Retrieval, Profile::Paper) => (one("retrieval-counts"), 10, 1000),
        (Kind::Push, Profile::Quick) => (one("push-14"), 2, 4),
        (Kind::Push, Profile::Standard) => (one("push-14"), 5, 500),
        (Kind::Push, Profile::Paper) => (one("push-14"), 10, 6000),
        (Kind::Memory, Profile::Quick) => (one("push-14"), 1, 4),
        (Kind::Memory, Profile::Standard) => (one("push-14"), 1, 1000),
        (Kind::Memory, Profile::Paper) => (one("push-14"), 1, 6000),
    };
    Size { problems, runs, evaluations }
}

const ALL_FUNCTIONS: [u32; 24] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24];

fn one(problem: &str) -> Vec<String> {
    vec![problem.to_owned()]
}

fn synthetic(dims: &[usize]) -> Vec<String> {
    let names = ["ackley", "levy", "michalewicz"];
    names.iter().flat_map(|name| dims.iter().map(move |dim| format!("{name}-{dim}"))).collect()
}

fn bbob(functions: &[u32], dims: &[usize]) -> Vec<String> {
    dims.iter().flat_map(|dim| functions.iter().map(move |function| format!("bbob-f{function:02}-d{dim:02}"))).collect()
}

/// The methods of an experiment when none are named: the paper's, as far as the library has them.
pub fn default_methods(kind: Kind) -> Vec<MethodSpec> {
    let paper: Vec<String> = NU_GRID.iter().map(|nu| format!("neuralbo-paper:nu={nu}")).collect();
    let mut texts: Vec<&str> = vec!["neuralbo"];
    if kind == Kind::Memory {
        texts.extend(["neuralbo-paper", "gp-ucb", "neural-greedy"]);
    } else {
        texts.extend(paper.iter().map(String::as_str));
        texts.extend(["gp-ucb", "gp-ts", "gp-ei", "rf", "dngo", "neural-greedy", "random"]);
    }
    let known = |text: &&str| METHODS.iter().any(|method| text.split(':').next() == Some(method.name));
    texts.into_iter().filter(known).filter_map(|text| text.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_grow() {
        for kind in Kind::ALL {
            let work = |profile| {
                let size = size(kind, profile);
                size.problems.len() as u64 * u64::from(size.runs) * size.evaluations
            };
            assert!(work(Profile::Quick) < work(Profile::Standard) && work(Profile::Standard) < work(Profile::Paper));
        }
    }

    #[test]
    fn the_paper_is_run_in_its_sizes() {
        let size = |kind| size(kind, Profile::Paper);
        assert_eq!((size(Kind::Synthetic).problems.len(), size(Kind::Synthetic).evaluations), (12, 2000));
        assert_eq!((size(Kind::Bbob).problems.len(), size(Kind::Bbob).runs), (96, 15));
        assert_eq!((size(Kind::Push).evaluations, size(Kind::Push).runs), (6000, 10));
    }

    #[test]
    fn the_exploration_grid_is_among_the_methods() {
        let methods: Vec<String> = default_methods(Kind::Push).iter().map(ToString::to_string).collect();
        assert!(methods.contains(&"neuralbo-paper:nu=10".to_owned()) && methods.contains(&"random".to_owned()));
    }
}
