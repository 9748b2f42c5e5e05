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

/// Whether a pool is searched, and the method.
type Key = (bool, &'static str);
/// (log n, log milliseconds), sorted.
type Curve = Vec<(f64, f64)>;
/// By dimension.
type Curves = BTreeMap<usize, Curve>;

static TABLE: LazyLock<BTreeMap<Key, Curves>> = LazyLock::new(|| {
    let mut table: BTreeMap<_, Curves> = BTreeMap::new();
    for line in MEASURED
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
    {
        if let Some((key, dim, point)) = row(line) {
            table
                .entry(key)
                .or_default()
                .entry(dim)
                .or_default()
                .push(point);
        }
    }
    table
        .values_mut()
        .flat_map(BTreeMap::values_mut)
        .for_each(|curve| curve.sort_by(|a, b| a.0.total_cmp(&b.0)));
    table
});

/// `space,method,dim,observations,milliseconds`.
fn row(line: &'static str) -> Option<(Key, usize, (f64, f64))> {
    let fields: Vec<&str> = line.split(',').collect();
    let [space, method, dim, observations, milliseconds] = fields[..] else {
        return None;
    };
    let log = |text: &str| text.parse::<f64>().ok().map(f64::ln);
    Some((
        (space == "pool", method),
        dim.parse().ok()?,
        (log(observations)?, log(milliseconds)?),
    ))
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
    let curves = TABLE.get(&(load.pool, name))?;
    let (first, last) = (
        load.initial.max(1) as f64,
        (load.initial as u64 + load.evaluations).max(1) as f64,
    );
    let terms = load.evaluations.clamp(1, TERMS) as usize;
    let at = |k: usize| {
        suggestion(
            curves,
            first + (last - first) * k as f64 / terms as f64,
            load.dim,
        )
    };
    let sum: f64 = (0..terms).map(|k| 0.5 * (at(k) + at(k + 1))).sum();
    Some(1e-3 * sum / terms as f64 * load.evaluations as f64)
}

/// Milliseconds of one suggestion.
fn suggestion(curves: &Curves, observations: f64, dim: usize) -> f64 {
    let along: Curve = curves
        .iter()
        .map(|(dim, curve)| ((*dim as f64).ln(), interpolated(curve, observations.ln())))
        .collect();
    interpolated(&along, (dim as f64).ln()).exp()
}

/// The line through the two neighbours of `x`, or through the two ends where it is outside; a single point is a constant.
fn interpolated(points: &[(f64, f64)], x: f64) -> f64 {
    let [(_, only)] = points else {
        let right = points
            .partition_point(|point| point.0 < x)
            .clamp(1, points.len().saturating_sub(1).max(1));
        let (Some((x0, y0)), Some((x1, y1))) = (points.get(right - 1), points.get(right)) else {
            return f64::NAN;
        };
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
    };
    *only
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiments::EXPERIMENTS;

    #[test]
    fn powers_are_met_between_and_beyond_the_points() {
        let power = |x: f64| (x.ln(), (3.0 * x.powf(1.5)).ln());
        let points = [1.0, 10.0, 40.0].map(power);
        for x in [0.1, 1.0, 7.0, 40.0, 900.0] {
            assert!(
                (interpolated(&points, f64::ln(x)) - power(x).1).abs() < 1e-12,
                "{x}"
            );
        }
        assert_eq!(interpolated(&points[..1], 9.0), points[0].1);
    }

    /// ∫ of 2·n milliseconds from 100 to 1100 observations is 1.2 million.
    #[test]
    fn a_run_is_the_sum_of_its_suggestions() {
        let curves: Curves = [(
            5,
            vec![(1.0f64.ln(), 2.0f64.ln()), (10.0f64.ln(), 20.0f64.ln())],
        )]
        .into();
        assert!((suggestion(&curves, 300.0, 50) - 600.0).abs() < 1e-9);
        let load = Workload {
            dim: 5,
            initial: 100,
            evaluations: 1000,
            pool: false,
        };
        let random = run_seconds("random", load).unwrap();
        let twice = run_seconds(
            "random",
            Workload {
                evaluations: 2000,
                ..load
            },
        )
        .unwrap();
        assert!((twice / random - 2.0).abs() < 0.2, "{random} {twice}");
    }

    #[test]
    fn every_line_is_read_and_every_method_of_an_experiment_is_measured() {
        let lines = MEASURED
            .lines()
            .filter(|line| !line.starts_with('#'))
            .skip(1);
        lines.for_each(|line| assert!(row(line).is_some(), "{line}"));
        for experiment in EXPERIMENTS {
            let size = experiment.size(crate::runner::Profile::Paper);
            for (method, problem) in experiment
                .methods()
                .iter()
                .flat_map(|m| size.problems.iter().map(move |p| (m, p)))
            {
                let load = experiment.load(problem, size.evaluations);
                assert!(
                    run_seconds(&method.to_string(), load).is_some_and(|s| s.is_finite()),
                    "{method} on {problem}"
                );
            }
        }
    }
}
