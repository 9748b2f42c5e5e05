//! Initial designs: the points a model-based strategy begins with.

use rand::seq::SliceRandom;

use super::Setup;
use crate::linalg::{Points, Purpose, Rng, space_filling};
use crate::space::Space;

/// Keeps initial designs apart from the other designs of a study.
const INITIAL: u64 = 2;

/// A list of points that depends on the space and the study's seed alone, so that any number of workers share it: trial `k` gets
/// the `k`-th point.
///
/// ```
/// use std::sync::Arc;
/// use neuralbo::linalg::Streams;
/// use neuralbo::space::Space;
/// use neuralbo::strategy::{InitialDesign, Setup};
///
/// let setup = Setup::new(Arc::new(Space::from_bounds(&[(0.0, 8.0)])?), Streams::new(1));
/// let design = InitialDesign::new(&setup, 4).centre_first(&setup);
/// assert_eq!(design.len(), 4);
/// assert_eq!(design.row(0), Some([0.0].as_slice()));
/// assert_eq!(design.row(4), None);
/// # Ok::<(), neuralbo::space::SpaceError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct InitialDesign {
    rows: Points,
}

impl InitialDesign {
    /// A scrambled Sobol sequence of `size` points; of a pool, rows drawn without repetition. Points that violate a constraint are
    /// replaced by random ones that do not.
    pub fn new(setup: &Setup, size: usize) -> Self {
        let mut rng = setup.streams.indexed(0, Purpose::Design, INITIAL);
        let space = &setup.space;
        let mut rows = match (space.pool(), space.encoded_dim()) {
            (Some(pool), _) => without_repetition(pool, size, &mut rng),
            // A space of fixed parameters has no coordinates to spread over.
            (None, 0) => Points::zeros(0, size),
            (None, dim) => space_filling(dim, size, &mut rng),
        };
        for i in 0..rows.len() {
            space.snap(rows.row_mut(i));
            if !space.is_feasible(rows.row(i)) {
                rows.row_mut(i).copy_from_slice(&space.draw_row(&mut rng));
            }
        }
        Self { rows }
    }

    /// Given points, e.g. the same for several methods.
    pub fn from_rows(space: &Space, mut rows: Points) -> Self {
        (0..rows.len()).for_each(|i| space.repair(rows.row_mut(i)));
        Self { rows }
    }

    /// Puts the centre of the box in the place of the first point.
    pub fn centre_first(mut self, setup: &Setup) -> Self {
        if !self.rows.is_empty() {
            self.rows.row_mut(0).fill(0.0);
            setup.space.repair(self.rows.row_mut(0));
        }
        self
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The point of trial `number`; `None` past the design.
    pub fn row(&self, number: u64) -> Option<&[f64]> {
        let number = usize::try_from(number).ok()?;
        (number < self.rows.len()).then(|| self.rows.row(number))
    }
}

fn without_repetition(pool: &Points, size: usize, rng: &mut Rng) -> Points {
    let mut order: Vec<usize> = (0..pool.len()).collect();
    order.shuffle(rng);
    order.truncate(size);
    pool.select(&order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Streams;
    use std::sync::Arc;

    fn setup(space: Space, seed: u64) -> Setup {
        Setup::new(Arc::new(space), Streams::new(seed))
    }

    #[test]
    fn a_design_is_a_function_of_the_seed() {
        let space = Space::from_bounds(&[(0.0, 1.0); 5]).unwrap();
        let design = |seed| InitialDesign::new(&setup(space.clone(), seed), 12);
        assert_eq!(design(3), design(3));
        assert_ne!(design(3), design(4));
    }

    #[test]
    fn a_pool_gives_different_rows() {
        let pool = Space::from_pool(Points::from_rows(1, (0..20).map(|i| [f64::from(i)]))).unwrap();
        let design = InitialDesign::new(&setup(pool, 1), 50);
        let value = |i| (design.row(i).unwrap()[0] * 9.5 + 9.5).round() as i64;
        let mut rows: Vec<i64> = (0..20).map(value).collect();
        rows.sort_unstable();
        assert_eq!((design.len(), rows), (20, (0..20).collect()));
    }
}
