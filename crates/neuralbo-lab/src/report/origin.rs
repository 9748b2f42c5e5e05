//! Where and when the results were made.

use super::document::{Document, ReportTable};
use super::format::seconds;
use super::methods::grid_nu;
use super::results::Results;
use crate::runner::{Manifest, distinct};

/// The experiments, their sizes, machines and times.
pub fn describe(document: &mut Document, experiments: &[Results]) {
    document.text(
        "All methods of a run start from the same initial points and meet the same noise; values are the best true (noise-free) \
         values. Method names are those of `neuralbo methods`.",
    );
    let has_grid = |results: &Results| {
        let methods = results.manifest.methods.iter();
        methods.filter(|method| grid_nu(method).is_some()).count() > 1
    };
    if experiments.iter().any(has_grid) {
        document.text(
            "neuralbo-paper is shown with one ν of the grid per problem, which its first runs on the original choose.",
        );
    }
    let columns =
        "experiment,profile,problems,methods,runs,evaluations,version,machine,started,time";
    let mut table = ReportTable::new("What was run.", &[]).with(columns.split(','));
    for results in experiments {
        let manifest = &results.manifest;
        let work: f64 = results
            .traces
            .iter()
            .map(|trace| trace.header.seconds)
            .sum();
        let started = manifest
            .sessions
            .iter()
            .map(|session| &session.started)
            .min();
        let versions = manifest
            .sessions
            .iter()
            .map(|session| session.version.clone());
        let cells = [
            results.problems().len().to_string(),
            manifest.methods.len().to_string(),
            results.most_runs().to_string(),
            manifest.evaluations.to_string(),
            distinct(versions).join("; "),
            machines(manifest),
            started.cloned().unwrap_or_default(),
            seconds(work),
        ];
        table.row(
            &[results.experiment.run.name, manifest.profile.name()],
            cells,
        );
    }
    document.table(table);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::{LabSession, Machine, Profile};

    #[test]
    fn all_machines_of_merged_parts_are_named_once() {
        let session = |processor: &str| LabSession {
            started: String::new(),
            version: String::new(),
            commit: String::new(),
            machine: Machine {
                processor: Some(processor.into()),
                cores: 4,
                ..Machine::this()
            },
            command: Vec::new(),
            jobs: 1,
            shard: None,
            seconds: None,
        };
        let manifest = Manifest {
            experiment: "push".into(),
            profile: Profile::Quick,
            evaluations: 1,
            facts: serde_json::Value::Null,
            problems: Vec::new(),
            methods: Vec::new(),
            runs: 1,
            sessions: ["big", "small", "big"].map(session).into(),
        };
        assert_eq!(machines(&manifest), "big, 4 cores; small, 4 cores");
    }
}
