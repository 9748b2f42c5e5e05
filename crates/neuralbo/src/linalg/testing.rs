//! Shared by tests: reference values, random rows and comparisons of numbers.
use super::{Points, Purpose, Streams};
use rand::RngExt;

/// The (argument, value) pairs of one function, computed in 50-digit arithmetic by `scripts/golden/special_values.py`.
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

/// Asserts that two lists have the same length and differ by at most `tolerance` in every entry.
#[track_caller]
pub fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    let mut pairs = found.iter().zip(expected);
    let near = pairs.all(|(a, b)| (a - b).abs() <= tolerance);
    let same = near && found.len() == expected.len();
    assert!(same, "found {found:?}, expected {expected:?}");
}

/// The gradient of `f` at `x` by central differences.
pub fn differences(x: &[f64], mut f: impl FnMut(&[f64]) -> f64) -> Vec<f64> {
    let step = 1e-5;
    let slope = |k: usize| {
        let mut at = |step: f64| {
            let mut moved = x.to_vec();
            moved[k] += step;
            f(&moved)
        };
        (at(step) - at(-step)) / (2.0 * step)
    };
    (0..x.len()).map(slope).collect()
}

/// Rows drawn from [−1, 1]ᵈⁱᵐ.
pub fn random_points(dim: usize, len: usize, seed: u64) -> Points {
    let mut rng = Streams::new(seed).stream(0, Purpose::Design);
    let mut points = Points::zeros(dim, len);
    let draw = |x: &mut f64| *x = rng.random_range(-1.0..1.0);
    points.as_mut_slice().iter_mut().for_each(draw);
    points
}
