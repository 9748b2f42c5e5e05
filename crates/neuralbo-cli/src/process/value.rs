//! Reading a value, and the intermediate values before it, from what a program printed.

use neuralbo::record::{Failure, FailureKind};
use serde_json::Value;

use super::stream::Printed;

/// How much is shown of a line that cannot be read.
const SHOWN: usize = 80;

/// The value on the last non-empty line: a number, or a JSON object with a number of the objective's name.
///
/// A line whose beginning was not kept has no value: its end might read as a number that nobody meant.
pub fn parse(stdout: &Printed, objective: &str) -> Result<f64, Failure> {
    let lines = stdout.text.lines().map(str::trim).enumerate();
    let last = lines.filter(|(_, line)| !line.is_empty()).last();
    let line = match last {
        Some((0, _)) | None if stdout.is_cut => return Err(too_long(stdout)),
        Some((_, line)) => line,
        None => return Err(Failure::new(FailureKind::Parse, "the program printed nothing on standard output")),
    };
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
pub fn steps(line: &str) -> impl Iterator<Item = (i64, String, f64)> {
    let object = Some(line).filter(|line| line.starts_with('{')).and_then(|line| serde_json::from_str(line).ok());
    let (step, object) = match object {
        Some(Value::Object(object)) => (object.get("step").and_then(Value::as_i64), object),
        _ => (None, serde_json::Map::new()),
    };
    let number = move |(name, value): (String, Value)| Some((step?, name, value.as_f64()?));
    object.into_iter().filter(|(name, _)| name != "step").filter_map(number)
}

fn too_long(stdout: &Printed) -> Failure {
    let message = format!("the last line of standard output is longer than {} bytes", stdout.limit);
    Failure::new(FailureKind::Parse, message)
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

    fn read(stdout: &str, objective: &str) -> Result<f64, Failure> {
        parse(&Printed { text: stdout.to_owned(), is_cut: false, limit: 1 << 20 }, objective)
    }

    fn kind(stdout: &str) -> Option<FailureKind> {
        read(stdout, "value").err().map(|failure| failure.kind)
    }

    #[test]
    fn reads_the_last_line_that_is_not_empty() {
        for (stdout, value) in [("1\n2\n", 2.0), ("start\n-1.5e-3\n\n  \n", -1.5e-3), (" +7 ", 7.0), ("1\r\n3\r\n", 3.0)] {
            assert_eq!(read(stdout, "value"), Ok(value), "{stdout:?}");
        }
    }

    #[test]
    fn reads_the_value_of_an_object() {
        assert_eq!(read("{\"value\": 2.5, \"epochs\": 3}", "value"), Ok(2.5));
        assert_eq!(read("{\"loss\": 2}", "loss"), Ok(2.0));
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
    fn finding_6_a_line_without_its_beginning_has_no_value() {
        for (text, value) in [("9\n5\n", Some(5.0)), ("9", None), ("9\n", None), ("9\n \n\n", None), ("  \n\n", None)] {
            let printed = Printed { text: text.to_owned(), is_cut: true, limit: 100 };
            let read = parse(&printed, "value");
            assert_eq!(read.clone().ok(), value, "{text:?}");
            assert!(value.is_some() || read.is_err_and(|failure| failure.message.contains("longer than 100 bytes")));
        }
    }

    #[test]
    fn a_long_line_is_shown_shortened() {
        let message = read(&"ä".repeat(10_000), "value").err().map(|failure| failure.message).unwrap_or_default();
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
