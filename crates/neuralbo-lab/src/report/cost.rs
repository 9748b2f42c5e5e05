//! Time per suggestion.

use std::collections::BTreeMap;

use super::document::{Document, ReportTable};
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
    let columns = ["experiment", "dimension", "method", "mean", "at the end"];
    let mut table = ReportTable::new("Time per suggestion.", &columns).with(["evaluations"]);
    // Times of another process include the protocol.
    let timed = |results: &&Results| !results.experiment.run.own_processes;
    for results in experiments.iter().filter(timed) {
        for ((dim, method), runs) in grouped(results) {
            let times =
                |part| -> Vec<f64> { runs.iter().map(|run| mean_seconds(run, part)).collect() };
            let [all, end] = [1.0, END].map(|part| seconds(mean(&times(part))));
            let evaluations = runs.iter().map(|run| run.header.evaluations);
            let longest = evaluations.max().unwrap_or(0).to_string();
            let words = [results.experiment.run.name, &dim.to_string(), method];
            table.row(&words, [all, end, longest]);
        }
    }
    document.table(table);
}

fn grouped(results: &Results) -> BTreeMap<(usize, &str), Vec<&RunTrace>> {
    let mut groups: BTreeMap<(usize, &str), Vec<&RunTrace>> = BTreeMap::new();
    for trace in results.finished() {
        let group = (trace.header.dim, trace.header.method.as_str());
        groups.entry(group).or_default().push(trace);
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
