//! `neuralbo studies`.

use clap::Args;
use neuralbo::store::{Counts, Store, StudyRecord};
use neuralbo_store::Access;
use serde_json::{Value, json};

use crate::color::TextStyle;
use crate::output::{CommandError, exit_code, print_data, print_json, say, time};
use crate::run::args::StorageArgs;
use crate::run::front::log;
use crate::run::summary::BestTrial;
use crate::table::{TextTable, shown_or_exact};

const CREATED: &str = "created (UTC)";

/// List the studies of a storage.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  neuralbo studies --storage postgres://me@db.example.org/studies"
)]
pub struct StudiesCommand {
    #[command(flatten)]
    storage: StorageArgs,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

impl StudiesCommand {
    /// Prints one row per study.
    pub fn execute(self) -> Result<u8, CommandError> {
        let store = self.storage.open(Access::Read)?;
        let names = store.study_names()?;
        let read = |name: &String| StudyRow::read(store.as_ref(), name);
        let found: Vec<Result<StudyRow, Unreadable>> = names.iter().map(read).collect();
        if self.json {
            let rows = found.iter().map(|found| match found {
                Ok(row) => row.json(),
                Err(Unreadable { name, reason }) => json!({ "study": name, "error": reason }),
            });
            print_json(&rows.collect::<Vec<Value>>())?;
        } else {
            print_data(&table(&found))?;
        }
        let unreadable = found.iter().filter_map(|found| found.as_ref().err());
        for Unreadable { name, reason } in unreadable {
            say(&format!("error: study `{name}`: {reason}"));
        }
        Ok(exit_code(found.iter().all(Result::is_ok)))
    }
}

/// A study with its figures.
struct StudyRow {
    study: StudyRecord,
    counts: Counts,
    best: Option<BestTrial>,
    /// How many trials are on the Pareto front of several objectives.
    front: Option<usize>,
}

/// A study that cannot be read; the others can.
struct Unreadable {
    name: String,
    reason: String,
}

impl StudyRow {
    fn read(store: &dyn Store, name: &str) -> Result<Self, Unreadable> {
        let read = || -> Result<Self, CommandError> {
            let study = store.study(name)?;
            let several = study.definition.is_multi_objective();
            let log = several.then(|| log(store, &study)).transpose()?;
            let front = log.map(|log| log.front().len());
            let best = if several { None } else { store.best(study.id)? };
            let best = best.and_then(|trial| BestTrial::new(&study.definition, &trial, |_| None));
            Ok(Self {
                counts: store.counts(study.id)?,
                best,
                front,
                study,
            })
        };
        read().map_err(|error| Unreadable {
            name: name.to_owned(),
            reason: error.to_string(),
        })
    }

    fn cells(&self) -> Vec<String> {
        let Self {
            study,
            counts,
            best,
            front,
        } = self;
        // Imported and known trials are trials of the study, but do not count for its limit.
        let limit = study.limits.trials.map(|limit| limit + counts.known);
        let limit = limit.map_or(String::new(), |limit| limit.to_string());
        let best = best.as_ref();
        let best = best.map_or(String::new(), |best| shown_or_exact(best.value));
        let best = front.map_or(best, |size| format!("{size} on the front"));
        let definition = &study.definition;
        let objectives = definition.objectives.iter().map(ToString::to_string);
        let direction = match front {
            Some(_) => objectives.collect::<Vec<_>>().join(", "),
            None => definition.direction().to_string(),
        };
        vec![
            study.name.clone(),
            definition.method.clone(),
            direction,
            counts.finished().to_string(),
            limit,
            counts.running.to_string(),
            counts.failed.to_string(),
            counts.pruned.to_string(),
            best,
            time(study.created_ms),
        ]
    }

    fn json(&self) -> Value {
        let study = &self.study;
        json!({
            "study": study.name,
            "method": study.definition.method,
            "direction": study.definition.direction(),
            "objectives": study.definition.objectives,
            "outcome_constraints": study.definition.outcome_constraints,
            "version": study.version,
            "seed": study.definition.seed,
            "limits": study.limits,
            "counts": self.counts,
            "best": self.best,
            "front": self.front,
            "created_ms": study.created_ms,
        })
    }
}

fn table(found: &[Result<StudyRow, Unreadable>]) -> String {
    let header = [
        "study",
        "method",
        "direction",
        "trials",
        "limit",
        "running",
        "failed",
        "pruned",
        "best",
        CREATED,
    ];
    let mut table = TextTable::new(header).right(3..=8);
    for study in found {
        match study {
            Ok(study) => table.row(study.cells()),
            Err(study) => table.styled(TextStyle::Bad, [study.name.as_str(), "cannot be read"]),
        }
    }
    table.text(&[CREATED, "method", "running", "direction", "pruned"])
}
