//! Many tests at once: the false discovery rate.

/// The outcome of a family of tests.
#[derive(Clone, Debug, PartialEq)]
pub struct Discoveries {
    /// The smallest rate at which each test would still be a discovery, in the order of the input.
    pub adjusted: Vec<f64>,
    /// Whether each test is a discovery at the rate asked for.
    pub significant: Vec<bool>,
}

/// Benjamini and Hochberg's procedure: among the discoveries the expected share of false ones is at most `rate`.
///
/// With the p-values in rising order p₍₁₎ … p₍ₙ₎, the adjusted value of the i-th is the smallest p₍ⱼ₎·n/j with j ≥ i, at most 1.
/// NaN, a test that could not be made, counts as 1: it is never a discovery and keeps its place in the family.
///
/// ```
/// use neuralbo_lab::stats::benjamini_hochberg;
///
/// let outcome = benjamini_hochberg(&[0.04, 0.01, 0.30], 0.05);
/// assert_eq!(outcome.significant, [false, true, false]);
/// ```
pub fn benjamini_hochberg(p_values: &[f64], rate: f64) -> Discoveries {
    // The smaller of NaN and 1 is 1.
    let p = |i: usize| p_values[i].min(1.0);
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p(a).total_cmp(&p(b)));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut smallest = 1.0f64;
    for (below, &i) in order.iter().enumerate().rev() {
        smallest = smallest.min(p(i) * p_values.len() as f64 / (below + 1) as f64);
        adjusted[i] = smallest;
    }
    let significant = adjusted.iter().map(|&value| value <= rate).collect();
    Discoveries {
        adjusted,
        significant,
    }
}
