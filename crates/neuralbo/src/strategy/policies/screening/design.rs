//! Two-level designs around a centre.

use super::super::constants::{LEAST_LENGTH, LEAST_LEVEL, SHORT_EVERY, SHORT_REACH};
use super::Factors;
use crate::linalg::Rng;
use crate::space::Space;
use rand::RngExt;
use rand::seq::SliceRandom;

/// The rows of a round.
pub(super) struct Design {
    /// Those of the design, then as many to spare for trials that run at once.
    pub(super) rows: Vec<Vec<f64>>,
    pub(super) size: usize,
    /// Whether the design is of pairs of opposite points.
    pub(super) pairs: bool,
}

impl Design {
    /// Whether pair `j` has half the reach.
    pub(super) fn is_short(j: usize) -> bool {
        j.is_multiple_of(SHORT_EVERY)
    }
}

/// Where a design is laid out.
pub(super) struct Around<'a> {
    pub(super) space: &'a Space,
    pub(super) factors: &'a Factors,
    pub(super) center: &'a [f64],
    pub(super) reach: f64,
}

impl Around<'_> {
    /// All rows of a Hadamard matrix, whose columns are drawn for the numbers with random signs: no
    /// effect of one number is mixed with that of another.
    pub(super) fn saturated(&self, rng: &mut Rng) -> Design {
        let numbers = self.factors.numbers.len();
        let order = (numbers + 1).next_power_of_two();
        let mut columns: Vec<usize> = (1..order).collect();
        columns.shuffle(rng);
        let signs: Vec<f64> = (0..numbers).map(|_| sign(rng)).collect();
        let level = |i: usize, j: usize| signs[j] * hadamard(i, columns[j]);
        let mut row = |i: usize| {
            let levels: Vec<f64> = (0..numbers).map(|j| level(i, j)).collect();
            self.row(&levels, rng)
        };
        let mut rows: Vec<Vec<f64>> = (0..order).map(&mut row).collect();
        rows.extend(self.opposite(order, rng));
        Design {
            rows,
            size: order,
            pairs: false,
        }
    }

    /// A design of `size` rows in pairs of opposite points.
    pub(super) fn pairs(&self, size: usize, rng: &mut Rng) -> Design {
        Design {
            rows: self.opposite(2 * size, rng),
            size,
            pairs: true,
        }
    }

    /// `count` rows in pairs of opposite points, of random signs and lengths.
    fn opposite(&self, count: usize, rng: &mut Rng) -> Vec<Vec<f64>> {
        let mut rows = Vec::with_capacity(count);
        for pair in 0..count / 2 {
            let part = if Design::is_short(pair) {
                SHORT_REACH
            } else {
                1.0
            };
            let levels = random_levels(self.factors.numbers.len(), part, rng);
            let opposite: Vec<f64> = levels.iter().map(|level| -level).collect();
            rows.push(self.row(&levels, rng));
            rows.push(self.row(&opposite, rng));
        }
        rows
    }

    /// The row at these levels, in units of the reach, with a random value for every second choice.
    fn row(&self, levels: &[f64], rng: &mut Rng) -> Vec<f64> {
        let mut row = self.center.to_vec();
        for (&i, level) in self.factors.numbers.iter().zip(levels) {
            row[i] = (self.center[i] + self.reach * level).clamp(-1.0, 1.0);
        }
        for range in &self.factors.choices {
            if rng.random::<bool>() {
                row[range.clone()].iter_mut().for_each(|x| *x = sign(rng));
            }
        }
        self.space.repair(&mut row);
        row
    }
}

fn sign(rng: &mut Rng) -> f64 {
    if rng.random::<bool>() { 1.0 } else { -1.0 }
}

/// Entry of the Hadamard matrix of Sylvester's construction.
fn hadamard(i: usize, j: usize) -> f64 {
    if (i & j).count_ones().is_multiple_of(2) {
        1.0
    } else {
        -1.0
    }
}

/// Random signs times random lengths, of mean square 1 times that of `part`: curvature shows only
/// where lengths differ.
fn random_levels(count: usize, part: f64, rng: &mut Rng) -> Vec<f64> {
    let unit = mean_square(LEAST_LENGTH).sqrt() * mean_square(LEAST_LEVEL).sqrt();
    let length = part * rng.random_range(LEAST_LENGTH..1.0) / unit;
    let level = |_| sign(rng) * length * rng.random_range(LEAST_LEVEL..1.0);
    (0..count).map(level).collect()
}

/// Mean square of a uniform number between `least` and 1.
fn mean_square(least: f64) -> f64 {
    (1.0 + least + least * least) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Purpose, Streams, dot};

    fn design(of: impl Fn(&Around<'_>, &mut Rng) -> Design) -> Design {
        let space = Space::from_bounds(&[(-1.0, 1.0); 20]).unwrap();
        let factors = Factors::of(&space).unwrap();
        let around = Around {
            space: &space,
            factors: &factors,
            center: &[0.0; 20],
            reach: 0.4,
        };
        of(&around, &mut Streams::new(3).stream(0, Purpose::Design))
    }

    #[test]
    fn the_columns_of_a_saturated_design_are_orthogonal() {
        let Design { mut rows, size, .. } = design(|around, rng| around.saturated(rng));
        assert_eq!((size, rows.len()), (32, 64));
        rows.truncate(size);
        let column = |j: usize| rows.iter().map(|row| row[j]).collect::<Vec<f64>>();
        for (i, j) in (0..20).flat_map(|i| (0..i).map(move |j| (i, j))) {
            assert!(dot(&column(i), &column(j)).abs() < 1e-12);
            assert!(column(i).iter().sum::<f64>().abs() < 1e-12);
        }
        assert!(rows.iter().flatten().all(|x| (x.abs() - 0.4).abs() < 1e-12));
    }

    #[test]
    fn pairs_are_opposite_and_every_fourth_is_short() {
        let rows = design(|around, rng| around.pairs(400, rng)).rows;
        let mut squares = [(0.0, 0); 2];
        for (j, pair) in rows.chunks(2).enumerate() {
            let mut both = pair[0].iter().zip(&pair[1]);
            assert!(both.all(|(a, b)| (a + b).abs() < 1e-12));
            let (sum, count) = &mut squares[usize::from(Design::is_short(j))];
            (*sum, *count) = (*sum + dot(&pair[0], &pair[0]) / 20.0, *count + 1);
        }
        let reach = squares.map(|(sum, count)| (sum / f64::from(count)).sqrt());
        crate::linalg::testing::assert_near(&reach, &[0.4, 0.2], 0.02);
    }
}
