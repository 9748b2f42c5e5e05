//! End-to-end tests of the command line, each in a temporary directory of its own.

#![allow(clippy::unwrap_used)]

mod failures;
mod folder;
mod input;
mod interrupt;
mod lab;
mod objectives;
mod output;
mod processes;
mod progress;
mod run;
mod run_file;
mod trace;
