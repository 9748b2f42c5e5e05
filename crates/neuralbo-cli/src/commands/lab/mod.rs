//! `neuralbo lab`: measurements and experiments.

mod overhead;

use clap::{Args, Subcommand};

use crate::exit::CommandError;

/// Measure the methods.
#[derive(Debug, Args)]
pub struct LabCommand {
    #[command(subcommand)]
    command: LabSubcommand,
}

#[derive(Debug, Subcommand)]
enum LabSubcommand {
    Overhead(overhead::OverheadCommand),
}

impl LabCommand {
    /// Does what was asked for and returns the exit code.
    pub fn execute(self) -> Result<u8, CommandError> {
        match self.command {
            LabSubcommand::Overhead(command) => command.execute(),
        }
    }
}
