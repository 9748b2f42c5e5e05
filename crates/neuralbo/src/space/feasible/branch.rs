//! Branching over ranges of values: all feasible points of a finite space, and proofs that there is none.

use super::holds;
use super::interval::{Range, always};
use crate::linalg::Points;
use crate::space::Space;
use crate::space::constraint::Constraint;

/// Most rows that are listed.
const MOST_LISTED: usize = 10_000;
/// Most boxes that are looked at for a list, and for a proof.
const MOST_BOXES: usize = 200_000;
const PROOF_BOXES: usize = 4_000;
/// Ranges of a float without a step are not divided below this part of the whole.
const SMALLEST: f64 = 1e-3;

/// Ranges of levels, one a parameter.
type Levels = Vec<(f64, f64)>;

/// All feasible rows of a finite space, in the order of its points; `None` where there are too many or it would take too long.
pub(super) fn list(space: &Space, constraints: &[Constraint]) -> Option<Points> {
    space.cardinality()?;
    let mut rows = Points::new(space.encoded_dim());
    let mut boxes = vec![whole(space)];
    for _ in 0..MOST_BOXES {
        let Some(levels) = boxes.pop() else {
            return Some(rows);
        };
        if is_empty(space, constraints, &levels) {
            continue;
        }
        match levels.iter().position(|(first, last)| first < last) {
            None => {
                let mut row = vec![0.0; space.encoded_dim()];
                levels
                    .iter()
                    .enumerate()
                    .for_each(|(position, (level, _))| space.set_level(position, *level, &mut row));
                if is_canonical(space, &levels, &row) && holds(space, constraints, &row) {
                    rows.push(&row);
                }
            }
            Some(position) => boxes.extend(halves(&levels, position, true)),
        }
        if rows.len() > MOST_LISTED {
            return None;
        }
    }
    None
}

/// Whether all inactive parameters are at their first level: points that differ only in these are one.
fn is_canonical(space: &Space, levels: &[(f64, f64)], row: &[f64]) -> bool {
    space
        .levels(row)
        .iter()
        .zip(levels)
        .all(|(active, (level, _))| active.is_some() || *level == 0.0)
}

/// Whether it is certain that no point satisfies all constraints.
pub(super) fn is_contradiction(space: &Space, constraints: &[Constraint]) -> bool {
    let full = whole(space);
    let mut boxes = vec![full.clone()];
    for _ in 0..PROOF_BOXES {
        let Some(levels) = boxes.pop() else {
            return true;
        };
        if is_empty(space, constraints, &levels) {
            continue;
        }
        let width = |position: usize| {
            (levels[position].1 - levels[position].0) / (full[position].1 - full[position].0)
        };
        let is_finite = |position: usize| space.parameters()[position].domain().count().is_some();
        let may_divide = |position: &usize| {
            let (first, last) = levels[*position];
            first < last && (is_finite(*position) || width(*position) > SMALLEST)
        };
        let read = constraints
            .iter()
            .filter_map(Constraint::predicate)
            .flat_map(|predicate| predicate.positions().iter().copied());
        let Some(widest) = read
            .filter(may_divide)
            .max_by(|a, b| width(*a).total_cmp(&width(*b)).then(b.cmp(a)))
        else {
            return false;
        };
        boxes.extend(halves(&levels, widest, is_finite(widest)));
    }
    false
}

/// All levels of all parameters.
pub(super) fn whole(space: &Space) -> Levels {
    let levels = |parameter: &crate::space::Parameter| match (
        parameter.domain(),
        parameter.domain().count(),
    ) {
        (crate::space::Domain::Float { low, high, .. }, None) => (*low, *high),
        (_, count) => (0.0, count.unwrap_or(1).saturating_sub(1) as f64),
    };
    space.parameters().iter().map(levels).collect()
}

/// The ranges of levels with their parameters.
pub(super) fn ranges<'a>(space: &'a Space, levels: &[(f64, f64)]) -> Vec<Range<'a>> {
    let range = |(parameter, levels): (&'a crate::space::Parameter, &(f64, f64))| Range {
        parameter,
        levels: *levels,
        optional: parameter.condition().is_some(),
    };
    space.parameters().iter().zip(levels).map(range).collect()
}

fn is_empty(space: &Space, constraints: &[Constraint], levels: &[(f64, f64)]) -> bool {
    let ranges = ranges(space, levels);
    constraints
        .iter()
        .filter_map(Constraint::predicate)
        .any(|predicate| always(predicate.truth(), &ranges) == Some(false))
}

/// The upper and the lower half of one range: what is pushed last is looked at first.
fn halves(levels: &[(f64, f64)], position: usize, finite: bool) -> [Levels; 2] {
    let (first, last) = levels[position];
    let middle = first + (last - first) / 2.0;
    let (end, begin) = if finite {
        (middle.floor(), middle.floor() + 1.0)
    } else {
        (middle, middle)
    };
    let with = |range: (f64, f64)| {
        let mut levels = levels.to_vec();
        levels[position] = range;
        levels
    };
    [with((begin, last)), with((first, end))]
}
