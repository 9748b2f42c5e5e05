//! Whether the next ten evaluations brought what was expected of them.
//!
//! Forecasts are made after 20, 30, … evaluations, by the observations alone as in [`GainForecast::of`], and compared with the ten
//! evaluations that follow. Runs with noise are left out: there the record of a model's predictions is used, which traces do not have.

use std::collections::BTreeMap;

use neuralbo::study::GainForecast;

use super::document::ReportTable;
use crate::runner::RunTrace;

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
pub fn table<'a>(title: &str, traces: impl Iterator<Item = &'a RunTrace>) -> Option<ReportTable> {
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
    use crate::runner::TraceRow;
    use crate::runner::testing::trace;

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
        assert!(table("BBOB", [&run].into_iter()).is_some());
        run.rows.iter_mut().for_each(|row| row.mean = None);
        assert!(table("BBOB", [&run].into_iter()).is_none());
    }
}
