//! Local search without gradients: steps of one level or choice, and rounds of shrinking perturbations.

use rand::seq::SliceRandom;

use super::SearchRegion;
use super::candidates::Perturbation;
use super::scoring::Scored;
use crate::linalg::{Points, Rng};
use crate::space::Coordinate;
use crate::surrogate::Function;

/// Most neighbours tried of one row in one pass.
const MOST_NEIGHBOURS: usize = 128;
/// Most passes over the neighbours.
const PASSES: usize = 12;
/// Rounds of perturbations, and how much narrower each is than the one before.
const ROUNDS: usize = 10;
const FIRST_SCALE: f64 = 0.1;
const SHRINK: f64 = 0.55;

/// Moves each row to the best of its discrete neighbours for as long as that helps.
pub(super) fn discrete_moves(function: &dyn Function, region: &SearchRegion<'_>, mut at: Scored, rng: &mut Rng) -> Scored {
    for _ in 0..PASSES {
        let improved = improve(function, &mut at, |row| neighbours(region, row, rng));
        if !improved {
            break;
        }
    }
    at
}

/// Moves each row to the best of `children` perturbations of it, round after round.
pub(super) fn perturbation_rounds(
    function: &dyn Function,
    region: &SearchRegion<'_>,
    mut at: Scored,
    (perturb, children): (&Perturbation, usize),
    rng: &mut Rng,
) -> Scored {
    let mut scale = FIRST_SCALE;
    for _ in 0..ROUNDS {
        improve(function, &mut at, |row| (0..children).map(|_| perturb.of(region, row, scale, rng)).collect());
        scale *= SHRINK;
    }
    at
}

/// Replaces each row by the best of what `propose` offers for it where that is better; all offers are scored together.
fn improve(function: &dyn Function, at: &mut Scored, mut propose: impl FnMut(&[f64]) -> Vec<Vec<f64>>) -> bool {
    let mut owners = Vec::new();
    let mut offers = Points::new(at.rows.dim());
    for (i, row) in at.rows.rows().enumerate() {
        for offer in propose(row) {
            offers.push(&offer);
            owners.push(i);
        }
    }
    let offers = Scored::new(function, offers);
    let mut improved = false;
    for (k, &owner) in owners.iter().enumerate() {
        if offers.values[k] > at.values[owner] {
            at.values[owner] = offers.values[k];
            at.rows.row_mut(owner).copy_from_slice(offers.rows.row(k));
            improved = true;
        }
    }
    improved
}

/// Rows that differ by one level of one int or by one choice; a random selection where there are very many.
fn neighbours(region: &SearchRegion<'_>, row: &[f64], rng: &mut Rng) -> Vec<Vec<f64>> {
    let mut steps: Vec<Step> = Vec::new();
    for (at, coordinate) in region.space.coordinates().iter().enumerate() {
        match *coordinate {
            Coordinate::Grid { levels } => steps.extend([-1.0, 1.0].map(|sign| Step::Level { at, cell: sign / levels as f64 })),
            Coordinate::OneHot { first, len, .. } if row[at] < 0.0 => steps.push(Step::Choice { at, first, len }),
            _ => {}
        }
    }
    steps.shuffle(rng);
    steps.truncate(MOST_NEIGHBOURS);
    steps.into_iter().filter_map(|step| step.from(region, row)).collect()
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Level { at: usize, cell: f64 },
    Choice { at: usize, first: usize, len: usize },
}

impl Step {
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
            let inside = next[at] >= region.lower()[at] - cell.abs() && next[at] <= region.upper()[at] + cell.abs();
            return inside.then_some(next);
        }
        step *= 2.0;
    }
    None
}
