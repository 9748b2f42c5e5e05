//! Latin hypercube designs.

use rand::{RngExt, seq::SliceRandom};

use super::{Points, Rng};

/// `n` points in [−1, 1)ᵈⁱᵐ such that each of `n` equal intervals of every coordinate holds exactly one of them
/// (McKay, Beckman & Conover 1979), uniformly placed in its cell.
///
/// ```
/// use neuralbo::linalg::{Purpose, Streams, latin_hypercube};
///
/// let points = latin_hypercube(3, 10, &mut Streams::new(1).stream(0, Purpose::Design));
/// assert_eq!((points.dim(), points.len()), (3, 10));
/// ```
pub fn latin_hypercube(dim: usize, n: usize, rng: &mut Rng) -> Points {
    let mut points = Points::zeros(dim, n);
    let mut cells: Vec<usize> = (0..n).collect();
    for coordinate in 0..dim {
        cells.shuffle(rng);
        for (row, &cell) in cells.iter().enumerate() {
            let within: f64 = rng.random();
            points.row_mut(row)[coordinate] = 2.0 * (cell as f64 + within) / n as f64 - 1.0;
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::linalg::{Purpose, Streams};

    proptest! {
        #[test]
        fn each_interval_holds_one_point(dim in 1usize..6, n in 1usize..40, seed in 0u64..1000) {
            let points = latin_hypercube(dim, n, &mut Streams::new(seed).stream(0, Purpose::Design));
            for coordinate in 0..dim {
                let mut cells: Vec<_> = points.rows().map(|row| ((row[coordinate] + 1.0) / 2.0 * n as f64 + 1e-9) as usize).collect();
                cells.sort_unstable();
                prop_assert_eq!(cells, (0..n).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn no_points_and_no_coordinates() {
        let rng = &mut Streams::new(0).stream(0, Purpose::Design);
        assert!(latin_hypercube(3, 0, rng).is_empty());
        assert_eq!(latin_hypercube(0, 4, rng).len(), 4);
    }
}
