//! The fitted forest.

use std::ops::Range;
use std::sync::Arc;

use neuralbo::linalg::Points;
use neuralbo::surrogate::tiles::over_ranges;
use neuralbo::surrogate::{Dataset, Posterior, Prediction};

use super::bagged::BaggedTree;
use super::growth::Bagging;
use super::tree::{LANES, Lanes};

/// Trees that a first look at many rows asks, and how many there must be for that.
const FEW: usize = 64;
const MANY: usize = 2 * FEW;
/// Rows predicted by one task: enough to read each tree from memory once for many of them.
const BLOCK: usize = 128;

/// The trees of some data and what they say.
#[derive(Clone, Debug)]
pub(super) struct ForestPosterior {
    bagging: Bagging,
    scale: RewardScale,
    /// Rows that were observed, then those that are being evaluated.
    rows: Points,
    /// Their targets; a row that is being evaluated has the mean of the forest (kriging believer).
    targets: Vec<f64>,
    trees: Vec<Arc<BaggedTree>>,
    /// By tree and node.
    values: Vec<Arc<[f64]>>,
}

impl ForestPosterior {
    pub(super) fn new(bagging: Bagging, data: &Dataset, trees: Vec<Arc<BaggedTree>>) -> Self {
        let scale = RewardScale::of(data.rewards());
        let targets = data.rewards().iter().map(|&y| scale.target(y)).collect();
        let mut forest = Self {
            bagging,
            scale,
            rows: data.rows().clone(),
            targets,
            trees,
            values: Vec::new(),
        };
        forest.evaluate();
        forest
    }

    fn evaluate(&mut self) {
        let means = |tree: &Arc<BaggedTree>| tree.means(&self.targets).into();
        self.values = self.trees.iter().map(means).collect();
    }

    /// Mean and standard deviation over the trees in units of the targets, one pair a row.
    fn moments(&self, rows: &Points) -> Vec<(f64, f64)> {
        over_ranges(rows.len(), BLOCK, |range| self.block_moments(rows, range)).concat()
    }

    /// Welford's update, tree after tree.
    fn block_moments(&self, rows: &Points, range: Range<usize>) -> Vec<(f64, f64)> {
        let tiles = tiles(rows, range.clone());
        let mut moments = vec![[(0.0, 0.0); LANES]; range.len().div_ceil(LANES)];
        for (seen, (tree, values)) in self.trees.iter().zip(&self.values).enumerate() {
            let share = 1.0 / (seen + 1) as f64;
            for (k, moments) in moments.iter_mut().enumerate() {
                let leaves = tree.leaves(&tiles[k * rows.dim()..(k + 1) * rows.dim()]);
                for ((mean, squares), leaf) in moments.iter_mut().zip(leaves) {
                    let difference: f64 = values[leaf] - *mean;
                    *mean += difference * share;
                    *squares += difference * (values[leaf] - *mean);
                }
            }
        }
        let count = self.trees.len() as f64;
        let all = moments.into_iter().flatten().take(range.len());
        all.map(|(mean, squares)| (mean, (squares / count).sqrt()))
            .collect()
    }
}

/// The rows of a range as tiles of `LANES` of them, coordinate by coordinate; the last tile repeats the last row.
fn tiles(rows: &Points, range: Range<usize>) -> Vec<Lanes> {
    let starts = range.clone().step_by(LANES);
    let row = |start: usize, lane: usize| rows.row((start + lane).min(range.end - 1));
    starts
        .flat_map(|start| {
            (0..rows.dim()).map(move |k| std::array::from_fn(|lane| row(start, lane)[k]))
        })
        .collect()
}

impl Posterior for ForestPosterior {
    fn predict(&self, rows: &Points) -> Prediction {
        let in_rewards = |(mean, sd)| (self.scale.mean(mean), self.scale.sd(sd));
        let (mean, sd) = self.moments(rows).into_iter().map(in_rewards).unzip();
        Prediction { mean, sd }
    }

    /// The first trees: each is drawn like any other, so that their moments estimate those of all.
    fn preview(&self) -> Option<Box<dyn Posterior>> {
        (self.trees.len() >= MANY).then(|| {
            Box::new(Self {
                trees: self.trees[..FEW].to_vec(),
                values: self.values[..FEW].to_vec(),
                ..self.clone()
            }) as Box<dyn Posterior>
        })
    }

    fn with_pending(&self, rows: &Points) -> Option<Box<dyn Posterior>> {
        let mut forest = self.clone();
        for (row, (mean, _)) in rows.rows().zip(self.moments(rows)) {
            forest.rows.push(row);
            forest.targets.push(mean);
            let target = |i: usize| forest.targets[i];
            forest.trees = self.bagging.with_row(forest.trees, &forest.rows, &target);
        }
        forest.evaluate();
        Some(Box::new(forest))
    }
}

/// Rewards in units in which sums of squares neither overflow nor vanish: the map `reward = magnitude · (centre + radius · target)` with targets in [−1, 1].
///
/// Two steps, because a sum or difference of rewards near the largest number would overflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RewardScale {
    magnitude: f64,
    centre: f64,
    radius: f64,
    /// Smallest and largest `reward / magnitude`: a mean of rewards cannot leave this range, rounding aside.
    range: (f64, f64),
}

/// Smallest standard deviation in units of the rewards' scale.
const SD_FLOOR: f64 = 1e-6;

impl RewardScale {
    /// The scale of `rewards`, which are finite.
    pub(super) fn of(rewards: &[f64]) -> Self {
        let largest = rewards.iter().fold(0.0_f64, |a, y| a.max(y.abs()));
        let magnitude = if largest > 0.0 { largest } else { 1.0 };
        let unit = || rewards.iter().map(|y| y / magnitude);
        let range = unit().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| {
            (low.min(z), high.max(z))
        });
        // Constant rewards are recognized exactly: their computed mean may differ by rounding, which must not become the scale.
        if range.0 == range.1 {
            return Self {
                magnitude,
                centre: range.0,
                radius: 1.0,
                range,
            };
        }
        let centre = unit().sum::<f64>() / rewards.len() as f64;
        let radius = (range.1 - centre).max(centre - range.0);
        Self {
            magnitude,
            centre,
            radius,
            range,
        }
    }

    /// The target of one of the rewards.
    pub(super) fn target(&self, reward: f64) -> f64 {
        (reward / self.magnitude - self.centre) / self.radius
    }

    /// The reward at a mean of targets.
    pub(super) fn mean(&self, target: f64) -> f64 {
        (self.centre + self.radius * target).clamp(self.range.0, self.range.1) * self.magnitude
    }

    /// The reward's standard deviation at one of targets, not below the floor.
    pub(super) fn sd(&self, target_sd: f64) -> f64 {
        // Values in [−1, 1] have no larger standard deviation than 1: the bound keeps rounding from overflowing.
        ((self.radius * target_sd.max(SD_FLOOR)).min(1.0) * self.magnitude).max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_fill_the_unit_range_at_any_magnitude() {
        for magnitude in [1e-300, 1.0, 1e300, f64::MAX] {
            let rewards = [magnitude, -magnitude, 0.5 * magnitude, 0.0];
            let scale = RewardScale::of(&rewards);
            let targets = rewards.map(|reward| scale.target(reward));
            assert!(targets.iter().all(|t| t.abs() <= 1.0));
            for (reward, &target) in rewards.iter().zip(&targets) {
                assert!((scale.mean(target) / magnitude - reward / magnitude).abs() < 1e-15);
            }
            assert!(scale.sd(0.0) > 0.0 && scale.sd(1.0).is_finite());
        }
    }

    #[test]
    fn constant_rewards_keep_their_value_and_a_floor() {
        let scale = RewardScale::of(&[0.1; 7]);
        assert_eq!(scale.target(0.1), 0.0);
        assert_eq!(scale.mean(0.0), 0.1);
        assert_eq!(scale.sd(0.0), SD_FLOOR * 0.1);
        assert_eq!(RewardScale::of(&[0.0]).sd(0.0), SD_FLOOR);
    }
}
