//! Where a row may be moved to.

use crate::space::Space;

/// A box of rows, with what else bounds a repair.
#[derive(Clone, Debug)]
pub(crate) struct Place<'a> {
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// A feasible row to fall back on.
    pub(crate) anchor: Option<&'a [f64]>,
    /// The coordinate that must stay as it is.
    held: Option<usize>,
}

impl<'a> Place<'a> {
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
        Self {
            held: Some(coordinate),
            ..self
        }
    }

    pub(super) fn clamp(&self, coordinate: usize, x: f64) -> f64 {
        x.clamp(self.lower[coordinate], self.upper[coordinate])
    }

    pub(super) fn bounds(&self, coordinate: usize) -> (f64, f64) {
        (self.lower[coordinate], self.upper[coordinate])
    }

    pub(super) fn is_open(&self, coordinate: usize) -> bool {
        self.held != Some(coordinate) && self.lower[coordinate] < self.upper[coordinate]
    }

    pub(super) fn holds(&self, coordinate: usize) -> bool {
        self.held == Some(coordinate)
    }
}
