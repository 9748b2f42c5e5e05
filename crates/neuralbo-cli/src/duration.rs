//! Durations as people write them.

use std::time::Duration;

use crate::number::amount;

const ALLOWED: &str = "a positive number of seconds, or a number followed by ms, s, m, h or d, such as 90, 60s, 10m or 1.5h";

/// Reads `90`, `500ms`, `60s`, `10m`, `1.5h` or `2d`.
pub fn parse(text: &str) -> Result<Duration, String> {
    amount(text, seconds_per)
        .filter(|&seconds| seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| format!("it must be {ALLOWED}"))
}

fn seconds_per(unit: &str) -> Option<f64> {
    match unit {
        "ms" => Some(1e-3),
        "" | "s" => Some(1.0),
        "m" | "min" => Some(60.0),
        "h" => Some(3600.0),
        "d" => Some(86400.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_with_and_without_units() {
        let cases = [
            ("90", 90.0),
            ("60s", 60.0),
            ("10m", 600.0),
            ("1.5h", 5400.0),
            ("250ms", 0.25),
            ("2d", 172_800.0),
            (" 3 s ", 3.0),
        ];
        for (text, seconds) in cases {
            assert_eq!(parse(text), Ok(Duration::from_secs_f64(seconds)), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_positive_duration() {
        for text in [
            "",
            "s",
            "-1s",
            "0",
            "ten",
            "10 parsecs",
            "1e400",
            "nan",
            "inf",
            "1h30m",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
