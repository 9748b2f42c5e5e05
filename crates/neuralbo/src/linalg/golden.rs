//! Reference values for tests, computed in 50-digit arithmetic by `scripts/golden/special_values.py`.
#![allow(clippy::unwrap_used)]

/// The (argument, value) pairs of one function.
pub fn special(function: &str) -> Vec<(f64, f64)> {
    let rows: Vec<_> = include_str!("../../tests/data/special.csv")
        .lines()
        .filter_map(|line| line.strip_prefix(function)?.strip_prefix(','))
        .map(|row| row.split_once(',').unwrap())
        .map(|(argument, value)| (argument.parse().unwrap(), value.parse().unwrap()))
        .collect();
    assert!(!rows.is_empty(), "no golden values for {function}");
    rows
}

/// Asserts |got − want| ≤ relative · |want| + absolute.
pub fn assert_close(what: &str, at: f64, got: f64, want: f64, relative: f64, absolute: f64) {
    let allowed = relative * want.abs() + absolute;
    assert!(
        (got - want).abs() <= allowed,
        "{what}({at}) = {got:e}, expected {want:e} within {allowed:e}"
    );
}
