//! Reading values, and the intermediate values before them, from what a program printed.

use neuralbo::record::{Failure, FailureKind, Values};
use serde_json::{Map, Value};

use super::stream::Printed;

/// How much is shown of a line that cannot be read.
const SHOWN: usize = 80;

/// The values on the last non-empty line: a number for each of `names` in their order, or a JSON object with a number under each
/// name; what else an object holds is the program's business. All of them are finite.
///
/// A line without its beginning has no value: its end might look like a number.
pub fn parse(stdout: &Printed, names: &[String]) -> Result<Values, Failure> {
    let lines = stdout.text.lines().map(str::trim).enumerate();
    let last = lines.filter(|(_, line)| !line.is_empty()).last();
    let line = match last {
        Some((0, _)) | None if stdout.is_cut => return Err(too_long(stdout)),
        Some((_, line)) => line,
        None => return Err(unparsed("the program printed nothing on standard output")),
    };
    let values = match (numbers(line, names.len()), object(line)) {
        (Some(numbers), _) => in_order(line, names, &numbers)?,
        (None, Some(object)) => by_name(line, names, &object)?,
        (None, None) => return Err(unreadable(line, names)),
    };
    match values.iter().find(|(_, value)| !value.is_finite()) {
        None => Ok(values),
        Some((_, value)) if names.len() == 1 => Err(nonfinite(&format!("the value {value}"))),
        Some((name, value)) => Err(nonfinite(&format!("{name} = {value}"))),
    }
}

/// The numbers of a line that has nothing else; several are separated by spaces, commas or semicolons.
fn numbers(line: &str, wanted: usize) -> Option<Vec<f64>> {
    if wanted == 1 {
        return Some(vec![line.parse().ok()?]);
    }
    let words = line
        .split(|c: char| c.is_whitespace() || c == ',' || c == ';')
        .filter(|word| !word.is_empty());
    let numbers: Vec<f64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    Some(numbers).filter(|numbers| !numbers.is_empty())
}

fn in_order(line: &str, names: &[String], numbers: &[f64]) -> Result<Values, Failure> {
    if numbers.len() == names.len() {
        return Ok(names.iter().cloned().zip(numbers.iter().copied()).collect());
    }
    let (found, wanted) = (numbers.len(), names.len());
    Err(last_line_is(
        line,
        match names.get(found..) {
            Some(missing) => {
                format!(
                    "{found} of {wanted} values; no value for {}",
                    listed(missing)
                )
            }
            None => {
                let (surplus, names) = (found - wanted, listed(names));
                format!("{found} values, {surplus} too many; expected {wanted}: {names}")
            }
        },
    ))
}

fn by_name(line: &str, names: &[String], object: &Map<String, Value>) -> Result<Values, Failure> {
    let read = |name: &String| Some((name.clone(), number(object.get(name)?)?));
    let missing: Vec<String> = names
        .iter()
        .filter(|name| read(name).is_none())
        .cloned()
        .collect();
    if missing.is_empty() {
        return Ok(names.iter().filter_map(read).collect());
    }
    if let [_] = names {
        return Err(unreadable(line, names));
    }
    let unknown: Vec<String> = object
        .keys()
        .filter(|key| !names.contains(key))
        .cloned()
        .collect();
    let unknown = if unknown.is_empty() {
        String::new()
    } else {
        format!("; unknown names: {}", listed(&unknown))
    };
    let missing = listed(&missing);
    Err(last_line_is(
        line,
        format!("a JSON object without a number for {missing}{unknown}"),
    ))
}

/// What Python and JavaScript print for numbers that JSON does not have.
const NOT_FINITE: [(&str, f64); 3] = [
    ("NaN", f64::NAN),
    ("-Infinity", f64::NEG_INFINITY),
    ("Infinity", f64::INFINITY),
];

fn number(value: &Value) -> Option<f64> {
    let marked = || {
        let word = value.as_str()?.strip_prefix(MARK)?;
        let found = NOT_FINITE.iter().find(|(known, _)| *known == word);
        found.map(|(_, number)| *number)
    };
    value.as_f64().or_else(marked)
}

/// Begins a text that stands for a number which is not finite.
const MARK: char = '\u{1}';

fn object(line: &str) -> Option<Map<String, Value>> {
    let line = Some(line).filter(|line| line.starts_with('{'))?;
    let read = serde_json::from_str(line);
    read.or_else(|_| serde_json::from_str(&with_marks(line)))
        .ok()
}

/// The line with a marked text for each number outside of its texts that is not finite.
fn with_marks(line: &str) -> String {
    let (mut written, mut rest, mut in_text) = (String::new(), line, false);
    while let Some(next) = rest.chars().next() {
        let mut words = NOT_FINITE.iter().map(|(word, _)| word);
        let word = words.find(|word| !in_text && rest.starts_with(**word));
        let after = word.map_or("", |word| &rest[word.len()..]);
        // A name is no number.
        if let Some(word) = word.filter(|_| !after.trim_start().starts_with(':')) {
            written += &format!("\"\\u0001{word}\"");
            rest = after;
            continue;
        }
        // What follows a backslash ends no text.
        let count = if in_text && next == '\\' { 2 } else { 1 };
        in_text ^= next == '"';
        let length = rest.chars().take(count).map(char::len_utf8).sum();
        written += &rest[..length];
        rest = &rest[length..];
    }
    written
}

/// The intermediate values on a line, as step, name and value: the numbers of a JSON object that has a whole number `step`.
pub fn steps(line: &str) -> impl Iterator<Item = (i64, String, f64)> {
    let object = object(line).unwrap_or_default();
    let step = object.get("step").and_then(Value::as_i64);
    let named = move |(name, value): (String, Value)| Some((step?, name, number(&value)?));
    let others = object.into_iter().filter(|(name, _)| name != "step");
    others.filter_map(named)
}

fn too_long(stdout: &Printed) -> Failure {
    let limit = stdout.limit;
    unparsed(format!(
        "the last line of standard output is longer than {limit} bytes"
    ))
}

fn nonfinite(what: &str) -> Failure {
    Failure::new(
        FailureKind::NonFinite,
        format!("the program printed {what}"),
    )
}

fn unparsed(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Parse, message)
}

fn last_line_is(line: &str, what: String) -> Failure {
    let line = shortened(line);
    unparsed(format!(
        "the last line of standard output is `{line}`, {what}"
    ))
}

fn unreadable(line: &str, names: &[String]) -> Failure {
    last_line_is(
        line,
        match names {
            [name] => format!("neither a number nor a JSON object with a number `{name}`"),
            names => {
                let (count, names) = (names.len(), listed(names));
                format!("neither {count} numbers nor a JSON object with numbers {names}")
            }
        },
    )
}

fn shortened(line: &str) -> String {
    let mut shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    shown
}

/// Some of the names; a program may print any number of them.
fn listed(names: &[String]) -> String {
    const LISTED: usize = 6;
    let mut shown: Vec<String> = names
        .iter()
        .take(LISTED)
        .map(|name| format!("`{}`", shortened(name)))
        .collect();
    if names.len() > LISTED {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(stdout: &str, names: &[&str]) -> Result<Values, Failure> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        parse(
            &Printed {
                text: stdout.to_owned(),
                is_cut: false,
                limit: 1 << 20,
            },
            &names,
        )
    }

    fn read(stdout: &str, objective: &str) -> Result<f64, Failure> {
        read_all(stdout, &[objective])
            .map(|values| values.get(objective).copied().unwrap_or(f64::NAN))
    }

    #[test]
    fn the_value_is_on_the_last_line_that_is_not_empty() {
        for (stdout, value) in [
            ("1\n2\n", 2.0),
            ("start\n-1.5e-3\n\n  \n", -1.5e-3),
            (" +7 ", 7.0),
            ("1\r\n3\r\n", 3.0),
            (r#"{"value": 2.5, "epochs": 3}"#, 2.5),
        ] {
            assert_eq!(read(stdout, "value"), Ok(value), "{stdout:?}");
        }
        assert_eq!(read(r#"{"loss": 2}"#, "loss"), Ok(2.0));
    }

    #[test]
    fn missing_values_and_values_that_are_not_finite_are_failures() {
        let unreadable = r#"|done|1 2|{"loss": 1}|{"value": "1"}|{"value": null}|[1]|{"value": 1|{NaN:5, "value": 1}|{"a": {Infinity : 5}, "value": 1}"#;
        let not_finite =
            r#"nan|NaN|inf|-Infinity|1e999|{"value": NaN}|{"t": "\"{", "value":-Infinity}"#;
        for (texts, kind) in [
            (unreadable, FailureKind::Parse),
            (not_finite, FailureKind::NonFinite),
        ] {
            for stdout in texts.split('|') {
                let failure = read(stdout, "value").err().map(|failure| failure.kind);
                assert_eq!(failure, Some(kind), "{stdout:?}");
            }
        }
    }

    #[test]
    fn a_line_without_its_beginning_has_no_value() {
        for (text, value) in [
            ("9\n5\n", Some(5.0)),
            ("9", None),
            ("9\n", None),
            ("9\n \n\n", None),
            ("  \n\n", None),
        ] {
            let printed = Printed {
                text: text.to_owned(),
                is_cut: true,
                limit: 100,
            };
            let read = parse(&printed, &["value".to_owned()]);
            assert_eq!(
                read.clone()
                    .ok()
                    .and_then(|values| values.get("value").copied()),
                value,
                "{text:?}"
            );
            assert!(
                value.is_some()
                    || read.is_err_and(|failure| failure.message.contains("longer than 100 bytes"))
            );
        }
    }

    const BOTH: [&str; 3] = ["loss", "latency", "memory"];

    #[test]
    fn several_values_are_read_by_place_or_by_name() {
        let values = [("loss", 0.5), ("latency", 3.0), ("memory", 4e9)]
            .map(|(name, value)| (name.to_owned(), value));
        let object =
            "{\"memory\": 4e9, \"epochs\": 12, \"latency\": 3, \"loss\": 0.5, \"note\": null}";
        for stdout in [
            "log 1 2 3\n0.5 3 4e9\n",
            "0.5, 3, 4e9",
            "0.5;3\t4e9",
            object,
        ] {
            assert_eq!(
                read_all(stdout, &BOTH),
                Ok(Values::from(values.clone())),
                "{stdout}"
            );
        }
    }

    #[test]
    fn what_is_missing_unknown_or_too_much_is_named() {
        let cases = [
            ("0.5 3", "2 of 3 values; no value for `memory`"),
            ("0.5", "1 of 3 values; no value for `latency`, `memory`"),
            (
                "1 2 3 4",
                "4 values, 1 too many; expected 3: `loss`, `latency`, `memory`",
            ),
            (
                "{\"loss\": 1, \"latency\": 2}",
                "without a number for `memory`",
            ),
            (
                "{\"loss\": 1, \"latencyy\": 2, \"memory\": 3}",
                "without a number for `latency`; unknown names: `latencyy`",
            ),
            (
                "{\"loss\": \"1\", \"latency\": 2, \"memory\": null}",
                "without a number for `loss`, `memory`",
            ),
            (
                "done",
                "neither 3 numbers nor a JSON object with numbers `loss`, `latency`, `memory`",
            ),
        ];
        for (stdout, words) in cases {
            let failure = read_all(stdout, &BOTH)
                .err()
                .unwrap_or_else(|| Failure::new(FailureKind::Error, "read"));
            assert_eq!(failure.kind, FailureKind::Parse, "{stdout}");
            assert!(failure.message.contains(words), "{stdout}: {failure}");
        }
    }

    #[test]
    fn the_value_that_is_not_finite_is_named() {
        for (stdout, words) in [
            ("1 nan 3", "latency = NaN"),
            (
                "{\"loss\": 1, \"latency\": 2, \"memory\": Infinity}",
                "memory = inf",
            ),
            (
                "{\"loss\": NaN, \"t\": \"NaN\", \"latency\": 2, \"memory\": 3}",
                "loss = NaN",
            ),
        ] {
            let failure = read_all(stdout, &BOTH).err();
            let message = failure
                .filter(|failure| failure.kind == FailureKind::NonFinite)
                .map(|failure| failure.message);
            assert_eq!(
                message,
                Some(format!("the program printed {words}")),
                "{stdout}"
            );
        }
    }

    #[test]
    fn a_long_line_is_shown_shortened() {
        let message = read(&"ä".repeat(10_000), "value").err();
        let message = message.map(|failure| failure.message).unwrap_or_default();
        assert!(message.len() < 400 && message.contains('…'), "{message}");
    }

    #[test]
    fn only_objects_with_a_step_are_intermediate_values() {
        let read = |line: &str| steps(line).collect::<Vec<_>>();
        assert_eq!(
            read(r#"{"step": 3, "value": 0.7}"#),
            [(3, "value".to_owned(), 0.7)]
        );
        assert_eq!(
            read(r#"{"loss": 2, "step": -1, "note": "x"}"#),
            [(-1, "loss".to_owned(), 2.0)]
        );
        for line in [
            "0.7",
            r#"{"value": 1}"#,
            r#"{"step": 1.5, "value": 1}"#,
            r#"{"step": 1"#,
            "[1]",
            "",
        ] {
            assert_eq!(read(line), [], "{line}");
        }
    }
}
