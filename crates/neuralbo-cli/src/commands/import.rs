//! `neuralbo import`.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;
use neuralbo::store::all_trials;
use neuralbo::strategy::presets::DEFAULT_METHOD;
use neuralbo::study::strategy_of;
use neuralbo_store::{Access, ImportError, Imported, read_export, read_optuna};
use serde_json::json;

use crate::output::{CommandError, OrCommandError, answer, counted};
use crate::run::args::StorageArgs;
use crate::run::known;

const EXAMPLE: &str = "\
Examples:
  neuralbo import tuning.jsonl                             (what `neuralbo export` wrote)
  neuralbo import optuna.db --from-study resnet --study tuning --method cma-es
  neuralbo import results.csv --study tuning               (known results for a study that exists)";

/// Import a study: an export, an Optuna SQLite storage, or a CSV file of known results.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct ImportCommand {
    /// The file: .jsonl, .csv, or .db, .sqlite, .sqlite3 for an Optuna storage
    file: PathBuf,
    #[command(flatten)]
    storage: StorageArgs,
    /// The new name of the study [default: its name in the file]
    #[arg(long, value_name = "NAME")]
    study: Option<String>,
    /// The study of an Optuna storage [default: the only one]
    #[arg(long, value_name = "NAME")]
    from_study: Option<String>,
    /// The method of a study from Optuna (see `neuralbo methods`)
    #[arg(long, value_name = "NAME", default_value = DEFAULT_METHOD)]
    method: String,
    /// Add known results of a CSV file even if the study has them already
    #[arg(long)]
    again: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What became of a file.
struct ImportCounts {
    study: String,
    /// Trials that were added.
    trials: usize,
    /// Rows and trials that do not fit the study.
    left_out: u64,
    /// Known results that the study had already.
    present: usize,
}

impl ImportCommand {
    /// Reads the file and stores the study.
    pub fn execute(self) -> Result<u8, CommandError> {
        let extension = self.file.extension();
        let ImportCounts {
            study,
            trials,
            left_out,
            present,
        } = match extension.and_then(|extension| extension.to_str()) {
            Some("csv") => self.csv()?,
            Some("db" | "sqlite" | "sqlite3") => self.store(&self.optuna()?)?,
            _ => self.store(&self.export()?)?,
        };
        let data =
            json!({ "study": study, "trials": trials, "left_out": left_out, "present": present });
        let present = match present {
            0 => String::new(),
            count => format!(", {count} already in the study"),
        };
        let trials = counted(trials as u64, "trial");
        let text = format!("study `{study}`: {trials}, {left_out} skipped{present}\n");
        answer(self.json, &data, &text)
    }

    fn store(&self, imported: &Imported) -> Result<ImportCounts, CommandError> {
        let name = self.study.as_deref().unwrap_or(&imported.name);
        let record = imported.store(self.storage.open(Access::Create)?.as_ref(), name)?;
        Ok(ImportCounts {
            study: record.name,
            trials: imported.trials.len(),
            left_out: imported.left_out,
            present: 0,
        })
    }

    /// Results that the study has already are not added once more, unless that is asked for.
    fn csv(&self) -> Result<ImportCounts, CommandError> {
        let missing = "known results require the name of an existing study";
        let name = self.study.as_deref().ok_or(missing).or_usage("--study")?;
        let (store, record) = self.storage.study(name, Access::Write)?;
        let definition = &record.definition;
        let known = known::read(&self.file, &definition.space, &definition.measured())?;
        let results = known.results;
        let new = match self.again {
            true => results.clone(),
            false => {
                let trials = all_trials(store.as_ref(), record.id)?;
                known::missing(definition, &results, &trials)
            }
        };
        if new.is_empty() && !results.is_empty() {
            let (file, count, study) = (self.file.display(), results.len(), &record.name);
            let text = format!(
                "`{file}`: study `{study}` already has all {count} results; --again adds them again"
            );
            return Err(CommandError::Usage(text));
        }
        store.add(record.id, &known::trials(&new))?;
        Ok(ImportCounts {
            study: record.name,
            trials: new.len(),
            left_out: known.skipped,
            present: results.len() - new.len(),
        })
    }

    fn optuna(&self) -> Result<Imported, CommandError> {
        let mut imported = read_optuna(&self.file, self.from_study.as_deref())
            .map_err(|error| self.wrong(&error))?;
        for definition in &mut imported.definitions {
            definition.method = self.method.clone();
            strategy_of(definition, &neuralbo_paper::registry())?;
        }
        Ok(imported)
    }

    fn export(&self) -> Result<Imported, CommandError> {
        let file = File::open(&self.file)
            .map_err(|error| self.wrong(&ImportError::NoStudy(error.to_string())))?;
        let imported = read_export(BufReader::new(file)).map_err(|error| self.wrong(&error))?;
        for definition in &imported.definitions {
            strategy_of(definition, &neuralbo_paper::registry())?;
        }
        Ok(imported)
    }

    fn wrong(&self, error: &ImportError) -> CommandError {
        CommandError::Usage(format!("`{}`: {error}", self.file.display()))
    }
}
