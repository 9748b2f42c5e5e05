//! What runs cost before they are made: processor time from a table of measured suggestions.
//!
//! | symbol | meaning |
//! |---|---|
//! | n, d | observations, encoded dimension |
//! | c(n, d) | time of one suggestion; log c is linear in log n and log d between measured points and beyond the last ones |

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::Workload;

/// Milliseconds of processor time of one suggestion, measured.
const MEASURED: &str = include_str!("cost.csv");
/// Terms of the sum over a run; between them the trapezoidal rule.
const TERMS: u64 = 64;

/// (log n, log milliseconds), sorted.
type CostCurve = Vec<(f64, f64)>;
/// By dimension.
type CostCurves = BTreeMap<usize, CostCurve>;

/// By whether a pool is searched, and the method.
static TABLE: LazyLock<BTreeMap<(bool, String), CostCurves>> = LazyLock::new(|| {
    let mut table: BTreeMap<_, CostCurves> = BTreeMap::new();
    for (space, method, dim, observations, milliseconds) in rows().flatten() {
        let curves = table.entry((space == "pool", method)).or_default();
        let point = (f64::ln(observations), f64::ln(milliseconds));
        curves.entry(dim).or_default().push(point);
    }
    for curve in table.values_mut().flat_map(BTreeMap::values_mut) {
        curve.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    table
});

/// A line of the table: space, method, dimension, observations, milliseconds.
type CostRow = (String, String, usize, f64, f64);

fn rows() -> impl Iterator<Item = csv::Result<CostRow>> {
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.comment(Some(b'#')).from_reader(MEASURED.as_bytes());
    reader.into_deserialize()
}

/// Processor seconds of one run of a method, as it is written on the command line; none of what was never measured.
///
/// ```
/// use neuralbo_lab::runner::{Workload, run_seconds};
///
/// let load = Workload { dim: 20, initial: 21, evaluations: 2000, pool: false };
/// let seconds = run_seconds("gp-ei", load).ok_or("measured")?;
/// assert!(seconds > run_seconds("random", load).ok_or("measured")?);
/// assert_eq!(run_seconds("ext:python3 mine.py", load), None);
/// # Ok::<(), &str>(())
/// ```
pub fn run_seconds(method: &str, load: Workload) -> Option<f64> {
    let name = method.split(':').next().unwrap_or(method);
    let curves = TABLE.get(&(load.pool, name.to_owned()))?;
    let first = load.initial.max(1) as f64;
    let last = (load.initial as u64 + load.evaluations).max(1) as f64;
    let terms = load.evaluations.clamp(1, TERMS) as usize;
    let observations = |k: usize| first + (last - first) * k as f64 / terms as f64;
    let at = |k: usize| suggestion(curves, observations(k), load.dim);
    let sum: f64 = (0..terms).map(|k| 0.5 * (at(k) + at(k + 1))).sum();
    Some(1e-3 * sum / terms as f64 * load.evaluations as f64)
}

/// Milliseconds of one suggestion.
fn suggestion(curves: &CostCurves, observations: f64, dim: usize) -> f64 {
    let n = observations.ln();
    let at = |(d, curve): (&usize, &CostCurve)| ((*d as f64).ln(), interpolated(curve, n));
    let along: CostCurve = curves.iter().map(at).collect();
    interpolated(&along, (dim as f64).ln()).exp()
}

/// The line through the two neighbours of `x`, or through the two ends where it is outside; a single point is a constant.
fn interpolated(points: &[(f64, f64)], x: f64) -> f64 {
    let [(_, only)] = points else {
        let last = points.len().saturating_sub(1).max(1);
        let right = points.partition_point(|point| point.0 < x).clamp(1, last);
        let (Some((x0, y0)), Some((x1, y1))) = (points.get(right - 1), points.get(right)) else {
            return f64::NAN;
        };
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
    };
    *only
}

/// Times of finished runs, from which those of the others are guessed.
#[derive(Clone, Debug, Default)]
pub struct TimeEstimate {
    exact: BTreeMap<(String, String), RunningMean>,
    by_method: BTreeMap<String, RunningMean>,
    all: RunningMean,
}

#[derive(Clone, Copy, Debug, Default)]
struct RunningMean {
    sum: f64,
    count: f64,
}

impl RunningMean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    fn value(self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

impl TimeEstimate {
    /// Notes how long a run took.
    pub fn learn(&mut self, problem: &str, method: &str, seconds: f64) {
        let same = (problem.to_owned(), method.to_owned());
        self.exact.entry(same).or_default().add(seconds);
        self.by_method
            .entry(method.to_owned())
            .or_default()
            .add(seconds);
        self.all.add(seconds);
    }

    /// Seconds of a run: the mean of the same problem and method, else of the method, else of all; none at the very beginning.
    pub fn seconds(&self, problem: &str, method: &str) -> Option<f64> {
        let exact = self.exact.get(&(problem.to_owned(), method.to_owned()));
        let nearest = exact.or_else(|| self.by_method.get(method));
        nearest.unwrap_or(&self.all).value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::EXPERIMENTS;

    #[test]
    fn powers_are_met_between_and_beyond_the_points() {
        let power = |x: f64| (x.ln(), (3.0 * x.powf(1.5)).ln());
        let points = [1.0, 10.0, 40.0].map(power);
        for x in [0.1, 1.0, 7.0, 40.0, 900.0] {
            let error = interpolated(&points, f64::ln(x)) - power(x).1;
            assert!(error.abs() < 1e-12, "{x}");
        }
        assert_eq!(interpolated(&points[..1], 9.0), points[0].1);
    }

    /// ∫ of 2·n milliseconds from 100 to 1100 observations is 1.2 million.
    #[test]
    fn a_run_is_the_sum_of_its_suggestions() {
        let line = [(1.0, 2.0), (10.0, 20.0)].map(|(n, ms): (f64, f64)| (n.ln(), ms.ln()));
        let curves: CostCurves = [(5, line.to_vec())].into();
        assert!((suggestion(&curves, 300.0, 50) - 600.0).abs() < 1e-9);
        let load = Workload {
            dim: 5,
            initial: 100,
            evaluations: 1000,
            pool: false,
        };
        let seconds = |evaluations| {
            let load = Workload {
                evaluations,
                ..load
            };
            run_seconds("random", load).unwrap()
        };
        let (random, twice) = (seconds(1000), seconds(2000));
        assert!((twice / random - 2.0).abs() < 0.2, "{random} {twice}");
    }

    #[test]
    fn every_line_is_read_and_every_method_of_an_experiment_is_measured() {
        rows().for_each(|row| drop(row.unwrap()));
        for experiment in EXPERIMENTS {
            let size = (experiment.run.size)(crate::runner::Profile::Paper);
            for method in (experiment.run.methods)().iter().map(ToString::to_string) {
                for problem in &size.problems {
                    let load = (experiment.run.load)(problem, size.evaluations);
                    let seconds = run_seconds(&method, load);
                    assert!(seconds.is_some_and(f64::is_finite), "{method} on {problem}");
                }
            }
        }
    }

    #[test]
    fn the_nearest_experience_counts() {
        let mut estimate = TimeEstimate::default();
        assert_eq!(estimate.seconds("p", "m"), None);
        estimate.learn("p", "m", 2.0);
        estimate.learn("q", "m", 4.0);
        estimate.learn("p", "n", 9.0);
        assert_eq!(estimate.seconds("q", "m"), Some(4.0));
        assert_eq!(estimate.seconds("r", "m"), Some(3.0));
        assert_eq!(estimate.seconds("r", "o"), Some(5.0));
    }
}
