//! A first feasible point, or why there is none.

use super::branch::{is_contradiction, list, ranges, whole};
use super::interval::{always, numbers};
use super::{Place, holds};
use crate::linalg::{Purpose, Rng, Streams, space_filling};
use crate::space::constraint::Constraint;
use crate::space::expression::Truth;
use crate::space::{Space, SpaceError};

/// Rows that are repaired before the search is given up.
const STARTS: usize = 1024;
/// Random points of which one must satisfy the functions.
const TRIES: usize = 10_000;
/// Keys the random numbers: the same constraints give the same point.
const SEED: u64 = 0x0c05;

/// The row of a feasible point of a space without constraints.
pub(super) fn feasible_row(
    space: &Space,
    constraints: &[Constraint],
) -> Result<Vec<f64>, SpaceError> {
    for constraint in constraints {
        check_alone(space, constraint)?;
    }
    let expressions: Vec<Constraint> = constraints
        .iter()
        .filter(|c| c.predicate().is_some())
        .cloned()
        .collect();
    let mut rng = Streams::new(SEED).stream(0, Purpose::Design);
    let row = match search(space, &expressions, &mut rng) {
        Some(row) => row,
        None => return Err(contradiction(space, constraints)),
    };
    if holds(space, constraints, &row) {
        return Ok(row);
    }
    let functions = || {
        constraints
            .iter()
            .filter(|c| c.function().is_some())
            .map(ToString::to_string)
    };
    by_functions(space, constraints, expressions, row, &mut rng).ok_or_else(|| {
        SpaceError::NeverHolds {
            constraint: functions().collect::<Vec<_>>().join("`, `"),
            reason: format!(": it is false for {TRIES} random points"),
        }
    })
}

/// A constraint that contradicts the ranges of its own parameters is named with what it compares.
fn check_alone(space: &Space, constraint: &Constraint) -> Result<(), SpaceError> {
    let Some(predicate) = constraint.predicate() else {
        return Ok(());
    };
    let ranges = ranges(space, &whole(space));
    if always(predicate.truth(), &ranges) != Some(false) {
        return Ok(());
    }
    let sides = constraint
        .expression()
        .and_then(|expression| expression.sides());
    let reason = match (predicate.truth(), sides) {
        (Truth::Compare(left, _, right), Some((left_text, right_text))) => {
            let shown = |text: String, number| {
                numbers(number, &ranges).map(|range| match range.low == range.high {
                    true => format!("`{text}` is {:?}", range.low),
                    false => format!("`{text}` is from {:?} to {:?}", range.low, range.high),
                })
            };
            let sides: Vec<String> = [shown(left_text, left), shown(right_text, right)]
                .into_iter()
                .flatten()
                .collect();
            format!(": {}", sides.join(", "))
        }
        _ => String::new(),
    };
    Err(SpaceError::NeverHolds {
        constraint: constraint.to_string(),
        reason,
    })
}

/// A point that satisfies all expressions: the centre of the box or a row near one of many, repaired; in the end one of a list.
fn search(space: &Space, expressions: &[Constraint], rng: &mut Rng) -> Option<Vec<f64>> {
    let place = Place::whole(space);
    let mut center = vec![0.0; space.encoded_dim()];
    space.snap(&mut center);
    if holds(space, expressions, &center) || space.mended(expressions, &mut center, &place) {
        return Some(center);
    }
    if let Some(pool) = space.pool() {
        return pool
            .rows()
            .find(|row| holds(space, expressions, row))
            .map(<[f64]>::to_vec);
    }
    // A few starts, then a proof that more are in vain, then many.
    let starts = if space.encoded_dim() > 0 {
        space_filling(space.encoded_dim(), STARTS, rng)
    } else {
        return None;
    };
    let tried = |from: usize, to: usize| {
        (from..to).find_map(|i| {
            let mut row = starts.row(i).to_vec();
            space.snap(&mut row);
            (holds(space, expressions, &row) || space.mended(expressions, &mut row, &place))
                .then_some(row)
        })
    };
    if let Some(row) = tried(0, STARTS / 16) {
        return Some(row);
    }
    if is_contradiction(space, expressions) {
        return None;
    }
    tried(STARTS / 16, STARTS).or_else(|| {
        list(space, expressions)
            .filter(|rows| !rows.is_empty())
            .map(|rows| rows.row(0).to_vec())
    })
}

fn contradiction(space: &Space, constraints: &[Constraint]) -> SpaceError {
    let proven = is_contradiction(space, constraints)
        || list(space, constraints).is_some_and(|rows| rows.is_empty());
    let names: Vec<String> = constraints
        .iter()
        .map(|constraint| format!("`{constraint}`"))
        .collect();
    match (names.len(), proven) {
        (1, true) => SpaceError::NeverHolds {
            constraint: constraints[0].to_string(),
            reason: String::new(),
        },
        (_, true) => SpaceError::Contradiction {
            found: "no point satisfies".into(),
            constraints: names.join(", "),
        },
        (_, false) => {
            let found = format!("a search from {STARTS} starts found no point that satisfies");
            SpaceError::Contradiction {
                found,
                constraints: names.join(", "),
            }
        }
    }
}

/// A point that satisfies functions, too: one of many random points that satisfy the expressions.
fn by_functions(
    space: &Space,
    constraints: &[Constraint],
    expressions: Vec<Constraint>,
    row: Vec<f64>,
    rng: &mut Rng,
) -> Option<Vec<f64>> {
    if let Some(rows) = list(space, constraints) {
        return (!rows.is_empty()).then(|| rows.row(0).to_vec());
    }
    let by_expressions = if expressions.is_empty() {
        space.clone()
    } else {
        let constrained = super::Constrained {
            constraints: expressions,
            anchor: row,
            listed: std::sync::OnceLock::new(),
        };
        space.clone().constrained_by(constrained)
    };
    (0..TRIES)
        .map(|_| by_expressions.draw_row(rng))
        .find(|row| holds(space, constraints, row))
}
