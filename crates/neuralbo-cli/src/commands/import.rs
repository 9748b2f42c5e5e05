//! `neuralbo import`.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;
use neuralbo::strategy::presets::{DEFAULT_METHOD, Registry};
use neuralbo_store::{ImportError, Imported, read_export, read_optuna};
use serde_json::json;

use crate::exit::{CommandError, EXIT_OK};
use crate::output::{print, print_json};
use crate::run::args::StorageArgs;
use crate::run::known;

const EXAMPLE: &str = "\
Examples:
  neuralbo import tuning.jsonl                             (what `neuralbo export` wrote)
  neuralbo import optuna.db --from-study resnet --study tuning --method cma-es
  neuralbo import results.csv --study tuning               (known results for a study that exists)";

/// Bring a study into a storage: an export, an Optuna SQLite storage, or a CSV of known results.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct ImportCommand {
    /// The file: .jsonl, .csv, or .db, .sqlite, .sqlite3 for Optuna's
    file: PathBuf,
    #[command(flatten)]
    storage: StorageArgs,
    /// The study's name here [default: its name there]
    #[arg(long, value_name = "NAME")]
    study: Option<String>,
    /// Which study of an Optuna storage [default: the only one]
    #[arg(long, value_name = "NAME")]
    from_study: Option<String>,
    /// How a study from Optuna goes on (see `neuralbo methods`)
    #[arg(long, value_name = "NAME", default_value = DEFAULT_METHOD)]
    method: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl ImportCommand {
    /// Reads the file and stores the study.
    pub fn execute(self) -> Result<u8, CommandError> {
        let (study, trials, left_out) = match self.file.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => self.csv()?,
            Some("db" | "sqlite" | "sqlite3") => self.store(&self.optuna()?)?,
            _ => self.store(&self.export()?)?,
        };
        if self.json {
            print_json(&json!({ "study": study, "trials": trials, "left_out": left_out }))?;
        } else {
            print(&format!("study `{study}`: {trials} trials, {left_out} left out\n"))?;
        }
        Ok(EXIT_OK)
    }

    fn store(&self, imported: &Imported) -> Result<(String, usize, u64), CommandError> {
        let name = self.study.as_deref().unwrap_or(&imported.name);
        let record = imported.store(self.storage.open()?.as_ref(), name)?;
        Ok((record.name, imported.trials.len(), imported.left_out))
    }

    fn csv(&self) -> Result<(String, usize, u64), CommandError> {
        let missing = || CommandError::usage("--study", "known results need a study that exists; name it");
        let (store, record) = self.storage.study(self.study.as_deref().ok_or_else(missing)?)?;
        let known = known::read(&self.file, &record.definition.space)?;
        store.add(record.id, &known::trials(&record.definition, &known))?;
        Ok((record.name, known.len(), 0))
    }

    fn optuna(&self) -> Result<Imported, CommandError> {
        let mut imported = read_optuna(&self.file, self.from_study.as_deref()).map_err(|error| self.wrong(&error))?;
        for definition in &mut imported.definitions {
            definition.method = self.method.clone();
            definition.strategy(&Registry::standard())?;
        }
        Ok(imported)
    }

    fn export(&self) -> Result<Imported, CommandError> {
        let file = File::open(&self.file).map_err(|error| self.wrong(&ImportError::NoStudy(error.to_string())))?;
        read_export(BufReader::new(file)).map_err(|error| self.wrong(&error))
    }

    fn wrong(&self, error: &ImportError) -> CommandError {
        CommandError::Usage(format!("`{}`: {error}", self.file.display()))
    }
}
