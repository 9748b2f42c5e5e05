//! The points of a space that satisfy its constraints: how a row is moved to one of them, and how they are drawn.
//!
//! A row that violates a constraint is *repaired*:
//!
//! 1. Gauss–Newton steps of least length onto the comparisons it violates, over the continuous coordinates, clipped to the box
//!    ([`project`]). Linear constraints, equalities among them, are met in one step; what is stored satisfies an equality to 1e-9
//!    of its terms.
//! 2. Ints, steps and choices by the change that brings the row nearest ([`discrete`]), then once more the continuous ones.
//! 3. The last point on the way to it from a point that is known to be feasible.
//!
//! Random points are drawn by rejection; where that fails they are repaired and then moved by hit-and-run steps (Smith 1984), which
//! spread them over the inside. Finite spaces with few feasible points are listed by branching over ranges of values ([`branch`]),
//! pruned by interval arithmetic; the same proves that constraints contradict each other.

mod branch;
mod demand;
mod discrete;
mod first;
mod interval;
mod place;
mod project;
mod walk;

#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use rand::RngExt;

use super::constraint::Constraint;
use super::{Params, Space, SpaceError};
use crate::linalg::{Points, Rng};
use demand::At;
pub(crate) use place::Place;

/// Random tries before a point is repaired instead.
const REJECTIONS: usize = 64;
/// Hit-and-run steps after a repair, beside two for every coordinate.
const STEPS: usize = 8;
/// Most coordinates that add to the steps.
const COUNTED: usize = 30;
/// Halvings on the way to a feasible point.
const HALVINGS: usize = 24;

/// The constraints of a space and what is known about its feasible points.
#[derive(Debug)]
pub(super) struct Constrained {
    constraints: Vec<Constraint>,
    /// The row of a feasible point.
    anchor: Vec<f64>,
    /// All feasible rows, where there are few.
    listed: OnceLock<Option<Points>>,
}

impl Constrained {
    /// Checks that a space (without constraints) has points that satisfy these.
    pub(super) fn new(space: &Space, constraints: Vec<Constraint>) -> Result<Self, SpaceError> {
        let anchor = first::feasible_row(space, &constraints)?;
        Ok(Self {
            constraints,
            anchor,
            listed: OnceLock::new(),
        })
    }

    pub(super) fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }
}

/// Whether the point of a row satisfies constraints.
fn holds(space: &Space, constraints: &[Constraint], row: &[f64]) -> bool {
    let at = At::new(space, row);
    let value = |position: usize| at.view(position);
    let expressions = constraints.iter().filter_map(Constraint::predicate);
    expressions
        .into_iter()
        .all(|predicate| predicate.evaluate(&value) != Some(false))
        && functions_hold(space, constraints, row)
}

fn functions_hold(space: &Space, constraints: &[Constraint], row: &[f64]) -> bool {
    let mut functions = constraints
        .iter()
        .filter_map(Constraint::function)
        .peekable();
    if functions.peek().is_none() {
        return true;
    }
    let params: Params = space.params(&space.decode(row));
    functions.all(|function| function(&params))
}

impl Space {
    /// Whether there are constraints.
    pub fn is_constrained(&self) -> bool {
        self.constrained().is_some()
    }

    /// Whether the point of a row satisfies all constraints.
    pub fn is_feasible(&self, row: &[f64]) -> bool {
        self.constrained()
            .is_none_or(|constrained| holds(self, &constrained.constraints, row))
    }

    /// [`Space::snap`], and then to a feasible point, near by where there is one.
    ///
    /// ```
    /// use neuralbo::space::Space;
    ///
    /// let space = Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)])?.with_constraints(["x0 + x1 == 1".parse()?])?;
    /// let mut row = [0.5, 0.5];
    /// space.repair(&mut row);
    /// assert!(row.iter().all(|x| x.abs() < 1e-9));
    /// # Ok::<(), neuralbo::space::SpaceError>(())
    /// ```
    pub fn repair(&self, row: &mut [f64]) {
        self.snap(row);
        if self.is_constrained() {
            self.repair_within(row, &Place::whole(self));
        }
    }

    /// Moves a row to a feasible point, within a box where that is possible. Without constraints it stays where it is.
    pub(crate) fn repair_within(&self, row: &mut [f64], place: &Place<'_>) {
        let Some(constrained) = self.constrained() else {
            return;
        };
        if !self.is_feasible(row) && !self.mended(&constrained.constraints, row, place) {
            let anchor = place
                .anchor
                .filter(|anchor| self.is_feasible(anchor))
                .unwrap_or(&constrained.anchor);
            let farthest = self.last_feasible(anchor, row, place);
            row.copy_from_slice(&farthest);
        }
    }

    /// Moves the continuous coordinates of a row so that it is feasible; `false` where that is not possible, and the row anywhere.
    pub(crate) fn slide_within(&self, row: &mut [f64], place: &Place<'_>) -> bool {
        self.constrained()
            .is_none_or(|constrained| self.slide(&constrained.constraints, row, place))
    }

    fn slide(&self, constraints: &[Constraint], row: &mut [f64], place: &Place<'_>) -> bool {
        if holds(self, constraints, row) {
            return true;
        }
        project::onto(self, constraints, row, place, false);
        self.snap(row);
        holds(self, constraints, row)
    }

    /// Writes a level of the parameter at a position into a row.
    fn set_level(&self, position: usize, level: f64, row: &mut [f64]) {
        let (_, block) = self.part(position);
        block.code.write(level, &mut row[block.range.clone()]);
        if self.has_conditions() {
            self.snap(row);
        }
    }

    /// A direction from a feasible row, turned so that it leads along the borders that it would cross.
    pub(crate) fn turned(&self, direction: Vec<f64>, row: &[f64], place: &Place<'_>) -> Vec<f64> {
        match self.constrained() {
            Some(constrained) => {
                project::along(self, &constrained.constraints, row, place, &direction)
            }
            None => direction,
        }
    }

    /// Steps 1 and 2 of a repair.
    fn mended(&self, constraints: &[Constraint], row: &mut [f64], place: &Place<'_>) -> bool {
        let start = row.to_vec();
        for relaxed in [false, true] {
            row.copy_from_slice(&start);
            project::onto(self, constraints, row, place, relaxed);
            self.snap(row);
            if holds(self, constraints, row) {
                return true;
            }
            if discrete::adjust(self, constraints, row, place) {
                project::onto(self, constraints, row, place, false);
                self.snap(row);
                if holds(self, constraints, row) {
                    return true;
                }
            }
        }
        false
    }

    /// The last feasible point that was met on the way from a feasible row to another one.
    fn last_feasible(&self, from: &[f64], to: &[f64], place: &Place<'_>) -> Vec<f64> {
        let (mut near, mut far, mut found) = (0.0, 1.0, from.to_vec());
        for _ in 0..HALVINGS {
            let middle = 0.5 * (near + far);
            let mut row: Vec<f64> = from
                .iter()
                .zip(to)
                .map(|(a, b)| a + middle * (b - a))
                .collect();
            self.snap(&mut row);
            if self.slide_within(&mut row, place) {
                (near, found) = (middle, row);
            } else {
                far = middle;
            }
        }
        found
    }

    /// A random row of a feasible point: uniform where at least a few of a hundred points are feasible or where they can be
    /// listed, nearly so elsewhere.
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn draw_row(&self, rng: &mut Rng) -> Vec<f64> {
        if let Some(rows) = self.feasible_rows().filter(|rows| !rows.is_empty()) {
            return rows.row(rng.random_range(0..rows.len())).to_vec();
        }
        let mut row = self.any_row(rng);
        for _ in 0..REJECTIONS {
            if self.is_feasible(&row) {
                return row;
            }
            row = self.any_row(rng);
        }
        let place = Place::whole(self);
        self.repair_within(&mut row, &place);
        for _ in 0..STEPS + 2 * self.encoded_dim().min(COUNTED) {
            self.wander(&mut row, &place, rng);
        }
        row
    }

    /// One hit-and-run step of a feasible row within a box; a row that is not feasible stays where it is.
    pub(crate) fn wander(&self, row: &mut [f64], place: &Place<'_>, rng: &mut Rng) {
        if let Some(constrained) = self.constrained() {
            walk::step(self, &constrained.constraints, row, place, rng);
        }
    }

    /// A uniform row, feasible or not.
    fn any_row(&self, rng: &mut Rng) -> Vec<f64> {
        if let Some(pool) = self.pool() {
            return pool.row(rng.random_range(0..pool.len())).to_vec();
        }
        let mut row: Vec<f64> = (0..self.encoded_dim())
            .map(|_| rng.random_range(-1.0..=1.0))
            .collect();
        self.snap(&mut row);
        row
    }

    /// All feasible rows of a finite, constrained space in the order of its points; `None` where there are more than 10,000 or
    /// where they are hard to find.
    pub(crate) fn feasible_rows(&self) -> Option<&Points> {
        let constrained = self.constrained()?;
        constrained
            .listed
            .get_or_init(|| branch::list(self, &constrained.constraints))
            .as_ref()
    }
}
