//! `neuralbo lab report`: figures and tables from results.

use std::path::PathBuf;

use clap::Args;
use neuralbo_lab::experiments::EXPERIMENTS;
use neuralbo_lab::report;

use crate::commands::print;
use crate::output::{CommandError, EXIT_OK, OrCommandError};

const EXAMPLE: &str = "\
Reads what `neuralbo lab run --out DIR` has left and writes DIR/report.html (one page that needs nothing else), DIR/report.md and
its figures, DIR/figures/*.svg.

Example:
  neuralbo lab report lab-results";

/// Write figures and tables of results as a page and as Markdown.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct LabReportCommand {
    /// The folder with the results
    #[arg(value_name = "DIR", default_value = "lab-results")]
    folder: PathBuf,
}

impl LabReportCommand {
    /// Reads, computes and writes.
    pub fn execute(self) -> Result<u8, CommandError> {
        let document = report::document(&self.folder, EXPERIMENTS).or_usage("DIR")?;
        report::write(&document, &self.folder)
            .map_err(|error| CommandError::Failure(error.to_string()))?;
        print(&format!("{}\n", self.folder.join("report.html").display()))?;
        Ok(EXIT_OK)
    }
}
