//! What programs print.

use super::texts;
use crate::Target;
use crate::program::process::stream::Printed;
use crate::program::process::value::{parse, steps};

const WORDS: &[&str] = &[
    "{",
    "}",
    "\"value\"",
    "\"loss\"",
    "\"step\"",
    ":",
    ",",
    "\n",
    "\r\n",
    " ",
    "1",
    "-2.5",
    "nan",
    "inf",
    "1e999",
    "[",
    "]",
    "null",
    "true",
    "\u{1b}[31m",
    "ä",
    "\\u0000",
    "0x10",
    "+",
    "_",
    "1_000",
    "\t",
    "\u{a0}",
    "\u{2028}",
];

/// The output of a program: a value is finite and stands alone on the last line; intermediate values have a step.
pub const OUTPUT: Target = Target {
    name: "program_output",
    seeds,
    words: WORDS,
    check,
    few: 20_000,
};

fn seeds() -> Vec<Vec<u8>> {
    texts(&[
        "0.25\n",
        "start\n{\"step\": 1, \"value\": 0.5, \"loss\": 2}\n{\"value\": 0.25, \"epochs\": 12}\n",
        "1\n2\n\n  \n",
        "nan\n",
        "0.5 3\n",
        "1,2\n",
        "{\"value\": 1, \"loss\": NaN}",
        "{\"loss\": 2, \"value\": 0.5}",
        "{\"value\": [1]}",
        "{\"step\": -3, \"value\": null}\n-1e-3",
    ])
}

fn check(input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input).into_owned();
    let one = check_names(&text, &["value"]);
    let several = check_names(&text, &["value", "loss"]);
    for line in text.lines() {
        steps(line).for_each(|(_, name, _)| assert!(name != "step"));
    }
    one || several
}

/// Whether values were read: all that are wanted, finite, and as they stand on the last line.
fn check_names(text: &str, names: &[&str]) -> bool {
    let wanted: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let read = parse(
        &Printed {
            text: text.to_owned(),
            is_cut: false,
            limit: 1 << 20,
        },
        &wanted,
    );
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    match (&read, last) {
        (Ok(values), Some(line)) => {
            assert!(
                values.len() == names.len() && values.values().all(|value| value.is_finite()),
                "{values:?}"
            );
            // Numbers that JSON does not have are allowed beside those that are wanted.
            let plain = line
                .replace("-Infinity", "null")
                .replace("Infinity", "null")
                .replace("NaN", "null");
            let object = serde_json::from_str::<serde_json::Value>(line)
                .or_else(|_| serde_json::from_str(&plain))
                .ok();
            let json = |name: &str| object.as_ref()?.get(name)?.as_f64();
            let is_separator = |c: char| c.is_whitespace() || c == ',' || c == ';';
            let words = line.split(is_separator).filter(|word| !word.is_empty());
            let numbers: Option<Vec<f64>> = words.map(|word| word.parse().ok()).collect();
            for (place, name) in names.iter().enumerate() {
                let expected = numbers
                    .as_ref()
                    .map_or_else(|| json(name), |numbers| numbers.get(place).copied());
                assert_eq!(values.get(*name).copied(), expected, "{line}");
            }
        }
        (Ok(values), None) => panic!("{values:?} was read from nothing"),
        (Err(failure), _) => assert!(failure.message.len() < 4000, "{}", failure.message),
    }
    let cut = parse(
        &Printed {
            text: text.to_owned(),
            is_cut: true,
            limit: 1 << 20,
        },
        &wanted,
    );
    let alone = text.lines().skip(1).all(|line| line.trim().is_empty());
    assert!(
        !alone || cut.is_err(),
        "a line without its beginning was read as {cut:?}"
    );
    read.is_ok()
}
