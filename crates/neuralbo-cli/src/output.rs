//! Standard output and standard error. Their reader may go away and their disk may be full: neither may cost a result.

use std::io::{ErrorKind, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use indicatif::ProgressBar;
use neuralbo::space::{Params, Space, Value};
use serde_json::{Map, Value as Json};

use crate::exit::CommandError;

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
    let write = || _ = std::io::stderr().lock().write_all(format!("{line}\n").as_bytes());
    match lock_bar().as_ref() {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Prints on standard output; a reader that has gone away is not an error of ours.
pub fn print(text: &str) -> Result<(), CommandError> {
    let mut stdout = std::io::stdout().lock();
    wrote("standard output", stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// The outcome of writing to standard output, or to what took its place.
pub fn wrote(name: &str, result: std::io::Result<()>) -> Result<(), CommandError> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CommandError::Failure(format!("cannot write {name}: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints one JSON value and a newline.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), CommandError> {
    let json = serde_json::to_string(value).map_err(|error| CommandError::failure("--json", error))?;
    print(&(json + "\n"))
}

/// Parameters as a JSON object in the order of the space.
pub fn object(space: &Space, params: &Params) -> Json {
    let entry = |(name, value): (&str, &Value)| (name.to_owned(), value.to_json());
    Json::Object(space.ordered(params).map(entry).collect::<Map<_, _>>())
}

/// Parameters for people, one a line, in the order of the space.
pub fn lines(space: &Space, params: &Params) -> String {
    space.ordered(params).map(|(name, value)| format!("  {name} = {value}\n")).collect()
}

/// Six digits, with an exponent where they would not show.
pub fn short(value: f64) -> String {
    let plain = value == 0.0 || (1e-3..1e6).contains(&value.abs());
    if plain { format!("{value:.6}") } else { format!("{value:.5e}") }
}

/// The name of a worker for people: of a process its machine and its number.
pub fn who(worker: &str) -> &str {
    let end = worker.match_indices(':').nth(1).filter(|_| worker.matches(':').count() == 3);
    end.map_or(worker, |(end, _)| &worker[..end])
}

/// A number of things, in words.
pub fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// A point in time as `2026-11-15 06:15:04`, in UTC.
pub fn time(milliseconds: i64) -> String {
    let (year, month, day) = civil(milliseconds.div_euclid(86_400_000));
    format!("{year:04}-{month:02}-{day:02} {}", time_of_day(milliseconds))
}

/// The same without the day.
pub fn time_of_day(milliseconds: i64) -> String {
    let seconds = milliseconds.rem_euclid(86_400_000) / 1000;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Year, month and day of a number of days since 1970: eras of 400 years that begin on 1 March (Richards 2013, section 15.11.3).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(time(0), "1970-01-01 00:00:00");
        assert_eq!(time(951_782_399_000), "2000-02-28 23:59:59");
        assert_eq!(time(951_782_400_000), "2000-02-29 00:00:00");
        assert_eq!(time(1_794_723_304_000), "2026-11-15 06:15:04");
        assert_eq!(time(-1000), "1969-12-31 23:59:59");
    }
}
