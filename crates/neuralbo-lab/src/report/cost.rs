//! Time per suggestion.

use std::collections::BTreeMap;

use super::document::{Cell, Document, Table};
use super::format::seconds;
use super::results::Results;
use crate::runner::RunTrace;
use crate::stats::mean;

/// The part of a run that counts as its end.
const END: f64 = 0.1;

/// Adds the section.
pub fn report(document: &mut Document, experiments: &[Results]) {
    document.section("Time per suggestion");
    document.text(
        "Wall time that a method took to choose a point, each run on one thread: the mean over a run, and over its last tenth. Runs \
         shared the machine as stated above.",
    );
    let mut table = Table::new(
        "Time per suggestion.",
        [
            "experiment",
            "dimension",
            "method",
            "mean",
            "at the end",
            "evaluations",
        ],
    );
    for results in experiments
        .iter()
        .filter(|results| results.experiment.timed())
    {
        for ((dim, method), runs) in grouped(results) {
            let all: Vec<f64> = runs.iter().map(|run| mean_seconds(run, 1.0)).collect();
            let end: Vec<f64> = runs.iter().map(|run| mean_seconds(run, END)).collect();
            let longest = runs
                .iter()
                .map(|run| run.header.evaluations)
                .max()
                .unwrap_or(0);
            let name = results.experiment.name();
            let texts = [
                dim.to_string(),
                method.to_owned(),
                seconds(mean(&all)),
                seconds(mean(&end)),
                longest.to_string(),
            ];
            table.row(
                [Cell::from(name)]
                    .into_iter()
                    .chain(texts.map(Cell::from))
                    .collect(),
            );
        }
    }
    document.table(table);
}

fn grouped(results: &Results) -> BTreeMap<(usize, &str), Vec<&RunTrace>> {
    let mut groups: BTreeMap<(usize, &str), Vec<&RunTrace>> = BTreeMap::new();
    for trace in results
        .traces
        .iter()
        .filter(|trace| trace.header.error.is_none())
    {
        groups
            .entry((trace.header.dim, &trace.header.method))
            .or_default()
            .push(trace);
    }
    groups
}

/// Mean time of the last part of a run, at least of one suggestion.
fn mean_seconds(trace: &RunTrace, part: f64) -> f64 {
    let times: Vec<f64> = trace
        .rows
        .iter()
        .filter(|row| row.evaluation > 0)
        .map(|row| row.seconds)
        .collect();
    let count = ((times.len() as f64 * part).round() as usize).clamp(1, times.len().max(1));
    mean(&times[times.len().saturating_sub(count)..])
}
