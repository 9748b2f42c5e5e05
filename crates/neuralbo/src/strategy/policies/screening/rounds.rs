//! The rounds of a screening, as a fold over the observations.

use super::super::constants::{
    CLEARLY_BETTER_LEVEL, CLEARLY_BETTER_START, CLEARLY_HIDDEN, CLEARLY_WORSE, FEWEST_STEPS,
    FIRST_ITERATIONS, FIRST_LOOKS, LONGER, LOOKS, MISFIT_NONE, MISFIT_SOME, MORE_ITERATIONS,
    MOST_REJECTED, MOST_SCREENING, NEXT_REACHES, NOISE_PRIOR_LOOKS, REACH, REACH_LARGEST,
    REACH_SMALLEST, REGION_ROUNDS, REJECTED_REACH, SETTLED_ROUNDS, SHORT_WEAK, SHORTER, TWIN_STEP,
    WEAKER,
};
use super::Factors;
use super::design::{Around, Design};
use super::quadratic::{Variances, View, best_row};
use super::rewards::{Average, MeanSquare, PairEffects, beside, by_row, level, rewards_at, steps};
use super::turns::{FirstSearch, RegionTurn, Windows, stand_still};
use crate::acquisition::maximize::{SeenRows, row_fingerprint};
use crate::linalg::Purpose;
use crate::space::Coordinate;
use crate::strategy::{History, HistoryEntry, Setup};
use crate::surrogate::Dataset;

/// What the screening does.
pub(super) enum ScreeningStage {
    /// Looks at the centre and next to it; the trust region's start goes on meanwhile.
    Watching,
    /// The first search of the trust region in few numbers.
    First(FirstSearch),
    /// No noise was seen.
    Quiet,
    /// A round of trials.
    Round(Box<Round>),
    /// The trust region has the turn.
    Region(RegionTurn),
}

/// One round.
pub(super) struct Round {
    pub(super) index: u64,
    pub(super) center: Vec<f64>,
    pub(super) reach: f64,
    pub(super) design: Design,
    /// Observations made before it.
    pub(super) before: usize,
    /// The next centre, once the design is observed.
    pub(super) proposed: Option<ProposedCenter>,
    /// The centre before, where looks at the present one were worse.
    pub(super) back: Option<Retreat>,
}

/// A centre to which the screening returns unless the round around the next one is better as a
/// whole: the centre may lie at the bottom of a ripple that its surroundings do not share.
pub(super) struct Retreat {
    pub(super) center: Vec<f64>,
    pub(super) at_center: Average,
    pub(super) level: Average,
    pub(super) reach: f64,
}

/// The model's best point and what the model leaves unexplained.
pub(super) struct ProposedCenter {
    pub(super) looks: Vec<Vec<f64>>,
    pub(super) residual: f64,
}

/// Where a round ends: its index, the observations and the trials until then.
struct RoundEnd {
    index: u64,
    known: usize,
    trials: usize,
}

impl RoundEnd {
    fn new(index: u64, known: usize, trials: usize) -> Self {
        Self {
            index,
            known,
            trials,
        }
    }
}

/// The fold.
pub(super) struct Rounds {
    setup: Setup,
    factors: Factors,
    /// Trials of the trust region's start.
    start: usize,
    stage: ScreeningStage,
    seen: usize,
    /// Looks at the centre that no observation has made yet, by their fingerprints.
    unseen: Vec<u128>,
    /// Rewards at the present centre.
    at_center: Average,
    /// Variance of the noise by looks at one point.
    noise: MeanSquare,
    pairs: PairEffects,
    rejected: usize,
    /// Rewards at the centres since the last turn of the trust region.
    centers: Vec<f64>,
    /// Turns of the trust region.
    turns: usize,
    /// The reach that last led to another centre.
    useful_reach: f64,
    variances: Variances,
}

impl Rounds {
    pub(super) fn new(setup: Setup, factors: Factors, start: usize) -> Self {
        let mut rounds = Self {
            variances: Variances::start(factors.numbers.len()),
            setup,
            factors,
            start,
            stage: ScreeningStage::Watching,
            seen: 0,
            unseen: Vec::new(),
            at_center: Average::default(),
            noise: MeanSquare::default(),
            pairs: PairEffects::default(),
            rejected: 0,
            centers: Vec::new(),
            turns: 0,
            useful_reach: REACH,
        };
        if rounds.factors.region_first() {
            rounds.stage = ScreeningStage::First(FirstSearch::new(start));
            return rounds;
        }
        let looks = rounds.first_looks();
        rounds.unseen = looks.iter().map(|row| row_fingerprint(row)).collect();
        rounds
    }

    pub(super) fn stage(&self) -> &ScreeningStage {
        &self.stage
    }

    /// The centre that looks have tested, and the distance of its looks; `None` before the first
    /// round, and where a turn of the trust region has found a clearly better one.
    pub(super) fn center(&self, data: &Dataset) -> Option<(&[f64], f64)> {
        let row = match &self.stage {
            ScreeningStage::Round(round) => {
                let back = round.back.as_ref();
                back.map_or(&round.center, |back| &back.center)
            }
            ScreeningStage::Region(turn) if self.clearly_better(data).is_none() => &turn.center,
            _ => return None,
        };
        let reach = TWIN_STEP * FIRST_LOOKS as f64 * (row.len() as f64).sqrt();
        Some((row, reach))
    }

    /// The next point; `None` where the trust region has the turn.
    pub(super) fn next(&self, taken: &SeenRows) -> Option<Vec<f64>> {
        let free = |rows: &[Vec<f64>]| rows.iter().find(|row| !taken.contains(row)).cloned();
        match &self.stage {
            ScreeningStage::Watching => free(&self.first_looks()),
            ScreeningStage::Round(round) => {
                let proposed = round.proposed.as_ref();
                let look = proposed.and_then(|proposed| free(&proposed.looks));
                look.or_else(|| free(&round.design.rows))
            }
            ScreeningStage::First(_) | ScreeningStage::Quiet | ScreeningStage::Region(_) => None,
        }
    }

    /// What evaluations say of the present centre.
    #[cfg(test)]
    pub(super) fn level_of_center(&self) -> f64 {
        self.at_center.mean
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
            ScreeningStage::Watching => self.watch(data, known),
            ScreeningStage::Round(round) => {
                let made = known - round.before;
                if made == round.design.size {
                    let rewards = by_row(data, round.before..known);
                    self.pairs.count(&round.design, &rewards);
                    if !self.retreats(data, known, trials) {
                        self.propose(data, known);
                    }
                } else if made == round.design.size + LOOKS {
                    self.judge(data, known, trials);
                }
            }
            ScreeningStage::First(_) => self.follow_first(data, known),
            ScreeningStage::Region(_) => self.follow_region(data, known),
            ScreeningStage::Quiet => {}
        }
    }

    /// Begins to screen where looks at the centre differ by more than a part of what a step changes.
    fn watch(&mut self, data: &Dataset, known: usize) {
        // Without all looks there is nothing to compare, and many told trials must not each be compared with all before them.
        let last = row_fingerprint(data.rows().row(known - 1));
        self.unseen.retain(|print| *print != last);
        if !self.unseen.is_empty() {
            return;
        }
        let looks = self.first_looks();
        let center = rewards_at(data, 0..known, &looks);
        let steps = steps(data, known, &looks, center.mean);
        if center.count == FIRST_LOOKS as f64 && steps.count >= FEWEST_STEPS {
            if center.variance > CLEARLY_HIDDEN * steps.mean() {
                (1..FIRST_LOOKS).for_each(|_| self.noise.add(center.variance));
                self.at_center = center;
                return self.begin_at_the_best(data, known, looks[0].clone());
            }
            if known >= self.start {
                self.stage = ScreeningStage::Quiet;
            }
        }
    }

    /// At the centre, unless another observation is better by more than noise explains.
    fn begin_at_the_best(&mut self, data: &Dataset, known: usize, mut center: Vec<f64>) {
        if let Some(i) = self.clearly_better(&data.prefix(known)) {
            center = data.rows().row(i).to_vec();
            self.at_center = Average::of(&data.rewards()[i..=i]);
        }
        self.rejected = 0;
        let (index, reach) = match &self.stage {
            ScreeningStage::Region(turn) => {
                (turn.index, NEXT_REACHES[self.turns % NEXT_REACHES.len()])
            }
            _ => (0, REACH),
        };
        self.begin(index, center, reach, known);
    }

    /// Ends the first search of the trust region where it stands still under noise.
    fn follow_first(&mut self, data: &Dataset, known: usize) {
        let window = REGION_ROUNDS * self.factors.round();
        let ScreeningStage::First(first) = &mut self.stage else {
            return;
        };
        let Some(noise) = first.end(data, known, window) else {
            return;
        };
        let known_data = data.prefix(known);
        let Some(best) = known_data.best() else {
            return;
        };
        self.noise.add(noise);
        let center = data.rows().row(best).to_vec();
        self.at_center = beside(&known_data, best);
        self.begin(1, center, REACH, known);
    }

    /// Ends the turn of the trust region where it stands still.
    fn follow_region(&mut self, data: &Dataset, known: usize) {
        let window = REGION_ROUNDS * self.factors.round();
        let ScreeningStage::Region(turn) = &mut self.stage else {
            return;
        };
        if !turn.windows.stand_still(data, known, window) {
            return;
        }
        let center = std::mem::take(&mut turn.center);
        self.begin_at_the_best(data, known, center);
    }

    /// The best observation, if it is better than the present centre by more than noise explains.
    fn clearly_better(&self, data: &Dataset) -> Option<usize> {
        let clearly = self.at_center.mean + CLEARLY_BETTER_START * self.noise.mean().sqrt();
        data.best().filter(|&i| data.rewards()[i] > clearly)
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
        self.stage = ScreeningStage::Round(Box::new(Round {
            index,
            center,
            reach,
            design,
            before,
            proposed: None,
            back: None,
        }));
    }

    /// Returns to the centre before where the present round is no better than the one around it.
    fn retreats(&mut self, data: &Dataset, known: usize, trials: usize) -> bool {
        let ScreeningStage::Round(round) = &mut self.stage else {
            return false;
        };
        let level = level(&round.design, &by_row(data, round.before..known));
        let Some(back) = round.back.take() else {
            return false;
        };
        if level.is_some_and(|level| level.exceeds(&back.level, CLEARLY_BETTER_LEVEL)) {
            self.rejected = 0;
            return false;
        }
        let index = round.index;
        self.at_center = back.at_center;
        self.reject(RoundEnd::new(index, known, trials), back.center, back.reach);
        true
    }

    /// Fits the quadratic and proposes its best point.
    fn propose(&mut self, data: &Dataset, known: usize) {
        let ScreeningStage::Round(round) = &self.stage else {
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
        let proposed = ProposedCenter {
            looks: self.looks_at(best, LOOKS),
            residual: fit.residual,
        };
        self.variances = fit.variances;
        if let ScreeningStage::Round(round) = &mut self.stage {
            round.proposed = Some(proposed);
        }
    }

    /// Accepts the proposed centre or not, and begins the next round.
    fn judge(&mut self, data: &Dataset, known: usize, trials: usize) {
        let ScreeningStage::Round(round) = &mut self.stage else {
            return;
        };
        let level = level(&round.design, &by_row(data, round.before..known));
        let (index, reach, before) = (round.index, round.reach, round.before);
        let center = std::mem::take(&mut round.center);
        let Some(proposed) = round.proposed.take() else {
            return self.begin(index + 1, center, reach, known);
        };
        let found = rewards_at(data, before..known, &proposed.looks);
        (1..found.count as usize).for_each(|_| self.noise.add(found.variance));
        let noise = self.noise_variance(proposed.residual);
        let next = proposed.looks.into_iter().next().unwrap_or_default();
        if found.count == 0.0 || next.is_empty() {
            return self.begin(index + 1, center, reach, known);
        }
        if self.is_worse(&found, noise) {
            return match level.filter(|level| found.mean > level.mean) {
                None => self.reject(RoundEnd::new(index, known, trials), center, reach),
                Some(level) => {
                    let at_center = std::mem::replace(&mut self.at_center, found);
                    self.begin(index + 1, next, reach, known);
                    self.retreat_to(Retreat {
                        center,
                        at_center,
                        level,
                        reach,
                    });
                }
            };
        }
        (self.rejected, self.useful_reach) = (0, reach);
        self.at_center = found;
        self.centers.push(found.mean);
        if self.factors.region_first() && stand_still(&self.centers) {
            return self.hand_over(RoundEnd::new(index, known, trials), next, 2.0 * REACH);
        }
        let reach = self.next_reach(index, reach, (proposed.residual / noise).sqrt(), noise);
        self.begin(index + 1, next, reach, known);
    }

    fn retreat_to(&mut self, retreat: Retreat) {
        if let ScreeningStage::Round(round) = &mut self.stage {
            round.back = Some(retreat);
        }
    }

    /// The next round around the same centre with a shorter reach; after several in a row a turn
    /// of the trust region.
    fn reject(&mut self, at: RoundEnd, center: Vec<f64>, reach: f64) {
        self.rejected += 1;
        if self.rejected < MOST_REJECTED {
            let reach = (REJECTED_REACH * reach).max(REACH_SMALLEST);
            return self.begin(at.index + 1, center, reach, at.known);
        }
        self.hand_over(at, center, 2.0 * self.useful_reach);
    }

    /// Begins a turn of the trust region.
    fn hand_over(&mut self, at: RoundEnd, center: Vec<f64>, side: f64) {
        self.turns += 1;
        self.centers.clear();
        self.stage = ScreeningStage::Region(RegionTurn {
            trials: at.trials,
            side,
            windows: Windows::after(at.known),
            index: at.index + 1,
            center,
        });
    }

    /// The variance of the noise by all looks, and a little by half the residuals: few looks are
    /// equal by chance.
    fn noise_variance(&self, residual: f64) -> f64 {
        let prior = 0.5 * NOISE_PRIOR_LOOKS * residual;
        (self.noise.sum + prior) / (self.noise.count + NOISE_PRIOR_LOOKS)
    }

    fn is_worse(&self, found: &Average, noise: f64) -> bool {
        let parts = 1.0 / found.count + 1.0 / self.at_center.count.max(1.0);
        let loss = self.at_center.mean - found.mean;
        self.at_center.count > 0.0 && loss > CLEARLY_WORSE * (noise * parts).sqrt()
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
        let [full, short] = self.pairs.beyond(noise);
        if short > full {
            (WEAKER * reach).max(REACH_SMALLEST)
        } else if short < SHORT_WEAK * full && misfit < MISFIT_NONE {
            (LONGER * reach).min(REACH_LARGEST)
        } else {
            reach
        }
    }
}
