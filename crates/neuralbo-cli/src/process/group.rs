//! Process groups: a program and everything it started, ended together.

use std::process::Child;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// The group led by a program that was started with a process group of its own.
///
/// The group may be killed as long as its leader has not been reaped: until then its number cannot be given to another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group(Pid);

impl Group {
    /// The group that `child` leads.
    pub fn of(child: &Child) -> Self {
        Self(Pid::from_child(child))
    }

    /// Ends every process of the group at once.
    pub fn kill(self) {
        // The only error is a group that has ended already.
        let _ = kill_process_group(self.0, Signal::KILL);
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
        let ended_but_kept = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(Errno::INTR) = waitid(WaitId::Pid(self.0), ended_but_kept) {}
    }
}
