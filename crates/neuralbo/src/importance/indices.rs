//! Sobol indices of a function of independent parameters, by points of two Sobol sequences and their mixtures.
//!
//! | symbol | meaning |
//! | --- | --- |
//! | `A`, `B` | `n` points each, independent of each other |
//! | `AB_i` | `A` with parameter `i` taken from `B`; `BA_i` the other way round |
//! | `V` | variance of `f` over `A` and `B` |
//! | `V_i` | variance of the mean of `f` given parameter `i`: `E f(B) (f(AB_i) − f(A))` (Saltelli et al. 2010) |
//! | `T_i` | mean variance of `f` given all but `i`: `½ E (f(A) − f(AB_i))²` (Jansen 1999) |
//! | `V_ij` | what `i` and `j` do together beyond each alone: `E f(BA_i) f(AB_j) − E f(A) f(B) − V_i − V_j` (Saltelli 2002) |
//!
//! Indices are `V_i/V`, `T_i/V` and `V_ij/V`. They are exactly 0 of a parameter that the function ignores: in `V_ij` the part of `i` is
//! computed from `BA_i`, that of `j` from `AB_j`. Where pairs are wanted `V_i` is the mean over both, and so is `V_ij`.

use super::region::ImportanceRegion;
use crate::linalg::{Points, Rng, space_filling};
use crate::space::{Parameter, Space};
use crate::surrogate::Function;

/// A variance of less than this times the squared mean is rounding.
const ROUNDING: f64 = 1e-24;

/// Indices of one function, in the order of the parameters that can vary.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Indices {
    pub(super) mean: f64,
    pub(super) sd: f64,
    pub(super) first: Vec<f64>,
    pub(super) total: Vec<f64>,
    /// Of the pairs (0, 1), (0, 2), …, (1, 2), …; none where they were not asked for.
    pub(super) second: Vec<f64>,
}

/// Where a function is looked at.
pub(super) struct Design<'a> {
    space: &'a Space,
    region: &'a ImportanceRegion,
    varied: Vec<usize>,
    a: Points,
    b: Points,
}

/// The positions of the parameters that can have more than one value.
pub(super) fn varied(space: &Space) -> Vec<usize> {
    let can_vary = |parameter: &Parameter| parameter.domain().count() != Some(1);
    space
        .parameters()
        .iter()
        .enumerate()
        .filter(|(_, parameter)| can_vary(parameter))
        .map(|(position, _)| position)
        .collect()
}

impl<'a> Design<'a> {
    pub(super) fn new(
        space: &'a Space,
        region: &'a ImportanceRegion,
        n: usize,
        rng: &mut Rng,
    ) -> Self {
        let varied = varied(space);
        let both = space_filling(2 * varied.len(), n, rng);
        let half = |start: usize| {
            let part = both.rows().map(|row| {
                row[start..start + varied.len()]
                    .iter()
                    .map(|u| 0.5 * (u + 1.0))
                    .collect()
            });
            Points::from_rows(varied.len(), part.collect::<Vec<Vec<f64>>>())
        };
        Self {
            space,
            region,
            a: half(0),
            b: half(varied.len()),
            varied,
        }
    }

    /// Indices of a function; those of pairs only where they are wanted.
    pub(super) fn indices(&self, function: &dyn Function, pairs: bool) -> Indices {
        let (mut a, mut b) = (
            function.value(&self.rows(&self.a)),
            function.value(&self.rows(&self.b)),
        );
        let mean = average(a.iter().chain(&b).copied());
        let centred = |values: &mut Vec<f64>| values.iter_mut().for_each(|value| *value -= mean);
        centred(&mut a);
        centred(&mut b);
        let variance = average(a.iter().chain(&b).map(|value| value * value));
        let mixed = |into: &Points, from: &Points| -> Vec<Vec<f64>> {
            let one = |i: usize| {
                let mut values = function.value(&self.rows(&mixture(into, from, i)));
                centred(&mut values);
                values
            };
            (0..self.varied.len()).map(one).collect()
        };
        let ab = mixed(&self.a, &self.b);
        let ba = if pairs {
            mixed(&self.b, &self.a)
        } else {
            Vec::new()
        };
        if !(variance.is_finite() && variance > ROUNDING * mean * mean) {
            return Indices::none(mean, self.varied.len(), pairs);
        }
        let alone = |own: &[f64], other: &[f64], mixed: &[Vec<f64>]| -> Vec<f64> {
            mixed
                .iter()
                .map(|mixed| {
                    average3(other, mixed, own, |other, mixed, own| other * (mixed - own))
                        / variance
                })
                .collect()
        };
        let (by_a, by_b) = (alone(&a, &b, &ab), alone(&b, &a, &ba));
        let total = ab
            .iter()
            .map(|ab| 0.5 * average2(&a, ab, |a, ab| (a - ab).powi(2)) / variance)
            .collect();
        let apart = average2(&a, &b, |a, b| a * b) / variance;
        let together = |i: usize, j: usize| {
            average2(&ba[i], &ab[j], |x, y| x * y) / variance - apart - by_b[i] - by_a[j]
        };
        let pair = |(i, j): (usize, usize)| 0.5 * (together(i, j) + together(j, i));
        let second = if pairs {
            all_pairs(ab.len()).map(pair).collect()
        } else {
            Vec::new()
        };
        let first = if pairs {
            by_a.iter().zip(&by_b).map(|(a, b)| 0.5 * (a + b)).collect()
        } else {
            by_a
        };
        Indices {
            mean,
            sd: variance.sqrt(),
            first,
            total,
            second,
        }
    }

    /// In which share of the points each parameter is active.
    pub(super) fn active_shares(&self) -> Vec<f64> {
        let mut counts = vec![0usize; self.varied.len()];
        if !self.space.has_conditions() {
            return vec![1.0; counts.len()];
        }
        for row in self.rows(&self.a).rows() {
            let found = self.space.fractions(row);
            self.varied
                .iter()
                .zip(&mut counts)
                .for_each(|(&at, count)| *count += usize::from(found[at].is_some()));
        }
        counts
            .into_iter()
            .map(|count| count as f64 / self.a.len() as f64)
            .collect()
    }

    /// Rows of points; one that violates a constraint counts as the nearest that does not.
    fn rows(&self, points: &Points) -> Points {
        let mut fractions = vec![0.5; self.space.parameters().len()];
        let rows = points.rows().map(|point| {
            self.varied
                .iter()
                .zip(point)
                .for_each(|(&at, u)| fractions[at] = self.region.fraction(at, *u));
            feasible_row(self.space, &fractions)
        });
        Points::from_rows(self.space.encoded_dim(), rows.collect::<Vec<_>>())
    }
}

impl Indices {
    /// Those of a function that does not vary.
    fn none(mean: f64, count: usize, pairs: bool) -> Self {
        let second = if pairs {
            vec![0.0; all_pairs(count).count()]
        } else {
            Vec::new()
        };
        Self {
            mean,
            sd: 0.0,
            first: vec![0.0; count],
            total: vec![0.0; count],
            second,
        }
    }
}

/// The row at fractions of the domains, moved to the nearest feasible one where it is not.
pub(super) fn feasible_row(space: &Space, fractions: &[f64]) -> Vec<f64> {
    let mut row = space.row_at(fractions);
    if space.is_constrained() && !space.is_feasible(&row) {
        space.repair(&mut row);
    }
    row
}

/// All pairs of `count` things, the first of a pair before the second.
pub(super) fn all_pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |i| (i + 1..count).map(move |j| (i, j)))
}

fn mixture(into: &Points, from: &Points, column: usize) -> Points {
    let mut mixed = into.clone();
    (0..mixed.len()).for_each(|i| mixed.row_mut(i)[column] = from.row(i)[column]);
    mixed
}

fn average(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count().max(1) as f64
}

fn average2(x: &[f64], y: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    x.iter().zip(y).map(|(x, y)| term(*x, *y)).sum::<f64>() / x.len().max(1) as f64
}

fn average3(x: &[f64], y: &[f64], z: &[f64], term: impl Fn(f64, f64, f64) -> f64) -> f64 {
    x.iter()
        .zip(y)
        .zip(z)
        .map(|((x, y), z)| term(*x, *y, *z))
        .sum::<f64>()
        / x.len().max(1) as f64
}
