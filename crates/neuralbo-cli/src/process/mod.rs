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
pub use params::{FILE_VARIABLE, WITHHELD, file, variables};
pub use template::{CHECKPOINT, CommandTemplate, STEPS};

use std::io::{self, PipeReader};
use std::process::ExitStatus;
use std::time::Duration;

use crate::output::say;
use crate::platform::{
    Ended, Ender, Platform, Program, StartError, Supervisor, Supervisors, System,
};
use neuralbo::drive::{Cancel, Reporter};
use neuralbo::record::{Failure, FailureKind, Outcome};
use neuralbo::space::Params;
use stream::{Printed, Stream};
use value::{parse, steps};

/// The bytes kept of standard output: the value is on its last line.
const STDOUT_KEPT: usize = 1 << 20;
/// The bytes kept of standard error, for the failure message.
const STDERR_KEPT: usize = 1 << 14;
/// The number and length of the lines of standard error in a failure message.
const STDERR_LINES: usize = 3;
const STDERR_LINE: usize = 200;
/// How often and how soon a start is tried again that failed for want of processes, memory or files.
const START_TRIES: u32 = 50;
const START_PAUSE: Duration = Duration::from_millis(100);
/// Messages of programs that run out of memory: Python, C, C++, Rust, the JVM.
const OUT_OF_MEMORY: [&str; 6] = [
    "memoryerror",
    "cannot allocate memory",
    "bad_alloc",
    "memory allocation of",
    "out of memory",
    "outofmemoryerror",
];

/// A program to be run for a trial.
#[derive(Debug)]
pub struct ProgramLaunch {
    pub program: Program,
    /// The point.
    pub params: Params,
    /// The time limit.
    pub timeout: Option<Duration>,
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
    let program = match begin(launch, supervisors, cancel) {
        Ok(begun) => to_the_end(begun, launch, supervisors, reporter, cancel),
        Err(StartError::Program(error)) => {
            return Failure::new(FailureKind::Start, cannot_start(launch, &error)).into();
        }
        Err(StartError::Machine(error) | StartError::Supervisor(error)) => {
            return Outcome::NotStarted(cannot_start(launch, &error));
        }
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
    let stderr = &program.stderr.text;
    with_stderr(with_memory(failure, launch, stderr), stderr).into()
}

/// The message for a program that cannot be started.
fn cannot_start(launch: &ProgramLaunch, error: &io::Error) -> String {
    let program = launch.program.arguments.first().map_or("", String::as_str);
    let params = launch.params.iter();
    let lengths = params.map(|(name, value)| (name, value.to_string().len()));
    let hint = match lengths.max_by_key(|(_, length)| *length) {
        Some((name, length)) if error.kind() == io::ErrorKind::ArgumentListTooLong => format!(
            "; parameter `{name}` has {length} bytes, too long for an argument: read it from the file that {} names",
            FILE_VARIABLE
        ),
        _ => String::new(),
    };
    format!("cannot start `{program}`: {error}{hint}")
}

/// A program that runs.
struct BegunProgram {
    supervisor: <System as Platform>::Supervisor,
    ender: Ender,
    stdout: PipeReader,
    stderr: PipeReader,
}

/// Starts the program. What the machine lacks is waited for, and a supervisor that has ended is replaced.
fn begin(
    launch: &ProgramLaunch,
    supervisors: &Supervisors,
    cancel: &Cancel,
) -> Result<BegunProgram, StartError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match begin_once(launch, supervisors) {
            Err(StartError::Machine(error) | StartError::Supervisor(error))
                if System::may_pass(&error) && tries < START_TRIES && cancel.reason().is_none() =>
            {
                std::thread::sleep(START_PAUSE)
            }
            begun => return begun,
        }
    }
}

fn begin_once(
    launch: &ProgramLaunch,
    supervisors: &Supervisors,
) -> Result<BegunProgram, StartError> {
    let (stdout, stdout_writer) = io::pipe().map_err(StartError::Machine)?;
    let (stderr, stderr_writer) = io::pipe().map_err(StartError::Machine)?;
    let mut supervisor = supervisors.take().map_err(StartError::Supervisor)?;
    match supervisor.run(&launch.program, [stdout_writer, stderr_writer]) {
        Ok(ender) => Ok(BegunProgram {
            supervisor,
            ender,
            stdout,
            stderr,
        }),
        Err(error) => {
            if !matches!(error, StartError::Supervisor(_)) {
                supervisors.give_back(supervisor);
            }
            Err(error)
        }
    }
}

fn to_the_end(
    begun: BegunProgram,
    launch: &ProgramLaunch,
    supervisors: &Supervisors,
    reporter: &Reporter,
    cancel: &Cancel,
) -> EndedProgram {
    let BegunProgram {
        mut supervisor,
        ender,
        stdout,
        stderr,
    } = begun;
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
    EndedProgram {
        ended,
        timed_out,
        stdout: stdout.printed(),
        stderr: stderr.printed(),
    }
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
    let said = stderr.to_lowercase();
    let is_cause = matches!(failure.kind, FailureKind::Exit | FailureKind::Signal)
        && OUT_OF_MEMORY.iter().any(|words| said.contains(words));
    let Some(limit) = launch.memory.filter(|_| is_cause) else {
        return failure;
    };
    let (message, megabytes) = (failure.message, limit / (1 << 20));
    let text = format!("{message}, out of memory: --memory allows {megabytes} MiB");
    Failure::new(failure.kind, text)
}

/// Adds the last lines of standard error.
fn with_stderr(failure: Failure, stderr: &str) -> Failure {
    let lines = stderr.lines().map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(STDERR_LINES)..];
    if last.is_empty() {
        return failure;
    }
    let short = |line: &&str| line.chars().take(STDERR_LINE).collect();
    let (message, last) = (
        failure.message,
        last.iter().map(short).collect::<Vec<String>>(),
    );
    let text = format!("{message}; standard error ends with: {}", last.join(" / "));
    Failure::new(failure.kind, text)
}
