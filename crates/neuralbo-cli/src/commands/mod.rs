//! The commands, one file each.

mod functions;
mod lab;
mod methods;
mod run;

use clap::{Parser, Subcommand};

use crate::exit::CommandError;

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
    Methods(methods::MethodsCommand),
    Functions(functions::FunctionsCommand),
    Lab(lab::LabCommand),
}

impl Cli {
    /// Does what was asked for and returns the exit code.
    pub fn execute(self) -> Result<u8, CommandError> {
        match self.command {
            Command::Run(command) => command.execute(),
            Command::Methods(command) => command.execute(),
            Command::Functions(command) => command.execute(),
            Command::Lab(command) => command.execute(),
        }
    }
}

/// Prints on standard output; a reader that has gone away is not an error of ours.
fn print(text: &str) -> Result<(), CommandError> {
    use std::io::{ErrorKind, Write};
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CommandError::failure("standard output", error)),
        _ => Ok(()),
    }
}
