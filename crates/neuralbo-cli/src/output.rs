//! Standard output and standard error. Their reader may go away and their disk may be full: neither may cost a result.

use std::io::{ErrorKind, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use indicatif::ProgressBar;
use neuralbo::space::{Params, Space, Value};
use serde_json::{Map, Value as Json};

use crate::exit::CommandError;
use crate::number::number;

/// The bar on the terminal, if there is one: lines are printed above it.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Makes lines appear above this bar; `None` when it is gone.
pub fn set_bar(bar: Option<ProgressBar>) {
    *lock_bar() = bar;
}

fn lock_bar() -> MutexGuard<'static, Option<ProgressBar>> {
    BAR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints a line on standard error. One that cannot be written is lost: what it says is worth less than the run.
pub fn say(line: &str) {
    let line = harmless(line);
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

/// Prints an error and turns the outcome of a command into the exit code.
pub fn report(outcome: Result<u8, CommandError>) -> u8 {
    outcome.unwrap_or_else(|error| {
        say(&format!("error: {error}"));
        error.code()
    })
}

/// Prints text for people on standard output; a reader that has gone away is not an error of ours.
pub fn print(text: &str) -> Result<(), CommandError> {
    print_data(&harmless(text))
}

/// Prints data for programs on standard output, as it is.
pub fn print_data(text: &str) -> Result<(), CommandError> {
    let mut stdout = std::io::stdout().lock();
    wrote(
        "standard output",
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush()),
    )
}

/// The outcome of writing to standard output, or to what took its place.
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
    let json =
        serde_json::to_string(value).map_err(|error| CommandError::failure("--json", error))?;
    print_data(&(in_json(&json) + "\n"))
}

/// Text for a terminal: what came from programs and other users must not move the cursor, change colours or turn the direction
/// of writing. Such characters are shown by their numbers; lines and tabs are kept.
pub fn harmless(text: &str) -> String {
    escaped(
        text,
        |c| acts_on_terminal(c) && c != '\n' && c != '\t',
        |c| c.escape_default().to_string(),
    )
}

/// The same for a cell of a table, where a line would be taken for another row.
pub fn cell(text: &str) -> String {
    escaped(text, acts_on_terminal, |c| c.escape_default().to_string())
}

/// JSON escapes the control characters of ASCII only; a terminal also obeys others.
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

/// Control characters, and those that turn the direction of writing (UAX 9).
fn acts_on_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Parameters as a JSON object in the order of the space.
pub fn object(space: &Space, params: &Params) -> Json {
    let entry = |(name, value): (&str, &Value)| (name.to_owned(), value.to_json());
    Json::Object(space.ordered(params).map(entry).collect::<Map<_, _>>())
}

/// Parameters for people, one a line, in the order of the space.
pub fn lines(space: &Space, params: &Params) -> String {
    space
        .ordered(params)
        .map(|(name, value)| format!("  {name} = {}\n", shown(value)))
        .collect()
}

/// The value of a parameter for people.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Float(x) => number(*x),
        value => value.to_string(),
    }
}

/// The name of a worker for people: of a process its machine and its number.
pub fn who(worker: &str) -> &str {
    let end = worker
        .match_indices(':')
        .nth(1)
        .filter(|_| worker.matches(':').count() == 3);
    end.map_or(worker, |(end, _)| &worker[..end])
}

/// A number of things, in words.
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

/// Moments that are in no calendar, as those of a damaged storage may be, are shown as they are.
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
    fn finding_6_terminal_escapes_are_shown_and_not_obeyed() {
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
