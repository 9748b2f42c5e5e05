//! What was measured of one quantity, and where.

use crate::linalg::Points;
use crate::record::Direction;
use crate::space::Space;
use crate::surrogate::Dataset;

/// Trials with a value of one objective, or of another measured quantity, as encoded rows and rewards.
#[derive(Clone, Debug, PartialEq)]
pub struct Observations {
    pub(super) name: String,
    pub(super) space: Space,
    pub(super) direction: Direction,
    pub(super) data: Dataset,
}

impl Observations {
    /// Rows of this space with one value each; those that are not finite are left out.
    ///
    /// # Panics
    /// When there are more rows than values or the other way round.
    pub fn new(
        name: &str,
        space: &Space,
        direction: Direction,
        rows: &Points,
        values: &[f64],
    ) -> Self {
        assert_eq!(rows.len(), values.len(), "one value a row");
        let mut data = Dataset::new(space.encoded_dim());
        for (row, value) in rows
            .rows()
            .zip(values)
            .filter(|(_, value)| value.is_finite())
        {
            data.push(row, direction.reward(*value));
        }
        Self {
            name: name.to_owned(),
            space: space.clone(),
            direction,
            data,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }
}
