//! `neuralbo studies`.

use clap::Args;
use comfy_table::Table;
use neuralbo::store::{Store, StudyRecord};
use serde_json::{Value, json};

use crate::exit::{CommandError, EXIT_OK};
use crate::output::{cell, print, print_json, time};
use crate::run::args::StorageArgs;
use crate::run::summary::Best;

/// List the studies of a storage.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  neuralbo studies --storage postgres://me@db.example.org/studies")]
pub struct StudiesCommand {
    #[command(flatten)]
    storage: StorageArgs,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

impl StudiesCommand {
    /// Prints one row a study.
    pub fn execute(self) -> Result<u8, CommandError> {
        let store = self.storage.open()?;
        let studies = store.studies()?;
        if self.json {
            let rows = studies.iter().map(|study| row_json(store.as_ref(), study)).collect::<Result<Vec<_>, _>>()?;
            print_json(&rows)?;
            return Ok(EXIT_OK);
        }
        let mut table = Table::new();
        table.load_style(comfy_table::presets::UTF8_BORDERS_ONLY);
        table.set_header(["study", "method", "direction", "trials", "running", "failed", "pruned", "best", "made (UTC)"]);
        for study in &studies {
            table.add_row(row(store.as_ref(), study)?.iter().map(|text| cell(text)));
        }
        print(&format!("{table}\n"))?;
        Ok(EXIT_OK)
    }
}

/// The best trial of a study.
pub fn best(store: &dyn Store, study: &StudyRecord) -> Result<Option<Best>, CommandError> {
    Ok(store.best(study.id)?.and_then(|trial| Best::new(&study.definition, &trial, |_| None)))
}

fn row(store: &dyn Store, study: &StudyRecord) -> Result<Vec<String>, CommandError> {
    let counts = store.counts(study.id)?;
    let done = counts.finished() - counts.known;
    let trials = study.limits.trials.map_or(done.to_string(), |limit| format!("{done}/{limit}"));
    let best = best(store, study)?.map_or(String::new(), |best| best.value.to_string());
    let direction = study.definition.direction().to_string();
    let numbers = [counts.running, counts.failed, counts.pruned].map(|count| count.to_string());
    let mut row = vec![study.name.clone(), study.definition.method.clone(), direction, trials];
    row.extend(numbers);
    row.extend([best, time(study.created_ms)]);
    Ok(row)
}

fn row_json(store: &dyn Store, study: &StudyRecord) -> Result<Value, CommandError> {
    let (counts, best) = (store.counts(study.id)?, best(store, study)?);
    Ok(json!({
        "study": study.name,
        "method": study.definition.method,
        "direction": study.definition.direction(),
        "version": study.version,
        "seed": study.definition.seed,
        "limits": study.limits,
        "counts": counts,
        "best": best,
        "created_ms": study.created_ms,
    }))
}
