//! Best values against evaluations.

use super::average::Shown;
use super::methods::looks;
use crate::figure::{Axis, Figure, Panel, Series};
use crate::runner::RunTrace;
use crate::stats::{mean, median, quantile, sd};

/// Points of a curve.
const POINTS: u64 = 200;
/// Values that differ by more than this factor are shown on a logarithmic axis.
const LOG_FACTOR: f64 = 100.0;

/// What a curve shows of several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Middle {
    /// Mean, and one standard deviation to both sides.
    Mean,
    /// Median, and the quartiles.
    Median,
}

impl Middle {
    fn of(self, values: &[f64]) -> (f64, (f64, f64)) {
        match self {
            Self::Mean => {
                let (middle, spread) = (
                    mean(values),
                    if values.len() > 1 { sd(values) } else { 0.0 },
                );
                (middle, (middle - spread, middle + spread))
            }
            Self::Median => (
                median(values),
                (quantile(values, 0.25), quantile(values, 0.75)),
            ),
        }
    }
}

/// A curve with its band.
pub fn curve(label: &str, runs: &[&RunTrace], middle: Middle) -> Series {
    let last = runs
        .iter()
        .filter_map(|trace| trace.rows.last())
        .map(|row| row.evaluation)
        .min()
        .unwrap_or(0);
    let first = runs
        .iter()
        .filter_map(|trace| trace.rows.first())
        .map(|row| row.evaluation)
        .max()
        .unwrap_or(0);
    let mut times: Vec<u64> = (0..=POINTS)
        .map(|i| first + (last.saturating_sub(first)) * i / POINTS)
        .collect();
    times.dedup();
    let (mut points, mut band) = (Vec::new(), Vec::new());
    for time in times {
        let values: Vec<f64> = runs
            .iter()
            .filter_map(|trace| trace.best_at(time))
            .collect();
        if !values.is_empty() {
            let (value, ends) = middle.of(&values);
            points.push((time as f64, value));
            band.push(ends);
        }
    }
    let series = Series::steps(label, points);
    let series = if runs.len() > 1 {
        series.with_band(band)
    } else {
        series
    };
    match looks(label) {
        Some(number) => series.with_looks(number),
        None => series,
    }
}

/// A panel with the curves of several methods.
fn panel(
    title: &str,
    y_label: &str,
    methods: &[(String, Vec<&RunTrace>)],
    middle: Middle,
) -> Panel {
    let series: Vec<Series> = methods
        .iter()
        .map(|(label, runs)| curve(label, runs, middle))
        .collect();
    let y = if wants_log(&series) {
        Axis::log(y_label)
    } else {
        Axis::linear(y_label)
    };
    series.into_iter().fold(
        Panel::new(title, Axis::linear("evaluations"), y),
        Panel::with,
    )
}

/// One panel a problem, with `title` made of its name.
pub fn figure(
    frame: Figure,
    shown: &Shown<'_>,
    title: fn(&str) -> String,
    y_label: &str,
    middle: Middle,
) -> String {
    let panels = shown
        .problems
        .iter()
        .map(|(problem, methods)| panel(&title(problem), y_label, methods, middle));
    panels.fold(frame, Figure::with).to_svg()
}

fn wants_log(series: &[Series]) -> bool {
    let values = || {
        series
            .iter()
            .flat_map(|series| series.points())
            .map(|point| point.1)
    };
    let (low, high) = (
        values().fold(f64::INFINITY, f64::min),
        values().fold(f64::NEG_INFINITY, f64::max),
    );
    low > 0.0 && high / low > LOG_FACTOR
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::runner::testing::trace;

    #[test]
    fn a_curve_is_the_mean_of_the_runs_from_evaluation_zero_on() {
        let (a, mut b) = (trace(), trace());
        b.rows[2].best = 2.0;
        let curve = curve("random", &[&a, &b], Middle::Mean);
        assert_eq!(curve.points(), [(0.0, 3.0), (1.0, 3.0), (2.0, 1.5)]);
    }

    #[test]
    fn medians_come_with_quartiles() {
        assert_eq!(
            Middle::Median.of(&[1.0, 2.0, 3.0, 4.0, 5.0]),
            (3.0, (2.0, 4.0))
        );
    }
}
