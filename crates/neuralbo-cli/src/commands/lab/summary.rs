//! `neuralbo lab summary`: a few numbers per run.

use std::path::PathBuf;

use clap::Args;
use neuralbo_lab::experiments::EXPERIMENTS;
use neuralbo_lab::report::run_summary;

use crate::commands::print;
use crate::output::{CommandError, EXIT_OK, OrCommandError};

const EXAMPLE: &str = "\
Writes OUT/EXPERIMENT.csv.gz, one line per run with its best values after 0, 1, 2, 5, 10, 20, 50 and 100 % of the evaluations, and
OUT/EXPERIMENT.json, the manifest. Traces hold much more and may be kept elsewhere.

Example:
  neuralbo lab summary lab-results --out results/reproduction";

/// Write the best values of all runs at a few evaluations as CSV.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct SummaryCommand {
    /// The folder with the results
    #[arg(value_name = "DIR", default_value = "lab-results")]
    folder: PathBuf,
    /// Where the files are written [default: DIR/summary]
    #[arg(long, value_name = "OUT")]
    out: Option<PathBuf>,
}

impl SummaryCommand {
    /// Reads the traces, writes the files and names them.
    pub fn execute(self) -> Result<u8, CommandError> {
        let out = self.out.unwrap_or_else(|| self.folder.join("summary"));
        let files = run_summary::write(&self.folder, &out, EXPERIMENTS).or_usage("DIR")?;
        let lines: Vec<String> = files
            .iter()
            .map(|file| format!("{}\n", file.display()))
            .collect();
        print(&lines.concat())?;
        Ok(EXIT_OK)
    }
}
