//! Linux, macOS and their relatives. What only Linux can do is missing elsewhere, and said where it is missed.

mod interruptions;
mod limits;
mod supervisor;

use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeReader};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::Platform;
use interruptions::Interruptions;
use supervisor::UnixSupervisor;

/// A system with signals, process groups and sockets with names.
pub struct Unix;

impl Platform for Unix {
    type Supervisor = UnixSupervisor;
    type Interruptions = Interruptions;

    const CAN_LIMIT: bool = cfg!(target_os = "linux");
    const BROWSER: (&'static str, &'static [&'static str]) = (
        if cfg!(target_os = "macos") {
            "open"
        } else {
            "xdg-open"
        },
        &[],
    );

    fn supervise_if_asked(arguments: &[OsString]) -> Option<u8> {
        supervisor::supervise_if_asked(arguments)
    }

    fn cpus() -> Vec<usize> {
        limits::cpus()
    }

    fn interruptions() -> io::Result<Interruptions> {
        Interruptions::new()
    }

    fn terminal_size() -> Option<(usize, usize)> {
        let size = rustix::termios::tcgetwinsize(io::stdout())
            .or_else(|_| rustix::termios::tcgetwinsize(io::stderr()))
            .ok()?;
        Some((usize::from(size.ws_col), usize::from(size.ws_row)))
            .filter(|(columns, _)| *columns > 0)
    }

    fn processor_time() -> Option<Duration> {
        Duration::try_from(rustix::time::clock_gettime(
            rustix::time::ClockId::ProcessCPUTime,
        ))
        .ok()
    }

    fn wait_for_input(pipe: &PipeReader) -> io::Result<()> {
        loop {
            match poll(&mut [PollFd::new(pipe, PollFlags::IN)], None) {
                Ok(_) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn unread(pipe: &PipeReader) -> u64 {
        rustix::io::ioctl_fionread(pipe).unwrap_or(0)
    }

    fn signal_of(status: ExitStatus) -> Option<i32> {
        status.signal()
    }

    fn may_pass(error: &io::Error) -> bool {
        const LACKS: [Errno; 7] = [
            Errno::AGAIN,
            Errno::NOMEM,
            Errno::MFILE,
            Errno::NFILE,
            Errno::NOSPC,
            Errno::TXTBSY,
            Errno::INTR,
        ];
        let lacks = |code| LACKS.iter().any(|lack| lack.raw_os_error() == code);
        let ended = [
            ErrorKind::BrokenPipe,
            ErrorKind::ConnectionReset,
            ErrorKind::UnexpectedEof,
        ];
        error.raw_os_error().is_some_and(lacks) || ended.contains(&error.kind())
    }
}
