//! Screening: what a search in many numbers does where noise hides the effect of a single step, and
//! one in fewer numbers where its trust region stands still under noise.
//!
//! A step along one number tells the effect of that number with the noise of two observations. A
//! design in which every trial moves *every* number tells all effects from all observations. So
//! spaces of many numbers begin with looks at the centre and a point next to it. As soon as these
//! differ by more than a small part of what a step changes, the search goes on in rounds:
//!
//! 1. a two-level design around the centre: first the rows of a Hadamard matrix, then pairs of
//!    opposite points;
//! 2. a separable quadratic with noise, fitted to all observations ([`quadratic`]);
//! 3. two looks at its best point within the design's reach, the next centre unless they are
//!    clearly worse than the present one;
//! 4. another reach: shorter where the quadratic misses more than the noise, or where half the
//!    reach shows a stronger effect; longer where half the reach shows little.
//!
//! A proposal that is worse than its centre gets a second chance where it is better than the
//! design around that centre: the next round is made around it, and decides by its mean. Three
//! rejected centres in a row give the trust region a turn. The screening goes on, with another
//! reach, as soon as the trials of the region no longer get better.
//!
//! Few numbers begin with the trust region, without looks. It is followed by rounds as soon as its
//! trials no longer get better, if repeated evaluations have proven noise: a new descent would begin
//! elsewhere and shrink to nothing before it has found a way. There also rounds whose centres no
//! longer get better give the region a turn.

mod design;
mod quadratic;
mod rewards;
mod rounds;
#[cfg(test)]
mod tests;
mod turns;

use super::RegionSearch;
use super::constants::{
    FEWEST_SCREENED, FIRST_LOOKS, LEAST_ROUND, MOST_ROUND, MOST_SCREENED, ROUND_PER_NUMBER,
    SCREENED,
};
use super::search_box::parameters;
use crate::space::{Coordinate, Space};
use crate::strategy::smbo::{Context, NoChoice, Policy};
use crate::strategy::{
    Exhausted, History, LocalModel, ModelResult, NoModel, Origin, Request, Setup, Suggestion,
};
use crate::surrogate::Dataset;
use rounds::{Rounds, ScreeningStage};
use std::ops::Range;

/// The coordinates of a space as a design sees them.
#[derive(Clone, Debug)]
pub(crate) struct Factors {
    /// Coordinates that can be moved by small steps.
    numbers: Vec<usize>,
    /// Coordinates of every choice.
    choices: Vec<Range<usize>>,
}

impl Factors {
    /// `None` for a space of few numbers, of too many for the quadratic, or with conditions.
    pub(crate) fn of(space: &Space) -> Option<Self> {
        let coordinates = space.coordinates();
        let is_number = |range: &Range<usize>| {
            let kind = coordinates[range.start];
            matches!(kind, Coordinate::Continuous | Coordinate::Grid { .. })
        };
        let (numbers, choices): (Vec<_>, Vec<_>) =
            parameters(space).into_iter().partition(is_number);
        let continuous = coordinates.contains(&Coordinate::Continuous);
        let fewest = match choices.is_empty() {
            true => FEWEST_SCREENED,
            false => SCREENED,
        };
        let many = (fewest..=MOST_SCREENED).contains(&numbers.len());
        let conditional = coordinates.contains(&Coordinate::Activity);
        (many && continuous && !conditional && space.pool().is_none()).then(|| Self {
            numbers: numbers.into_iter().map(|range| range.start).collect(),
            choices,
        })
    }

    /// Whether the trust region searches first: it finds its way in few numbers, with little noise.
    fn region_first(&self) -> bool {
        self.numbers.len() < SCREENED
    }

    /// Trials at the centre beside the one of every start.
    pub(crate) fn further_looks(&self) -> usize {
        if self.region_first() {
            0
        } else {
            FIRST_LOOKS - 1
        }
    }

    /// Trials of a round, an even number.
    fn round(&self) -> usize {
        let pairs = (0.5 * ROUND_PER_NUMBER * self.numbers.len() as f64).ceil() as usize;
        2 * pairs.clamp(LEAST_ROUND / 2, MOST_ROUND / 2)
    }
}

/// Screening under noise, in turn with a trust region; without noise the region alone.
pub(crate) struct Screening {
    setup: Setup,
    rounds: Rounds,
    region: RegionSearch,
}

impl Screening {
    pub(crate) fn new(setup: Setup, factors: Factors, region: RegionSearch) -> Self {
        Self {
            rounds: Rounds::new(setup.clone(), factors, region.initial()),
            setup,
            region,
        }
    }
}

impl Policy for Screening {
    fn observe(&mut self, request: &Request<'_>, scores: &Dataset) {
        self.rounds.update(request.history);
        match self.rounds.stage() {
            ScreeningStage::Round(_) => return,
            ScreeningStage::Region(turn) => self.region.begin_after(turn.trials, turn.side),
            ScreeningStage::Watching | ScreeningStage::First(_) | ScreeningStage::Quiet => {}
        }
        self.region.observe(request, scores);
    }

    fn opening(&self, context: &Context<'_>) -> Option<Result<Suggestion, Exhausted>> {
        let row = self.rounds.next(context.taken);
        let suggestion = |row, origin| Ok(self.setup.suggestion(row, origin));
        match self.rounds.stage() {
            ScreeningStage::Round(_) => row.map(|row| suggestion(row, Origin::Model("screening"))),
            _ => match row {
                Some(look) => Some(suggestion(look, Origin::Initial)),
                None => self.region.opening(context),
            },
        }
    }

    fn choose(&mut self, context: &Context<'_>) -> Result<Suggestion, NoChoice> {
        match self.rounds.stage() {
            // Every point of the round is running.
            ScreeningStage::Round(_) => Ok(context.space_filling(Origin::Initial)?),
            _ => self.region.choose(context),
        }
    }

    fn model_of(&mut self, history: &History, quantity: usize) -> ModelResult {
        self.region.model_of(history, quantity)
    }

    /// Around the present centre: it was tested by looks, all other points were not.
    fn local_model(&mut self, history: &History) -> Result<LocalModel, NoModel> {
        self.rounds.update(history);
        match self.rounds.center(history.observed()) {
            Some((row, reach)) => self.region.model_of_row(history, row, reach),
            None => self.region.local_model(history),
        }
    }
}
