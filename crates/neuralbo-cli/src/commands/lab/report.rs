//! `neuralbo lab report`: figures and tables from results.

use std::path::PathBuf;

use clap::Args;
use neuralbo_lab::experiments::EXPERIMENTS;
use neuralbo_lab::report::{self, PeerRuns};

use crate::commands::print;
use crate::output::{CommandError, EXIT_OK};

/// Where recorded runs of others are looked for when no file is named.
const PEERS: [&str; 2] = [
    "../shared/peers/bbob_20d.csv.gz",
    "shared/peers/bbob_20d.csv.gz",
];

const EXAMPLE: &str = "\
Reads what `neuralbo lab run --out DIR` has left and writes DIR/report.html (one page that needs nothing else), DIR/report.md and
its figures, DIR/figures/*.svg.

Example:
  neuralbo lab report lab-results --peers bbob_20d.csv.gz";

/// Write figures and tables of results as a page and as Markdown.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct LabReportCommand {
    /// The folder with the results
    #[arg(value_name = "DIR", default_value = "lab-results")]
    folder: PathBuf,
    /// Recorded runs of other optimizers on BBOB: CSV with optimizer, dim, function, instance, evaluation, gap, or such a file
    /// compressed by gzip [default: ../shared/peers/bbob_20d.csv.gz where it is]
    #[arg(long, value_name = "FILE")]
    peers: Option<PathBuf>,
}

impl LabReportCommand {
    /// Reads, computes and writes.
    pub fn execute(self) -> Result<u8, CommandError> {
        let peers = self.peers()?;
        let document = report::document(&self.folder, EXPERIMENTS, peers.as_ref())
            .map_err(|error| CommandError::usage("DIR", error))?;
        report::write(&document, &self.folder)
            .map_err(|error| CommandError::Failure(error.to_string()))?;
        print(&format!("{}\n", self.folder.join("report.html").display()))?;
        Ok(EXIT_OK)
    }

    fn peers(&self) -> Result<Option<PeerRuns>, CommandError> {
        let found = || PEERS.iter().map(PathBuf::from).find(|path| path.is_file());
        let Some(path) = self.peers.clone().or_else(found) else {
            return Ok(None);
        };
        let read = PeerRuns::read(&path);
        read.map(Some)
            .map_err(|error| CommandError::usage("--peers", format!("{}: {error}", path.display())))
    }
}
