//! Changes of ints, steps and choices that bring a row nearer to its constraints.

use super::demand::At;
use super::table::Check;
use super::{RowBox, Solver};
use crate::space::Space;
use crate::space::condition::ActiveLevels;

/// Most changes of one row.
const MOST_CHANGES: usize = 64;
/// Most values of a choice that are tried.
const MOST_CHOICES: usize = 64;
/// Up to so many expressions all parameters of violated ones are tried before each change; of more, those of one at a time.
const FEW: usize = 32;
/// Gains below this part of the distance are rounding.
const ROUNDING: f64 = 1e-12;

/// A row with its distance from each expression.
struct AdjustedRow {
    row: Vec<f64>,
    levels: ActiveLevels,
    distances: Vec<f64>,
}

struct Adjustment<'a> {
    problem: &'a Solver<'a>,
    place: &'a RowBox<'a>,
    checks: Vec<Check<'a>>,
}

/// Changes one parameter after the other for as long as that brings the row nearer; whether anything was changed.
pub(super) fn adjust(problem: &Solver<'_>, row: &mut [f64], place: &RowBox<'_>) -> bool {
    let checks: Vec<Check<'_>> = problem.checks().collect();
    let at = At::new(problem.space, row);
    let mut here = AdjustedRow {
        row: row.to_vec(),
        distances: checks.iter().map(|check| check.distance(&at)).collect(),
        levels: problem.space.levels(row),
    };
    let search = Adjustment {
        problem,
        place,
        checks,
    };
    let changes = (0..MOST_CHANGES).take_while(|_| search.improve(&mut here));
    let is_changed = changes.count() > 0;
    row.copy_from_slice(&here.row);
    is_changed
}

impl Adjustment<'_> {
    /// Makes the best change; `false` where none brings the row nearer.
    fn improve(&self, here: &mut AdjustedRow) -> bool {
        let violated = (0..self.checks.len()).filter(|i| here.distances[*i] > 0.0);
        let change = if self.checks.len() <= FEW {
            let mut all: Vec<usize> = violated.flat_map(|i| self.discrete(i)).collect();
            all.sort_unstable();
            all.dedup();
            self.nearest(here, all.into_iter())
        } else {
            violated
                .map(|i| self.discrete(i))
                .find_map(|positions| self.nearest(here, positions))
        };
        let Some((position, level)) = change else {
            return false;
        };
        let (row, levels) = self.changed(here, position, level);
        let affected = self.affected(&here.levels, &levels);
        let at = At::of_levels(self.problem.space, &row, levels.clone());
        for i in affected {
            here.distances[i] = self.checks[i].distance(&at);
        }
        (here.row, here.levels) = (row, levels);
        true
    }

    /// The discrete parameters that an expression reads.
    fn discrete(&self, expression: usize) -> impl Iterator<Item = usize> {
        let positions = self.checks[expression].predicate.positions().iter();
        positions.copied().filter(|position| {
            let (parameter, block) = self.problem.space.part(*position);
            parameter.domain().count().is_some()
                && !block.range.is_empty()
                && self.place.held != Some(block.range.start)
        })
    }

    /// The level of one of these parameters that brings the row nearest, if there is one that brings it nearer.
    fn nearest(
        &self,
        here: &AdjustedRow,
        positions: impl Iterator<Item = usize>,
    ) -> Option<(usize, f64)> {
        let mut most = here.distances.iter().sum::<f64>() * ROUNDING;
        let mut nearest = None;
        for position in positions {
            for level in levels(self.problem.space, position, &here.row) {
                let gain = self.gain(here, position, level);
                if gain > most {
                    most = gain;
                    nearest = Some((position, level));
                }
            }
        }
        nearest
    }

    /// How much nearer a change brings the row.
    fn gain(&self, here: &AdjustedRow, position: usize, level: f64) -> f64 {
        let (row, levels) = self.changed(here, position, level);
        let affected = self.affected(&here.levels, &levels);
        let at = At::of_levels(self.problem.space, &row, levels);
        let gains = affected
            .into_iter()
            .map(|i| here.distances[i] - self.checks[i].distance(&at));
        gains.sum()
    }

    fn changed(&self, here: &AdjustedRow, position: usize, level: f64) -> (Vec<f64>, ActiveLevels) {
        let space = self.problem.space;
        let mut row = here.row.clone();
        space.set_level(position, level, &mut row);
        if space.has_conditions() {
            let levels = space.levels(&row);
            return (row, levels);
        }
        let mut levels = here.levels.clone();
        levels[position] = Some(level);
        (row, levels)
    }

    /// The expressions that read a parameter whose level is another one.
    fn affected(&self, before: &[Option<f64>], after: &[Option<f64>]) -> Vec<usize> {
        let changed = (0..before.len()).filter(|position| before[*position] != after[*position]);
        let readers = changed.flat_map(|position| self.problem.constraints.readers(position));
        let mut readers: Vec<usize> = readers.copied().collect();
        readers.sort_unstable();
        readers.dedup();
        readers
    }
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
