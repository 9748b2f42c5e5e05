//! A trust region with a full metric: a box in the coordinates `z = W (x − x_c)`, cut off at the encoded box.

use super::super::constants::{MOST_MAXIMA, SHORTEST_NORMAL};
use super::super::neighbourhood::difference;
use crate::acquisition::maximize::{Maximizer, Maximum, SearchRegion, SeenRows};
use crate::linalg::{Points, Rng, add_scaled};
use crate::space::{Coordinate, RowBox, Space};
use crate::surrogate::Function;
use crate::surrogate::tangent::Metric;

/// The cube `[−1, 1]^d` of a space whose coordinates are all continuous: only then can a region be
/// rotated.
pub(crate) fn cube(space: &Space) -> Option<Space> {
    let continuous = |coordinate: &Coordinate| *coordinate == Coordinate::Continuous;
    let all = space.coordinates().iter().all(continuous);
    let cube = Space::from_bounds(&vec![(-1.0, 1.0); space.encoded_dim()]);
    cube.ok().filter(|_| all)
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
            let place = RowBox::whole(self.space).near(Some(self.center));
            self.space.repair_within(&mut row, &place);
        }
        row
    }

    fn in_box(&self, cube: &[f64]) -> Vec<f64> {
        let moved = self.center.iter().zip(self.metric.from_local(cube));
        let moved = moved.map(|(center, step)| center + self.half * step);
        moved.map(|x| x.clamp(-1.0, 1.0)).collect()
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
        let area = self;
        let (function, none) = (InCube { area, function }, SeenRows::default());
        let found = maximizer.best(&function, &self.region(&none), MOST_MAXIMA, rng);
        let at = |found: Maximum| {
            let mut row = self.row(&found.row);
            self.space.repair(&mut row);
            Maximum { row, ..found }
        };
        let mut rows = found.into_iter().map(at);
        rows.find(|maximum| !self.taken.contains(&maximum.row))
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
            let free = |(g, x): (&f64, &f64)| match x.abs() < 1.0 {
                true => self.area.half * g,
                false => 0.0,
            };
            let mut inside: Vec<f64> = gradients.row(i).iter().zip(row).map(free).collect();
            if self.area.space.is_constrained() {
                self.remove_normal(&mut inside, cube.row(i), row);
            }
            let local = self.area.metric.gradient_to_local(&inside);
            gradients.row_mut(i).copy_from_slice(&local);
        }
        Some((values, gradients))
    }
}

impl InCube<'_> {
    /// A point that was moved onto a border stays on it: the gradient across it counts as zero.
    fn remove_normal(&self, gradient: &mut [f64], cube: &[f64], row: &[f64]) {
        let normal = difference(&self.area.in_box(cube), row);
        let square: f64 = normal.iter().map(|n| n * n).sum();
        if square > SHORTEST_NORMAL {
            let products = gradient.iter().zip(&normal).map(|(g, n)| g * n);
            let along: f64 = products.sum::<f64>() / square;
            add_scaled(gradient, -along, &normal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Purpose, Streams};

    /// A narrow valley along the diagonal with its top at (0.5, 0.5).
    struct Valley;

    impl Function for Valley {
        fn value(&self, rows: &Points) -> Vec<f64> {
            let value = |x: &[f64]| -100.0 * (x[0] - x[1]).powi(2) - (x[0] + x[1] - 1.0).powi(2);
            rows.rows().map(value).collect()
        }

        fn value_and_gradient(&self, rows: &Points) -> Option<(Vec<f64>, Points)> {
            let slope = |x: &[f64]| {
                let (across, along) = (-200.0 * (x[0] - x[1]), -2.0 * (x[0] + x[1] - 1.0));
                [across + along, along - across]
            };
            let gradients = Points::from_rows(2, rows.rows().map(slope));
            Some((self.value(rows), gradients))
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
        let best = area.maximize(&Valley, &Maximizer::default(), &mut rng);
        best.unwrap().row
    }

    #[test]
    fn a_small_region_reaches_far_along_the_valley() {
        // The metric makes the valley's direction √10 times as long.
        let row = best(&SeenRows::default(), 0.1);
        assert!((row[0] - row[1]).abs() < 1e-3, "{row:?}");
        let expected = 0.1 * 10f64.sqrt() / 2f64.sqrt();
        assert!((row[0] - expected).abs() < 0.02, "{row:?}");
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
