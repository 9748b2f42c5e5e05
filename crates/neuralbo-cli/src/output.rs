//! Standard output, standard error, errors and exit codes. A closed pipe or a full disk must not cost
//! a result.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use indicatif::ProgressBar;
use neuralbo::record::DefinitionError;
use neuralbo::space::{Params, Space, Value};
use neuralbo::store::StoreError;
use neuralbo::strategy::presets::MethodError;
use neuralbo::study::StudyError;
use neuralbo_store::{RecoveryError, without_passwords};
use serde_json::{Map, Value as Json};

use crate::number::number;

/// Success.
pub const EXIT_OK: u8 = 0;
/// Valid input, but a failure: a program that cannot start, a file that cannot be written, no value.
pub const EXIT_FAILURE: u8 = 1;
/// Invalid input; nothing was run.
pub const EXIT_USAGE: u8 = 2;
/// A check found problems in a storage.
pub const EXIT_UNSOUND: u8 = 3;
/// Interrupted; the result so far was printed.
pub const EXIT_INTERRUPTED: u8 = 130;

/// The reason for a failed command.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Invalid input.
    #[error("{0}")]
    Usage(String),
    /// A failure while running.
    #[error("{0}")]
    Failure(String),
}

impl CommandError {
    /// Invalid input of an option.
    pub fn usage(option: &str, error: impl std::fmt::Display) -> Self {
        Self::Usage(format!("{option}: {error}"))
    }

    /// A failure of the named thing.
    pub fn failure(what: &str, error: impl std::fmt::Display) -> Self {
        Self::Failure(format!("{what}: {error}"))
    }

    /// A file that cannot be written.
    pub fn unwritten(path: &Path, error: &std::io::Error) -> Self {
        Self::Failure(format!("cannot write `{}`: {error}", path.display()))
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::Usage(_) => EXIT_USAGE,
            Self::Failure(_) => EXIT_FAILURE,
        }
    }
}

/// Results whose errors become those of a command.
pub trait OrCommandError<T> {
    /// The error is invalid input of an option.
    fn or_usage(self, option: &str) -> Result<T, CommandError>;

    /// The error is a failure of the named thing.
    fn or_failure(self, what: &str) -> Result<T, CommandError>;
}

impl<T, E: std::fmt::Display> OrCommandError<T> for Result<T, E> {
    fn or_usage(self, option: &str) -> Result<T, CommandError> {
        self.map_err(|error| CommandError::usage(option, error))
    }

    fn or_failure(self, what: &str) -> Result<T, CommandError> {
        self.map_err(|error| CommandError::failure(what, error))
    }
}

/// Wrong names, URLs and trials are invalid input, all others are failures.
impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::BadUrl { .. }
            | StoreError::BadName { .. }
            | StoreError::BadTrial { .. }
            | StoreError::BadDefinition { .. }
            | StoreError::BadAttributes { .. }
            | StoreError::Missing { .. }
            | StoreError::UnknownStudy { .. }
            | StoreError::UnknownTrial { .. }
            | StoreError::NameTaken { .. } => Self::Usage(error.to_string()),
            _ => Self::Failure(error.to_string()),
        }
    }
}

impl From<RecoveryError> for CommandError {
    fn from(error: RecoveryError) -> Self {
        match error {
            RecoveryError::Storage(error) => error.into(),
            RecoveryError::Folder { .. } => Self::Failure(error.to_string()),
        }
    }
}

impl From<MethodError> for CommandError {
    fn from(error: MethodError) -> Self {
        let option = match error {
            MethodError::UnknownMethod { .. } | MethodError::Unsuitable { .. } => "--method",
            _ => "--option",
        };
        Self::usage(option, error)
    }
}

impl From<DefinitionError> for CommandError {
    fn from(error: DefinitionError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<StudyError> for CommandError {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Store(error) => error.into(),
            StudyError::Method(error) => error.into(),
            StudyError::Space(error) => Self::Usage(error.to_string()),
            StudyError::Definition(error) => error.into(),
            _ => Self::Failure(error.to_string()),
        }
    }
}

/// Prints the error of a command, if any. Returns the exit code.
pub fn report(outcome: Result<u8, CommandError>) -> u8 {
    outcome.unwrap_or_else(|error| {
        say(&format!("error: {error}"));
        error.code()
    })
}

/// The progress bar, if any: lines are printed above it.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Sets or removes the progress bar.
pub fn set_bar(bar: Option<ProgressBar>) {
    *lock_bar() = bar;
}

fn lock_bar() -> MutexGuard<'static, Option<ProgressBar>> {
    BAR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints a line on standard error, without passwords; write errors are ignored.
pub fn say(line: &str) {
    let line = harmless(&without_passwords(line));
    let write = || {
        _ = std::io::stderr()
            .lock()
            .write_all(format!("{line}\n").as_bytes())
    };
    match lock_bar().as_ref() {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Prints text for users on standard output; a closed pipe is not an error.
pub fn print(text: &str) -> Result<(), CommandError> {
    print_data(&harmless(text))
}

/// Prints data for programs on standard output, unescaped.
pub fn print_data(text: &str) -> Result<(), CommandError> {
    let mut stdout = std::io::stdout().lock();
    wrote(
        "standard output",
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush()),
    )
}

/// The result of writing to standard output or a file.
pub fn wrote(name: &str, result: std::io::Result<()>) -> Result<(), CommandError> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CommandError::Failure(format!(
            "cannot write {name}: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Prints one JSON value and a newline.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), CommandError> {
    let json = serde_json::to_string(value).or_failure("--json")?;
    print_data(&(in_json(&json) + "\n"))
}

/// Prints the answer of a command, as JSON or as text. Returns the exit code.
pub fn answer(json: bool, data: &impl serde::Serialize, text: &str) -> Result<u8, CommandError> {
    if json {
        print_json(data)?;
    } else {
        print(text)?;
    }
    Ok(EXIT_OK)
}

/// The exit code of a command that ran.
pub fn exit_code(success: bool) -> u8 {
    if success { EXIT_OK } else { EXIT_FAILURE }
}

/// Text for a terminal. Characters from programs and other users that move the cursor, change colours
/// or the writing direction are shown by their numbers; lines and tabs are kept.
pub fn harmless(text: &str) -> String {
    escaped(
        text,
        |c| acts_on_terminal(c) && c != '\n' && c != '\t',
        |c| c.escape_default().to_string(),
    )
}

/// The same for a cell of a table, on one line.
pub fn cell(text: &str) -> String {
    escaped(text, acts_on_terminal, |c| c.escape_default().to_string())
}

/// JSON escapes only the ASCII control characters; terminals also obey others.
fn in_json(text: &str) -> String {
    escaped(
        text,
        |c| acts_on_terminal(c) && !c.is_ascii_whitespace(),
        |c| format!("\\u{:04x}", c as u32),
    )
}

fn escaped(
    text: &str,
    unwanted: impl Fn(char) -> bool,
    spelled: impl Fn(char) -> String,
) -> String {
    let spell = |c: char| {
        if unwanted(c) {
            spelled(c)
        } else {
            c.to_string()
        }
    };
    if text.contains(&unwanted) {
        text.chars().map(spell).collect()
    } else {
        text.to_owned()
    }
}

/// Control characters and those that change the writing direction (UAX 9).
fn acts_on_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Parameters as a JSON object in the order of the space.
pub fn object(space: &Space, params: &Params) -> Json {
    let entry = |(name, value): (&str, &Value)| (name.to_owned(), value.to_json());
    Json::Object(space.ordered(params).map(entry).collect::<Map<_, _>>())
}

/// Parameters for users, one per line, in the order of the space.
pub fn lines(space: &Space, params: &Params) -> String {
    space
        .ordered(params)
        .map(|(name, value)| format!("  {name} = {}\n", shown(value)))
        .collect()
}

/// The value of a parameter for users.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Float(x) => number(*x),
        value => value.to_string(),
    }
}

/// The name of a worker for users: machine and process number.
pub fn who(worker: &str) -> &str {
    let end = worker
        .match_indices(':')
        .nth(1)
        .filter(|_| worker.matches(':').count() == 3);
    end.map_or(worker, |(end, _)| &worker[..end])
}

/// A count with its noun.
pub fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// A point in time as `2026-11-15 06:15:04`, in UTC.
pub fn time(milliseconds: i64) -> String {
    formatted("%Y-%m-%d %H:%M:%S", milliseconds)
}

/// The same without the day.
pub fn time_of_day(milliseconds: i64) -> String {
    formatted("%H:%M:%S", milliseconds)
}

/// Times outside the calendar, as in a damaged storage, are shown in milliseconds.
fn formatted(format: &str, milliseconds: i64) -> String {
    let moment = jiff::Timestamp::from_millisecond(milliseconds);
    moment.map_or_else(
        |_| format!("{milliseconds} ms"),
        |moment| moment.strftime(format).to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_escapes_are_shown_and_not_obeyed() {
        assert_eq!(harmless("a\u{1b}[2Jb\tc\nd\re"), "a\\u{1b}[2Jb\tc\nd\\re");
        assert_eq!(cell("x\ny\u{9b}31m\u{202e}z"), "x\\ny\\u{9b}31m\\u{202e}z");
        assert_eq!(harmless("äöü → ok"), "äöü → ok");
        let json = serde_json::to_string("\u{9b}\u{1b}\u{7f}\u{202e}").unwrap_or_default();
        assert_eq!(in_json(&json), r#""\u009b\u001b\u007f\u202e""#);
        assert_eq!(
            serde_json::from_str::<String>(&in_json(&json))
                .ok()
                .as_deref(),
            Some("\u{9b}\u{1b}\u{7f}\u{202e}")
        );
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(time(0), "1970-01-01 00:00:00");
        assert_eq!(time(951_782_399_000), "2000-02-28 23:59:59");
        assert_eq!(time(951_782_400_000), "2000-02-29 00:00:00");
        assert_eq!(time(1_794_723_304_000), "2026-11-15 06:15:04");
        assert_eq!(time(-1000), "1969-12-31 23:59:59");
        assert_eq!(
            (time_of_day(1_794_723_304_999), time(i64::MAX)),
            ("06:15:04".to_owned(), "9223372036854775807 ms".to_owned())
        );
    }
}
