//! The `neuralbo` command line as a library: the program of this name and the command of the Python package call [`main`].

mod build;
mod color;
mod commands;
pub mod configspace;
mod duration;
mod interrupt;
mod invocation;
mod number;
mod output;
mod platform;
mod process;
mod run;
mod run_file;
mod table;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use neuralbo_store::without_passwords;

pub use build::COMMIT;
pub use invocation::Invocation;
use output::CommandError;
use platform::{Platform, System};

const EXAMPLE: &str = "\
Example:
  neuralbo run --param 'x=float(-5,10)' --param 'y=float(0,15)' --trials 30 -- sh examples/branin.sh {x} {y}";

/// Optimize any program: neural Bayesian optimization on the command line.
#[derive(Debug, Parser)]
#[command(name = "neuralbo", version, long_version = build::DESCRIPTION, propagate_version = true, subcommand_required = true, arg_required_else_help = true, after_help = EXAMPLE)]
struct Cli {
    /// When output is coloured
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    color: color::When,
    #[command(subcommand)]
    command: Command,
}

/// The commands with their arguments, each of which executes itself.
macro_rules! commands {
    ($($(#[$attribute:meta])* $name:ident($arguments:ty),)*) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $($(#[$attribute])* $name($arguments),)*
        }

        impl Command {
            /// Does what was asked for and returns the exit code.
            fn execute(self) -> Result<u8, CommandError> {
                match self {
                    $($(#[$attribute])* Self::$name(command) => command.execute(),)*
                }
            }
        }
    };
}

commands! {
    Run(Box<run::args::RunArgs>),
    Init(commands::init::InitCommand),
    Worker(commands::worker::WorkerCommand),
    Ask(commands::ask::AskCommand),
    Tell(commands::tell::TellCommand),
    Best(commands::best::BestCommand),
    Trials(commands::trials::TrialsCommand),
    Importance(commands::importance::ImportanceCommand),
    Studies(commands::studies::StudiesCommand),
    #[cfg(feature = "dashboard")]
    Dashboard(commands::dashboard::DashboardCommand),
    #[cfg(feature = "dashboard")]
    Report(commands::report::ReportCommand),
    Export(commands::export::ExportCommand),
    Import(commands::import::ImportCommand),
    Delete(commands::delete::DeleteCommand),
    Check(commands::check::CheckCommand),
    Backup(commands::backup::BackupCommand),
    Restore(commands::restore::RestoreCommand),
    Recover(commands::recover::RecoverCommand),
    Replay(commands::replay::ReplayCommand),
    Methods(commands::methods::MethodsCommand),
    #[cfg(feature = "lab")]
    Functions(commands::functions::FunctionsCommand),
    #[cfg(feature = "lab")]
    Lab(commands::lab::LabCommand),
    Completions(commands::completions::CompletionsCommand),
    Man(commands::man::ManCommand),
}

/// Does what the command line asks for and returns the exit code.
///
/// It takes over the process: signals are handled, output goes to the standard streams. A process can call it once.
pub fn main(invocation: Invocation) -> u8 {
    let arguments = invocation.arguments.clone();
    invocation::remember(invocation);
    System::supervise_if_asked(&arguments).unwrap_or_else(|| output::report(execute(arguments)))
}

/// The command line, with what a run file says in its place.
fn execute(arguments: Vec<OsString>) -> Result<u8, CommandError> {
    let command = Cli::command().color(color::of_help(&arguments));
    let matches = command
        .clone()
        .try_get_matches_from(run_file::expanded(&command, arguments)?);
    match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => {
            color::set(cli.color);
            cli.command.execute()
        }
        Err(error) => not_a_command(&error),
    }
}

/// Wrong input, help or the version, which are printed in place of a command.
fn not_a_command(error: &clap::Error) -> Result<u8, CommandError> {
    let text = error.to_string();
    // A reader that has gone away is not an error of ours.
    match without_passwords(&text) {
        shown if shown == text => _ = error.print(),
        shown => output::say(shown.trim_end()),
    }
    Ok(u8::try_from(error.exit_code()).unwrap_or(output::EXIT_USAGE))
}
