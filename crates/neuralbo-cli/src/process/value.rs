//! From what a program printed to its value.

use neuralbo::study::{Failure, FailureKind};

/// What is shown of a line that cannot be read.
const SHOWN: usize = 80;

/// The value on the last non-empty line: a number, or a JSON object with a number called `value`.
pub fn parse(stdout: &str) -> Result<f64, Failure> {
    let last = stdout.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let line = last.ok_or_else(|| Failure::new(FailureKind::Parse, "the program printed nothing on standard output"))?;
    let value = number(line).or_else(|| object(line)).ok_or_else(|| unreadable(line))?;
    if value.is_finite() {
        return Ok(value);
    }
    Err(Failure::new(FailureKind::NonFinite, format!("the program printed the value {value}")))
}

fn number(line: &str) -> Option<f64> {
    line.parse().ok()
}

fn object(line: &str) -> Option<f64> {
    serde_json::from_str::<serde_json::Value>(line).ok()?.get("value")?.as_f64()
}

fn unreadable(line: &str) -> Failure {
    let mut shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    let message =
        format!("the last line of standard output is `{shown}`, neither a number nor a JSON object with a number `value`");
    Failure::new(FailureKind::Parse, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(stdout: &str) -> Option<FailureKind> {
        parse(stdout).err().map(|failure| failure.kind)
    }

    #[test]
    fn reads_the_last_line_that_is_not_empty() {
        for (stdout, value) in [("1\n2\n", 2.0), ("start\n-1.5e-3\n\n  \n", -1.5e-3), (" +7 ", 7.0), ("1\r\n3\r\n", 3.0)] {
            assert_eq!(parse(stdout), Ok(value), "{stdout:?}");
        }
    }

    #[test]
    fn reads_the_value_of_an_object() {
        assert_eq!(parse("{\"value\": 2.5, \"epochs\": 3}"), Ok(2.5));
        assert_eq!(parse("{\"value\": 2}"), Ok(2.0));
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
        let message = parse(&"ä".repeat(10_000)).err().map(|failure| failure.message).unwrap_or_default();
        assert!(message.len() < 400 && message.contains('…'), "{message}");
    }
}
