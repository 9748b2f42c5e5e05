//! Process groups: a program and everything it started, ended together.

use std::process::Child;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

/// The group led by a program that was started with a process group of its own.
///
/// The group may be killed as long as its leader has not been reaped: until then its number cannot be given to another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group(i32);

impl Group {
    /// The group that `child` leads.
    pub fn of(child: &Child) -> Self {
        Self(i32::try_from(child.id()).unwrap_or(i32::MAX))
    }

    /// Ends every process of the group at once.
    pub fn kill(self) {
        // The only error is a group that has ended already.
        let _ = killpg(Pid::from_raw(self.0), Signal::SIGKILL);
    }

    /// Waits for the leader to end without reaping it, for at most `limit`; whether it ended.
    pub fn leader_ended_within(self, limit: Option<Duration>) -> bool {
        let Some(limit) = limit else {
            self.wait_for_leader();
            return true;
        };
        let (alive, running) = channel::<()>();
        thread::spawn(move || {
            self.wait_for_leader();
            drop(alive);
        });
        running.recv_timeout(limit) == Err(RecvTimeoutError::Disconnected)
    }

    fn wait_for_leader(self) {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        while waitid(Id::Pid(Pid::from_raw(self.0)), flags) == Err(Errno::EINTR) {}
    }
}
