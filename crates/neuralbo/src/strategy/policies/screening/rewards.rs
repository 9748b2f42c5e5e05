//! Averages over observations, and what the pairs of opposite points of the rounds show.

use super::super::constants::{FORGET, NEAREST_TRIALS, START_STEP};
use super::design::Design;
use crate::acquisition::maximize::row_fingerprint;
use crate::linalg::squared_distance;
use crate::surrogate::{Dataset, nearest_indices};
use std::collections::HashMap;
use std::ops::Range;

/// Sum of squares and number of terms.
#[derive(Clone, Copy, Default)]
pub(super) struct MeanSquare {
    pub(super) sum: f64,
    pub(super) count: f64,
}

impl MeanSquare {
    pub(super) fn add(&mut self, square: f64) {
        self.sum += square;
        self.count += 1.0;
    }

    pub(super) fn mean(self) -> f64 {
        self.sum / self.count.max(1.0)
    }
}

/// Some rewards together; `variance` is that of a single one.
#[derive(Clone, Copy, Default)]
pub(super) struct Average {
    pub(super) mean: f64,
    pub(super) variance: f64,
    pub(super) count: f64,
}

impl Average {
    pub(super) fn of(rewards: &[f64]) -> Self {
        let count = rewards.len() as f64;
        let mean = rewards.iter().sum::<f64>() / count.max(1.0);
        let squares = rewards.iter().map(|reward| (reward - mean).powi(2));
        Self {
            mean,
            variance: squares.sum::<f64>() / (count - 1.0).max(1.0),
            count,
        }
    }

    /// Whether it is larger than another by more than this many standard deviations.
    pub(super) fn exceeds(&self, other: &Self, deviations: f64) -> bool {
        let variance = self.variance / self.count + other.variance / other.count;
        self.mean - other.mean > deviations * variance.sqrt()
    }
}

/// Rewards by the fingerprints of their rows.
pub(super) fn by_row(data: &Dataset, range: Range<usize>) -> HashMap<u128, f64> {
    let of = |i: usize| (row_fingerprint(data.rows().row(i)), data.rewards()[i]);
    range.map(of).collect()
}

/// The rewards of these rows among a range of observations.
pub(super) fn rewards_at(data: &Dataset, range: Range<usize>, rows: &[Vec<f64>]) -> Average {
    let rewards = by_row(data, range);
    let of = |row: &Vec<f64>| rewards.get(&row_fingerprint(row)).copied();
    Average::of(&rows.iter().filter_map(of).collect::<Vec<f64>>())
}

/// The rewards nearest to an observation without its own, which was chosen for its luck.
pub(super) fn beside(data: &Dataset, chosen: usize) -> Average {
    let center = data.rows().row(chosen);
    let distance = |row: &[f64]| squared_distance(row, center);
    let mut nearest = nearest_indices(data.rows(), NEAREST_TRIALS + 1, distance);
    nearest.retain(|&i| i != chosen);
    let rewards: Vec<f64> = nearest.iter().map(|&i| data.rewards()[i]).collect();
    Average::of(&rewards)
}

/// Squared changes of the reward from `level` per step of the start, by the observations elsewhere.
pub(super) fn steps(data: &Dataset, known: usize, looks: &[Vec<f64>], level: f64) -> MeanSquare {
    let prints: Vec<u128> = looks.iter().map(|row| row_fingerprint(row)).collect();
    let mut steps = MeanSquare::default();
    for (row, reward) in data.rows().rows().zip(data.rewards()).take(known) {
        if !prints.contains(&row_fingerprint(row)) {
            let squares = squared_distance(row, &looks[0]) / START_STEP.powi(2);
            steps.add((reward - level).powi(2) / squares.max(1.0));
        }
    }
    steps
}

/// Half differences of opposite points, of full and of half reach.
#[derive(Default)]
pub(super) struct PairEffects([MeanSquare; 2]);

impl PairEffects {
    /// Counts the pairs of a round; earlier ones lose weight.
    pub(super) fn count(&mut self, design: &Design, rewards: &HashMap<u128, f64>) {
        if !design.pairs {
            return;
        }
        for odd in &mut self.0 {
            (odd.sum, odd.count) = (FORGET * odd.sum, FORGET * odd.count);
        }
        for (j, pair) in design.rows.chunks(2).enumerate() {
            let found = [0, 1].map(|k| rewards.get(&row_fingerprint(&pair[k])));
            if let [Some(one), Some(other)] = found {
                let half = 0.5 * (one - other);
                self.0[usize::from(Design::is_short(j))].add(half * half);
            }
        }
    }

    /// Their mean squares beyond the noise, in units of the noise.
    pub(super) fn beyond(&self, noise: f64) -> [f64; 2] {
        self.0
            .map(|odd| (odd.mean() / (0.5 * noise) - 1.0).max(0.0))
    }
}

/// The rewards of a round's longer pairs; none for the first round, whose levels are others.
pub(super) fn level(design: &Design, rewards: &HashMap<u128, f64>) -> Option<Average> {
    let pairs = design.rows.chunks(2).enumerate();
    let long = pairs.filter(|(j, _)| !Design::is_short(*j));
    let found = long.flat_map(|(_, pair)| pair);
    let found = found.filter_map(|row| rewards.get(&row_fingerprint(row)).copied());
    let found: Vec<f64> = found.collect();
    (design.pairs && found.len() > 2).then(|| Average::of(&found))
}
