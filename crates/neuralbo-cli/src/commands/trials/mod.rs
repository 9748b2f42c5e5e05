//! `neuralbo trials`.

mod cells;
mod listed;

pub use listed::Listed;

use clap::Args;
use neuralbo_store::Access;

use crate::output::{CommandError, EXIT_OK, print_data};
use crate::run::args::{StorageArgs, count};

const EXAMPLES: &str = "\
Examples:
  neuralbo trials tuning
  neuralbo trials tuning --top 10
  neuralbo trials tuning --sort -duration --columns number,value,duration,lr
  neuralbo trials tuning --format csv > trials.csv

Columns: number, state, one for each measured quantity, feasible (with outcome constraints), front (with several objectives), last,
duration, suggest_ms, origin, mean, sd, worker, one for each parameter; and last_step, attempt, asked, started, finished, message.";

/// Show the trials of a stored study.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TrialsCommand {
    /// The study
    study: String,
    #[command(flatten)]
    storage: StorageArgs,
    /// How to print them
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// The columns, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Option<Vec<String>>,
    /// Sort by a column, descending with a minus sign [default: by number]
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    sort: Option<String>,
    /// Show only the first rows: the best trials, unless --sort is given
    #[arg(long, value_name = "N", value_parser = count(1..=u64::MAX))]
    top: Option<u64>,
}

/// How trials are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people; tab-separated and with all digits if it does not go to a terminal.
    Table,
    /// A header and one row per trial.
    Csv,
    /// One JSON array, intermediate values included.
    Json,
}

impl TrialsCommand {
    /// Prints one row per trial.
    pub fn execute(self) -> Result<u8, CommandError> {
        let format = if self.json { Format::Json } else { self.format };
        if format == Format::Json && self.columns.is_some() {
            return Err(CommandError::usage(
                "--columns",
                "JSON always has all columns; use it with --format table or csv",
            ));
        }
        let (store, record) = self.storage.study(&self.study, Access::Read)?;
        let mut listed = Listed::read(store.as_ref(), &record)?;
        match (&self.sort, self.top) {
            (Some(column), _) => listed.sort(column)?,
            (None, Some(_)) => listed.best_first(),
            (None, None) => {}
        }
        listed.keep(self.top);
        let columns = listed.columns(self.columns.as_deref())?;
        match format {
            Format::Json => listed.print_json()?,
            Format::Csv => print_data(&listed.csv_of(&columns)?)?,
            Format::Table => print_data(&listed.table(&columns, self.columns.is_some()))?,
        }
        Ok(EXIT_OK)
    }
}
