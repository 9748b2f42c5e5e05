//! Running one program for one trial.
//!
//! No shell is involved. The program leads a process group of its own, which ends with the trial: at the timeout, on an
//! interrupt, and after the program's own end if something it started stayed behind.

mod capture;
mod group;
mod tail;
mod value;
mod watch;

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use neuralbo::study::{Failure, FailureKind};

use crate::interrupt::Interrupt;
use capture::Capture;
pub use group::Group;
pub use watch::{Stopper, Watch};

/// How much of the end of standard output is kept: the value is on its last line.
const STDOUT_KEPT: usize = 1 << 20;
/// How much of the end of standard error is kept for the failure message.
const STDERR_KEPT: usize = 1 << 14;
/// How many lines of standard error a failure message shows, and how much of each.
const STDERR_LINES: usize = 3;
const STDERR_LINE: usize = 200;
/// How long output may still arrive after the program has ended.
const GRACE: Duration = Duration::from_millis(300);

/// A program with everything it needs.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program and its arguments.
    pub arguments: Vec<String>,
    /// Variables added to the environment.
    pub environment: Vec<(String, String)>,
    /// When to give up.
    pub timeout: Option<Duration>,
    /// Who looks at its output while it runs, and may stop it.
    pub watch: Watch,
}

/// What is left of a program that has ended.
struct Remains {
    status: std::io::Result<ExitStatus>,
    timed_out: bool,
    stdout: String,
    stderr: String,
}

/// Runs the program to its end and reads its value.
pub fn run(launch: &Launch, interrupt: &Interrupt) -> Result<f64, Failure> {
    let child = spawn(launch).map_err(|error| Failure::new(FailureKind::Start, cannot_start(launch, &error)))?;
    let remains = wait(child, launch, interrupt);
    let kind = match (&remains.status, launch.timeout) {
        (Ok(status), _) if status.success() && !remains.timed_out => return value::parse(&remains.stdout),
        _ if interrupt.is_raised() => Failure::new(FailureKind::Interrupted, "ended by Ctrl-C"),
        (_, Some(limit)) if remains.timed_out => {
            Failure::new(FailureKind::Timeout, format!("no result after {} s", limit.as_secs_f64()))
        }
        (Ok(status), _) => ended_badly(*status),
        (Err(error), _) => Failure::new(FailureKind::Error, format!("the program's end is unknown: {error}")),
    };
    Err(with_stderr(kind, &remains.stderr))
}

fn cannot_start(launch: &Launch, error: &std::io::Error) -> String {
    let program = launch.arguments.first().map_or("", String::as_str);
    format!("cannot start `{program}`: {error}")
}

fn spawn(launch: &Launch) -> std::io::Result<Child> {
    let (program, arguments) = launch.arguments.split_first().ok_or(std::io::ErrorKind::NotFound)?;
    Command::new(program)
        .args(arguments)
        .envs(launch.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
}

fn wait(mut child: Child, launch: &Launch, interrupt: &Interrupt) -> Remains {
    let group = Group::of(&child);
    let stdout = child.stdout.take().map(|stream| Capture::start(launch.watch.reader(stream), STDOUT_KEPT));
    let stderr = child.stderr.take().map(|stream| Capture::start(stream, STDERR_KEPT));
    interrupt.enter(group);
    launch.watch.stopper.enter(group);
    let timed_out = !group.leader_ended_within(launch.timeout);
    if !timed_out {
        settle(&stdout, &stderr);
    }
    interrupt.leave(group);
    launch.watch.stopper.leave();
    group.kill();
    let status = child.wait();
    settle(&stdout, &stderr);
    let text = |capture: Option<Capture>| capture.map(|capture| capture.text()).unwrap_or_default();
    Remains { status, timed_out, stdout: text(stdout), stderr: text(stderr) }
}

/// Lets the last output arrive; returns at once when both streams have ended.
fn settle(stdout: &Option<Capture>, stderr: &Option<Capture>) {
    for capture in [stdout, stderr].into_iter().flatten() {
        capture.wait_for_end(GRACE);
    }
}

fn ended_badly(status: ExitStatus) -> Failure {
    match (status.code(), status.signal()) {
        (Some(code), _) => Failure::new(FailureKind::Exit, format!("exit status {code}")),
        (None, Some(signal)) => Failure::new(FailureKind::Signal, format!("ended by signal {signal}")),
        (None, None) => Failure::new(FailureKind::Exit, status.to_string()),
    }
}

/// Adds the last lines of standard error, where programs say what went wrong.
fn with_stderr(failure: Failure, stderr: &str) -> Failure {
    let lines: Vec<String> = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| line.chars().take(STDERR_LINE).collect())
        .collect();
    let last = &lines[lines.len().saturating_sub(STDERR_LINES)..];
    if last.is_empty() {
        return failure;
    }
    Failure::new(failure.kind, format!("{}; its last words: {}", failure.message, last.join(" / ")))
}
