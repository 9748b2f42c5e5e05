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
pub const OUTPUT: Target = Target { name: "program_output", seeds, words: WORDS, check, few: 20_000 };

fn seeds() -> Vec<Vec<u8>> {
    texts(&[
        "0.25\n",
        "start\n{\"step\": 1, \"value\": 0.5, \"loss\": 2}\n{\"value\": 0.25, \"epochs\": 12}\n",
        "1\n2\n\n  \n",
        "nan\n",
        "{\"value\": [1]}",
        "{\"step\": -3, \"value\": null}\n-1e-3",
    ])
}

fn check(input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input).into_owned();
    let read = parse(&Printed { text: text.clone(), is_cut: false, limit: 1 << 20 }, "value");
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    match (&read, last) {
        (Ok(value), Some(line)) => {
            assert!(value.is_finite());
            let json = || serde_json::from_str::<serde_json::Value>(line).ok()?.get("value")?.as_f64();
            assert_eq!(Some(*value), line.parse().ok().or_else(json), "{line}");
        }
        (Ok(value), None) => panic!("{value} was read from nothing"),
        (Err(failure), _) => assert!(failure.message.len() < 1000, "{}", failure.message),
    }
    let cut = parse(&Printed { text: text.clone(), is_cut: true, limit: 1 << 20 }, "value");
    let alone = text.lines().skip(1).all(|line| line.trim().is_empty());
    assert!(!alone || cut.is_err(), "a line without its beginning was read as {cut:?}");
    for line in text.lines() {
        steps(line).for_each(|(_, name, value)| assert!(value.is_finite() && name != "step"));
    }
    read.is_ok()
}
