//! A trust region with a full metric: a box in the coordinates `z = W (x − x_c)`, cut off at the encoded box.

use super::super::constants::{MOST_MAXIMA, SHORTEST_NORMAL};
use crate::acquisition::maximize::{Maximizer, Maximum, SearchRegion, SeenRows};
use crate::linalg::{Points, Rng};
use crate::space::{Coordinate, Place, Space};
use crate::surrogate::Function;
use crate::surrogate::tangent::Metric;

/// The cube `[−1, 1]^d` of a space whose coordinates are all continuous: only then can a region be
/// rotated.
pub(crate) fn cube(space: &Space) -> Option<Space> {
    let continuous = |coordinate: &Coordinate| *coordinate == Coordinate::Continuous;
    let all = space.coordinates().iter().all(continuous);
    Space::from_bounds(&vec![(-1.0, 1.0); space.encoded_dim()])
        .ok()
        .filter(|_| all)
}

/// The box around one centre.
#[derive(Clone, Copy)]
pub(super) struct RotatedBox<'a> {
    pub(super) metric: &'a Metric,
    pub(super) center: &'a [f64],
    /// Half of the side.
    pub(super) half: f64,
    /// The space whose points the rows must be.
    pub(super) space: &'a Space,
    /// The cube `[−1, 1]^d` of the `z/half`.
    pub(super) cube: &'a Space,
    pub(super) taken: &'a SeenRows,
}

impl RotatedBox<'_> {
    /// The point of `z = half · cube`, moved into the encoded box and inside the constraints.
    fn row(&self, cube: &[f64]) -> Vec<f64> {
        let mut row = self.in_box(cube);
        if self.space.is_constrained() {
            self.space
                .repair_within(&mut row, &Place::whole(self.space).near(Some(self.center)));
        }
        row
    }

    fn in_box(&self, cube: &[f64]) -> Vec<f64> {
        let moved = self.metric.from_local(cube);
        self.center
            .iter()
            .zip(moved)
            .map(|(center, step)| (center + self.half * step).clamp(-1.0, 1.0))
            .collect()
    }

    /// The points of rows of the cube.
    pub(super) fn rows(&self, cube: &Points) -> Points {
        Points::from_rows(cube.dim(), cube.rows().map(|z| self.row(z)))
    }

    /// A few rows of the region.
    pub(super) fn probe(&self, maximizer: &Maximizer, rng: &mut Rng) -> Points {
        self.rows(&maximizer.probe(&self.region(&SeenRows::default()), rng))
    }

    /// The best row found that is not taken.
    pub(super) fn maximize(
        &self,
        function: &dyn Function,
        maximizer: &Maximizer,
        rng: &mut Rng,
    ) -> Option<Maximum> {
        let found = maximizer.best(
            &InCube {
                area: self,
                function,
            },
            &self.region(&SeenRows::default()),
            MOST_MAXIMA,
            rng,
        );
        let at = |found: Maximum| {
            let mut row = self.row(&found.row);
            self.space.repair(&mut row);
            Maximum {
                row,
                value: found.value,
            }
        };
        found
            .into_iter()
            .map(at)
            .find(|maximum| !self.taken.contains(&maximum.row))
    }

    fn region<'b>(&'b self, none: &'b SeenRows) -> SearchRegion<'b> {
        let dim = self.center.len();
        SearchRegion::whole(self.cube, none, Points::zeros(dim, 1))
    }
}

/// A function of the encoded rows as one of the cube.
struct InCube<'a> {
    area: &'a RotatedBox<'a>,
    function: &'a dyn Function,
}

impl Function for InCube<'_> {
    fn value(&self, cube: &Points) -> Vec<f64> {
        self.function.value(&self.area.rows(cube))
    }

    /// A coordinate that was moved into the encoded box stays where it is for small changes of `z`.
    fn value_and_gradient(&self, cube: &Points) -> Option<(Vec<f64>, Points)> {
        let rows = self.area.rows(cube);
        let (values, mut gradients) = self.function.value_and_gradient(&rows)?;
        for i in 0..rows.len() {
            let row = rows.row(i);
            let free = |(g, x): (&f64, &f64)| {
                if x.abs() < 1.0 {
                    self.area.half * g
                } else {
                    0.0
                }
            };
            let mut inside: Vec<f64> = gradients.row(i).iter().zip(row).map(free).collect();
            if self.area.space.is_constrained() {
                self.remove_normal(&mut inside, cube.row(i), row);
            }
            gradients
                .row_mut(i)
                .copy_from_slice(&self.area.metric.gradient_to_local(&inside));
        }
        Some((values, gradients))
    }
}

impl InCube<'_> {
    /// A point that was moved onto a border stays on it: the gradient across it counts as zero.
    fn remove_normal(&self, gradient: &mut [f64], cube: &[f64], row: &[f64]) {
        let normal: Vec<f64> = self
            .area
            .in_box(cube)
            .iter()
            .zip(row)
            .map(|(x, moved)| x - moved)
            .collect();
        let square: f64 = normal.iter().map(|n| n * n).sum();
        if square > SHORTEST_NORMAL {
            let along: f64 = gradient
                .iter()
                .zip(&normal)
                .map(|(g, n)| g * n)
                .sum::<f64>()
                / square;
            gradient
                .iter_mut()
                .zip(normal)
                .for_each(|(g, n)| *g -= along * n);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::linalg::{Purpose, Streams};

    /// A narrow valley along the diagonal with its top at (0.5, 0.5).
    struct Valley;

    impl Function for Valley {
        fn value(&self, rows: &Points) -> Vec<f64> {
            rows.rows()
                .map(|x| -100.0 * (x[0] - x[1]).powi(2) - (x[0] + x[1] - 1.0).powi(2))
                .collect()
        }

        fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
            let slope = |x: &[f64]| {
                let (across, along) = (-200.0 * (x[0] - x[1]), -2.0 * (x[0] + x[1] - 1.0));
                [across + along, along - across]
            };
            Some((
                self.value(rows),
                Points::from_rows(2, rows.rows().map(slope)),
            ))
        }
    }

    fn best(taken: &SeenRows, half: f64) -> Vec<f64> {
        let metric =
            Metric::of_curvature(&faer::mat![[-202.0, 198.0], [198.0, -202.0]], 0.0).unwrap();
        let cube = Space::from_bounds(&[(-1.0, 1.0); 2]).unwrap();
        let area = RotatedBox {
            metric: &metric,
            center: &[0.0, 0.0],
            half,
            space: &cube,
            cube: &cube,
            taken,
        };
        let mut rng = Streams::new(1).stream(0, Purpose::Candidates);
        area.maximize(&Valley, &Maximizer::default(), &mut rng)
            .unwrap()
            .row
    }

    #[test]
    fn a_small_region_reaches_far_along_the_valley() {
        // The metric makes the valley's direction √10 times as long.
        let row = best(&SeenRows::default(), 0.1);
        assert!(
            (row[0] - row[1]).abs() < 1e-3
                && (row[0] - 0.1 * 10f64.sqrt() / 2f64.sqrt()).abs() < 0.02,
            "{row:?}"
        );
        let row = best(&SeenRows::default(), 0.4);
        assert!(row.iter().all(|x| (x - 0.5).abs() < 1e-4), "{row:?}");
    }

    #[test]
    fn what_is_taken_is_not_proposed() {
        let mut taken = SeenRows::default();
        let first = best(&taken, 0.4);
        taken.insert(&first);
        assert_ne!(best(&taken, 0.4), first);
    }
}
