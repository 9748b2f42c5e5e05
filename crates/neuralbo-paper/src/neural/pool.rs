//! Features of the rows of a pool at θ₀, which no observation changes: computed once instead of for every suggestion.
//!
//! A pool is scored row by row in its own order, so that its tiles come back as they were: the first row of a tile says where it is.

use super::InputMap;
use super::function::TILE;
use neuralbo::acquisition::maximize::row_fingerprint;
use neuralbo::linalg::{Points, Real};
use neuralbo::net::{Architecture, Features, Mlp};
use neuralbo::surrogate::tiles::over_ranges;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Memory that the features of a pool may take; those of a larger one are computed each time.
const MEMORY: usize = 512 << 20;

/// The rows of a pool and their features, tile by tile.
pub(super) struct PoolFeatures<T> {
    rows: Arc<Points>,
    tiles: Vec<Features<T>>,
    /// Tiles by their first rows.
    places: HashMap<u128, usize>,
}

impl<T: Real> PoolFeatures<T> {
    /// The features of all rows; `None` where they would take too much memory.
    pub(super) fn of(net: &Mlp<T>, inputs: &InputMap, rows: &Arc<Points>) -> Option<Self> {
        let each = numbers(net.architecture()) * size_of::<T>();
        if rows.len().saturating_mul(each) > MEMORY {
            return None;
        }
        let tile = |range: Range<usize>| Features::of(net, inputs.apply(rows, range).as_ref());
        let first = (0..rows.len()).step_by(TILE).enumerate();
        Some(Self {
            tiles: over_ranges(rows.len(), TILE, tile),
            places: first
                .map(|(tile, i)| (row_fingerprint(rows.row(i)), tile))
                .collect(),
            rows: Arc::clone(rows),
        })
    }

    /// The features of these rows if they are a tile of the pool.
    pub(super) fn tile(&self, rows: &Points, range: Range<usize>) -> Option<&Features<T>> {
        let place = *self.places.get(&row_fingerprint(rows.row(range.start)))?;
        let (tile, dim, start) = (&self.tiles[place], rows.dim(), place * TILE);
        let known = &self.rows.as_slice()[start * dim..(start + tile.len()) * dim];
        let asked = &rows.as_slice()[range.start * dim..range.end * dim];
        (known == asked).then_some(tile)
    }
}

/// Most numbers that the features of a point consist of: the inputs, activations and derivatives of all layers.
fn numbers(shape: &Architecture) -> usize {
    shape.inputs + 2 * (shape.depth - 1) * shape.width + 1
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fixtures::{random_rows, relu, rng};
    use crate::neural::InputDomain;
    use neuralbo::net::Init;

    #[test]
    fn tiles_are_found_where_they_are_and_nowhere_else() {
        let map = InputMap::new(3, InputDomain::Box, false);
        let net = Mlp::<f64>::new(relu(3, 8, 2), Init::Standard, &mut rng(1)).unwrap();
        let rows = Arc::new(random_rows(3, 2 * TILE + 5, 2));
        let pool = PoolFeatures::of(&net, &map, &rows).unwrap();
        let direction = vec![0.5; net.theta().len()];
        for range in [0..TILE, TILE..2 * TILE, 2 * TILE..2 * TILE + 5] {
            let part = rows.slice(range.clone());
            let fresh = Features::of(&net, map.apply(&part, 0..part.len()).as_ref());
            let known = pool.tile(&part, 0..part.len()).unwrap();
            assert_eq!(known.jvp(&direction), fresh.jvp(&direction));
            assert!(pool.tile(&rows, range).is_some());
        }
        assert!(pool.tile(&rows, 1..TILE + 1).is_none());
        assert!(pool.tile(&rows, 0..TILE - 1).is_none());
        assert!(pool.tile(&random_rows(3, TILE, 3), 0..TILE).is_none());
        let mut changed = rows.slice(0..TILE);
        changed.row_mut(7)[1] += 1e-9;
        assert!(pool.tile(&changed, 0..TILE).is_none());
    }
}
