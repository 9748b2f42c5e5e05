//! What the command line asks of the operating system beyond the standard library.
//!
//! [`Platform`] and [`Supervisor`] are the contract, [`System`] keeps it on the system that this is compiled for. Nothing outside of this
//! folder knows of signals, process groups, sockets or terminals, so a port is another file beside `unix` and `other`.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

#[cfg(not(unix))]
pub use other::Other as System;
#[cfg(unix)]
pub use unix::Unix as System;

/// An operating system.
// Which parts of it are used depends on the features.
#[allow(dead_code)]
pub trait Platform {
    /// Runs the programs of trials.
    type Supervisor: Supervisor;
    /// Requests to end this process, as they come.
    type Interruptions: Iterator<Item = Interruption> + Send + 'static;

    /// Whether [`Limits`] have an effect.
    const CAN_LIMIT: bool;
    /// The program that shows an address in a browser, and what stands before the address.
    const BROWSER: (&'static str, &'static [&'static str]);

    /// Becomes a supervisor, if these are the arguments of one; the exit code of its process.
    fn supervise_if_asked(arguments: &[OsString]) -> Option<u8>;
    /// The processors that this process may run on; empty where the system does not tell.
    fn cpus() -> Vec<usize>;
    /// From now on requests to end this process do not end it and come out of here instead.
    fn interruptions() -> io::Result<Self::Interruptions>;
    /// Columns and lines of the terminal on standard output.
    fn terminal_size() -> Option<(usize, usize)>;
    /// Processor time of this process so far.
    fn processor_time() -> Option<Duration>;
    /// Waits until something can be read from a pipe, or it has ended.
    fn wait_for_input(pipe: &PipeReader) -> io::Result<()>;
    /// How many bytes in a pipe have not been read.
    fn unread(pipe: &PipeReader) -> u64;
    /// The signal that ended a process.
    fn signal_of(status: ExitStatus) -> Option<i32>;
}

/// Runs programs, one at a time.
///
/// # Contract
/// A program and everything that it started end with the trial: at its own end, when it is asked to end and the time for that is over, when
/// the supervisor is dropped, and when this process ends in whatever way. A program cannot reach the terminal.
pub trait Supervisor: Sized + Send {
    /// A supervisor whose programs have these limits and run in this folder.
    fn start(limits: &Limits, folder: Option<&Path>) -> io::Result<Self>;
    /// Starts a program whose standard output and standard error go to these pipes. An error with a number of the system concerns the
    /// program only; after any other one the supervisor is of no use.
    fn run(&mut self, program: Program, output: [PipeWriter; 2]) -> io::Result<Ender>;
    /// Waits for the end of the program, for at most `limit`; `None` if it goes on.
    fn ended_within(&mut self, limit: Option<Duration>) -> Option<io::Result<Ended>>;
    /// How the supervisor itself came to its end, after ending what it can no longer end.
    fn lost(self) -> io::Result<ExitStatus>;
}

/// Asks a program to end; one that has ended already is not concerned.
pub type Ender = Arc<dyn Fn() + Send + Sync>;

/// A program to be run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Program {
    /// The program and its arguments.
    pub arguments: Vec<String>,
    /// Variables added to the environment.
    pub environment: Vec<(String, String)>,
    /// Variables that the program does not get.
    pub withheld: Vec<String>,
    /// How long it has between the request to end and its end, in milliseconds.
    pub grace_ms: u64,
    /// A file of the trial, to be removed if nobody else is left to do it.
    pub file: Option<PathBuf>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// `None` if the program could not be ended.
    pub status: Option<ExitStatus>,
    /// Whether it was asked to end.
    pub asked: bool,
}

/// Limits of a program and everything that it starts, process by process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of memory that a process may write to: reserved address space does not count.
    pub memory: Option<u64>,
    /// The processors it may run on; empty for all.
    pub cpus: Vec<usize>,
}

/// A request to end this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// By the person at the terminal: Ctrl-C.
    Asked,
    /// By the system, or because the terminal is gone.
    Terminated,
}
