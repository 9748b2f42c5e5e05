//! Running one program for one trial.
//!
//! No shell is involved. The program leads a process group of its own, which ends with the trial: at the timeout, when the trial
//! is cancelled, and after the program's own end if something it started stayed behind.

mod stream;
mod template;

pub use template::Template;

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use neuralbo::drive::{Cancel, Reporter};
use neuralbo::record::{Failure, FailureKind, Outcome};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde_json::Value;
use stream::Stream;

/// How much of the end of standard output is kept: the value is on its last line.
const STDOUT_KEPT: usize = 1 << 20;
/// How much of the end of standard error is kept for the failure message.
const STDERR_KEPT: usize = 1 << 14;
/// How many lines of standard error a failure message shows, and how much of each.
const STDERR_LINES: usize = 3;
const STDERR_LINE: usize = 200;
/// How much is shown of a line that cannot be read.
const SHOWN: usize = 80;
/// How long what a program leaves running may go on to print after the program's own end.
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
    /// The name of the value in what it prints.
    pub objective: String,
}

/// What is left of a program that has ended.
struct Remains {
    status: std::io::Result<ExitStatus>,
    timed_out: bool,
    stdout: String,
    stderr: String,
}

/// Runs the program to its end and reads its value; intermediate values are reported as they come.
pub fn run(launch: &Launch, reporter: &Reporter, cancel: &Cancel) -> Outcome {
    let remains = match spawn(launch) {
        Ok(child) => wait(child, launch.timeout, reporter, cancel),
        Err(error) => return Failure::new(FailureKind::Start, cannot_start(launch, &error)).into(),
    };
    let failure = match (&remains.status, launch.timeout) {
        (Ok(status), _) if status.success() && !remains.timed_out => {
            return parse(&remains.stdout, &launch.objective).map_or_else(Outcome::Failed, Outcome::Value);
        }
        _ if cancel.reason().is_some() => return Outcome::Interrupted,
        (_, Some(limit)) if remains.timed_out => {
            Failure::new(FailureKind::Timeout, format!("no result after {} s", limit.as_secs_f64()))
        }
        (Ok(status), _) => ended_badly(*status),
        (Err(error), _) => Failure::new(FailureKind::Error, format!("the program's end is unknown: {error}")),
    };
    with_stderr(failure, &remains.stderr).into()
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

fn wait(mut child: Child, timeout: Option<Duration>, reporter: &Reporter, cancel: &Cancel) -> Remains {
    let report = reporter.clone();
    let look = move |line: &str| steps(line).for_each(|(step, name, value)| report.report_named(step, &name, value));
    let stdout = child.stdout.take().map(|pipe| Stream::start(pipe.into(), STDOUT_KEPT, look));
    let stderr = child.stderr.take().map(|pipe| Stream::start(pipe.into(), STDERR_KEPT, |_| {}));
    let group = Group::of(&child);
    let killer = group.clone();
    cancel.on_cancel(move |_| killer.kill());
    let timed_out = !group.leader_ended_within(timeout);
    for stream in [&stdout, &stderr].into_iter().flatten().filter(|_| !timed_out) {
        stream.wait_for_end(GRACE);
    }
    group.kill_and_forget();
    let status = child.wait();
    let text = |stream: Option<Stream>| stream.map(|stream| stream.text()).unwrap_or_default();
    Remains { status, timed_out, stdout: text(stdout), stderr: text(stderr) }
}

/// The process group led by a program; clones share it.
///
/// It may be killed as long as its leader has not been reaped: until then its number cannot be given to another process.
#[derive(Clone)]
struct Group {
    leader: Pid,
    alive: Arc<Mutex<bool>>,
}

impl Group {
    fn of(child: &Child) -> Self {
        Self { leader: Pid::from_child(child), alive: Arc::new(Mutex::new(true)) }
    }

    /// Ends every process of the group at once, if it has not been forgotten.
    fn kill(&self) {
        let alive = self.alive.lock().unwrap_or_else(PoisonError::into_inner);
        if *alive {
            // The only error is a group that has ended already.
            let _ = kill_process_group(self.leader, Signal::KILL);
        }
    }

    /// Ends what is left of the group, whose leader is about to be reaped.
    fn kill_and_forget(&self) {
        self.kill();
        *self.alive.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }

    /// Waits for the leader to end without reaping it, for at most `limit`; whether it ended.
    fn leader_ended_within(&self, limit: Option<Duration>) -> bool {
        let leader = self.leader;
        let Some(limit) = limit else {
            wait_for(leader);
            return true;
        };
        let (alive, running) = channel::<()>();
        thread::spawn(move || {
            wait_for(leader);
            drop(alive);
        });
        running.recv_timeout(limit) == Err(RecvTimeoutError::Disconnected)
    }
}

fn wait_for(leader: Pid) {
    let ended_but_kept = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(Errno::INTR) = waitid(WaitId::Pid(leader), ended_but_kept) {}
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
    Failure::new(failure.kind, format!("{}; standard error ends with: {}", failure.message, last.join(" / ")))
}

/// The value on the last non-empty line: a number, or a JSON object with a number of the objective's name.
fn parse(stdout: &str, objective: &str) -> Result<f64, Failure> {
    let last = stdout.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let line = last.ok_or_else(|| Failure::new(FailureKind::Parse, "the program printed nothing on standard output"))?;
    let value = number(line).or_else(|| object(line, objective)).ok_or_else(|| unreadable(line, objective))?;
    if value.is_finite() {
        return Ok(value);
    }
    Err(Failure::new(FailureKind::NonFinite, format!("the program printed the value {value}")))
}

fn number(line: &str) -> Option<f64> {
    line.parse().ok()
}

fn object(line: &str, objective: &str) -> Option<f64> {
    serde_json::from_str::<Value>(line).ok()?.get(objective)?.as_f64()
}

/// The intermediate values on a line, as step, name and value: the numbers of a JSON object that has a whole number `step`.
fn steps(line: &str) -> impl Iterator<Item = (i64, String, f64)> {
    let object = Some(line).filter(|line| line.starts_with('{')).and_then(|line| serde_json::from_str(line).ok());
    let (step, object) = match object {
        Some(Value::Object(object)) => (object.get("step").and_then(Value::as_i64), object),
        _ => (None, serde_json::Map::new()),
    };
    let number = move |(name, value): (String, Value)| Some((step?, name, value.as_f64()?));
    object.into_iter().filter(|(name, _)| name != "step").filter_map(number)
}

fn unreadable(line: &str, objective: &str) -> Failure {
    let mut shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    let message =
        format!("the last line of standard output is `{shown}`, neither a number nor a JSON object with a number `{objective}`");
    Failure::new(FailureKind::Parse, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(stdout: &str) -> Option<FailureKind> {
        parse(stdout, "value").err().map(|failure| failure.kind)
    }

    #[test]
    fn reads_the_last_line_that_is_not_empty() {
        for (stdout, value) in [("1\n2\n", 2.0), ("start\n-1.5e-3\n\n  \n", -1.5e-3), (" +7 ", 7.0), ("1\r\n3\r\n", 3.0)] {
            assert_eq!(parse(stdout, "value"), Ok(value), "{stdout:?}");
        }
    }

    #[test]
    fn reads_the_value_of_an_object() {
        assert_eq!(parse("{\"value\": 2.5, \"epochs\": 3}", "value"), Ok(2.5));
        assert_eq!(parse("{\"loss\": 2}", "loss"), Ok(2.0));
    }

    #[test]
    fn refuses_what_has_no_value() {
        for stdout in
            ["", "\n \n", "done", "1 2", "{\"loss\": 1}", "{\"value\": \"1\"}", "{\"value\": null}", "[1]", "{\"value\": 1"]
        {
            assert_eq!(kind(stdout), Some(FailureKind::Parse), "{stdout:?}");
        }
    }

    #[test]
    fn values_that_are_not_finite_are_failures_of_their_own() {
        for stdout in ["nan", "NaN", "inf", "-Infinity", "1e999"] {
            assert_eq!(kind(stdout), Some(FailureKind::NonFinite), "{stdout:?}");
        }
    }

    #[test]
    fn a_long_line_is_shown_shortened() {
        let message = parse(&"ä".repeat(10_000), "value").err().map(|failure| failure.message).unwrap_or_default();
        assert!(message.len() < 400 && message.contains('…'), "{message}");
    }

    #[test]
    fn only_objects_with_a_step_are_intermediate_values() {
        let read = |line: &str| steps(line).collect::<Vec<_>>();
        assert_eq!(read(r#"{"step": 3, "value": 0.7}"#), [(3, "value".to_owned(), 0.7)]);
        assert_eq!(read(r#"{"loss": 2, "step": -1, "note": "x"}"#), [(-1, "loss".to_owned(), 2.0)]);
        for line in ["0.7", r#"{"value": 1}"#, r#"{"step": 1.5, "value": 1}"#, r#"{"step": 1"#, "[1]", ""] {
            assert_eq!(read(line), [], "{line}");
        }
    }
}
