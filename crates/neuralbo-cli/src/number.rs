//! Numbers and durations as people read them. Programs get all digits instead.

/// Digits that are shown.
const DIGITS: i32 = 6;

/// At most six significant digits without zeros at the end; with an exponent where they would not show, and never `-0`. Whole
/// numbers of up to fifteen digits are shown as they are.
pub fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return value.to_string();
    }
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    // The exponent after rounding: 9.9999999 is 10.
    let scientific = format!("{value:.*e}", (DIGITS - 1) as usize);
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..DIGITS + 1).contains(&exponent) {
        let decimals = (DIGITS - 1 - exponent).max(0) as usize;
        return without_zeros(&format!("{value:.decimals$}"));
    }
    format!("{}e{exponent}", without_zeros(digits))
}

fn without_zeros(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

/// A duration in the largest units that matter: `850 ms`, `12.3 s`, `4 min 5 s`, `3 h 20 min`, `2 d 4 h`.
pub fn duration(seconds: f64) -> String {
    if !(seconds.is_finite() && seconds >= 0.0) {
        return "?".to_owned();
    }
    let whole = seconds.round() as u64;
    let two = |large: u64, large_unit: &str, small: u64, small_unit: &str| match small {
        0 => format!("{large} {large_unit}"),
        _ => format!("{large} {large_unit} {small} {small_unit}"),
    };
    match whole {
        _ if seconds < 0.01 => format!("{} ms", number((1e5 * seconds).round() / 1e2)),
        _ if seconds < 0.9995 => format!("{:.0} ms", 1e3 * seconds),
        _ if seconds < 59.95 => format!("{} s", number((10.0 * seconds).round() / 10.0)),
        _ if whole < 3600 => two(whole / 60, "min", whole % 60, "s"),
        _ if whole < 86_400 => two(whole / 3600, "h", whole % 3600 / 60, "min"),
        _ => two(whole / 86_400, "d", whole % 86_400 / 3600, "h"),
    }
}

/// A number with a unit as people write it, times what `unit` says the unit is; no unit is the empty word.
pub fn amount(text: &str, unit: impl Fn(&str) -> Option<f64>) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic());
    let (number, word) = text.split_at(end.unwrap_or(text.len()));
    Some(number.trim().parse::<f64>().ok()? * unit(word)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_not_shown_as_zero() {
        let cases = [
            (1e-9, "1e-9"),
            (-2.5e-7, "-2.5e-7"),
            (0.0, "0"),
            (-0.0, "0"),
            (0.5, "0.5"),
            (100.0, "100"),
        ];
        let more = [
            (0.00123, "0.00123"),
            (1e300, "1e300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
            (1e15, "1e15"),
        ];
        let rounded = [
            (0.000_000_000_000_000_000_010_684_6, "1.06846e-20"),
            (1_234_567.25, "1234567"),
            (0.999_999_97, "1"),
            (9.999_999_7e-5, "0.0001"),
            (123_456_789.0, "123456789"),
            (123_456_789.5, "1.23457e8"),
            (-2.718_500_4, "-2.7185"),
        ];
        for (value, text) in cases.into_iter().chain(more).chain(rounded) {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn what_is_shown_is_the_number_to_six_digits() {
        let mut value = 1.234_567_89e-30_f64;
        while value < 1e30 {
            let shown: f64 = number(value).parse().unwrap_or(f64::NAN);
            assert!(
                (shown / value - 1.0).abs() <= 5e-6,
                "{value} is shown as {shown}"
            );
            value *= -3.7;
            value = value.abs();
        }
    }

    #[test]
    fn durations_have_two_units_at_most() {
        let cases = [
            (0.0, "0 ms"),
            (0.000_25, "0.25 ms"),
            (0.605_31, "605 ms"),
            (0.85, "850 ms"),
            (12.34, "12.3 s"),
            (59.97, "1 min"),
            (245.0, "4 min 5 s"),
            (3600.0, "1 h"),
            (12_000.0, "3 h 20 min"),
            (187_200.0, "2 d 4 h"),
            (f64::NAN, "?"),
        ];
        for (seconds, text) in cases {
            assert_eq!(duration(seconds), text, "{seconds}");
        }
    }
}
