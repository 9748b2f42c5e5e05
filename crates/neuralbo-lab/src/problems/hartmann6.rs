//! Hartmann's function of six coordinates.

use super::{Dims, Entry};
use crate::{Optimum, Problem};

pub(super) const ENTRY: Entry =
    Entry::function("hartmann6", Dims::Fixed(6), |_| Box::new(Hartmann6));

const WEIGHTS: [f64; 4] = [1.0, 1.2, 3.0, 3.2];
const SCALES: [[f64; 6]; 4] = [
    [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
    [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
    [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
    [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
];
const CENTRES: [[f64; 6]; 4] = [
    [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
    [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
    [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
    [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
];

/// −Σ αᵢ exp(−Σ Aᵢⱼ(xⱼ − Pᵢⱼ)²) on [0, 1]⁶: six local optima.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::Hartmann6;
///
/// assert!((Hartmann6.optimum().unwrap().value + 3.32237).abs() < 1e-5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hartmann6;

impl Problem for Hartmann6 {
    fn name(&self) -> String {
        "hartmann6".into()
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(0.0, 1.0); 6]
    }

    fn value(&self, x: &[f64]) -> f64 {
        let hump = |scales: &[f64; 6], centre: &[f64; 6]| {
            let distance: f64 = x
                .iter()
                .zip(scales)
                .zip(centre)
                .map(|((v, a), p)| a * (v - p) * (v - p))
                .sum();
            (-distance).exp()
        };
        -WEIGHTS
            .iter()
            .zip(&SCALES)
            .zip(&CENTRES)
            .map(|((weight, a), p)| weight * hump(a, p))
            .sum::<f64>()
    }

    fn optimum(&self) -> Option<Optimum> {
        let at = vec![
            0.201_689_511,
            0.150_010_692,
            0.476_873_974,
            0.275_332_430,
            0.311_651_617,
            0.657_300_534,
        ];
        Some(Optimum {
            at,
            value: -3.322_368_011_415_515,
        })
    }
}
