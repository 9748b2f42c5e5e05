//! Running one program for one trial.
//!
//! No shell is involved. The program runs below a supervisor, in a session without a terminal. It and everything that it started
//! end with the trial, and with us: at the timeout, when the trial is cancelled, after the program's own end, and when neuralbo
//! itself ends in whatever way.

mod limits;
mod params;
mod printed;
mod stream;
mod supervisors;
mod template;
mod value;

pub use limits::bytes;
pub use params::Variables;
pub use supervisors::Supervisors;
pub use template::{CHECKPOINT, Filled, STEPS, Template};

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use crate::output::say;
use crate::platform::{Ended, Ender, Platform, Program, Supervisor, System};
use neuralbo::drive::{Cancel, Reporter};
use neuralbo::record::{Failure, FailureKind, Outcome};
use printed::Printed;
use stream::Stream;
use value::{parse, steps};

/// How much of the end of standard output is kept: the value is on its last line.
const STDOUT_KEPT: usize = 1 << 20;
/// How much of the end of standard error is kept for the failure message.
const STDERR_KEPT: usize = 1 << 14;
/// How many lines of standard error a failure message shows, and how much of each.
const STDERR_LINES: usize = 3;
const STDERR_LINE: usize = 200;
/// What programs say when they are refused memory: Python, C, C++, Rust, the JVM.
const OUT_OF_MEMORY: [&str; 6] = [
    "memoryerror",
    "cannot allocate memory",
    "bad_alloc",
    "memory allocation of",
    "out of memory",
    "outofmemoryerror",
];

/// A program with everything it needs.
#[derive(Debug)]
pub struct Launch {
    /// The program and its arguments.
    pub arguments: Filled,
    /// Variables added to the environment.
    pub variables: Variables,
    /// Whether it also gets the variables that lead to the storage.
    pub keep_env: bool,
    /// When to give up.
    pub timeout: Option<Duration>,
    /// How long it has between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// The memory it may use, for the failure message.
    pub memory: Option<u64>,
    /// The names of the values that it prints, in their order.
    pub names: Vec<String>,
}

/// What is left of a program that has ended.
struct Remains {
    ended: io::Result<Ended>,
    timed_out: bool,
    stdout: Printed,
    stderr: Printed,
}

/// Runs the program to its end and reads its values; intermediate values are reported as they come.
pub fn run(
    launch: &Launch,
    supervisors: &Supervisors,
    reporter: &Reporter,
    cancel: &Cancel,
) -> Outcome {
    let remains = supervisors
        .take()
        .map_err(|error| format!("cannot start a supervisor: {error}"))
        .and_then(|supervisor| {
            run_below(supervisor, launch, supervisors, reporter, cancel)
                .map_err(|error| cannot_start(launch, &error))
        });
    let remains = match remains {
        Ok(remains) => remains,
        Err(message) => return Failure::new(FailureKind::Start, message).into(),
    };
    let failure = match (&remains.ended, launch.timeout) {
        (
            Ok(Ended {
                status: Some(status),
                asked: false,
            }),
            _,
        ) if status.success() => {
            return parse(&remains.stdout, &launch.names)
                .map_or_else(Outcome::Failed, Outcome::Values);
        }
        _ if cancel.reason().is_some() => return Outcome::Interrupted,
        (_, Some(limit)) if remains.timed_out => Failure::new(
            FailureKind::Timeout,
            format!("no result after {} s", limit.as_secs_f64()),
        ),
        (
            Ok(Ended {
                status: Some(status),
                ..
            }),
            _,
        ) => ended_badly(*status),
        (Ok(Ended { status: None, .. }), _) => {
            Failure::new(FailureKind::Error, "the program could not be ended")
        }
        (Err(error), _) => Failure::new(FailureKind::Signal, error.to_string()),
    };
    with_stderr(
        with_memory(failure, launch, &remains.stderr.text),
        &remains.stderr.text,
    )
    .into()
}

/// The error of a program that cannot be started, in the user's words.
fn cannot_start(launch: &Launch, error: &io::Error) -> String {
    let too_long = error.kind() == io::ErrorKind::ArgumentListTooLong;
    let hint = too_long.then(|| launch.arguments.longest()).flatten().map_or(String::new(), |(name, length)| {
        format!(
            "; parameter `{name}` takes {length} bytes of an argument: let the program read it from the file {} names",
            params::FILE_VARIABLE
        )
    });
    format!(
        "cannot start `{}`: {error}{hint}",
        launch.arguments.program()
    )
}

fn run_below(
    mut supervisor: <System as Platform>::Supervisor,
    launch: &Launch,
    supervisors: &Supervisors,
    reporter: &Reporter,
    cancel: &Cancel,
) -> io::Result<Remains> {
    let (stdout, stdout_writer) = io::pipe()?;
    let (stderr, stderr_writer) = io::pipe()?;
    let program = Program {
        arguments: launch.arguments.words(),
        environment: launch.variables.all().to_vec(),
        withheld: params::WITHHELD
            .iter()
            .filter(|_| !launch.keep_env)
            .map(|name| (*name).to_owned())
            .collect(),
        grace_ms: u64::try_from(launch.grace.as_millis()).unwrap_or(u64::MAX),
        file: Some(launch.variables.file().to_owned()),
    };
    let ender = match supervisor.run(program, [stdout_writer, stderr_writer]) {
        Ok(ender) => ender,
        Err(error) => {
            if error.raw_os_error().is_some() {
                supervisors.give_back(supervisor);
            }
            return Err(error);
        }
    };
    let (report, mut refused) = (reporter.clone(), false);
    let look = move |line: &str| {
        for (step, name, value) in steps(line) {
            // Said once: a program that counts differently does so at every step.
            if let Err(error) = report.report_named(step, &name, value)
                && !std::mem::replace(&mut refused, true)
            {
                say(&format!("{error}; it is left out"));
            }
        }
    };
    let stdout = Stream::start(stdout, STDOUT_KEPT, look);
    let stderr = Stream::start(stderr, STDERR_KEPT, |_| {});
    let (ended, timed_out) = wait(&mut supervisor, ender, launch.timeout, cancel);
    let ended = match ended {
        Ok(ended) => {
            // One that has left something behind waits for it to end.
            if ended.status.is_some() {
                supervisors.give_back(supervisor);
            }
            Ok(ended)
        }
        Err(_) => Err(io::Error::other(match supervisor.lost() {
            Ok(status) => format!("the supervisor of the program was ended: {status}"),
            Err(error) => format!("the program's end is unknown: {error}"),
        })),
    };
    Ok(Remains {
        ended,
        timed_out,
        stdout: stdout.printed(),
        stderr: stderr.printed(),
    })
}

/// Waits for the program, which is asked to end at the timeout and when the trial is cancelled; and whether it was the timeout.
fn wait(
    supervisor: &mut impl Supervisor,
    ender: Ender,
    timeout: Option<Duration>,
    cancel: &Cancel,
) -> (io::Result<Ended>, bool) {
    let at_timeout = Ender::clone(&ender);
    cancel.on_cancel(move |_| ender());
    let mut timed_out = false;
    let mut limit = timeout;
    loop {
        match supervisor.ended_within(limit) {
            Some(ended) => return (ended, timed_out),
            None => {
                timed_out = true;
                limit = None;
                at_timeout();
            }
        }
    }
}

fn ended_badly(status: ExitStatus) -> Failure {
    match (status.code(), System::signal_of(status)) {
        (Some(code), _) => Failure::new(FailureKind::Exit, format!("exit status {code}")),
        (None, Some(signal)) => {
            Failure::new(FailureKind::Signal, format!("ended by signal {signal}"))
        }
        (None, None) => Failure::new(FailureKind::Exit, status.to_string()),
    }
}

/// Names the limit on memory where the program's words say that it was refused some.
fn with_memory(failure: Failure, launch: &Launch, stderr: &str) -> Failure {
    let Some(limit) = launch
        .memory
        .filter(|_| matches!(failure.kind, FailureKind::Exit | FailureKind::Signal))
    else {
        return failure;
    };
    let said = stderr.to_lowercase();
    if !OUT_OF_MEMORY.iter().any(|words| said.contains(words)) {
        return failure;
    }
    let megabytes = limit / (1 << 20);
    Failure::new(
        failure.kind,
        format!(
            "{}, out of memory: --memory allows {megabytes} MiB",
            failure.message
        ),
    )
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
    Failure::new(
        failure.kind,
        format!(
            "{}; standard error ends with: {}",
            failure.message,
            last.join(" / ")
        ),
    )
}
