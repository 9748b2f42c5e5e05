//! Numbers as people read them.

use crate::stats::{mean, sd};

/// Four significant digits.
pub fn number(value: f64) -> String {
    if value.is_nan() {
        return "–".into();
    }
    if value.is_infinite() || value == 0.0 {
        return format!("{value}");
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-4..6).contains(&magnitude) {
        return format!("{value:.2e}");
    }
    format!("{value:.*}", (3 - magnitude).clamp(0, 7) as usize)
}

/// `mean ± sd`; without runs a dash, with one run no deviation.
pub fn mean_sd(values: &[f64]) -> String {
    match values {
        [] => "–".into(),
        [only] => number(*only),
        _ => format!("{} ± {}", number(mean(values)), number(sd(values))),
    }
}

/// A p-value: three digits, or how small it is.
pub fn p_value(p: f64) -> String {
    if p.is_nan() {
        "–".into()
    } else if p < 0.001 {
        format!("{p:.0e}")
    } else {
        format!("{p:.3}")
    }
}

/// Seconds with a unit that fits.
pub fn seconds(value: f64) -> String {
    match value {
        v if v.is_nan() => "–".into(),
        v if v < 1e-3 => format!("{:.0} µs", v * 1e6),
        v if v < 1.0 => format!("{} ms", number(v * 1e3)),
        v if v < 600.0 => format!("{} s", number(v)),
        v => format!("{:.1} h", v / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let texts = [0.0, 2.71282, -123.456, 0.00123456, 1e-9, 12345.6].map(number);
        let expected = ["0", "2.713", "-123.5", "0.001235", "1.00e-9", "12346"];
        assert_eq!(texts, expected);
        assert_eq!(number(f64::NAN), "–");
    }

    #[test]
    fn a_mean_comes_with_its_deviation() {
        assert_eq!(mean_sd(&[1.0, 3.0]), "2.000 ± 1.414");
        assert_eq!(mean_sd(&[2.0]), "2.000");
        assert_eq!(mean_sd(&[]), "–");
    }

    #[test]
    fn small_p_values_show_their_size() {
        assert_eq!([p_value(0.04), p_value(2e-5)], ["0.040", "2e-5"]);
    }
}
