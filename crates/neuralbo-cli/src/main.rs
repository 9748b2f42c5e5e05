//! The `neuralbo` command line.

mod commands;
mod duration;
mod exit;
mod interrupt;
mod output;
mod process;
mod run;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use exit::CommandError;

const EXAMPLE: &str = "\
Example:
  neuralbo run --param 'x=float(-5,10)' --param 'y=float(0,15)' --trials 30 -- sh examples/branin.sh {x} {y}";

/// Optimize any program: neural Bayesian optimization on the command line.
#[derive(Debug, Parser)]
#[command(name = "neuralbo", version, propagate_version = true, subcommand_required = true, arg_required_else_help = true, after_help = EXAMPLE)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(Box<commands::run::RunCommand>),
    Worker(commands::worker::WorkerCommand),
    Ask(commands::ask::AskCommand),
    Tell(commands::tell::TellCommand),
    Best(commands::best::BestCommand),
    Trials(commands::trials::TrialsCommand),
    Studies(commands::studies::StudiesCommand),
    Dashboard(commands::dashboard::DashboardCommand),
    Export(commands::export::ExportCommand),
    Import(commands::import::ImportCommand),
    Delete(commands::delete::DeleteCommand),
    Check(commands::check::CheckCommand),
    Backup(commands::backup::BackupCommand),
    Report(commands::report::ReportCommand),
    Restore(commands::restore::RestoreCommand),
    Recover(commands::recover::RecoverCommand),
    Replay(commands::replay::ReplayCommand),
    Methods(commands::methods::MethodsCommand),
    Functions(commands::functions::FunctionsCommand),
    Lab(commands::lab::LabCommand),
}

impl Cli {
    /// Does what was asked for and returns the exit code.
    fn execute(self) -> Result<u8, CommandError> {
        match self.command {
            Command::Run(command) => command.execute(),
            Command::Worker(command) => command.execute(),
            Command::Ask(command) => command.execute(),
            Command::Tell(command) => command.execute(),
            Command::Best(command) => command.execute(),
            Command::Trials(command) => command.execute(),
            Command::Studies(command) => command.execute(),
            Command::Dashboard(command) => command.execute(),
            Command::Export(command) => command.execute(),
            Command::Import(command) => command.execute(),
            Command::Delete(command) => command.execute(),
            Command::Check(command) => command.execute(),
            Command::Backup(command) => command.execute(),
            Command::Report(command) => command.execute(),
            Command::Restore(command) => command.execute(),
            Command::Recover(command) => command.execute(),
            Command::Replay(command) => command.execute(),
            Command::Methods(command) => command.execute(),
            Command::Functions(command) => command.execute(),
            Command::Lab(command) => command.execute(),
        }
    }
}

fn main() -> ExitCode {
    process::supervise_if_asked().unwrap_or_else(|| exit::report(Cli::parse().execute()))
}
