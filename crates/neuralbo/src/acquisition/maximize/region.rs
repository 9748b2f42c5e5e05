//! Where a maximizer may look, which rows have been evaluated or are running, and the points that are left.

use std::collections::HashSet;
use std::sync::Arc;

use rand::RngExt;

use crate::linalg::{Points, Rng, split_mix, squared_distance};
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
            .filter_map(|row| space.active_coordinates(row));
        let active = active.collect();
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
                let having = (0..self.active.len()).filter(|&i| self.active[i][range.start]);
                let having: Vec<usize> = having.collect();
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
        let coordinates = self.space.coordinates().iter();
        coordinates.map(|c| *c == Coordinate::Continuous).collect()
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
        let row = space.draw_row(rng);
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

/// Rows closer than this in every coordinate count as the same: rounding in an encoding must not hide a duplicate.
const RESOLUTION: f64 = 1.0 / (1u64 << 30) as f64;

/// A 128-bit fingerprint of a row at the resolution that counts for duplicates; the same on every machine and release.
pub fn row_fingerprint(row: &[f64]) -> u128 {
    // Two chains with unlike cells: rows that meet in one half do not meet in the other.
    let mut halves = [0u64; 2];
    for x in row {
        let cell = (x / RESOLUTION).round() as i64 as u64;
        halves = [
            split_mix(halves[0] ^ cell),
            split_mix(halves[1] ^ split_mix(cell)),
        ];
    }
    (u128::from(halves[1]) << 64) | u128::from(halves[0])
}

/// A set of rows, for asking whether a candidate is new.
///
/// Clones share what [`SeenRows::settle`] has settled, so that a clone costs what was added since, not what is there.
///
/// ```
/// use neuralbo::acquisition::maximize::SeenRows;
///
/// let mut seen = SeenRows::default();
/// seen.insert(&[0.5, -1.0]);
/// assert!(seen.contains(&[0.5, -1.0]) && !seen.contains(&[0.5, 1.0]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct SeenRows {
    settled: Arc<HashSet<u128>>,
    added: HashSet<u128>,
}

impl SeenRows {
    /// Adds a row; false when it was there already.
    pub fn insert(&mut self, row: &[f64]) -> bool {
        let print = row_fingerprint(row);
        !self.settled.contains(&print) && self.added.insert(print)
    }

    /// Whether the row is there.
    pub fn contains(&self, row: &[f64]) -> bool {
        let print = row_fingerprint(row);
        self.settled.contains(&print) || self.added.contains(&print)
    }

    /// Number of different rows.
    pub fn len(&self) -> usize {
        self.settled.len() + self.added.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.settled.is_empty() && self.added.is_empty()
    }

    /// Lets future clones share all rows; copies them only while an earlier clone still lives.
    pub fn settle(&mut self) {
        if !self.added.is_empty() {
            // Not drained: a clone of an empty set copies its capacity also.
            Arc::make_mut(&mut self.settled).extend(std::mem::take(&mut self.added));
        }
    }
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
        let pool = Points::from_rows(1, (0..300).map(|i| [f64::from(i)]));
        let pool = Space::from_pool(pool).unwrap();
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

    #[test]
    fn mixing_follows_the_published_sequence() {
        // The first two outputs of SplitMix64 from state 0.
        assert_eq!(split_mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(split_mix(0x9e37_79b9_7f4a_7c15), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn neighbouring_rows_have_different_fingerprints_in_both_halves() {
        let row = |i: u32| [i % 200, i / 200].map(|cell| f64::from(cell) / 100.0 - 1.0);
        let prints: Vec<u128> = (0..40_000).map(|i| row_fingerprint(&row(i))).collect();
        for shift in [0, 64] {
            let half = |print: &u128| (print >> shift) as u64;
            let halves: HashSet<u64> = prints.iter().map(half).collect();
            assert_eq!(halves.len(), 40_000);
        }
    }

    #[test]
    fn rounding_does_not_hide_a_duplicate() {
        let mut seen = SeenRows::default();
        assert!(seen.insert(&[0.1 + 0.2, -0.0]));
        assert!(!seen.insert(&[0.3, 0.0]));
        assert!(!seen.contains(&[0.3 + 1e-8, 0.0]));
        assert!(!seen.contains(&[0.0, 0.3]));
        assert_eq!(seen.len(), 1);
    }

    #[test]
    fn clones_share_what_is_settled_and_keep_what_they_add() {
        let mut seen = SeenRows::default();
        seen.insert(&[0.5]);
        seen.settle();
        let mut clone = seen.clone();
        assert!(!clone.insert(&[0.5]) && clone.insert(&[0.25]));
        let found = (clone.len(), seen.len(), seen.contains(&[0.25]));
        assert_eq!(found, (2, 1, false));
        clone.settle();
        assert!(seen.insert(&[0.25]) && !clone.insert(&[0.25]));
    }
}
