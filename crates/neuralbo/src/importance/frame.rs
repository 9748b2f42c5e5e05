//! Rows in units of a region, so that a model of a small region sees it as one of a large one is seen.

use std::sync::Arc;

use super::MOST_SEEN;
use crate::linalg::{Points, Rng};
use crate::space::{Coordinate, Space};
use crate::surrogate::{Dataset, Function, Posterior, Prediction};

/// Smallest half of a side.
const SMALLEST: f64 = 1e-6;
/// Observations up to this many halves of a side from the centre are near a region.
const REACH: f64 = 3.0;

/// Centre and half of the side in every coordinate; `0 ± 1` in those of choices.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CoordinateFrame {
    center: Vec<f64>,
    half: Vec<f64>,
}

impl CoordinateFrame {
    /// That of the whole space.
    pub(super) fn whole(space: &Space) -> Self {
        Self {
            center: vec![0.0; space.encoded_dim()],
            half: vec![1.0; space.encoded_dim()],
        }
    }

    /// The smallest one that holds these rows.
    pub(super) fn around(space: &Space, rows: &Points) -> Self {
        let mut frame = Self::whole(space);
        for (i, coordinate) in space.coordinates().iter().enumerate() {
            let cell = match coordinate {
                Coordinate::Continuous => 0.0,
                Coordinate::Grid { levels } if *levels > 2 => 1.0 / *levels as f64,
                _ => continue,
            };
            let ends = |(low, high): (f64, f64), row: &[f64]| (low.min(row[i]), high.max(row[i]));
            let (low, high) = rows.rows().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
            if low <= high {
                frame.center[i] = 0.5 * (low + high);
                frame.half[i] = (0.5 * (high - low) + cell).max(SMALLEST);
            }
        }
        frame
    }

    /// Rows in units of the frame.
    pub(super) fn local(&self, rows: &Points) -> Points {
        let mut local = rows.clone();
        for row in 0..local.len() {
            let ends = self.center.iter().zip(&self.half);
            local
                .row_mut(row)
                .iter_mut()
                .zip(ends)
                .for_each(|(x, (center, half))| *x = (*x - center) / half);
        }
        local
    }

    /// The observations near the frame: all within its reach, but at least `fewest` and at most [`MOST_SEEN`], the nearest first to
    /// be taken.
    pub(super) fn near(&self, data: &Dataset, fewest: usize) -> Dataset {
        let far = |row: &[f64]| {
            let ends = self.center.iter().zip(&self.half);
            let units = row.iter().zip(ends).map(|(x, (c, half))| (x - c) / half);
            units.fold(0.0, |far: f64, unit| far.max(unit.abs()))
        };
        let within = data.rows().rows().filter(|row| far(row) <= REACH).count();
        data.nearest_by(within.max(fewest).min(MOST_SEEN), far)
    }
}

/// A posterior of local rows as one of rows.
pub(super) struct Framed {
    pub(super) frame: Arc<CoordinateFrame>,
    pub(super) posterior: Arc<dyn Posterior>,
}

impl Framed {
    pub(super) fn predict(&self, rows: &Points) -> Prediction {
        self.posterior.predict(&self.frame.local(rows))
    }

    pub(super) fn sample(&self, rng: &mut Rng) -> Option<Box<dyn Function>> {
        let function = self.posterior.sample_function(rng)?;
        Some(Box::new(FramedSample {
            frame: Arc::clone(&self.frame),
            function,
        }))
    }
}

/// The mean.
impl Function for Framed {
    fn value(&self, rows: &Points) -> Vec<f64> {
        self.posterior.means(&self.frame.local(rows))
    }
}

struct FramedSample {
    frame: Arc<CoordinateFrame>,
    function: Box<dyn Function>,
}

impl Function for FramedSample {
    fn value(&self, rows: &Points) -> Vec<f64> {
        self.function.value(&self.frame.local(rows))
    }
}
