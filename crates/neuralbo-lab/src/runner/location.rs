//! Where the points of a run lie in the box.

use serde::{Deserialize, Serialize};

/// Coordinates in [−1, 1] from here on are at a bound.
const BOUND: f64 = 1.0 - 1e-9;

/// Where the points of a run lie in the box, scaled to [−1, 1]; the initial design does not count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoxLocation {
    /// Share of the coordinates that are at a bound.
    pub at_bounds: f64,
    /// Root mean square of the coordinates: 0 in the centre, 1 in a corner.
    pub from_centre: f64,
}

/// Sums over the coordinates of the chosen points.
#[derive(Default)]
pub(super) struct LocationSums {
    at_bounds: f64,
    squares: f64,
    count: f64,
}

impl LocationSums {
    /// Adds an encoded point of a box.
    pub(super) fn add(&mut self, row: &[f64]) {
        self.at_bounds += row.iter().filter(|x| x.abs() >= BOUND).count() as f64;
        self.squares += row.iter().map(|x| x * x).sum::<f64>();
        self.count += row.len() as f64;
    }

    /// The mean over all of them; none without points.
    pub(super) fn mean(&self) -> Option<BoxLocation> {
        let mean = |sum: f64| sum / self.count;
        (self.count > 0.0).then(|| BoxLocation {
            at_bounds: mean(self.at_bounds),
            from_centre: mean(self.squares).sqrt(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_told_from_the_centre() {
        let mut places = LocationSums::default();
        assert_eq!(places.mean(), None);
        places.add(&[1.0, -1.0]);
        places.add(&[0.0, 0.0]);
        let mean = places.mean().unwrap();
        assert_eq!((mean.at_bounds, mean.from_centre), (0.5, 0.5f64.sqrt()));
    }
}
