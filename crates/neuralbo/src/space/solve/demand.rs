//! What a row must still satisfy, as numbers.
//!
//! Symbols: a comparison `left ≤ right` has the residual `r = left − right`; `g` is its gradient by the coordinates of the row.

use crate::linalg::dot;
use crate::space::Space;
use crate::space::condition::ActiveLevels;
use crate::space::expression::{NumberExpr, Relation, Truth, ValueSource};
use crate::space::value::ValueView;

/// Distance of a choice from another one, and of what no step can reach.
const FLIP: f64 = 2.0;
const UNREACHABLE: f64 = 4.0;
/// Step for the derivative of a value by its coordinate.
const DIFFERENCE: f64 = 1e-6;

/// A row whose values are looked at; relaxed, whole numbers and steps may be anything in between.
#[derive(Clone)]
pub(super) struct At<'a> {
    pub(super) space: &'a Space,
    pub(super) row: &'a [f64],
    pub(super) relaxed: bool,
    levels: ActiveLevels,
}

impl<'a> At<'a> {
    pub(super) fn new(space: &'a Space, row: &'a [f64]) -> Self {
        Self::of_levels(space, row, space.levels(row))
    }

    /// With the levels of the row.
    pub(super) fn of_levels(space: &'a Space, row: &'a [f64], levels: ActiveLevels) -> Self {
        Self {
            space,
            row,
            relaxed: false,
            levels,
        }
    }

    pub(super) fn relaxed(self, relaxed: bool) -> Self {
        Self { relaxed, ..self }
    }

    /// The value of the parameter at a position; `None` where it is inactive.
    pub(super) fn view(&self, position: usize) -> Option<ValueView<'a>> {
        let view = self.space.view_of(position, &self.levels)?;
        let coordinate = self.coordinate(position).filter(|_| self.relaxed);
        let relaxed =
            coordinate.and_then(|coordinate| self.space.relaxed_at(position, self.row[coordinate]));
        Some(relaxed.map_or(view, ValueView::Float))
    }

    /// The level of the parameter at a position; `None` where it is inactive.
    pub(super) fn level(&self, position: usize) -> Option<f64> {
        self.levels[position]
    }

    /// The coordinate through which the value of a parameter can be moved by small steps.
    pub(super) fn coordinate(&self, position: usize) -> Option<usize> {
        let (parameter, block) = self.space.part(position);
        let domain = parameter.domain();
        let smooth = domain.count().is_none() || self.relaxed && domain.range().is_some();
        (smooth && self.levels[position].is_some() && block.range.len() == 1)
            .then_some(block.range.start)
    }

    /// The derivative of a parameter's value by its coordinate.
    fn slope(&self, position: usize, coordinate: usize) -> f64 {
        let u = self.row[coordinate];
        let (a, b) = ((u - DIFFERENCE).max(-1.0), (u + DIFFERENCE).min(1.0));
        let value = |u: f64| self.space.relaxed_at(position, u).unwrap_or(0.0);
        (value(b) - value(a)) / (b - a)
    }
}

/// A comparison that a row must satisfy: `sign · (left − right)` is negative, zero, or anything but zero.
#[derive(Clone, Copy)]
pub(super) struct Demand<'p> {
    left: &'p NumberExpr,
    right: &'p NumberExpr,
    comparison: Relation,
}

/// What is left of a demand at a row.
pub(super) struct Residual {
    /// What must become 0.
    pub(super) amount: f64,
    /// The size of what it was computed from.
    pub(super) size: f64,
}

impl<'p> Demand<'p> {
    /// What makes a comparison hold, or not hold.
    fn new(
        left: &'p NumberExpr,
        comparison: Relation,
        right: &'p NumberExpr,
        wanted: bool,
    ) -> Self {
        let comparison = match wanted {
            true => comparison,
            false => comparison.opposite(),
        };
        Self {
            left,
            right,
            comparison,
        }
    }

    /// Tells demands apart.
    pub(super) fn identity(&self) -> usize {
        std::ptr::from_ref(self.left) as usize
    }

    pub(super) fn is_equality(&self) -> bool {
        self.comparison == Relation::Equal
    }

    pub(super) fn is_inequality(&self) -> bool {
        !matches!(self.comparison, Relation::Equal | Relation::NotEqual)
    }

    /// `left − right`, with the sign that must not be positive; `None` where a value is absent.
    pub(super) fn residual(&self, at: &At<'_>) -> Option<Residual> {
        let values: &ValueSource<'_, '_> = &|position| at.view(position);
        let (left, right) = (self.left.evaluate(values)?, self.right.evaluate(values)?);
        Some(Residual {
            amount: self.sign() * (left.value - right.value),
            size: left.size.max(right.size),
        })
    }

    /// Whether it is satisfied; what hangs on an absent value is.
    pub(super) fn holds(&self, at: &At<'_>) -> bool {
        let values: &ValueSource<'_, '_> = &|position| at.view(position);
        match (self.left.evaluate(values), self.right.evaluate(values)) {
            (Some(left), Some(right)) => self.comparison.holds(left, right),
            _ => true,
        }
    }

    fn sign(&self) -> f64 {
        match self.comparison {
            Relation::Greater | Relation::AtLeast => -1.0,
            _ => 1.0,
        }
    }

    /// The gradient of the residual by the coordinates that small steps can move.
    pub(super) fn gradient(&self, at: &At<'_>) -> Vec<f64> {
        let mut by_position = vec![0.0; at.space.parameters().len()];
        let values: &ValueSource<'_, '_> = &|position| at.view(position);
        let sign = self.sign();
        let mut add = |position: usize, slope: f64| by_position[position] += slope;
        _ = self.left.add_gradient(values, sign, &mut add);
        _ = self.right.add_gradient(values, -sign, &mut add);
        let mut gradient = vec![0.0; at.row.len()];
        for (position, slope) in by_position.into_iter().enumerate() {
            let matters = slope != 0.0 && slope.is_finite();
            if let Some(coordinate) = at.coordinate(position).filter(|_| matters) {
                gradient[coordinate] = slope * at.slope(position, coordinate);
            }
        }
        gradient
    }

    /// About how far the row is from satisfying it.
    fn distance(&self, at: &At<'_>) -> f64 {
        if self.holds(at) {
            return 0.0;
        }
        let gradient = self.gradient(&at.clone().relaxed(true));
        let length = dot(&gradient, &gradient).sqrt();
        match self.residual(at) {
            Some(residual) if residual.amount.is_finite() && length > 0.0 => {
                (residual.amount.abs() / length).max(1e-12)
            }
            Some(residual) if residual.amount.is_finite() => {
                UNREACHABLE + residual.amount.abs().min(1e6)
            }
            _ => UNREACHABLE + 1e6,
        }
    }
}

/// The comparisons that would make a truth hold (or not hold) at a row: of alternatives the nearest.
pub(super) fn demands<'p>(
    truth: &'p Truth,
    wanted: bool,
    at: &At<'_>,
    found: &mut Vec<Demand<'p>>,
) {
    match truth {
        Truth::Compare(left, comparison, right) => {
            found.push(Demand::new(left, *comparison, right, wanted));
        }
        Truth::Member(..) | Truth::Same(..) => {}
        Truth::Agree(left, right) => {
            let other = distance(right, true, at) == 0.0;
            demands(left, other == wanted, at, found);
        }
        Truth::Not(part) => demands(part, !wanted, at, found),
        Truth::And(parts) | Truth::Or(parts) if matches!(truth, Truth::And(_)) == wanted => {
            parts.iter().for_each(|p| demands(p, wanted, at, found));
        }
        Truth::And(parts) | Truth::Or(parts) => {
            let nearest = parts.iter().map(|part| (part, distance(part, wanted, at)));
            let nearest = nearest.min_by(|a, b| a.1.total_cmp(&b.1));
            match nearest {
                Some((_, 0.0)) | None => {}
                Some((part, _)) => demands(part, wanted, at, found),
            }
        }
    }
}

/// About how far a row is from making a truth hold (or not hold), in coordinates; 0 where it does.
pub(super) fn distance(truth: &Truth, wanted: bool, at: &At<'_>) -> f64 {
    let flip = |holds: bool| if holds == wanted { 0.0 } else { FLIP };
    match truth {
        Truth::Compare(left, comparison, right) => {
            Demand::new(left, *comparison, right, wanted).distance(at)
        }
        Truth::Member(position, values) => at
            .view(*position)
            .map_or(0.0, |view| flip(view.is_one_of(values))),
        Truth::Same(a, b) => match (at.view(*a), at.view(*b)) {
            (Some(a), Some(b)) => flip(a.means(b)),
            _ => 0.0,
        },
        Truth::Agree(left, right) => {
            let holds = |truth| distance(truth, true, at) == 0.0;
            let by = |truth, other| distance(truth, holds(other) == wanted, at);
            by(left, right).min(by(right, left))
        }
        Truth::Not(part) => distance(part, !wanted, at),
        Truth::And(parts) | Truth::Or(parts) => {
            let distances = parts.iter().map(|part| distance(part, wanted, at));
            if matches!(truth, Truth::And(_)) == wanted {
                distances.sum()
            } else {
                distances.fold(f64::INFINITY, f64::min)
            }
        }
    }
}
