//! One problem in one run: the same for every method; and how large its noise is.

use std::fmt;
use std::str::FromStr;

use neuralbo::linalg::{Purpose, Streams};
use neuralbo::record::{Direction, ObjectiveSpec, OutcomeConstraint, VALUE, Values};
use neuralbo::space::{Point, Space, SpaceError, Value};
use rand::RngExt;
use serde::{Serialize, Serializer};

use super::LabError;
use crate::Problem;
use crate::problems::noise::{median_deviation, range, spread};

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
    pub fn on_box<P: Problem + ?Sized + 'static>(
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
pub struct BoxEvaluator<P: ?Sized> {
    /// What is searched.
    pub problem: Box<P>,
    /// What methods see.
    pub observe: Observation<P>,
    /// What is recorded.
    pub truth: fn(&P, &[f64]) -> f64,
}

impl<P: Problem + ?Sized> BoxEvaluator<P> {
    /// Records the problem's values at feasible points, NaN elsewhere.
    pub fn new(
        problem: Box<P>,
        observe: impl Fn(&P, &[f64], u64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            problem,
            observe: Box::new(observe),
            truth: feasible_value,
        }
    }

    /// The same without noise.
    pub fn exact(problem: Box<P>) -> Self {
        Self::new(problem, |problem, x, _| problem.value(x))
    }
}

/// The value of a problem where its outcome constraints hold, NaN elsewhere.
pub fn feasible_value(problem: &(impl Problem + ?Sized), x: &[f64]) -> f64 {
    if problem.is_feasible(x) {
        problem.value(x)
    } else {
        f64::NAN
    }
}

impl<P: Problem + ?Sized> CaseEvaluator for BoxEvaluator<P> {
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

/// Random points over which a function's standard deviation is taken, and their seed.
const SPREAD: (usize, u64) = (10_000, 1);
/// The paper's text: this part of the function's range is the variance.
const TEXT_VARIANCE: f64 = 0.01;

/// How large the noise is; written `none`, `code`, `text` or a share such as `0.1sd`.
///
/// ```
/// use neuralbo_lab::problems::SPHERE;
/// use neuralbo_lab::runner::NoiseLevel;
///
/// let level: NoiseLevel = "0.01range".parse()?;
/// assert!((level.sd(&SPHERE.of(1)) - 0.01 * 5.12 * 5.12).abs() < 1e-12);
/// assert!("loud".parse::<NoiseLevel>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoiseLevel {
    /// No noise.
    None,
    /// As in the authors' code: standard deviation 0.1·std(f) over random points.
    Code,
    /// As in the paper's text: variance 1 % of the function's range.
    Text,
    /// Standard deviation as a share of the function's range over the box.
    OfRange(f64),
    /// Standard deviation as a share of the function's own over random points.
    OfSd(f64),
    /// Standard deviation as a share of the function's median absolute deviation over random points.
    OfMad(f64),
}

impl NoiseLevel {
    /// The standard deviation of the noise on a problem.
    pub fn sd(self, problem: &dyn Problem) -> f64 {
        let width = || {
            let (low, high) = range(problem);
            high - low
        };
        let deviation = || spread(problem, SPREAD.0, SPREAD.1).sd;
        match self {
            Self::None => 0.0,
            Self::Code => 0.1 * deviation(),
            Self::Text => (TEXT_VARIANCE * width()).sqrt(),
            Self::OfRange(share) => share * width(),
            Self::OfSd(share) => share * deviation(),
            Self::OfMad(share) => share * median_deviation(problem),
        }
    }
}

impl FromStr for NoiseLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = |unit: &str| {
            let share: f64 = text.strip_suffix(unit)?.parse().ok()?;
            (share.is_finite() && share >= 0.0).then_some(share)
        };
        let level = match text {
            "none" => Some(Self::None),
            "code" => Some(Self::Code),
            "text" => Some(Self::Text),
            _ => share("range")
                .map(Self::OfRange)
                .or_else(|| share("sd").map(Self::OfSd))
                .or_else(|| share("mad").map(Self::OfMad)),
        };
        level.ok_or_else(|| {
            format!(
                "noise = `{text}` is unknown; it must be none, code, text or a share of the \
                 function's range, sd or mad, such as 0.1sd"
            )
        })
    }
}

impl fmt::Display for NoiseLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Code => f.write_str("code"),
            Self::Text => f.write_str("text"),
            Self::OfRange(share) => write!(f, "{share}range"),
            Self::OfSd(share) => write!(f, "{share}sd"),
            Self::OfMad(share) => write!(f, "{share}mad"),
        }
    }
}

impl Serialize for NoiseLevel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
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

    #[test]
    fn levels_read_back_and_others_are_refused_with_all_forms() {
        for text in ["none", "code", "text", "0.01range", "0.1sd", "0.1mad"] {
            assert_eq!(text.parse::<NoiseLevel>().unwrap().to_string(), text);
        }
        for text in ["", "0.1", "sd", "-1sd", "NaNsd", "1 %"] {
            let refusal = text.parse::<NoiseLevel>().unwrap_err();
            assert!(refusal.contains(&format!("`{text}`")) && refusal.contains("0.1sd"));
        }
    }
}
