//! One problem in one run: the same for every method.

use neuralbo::linalg::{Purpose, Rng, Streams};
use neuralbo::record::Direction;
use neuralbo::space::{Point, Space, Value};
use rand::RngExt;

use crate::Problem;

/// What gives points their values.
pub trait Evaluator: Send + Sync {
    /// What evaluation number `index` sees; the noise depends on the run and the index only.
    fn observe(&self, point: &Point, index: u64) -> f64;

    /// The value without noise, as it is recorded.
    fn truth(&self, point: &Point) -> f64;
}

/// One problem in one run.
pub struct Task {
    /// The problem's name.
    pub problem: String,
    /// The run, from 1.
    pub run: u32,
    /// The seed of everything that all methods share.
    pub seed: u64,
    /// What is searched.
    pub space: Space,
    /// Which way is better.
    pub direction: Direction,
    /// The shared initial design; empty where each method has its own.
    pub initial: Vec<Point>,
    /// What gives points their values.
    pub objective: Box<dyn Evaluator>,
    /// Whether what is observed differs from the truth by chance.
    pub noisy: bool,
    /// Evaluations after the initial design.
    pub evaluations: u64,
}

/// A seed that depends on the words and the run alone (FNV-1a).
pub fn seed_of(words: &[&str], run: u32) -> u64 {
    let bytes = words
        .iter()
        .flat_map(|word| word.bytes().chain([0]))
        .chain(run.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl Task {
    /// The seed handed to the methods: not that of the design, so that no method draws the same points again; on a control that of
    /// the original.
    pub fn method_seed(&self) -> u64 {
        let original = self.problem.split('@').next().unwrap_or(&self.problem);
        seed_of(&["method", original], self.run)
    }
}

/// `count` independent uniform points of a box.
pub fn uniform_design(bounds: &[(f64, f64)], count: usize, seed: u64) -> Vec<Point> {
    let mut rng = Streams::new(seed).stream(0, Purpose::Design);
    (0..count)
        .map(|_| uniform_point(bounds, &mut rng))
        .collect()
}

fn uniform_point(bounds: &[(f64, f64)], rng: &mut Rng) -> Point {
    Point::new(
        bounds
            .iter()
            .map(|(low, high)| Value::Float(rng.random_range(*low..=*high)))
            .collect(),
    )
}

/// The numbers of a point of a box.
pub fn coordinates(point: &Point) -> Vec<f64> {
    point
        .values()
        .iter()
        .flatten()
        .filter_map(Value::as_f64)
        .collect()
}

/// How an observation comes about at `x` in evaluation `index`.
type Observation = Box<dyn Fn(&[f64], u64) -> f64 + Send + Sync>;

/// A problem on a box with a way to observe it.
pub struct BoxEvaluator<P> {
    /// The truth.
    pub problem: P,
    /// What methods see.
    pub observation: Observation,
}

impl<P: Problem> Evaluator for BoxEvaluator<P> {
    fn observe(&self, point: &Point, index: u64) -> f64 {
        (self.observation)(&coordinates(point), index)
    }

    fn truth(&self, point: &Point) -> f64 {
        self.problem.value(&coordinates(point))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn seeds_depend_on_every_word_and_the_run() {
        let seeds = [
            seed_of(&["a", "b"], 1),
            seed_of(&["ab"], 1),
            seed_of(&["a", "b"], 2),
            seed_of(&["b", "a"], 1),
        ];
        for (i, seed) in seeds.iter().enumerate() {
            assert!(!seeds[..i].contains(seed));
        }
    }

    #[test]
    fn designs_are_functions_of_the_seed_and_stay_in_the_box() {
        let bounds = [(0.0, 1.0), (-5.0, -4.0)];
        assert_eq!(uniform_design(&bounds, 4, 1), uniform_design(&bounds, 4, 1));
        assert_ne!(uniform_design(&bounds, 4, 1), uniform_design(&bounds, 4, 2));
        let space = Space::from_bounds(&bounds).unwrap();
        assert!(
            uniform_design(&bounds, 50, 3)
                .iter()
                .all(|point| space.encode(point).is_ok())
        );
    }
}
