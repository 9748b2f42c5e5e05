//! The least-squares cubic through a list of points.
//!
//! The original smooths with a B-spline whose smoothing bound is never reached inside the box, so its result is always the
//! single cubic that fits best. Point i belongs to the parameter tᵢ = length of the polygon up to it / total length.
//!
//! Symbols: pₖ polynomials orthogonal over the tᵢ (Forsythe 1957), pₖ₊₁ = (t − αₖ) pₖ − βₖ pₖ₋₁ with
//! αₖ = ⟨t pₖ, pₖ⟩/⟨pₖ, pₖ⟩ and βₖ = ⟨pₖ, pₖ⟩/⟨pₖ₋₁, pₖ₋₁⟩. In this basis the fit is q(t) = Σₖ cₖ pₖ(t) with
//! cₖ = Σᵢ Pᵢ pₖ(tᵢ)/⟨pₖ, pₖ⟩, without a system to solve and without loss of precision.

/// Number of polynomials: degrees 0 to 3.
const TERMS: usize = 4;

/// One polynomial's recurrence and its coefficients in x and y.
#[derive(Clone, Copy, Debug, Default)]
struct Term {
    alpha: f64,
    beta: f64,
    coefficient: [f64; 2],
}

/// A fitted curve.
#[derive(Clone, Debug)]
pub(super) struct CubicFit {
    terms: [Term; TERMS],
}

impl CubicFit {
    /// Fits the points. Directions that the parameters cannot tell apart (all points equal) get coefficient zero.
    pub fn new(points: &[[f64; 2]]) -> Self {
        let t = chord_parameters(points);
        let mut terms = [Term::default(); TERMS];
        let (mut before, mut here) = (vec![0.0; t.len()], vec![1.0; t.len()]);
        let mut norm_before = 0.0;
        for term in &mut terms {
            let norm: f64 = here.iter().map(|p| p * p).sum();
            let moment: f64 = here.iter().zip(&t).map(|(p, t)| t * p * p).sum();
            term.alpha = ratio(moment, norm);
            term.beta = ratio(norm, norm_before);
            term.coefficient = [0, 1].map(|axis| {
                let products = here.iter().zip(points).map(|(p, point)| p * point[axis]);
                ratio(products.sum(), norm)
            });
            for ((before, here), t) in before.iter_mut().zip(&mut here).zip(&t) {
                let next = (t - term.alpha) * *here - term.beta * *before;
                (*before, *here) = (*here, next);
            }
            norm_before = norm;
        }
        Self { terms }
    }

    fn at(&self, t: f64) -> [f64; 2] {
        let (mut before, mut here) = (0.0, 1.0);
        let mut sum = [0.0; 2];
        for term in &self.terms {
            sum = [0, 1].map(|axis| sum[axis] + term.coefficient[axis] * here);
            (before, here) = (here, (t - term.alpha) * here - term.beta * before);
        }
        sum
    }

    /// The curve at `count` equally spaced parameters, both ends included.
    pub fn samples(&self, count: usize) -> Vec<[f64; 2]> {
        let last = count.saturating_sub(1).max(1) as f64;
        let sample = |index| self.at(index as f64 / last);
        (0..count).map(sample).collect()
    }
}

/// A quotient that is zero where there is nothing to divide by.
fn ratio(numerator: f64, denominator: f64) -> f64 {
    if denominator > 0.0 {
        numerator / denominator
    } else {
        0.0
    }
}

/// Cumulative polygon length of each point, as a share of the total.
fn chord_parameters(points: &[[f64; 2]]) -> Vec<f64> {
    let mut length = 0.0;
    let mut along = vec![length];
    for ends in points.windows(2) {
        length += (ends[1][0] - ends[0][0]).hypot(ends[1][1] - ends[0][1]);
        along.push(length);
    }
    along.iter().map(|&part| ratio(part, length)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_points_give_a_resting_curve() {
        let samples = CubicFit::new(&[[0.3, 0.7]; 30]).samples(5);
        for point in samples {
            assert!((point[0] - 0.3).abs() < 1e-14 && (point[1] - 0.7).abs() < 1e-14);
        }
    }

    proptest! {
        /// Least squares: the residuals are orthogonal to 1, t, t² and t³.
        #[test]
        fn residuals_are_orthogonal_to_cubics(points in prop::collection::vec([-0.1..1.1f64, -0.1..1.1f64], 30)) {
            let t = chord_parameters(&points);
            let fit = CubicFit::new(&points);
            for power in 0..4 {
                for axis in 0..2 {
                    let product: f64 =
                        t.iter().zip(&points).map(|(&t, point)| t.powi(power) * (point[axis] - fit.at(t)[axis])).sum();
                    prop_assert!(product.abs() < 1e-12, "power {} axis {}: {}", power, axis, product);
                }
            }
        }

        /// Points on a line, equally spaced, are fitted by that line.
        #[test]
        fn lines_are_reproduced(start in [0.0..1.0f64, 0.0..1.0f64], step in [0.01..0.1f64, -0.1..0.1f64]) {
            let points: Vec<[f64; 2]> =
                (0..30).map(|i| [0, 1].map(|axis| start[axis] + f64::from(i) * step[axis])).collect();
            for (sample, point) in CubicFit::new(&points).samples(30).iter().zip(&points) {
                prop_assert!((sample[0] - point[0]).abs() < 1e-12 && (sample[1] - point[1]).abs() < 1e-12);
            }
        }
    }
}
