//! The supervisor's own process: it runs one program at a time and ends all its descendants with it.
//!
//! It leads a session without a terminal, so that a program that needs the terminal gets an error and
//! is not stopped. It adopts orphans, with or without `setsid`, and so knows when no descendant is left.
//! When neuralbo ends for any reason, the socket closes and the supervisor ends the program.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, setsid, wait};
use signal_hook::consts::SIGCHLD;
use tempfile::NamedTempFile;

use super::{SupervisorAnswer, SupervisorOrder, receive, send};
use crate::output::{EXIT_FAILURE, EXIT_OK};
use crate::platform::Program;
use crate::platform::unix::limits;

/// The time limit for descendants after the end of their program.
const LEFT_BEHIND: Duration = Duration::from_millis(300);
/// Descendants that wait for this long are idle.
const QUIET: Duration = Duration::from_millis(20);
/// The interval between checks of processes that are ending.
const TICK: Duration = Duration::from_millis(5);
/// The time limit for processes that cannot be killed: another user's, or stuck in the kernel.
const PATIENCE: Duration = Duration::from_secs(5);

/// Serves until the other side closes; `limits` apply to every program.
pub fn supervise(limits: &str) -> u8 {
    match serve(limits) {
        Ok(()) => EXIT_OK,
        // The closed socket and the exit code tell the other side.
        Err(_) => EXIT_FAILURE,
    }
}

fn serve(limits: &str) -> io::Result<()> {
    let control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let (ended, notify) = UnixStream::pair()?;
    ended.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(SIGCHLD, notify)?;
    setsid()?;
    adopt_orphans()?;
    limits::apply(&serde_json::from_str(limits)?)?;
    while let Some((order, files)) = receive::<SupervisorOrder>(&control)? {
        if let SupervisorOrder::Run(number, program) = order {
            run(&control, &ended, number, program, files)?;
        }
    }
    Ok(())
}

/// Makes orphaned descendants children of this process, and sets its name.
#[cfg(target_os = "linux")]
fn adopt_orphans() -> io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(rustix::thread::set_name(c"trial-supervise")?)
}

#[cfg(not(target_os = "linux"))]
fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

fn run(
    control: &UnixStream,
    ended: &UnixStream,
    number: u64,
    program: Program,
    files: Vec<OwnedFd>,
) -> io::Result<()> {
    let cannot_start = |error: io::Error, is_program: bool| {
        let code = error.raw_os_error().unwrap_or_default();
        send(control, &SupervisorAnswer::CannotStart(code, is_program))
    };
    // Removed at the end of the program, whatever becomes of the other side.
    let file = match file_of(&program) {
        Ok(file) => file,
        Err(error) => return cannot_start(error, false),
    };
    let leader = match start(&program, file.path(), files) {
        Ok(leader) => leader,
        Err(error) => return cannot_start(error, true),
    };
    let number_of_leader = leader.as_raw_nonzero().get();
    let started = SupervisorAnswer::Started(number_of_leader, file.path().to_owned());
    // After a failed write the socket is closed.
    let _ = send(control, &started);
    let mut tree = ProcessTree {
        control,
        ended,
        number,
        program: &program,
        leader,
        status: None,
        asked: false,
        orphaned: false,
        phase: Phase::Running,
    };
    tree.wait_for_end()?;
    tree.forget_group();
    drop(file);
    if tree.orphaned {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    send(
        control,
        &SupervisorAnswer::Ended {
            status: tree.status,
            asked: tree.asked,
        },
    )
}

/// The file of a program with its content.
fn file_of(program: &Program) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    let mut file = builder.prefix("neuralbo-").suffix(".json").tempfile()?;
    file.write_all(program.file.1.as_bytes())?;
    Ok(file)
}

fn start(program: &Program, file: &Path, files: Vec<OwnedFd>) -> io::Result<Pid> {
    let (name, arguments) = program
        .arguments
        .split_first()
        .ok_or(io::ErrorKind::NotFound)?;
    let mut files = files.into_iter().map(Stdio::from);
    let mut command = Command::new(name);
    let child = command
        .args(arguments)
        .envs(
            program
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .env(&program.file.0, file)
        .stdin(Stdio::null())
        .stdout(files.next().unwrap_or_else(Stdio::null))
        .stderr(files.next().unwrap_or_else(Stdio::null))
        .process_group(0)
        .spawn()?;
    Ok(Pid::from_child(&child))
}

/// The stages of a program's end.
enum Phase {
    /// It runs.
    Running,
    /// It was asked to end before this time.
    Ending(Instant),
    /// It has ended by itself; its descendants have until the first time, and are idle since the second.
    LeftBehind(Instant, Option<Instant>),
    /// All remaining processes are killed, until this time.
    Killing(Instant),
}

/// A program and its descendants.
struct ProcessTree<'a> {
    control: &'a UnixStream,
    ended: &'a UnixStream,
    number: u64,
    program: &'a Program,
    leader: Pid,
    status: Option<i32>,
    asked: bool,
    /// The other side has closed.
    orphaned: bool,
    phase: Phase,
}

impl ProcessTree<'_> {
    /// Returns when all processes have ended, or the rest cannot be killed.
    fn wait_for_end(&mut self) -> io::Result<()> {
        loop {
            let none_left = self.reap();
            let now = Instant::now();
            self.advance(now);
            if none_left || matches!(self.phase, Phase::Killing(until) if now >= until) {
                return Ok(());
            }
            self.sleep(now)?;
        }
    }

    /// Without adoption of orphans, only the program's group is known.
    fn forget_group(&self) {
        if cfg!(not(target_os = "linux")) {
            let _ = kill_process_group(self.leader, Signal::KILL);
        }
    }

    /// Collects ended processes. Returns whether none is left.
    fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.leader => {
                    self.status = Some(status.as_raw())
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }

    fn advance(&mut self, now: Instant) {
        self.phase = match self.phase {
            Phase::Running if self.status.is_some() => Phase::LeftBehind(now + LEFT_BEHIND, None),
            Phase::LeftBehind(until, idle) => match idle_since(idle, now) {
                _ if now >= until => Phase::Killing(now + PATIENCE),
                Some(since) if now - since >= QUIET => Phase::Killing(now + PATIENCE),
                since => Phase::LeftBehind(until, since),
            },
            Phase::Ending(until) if self.status.is_some() || now >= until => {
                Phase::Killing(now + PATIENCE)
            }
            Phase::Running | Phase::Ending(_) | Phase::Killing(_) => return self.kill(),
        };
        self.kill();
    }

    fn kill(&self) {
        if matches!(self.phase, Phase::Killing(_)) {
            self.signal(Signal::KILL);
        }
    }

    fn signal(&self, signal: Signal) {
        // The number of a collected process may be reused; its group is among the descendants.
        if self.status.is_none() {
            let _ = kill_process_group(self.leader, signal);
        }
        for process in descendants() {
            // Processes that have ended or belong to others do not get it.
            let _ = kill_process(process.pid, signal);
        }
    }

    /// Asks the program to end; a stopped one must be continued for that.
    fn end(&mut self) {
        if let Phase::Running = self.phase {
            self.asked = true;
            self.phase =
                Phase::Ending(Instant::now() + Duration::from_millis(self.program.grace_ms));
            self.signal(Signal::TERM);
            self.signal(Signal::CONT);
        }
    }

    /// Waits for the end of a process, an order or the next check.
    fn sleep(&mut self, now: Instant) -> io::Result<()> {
        let limit = match self.phase {
            Phase::Running => None,
            Phase::Ending(until) => Some(until.saturating_duration_since(now)),
            Phase::LeftBehind(..) | Phase::Killing(_) => Some(TICK),
        };
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        let mut files = vec![PollFd::new(self.ended, PollFlags::IN)];
        if !self.orphaned {
            files.push(PollFd::new(self.control, PollFlags::IN));
        }
        match poll(&mut files, limit.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ordered = files.get(1).is_some_and(|file| !file.revents().is_empty());
        // The bytes only mean that a process ended.
        let _ = (&mut &*self.ended).read(&mut [0; 64]);
        if ordered {
            self.listen();
        }
        Ok(())
    }

    fn listen(&mut self) {
        match receive::<SupervisorOrder>(self.control) {
            Ok(Some((SupervisorOrder::End(number), _))) if number == self.number => self.end(),
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => {
                self.orphaned = true;
                self.end();
            }
        }
    }
}

/// Since when all descendants are idle.
fn idle_since(before: Option<Instant>, now: Instant) -> Option<Instant> {
    let all = descendants();
    let idle = !all.is_empty() && all.iter().all(|process| process.is_idle);
    idle.then(|| before.unwrap_or(now))
}

/// A process below this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    pid: Pid,
    /// Whether it neither computes nor waits for a disk.
    is_idle: bool,
}

/// All descendants of this process, which adopts orphans; empty if unknown.
#[cfg(target_os = "linux")]
fn descendants() -> Vec<Process> {
    let mut others: Vec<(Process, i32)> = numbers().filter_map(process).collect();
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![rustix::process::getpid().as_raw_nonzero().get()];
    while let Some(parent) = parents.pop() {
        let (children, rest): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|(_, of)| *of == parent);
        others = rest;
        parents.extend(
            children
                .iter()
                .map(|(child, _)| child.pid.as_raw_nonzero().get()),
        );
        found.extend(children.into_iter().map(|(child, _)| child));
    }
    found
}

#[cfg(not(target_os = "linux"))]
fn descendants() -> Vec<Process> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn numbers() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// A process and its parent; `None` if it has ended.
#[cfg(target_os = "linux")]
fn process(number: i32) -> Option<(Process, i32)> {
    let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    let (state, parent) = state_and_parent(&stat)?;
    Some((
        Process {
            pid: Pid::from_raw(number)?,
            is_idle: !matches!(state, 'R' | 'D'),
        },
        parent,
    ))
}

/// The name is in parentheses and may itself contain some.
#[cfg(target_os = "linux")]
fn state_and_parent(stat: &str) -> Option<(char, i32)> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_the_fields_after_it() {
        assert_eq!(
            state_and_parent("7 (a) R 9 (b) S 12 7 7 0"),
            Some(('S', 12))
        );
        assert_eq!(state_and_parent("7 (unfinished"), None);
    }

    #[test]
    fn children_of_children_are_found() {
        let mut command = std::process::Command::new("sh");
        let mut child = command.args(["-c", "sleep 20 & wait"]).spawn().unwrap();
        let pid = Pid::from_child(&child);
        let below = || {
            let found = descendants();
            let own = found.iter().find(|process| process.pid == pid).copied();
            own.zip(
                found
                    .into_iter()
                    .find(|process| process.pid != pid && grandparent(process.pid) == Some(pid)),
            )
        };
        let found = (0..1000).find_map(|_| {
            below().or_else(|| {
                std::thread::sleep(std::time::Duration::from_millis(10));
                None
            })
        });
        let (own, grandchild) = found.unwrap();
        for process in [own, grandchild] {
            kill_process(process.pid, Signal::KILL).unwrap();
        }
        child.wait().unwrap();
    }

    fn grandparent(pid: Pid) -> Option<Pid> {
        Pid::from_raw(process(pid.as_raw_nonzero().get())?.1)
    }
}
