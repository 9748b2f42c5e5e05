//! The best point that a quadratic predicts within the reach of its design.

use super::Factors;
use super::quadratic::Quadratic;

/// The best row with every number within `reach` of the centre.
pub(super) fn best_row(
    quadratic: &Quadratic,
    factors: &Factors,
    center: &[f64],
    reach: f64,
) -> Vec<f64> {
    let mut row = center.to_vec();
    let shape = quadratic.slopes.iter().zip(&quadratic.curvatures);
    for (&i, (&slope, &curvature)) in factors.numbers.iter().zip(shape) {
        let level = if curvature < 0.0 {
            (slope / (-2.0 * curvature)).clamp(-1.0, 1.0)
        } else {
            slope.signum()
        };
        row[i] = (center[i] + reach * level).clamp(-1.0, 1.0);
    }
    let mut effects = quadratic.effects.as_slice();
    for range in &factors.choices {
        let (own, others) = effects.split_at(range.len());
        effects = others;
        let largest = (0..own.len()).max_by(|&a, &b| own[a].total_cmp(&own[b]));
        if let Some(value) = largest.filter(|_| is_one_hot(&center[range.clone()])) {
            row[range.clone()].fill(-1.0);
            row[range.start + value] = 1.0;
        }
    }
    row
}

/// The codewords of large choices also have other entries than one.
fn is_one_hot(coordinates: &[f64]) -> bool {
    coordinates.iter().filter(|x| **x > 0.0).count() == 1
}
