//! A first feasible point, or why there is none.

use super::branch::{BoxVerdict, ranges, row_of, whole};
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

/// Why there is no point.
enum Unfound {
    /// None exists.
    Proven,
    /// So many starts led nowhere.
    GivenUp(usize),
}

impl Solver<'_> {
    /// The row of a feasible point.
    pub(in crate::space) fn first_row(&self) -> Result<Vec<f64>, SpaceError> {
        let all = self.constraints.all();
        all.iter().try_for_each(|o| check_alone(self.space, o))?;
        let is_expression = |constraint: &&Constraint| constraint.predicate().is_some();
        let expressions = all.iter().filter(is_expression).cloned().collect();
        let expressions = IndexedConstraints::new(expressions, self.space);
        let mut rng = Streams::new(SEED).stream(0, Purpose::Design);
        let row = Solver::new(self.space, &expressions).search(&mut rng);
        let row = row.map_err(|unfound| self.contradiction(&unfound))?;
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

    /// A point that satisfies all expressions: the centre of the box or one of many rows, mended, or one that branching finds.
    fn search(&self, rng: &mut Rng) -> Result<Vec<f64>, Unfound> {
        let (space, place) = (self.space, RowBox::whole(self.space));
        let feasible = |mut row: Vec<f64>| {
            space.snap(&mut row);
            (self.holds(&row) || self.mend(&mut row, &place)).then_some(row)
        };
        if let Some(row) = feasible(vec![0.0; space.encoded_dim()]) {
            return Ok(row);
        }
        if let Some(pool) = space.pool() {
            let found = pool.rows().find(|row| self.holds(row));
            return found.map(<[f64]>::to_vec).ok_or(Unfound::Proven);
        }
        if space.encoded_dim() == 0 {
            return Err(Unfound::Proven);
        }
        // A few starts, then branching, then many.
        let starts = space_filling(space.encoded_dim(), MOST_STARTS, rng);
        let mut rows = starts.rows().take(self.starts());
        let few = rows.by_ref().take(LEAST_STARTS);
        if let Some(row) = few.map(<[f64]>::to_vec).find_map(feasible) {
            return Ok(row);
        }
        match self.prover().verdict() {
            BoxVerdict::Empty => return Err(Unfound::Proven),
            BoxVerdict::MayHold(cell) => {
                let middle = cell.iter().enumerate().map(|(position, (first, last))| {
                    let middle = first + (last - first) / 2.0;
                    let count = space.parameters()[position].domain().count();
                    count.map_or(middle, |_| middle.floor())
                });
                let middle: Vec<f64> = middle.collect();
                if let Some(row) = feasible(row_of(space, &middle)) {
                    return Ok(row);
                }
            }
            BoxVerdict::Unknown => {}
        }
        if let Some(row) = rows.map(<[f64]>::to_vec).find_map(feasible) {
            return Ok(row);
        }
        let listed = self.list().ok_or(Unfound::GivenUp(self.starts()))?;
        let first = listed.rows().next().map(<[f64]>::to_vec);
        first.ok_or(Unfound::Proven)
    }

    fn contradiction(&self, unfound: &Unfound) -> SpaceError {
        let all = self.constraints.all();
        if let ([only], Unfound::Proven) = (all, unfound) {
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
            found: match unfound {
                Unfound::Proven => "no point satisfies".into(),
                Unfound::GivenUp(starts) => {
                    format!("a search from {starts} starts found no point that satisfies")
                }
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
