//! Where and when the results were made.

use super::document::{Document, Table};
use super::format::seconds;
use super::results::Results;

/// The experiments, their sizes, machines and times.
pub fn describe(document: &mut Document, experiments: &[Results]) {
    document.text(
        "All methods of a run start from the same initial points and meet the same noise; values are the best true (noise-free) \
         values. Method names are those of `neuralbo methods`; neuralbo-paper ran with ν = 0.1, 1 and 10 and is shown with the best of \
         them per problem, as the paper's grid search did.",
    );
    let columns = [
        "experiment",
        "profile",
        "problems",
        "methods",
        "runs",
        "evaluations",
        "version",
        "machine",
        "started",
        "time",
    ];
    let mut table = Table::new("What was run.", columns);
    for results in experiments {
        let manifest = &results.manifest;
        let last = manifest.sessions.last();
        let machine = last.map_or(String::new(), |session| {
            let machine = &session.machine;
            format!(
                "{}, {} cores",
                machine.processor.as_deref().unwrap_or(&machine.system),
                machine.cores
            )
        });
        let work: f64 = results
            .traces
            .iter()
            .map(|trace| trace.header.seconds)
            .sum();
        table.row(vec![
            results.experiment.name().into(),
            manifest.profile.name().into(),
            results.problems().len().to_string().into(),
            manifest.methods.len().to_string().into(),
            results.most_runs().to_string().into(),
            manifest.evaluations.to_string().into(),
            last.map_or("", |session| session.version.as_str()).into(),
            machine.into(),
            manifest
                .sessions
                .first()
                .map_or("", |session| session.started.as_str())
                .into(),
            seconds(work).into(),
        ]);
    }
    document.table(table);
}
