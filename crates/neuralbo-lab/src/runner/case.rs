//! One problem in one run: the same for every method.

use neuralbo::linalg::{Purpose, Streams};
use neuralbo::record::{Direction, ObjectiveSpec, OutcomeConstraint, VALUE, Values};
use neuralbo::space::{Point, Space, SpaceError, Value};
use rand::RngExt;

use super::LabError;
use crate::Problem;

/// What gives points their values.
pub trait CaseEvaluator: Send + Sync {
    /// The value without noise, as it is recorded; NaN where an outcome constraint is violated.
    fn truth(&self, point: &Point) -> f64;

    /// What evaluation number `index` sees; the noise depends on the run and the index only.
    fn observe(&self, point: &Point, _index: u64) -> f64 {
        self.truth(point)
    }

    /// All objectives and the quantities that outcome constraints limit, by name; none where the
    /// only value is what `observe` sees.
    fn values(&self, _: &Point) -> Option<Values> {
        None
    }
}

/// One problem in one run.
pub struct LabCase {
    /// The problem's name.
    pub problem: String,
    /// The run, from 1.
    pub run: u32,
    /// The seed of everything that all methods share.
    pub seed: u64,
    /// The seed of the methods: not that of the design, so that no method draws the same points again;
    /// on a control that of the original.
    pub method_seed: u64,
    /// What is searched.
    pub space: Space,
    /// What is measured and which way is better.
    pub objectives: Vec<ObjectiveSpec>,
    /// Limits on measured quantities.
    pub outcome_constraints: Vec<OutcomeConstraint>,
    /// How the front of several objectives is measured.
    pub front: Option<FrontMeasure>,
    /// The shared initial design; empty where each method has its own.
    pub initial: Vec<Point>,
    /// What gives points their values.
    pub evaluator: Box<dyn CaseEvaluator>,
    /// Whether what is observed differs from the truth by chance.
    pub noisy: bool,
    /// Evaluations after the initial design; the runner sets them.
    pub evaluations: u64,
}

/// The hypervolume between a reference point and a front, as a share of the best one.
#[derive(Clone, Debug, PartialEq)]
pub struct FrontMeasure {
    /// Values that are just not good enough.
    pub reference: Vec<f64>,
    /// The largest hypervolume, or 1 where it is not known.
    pub best: f64,
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

impl LabCase {
    /// A noiseless case of one objective to be minimized, without initial design and evaluations.
    pub fn new(
        problem: &str,
        run: u32,
        seed: u64,
        space: Result<Space, SpaceError>,
        evaluator: Box<dyn CaseEvaluator>,
    ) -> Result<Self, LabError> {
        let original = problem.split('@').next().unwrap_or(problem);
        Ok(Self {
            problem: problem.to_owned(),
            run,
            seed,
            method_seed: seed_of(&["method", original], run),
            space: space.map_err(LabError::impossible)?,
            objectives: vec![ObjectiveSpec::new(VALUE, Direction::Minimize)],
            outcome_constraints: Vec::new(),
            front: None,
            initial: Vec::new(),
            evaluator,
            noisy: false,
            evaluations: 0,
        })
    }

    /// A problem on a box, in its direction and with its outcome constraints.
    pub fn on_box<P: Problem + 'static>(
        name: &str,
        run: u32,
        seed: u64,
        evaluator: BoxEvaluator<P>,
    ) -> Result<Self, LabError> {
        let problem = &evaluator.problem;
        let space = Space::from_bounds(&problem.bounds());
        Ok(Self {
            objectives: vec![ObjectiveSpec::new(VALUE, problem.direction())],
            outcome_constraints: problem.outcome_constraints(),
            ..Self::new(name, run, seed, space, Box::new(evaluator))?
        })
    }

    /// Which way the first objective is better.
    pub fn direction(&self) -> Direction {
        self.objectives
            .first()
            .map_or_else(Direction::default, |objective| objective.direction)
    }
}

/// `count` independent uniform points of a box.
pub fn uniform_design(bounds: &[(f64, f64)], count: usize, seed: u64) -> Vec<Point> {
    let mut rng = Streams::new(seed).stream(0, Purpose::Design);
    let mut value = |(low, high): &(f64, f64)| Value::Float(rng.random_range(*low..=*high));
    (0..count)
        .map(|_| Point::new(bounds.iter().map(&mut value).collect()))
        .collect()
}

/// The numbers of a point of a box.
pub fn coordinates(point: &Point) -> Vec<f64> {
    let values = point.values().iter().flatten();
    values.filter_map(Value::as_f64).collect()
}

/// How an observation of a problem comes about at `x` in evaluation `index`.
type Observation<P> = Box<dyn Fn(&P, &[f64], u64) -> f64 + Send + Sync>;

/// A problem on a box with a way to observe it.
pub struct BoxEvaluator<P> {
    /// What is searched.
    pub problem: P,
    /// What methods see.
    pub observe: Observation<P>,
    /// What is recorded.
    pub truth: fn(&P, &[f64]) -> f64,
}

impl<P: Problem> BoxEvaluator<P> {
    /// Records the problem's values at feasible points, NaN elsewhere.
    pub fn new(
        problem: P,
        observe: impl Fn(&P, &[f64], u64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            problem,
            observe: Box::new(observe),
            truth: feasible_value,
        }
    }

    /// The same without noise.
    pub fn exact(problem: P) -> Self {
        Self::new(problem, |problem, x, _| problem.value(x))
    }
}

/// The value of a problem where its outcome constraints hold, NaN elsewhere.
pub fn feasible_value(problem: &impl Problem, x: &[f64]) -> f64 {
    if problem.is_feasible(x) {
        problem.value(x)
    } else {
        f64::NAN
    }
}

impl<P: Problem> CaseEvaluator for BoxEvaluator<P> {
    fn truth(&self, point: &Point) -> f64 {
        (self.truth)(&self.problem, &coordinates(point))
    }

    fn observe(&self, point: &Point, index: u64) -> f64 {
        (self.observe)(&self.problem, &coordinates(point), index)
    }

    fn values(&self, point: &Point) -> Option<Values> {
        let constraints = self.problem.outcome_constraints();
        if constraints.is_empty() {
            return None;
        }
        let x = coordinates(point);
        let names = constraints.into_iter().map(|constraint| constraint.name);
        let value = (VALUE.to_owned(), self.problem.value(&x));
        Some(
            names
                .zip(self.problem.measured(&x))
                .chain([value])
                .collect(),
        )
    }
}

#[cfg(test)]
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
        let design = |seed| uniform_design(&bounds, 50, seed);
        assert_eq!(design(1), design(1));
        assert_ne!(design(1), design(2));
        let space = Space::from_bounds(&bounds).unwrap();
        assert!(design(3).iter().all(|point| space.encode(point).is_ok()));
    }
}
