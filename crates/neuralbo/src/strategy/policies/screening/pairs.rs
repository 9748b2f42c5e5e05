//! What the pairs of opposite points of the rounds show.

use super::super::constants::FORGET;
use super::design::Design;
use super::rewards::{Average, MeanSquare};
use crate::acquisition::maximize::row_fingerprint;
use std::collections::HashMap;

/// Rewards by the fingerprints of their rows.
type Rewards = HashMap<u128, f64>;

/// Half differences of opposite points, of full and of half reach.
#[derive(Default)]
pub(super) struct PairEffects([MeanSquare; 2]);

impl PairEffects {
    /// Counts the pairs of a round; earlier ones lose weight.
    pub(super) fn count(&mut self, design: &Design, rewards: &Rewards) {
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
pub(super) fn level(design: &Design, rewards: &Rewards) -> Option<Average> {
    let pairs = design.rows.chunks(2).enumerate();
    let long = pairs.filter(|(j, _)| !Design::is_short(*j));
    let found = long.flat_map(|(_, pair)| pair);
    let found = found.filter_map(|row| rewards.get(&row_fingerprint(row)).copied());
    let found: Vec<f64> = found.collect();
    (design.pairs && found.len() > 2).then(|| Average::of(&found))
}
