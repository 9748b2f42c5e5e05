//! `neuralbo export`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use neuralbo_store::{Access, export_study};

use super::trials::Listed;
use crate::output::{CommandError, EXIT_OK, print_json, wrote};
use crate::run::args::StorageArgs;

/// Write a stored study to a file: complete as JSON lines, or as CSV.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  neuralbo export tuning --output tuning.jsonl\n  neuralbo export tuning --format csv > tuning.csv"
)]
pub struct ExportCommand {
    /// The study
    study: String,
    #[command(flatten)]
    storage: StorageArgs,
    /// The form
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    format: ExportFormat,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print a JSON object with a summary
    #[arg(long, requires = "output")]
    json: bool,
}

/// Forms of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ExportFormat {
    /// One JSON object per line: the study, then its trials.
    Jsonl,
    /// One row per trial.
    Csv,
}

impl ExportCommand {
    /// Writes the study.
    pub fn execute(self) -> Result<u8, CommandError> {
        let (store, record) = self.storage.study(&self.study, Access::Read)?;
        let mut writer = self.writer()?;
        let mut lines = 0_u64;
        match self.format {
            ExportFormat::Csv => self.wrote(
                writer.write_all(Listed::read(store.as_ref(), &record)?.csv()?.as_bytes()),
            )?,
            ExportFormat::Jsonl => export_study(store.as_ref(), &record, |line| {
                lines += 1;
                self.wrote(writeln!(writer, "{line}"))
            })?,
        }
        self.wrote(writer.flush())?;
        if self.json {
            print_json(
                &serde_json::json!({ "study": record.name, "lines": lines, "output": self.output }),
            )?;
        }
        Ok(EXIT_OK)
    }

    fn writer(&self) -> Result<Box<dyn Write>, CommandError> {
        Ok(match &self.output {
            None => Box::new(BufWriter::new(std::io::stdout().lock())),
            Some(path) => {
                let file = File::create(path);
                let file = file.map_err(|error| CommandError::unwritten(path, &error));
                Box::new(BufWriter::new(file?))
            }
        })
    }

    /// A reader of standard output that has gone away is not an error of ours.
    fn wrote(&self, result: std::io::Result<()>) -> Result<(), CommandError> {
        match &self.output {
            None => wrote("standard output", result),
            Some(path) => result.map_err(|error| CommandError::unwritten(path, &error)),
        }
    }
}
