//! The supervisor's own process: it runs one program at a time and ends with it everything that the program started.
//!
//! It leads a session without a terminal, so a program that asks for the terminal gets an error instead of being stopped. It
//! adopts what its descendants leave behind, `setsid` or not, and so knows when nothing is left. When neuralbo ends, however
//! that happens, the socket between them closes, and the supervisor ends what runs.

use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, setsid, wait};
use signal_hook::consts::SIGCHLD;

use super::protocol::{Answer, Order, receive, send};
use super::tree;
use crate::exit::{EXIT_FAILURE, EXIT_OK};
use crate::platform::Program;
use crate::platform::unix::limits;

/// How long what a program leaves running may go on to work after the program's own end.
const LEFT_BEHIND: Duration = Duration::from_millis(300);
/// For how long all of it must wait for something before it is taken to be idle.
const QUIET: Duration = Duration::from_millis(20);
/// How often the processes are looked at while they are to end.
const TICK: Duration = Duration::from_millis(5);
/// When to give up on processes that cannot be ended: another user's, or stuck in the system.
const PATIENCE: Duration = Duration::from_secs(5);

/// Serves until the other side is gone; `limits` are those of every program.
pub fn supervise(limits: &str) -> u8 {
    match serve(limits) {
        Ok(()) => EXIT_OK,
        // Whoever started us learns it from the closed socket and the exit code.
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
    while let Some((order, files)) = receive::<Order>(&control)? {
        if let Order::Run(number, program) = order {
            run(&control, &ended, number, program, files)?;
        }
    }
    Ok(())
}

/// Orphans below this process become its children, and its name is not that of the command that started it.
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
    let leader = match start(&program, files) {
        Ok(leader) => leader,
        Err(error) => {
            return send(
                control,
                &Answer::CannotStart(error.raw_os_error().unwrap_or_default()),
            );
        }
    };
    // A write that fails is noticed as a socket that closes.
    let _ = send(control, &Answer::Started(leader.as_raw_nonzero().get()));
    let mut tree = Tree {
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
    tree.watch()?;
    tree.forget_group();
    if tree.orphaned {
        if let Some(file) = &program.file {
            let _ = std::fs::remove_file(file);
        }
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    send(
        control,
        &Answer::Ended {
            status: tree.status,
            asked: tree.asked,
        },
    )
}

fn start(program: &Program, files: Vec<OwnedFd>) -> io::Result<Pid> {
    let (name, arguments) = program
        .arguments
        .split_first()
        .ok_or(io::ErrorKind::NotFound)?;
    let mut files = files.into_iter().map(Stdio::from);
    let mut command = Command::new(name);
    program
        .withheld
        .iter()
        .for_each(|name| _ = command.env_remove(name));
    let child = command
        .args(arguments)
        .envs(
            program
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .stdin(Stdio::null())
        .stdout(files.next().unwrap_or_else(Stdio::null))
        .stderr(files.next().unwrap_or_else(Stdio::null))
        .process_group(0)
        .spawn()?;
    Ok(Pid::from_child(&child))
}

/// How far the end of a program has come.
enum Phase {
    /// It runs.
    Running,
    /// It was asked to end and has until then.
    Ending(Instant),
    /// It has ended by itself; what it left behind has until then, and has been idle since.
    LeftBehind(Instant, Option<Instant>),
    /// Whatever is left is killed, until then.
    Killing(Instant),
}

/// A program and everything below it.
struct Tree<'a> {
    control: &'a UnixStream,
    ended: &'a UnixStream,
    number: u64,
    program: &'a Program,
    leader: Pid,
    status: Option<i32>,
    asked: bool,
    /// Nobody is left who could be told.
    orphaned: bool,
    phase: Phase,
}

impl Tree<'_> {
    /// Returns when nothing is left of the program, or nothing that can be ended.
    fn watch(&mut self) -> io::Result<()> {
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

    /// Where orphans are not adopted, what is left of the program's group is all that can be found.
    fn forget_group(&self) {
        if cfg!(not(target_os = "linux")) {
            let _ = kill_process_group(self.leader, Signal::KILL);
        }
    }

    /// Collects what has ended; whether nothing is left.
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
        // The number of a program that was collected may be another's by now; its group is found below us.
        if self.status.is_none() {
            let _ = kill_process_group(self.leader, signal);
        }
        tree::signal(&tree::descendants(), signal);
    }

    /// Asks the program to end; one that is stopped must be woken to hear it.
    fn end(&mut self) {
        if let Phase::Running = self.phase {
            self.asked = true;
            self.phase =
                Phase::Ending(Instant::now() + Duration::from_millis(self.program.grace_ms));
            self.signal(Signal::TERM);
            self.signal(Signal::CONT);
        }
    }

    /// Waits for an end, an order or the time to look again.
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
        // What it says is only that something ended.
        let _ = (&mut &*self.ended).read(&mut [0; 64]);
        if ordered {
            self.listen();
        }
        Ok(())
    }

    fn listen(&mut self) {
        match receive::<Order>(self.control) {
            Ok(Some((Order::End(number), _))) if number == self.number => self.end(),
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => {
                self.orphaned = true;
                self.end();
            }
        }
    }
}

/// Since when everything below this process waits for something.
fn idle_since(before: Option<Instant>, now: Instant) -> Option<Instant> {
    let all = tree::descendants();
    let idle = !all.is_empty() && all.iter().all(|process| process.is_idle);
    idle.then(|| before.unwrap_or(now))
}
