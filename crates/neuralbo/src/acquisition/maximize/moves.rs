//! Local search without gradients: steps of one level or choice, and rounds of shrinking perturbations.

use rand::RngExt;
use rand::seq::SliceRandom;

use super::SearchRegion;
use super::candidates::Perturbation;
use super::scoring::Scored;
use crate::linalg::{Points, Rng};
use crate::space::Coordinate;
use crate::surrogate::Function;

/// Most neighbours tried of one row in one pass.
const MOST_NEIGHBOURS: usize = 128;
/// Values tried of a choice of very many in one pass.
const OTHER_VALUES: usize = 16;
/// Most neighbours of one row that are repaired in one pass.
const MOST_REPAIRED: usize = 16;
/// Tries of a step that makes parameters active.
const ACTIVATIONS: usize = 4;
/// Most passes over the neighbours.
const PASSES: usize = 12;
/// Rounds of perturbations.
const ROUNDS: usize = 16;
/// Width of the first round, as a fraction of the side of the box, and how much narrower it gets after a round without success.
const FIRST_SCALE: f64 = 0.1;
const SHRINK: f64 = 0.5;

/// Moves each row to the best of its discrete neighbours for as long as that helps.
pub(super) fn discrete_moves(
    function: &dyn Function,
    region: &SearchRegion<'_>,
    mut at: Scored,
    rng: &mut Rng,
) -> Scored {
    for _ in 0..PASSES {
        let improved = improve(function, &mut at, |_, row| neighbours(region, row, rng));
        if !improved.contains(&true) {
            break;
        }
    }
    at
}

/// Moves each row to the best of some perturbations of it, round after round; `candidates` in all.
pub(super) fn perturbation_rounds(
    function: &dyn Function,
    region: &SearchRegion<'_>,
    mut at: Scored,
    candidates: usize,
    rng: &mut Rng,
) -> Scored {
    let perturb = Perturbation::new(region);
    let children = candidates.div_ceil(ROUNDS * at.values.len());
    let mut scales = vec![FIRST_SCALE; at.values.len()];
    for _ in 0..ROUNDS {
        let offers = |i: usize, row: &[f64]| {
            (0..children)
                .map(|_| perturb.of(region, row, scales[i], rng))
                .collect()
        };
        let improved = improve(function, &mut at, offers);
        for (scale, improved) in scales.iter_mut().zip(improved) {
            *scale *= if improved { 1.0 } else { SHRINK };
        }
    }
    at
}

/// Replaces each row by the best of what `propose` offers for it where that is better, and says where it was; all offers are
/// scored together.
fn improve(
    function: &dyn Function,
    at: &mut Scored,
    mut propose: impl FnMut(usize, &[f64]) -> Vec<Vec<f64>>,
) -> Vec<bool> {
    let mut owners = Vec::new();
    let mut offers = Points::new(at.rows.dim());
    for (i, row) in at.rows.rows().enumerate() {
        for offer in propose(i, row) {
            offers.push(&offer);
            owners.push(i);
        }
    }
    let offers = Scored::new(function, offers);
    let mut improved = vec![false; at.values.len()];
    for (k, &owner) in owners.iter().enumerate() {
        if offers.values[k] > at.values[owner] {
            at.values[owner] = offers.values[k];
            at.rows.row_mut(owner).copy_from_slice(offers.rows.row(k));
            improved[owner] = true;
        }
    }
    improved
}

/// Rows that differ by one level of one int or by one choice; a random selection where there are very many.
fn neighbours(region: &SearchRegion<'_>, row: &[f64], rng: &mut Rng) -> Vec<Vec<f64>> {
    let mut steps: Vec<Step> = Vec::new();
    let active = region.space.active_coordinates(row);
    for (at, coordinate) in region.space.coordinates().iter().enumerate() {
        if active.as_ref().is_some_and(|active| !active[at]) {
            continue;
        }
        match *coordinate {
            Coordinate::Grid { levels } => steps.extend([-1.0, 1.0].map(|sign| Step::Level {
                at,
                cell: sign / levels as f64,
            })),
            Coordinate::OneHot { first, len, .. } if row[at] < 0.0 => {
                steps.push(Step::Choice { at, first, len })
            }
            Coordinate::Codeword { first, len } if first == at => {
                steps.extend((0..OTHER_VALUES).map(|_| Step::Value {
                    first,
                    len,
                    at: rng.random_range(-1.0..1.0),
                }));
            }
            _ => {}
        }
    }
    steps.shuffle(rng);
    steps.truncate(MOST_NEIGHBOURS);
    let next = steps
        .into_iter()
        .filter_map(|step| Some((step.coordinate(), step.from(region, row)?)));
    let offers: Vec<(usize, Vec<f64>)> = if active.is_none() {
        next.collect()
    } else {
        let next: Vec<(usize, Vec<f64>)> = next.collect();
        let activated = |(at, next)| {
            activated(region, row, next, rng)
                .into_iter()
                .map(move |offer| (at, offer))
        };
        next.into_iter().flat_map(activated).collect()
    };
    if region.space.is_constrained() {
        feasible(region, offers)
    } else {
        offers.into_iter().map(|(_, offer)| offer).collect()
    }
}

/// The offers that can be made feasible by small steps; where none can, some of them with another level or choice elsewhere.
fn feasible(region: &SearchRegion<'_>, offers: Vec<(usize, Vec<f64>)>) -> Vec<Vec<f64>> {
    let place = region.place();
    let slid = |(_, offer): &(usize, Vec<f64>)| {
        let mut offer = offer.clone();
        let slid = region.space.slide_within(&mut offer, &place);
        slid.then_some(offer)
    };
    let direct: Vec<Vec<f64>> = offers.iter().filter_map(slid).collect();
    if !direct.is_empty() {
        return direct;
    }
    let repaired = |(coordinate, mut offer): (usize, Vec<f64>)| {
        let place = region.place().holding(coordinate);
        region.space.repair_within(&mut offer, &place);
        offer
    };
    let some = offers.into_iter().take(MOST_REPAIRED);
    some.map(repaired).collect()
}

/// A changed row as a point; several where parameters become active, whose values are still to be found.
fn activated(
    region: &SearchRegion<'_>,
    row: &[f64],
    next: Vec<f64>,
    rng: &mut Rng,
) -> Vec<Vec<f64>> {
    let mut offers = Vec::new();
    for _ in 0..ACTIVATIONS {
        let mut offer = next.clone();
        let drawn = region.activate(row, &mut offer, rng);
        offers.push(offer);
        if !drawn {
            break;
        }
    }
    offers
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Level { at: usize, cell: f64 },
    Choice { at: usize, first: usize, len: usize },
    Value { at: f64, first: usize, len: usize },
}

impl Step {
    fn coordinate(self) -> usize {
        match self {
            Self::Level { at, .. } => at,
            Self::Choice { first, .. } | Self::Value { first, .. } => first,
        }
    }

    /// The row after the step; `None` where the box ends.
    fn from(self, region: &SearchRegion<'_>, row: &[f64]) -> Option<Vec<f64>> {
        match self {
            Self::Level { at, cell } => next_level(region, row, at, cell),
            Self::Choice { at, first, len } => {
                let mut next = row.to_vec();
                next[first..first + len].fill(-1.0);
                next[at] = 1.0;
                Some(next)
            }
            Self::Value { at, first, len } => {
                let mut next = row.to_vec();
                next[first..first + len].fill(at);
                // With conditions the caller makes a point of it.
                if region.space.active_coordinates(row).is_none() {
                    region.settle(&mut next);
                }
                Some(next)
            }
        }
    }
}

/// The nearest other level in the direction of `cell`. Levels on a log scale are not evenly spaced: the step doubles from a small
/// fraction of a cell until the point changes.
fn next_level(region: &SearchRegion<'_>, row: &[f64], at: usize, cell: f64) -> Option<Vec<f64>> {
    let mut step = cell / 16.0;
    while step.abs() <= 4.0 {
        let mut next = row.to_vec();
        next[at] = (row[at] + step).clamp(-1.0, 1.0);
        region.space.snap(&mut next);
        if (next[at] - row[at]).abs() > 1e-12 {
            let inside = next[at] >= region.lower()[at] - cell.abs()
                && next[at] <= region.upper()[at] + cell.abs();
            return inside.then_some(next);
        }
        step *= 2.0;
    }
    None
}
