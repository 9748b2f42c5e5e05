//! The rounds of a screening, as a fold over the observations.

use super::super::constants::{
    CLEARLY_BETTER_START, CLEARLY_HIDDEN, CLEARLY_WORSE, FEWEST_STEPS, FIRST_ITERATIONS,
    FIRST_LOOKS, FORGET, LONGER, LOOKS, MISFIT_NONE, MISFIT_SOME, MORE_ITERATIONS, MOST_REJECTED,
    MOST_SCREENING, NOISE_PRIOR_LOOKS, REACH, REACH_LARGEST, REACH_SMALLEST, REJECTED_REACH,
    SETTLED_ROUNDS, SHORT_WEAK, SHORTER, START_STEP, TWIN_STEP, WEAKER,
};
use super::Factors;
use super::design::{Around, Design};
use super::effects::best_row;
use super::quadratic::{Variances, View};
use crate::acquisition::maximize::{SeenRows, row_fingerprint};
use crate::linalg::{Purpose, squared_distance};
use crate::space::Coordinate;
use crate::strategy::{History, HistoryEntry, Setup};
use crate::surrogate::Dataset;
use std::collections::HashMap;

/// What the screening does.
pub(super) enum Stage {
    /// Looks at the centre and next to it; the trust region's start goes on meanwhile.
    Watching,
    /// No noise was seen.
    Quiet,
    /// A round of trials.
    Round(Box<Round>),
    /// The trust region took over after this many trials.
    Ended(usize),
}

/// One round.
pub(super) struct Round {
    index: u64,
    center: Vec<f64>,
    reach: f64,
    design: Design,
    /// Observations made before it.
    before: usize,
    /// The next centre, once the design is observed.
    proposed: Option<Proposed>,
}

/// The model's best point and what the model leaves unexplained.
struct Proposed {
    looks: Vec<Vec<f64>>,
    residual: f64,
}

/// Sum of squares and number of terms.
#[derive(Clone, Copy, Default)]
struct MeanSquare {
    sum: f64,
    count: f64,
}

impl MeanSquare {
    fn add(&mut self, square: f64) {
        self.sum += square;
        self.count += 1.0;
    }

    fn mean(self) -> f64 {
        self.sum / self.count.max(1.0)
    }
}

/// The fold.
pub(super) struct Rounds {
    setup: Setup,
    factors: Factors,
    /// Trials of the trust region's start.
    start: usize,
    stage: Stage,
    seen: usize,
    /// Rewards at the present centre.
    at_center: Vec<f64>,
    /// Variance of the noise by looks at one point.
    noise: MeanSquare,
    /// Half differences of opposite points, of full and of half reach.
    odd: [MeanSquare; 2],
    rejected: usize,
    variances: Variances,
}

impl Rounds {
    pub(super) fn new(setup: Setup, factors: Factors, start: usize) -> Self {
        Self {
            variances: Variances::start(factors.numbers.len()),
            setup,
            factors,
            start,
            stage: Stage::Watching,
            seen: 0,
            at_center: Vec::new(),
            noise: MeanSquare::default(),
            odd: [MeanSquare::default(); 2],
            rejected: 0,
        }
    }

    pub(super) fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The next point; `None` where the trust region has the turn.
    pub(super) fn next(&self, taken: &SeenRows) -> Option<Vec<f64>> {
        let free = |rows: &[Vec<f64>]| rows.iter().find(|row| !taken.contains(row)).cloned();
        match &self.stage {
            Stage::Watching => free(&self.first_looks()),
            Stage::Round(round) => {
                let proposed = round.proposed.as_ref();
                let look = proposed.and_then(|proposed| free(&proposed.looks));
                look.or_else(|| free(&round.design.rows))
            }
            Stage::Quiet | Stage::Ended(_) => None,
        }
    }

    fn first_looks(&self) -> Vec<Vec<f64>> {
        let center = vec![0.0; self.setup.space.encoded_dim()];
        self.looks_at(center, FIRST_LOOKS)
    }

    /// A row and others next to it, which differ too little to matter.
    fn looks_at(&self, mut row: Vec<f64>, count: usize) -> Vec<Vec<f64>> {
        self.setup.space.repair(&mut row);
        let coordinates = self.setup.space.coordinates();
        let beside = |k: usize| {
            let mut row = row.clone();
            for (x, coordinate) in row.iter_mut().zip(coordinates) {
                if *coordinate == Coordinate::Continuous {
                    *x -= x.signum() * k as f64 * TWIN_STEP;
                }
            }
            self.setup.space.repair(&mut row);
            row
        };
        (0..count).map(beside).collect()
    }

    /// Takes in the trials finished since the last call.
    pub(super) fn update(&mut self, history: &History) {
        for i in self.seen..history.len() {
            if let HistoryEntry::Observed(k) = history.outcomes()[i] {
                self.take(history.observed(), k + 1, i + 1);
            }
        }
        self.seen = history.len();
    }

    /// Takes in the last of the first `known` observations, made by the first `trials` trials.
    fn take(&mut self, data: &Dataset, known: usize, trials: usize) {
        match &mut self.stage {
            Stage::Watching => self.watch(data, known),
            Stage::Round(round) => {
                let made = known - round.before;
                if made == round.design.size {
                    self.propose(data, known);
                } else if made == round.design.size + LOOKS {
                    self.judge(data, known, trials);
                }
            }
            Stage::Quiet | Stage::Ended(_) => {}
        }
    }

    /// Begins to screen where looks at the centre differ by more than a part of what a step changes.
    fn watch(&mut self, data: &Dataset, known: usize) {
        let looks = self.first_looks();
        let center = rewards_at(data, 0..known, &looks);
        let (mean, variance) = moments(&center);
        let steps = steps(data, known, &looks, mean);
        if center.len() == FIRST_LOOKS && steps.count >= FEWEST_STEPS {
            if variance > CLEARLY_HIDDEN * steps.mean() {
                (1..FIRST_LOOKS).for_each(|_| self.noise.add(variance));
                return self.begin_at_the_best(data, known, looks, center);
            }
            if known >= self.start {
                self.stage = Stage::Quiet;
            }
        }
    }

    /// At the centre, unless another observation is better by more than noise explains.
    fn begin_at_the_best(
        &mut self,
        data: &Dataset,
        known: usize,
        looks: Vec<Vec<f64>>,
        at_center: Vec<f64>,
    ) {
        let (mean, variance) = moments(&at_center);
        let best = data.prefix(known).best();
        let other =
            best.filter(|&i| data.rewards()[i] > mean + CLEARLY_BETTER_START * variance.sqrt());
        (self.at_center, self.rejected) = (at_center, 0);
        let mut center = looks.into_iter().next().unwrap_or_default();
        if let Some(i) = other {
            center = data.rows().row(i).to_vec();
            self.at_center = vec![data.rewards()[i]];
        }
        self.begin(0, center, REACH, known);
    }

    fn begin(&mut self, index: u64, center: Vec<f64>, reach: f64, before: usize) {
        let around = Around {
            space: &self.setup.space,
            factors: &self.factors,
            center: &center,
            reach,
        };
        let mut rng = self.setup.streams.indexed(index, Purpose::Design, 1);
        let design = match index {
            0 => around.saturated(&mut rng),
            _ => around.pairs(self.factors.round(), &mut rng),
        };
        self.stage = Stage::Round(Box::new(Round {
            index,
            center,
            reach,
            design,
            before,
            proposed: None,
        }));
    }

    /// Fits the quadratic and proposes its best point.
    fn propose(&mut self, data: &Dataset, known: usize) {
        let Stage::Round(round) = &self.stage else {
            return;
        };
        let view = View {
            factors: &self.factors,
            center: &round.center,
            reach: round.reach,
            most: MOST_SCREENING,
        };
        let iterations = if round.index == 0 {
            FIRST_ITERATIONS
        } else {
            MORE_ITERATIONS
        };
        let Ok(fit) = view.fit(&data.prefix(known), self.variances, iterations) else {
            return;
        };
        let best = best_row(&fit, &self.factors, &round.center, round.reach);
        let proposed = Proposed {
            looks: self.looks_at(best, LOOKS),
            residual: fit.residual,
        };
        self.variances = fit.variances;
        self.count_pairs(data, known);
        if let Stage::Round(round) = &mut self.stage {
            round.proposed = Some(proposed);
        }
    }

    /// Counts the differences of opposite points.
    fn count_pairs(&mut self, data: &Dataset, known: usize) {
        let Stage::Round(round) = &self.stage else {
            return;
        };
        if !round.design.pairs {
            return;
        }
        for odd in &mut self.odd {
            (odd.sum, odd.count) = (FORGET * odd.sum, FORGET * odd.count);
        }
        let rewards = by_row(data, round.before..known);
        for (j, pair) in round.design.rows.chunks(2).enumerate() {
            let found = [0, 1].map(|k| rewards.get(&row_fingerprint(&pair[k])));
            if let [Some(one), Some(other)] = found {
                let half = 0.5 * (one - other);
                self.odd[usize::from(Design::is_short(j))].add(half * half);
            }
        }
    }

    /// Accepts the proposed centre or not, and begins the next round.
    fn judge(&mut self, data: &Dataset, known: usize, trials: usize) {
        let Stage::Round(round) = &mut self.stage else {
            return;
        };
        let (index, reach, before) = (round.index, round.reach, round.before);
        let center = std::mem::take(&mut round.center);
        let Some(proposed) = round.proposed.take() else {
            return self.begin(index + 1, center, reach, known);
        };
        let found = rewards_at(data, before..known, &proposed.looks);
        let (mean, variance) = moments(&found);
        (1..found.len()).for_each(|_| self.noise.add(variance));
        let noise = self.noise_variance(proposed.residual);
        if !found.is_empty() && self.is_worse(mean, found.len(), noise) {
            self.rejected += 1;
            self.stage = Stage::Ended(trials);
            if self.rejected < MOST_REJECTED {
                self.begin(index + 1, center, REJECTED_REACH * reach, known);
            }
            return;
        }
        self.rejected = 0;
        self.at_center = found;
        let reach = self.next_reach(index, reach, (proposed.residual / noise).sqrt(), noise);
        let center = proposed.looks.into_iter().next().unwrap_or(center);
        self.begin(index + 1, center, reach, known);
    }

    /// The variance of the noise by all looks, and a little by half the residuals: few looks are
    /// equal by chance.
    fn noise_variance(&self, residual: f64) -> f64 {
        let prior = 0.5 * NOISE_PRIOR_LOOKS * residual;
        (self.noise.sum + prior) / (self.noise.count + NOISE_PRIOR_LOOKS)
    }

    fn is_worse(&self, mean: f64, count: usize, noise: f64) -> bool {
        let (present, _) = moments(&self.at_center);
        let parts = 1.0 / count as f64 + 1.0 / self.at_center.len().max(1) as f64;
        !self.at_center.is_empty() && present - mean > CLEARLY_WORSE * (noise * parts).sqrt()
    }

    /// The reach of the round after `index`; `misfit` is the deviation of the residuals in units of
    /// the noise's.
    fn next_reach(&self, index: u64, reach: f64, misfit: f64, noise: f64) -> f64 {
        let uncertain = 1.0 + (2.0 / self.noise.count.max(1.0)).sqrt();
        if misfit > MISFIT_SOME * uncertain {
            return (SHORTER * reach).max(REACH_SMALLEST);
        }
        if index < SETTLED_ROUNDS {
            return reach;
        }
        let [full, short] = self
            .odd
            .map(|odd| (odd.mean() / (0.5 * noise) - 1.0).max(0.0));
        if short > full {
            (WEAKER * reach).max(REACH_SMALLEST)
        } else if short < SHORT_WEAK * full && misfit < MISFIT_NONE {
            (LONGER * reach).min(REACH_LARGEST)
        } else {
            reach
        }
    }
}

/// Mean and variance.
fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count.max(1.0);
    let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    (mean, squares / (count - 1.0).max(1.0))
}

fn by_row(data: &Dataset, range: std::ops::Range<usize>) -> HashMap<u128, f64> {
    let of = |i: usize| (row_fingerprint(data.rows().row(i)), data.rewards()[i]);
    range.map(of).collect()
}

/// The rewards of these rows among a range of observations.
fn rewards_at(data: &Dataset, range: std::ops::Range<usize>, rows: &[Vec<f64>]) -> Vec<f64> {
    let rewards = by_row(data, range);
    let of = |row: &Vec<f64>| rewards.get(&row_fingerprint(row)).copied();
    rows.iter().filter_map(of).collect()
}

/// Squared changes of the reward from `level` per step of the start, by the observations elsewhere.
fn steps(data: &Dataset, known: usize, looks: &[Vec<f64>], level: f64) -> MeanSquare {
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
