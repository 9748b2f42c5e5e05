//! The classical test functions as a table: formula, bounds and optimum of each.
//!
//! | symbol | meaning |
//! |---|---|
//! | d, xᵢ | number of coordinates, coordinate i from 1 |
//! | w | Levy's scaled coordinates, 1 + (x − 1)/4 |

use std::f64::consts::{E, PI, TAU};

use neuralbo::record::OutcomeConstraint;

use super::Dims;
use crate::{Optimum, Problem};

/// A row of the table; [`Formula::of`] makes the problem.
///
/// ```
/// use neuralbo_lab::Problem;
/// use neuralbo_lab::problems::BRANIN;
///
/// assert!((BRANIN.of(2).value(&[std::f64::consts::PI, 2.275]) - 0.397887).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Formula {
    /// Its name without the dimension.
    pub name: &'static str,
    /// Its dimensions.
    pub dims: Dims,
    /// Bounds of the first coordinates; the last pair holds for all others.
    pub(super) bounds: &'static [(f64, f64)],
    pub(super) value: fn(&[f64]) -> f64,
    pub(super) best: Best,
    /// The quantities that are limited, in the order of the limits.
    pub(super) measured: fn(&[f64]) -> Vec<f64>,
    pub(super) limits: &'static [Limit],
}

/// Where a formula is best.
#[derive(Clone, Copy, Debug)]
pub(super) enum Best {
    /// For a number of coordinates.
    Of(fn(usize) -> Optimum),
    /// At a feasible point.
    At(&'static [f64]),
}

/// Name, smallest and largest value of a quantity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit(&'static str, Option<f64>, Option<f64>);

/// A quantity that may not be larger.
pub(super) const fn at_most(name: &'static str, most: f64) -> Limit {
    Limit(name, None, Some(most))
}

/// A quantity that may not be smaller.
pub(super) const fn at_least(name: &'static str, least: f64) -> Limit {
    Limit(name, Some(least), None)
}

/// A quantity that must lie between two values.
pub(super) const fn between(name: &'static str, least: f64, most: f64) -> Limit {
    Limit(name, Some(least), Some(most))
}

/// A test function of a number of coordinates.
#[derive(Clone, Copy, Debug)]
pub struct TestFunction {
    formula: Formula,
    dim: usize,
}

impl Formula {
    /// The function of `dim` coordinates; the caller checks `dims`.
    pub fn of(self, dim: usize) -> TestFunction {
        TestFunction { formula: self, dim }
    }
}

impl Problem for TestFunction {
    fn name(&self) -> String {
        match self.formula.dims {
            Dims::Fixed(_) => self.formula.name.to_owned(),
            Dims::AtLeast(_) => format!("{}-{}", self.formula.name, self.dim),
        }
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        let last = self.formula.bounds.len() - 1;
        let bound = |i: usize| self.formula.bounds[i.min(last)];
        (0..self.dim).map(bound).collect()
    }

    fn value(&self, x: &[f64]) -> f64 {
        (self.formula.value)(x)
    }

    fn outcome_constraints(&self) -> Vec<OutcomeConstraint> {
        let constraint = |limit: &Limit| OutcomeConstraint {
            name: limit.0.into(),
            at_least: limit.1,
            at_most: limit.2,
        };
        self.formula.limits.iter().map(constraint).collect()
    }

    fn measured(&self, x: &[f64]) -> Vec<f64> {
        (self.formula.measured)(x)
    }

    fn optimum(&self) -> Option<Optimum> {
        Some(match self.formula.best {
            Best::Of(optimum) => optimum(self.dim),
            Best::At(at) => Optimum {
                at: at.to_vec(),
                value: self.value(at),
            },
        })
    }
}

/// What a function of any dimension without limits leaves to be said: name, bounds, value and optimum.
const PLAIN: Formula = Formula {
    name: "",
    dims: Dims::AtLeast(1),
    bounds: &[],
    value: |_| f64::NAN,
    best: Best::At(&[]),
    measured: |_| Vec::new(),
    limits: &[],
};

/// The same coordinate everywhere.
fn diagonal(x: f64, dim: usize, value: f64) -> Optimum {
    Optimum {
        at: vec![x; dim],
        value,
    }
}

fn sum(x: &[f64], term: impl Fn(f64) -> f64) -> f64 {
    x.iter().map(|v| term(*v)).sum()
}

/// 20 + e − 20·exp(−0.2·√(mean x²)) − exp(mean cos 2πx): a deep hole in a nearly flat plain of ripples.
pub const ACKLEY: Formula = Formula {
    name: "ackley",
    bounds: &[(-32.768, 32.768)],
    value: |x| {
        let dim = x.len() as f64;
        let mean_square = sum(x, |v| v * v) / dim;
        let mean_cosine = sum(x, |v| (TAU * v).cos()) / dim;
        20.0 * (1.0 - (-0.2 * mean_square.sqrt()).exp()) + E - mean_cosine.exp()
    },
    best: Best::Of(|dim| diagonal(0.0, dim, 0.0)),
    ..PLAIN
};

/// (x₂ − 5.1x₁²/4π² + 5x₁/π − 6)² + 10(1 − 1/8π) cos x₁ + 10: three equal optima.
pub const BRANIN: Formula = Formula {
    name: "branin",
    dims: Dims::Fixed(2),
    bounds: &[(-5.0, 10.0), (0.0, 15.0)],
    value: |x| {
        let valley = x[1] - 5.1 * x[0] * x[0] / (4.0 * PI * PI) + 5.0 * x[0] / PI - 6.0;
        valley * valley + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x[0].cos() + 10.0
    },
    best: Best::Of(|_| Optimum {
        at: vec![PI, 2.275],
        value: 10.0 / (8.0 * PI),
    }),
    ..PLAIN
};

/// Σ xᵢ²/4000 − Π cos(xᵢ/√i) + 1: a wide quadratic with very many shallow local optima.
pub const GRIEWANK: Formula = Formula {
    name: "griewank",
    bounds: &[(-600.0, 600.0)],
    value: |x| {
        let ripple = |(v, i): (&f64, i32)| (v / f64::from(i).sqrt()).cos();
        sum(x, |v| v * v) / 4000.0 - x.iter().zip(1..).map(ripple).product::<f64>() + 1.0
    },
    best: Best::Of(|dim| diagonal(0.0, dim, 0.0)),
    ..PLAIN
};

/// −Σ αᵢ exp(−Σ Aᵢⱼ(xⱼ − Pᵢⱼ)²): six local optima.
pub const HARTMANN6: Formula = Formula {
    name: "hartmann6",
    dims: Dims::Fixed(6),
    bounds: &[(0.0, 1.0)],
    value: hartmann6,
    best: Best::Of(|_| Optimum {
        at: vec![
            0.201_689_511,
            0.150_010_692,
            0.476_873_974,
            0.275_332_430,
            0.311_651_617,
            0.657_300_534,
        ],
        value: -3.322_368_011_415_515,
    }),
    ..PLAIN
};

/// sin²(πw₁) + Σ (wᵢ−1)²(1+10 sin²(πwᵢ+1)) + (w_d−1)²(1+sin²(2πw_d)): ripples over a quadratic.
pub const LEVY: Formula = Formula {
    name: "levy",
    bounds: &[(-10.0, 10.0)],
    value: levy,
    best: Best::Of(|dim| diagonal(1.0, dim, 0.0)),
    ..PLAIN
};

/// −Σ sin(xᵢ) sin²⁰(i·xᵢ²/π): steep narrow valleys, nearly flat between them.
pub const MICHALEWICZ: Formula = Formula {
    name: "michalewicz",
    bounds: &[(0.0, PI)],
    value: michalewicz,
    best: Best::Of(|dim| {
        let at: Vec<f64> = (1..=dim).map(michalewicz_minimizer).collect();
        Optimum {
            value: michalewicz(&at),
            at,
        }
    }),
    ..PLAIN
};

/// 10d + Σ xᵢ² − 10 cos(2πxᵢ): a regular grid of local optima over a quadratic.
pub const RASTRIGIN: Formula = Formula {
    name: "rastrigin",
    bounds: &[(-5.12, 5.12)],
    value: |x| sum(x, |v| v * v + 10.0 * (1.0 - (TAU * v).cos())),
    best: Best::Of(|dim| diagonal(0.0, dim, 0.0)),
    ..PLAIN
};

/// Σ 100(xᵢ₊₁−xᵢ²)² + (1−xᵢ)²: a curved, nearly flat valley.
pub const ROSENBROCK: Formula = Formula {
    name: "rosenbrock",
    dims: Dims::AtLeast(2),
    bounds: &[(-5.0, 10.0)],
    value: |x| {
        let pairs = x.windows(2);
        pairs
            .map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2))
            .sum()
    },
    best: Best::Of(|dim| diagonal(1.0, dim, 0.0)),
    ..PLAIN
};

/// Σ xᵢ²: the easiest function there is.
pub const SPHERE: Formula = Formula {
    name: "sphere",
    bounds: &[(-5.12, 5.12)],
    value: |x| sum(x, |v| v * v),
    best: Best::Of(|dim| diagonal(0.0, dim, 0.0)),
    ..PLAIN
};

/// ½ Σ xᵢ⁴ − 16xᵢ² + 5xᵢ: two wells per coordinate, one slightly deeper, at the lowest root of
/// 4x³ − 32x + 5.
pub const STYBLINSKI_TANG: Formula = Formula {
    name: "styblinski-tang",
    bounds: &[(-5.0, 5.0)],
    value: |x| 0.5 * sum(x, |v| v * (v * (v * v - 16.0) + 5.0)),
    best: Best::Of(|dim| {
        let lowest = -39.166_165_703_771_42;
        diagonal(-2.903_534_027_771_177_5, dim, lowest * dim as f64)
    }),
    ..PLAIN
};

fn hartmann6(x: &[f64]) -> f64 {
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
    let hump = |i: usize| {
        let distance = |((v, a), p): ((&f64, &f64), &f64)| a * (v - p) * (v - p);
        let places = x.iter().zip(&SCALES[i]).zip(&CENTRES[i]);
        WEIGHTS[i] * (-places.map(distance).sum::<f64>()).exp()
    };
    -(0..4).map(hump).sum::<f64>()
}

fn levy(x: &[f64]) -> f64 {
    let w: Vec<f64> = x.iter().map(|v| 1.0 + (v - 1.0) / 4.0).collect();
    let (Some(first), Some((last, rest))) = (w.first(), w.split_last()) else {
        return 0.0;
    };
    let middle = |v: f64| (v - 1.0).powi(2) * (1.0 + 10.0 * (PI * v + 1.0).sin().powi(2));
    (PI * first).sin().powi(2)
        + sum(rest, middle)
        + (last - 1.0).powi(2) * (1.0 + (2.0 * PI * last).sin().powi(2))
}

fn michalewicz(x: &[f64]) -> f64 {
    let terms = x.iter().enumerate();
    terms.map(|(i, &v)| michalewicz_term(i + 1, v)).sum()
}

/// What coordinate `i` adds.
fn michalewicz_term(i: usize, x: f64) -> f64 {
    -x.sin() * (i as f64 * x * x / PI).sin().powi(20)
}

/// The best coordinate `i`.
///
/// The term vanishes where i·x²/π is a multiple of π; between two such points both factors are
/// log-concave, so there is one valley, and golden-section search finds its bottom.
fn michalewicz_minimizer(i: usize) -> f64 {
    let term = |x: f64| michalewicz_term(i, x);
    let zero = |k: usize| PI * (k as f64 / i as f64).sqrt();
    (0..i)
        .map(|k| golden_section(term, zero(k), zero(k + 1)))
        .min_by(|&a, &b| term(a).total_cmp(&term(b)))
        .unwrap_or_default()
}

/// The minimizer of a function with one valley in `[low, high]`.
fn golden_section(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let ratio = (5.0_f64.sqrt() - 1.0) / 2.0;
    // Until a bracket of length π is below the rounding error.
    for _ in 0..80 {
        let step = ratio * (high - low);
        if f(high - step) < f(low + step) {
            high = low + step
        } else {
            low = high - step
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::conformance;

    #[test]
    fn branin_has_three_equal_optima() {
        for at in [[-PI, 12.275], [PI, 2.275], [3.0 * PI, 2.475]] {
            assert!((BRANIN.of(2).value(&at) - 0.397_887_357_729_738).abs() < 1e-12);
        }
    }

    #[test]
    fn published_optima_of_michalewicz_are_reached() {
        for (dim, value) in [
            (2, -1.8013034),
            (5, -4.687658),
            (10, -9.6601517),
            (20, -19.6370136),
            (50, -49.6248323),
        ] {
            let best = MICHALEWICZ.of(dim).optimum().unwrap();
            assert!((best.value - value).abs() < 1e-6, "{dim}: {}", best.value);
        }
        conformance::check(&MICHALEWICZ.of(100));
    }
}
