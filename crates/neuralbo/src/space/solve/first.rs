//! A first feasible point, or why there is none.

use super::branch::{ranges, whole};
use super::interval::{numbers, outcomes};
use super::{RowBox, Solver};
use crate::linalg::{Purpose, Rng, Streams, space_filling};
use crate::space::constrained::FeasibleSet;
use crate::space::constraint::{Constraint, IndexedConstraints};
use crate::space::expression::Truth;
use crate::space::{Space, SpaceError};

/// Rows that are mended before the search is given up: so many, or fewer of many expressions.
const MOST_STARTS: usize = 1024;
const LEAST_STARTS: usize = 64;
/// Rows times expressions.
const STARTS_OF_ONE: usize = 1 << 14;
/// Random points of which one must satisfy the functions.
const TRIES: usize = 10_000;
/// Keys the random numbers: the same constraints give the same point.
const SEED: u64 = 0x0c05;
/// Constraints that an error names.
const MOST_NAMED: usize = 8;

impl Solver<'_> {
    /// The row of a feasible point.
    pub(in crate::space) fn first_row(&self) -> Result<Vec<f64>, SpaceError> {
        let all = self.constraints.all();
        all.iter().try_for_each(|o| check_alone(self.space, o))?;
        let is_expression = |constraint: &&Constraint| constraint.predicate().is_some();
        let expressions = all.iter().filter(is_expression).cloned().collect();
        let expressions = IndexedConstraints::new(expressions, self.space.parameters().len());
        let mut rng = Streams::new(SEED).stream(0, Purpose::Design);
        let row = Solver::new(self.space, &expressions).search(&mut rng);
        let row = row.ok_or_else(|| self.contradiction())?;
        if self.holds(&row) {
            return Ok(row);
        }
        let names = all.iter().filter(|one| one.function().is_some());
        let names: Vec<String> = names.map(ToString::to_string).collect();
        self.by_functions(expressions, row, &mut rng)
            .ok_or_else(|| SpaceError::NeverHolds {
                constraint: names.join("`, `"),
                reason: format!(": it is false for {TRIES} random points"),
            })
    }

    fn starts(&self) -> usize {
        let count = self.predicates().count().max(1);
        (STARTS_OF_ONE / count).clamp(LEAST_STARTS, MOST_STARTS)
    }

    /// A point that satisfies all expressions: the centre of the box or one of many rows, mended; at last one of a list.
    fn search(&self, rng: &mut Rng) -> Option<Vec<f64>> {
        let (space, place) = (self.space, RowBox::whole(self.space));
        let feasible = |mut row: Vec<f64>| {
            space.snap(&mut row);
            (self.holds(&row) || self.mend(&mut row, &place)).then_some(row)
        };
        if let Some(row) = feasible(vec![0.0; space.encoded_dim()]) {
            return Some(row);
        }
        if let Some(pool) = space.pool() {
            let found = pool.rows().find(|row| self.holds(row));
            return found.map(<[f64]>::to_vec);
        }
        if space.encoded_dim() == 0 {
            return None;
        }
        // A few starts, then a proof that more are in vain, then many.
        let starts = space_filling(space.encoded_dim(), MOST_STARTS, rng);
        let mut rows = starts.rows().take(self.starts());
        let few = rows.by_ref().take(LEAST_STARTS);
        if let Some(row) = few.map(<[f64]>::to_vec).find_map(feasible) {
            return Some(row);
        }
        if self.prover().is_contradiction() {
            return None;
        }
        let found = rows.map(<[f64]>::to_vec).find_map(feasible);
        found.or_else(|| Some(self.list()?.rows().next()?.to_vec()))
    }

    fn contradiction(&self) -> SpaceError {
        let all = self.constraints.all();
        let is_proven =
            self.prover().is_contradiction() || self.list().is_some_and(|rows| rows.is_empty());
        if let ([only], true) = (all, is_proven) {
            return SpaceError::NeverHolds {
                constraint: only.to_string(),
                reason: String::new(),
            };
        }
        let names = all.iter().take(MOST_NAMED).map(|one| format!("`{one}`"));
        let more = all.len().saturating_sub(MOST_NAMED);
        let more = (more > 0).then(|| format!("{more} more"));
        let names: Vec<String> = names.chain(more).collect();
        SpaceError::Contradiction {
            found: match is_proven {
                true => "no point satisfies".into(),
                false => format!(
                    "a search from {} starts found no point that satisfies",
                    self.starts()
                ),
            },
            constraints: names.join(", "),
        }
    }

    /// A point that also satisfies functions: one of many random points that satisfy the expressions.
    fn by_functions(
        &self,
        expressions: IndexedConstraints,
        row: Vec<f64>,
        rng: &mut Rng,
    ) -> Option<Vec<f64>> {
        if let Some(rows) = self.list() {
            return rows.rows().next().map(<[f64]>::to_vec);
        }
        let by_expressions = if expressions.all().is_empty() {
            self.space.clone()
        } else {
            let constrained = FeasibleSet::new(expressions, row);
            self.space.clone().constrained_by(constrained)
        };
        (0..TRIES)
            .map(|_| by_expressions.draw_row(rng))
            .find(|row| self.holds(row))
    }
}

/// A constraint that contradicts the ranges of its own parameters is named with what it compares.
fn check_alone(space: &Space, constraint: &Constraint) -> Result<(), SpaceError> {
    let Some(predicate) = constraint.predicate() else {
        return Ok(());
    };
    let ranges = ranges(space, &whole(space));
    let found = outcomes(predicate.truth(), &ranges);
    if found.yes || found.absent {
        return Ok(());
    }
    let sides = constraint.expression().and_then(|one| one.sides());
    let reason = match (predicate.truth(), sides) {
        (Truth::Compare(left, _, right), Some((left_text, right_text))) => {
            let shown = |(text, number)| {
                numbers(number, &ranges).map(|range| match range.low == range.high {
                    true => format!("`{text}` is {:?}", range.low),
                    false => format!("`{text}` is from {:?} to {:?}", range.low, range.high),
                })
            };
            let sides = [(left_text, left), (right_text, right)];
            let sides: Vec<String> = sides.into_iter().filter_map(shown).collect();
            format!(": {}", sides.join(", "))
        }
        _ => String::new(),
    };
    Err(SpaceError::NeverHolds {
        constraint: constraint.to_string(),
        reason,
    })
}
