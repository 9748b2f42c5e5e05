//! Where to look first: rows spread over the box, and rows around the incumbents.

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::SearchRegion;
use crate::linalg::{Points, Rng, space_filling};
use crate::space::Coordinate;

/// Widths of the perturbations, as fractions of the side of the box.
const SCALES: [f64; 4] = [0.25, 0.06, 0.015, 0.004];
/// Parameters that a perturbation changes on average, or all where there are fewer: in high dimension a step that changes everything
/// at once is almost surely a bad one.
const PERTURBED: usize = 20;
/// Chance that a perturbed choice is drawn anew.
const CHOICE_CHANGE: f64 = 0.3;

/// `count` scrambled Sobol rows over the box.
pub(super) fn spread(region: &SearchRegion<'_>, count: usize, rng: &mut Rng) -> Points {
    let mut rows = space_filling(region.space.encoded_dim(), count, rng);
    for i in 0..rows.len() {
        let row = rows.row_mut(i);
        for (j, x) in row.iter_mut().enumerate() {
            let (low, high) = (region.lower()[j], region.upper()[j]);
            *x = low + (high - low) * (*x + 1.0) / 2.0;
        }
        region.settle(row);
    }
    if region.space.is_constrained() {
        scatter(region, &mut rows, rng);
    }
    rows
}

/// Moves every other row by a random step inside the constraints: where few rows are feasible, most have been moved to a border.
fn scatter(region: &SearchRegion<'_>, rows: &mut Points, rng: &mut Rng) {
    let place = region.place();
    for i in (1..rows.len()).step_by(2) {
        region.space.wander(rows.row_mut(i), &place, rng);
    }
}

/// The incumbents, as starts to climb from, and perturbations of them in turn at several scales: `count` rows in all.
pub(super) fn around_incumbents(
    region: &SearchRegion<'_>,
    count: usize,
    perturb: &Perturbation,
    rng: &mut Rng,
) -> Points {
    let incumbents = &region.incumbents;
    let mut rows = incumbents.slice(0..incumbents.len().min(count));
    (0..rows.len()).for_each(|i| region.settle(rows.row_mut(i)));
    for i in 0..count - rows.len() {
        let scale = SCALES[(i / incumbents.len()) % SCALES.len()];
        rows.push(&perturb.of(region, incumbents.row(i % incumbents.len()), scale, rng));
    }
    rows
}

/// Random changes of some of a row's parameters.
#[derive(Clone, Debug)]
pub(super) struct Perturbation {
    parameters: Vec<Part>,
}

/// The coordinates that change together.
#[derive(Clone, Copy, Debug)]
enum Part {
    Number { at: usize, cell: f64 },
    Choice { first: usize, len: usize },
    Codeword { first: usize, len: usize },
}

impl Perturbation {
    pub(super) fn new(region: &SearchRegion<'_>) -> Self {
        let part = |(at, coordinate): (usize, &Coordinate)| match *coordinate {
            Coordinate::Continuous | Coordinate::Feature => Some(Part::Number { at, cell: 0.0 }),
            Coordinate::Grid { levels } => Some(Part::Number {
                at,
                cell: 2.0 / levels as f64,
            }),
            Coordinate::OneHot { first, len, .. } => {
                (first == at).then_some(Part::Choice { first, len })
            }
            Coordinate::Codeword { first, len } => {
                (first == at).then_some(Part::Codeword { first, len })
            }
            Coordinate::Activity => None,
        };
        let coordinates = region.space.coordinates().iter().enumerate();
        Self {
            parameters: coordinates.filter_map(part).collect(),
        }
    }

    /// A change of `row` by about `scale` times the side of the box.
    pub(super) fn of(
        &self,
        region: &SearchRegion<'_>,
        row: &[f64],
        scale: f64,
        rng: &mut Rng,
    ) -> Vec<f64> {
        let mut changed = row.to_vec();
        let active = region.space.active_coordinates(row);
        let is_active = |part: &&Part| active.as_ref().is_none_or(|active| active[part.first()]);
        let parts: Vec<&Part> = self.parameters.iter().filter(is_active).collect();
        let chance = (PERTURBED as f64 / parts.len().max(1) as f64).min(1.0);
        let always = rng.random_range(0..parts.len().max(1));
        for (i, part) in parts.into_iter().enumerate() {
            if i == always || rng.random_bool(chance) {
                part.change(&mut changed, region, scale, rng);
            }
        }
        region.settle_from(row, &mut changed, rng);
        changed
    }
}

impl Part {
    fn first(self) -> usize {
        match self {
            Self::Number { at, .. } => at,
            Self::Choice { first, .. } | Self::Codeword { first, .. } => first,
        }
    }

    fn change(self, row: &mut [f64], region: &SearchRegion<'_>, scale: f64, rng: &mut Rng) {
        match self {
            Self::Number { at, cell } => {
                let width = (scale * (region.upper()[at] - region.lower()[at])).max(cell);
                let noise: f64 = StandardNormal.sample(rng);
                row[at] += width * noise;
            }
            Self::Choice { first, len } => {
                if rng.random_bool(CHOICE_CHANGE) {
                    row[first..first + len].fill(-1.0);
                    row[first + rng.random_range(0..len)] = 1.0;
                }
            }
            Self::Codeword { first, len } => {
                if rng.random_bool(CHOICE_CHANGE) {
                    // No codeword: settling reads a value from it, each with the same chance.
                    row[first..first + len].fill(rng.random_range(-1.0..1.0));
                }
            }
        }
    }
}
