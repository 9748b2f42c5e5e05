//! Runs one program for one trial.
//!
//! No shell is involved. The program runs below a supervisor, in a session without a terminal. It and
//! all its descendants end with the trial: at the timeout, when the trial is cancelled, after the
//! program's own end, and when neuralbo itself ends for any reason.

mod memory;
mod params;
mod stream;
mod template;
mod value;

pub use memory::bytes;
pub use params::Variables;
pub use template::{CHECKPOINT, CommandTemplate, Filled, STEPS};

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use crate::output::say;
use crate::platform::{Ended, Ender, Platform, Program, Supervisor, Supervisors, System};
use neuralbo::drive::{Cancel, Reporter};
use neuralbo::record::{Failure, FailureKind, Outcome};
use stream::{Printed, Stream};
use value::{parse, steps};

/// The bytes kept of standard output: the value is on its last line.
const STDOUT_KEPT: usize = 1 << 20;
/// The bytes kept of standard error, for the failure message.
const STDERR_KEPT: usize = 1 << 14;
/// The number and length of the lines of standard error in a failure message.
const STDERR_LINES: usize = 3;
const STDERR_LINE: usize = 200;
/// Messages of programs that run out of memory: Python, C, C++, Rust, the JVM.
const OUT_OF_MEMORY: [&str; 6] = [
    "memoryerror",
    "cannot allocate memory",
    "bad_alloc",
    "memory allocation of",
    "out of memory",
    "outofmemoryerror",
];

/// A program to be run.
#[derive(Debug)]
pub struct ProgramLaunch {
    /// The program and its arguments.
    pub arguments: Filled,
    /// Variables added to the environment.
    pub variables: Variables,
    /// Whether it gets the variables with the storage's address and password.
    pub keep_env: bool,
    /// The time limit.
    pub timeout: Option<Duration>,
    /// The time between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// The memory limit, for the failure message.
    pub memory: Option<u64>,
    /// The names of the printed values, in order.
    pub names: Vec<String>,
}

/// A program that has ended, with its output.
struct EndedProgram {
    ended: io::Result<Ended>,
    timed_out: bool,
    stdout: Printed,
    stderr: Printed,
}

/// Runs the program to its end and reads its values; intermediate values are reported immediately.
pub fn run(
    launch: &ProgramLaunch,
    supervisors: &Supervisors,
    reporter: &Reporter,
    cancel: &Cancel,
) -> Outcome {
    let program = supervisors
        .take()
        .map_err(|error| format!("cannot start a supervisor: {error}"))
        .and_then(|supervisor| {
            run_below(supervisor, launch, supervisors, reporter, cancel)
                .map_err(|error| cannot_start(launch, &error))
        });
    let program = match program {
        Ok(program) => program,
        Err(message) => return Failure::new(FailureKind::Start, message).into(),
    };
    let failure = match (&program.ended, launch.timeout) {
        (
            Ok(Ended {
                status: Some(status),
                asked: false,
            }),
            _,
        ) if status.success() => {
            return parse(&program.stdout, &launch.names)
                .map_or_else(Outcome::Failed, Outcome::Values);
        }
        _ if cancel.reason().is_some() => return Outcome::Interrupted,
        (_, Some(limit)) if program.timed_out => Failure::new(
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
            Failure::new(FailureKind::Error, "the program could not be stopped")
        }
        (Err(error), _) => Failure::new(FailureKind::Signal, error.to_string()),
    };
    with_stderr(
        with_memory(failure, launch, &program.stderr.text),
        &program.stderr.text,
    )
    .into()
}

/// The message for a program that cannot be started.
fn cannot_start(launch: &ProgramLaunch, error: &io::Error) -> String {
    let too_long = error.kind() == io::ErrorKind::ArgumentListTooLong;
    let hint = too_long.then(|| launch.arguments.longest()).flatten().map_or(String::new(), |(name, length)| {
        format!(
            "; parameter `{name}` has {length} bytes, too long for an argument: read it from the file that {} names",
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
    launch: &ProgramLaunch,
    supervisors: &Supervisors,
    reporter: &Reporter,
    cancel: &Cancel,
) -> io::Result<EndedProgram> {
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
            // Once: the same error usually occurs at every step.
            if let Err(error) = report.report_named(step, &name, value)
                && !std::mem::replace(&mut refused, true)
            {
                say(&format!("{error}; the value is ignored"));
            }
        }
    };
    let stdout = Stream::start(stdout, STDOUT_KEPT, look);
    let stderr = Stream::start(stderr, STDERR_KEPT, |_| {});
    let (ended, timed_out) = wait(&mut supervisor, ender, launch.timeout, cancel);
    let ended = match ended {
        Ok(ended) => {
            // Otherwise the supervisor still waits for descendants.
            if ended.status.is_some() {
                supervisors.give_back(supervisor);
            }
            Ok(ended)
        }
        Err(_) => Err(io::Error::other(match supervisor.lost() {
            Ok(status) => format!("the supervisor of the program ended: {status}"),
            Err(error) => format!("the exit status of the program is unknown: {error}"),
        })),
    };
    Ok(EndedProgram {
        ended,
        timed_out,
        stdout: stdout.printed(),
        stderr: stderr.printed(),
    })
}

/// Waits for the program, which is asked to end at the timeout and when the trial is cancelled.
/// Also returns whether the timeout was reached.
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

/// Mentions the memory limit if the program reports a lack of memory.
fn with_memory(failure: Failure, launch: &ProgramLaunch, stderr: &str) -> Failure {
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

/// Adds the last lines of standard error.
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
