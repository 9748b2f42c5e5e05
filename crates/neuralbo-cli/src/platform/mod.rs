//! The operating system beyond the standard library.
//!
//! [`Platform`] and [`Supervisor`] are the contract, [`System`] implements it for the current system.
//! Nothing outside this folder knows signals, process groups, sockets or terminals; a port is another
//! file beside `unix` and `other`.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

#[cfg(not(unix))]
pub use other::Other as System;
#[cfg(unix)]
pub use unix::Unix as System;

/// An operating system.
// The features decide which parts are used.
#[allow(dead_code)]
pub trait Platform {
    /// Runs the programs of trials.
    type Supervisor: Supervisor;
    /// Requests to end this process.
    type Interruptions: Iterator<Item = Interruption> + Send + 'static;

    /// Whether [`ProcessLimits`] have an effect.
    const CAN_LIMIT: bool;
    /// The program that opens an address in a browser, and its arguments before the address.
    const BROWSER: (&'static str, &'static [&'static str]);

    /// Becomes a supervisor if these are its arguments. Returns its exit code.
    fn supervise_if_asked(arguments: &[OsString]) -> Option<u8>;
    /// The processors of this process; empty if unknown.
    fn cpus() -> Vec<usize>;
    /// Intercepts requests to end this process from now on.
    fn interruptions() -> io::Result<Self::Interruptions>;
    /// Columns and lines of the terminal on standard output.
    fn terminal_size() -> Option<(usize, usize)>;
    /// Processor time of this process so far.
    fn processor_time() -> Option<Duration>;
    /// Waits until a pipe has input or has ended.
    fn wait_for_input(pipe: &PipeReader) -> io::Result<()>;
    /// The number of unread bytes in a pipe.
    fn unread(pipe: &PipeReader) -> u64;
    /// The signal that ended a process.
    fn signal_of(status: ExitStatus) -> Option<i32>;
    /// Whether an error may be gone a little later: no memory, processes, open files or space, or a supervisor that has ended.
    fn may_pass(error: &io::Error) -> bool;
}

/// Runs programs, one at a time.
///
/// # Contract
/// A program and all its descendants end with the trial: at its own end, after the grace period of a
/// request to end, when the supervisor is dropped, and when this process ends for any reason. A program
/// cannot reach the terminal.
pub trait Supervisor: Sized + Send {
    /// A supervisor for programs with these limits, in this folder. Neither it nor its programs get
    /// the withheld variables.
    fn start(limits: &ProcessLimits, folder: Option<&Path>, withheld: &[&str]) -> io::Result<Self>;
    /// Starts a program with these pipes for standard output and standard error.
    fn run(&mut self, program: &Program, output: [PipeWriter; 2]) -> Result<Ender, StartError>;
    /// Waits for the end of the program for at most `limit`; `None` if it still runs.
    fn ended_within(&mut self, limit: Option<Duration>) -> Option<io::Result<Ended>>;
    /// The exit status of a supervisor that ended unexpectedly; ends its program.
    fn lost(self) -> io::Result<ExitStatus>;
}

/// Why a program was not started.
#[derive(Debug)]
pub enum StartError {
    /// The program cannot be run.
    Program(io::Error),
    /// The machine lacks something.
    Machine(io::Error),
    /// The supervisor is of no use any more.
    Supervisor(io::Error),
}

/// Asks a program to end, unless it has ended.
pub type Ender = Arc<dyn Fn() + Send + Sync>;

/// A program to be run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    /// The program and its arguments.
    pub arguments: Vec<String>,
    /// Variables added to the environment.
    pub environment: Vec<(String, String)>,
    /// The grace period after a request to end, in milliseconds.
    pub grace_ms: u64,
    /// A variable for the name of a file, and its content. The file is there while the program runs.
    pub file: (String, String),
}

/// How a program ended.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// `None` if the program could not be ended.
    pub status: Option<ExitStatus>,
    /// Whether it was asked to end.
    pub asked: bool,
}

/// Limits per process of a program and its descendants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessLimits {
    /// Bytes of writable memory; reserved address space does not count.
    pub memory: Option<u64>,
    /// The allowed processors; empty for all.
    pub cpus: Vec<usize>,
}

/// A request to end this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// By the user: Ctrl-C.
    Asked,
    /// By the system, or by a closed terminal.
    Terminated,
}

type SystemSupervisor = <System as Platform>::Supervisor;

/// The supervisors of a run, one per program at a time; they are reused.
pub struct Supervisors {
    memory: Option<u64>,
    cpus: Option<usize>,
    /// The folder of the programs, if not the current one.
    folder: Option<PathBuf>,
    withheld: &'static [&'static str],
    all_cpus: Vec<usize>,
    pool: Mutex<IdleSupervisors>,
}

#[derive(Default)]
struct IdleSupervisors {
    idle: Vec<SystemSupervisor>,
    started: usize,
}

impl Supervisors {
    /// Supervisors for programs with these limits, in this folder, without these variables.
    pub fn new(
        memory: Option<u64>,
        cpus: Option<usize>,
        folder: Option<PathBuf>,
        withheld: &'static [&'static str],
    ) -> Self {
        Self {
            memory,
            cpus,
            folder,
            withheld,
            all_cpus: System::cpus(),
            pool: Mutex::default(),
        }
    }

    /// An idle supervisor.
    pub fn take(&self) -> io::Result<SystemSupervisor> {
        let mut pool = self.lock();
        if let Some(supervisor) = pool.idle.pop() {
            return Ok(supervisor);
        }
        let number = pool.started;
        pool.started += 1;
        drop(pool);
        let cpus = self
            .cpus
            .map_or(Vec::new(), |count| share(&self.all_cpus, count, number));
        Supervisor::start(
            &ProcessLimits {
                memory: self.memory,
                cpus,
            },
            self.folder.as_deref(),
            self.withheld,
        )
    }

    /// Returns a supervisor for the next program.
    pub fn give_back(&self, supervisor: SystemSupervisor) {
        self.lock().idle.push(supervisor);
    }

    fn lock(&self) -> MutexGuard<'_, IdleSupervisors> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `count` processors for the supervisor of this number; neighbours get different ones if possible.
fn share(all: &[usize], count: usize, number: usize) -> Vec<usize> {
    let mut share: Vec<usize> = (0..count.min(all.len()))
        .map(|i| all[(number * count + i) % all.len()])
        .collect();
    share.sort_unstable();
    share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_get_different_processors_while_there_are_enough() {
        let all = [0, 1, 2, 3, 8];
        assert_eq!(share(&all, 2, 0), [0, 1]);
        assert_eq!(share(&all, 2, 1), [2, 3]);
        assert_eq!(share(&all, 2, 2), [0, 8]);
        assert_eq!(share(&all, 9, 4).len(), 5);
        assert_eq!(share(&[], 2, 4), Vec::<usize>::new());
    }
}
