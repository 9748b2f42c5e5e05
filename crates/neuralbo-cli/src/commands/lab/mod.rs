//! `neuralbo lab`: measurements and experiments.

mod checkpoints;
mod eval;
mod list;
mod overhead;
mod progress;
mod report;
mod run;
mod serve;

use clap::{Args, Subcommand};

use crate::output::CommandError;

/// Measure the methods: problems, experiments and their report.
#[derive(Debug, Args)]
pub struct LabCommand {
    #[command(subcommand)]
    command: LabSubcommand,
}

#[derive(Debug, Subcommand)]
enum LabSubcommand {
    List(list::ListCommand),
    Eval(eval::EvalCommand),
    Run(Box<run::LabRunCommand>),
    Report(report::LabReportCommand),
    Checkpoints(checkpoints::CheckpointsCommand),
    Serve(serve::ServeCommand),
    Overhead(overhead::OverheadCommand),
}

impl LabCommand {
    /// Does what was asked for and returns the exit code.
    pub fn execute(self) -> Result<u8, CommandError> {
        match self.command {
            LabSubcommand::List(command) => command.execute(),
            LabSubcommand::Eval(command) => command.execute(),
            LabSubcommand::Run(command) => command.execute(),
            LabSubcommand::Report(command) => command.execute(),
            LabSubcommand::Checkpoints(command) => command.execute(),
            LabSubcommand::Serve(command) => command.execute(),
            LabSubcommand::Overhead(command) => command.execute(),
        }
    }
}
