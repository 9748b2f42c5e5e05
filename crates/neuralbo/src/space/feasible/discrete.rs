//! Changes of whole numbers, steps and choices that bring a row nearer to its constraints.

use super::Place;
use super::demand::{At, distance, total_distance};
use crate::space::Space;
use crate::space::constraint::Constraint;

/// Most changes of one row.
const MOST_CHANGES: usize = 64;
/// Most values of a choice that are tried.
const MOST_CHOICES: usize = 64;

/// Changes one parameter after the other for as long as that brings the row nearer; whether anything was changed.
pub(super) fn adjust(
    space: &Space,
    constraints: &[Constraint],
    row: &mut [f64],
    place: &Place<'_>,
) -> bool {
    let mut changed = false;
    for _ in 0..MOST_CHANGES {
        let at = At::new(space, row);
        let here = total_distance(constraints, &at);
        if here == 0.0 {
            break;
        }
        let mut best: Option<(f64, Vec<f64>)> = None;
        for position in concerned(space, constraints, &at, place) {
            for level in levels(space, position, row) {
                let mut next = row.to_vec();
                space.set_level(position, level, &mut next);
                let there = total_distance(constraints, &At::new(space, &next));
                if there
                    < best
                        .as_ref()
                        .map_or(here * (1.0 - 1e-12), |(least, _)| *least)
                {
                    best = Some((there, next));
                }
            }
        }
        let Some((_, next)) = best else { break };
        row.copy_from_slice(&next);
        changed = true;
    }
    changed
}

/// The discrete parameters that violated constraints read.
fn concerned(
    space: &Space,
    constraints: &[Constraint],
    at: &At<'_>,
    place: &Place<'_>,
) -> Vec<usize> {
    let predicates = constraints.iter().filter_map(Constraint::predicate);
    let violated = predicates.filter(|predicate| distance(predicate.truth(), true, at) > 0.0);
    let mut positions: Vec<usize> = violated
        .flat_map(|predicate| predicate.positions().iter().copied())
        .collect();
    positions.sort_unstable();
    positions.dedup();
    let may_change = |position: &usize| {
        let (parameter, block) = space.part(*position);
        parameter.domain().count().is_some()
            && !block.range.is_empty()
            && !place.holds(block.range.start)
    };
    positions.into_iter().filter(may_change).collect()
}

/// Other levels of a parameter: all of a few, otherwise those at distances 1, 2, 4, …
fn levels(space: &Space, position: usize, row: &[f64]) -> Vec<f64> {
    let (parameter, block) = space.part(position);
    let last = parameter.domain().count().unwrap_or(1).saturating_sub(1) as f64;
    let here = block.code.read(&row[block.range.clone()]);
    if last < MOST_CHOICES as f64 {
        return (0..=last as u64)
            .map(|level| level as f64)
            .filter(|level| *level != here)
            .collect();
    }
    let distances = std::iter::successors(Some(1.0), |distance| Some(2.0 * distance))
        .take_while(|distance| *distance <= last);
    distances
        .flat_map(|distance| [here - distance, here + distance])
        .filter(|level| (0.0..=last).contains(level))
        .collect()
}
