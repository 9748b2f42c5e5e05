//! Where and when the results were made, how long the methods took, and what went wrong.

use std::collections::BTreeMap;

use super::document::{Document, ReportTable};
use super::format::seconds;
use super::methods::grid_nu;
use super::results::Results;
use crate::runner::{Manifest, RunTrace, distinct};
use crate::stats::mean;

/// The experiments, their sizes, machines and times.
pub fn describe(document: &mut Document, experiments: &[Results]) {
    document.text(format!(
        "{} Where there is noise, all methods of a run meet the same; values are the best true (noise-free) values. Method names are \
         those of `neuralbo methods`.",
        designs(experiments)
    ));
    let has_grid = |results: &Results| {
        let methods = results.manifest.methods.iter();
        methods.filter(|method| grid_nu(method).is_some()).count() > 1
    };
    if experiments.iter().any(has_grid) {
        document.text(
            "neuralbo-paper is shown with one ν of the grid per problem, which its first runs on the original choose.",
        );
    }
    let columns = "experiment,profile,problems,methods,runs,evaluations,version,machine,started,time of all runs";
    let mut table = ReportTable::new("What was run.", &[]).with(columns.split(','));
    for results in experiments {
        let manifest = &results.manifest;
        let work = results.traces.iter().map(|trace| trace.header.seconds);
        let started = manifest.sessions.iter().map(|session| &session.started);
        let versions = (manifest.sessions.iter()).map(|session| session.version.clone());
        let cells = [
            results.problems().len().to_string(),
            manifest.methods.len().to_string(),
            results.most_runs().to_string(),
            manifest.evaluations.to_string(),
            distinct(versions).join("; "),
            machines(manifest),
            started.min().cloned().unwrap_or_default(),
            seconds(work.sum()),
        ];
        table.row(
            &[results.experiment.run.name, manifest.profile.name()],
            cells,
        );
    }
    document.table(table);
}

/// In which experiments the methods start from the same points.
fn designs(experiments: &[Results]) -> String {
    let shared = |results: &&Results| results.traces.iter().any(|trace| trace.header.initial > 0);
    let names = |of: Vec<&Results>| {
        let names = of.iter().map(|results| results.experiment.run.name);
        names.collect::<Vec<_>>().join(", ")
    };
    let (with, without): (Vec<&Results>, Vec<&Results>) = experiments.iter().partition(shared);
    match (with.is_empty(), without.is_empty()) {
        (true, _) => "Each method chooses its own initial points.".into(),
        (_, true) => "All methods of a run start from the same initial points.".into(),
        _ => format!(
            "In {} all methods of a run start from the same initial points, in {} each method chooses its own.",
            names(with),
            names(without)
        ),
    }
}

/// The machines of all sessions and parts.
fn machines(manifest: &Manifest) -> String {
    let machines = manifest.sessions.iter().map(|session| {
        let machine = &session.machine;
        let processor = machine.processor.as_ref().unwrap_or(&machine.system);
        format!("{processor}, {} cores", machine.cores)
    });
    distinct(machines).join("; ")
}

/// The part of a run that counts as its end.
const END: f64 = 0.1;

/// Adds the section on the time per suggestion.
pub fn times(document: &mut Document, experiments: &[Results]) {
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
    let chosen = trace.rows.iter().filter(|row| row.evaluation > 0);
    let times: Vec<f64> = chosen.map(|row| row.seconds).collect();
    let count = ((times.len() as f64 * part).round() as usize).clamp(1, times.len().max(1));
    mean(&times[times.len().saturating_sub(count)..])
}

/// Adds the section on runs that ended early and suggestions that were fallbacks.
pub fn failures(document: &mut Document, experiments: &[Results]) {
    document.section("Failures and fallbacks");
    let mut failed = ReportTable::new(
        "Runs that ended early; they are left out of all figures and tables.",
        &["experiment", "problem", "method", "run", "error"],
    );
    let mut fallbacks: BTreeMap<(&str, &str, &str), (usize, String)> = BTreeMap::new();
    for results in experiments {
        for trace in &results.traces {
            let header = &trace.header;
            if let Some(error) = &header.error {
                let words = [&*header.experiment, &header.problem, &header.method];
                failed.row(&words, [header.run.to_string(), error.clone()]);
            }
            let key = (&*header.experiment, &*header.problem, &*header.method);
            let origins = trace.rows.iter().map(|row| &row.origin);
            for origin in origins.filter(|origin| origin.starts_with("fallback")) {
                let (count, last) = fallbacks.entry(key).or_default();
                (*count, *last) = (*count + 1, origin.clone());
            }
        }
    }
    if failed.rows.is_empty() && fallbacks.is_empty() {
        document.text("None: every run went to its end and every model could be fitted.");
    }
    document.table(failed);
    let caption = "Space-filling points in place of a model's choice.";
    let columns = ["experiment", "problem", "method", "fallbacks"];
    let mut table = ReportTable::new(caption, &columns).with(["the last one"]);
    for ((experiment, problem, method), (count, why)) in fallbacks {
        table.row(&[experiment, problem, method], [count.to_string(), why]);
    }
    document.table(table);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::find;
    use crate::runner::manifests::{manifest, session};
    use crate::runner::testing::trace;

    fn results(experiment: &str, initial: u64) -> Results {
        let mut trace = trace();
        trace.header.initial = initial;
        Results {
            experiment: find(experiment).unwrap(),
            folder: Default::default(),
            manifest: manifest("random", 2),
            traces: vec![trace],
        }
    }

    /// Regression: the report of BBOB said that all methods start from the same points.
    #[test]
    fn shared_points_are_stated_where_there_are_any() {
        let (with, without) = (results("push", 15), results("bbob", 0));
        let text = designs(&[with.clone(), without.clone()]);
        assert!(
            text.starts_with("In push all") && text.contains("in bbob each"),
            "{text}"
        );
        assert!(designs(&[with]).starts_with("All methods"));
        assert!(designs(&[without]).starts_with("Each method"));
    }

    #[test]
    fn all_machines_of_merged_parts_are_named_once() {
        let mut manifest = manifest("random", 1);
        for processor in ["big", "small", "big"] {
            let mut session = session(None);
            (session.machine.processor, session.machine.cores) = (Some(processor.into()), 4);
            manifest.sessions.push(session);
        }
        assert_eq!(machines(&manifest), "big, 4 cores; small, 4 cores");
    }
}
