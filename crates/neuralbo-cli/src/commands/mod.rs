//! The commands, one file each.

mod ask;
mod best;
mod delete;
mod export;
mod functions;
mod import;
mod lab;
mod methods;
mod replay;
mod run;
mod studies;
mod tell;
mod trials;
mod worker;

use clap::{Parser, Subcommand};

use crate::exit::CommandError;
pub use crate::output::print;

const EXAMPLE: &str = "\
Example:
  neuralbo run --param 'x=float(-5,10)' --param 'y=float(0,15)' --trials 30 -- sh examples/branin.sh {x} {y}";

/// Optimize any program: neural Bayesian optimization on the command line.
#[derive(Debug, Parser)]
#[command(name = "neuralbo", version, propagate_version = true, subcommand_required = true, arg_required_else_help = true, after_help = EXAMPLE)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(Box<run::RunCommand>),
    Worker(worker::WorkerCommand),
    Ask(ask::AskCommand),
    Tell(tell::TellCommand),
    Best(best::BestCommand),
    Trials(trials::TrialsCommand),
    Studies(studies::StudiesCommand),
    Export(export::ExportCommand),
    Import(import::ImportCommand),
    Delete(delete::DeleteCommand),
    Replay(replay::ReplayCommand),
    Methods(methods::MethodsCommand),
    Functions(functions::FunctionsCommand),
    Lab(lab::LabCommand),
}

impl Cli {
    /// Does what was asked for and returns the exit code.
    pub fn execute(self) -> Result<u8, CommandError> {
        match self.command {
            Command::Run(command) => command.execute(),
            Command::Worker(command) => command.execute(),
            Command::Ask(command) => command.execute(),
            Command::Tell(command) => command.execute(),
            Command::Best(command) => command.execute(),
            Command::Trials(command) => command.execute(),
            Command::Studies(command) => command.execute(),
            Command::Export(command) => command.execute(),
            Command::Import(command) => command.execute(),
            Command::Delete(command) => command.execute(),
            Command::Replay(command) => command.execute(),
            Command::Methods(command) => command.execute(),
            Command::Functions(command) => command.execute(),
            Command::Lab(command) => command.execute(),
        }
    }
}
