//! End-to-end tests of the command line, each in a temporary directory of its own.

#![allow(clippy::unwrap_used)]

mod failures;
mod input;
mod interrupt;
mod lab;
mod output;
mod room;
mod run;
mod trace;
