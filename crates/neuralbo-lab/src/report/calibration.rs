//! Whether the models' predictions deserve their standard deviations, and whether the next ten evaluations brought what was
//! expected of them.
//!
//! | symbol | meaning |
//! |---|---|
//! | y, m, s | the next observation, its predicted mean and standard deviation |
//! | z | \|y − m\| / s, by how many standard deviations the prediction was wrong |
//! | p | nominal probability of the central interval m ± s·Φ⁻¹((1 + p)/2) |
//!
//! Forecasts are made after 20, 30, … evaluations, by the observations alone as in [`GainForecast::of`], and compared with the ten
//! evaluations that follow. Runs with noise are left out: there the record of a model's predictions is used, which traces do not
//! have.

use std::collections::{BTreeMap, BTreeSet};

use neuralbo::study::GainForecast;

use super::document::{Document, ReportTable};
use super::methods::looks;
use super::results::Results;
use super::results::note;
use crate::figure::{Figure, Panel, PlotAxis, PlotSeries};
use crate::runner::{RunTrace, TraceRow, distinct};
use crate::stats::normal_quantile;

/// The nominal probabilities that are drawn.
const LEVELS: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
/// The one in the table.
const TABLED: f64 = 0.9;

/// All z of one method in one dimension.
type Errors = Vec<f64>;
/// Methods that made predictions, in the order of the manifest.
type MethodErrors<'a> = Vec<(&'a str, Errors)>;

/// Adds the section.
pub fn report(document: &mut Document, experiments: &[Results]) {
    document.section("Calibration");
    let dims = |results| (results, by_dim(results));
    let mut predicted: Vec<_> = experiments.iter().map(dims).collect();
    predicted.retain(|(_, dims)| !dims.is_empty());
    if predicted.is_empty() {
        document.text(
            "No run here has recorded predictions: methods without a model make none, and traces of earlier versions do not hold \
             them.",
        );
        return;
    }
    document.text(
        "A method with a model states mean and standard deviation of the value it is about to observe. Where both are honest, a \
         central interval of probability p holds a share p of the next observations: below the thin line a method is too sure of \
         itself, above it too cautious. The points are those the method chose, so this says nothing about the rest of the space. \
         Runs and methods without predictions are left out; neuralbo-paper is shown for each ν.",
    );
    for (results, dims) in &predicted {
        let (name, title) = (results.experiment.run.name, results.experiment.short_title);
        let caption = format!(
            "Calibration on {title}: share of the next observations inside the central intervals."
        );
        let svg = figure(title, dims, &note(results));
        document.figure(&format!("calibration-{name}"), caption, svg);
        document.table(table(title, dims));
        if let Some(table) = forecasts(title, results.finished()) {
            document.table(table);
        }
    }
}

fn by_dim(results: &Results) -> BTreeMap<usize, MethodErrors<'_>> {
    let dims = results.traces.iter().map(|trace| trace.header.dim);
    let dims: BTreeSet<usize> = dims.collect();
    let with_methods = |dim| (dim, methods(results, dim));
    let mut dims: BTreeMap<_, _> = dims.into_iter().map(with_methods).collect();
    dims.retain(|_, methods| !methods.is_empty());
    dims
}

fn methods(results: &Results, dim: usize) -> MethodErrors<'_> {
    let errors_of = |method: &str| {
        let own = |trace: &&RunTrace| trace.header.dim == dim && trace.header.method == method;
        let rows = results.finished().filter(own).flat_map(|trace| &trace.rows);
        rows.filter_map(error).collect::<Errors>()
    };
    let listed = results
        .methods()
        .into_iter()
        .map(|method| (method.as_str(), errors_of(method)));
    listed.filter(|(_, errors)| !errors.is_empty()).collect()
}

/// z of one evaluation; none where nothing was predicted or the evaluation failed.
fn error(row: &TraceRow) -> Option<f64> {
    let (observed, mean, sd) = (row.observed?, row.mean?, row.sd?);
    let difference = (observed - mean).abs();
    let known = difference.is_finite() && sd.is_finite() && sd >= 0.0;
    // A certain prediction that comes true is inside every interval.
    let certain = difference == 0.0;
    known.then(|| if certain { 0.0 } else { difference / sd })
}

/// The share of observations inside the central interval of probability `level`.
fn share_inside(errors: &[f64], level: f64) -> f64 {
    let half_width = normal_quantile(0.5 * (1.0 + level));
    errors.iter().filter(|error| **error <= half_width).count() as f64 / errors.len() as f64
}

/// All methods in the order of their first appearance.
fn names<'a>(dims: &BTreeMap<usize, MethodErrors<'a>>) -> Vec<&'a str> {
    distinct(dims.values().flatten().map(|(method, _)| *method))
}

fn figure(title: &str, dims: &BTreeMap<usize, MethodErrors<'_>>, note: &str) -> String {
    let note = format!("Thin line: as many inside as there should be. {note}");
    let panel = |(dim, methods): (&usize, &MethodErrors<'_>)| {
        let axis = |label: &str| PlotAxis::linear(label).range(0.0, 1.0);
        let (x, y) = (axis("nominal probability"), axis("share inside"));
        let curve = |(method, errors): &(&str, Errors)| {
            let points = LEVELS.map(|level| (level, share_inside(errors, level)));
            PlotSeries::line(*method, points.to_vec()).with_looks(looks(method))
        };
        let panel = Panel::new(format!("D = {dim}"), x, y, methods.iter().map(curve));
        panel.guide((0.0, 0.0), (1.0, 1.0))
    };
    let figure = Figure::new(
        format!("Calibration on {title}"),
        dims.iter().map(panel),
        note,
    );
    let columns = if dims.len() == 4 { 2 } else { 3 };
    figure.columns(columns).to_svg()
}

fn table(title: &str, dims: &BTreeMap<usize, MethodErrors<'_>>) -> ReportTable {
    let caption = format!(
        "Predictions on {title} and the share of observations inside their 90 % intervals."
    );
    let columns = ["method", "dimension", "predictions"];
    let mut table = ReportTable::new(caption, &columns).with(["inside the 90 % interval"]);
    for name in names(dims) {
        for (dim, methods) in dims {
            let Some((_, errors)) = methods.iter().find(|(method, _)| *method == name) else {
                continue;
            };
            let share = format!("{:.1} %", 100.0 * share_inside(errors, TABLED));
            table.row(&[name], [dim.to_string(), errors.len().to_string(), share]);
        }
    }
    table
}

/// Evaluations between forecasts, and those whose gain is forecast.
const STEP: usize = 10;

/// A forecast and what came.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ComparedForecast {
    forecast: GainForecast,
    gain: f64,
    /// The gap of the median observation so far: what makes gains of different functions comparable.
    spread: f64,
}

/// The forecasts of methods with a model by dimension; `None` without any.
fn forecasts<'a>(title: &str, traces: impl Iterator<Item = &'a RunTrace>) -> Option<ReportTable> {
    let mut groups: BTreeMap<(&str, usize), Vec<ComparedForecast>> = BTreeMap::new();
    let noiseless = traces.filter(|trace| trace.header.best_seen_truth.is_none());
    for trace in noiseless.filter(|trace| trace.rows.iter().any(|row| row.mean.is_some())) {
        let key = (trace.header.method.as_str(), trace.header.dim);
        groups.entry(key).or_default().extend(compared(trace));
    }
    groups.retain(|_, found| !found.is_empty());
    let caption = format!(
        "Forecasts on {title} of what ten more evaluations bring: the share of gains below the bound that is to hold with 90 %, and \
         the expected over the true gain, once summed in units of the spread of the values, once in units of each forecast's bound \
         (gains of more than ten bounds count as ten)."
    );
    let columns = ["method", "dimension", "forecasts"];
    let mut table = ReportTable::new(caption, &columns).with([
        "below the bound",
        "expected / true, by spread",
        "by bound",
    ]);
    for ((method, dim), found) in &groups {
        let share = found
            .iter()
            .filter(|one| one.gain <= one.forecast.high + rounding(one));
        let share = format!("{:.1} %", 100.0 * share.count() as f64 / found.len() as f64);
        let [by_spread, by_bound] = ratios(found).map(|ratio| format!("{ratio:.2}"));
        let count = found.len().to_string();
        table.row(
            &[method],
            [dim.to_string(), count, share, by_spread, by_bound],
        );
    }
    (!groups.is_empty()).then_some(table)
}

/// Values of this size have no further digits.
fn rounding(one: &ComparedForecast) -> f64 {
    1e-12 * one.spread
}

fn ratios(found: &[ComparedForecast]) -> [f64; 2] {
    let sum = |of: &dyn Fn(&ComparedForecast) -> f64| found.iter().map(of).sum::<f64>();
    let by_spread = |one: &ComparedForecast, x: f64| {
        if one.spread > 0.0 {
            x / one.spread
        } else {
            0.0
        }
    };
    let by_bound = |one: &ComparedForecast, x: f64| match one.forecast.high > 0.0 {
        true => (x / one.forecast.high).min(10.0),
        false => 0.0,
    };
    [
        sum(&|one| by_spread(one, one.forecast.mean)) / sum(&|one| by_spread(one, one.gain)),
        sum(&|one| by_bound(one, one.forecast.mean)) / sum(&|one| by_bound(one, one.gain)),
    ]
}

fn compared(trace: &RunTrace) -> Vec<ComparedForecast> {
    let observed = trace.rows.iter().filter_map(|row| row.observed);
    let rewards: Vec<f64> = observed
        .map(|value| trace.header.direction.reward(value))
        .collect();
    let best = |count: usize| {
        rewards[..count]
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let compare = |count: usize| {
        let mut sorted = rewards[..count].to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(ComparedForecast {
            forecast: GainForecast::of(&rewards[..count], STEP as u64)?,
            gain: best(count + STEP) - best(count),
            spread: best(count) - sorted[count / 2],
        })
    };
    let counts = (0..(rewards.len() + 1).saturating_sub(STEP)).step_by(STEP);
    counts.filter_map(compare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::testing::trace;

    #[test]
    fn shares_are_those_of_the_normal_distribution() {
        // Φ⁻¹(0.75) = 0.67449 and Φ⁻¹(0.95) = 1.64485 (tables of the normal distribution).
        let errors = [0.0, 0.674, 0.675, 1.644, 1.645, 3.0, f64::INFINITY, 0.1];
        let found = (share_inside(&errors, 0.5), share_inside(&errors, 0.9));
        assert_eq!(found, (3.0 / 8.0, 5.0 / 8.0));
    }

    #[test]
    fn errors_are_counted_in_standard_deviations() {
        let errors: Errors = trace().rows.iter().filter_map(error).collect();
        assert_eq!(errors, [2.0]);
    }

    #[test]
    fn certain_predictions_and_failed_evaluations_make_no_nan() {
        let mut row = trace().rows[1].clone();
        (row.observed, row.mean, row.sd) = (Some(1.0), Some(1.0), Some(0.0));
        assert_eq!(error(&row), Some(0.0));
        row.observed = Some(2.0);
        assert_eq!(error(&row), Some(f64::INFINITY));
        row.observed = Some(f64::NAN);
        assert_eq!(error(&row), None);
    }

    #[test]
    fn gains_are_those_of_the_next_ten_evaluations() {
        let mut run = trace();
        let row = |i: u32| TraceRow {
            evaluation: u64::from(i) + 1,
            observed: Some(0.5_f64.powi(i as i32)),
            ..run.rows[1].clone()
        };
        run.rows = (0..45).map(row).collect();
        let found = compared(&run);
        // After 20 and 30 evaluations; there is no tenth after 40.
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].gain, 0.5_f64.powi(19) - 0.5_f64.powi(29));
        assert_eq!(found[0].spread, 0.5_f64.powi(10) - 0.5_f64.powi(19));
        assert!(forecasts("BBOB", [&run].into_iter()).is_some());
        run.rows.iter_mut().for_each(|row| row.mean = None);
        assert!(forecasts("BBOB", [&run].into_iter()).is_none());
    }
}
