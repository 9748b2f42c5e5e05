//! Learning curves: extrapolated final values of pruned trials.
//!
//! Curves are read at *levels*: the rungs of the pruner, or the powers of two. The trials that
//! continued show how values change from one level to the next, and from the last level to the final
//! value: a line through the pairs of both, or a shift by their mean difference while they are few,
//! with the spread around it. A pruned trial follows these lines from its last level to the end, and
//! their variances add up. Values are rewards: larger is better.

use std::collections::BTreeMap;

use crate::record::{Pruner, Rule};
use crate::store::Finished;

/// Fewer pairs determine a shift, not a slope.
const PAIRS_FOR_A_SLOPE: usize = 5;
/// The latest pairs of a transition that are kept, which bounds the cost per trial.
const REMEMBERED: usize = 100;
/// Largest slope: curves converge or run in parallel; a steeper line is noise.
const STEEPEST: f64 = 1.0;

/// The expected final value of a pruned trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FinalEstimate {
    pub(super) reward: f64,
    /// Its standard deviation.
    pub(super) sd: f64,
}

/// The learning curves of the trials so far.
#[derive(Clone, Debug)]
pub(super) struct LearningCurves {
    levels: Vec<i64>,
    /// From each level to the next.
    next: Vec<Transition>,
    /// From each level to the end, of trials that reached no higher one.
    last: Vec<Transition>,
    /// The last level of pruned trials and the reward there, from which a resumed trial continues.
    stopped: BTreeMap<u64, (usize, f64)>,
}

/// Rewards before and after a transition.
#[derive(Clone, Debug, Default)]
struct Transition {
    pairs: Vec<(f64, f64)>,
    seen: usize,
}

impl LearningCurves {
    /// Curves with the levels of the pruner.
    pub(super) fn new(pruner: &Pruner) -> Self {
        let levels: Vec<i64> = match &pruner.rule {
            Rule::Halving(halving) | Rule::Hyperband(halving) => halving.rungs(0).collect(),
            _ => (0..62).map(|power| 1 << power).collect(),
        };
        let none = vec![Transition::default(); levels.len()];
        Self {
            levels,
            next: none.clone(),
            last: none,
            stopped: BTreeMap::new(),
        }
    }

    /// Adds a trial with its reports as rewards by step, and its final reward if complete.
    pub(super) fn learn(&mut self, finished: &Finished, reports: &[(i64, f64)], end: Option<f64>) {
        let mut reached = self.reached(reports);
        if let Some(before) = finished
            .resumes
            .and_then(|number| self.stopped.get(&number))
        {
            reached.retain(|(level, _)| *level > before.0);
            reached.insert(0, *before);
        }
        for pair in reached.windows(2) {
            let ((from, x), (to, y)) = (pair[0], pair[1]);
            // One report may pass several levels; then the change is not that of one transition.
            if to == from + 1 {
                self.next[from].add(x, y);
            }
        }
        match (reached.last(), end) {
            (Some((level, reward)), Some(end)) => self.last[*level].add(*reward, end),
            (Some(last), None) => _ = self.stopped.insert(finished.number, *last),
            (None, _) => {}
        }
    }

    /// The estimate for a trial pruned after these reports, as rewards by step; `None` without a
    /// report or without a trial that continued.
    pub(super) fn estimate(&self, reports: &[(i64, f64)]) -> Option<FinalEstimate> {
        let (_, reward) = *reports.last()?;
        let from = self.reached(reports).last().map_or(0, |(level, _)| *level);
        // Where most complete trials ended, the later of equals.
        let to = (from..self.levels.len()).max_by_key(|level| self.last[*level].seen)?;
        if self.last[to].seen == 0 {
            return None;
        }
        let way = self.next[from..to].iter().chain([&self.last[to]]);
        let start = FinalEstimate { reward, sd: 0.0 };
        way.into_iter()
            .try_fold(start, |at, transition| transition.follow(at))
    }

    /// The levels that a curve reached, each with the reward of the first report there.
    fn reached(&self, reports: &[(i64, f64)]) -> Vec<(usize, f64)> {
        let mut reached: Vec<(usize, f64)> = Vec::new();
        let mut level = 0;
        for (step, reward) in reports {
            let before = level;
            level += self.levels[level..]
                .iter()
                .take_while(|rung| *rung <= step)
                .count();
            if level > before {
                reached.push((level - 1, *reward));
            }
        }
        reached
    }
}

impl Transition {
    fn add(&mut self, x: f64, y: f64) {
        if self.pairs.len() < REMEMBERED {
            self.pairs.push((x, y));
        } else {
            self.pairs[self.seen % REMEMBERED] = (x, y);
        }
        self.seen += 1;
    }

    /// Where an estimate comes to; `None` if nobody has gone this way.
    fn follow(&self, at: FinalEstimate) -> Option<FinalEstimate> {
        let count = self.pairs.len() as f64;
        if self.pairs.is_empty() {
            return None;
        }
        let mean =
            |value: fn(&(f64, f64)) -> f64| self.pairs.iter().map(value).sum::<f64>() / count;
        let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
        let sum = |value: &dyn Fn(f64, f64) -> f64| {
            self.pairs
                .iter()
                .map(|pair| value(pair.0 - x, pair.1 - y))
                .sum::<f64>()
        };
        let sxx = sum(&|dx, _| dx * dx);
        let has_slope = self.pairs.len() >= PAIRS_FOR_A_SLOPE && sxx > 0.0;
        let slope = if has_slope {
            (sum(&|dx, dy| dx * dy) / sxx).clamp(0.0, STEEPEST)
        } else {
            1.0
        };
        let free = count - if has_slope { 2.0 } else { 1.0 };
        let residual = if free > 0.0 {
            sum(&|dx, dy| (dy - slope * dx).powi(2)) / free
        } else {
            (y - x).powi(2)
        };
        // A line is the less certain the further away from its data.
        let away = if has_slope {
            (at.reward - x).powi(2) / sxx
        } else {
            0.0
        };
        let variance = residual * (1.0 + 1.0 / count + away) + (slope * at.sd).powi(2);
        Some(FinalEstimate {
            reward: y + slope * (at.reward - x),
            sd: variance.sqrt(),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::record::{State, Values};

    fn finished(number: u64, resumes: Option<u64>) -> Finished {
        let state = State::Complete;
        Finished {
            seq: number + 1,
            number,
            version: 1,
            params: None,
            state,
            values: Values::new(),
            known: false,
            curve: Vec::new(),
            resumes,
        }
    }

    fn curves() -> LearningCurves {
        LearningCurves::new(&"asha:min=1,factor=3,max=27".parse().unwrap())
    }

    /// Rewards `−(a + b/step)` up to a step.
    fn course(a: f64, b: f64, steps: i64) -> Vec<(i64, f64)> {
        (1..=steps)
            .map(|step| (step, -(a + b / step as f64)))
            .collect()
    }

    #[test]
    fn nothing_is_estimated_from_nothing() {
        assert_eq!(curves().estimate(&course(1.0, 1.0, 3)), None);
        let mut one = curves();
        one.learn(&finished(0, None), &course(1.0, 1.0, 27), Some(-1.0));
        assert_eq!(one.estimate(&[]), None);
    }

    #[test]
    fn curves_side_by_side_are_shifted_exactly() {
        let mut seen = curves();
        for (number, a) in [(0, 1.0), (1, 2.0), (2, 4.0)] {
            seen.learn(
                &finished(number, None),
                &course(a, 9.0, 27),
                Some(-a - 9.0 / 27.0),
            );
        }
        let estimate = seen.estimate(&course(7.0, 9.0, 3)).unwrap();
        assert!(
            (estimate.reward + 7.0 + 9.0 / 27.0).abs() < 1e-9 && estimate.sd < 1e-6,
            "{estimate:?}"
        );
    }

    #[test]
    fn curves_that_come_together_have_slopes_below_one() {
        let mut seen = curves();
        for number in 0..8 {
            let b = 1.0 + number as f64;
            seen.learn(
                &finished(number, None),
                &course(1.0, b, 27),
                Some(-1.0 - b / 27.0),
            );
        }
        let estimate = seen.estimate(&course(1.0, 20.0, 3)).unwrap();
        assert!(
            (estimate.reward + 1.0 + 20.0 / 27.0).abs() < 1e-9 && estimate.sd < 1e-6,
            "{estimate:?}"
        );
    }

    #[test]
    fn pruned_trials_count_up_to_where_they_stopped_and_variances_add_up() {
        let mut seen = curves();
        for number in 0..30 {
            let wiggle = if number % 2 == 0 { 0.5 } else { -0.5 };
            let reports = [(1, number as f64), (3, number as f64 + wiggle)];
            seen.learn(&finished(number, None), &reports, None);
        }
        seen.learn(
            &finished(30, None),
            &[(1, 0.0), (3, 0.0), (9, 0.0), (27, 0.0)],
            Some(0.0),
        );
        seen.learn(
            &finished(31, None),
            &[(1, 1.0), (3, 1.0), (9, 1.0), (27, 1.0)],
            Some(1.0),
        );
        let (early, late) = (
            seen.estimate(&[(1, 5.0)]).unwrap(),
            seen.estimate(&[(1, 5.0), (3, 5.0)]).unwrap(),
        );
        assert!(
            (early.reward - 5.0).abs() < 0.2 && (0.4..0.6).contains(&early.sd),
            "{early:?}"
        );
        assert!(late.sd < 1e-9, "{late:?}");
    }

    #[test]
    fn a_resumed_trial_goes_on_where_the_other_stopped() {
        let mut seen = curves();
        seen.learn(&finished(0, None), &[(1, 1.0)], None);
        seen.learn(
            &finished(1, Some(0)),
            &[(2, 1.5), (3, 2.0), (9, 3.0)],
            Some(4.0),
        );
        let estimate = seen.estimate(&[(1, 10.0)]).unwrap();
        assert!(
            (estimate.reward - 13.0).abs() < 1e-9,
            "1 → 2 → 3 → 4: {estimate:?}"
        );
    }
}
