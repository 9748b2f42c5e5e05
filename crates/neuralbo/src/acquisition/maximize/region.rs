//! Where a maximizer may look, and the points that are left there.

use rand::RngExt;

use super::SeenRows;
use crate::linalg::{Points, Rng, squared_distance};
use crate::space::{Coordinate, RowBox, Space};

/// Points that the walk looks at among those that violate constraints: these have no end in a large space.
const MOST_WALKED: u128 = 1 << 20;
/// Random tries before a finite space is walked through for a point that is left.
const RANDOM_TRIES: usize = 64;
/// Chance that a parameter that becomes active begins where an incumbent has it.
const FROM_AN_INCUMBENT: f64 = 0.5;

/// A box within the encoded space, and what is known about it.
#[derive(Clone, Debug)]
pub struct SearchRegion<'a> {
    /// The space whose points the rows must be.
    pub space: &'a Space,
    /// Rows that may not be proposed; empty when replicates are allowed.
    pub seen: &'a SeenRows,
    /// Good rows to look around.
    pub incumbents: Points,
    /// Which coordinates of each incumbent are active; none where all are.
    active: Vec<Vec<bool>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl<'a> SearchRegion<'a> {
    /// The whole space.
    pub fn whole(space: &'a Space, seen: &'a SeenRows, incumbents: Points) -> Self {
        let dim = space.encoded_dim();
        let active = incumbents
            .rows()
            .filter_map(|row| space.active_coordinates(row))
            .collect();
        Self {
            space,
            seen,
            incumbents,
            active,
            lower: vec![-1.0; dim],
            upper: vec![1.0; dim],
        }
    }

    /// Restricts the search to a box, e.g. a trust region; what lies outside `[-1, 1]` is cut off.
    ///
    /// Ints and choices move to the nearest point of the space afterwards. Spaces that are listed and scored whole (pools and
    /// small finite spaces) ignore the box.
    ///
    /// # Panics
    /// When a bound has another length than the rows, or a lower bound is above its upper bound.
    pub fn within(mut self, lower: &[f64], upper: &[f64]) -> Self {
        assert_eq!(
            (lower.len(), upper.len()),
            (self.lower.len(), self.upper.len()),
            "one bound per coordinate"
        );
        assert!(
            lower.iter().zip(upper).all(|(l, u)| l <= u),
            "a lower bound above its upper bound"
        );
        self.lower = lower.iter().map(|l| l.clamp(-1.0, 1.0)).collect();
        self.upper = upper.iter().map(|u| u.clamp(-1.0, 1.0)).collect();
        self
    }

    /// Lower bounds, one per coordinate.
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// Upper bounds, one per coordinate.
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// Length of the box's diagonal.
    pub(super) fn diagonal(&self) -> f64 {
        squared_distance(&self.lower, &self.upper).sqrt()
    }

    /// Clips a row to the box and moves it to the point that would really be run.
    pub(super) fn settle(&self, row: &mut [f64]) {
        for ((x, &low), &high) in row.iter_mut().zip(&self.lower).zip(&self.upper) {
            *x = x.clamp(low, high);
        }
        self.space.snap(row);
        self.repair(row);
    }

    fn repair(&self, row: &mut [f64]) {
        if self.space.is_constrained() {
            self.space.repair_within(row, &self.place());
        }
    }

    /// The box, with the first incumbent to fall back on where a row cannot be made feasible.
    pub(super) fn place(&self) -> RowBox<'_> {
        RowBox::within(&self.lower, &self.upper).near(self.incumbents.rows().next())
    }

    /// A row whose continuous coordinates were moved, moved on so that it is feasible; the row it came from where that is not possible.
    pub(super) fn admitted(&self, mut row: Vec<f64>, from: &[f64]) -> Vec<f64> {
        if self.space.is_constrained() && !self.space.slide_within(&mut row, &self.place()) {
            row.copy_from_slice(from);
        }
        row
    }

    /// [`SearchRegion::settle`] of a row that was changed from `before`, with [`SearchRegion::activate`].
    pub(super) fn settle_from(&self, before: &[f64], row: &mut [f64], rng: &mut Rng) {
        for ((x, &low), &high) in row.iter_mut().zip(&self.lower).zip(&self.upper) {
            *x = x.clamp(low, high);
        }
        self.activate(before, row, rng);
        self.repair(row);
    }

    /// Moves a row that was changed from `before` to the point that would really be run. Parameters that became active get the values
    /// of an incumbent that has them, or any in the box; whether there were such.
    pub(super) fn activate(&self, before: &[f64], row: &mut [f64], rng: &mut Rng) -> bool {
        self.space
            .snap_from(before, row, &mut |range, coordinates| {
                let having: Vec<usize> = (0..self.active.len())
                    .filter(|&i| self.active[i][range.start])
                    .collect();
                if !having.is_empty() && rng.random_bool(FROM_AN_INCUMBENT) {
                    let incumbent = having[rng.random_range(0..having.len())];
                    coordinates.copy_from_slice(&self.incumbents.row(incumbent)[range]);
                } else {
                    let box_side = self.lower[range.clone()].iter().zip(&self.upper[range]);
                    coordinates
                        .iter_mut()
                        .zip(box_side)
                        .for_each(|(x, (&low, &high))| *x = rng.random_range(low..=high));
                }
            })
    }

    /// Which coordinates can be moved by small steps.
    pub(super) fn continuous(&self) -> Vec<bool> {
        self.space
            .coordinates()
            .iter()
            .map(|c| *c == Coordinate::Continuous)
            .collect()
    }
}

/// A row drawn uniformly from the points of the space, see [`Space::draw_row`] where it has constraints.
pub fn random_row(space: &Space, rng: &mut Rng) -> Vec<f64> {
    space.draw_row(rng)
}

/// A random row that has not been seen; `None` only when a finite space has none left.
pub fn unseen_row(space: &Space, seen: &SeenRows, rng: &mut Rng) -> Option<Vec<f64>> {
    let mut last = None;
    for _ in 0..RANDOM_TRIES {
        let row = random_row(space, rng);
        if !seen.contains(&row) {
            return Some(row);
        }
        last = Some(row);
    }
    if let Some(rows) = space.feasible_rows() {
        let start = rng.random_range(0..rows.len());
        return (start..start + rows.len())
            .map(|i| rows.row(i % rows.len()))
            .find(|row| !seen.contains(row))
            .map(<[f64]>::to_vec);
    }
    let Some(count) = space.cardinality() else {
        return last;
    };
    // Each step meets a point not met before, so the walk ends after at most one step more than there are seen rows.
    let start = rng.random_range(0..count);
    let steps = if space.is_constrained() {
        count.min(MOST_WALKED)
    } else {
        count
    };
    let walk = (0..steps)
        .map(|i| (start.wrapping_add(i)) % count)
        .filter_map(|n| space.nth_row(n));
    walk.into_iter()
        .find(|row| !seen.contains(row) && space.is_feasible(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::testing::parse;
    use crate::linalg::{Purpose, Streams};

    fn rng() -> Rng {
        Streams::new(3).stream(0, Purpose::Candidates)
    }

    #[test]
    fn every_point_of_a_finite_space_is_met_exactly_once() {
        let pool =
            Space::from_pool(Points::from_rows(1, (0..300).map(|i| [f64::from(i)]))).unwrap();
        let nested = parse(&[
            "n=int(1,30)",
            "c=choice(a,b,c,d) if n >= 20",
            "m=int(1,5) if c == d and n < 25",
        ]);
        let spaces = [
            parse(&["n=int(1,30)", "c=choice(a,b,c,d)"]),
            parse(&["n=int(1,1000,log)"]),
            pool,
            parse(&["x=3"]),
            nested,
        ];
        for space in spaces {
            let (mut seen, mut rng) = (SeenRows::default(), rng());
            let count = space.cardinality().unwrap();
            for _ in 0..count {
                assert!(seen.insert(&unseen_row(&space, &seen, &mut rng).unwrap()));
            }
            assert_eq!(unseen_row(&space, &seen, &mut rng), None);
        }
    }

    #[test]
    fn small_finite_spaces_are_listed_and_others_are_not() {
        let listed = |parameters: &[&str]| parse(parameters).listed_rows().map(|rows| rows.len());
        assert_eq!(listed(&["n=int(1,100)", "m=int(1,100)"]), Some(10_000));
        assert_eq!(listed(&["n=int(1,100)", "m=int(1,101)"]), None);
        assert_eq!(listed(&["x=float(0,1)"]), None);
    }

    #[test]
    fn settling_clips_to_the_box_and_snaps() {
        let (space, seen) = (parse(&["x=float(0,1)", "n=int(1,4)"]), SeenRows::default());
        let region =
            SearchRegion::whole(&space, &seen, Points::new(2)).within(&[-0.5, -2.0], &[0.5, 2.0]);
        let mut row = [0.9, 0.1];
        region.settle(&mut row);
        assert_eq!(row, [0.5, 0.25]);
        assert_eq!((region.lower()[1], region.upper()[1]), (-1.0, 1.0));
    }
}
