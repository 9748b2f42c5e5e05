//! Solving constraints: rows that satisfy them, rows moved to where they do, and proofs that there are none.
//!
//! A row that violates a constraint is *mended*:
//!
//! 1. Gauss–Newton steps of least length onto the comparisons it violates, over the continuous coordinates, clipped to the box
//!    ([`project`]). Linear constraints, equalities among them, are met in one step. Whole numbers are compared exactly; other
//!    numbers that are equal differ by at most 1e-9 of their terms.
//! 2. Ints, steps and choices by the change that brings the row nearest ([`discrete`]), then once more the continuous ones.
//!
//! Where that fails, it becomes the last feasible point on the way to it from one that is known. Expressions over few choices
//! are looked up ([`table`]).
//!
//! Rows wander by hit-and-run steps (Smith 1984; [`walk`]), which spread them over the feasible points. Finite spaces with few
//! feasible points are listed by branching over ranges of values, pruned by interval arithmetic ([`branch`], [`interval`]); the
//! same search proves that constraints contradict each other or that a condition never holds, and finds the point that satisfies
//! clauses of choices: what only one value can satisfy is divided first (unit propagation; Davis, Logemann and Loveland 1962).

mod branch;
mod demand;
mod discrete;
mod first;
mod interval;
mod project;
mod table;
mod walk;

#[cfg(test)]
mod tests;

pub(super) use branch::Prover;
pub(super) use table::Table;

use super::Space;
use super::constraint::IndexedConstraints;
use super::expression::Predicate;
use crate::linalg::{Points, Rng};
use demand::At;
use table::Check;

/// Halvings on the way to a feasible point.
const HALVINGS: usize = 24;

/// A space and the constraints that its rows must satisfy.
#[derive(Clone, Copy)]
pub(super) struct Solver<'a> {
    space: &'a Space,
    constraints: &'a IndexedConstraints,
}

impl<'a> Solver<'a> {
    pub(super) fn new(space: &'a Space, constraints: &'a IndexedConstraints) -> Self {
        Self { space, constraints }
    }

    fn predicates(&self) -> impl Iterator<Item = &'a Predicate> + use<'a> {
        self.constraints.predicates()
    }

    /// The expressions with their tables.
    fn checks(&self) -> impl Iterator<Item = Check<'a>> + use<'a> {
        let constraints = self.constraints;
        let both = constraints.predicates().zip(constraints.tables());
        both.map(|(predicate, table)| Check {
            predicate,
            table: table.as_ref(),
        })
    }

    /// Whether the point of a row satisfies all constraints.
    pub(super) fn holds(&self, row: &[f64]) -> bool {
        let at = At::new(self.space, row);
        self.checks().all(|check| check.holds(&at)) && self.functions_hold(row)
    }

    fn functions_hold(&self, row: &[f64]) -> bool {
        let mut functions = self.constraints.functions().peekable();
        if functions.peek().is_none() {
            return true;
        }
        let params = self.space.params(&self.space.decode(row));
        functions.all(|function| function(&params))
    }

    /// Moves the continuous coordinates of a row so that it is feasible; whether it is.
    pub(super) fn slide(&self, row: &mut [f64], place: &RowBox<'_>) -> bool {
        if self.holds(row) {
            return true;
        }
        if !project::onto(self, row, place, false) {
            return false;
        }
        self.space.snap(row);
        self.holds(row)
    }

    /// Moves a row to a feasible point near by, if there is one; otherwise the row may be anywhere.
    pub(super) fn mend(&self, row: &mut [f64], place: &RowBox<'_>) -> bool {
        let start = row.to_vec();
        for relaxed in [false, true] {
            row.copy_from_slice(&start);
            let may_move = project::onto(self, row, place, relaxed);
            if relaxed && !may_move {
                return false;
            }
            self.space.snap(row);
            if self.holds(row) {
                return true;
            }
            if discrete::adjust(self, row, place) {
                project::onto(self, row, place, false);
                self.space.snap(row);
                if self.holds(row) {
                    return true;
                }
            }
        }
        false
    }

    /// The last feasible point that was met on the way from a feasible row to another one.
    pub(super) fn last_feasible(&self, from: &[f64], to: &[f64], place: &RowBox<'_>) -> Vec<f64> {
        let (mut near, mut far, mut found) = (0.0, 1.0, from.to_vec());
        for _ in 0..HALVINGS {
            let middle = 0.5 * (near + far);
            let way = from.iter().zip(to);
            let mut row: Vec<f64> = way.map(|(a, b)| a + middle * (b - a)).collect();
            self.space.snap(&mut row);
            if self.slide(&mut row, place) {
                (near, found) = (middle, row);
            } else {
                far = middle;
            }
        }
        found
    }

    pub(super) fn turned(&self, direction: &[f64], row: &[f64], place: &RowBox<'_>) -> Vec<f64> {
        project::along(self, row, place, direction)
    }

    /// One hit-and-run step; a row that is not feasible stays where it is.
    pub(super) fn wander(&self, row: &mut [f64], place: &RowBox<'_>, rng: &mut Rng) {
        walk::step(self, row, place, rng);
    }

    /// All feasible rows in the order of the points; `None` where there are too many or they are hard to find.
    pub(super) fn list(&self) -> Option<Points> {
        self.prover().list(|row| self.holds(row))
    }

    fn prover(&self) -> Prover<'a> {
        Prover::new(self.space, self.predicates().collect(), false)
    }
}

/// A box of rows to which a row may be moved.
#[derive(Clone, Debug)]
pub(crate) struct RowBox<'a> {
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// A feasible row to fall back on.
    pub(super) anchor: Option<&'a [f64]>,
    /// The coordinate that must stay as it is.
    held: Option<usize>,
}

impl<'a> RowBox<'a> {
    /// All rows.
    pub(crate) fn whole(space: &Space) -> Self {
        let dim = space.encoded_dim();
        Self::within(&vec![-1.0; dim], &vec![1.0; dim])
    }

    /// The rows between these bounds.
    pub(crate) fn within(lower: &[f64], upper: &[f64]) -> Self {
        Self {
            lower: lower.to_vec(),
            upper: upper.to_vec(),
            anchor: None,
            held: None,
        }
    }

    /// With a row to fall back on.
    pub(crate) fn near(self, anchor: Option<&'a [f64]>) -> Self {
        Self { anchor, ..self }
    }

    /// Without changes of a coordinate.
    pub(crate) fn holding(self, coordinate: usize) -> Self {
        let held = Some(coordinate);
        Self { held, ..self }
    }

    fn bounds(&self, coordinate: usize) -> (f64, f64) {
        (self.lower[coordinate], self.upper[coordinate])
    }

    fn is_open(&self, coordinate: usize) -> bool {
        self.held != Some(coordinate) && self.lower[coordinate] < self.upper[coordinate]
    }

    /// A row moved by `length` times a direction, clipped to the box.
    fn moved(&self, row: &[f64], direction: &[f64], length: f64) -> Vec<f64> {
        let moved = |(j, (x, d)): (usize, (&f64, &f64))| match *d {
            0.0 => *x,
            d => (x + length * d).clamp(self.lower[j], self.upper[j]),
        };
        row.iter().zip(direction).enumerate().map(moved).collect()
    }
}
