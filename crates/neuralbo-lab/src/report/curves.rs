//! Best values against evaluations.

use super::average::Shown;
use super::methods::looks;
use super::results::MethodRuns;
use crate::figure::{Panel, PlotAxis, PlotSeries};
use crate::runner::RunTrace;
use crate::stats::{mean, median, quantile, sd};

/// Points of a curve.
const POINTS: u64 = 200;
/// Values that differ by more than this factor are shown on a logarithmic axis.
const LOG_FACTOR: f64 = 100.0;

/// What a curve shows of several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Middle {
    /// Mean, and one standard deviation to both sides, at most to the best and the worst run.
    Mean,
    /// Median, and the quartiles.
    Median,
}

impl Middle {
    fn of(self, values: &[f64]) -> (f64, (f64, f64)) {
        match self {
            Self::Mean => {
                let spread = if values.len() > 1 { sd(values) } else { 0.0 };
                let middle = mean(values);
                let low = values.iter().copied().fold(f64::INFINITY, f64::min);
                let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let band = ((middle - spread).max(low), (middle + spread).min(high));
                (middle, band)
            }
            Self::Median => {
                let quartiles = (quantile(values, 0.25), quantile(values, 0.75));
                (median(values), quartiles)
            }
        }
    }
}

/// A curve with its band.
pub fn curve(label: &str, runs: &[&RunTrace], middle: Middle) -> PlotSeries {
    let firsts = runs.iter().filter_map(|trace| trace.rows.first());
    let lasts = runs.iter().filter_map(|trace| trace.rows.last());
    let first = firsts.map(|row| row.evaluation).max().unwrap_or(0);
    let last = lasts.map(|row| row.evaluation).min().unwrap_or(0);
    let length = last.saturating_sub(first);
    let mut times: Vec<u64> = (0..=POINTS).map(|i| first + length * i / POINTS).collect();
    times.dedup();
    let (mut points, mut band) = (Vec::new(), Vec::new());
    for time in times {
        let values = runs.iter().filter_map(|trace| trace.best_at(time));
        let values: Vec<f64> = values.collect();
        if !values.is_empty() {
            let (value, ends) = middle.of(&values);
            points.push((time as f64, value));
            band.push(ends);
        }
    }
    band.truncate(if runs.len() > 1 { band.len() } else { 0 });
    let series = PlotSeries::steps(label, points).with_band(band);
    series.with_looks(looks(label))
}

/// A panel with the curves of several methods.
fn panel(title: &str, y_label: &str, methods: &MethodRuns<'_>, middle: Middle) -> Panel {
    let series = methods
        .iter()
        .map(|(label, runs)| curve(label, runs, middle));
    let series: Vec<PlotSeries> = series.collect();
    let y = match wants_log(&series) {
        true => PlotAxis::log(y_label),
        false => PlotAxis::linear(y_label),
    };
    Panel::new(title, PlotAxis::linear("evaluations"), y, series)
}

/// One panel per problem, with `title` made of its name.
pub fn panels(
    shown: &Shown<'_>,
    title: fn(&str) -> String,
    y_label: &str,
    middle: Middle,
) -> Vec<Panel> {
    let of = |(problem, methods): &(&str, _)| panel(&title(problem), y_label, methods, middle);
    shown.problems.iter().map(of).collect()
}

fn wants_log(series: &[PlotSeries]) -> bool {
    let values = || {
        let series = series.iter().flat_map(|series| series.points());
        series.map(|point| point.1)
    };
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    low > 0.0 && high / low > LOG_FACTOR
}

#[cfg(test)]
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

    /// Mean 2 and standard deviation 4 reach below the smallest value, and not to the largest.
    #[test]
    fn bands_of_means_end_at_the_best_and_the_worst_run() {
        let found = Middle::Mean.of(&[0.0, 0.0, 0.0, 8.0]);
        assert_eq!(found, (2.0, (0.0, 6.0)));
        assert_eq!(Middle::Mean.of(&[3.0]), (3.0, (3.0, 3.0)));
    }

    #[test]
    fn medians_come_with_quartiles() {
        let found = Middle::Median.of(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(found, (3.0, (2.0, 4.0)));
    }
}
