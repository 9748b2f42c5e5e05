//! Sizes of memory as users write them.

use crate::number::amount;

const ALLOWED: &str = "a number of bytes of at least 16M, such as 500M, 2G or 1.5GiB";
/// The supervisor itself must live within the limit.
const LEAST: f64 = 16.0 * 1024.0 * 1024.0;

/// Reads `2G`, `500M`, `1.5GiB` or a number of bytes; the units are powers of 1024.
pub fn bytes(text: &str) -> Result<u64, String> {
    amount(text, unit_of)
        .filter(|bytes| (LEAST..9e18).contains(bytes))
        .map(|bytes| bytes as u64)
        .ok_or_else(|| format!("it must be {ALLOWED}"))
}

fn unit_of(unit: &str) -> Option<f64> {
    let power = match unit
        .to_ascii_lowercase()
        .trim_end_matches('b')
        .trim_end_matches('i')
    {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return None,
    };
    Some(1024f64.powi(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_and_without_units() {
        let cases = [
            ("2G", 2 << 30),
            ("500M", 500 << 20),
            ("1.5GiB", 3 << 29),
            ("33554432", 32 << 20),
            (" 64 mb ", 64 << 20),
        ];
        for (text, size) in cases {
            assert_eq!(bytes(text), Ok(size), "{text}");
        }
        for text in [
            "", "G", "-2G", "0", "1M", "two", "2X", "nan", "inf", "1e30", "2GG",
        ] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
