//! The `neuralbo` command line.

mod commands;
mod duration;
mod exit;
mod interrupt;
mod output;
mod process;
mod run;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    exit::report(commands::Cli::parse().execute())
}
