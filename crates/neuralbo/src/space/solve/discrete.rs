//! Changes of ints, steps and choices that bring a row nearer to its constraints.

use super::demand::{At, distance};
use super::{Place, Problem};
use crate::space::Space;

/// Most changes of one row.
const MOST_CHANGES: usize = 64;
/// Most values of a choice that are tried.
const MOST_CHOICES: usize = 64;
/// Up to so many expressions all parameters of violated ones are tried before each change; of more, those of one at a time.
const FEW: usize = 32;

/// A row with its distance from each expression.
struct Candidate {
    row: Vec<f64>,
    distances: Vec<f64>,
}

impl Candidate {
    fn total(&self) -> f64 {
        self.distances.iter().sum()
    }
}

/// Changes one parameter after the other for as long as that brings the row nearer; whether anything was changed.
pub(super) fn adjust(problem: &Problem<'_>, row: &mut [f64], place: &Place<'_>) -> bool {
    let at = At::new(problem.space, row);
    let distances = problem.predicates().map(|p| distance(p.truth(), true, &at));
    let mut here = Candidate {
        row: row.to_vec(),
        distances: distances.collect(),
    };
    for _ in 0..MOST_CHANGES {
        let mut groups = concerned(problem, &here, place).into_iter();
        match groups.find_map(|positions| nearer(problem, &here, &positions)) {
            Some(next) => here = next,
            None => break,
        }
    }
    let is_changed = here.row != row;
    row.copy_from_slice(&here.row);
    is_changed
}

/// The discrete parameters that violated expressions read.
fn concerned(problem: &Problem<'_>, here: &Candidate, place: &Place<'_>) -> Vec<Vec<usize>> {
    let may_change = |position: &usize| {
        let (parameter, block) = problem.space.part(*position);
        parameter.domain().count().is_some()
            && !block.range.is_empty()
            && place.held != Some(block.range.start)
    };
    let violated = problem.predicates().zip(&here.distances);
    let mut groups: Vec<Vec<usize>> = violated
        .filter(|(_, distance)| **distance > 0.0)
        .map(|(predicate, _)| predicate.positions().iter().copied())
        .map(|positions| positions.filter(may_change).collect())
        .collect();
    if here.distances.len() <= FEW {
        let mut all = groups.concat();
        all.sort_unstable();
        all.dedup();
        groups = vec![all];
    }
    groups
}

/// The nearest row with another level of one of these parameters, if it is nearer than the row itself.
fn nearer(problem: &Problem<'_>, here: &Candidate, positions: &[usize]) -> Option<Candidate> {
    let (space, before) = (problem.space, problem.space.levels(&here.row));
    let predicates: Vec<_> = problem.predicates().collect();
    let mut least = here.total() * (1.0 - 1e-12);
    let mut nearest = None;
    for &position in positions {
        for level in levels(space, position, &here.row) {
            let mut row = here.row.clone();
            space.set_level(position, level, &mut row);
            let at = At::new(space, &row);
            let mut distances = here.distances.clone();
            let is_changed = |other: &usize| at.level(*other) != before[*other];
            for other in (0..before.len()).filter(is_changed) {
                for &i in problem.constraints.readers(other) {
                    distances[i] = distance(predicates[i].truth(), true, &at);
                }
            }
            let candidate = Candidate { row, distances };
            if candidate.total() < least {
                least = candidate.total();
                nearest = Some(candidate);
            }
        }
    }
    nearest
}

/// Other levels of a parameter: all of a few, otherwise those at distances 1, 2, 4, …
fn levels(space: &Space, position: usize, row: &[f64]) -> Vec<f64> {
    let (parameter, block) = space.part(position);
    let last = parameter.domain().count().unwrap_or(1).saturating_sub(1) as f64;
    let here = block.code.read(&row[block.range.clone()]);
    if last < MOST_CHOICES as f64 {
        let all = (0..=last as u64).map(|level| level as f64);
        return all.filter(|level| *level != here).collect();
    }
    std::iter::successors(Some(1.0), |distance| Some(2.0 * distance))
        .take_while(|distance| *distance <= last)
        .flat_map(|distance| [here - distance, here + distance])
        .filter(|level| (0.0..=last).contains(level))
        .collect()
}
