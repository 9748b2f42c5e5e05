//! Where and when the results were made.

use super::document::{Document, ReportTable};
use super::format::seconds;
use super::results::Results;

/// The experiments, their sizes, machines and times.
pub fn describe(document: &mut Document, experiments: &[Results]) {
    document.text(
        "All methods of a run start from the same initial points and meet the same noise; values are the best true (noise-free) \
         values. Method names are those of `neuralbo methods`; neuralbo-paper ran with ν = 0.1, 1 and 10 and is shown with the best of \
         them per problem, as the paper's grid search did.",
    );
    let columns =
        "experiment,profile,problems,methods,runs,evaluations,version,machine,started,time";
    let mut table = ReportTable::new("What was run.", &[]).with(columns.split(','));
    for results in experiments {
        let manifest = &results.manifest;
        let last = manifest.sessions.last();
        let machine = last.map_or(String::new(), |session| {
            let machine = &session.machine;
            let processor = machine.processor.as_ref().unwrap_or(&machine.system);
            format!("{processor}, {} cores", machine.cores)
        });
        let work: f64 = results
            .traces
            .iter()
            .map(|trace| trace.header.seconds)
            .sum();
        let started = manifest.sessions.first();
        let cells = [
            results.problems().len().to_string(),
            manifest.methods.len().to_string(),
            results.most_runs().to_string(),
            manifest.evaluations.to_string(),
            last.map_or(String::new(), |session| session.version.clone()),
            machine,
            started.map_or(String::new(), |session| session.started.clone()),
            seconds(work),
        ];
        table.row(
            &[results.experiment.run.name, manifest.profile.name()],
            cells,
        );
    }
    document.table(table);
}
