//! Systems without an implementation of their own, Windows among them: what the standard library can do. Programs are not run, because
//! nothing here could end all that they start.

use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeReader, PipeWriter};
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};

use super::{Ended, Ender, Interruption, Platform, ProcessLimits, Program, StartError, Supervisor};

/// The interval of checks for a request to end.
const TICK: Duration = Duration::from_millis(50);

/// Any other system.
pub struct Other;

impl Platform for Other {
    type Supervisor = NoSupervisor;
    type Interruptions = SignalFlags;

    const CAN_LIMIT: bool = false;
    const BROWSER: (&'static str, &'static [&'static str]) = ("cmd", &["/c", "start", ""]);

    fn supervise_if_asked(_: &[OsString]) -> Option<u8> {
        None
    }

    fn cpus() -> Vec<usize> {
        Vec::new()
    }

    fn interruptions() -> io::Result<SignalFlags> {
        let (asked, terminated) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        signal_hook::flag::register(SIGINT, Arc::clone(&asked))?;
        signal_hook::flag::register(SIGTERM, Arc::clone(&terminated))?;
        Ok(SignalFlags { asked, terminated })
    }

    fn terminal_size() -> Option<(usize, usize)> {
        None
    }

    fn processor_time() -> Option<Duration> {
        None
    }

    fn wait_for_input(_: &PipeReader) -> io::Result<()> {
        Ok(())
    }

    fn unread(_: &PipeReader) -> u64 {
        0
    }

    fn signal_of(_: ExitStatus) -> Option<i32> {
        None
    }

    fn may_pass(_: &io::Error) -> bool {
        false
    }
}

/// Flags that signals set.
pub struct SignalFlags {
    asked: Arc<AtomicBool>,
    terminated: Arc<AtomicBool>,
}

impl Iterator for SignalFlags {
    type Item = Interruption;

    fn next(&mut self) -> Option<Interruption> {
        loop {
            if self.asked.swap(false, Ordering::SeqCst) {
                return Some(Interruption::Asked);
            }
            if self.terminated.swap(false, Ordering::SeqCst) {
                return Some(Interruption::Terminated);
            }
            std::thread::sleep(TICK);
        }
    }
}

/// Cannot be made.
pub enum NoSupervisor {}

impl Supervisor for NoSupervisor {
    fn start(_: &ProcessLimits, _: Option<&Path>, _: &[&str]) -> io::Result<Self> {
        Err(io::Error::new(
            ErrorKind::Unsupported,
            "programs can be run on Unix only",
        ))
    }

    fn run(&mut self, _: &Program, _: [PipeWriter; 2]) -> Result<Ender, StartError> {
        match *self {}
    }

    fn ended_within(&mut self, _: Option<Duration>) -> Option<io::Result<Ended>> {
        match *self {}
    }

    fn lost(self) -> io::Result<ExitStatus> {
        match self {}
    }
}
