//! `neuralbo report`.

use std::path::PathBuf;

use clap::Args;
use neuralbo_store::Access;

use crate::output::{CommandError, EXIT_OK, say};
use crate::run::args::StorageArgs;

/// Write a study as a single self-contained page, for mail and archives.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  neuralbo report tuning -o tuning.html")]
pub struct ReportCommand {
    /// The study
    study: String,
    #[command(flatten)]
    storage: StorageArgs,
    /// The file to write [default: the study's name with .html]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl ReportCommand {
    /// Writes the page.
    pub fn execute(self) -> Result<u8, CommandError> {
        let (store, record) = self.storage.study(&self.study, Access::Watch)?;
        let page = neuralbo_dashboard::report(store, &record.name)?;
        let file = self.output.unwrap_or_else(|| file_name(&record.name));
        let written = std::fs::write(&file, &page);
        written.map_err(|error| CommandError::unwritten(&file, &error))?;
        let megabytes = page.len() as f64 / 1e6;
        say(&format!("{}: {megabytes:.1} MB", file.display()));
        Ok(EXIT_OK)
    }
}

/// The name of a study as that of a file.
fn file_name(study: &str) -> PathBuf {
    let special = |c: char| !c.is_alphanumeric() && !"-_.".contains(c);
    let name = study.replace(special, "_");
    format!("{}.html", name.trim_start_matches('.')).into()
}
