//! Points with some parameters from the best of one descent and the rest from that of another.
//!
//! Parameters that interact are mostly declared together, so a block of neighbours is taken from the
//! second descent.

use std::ops::Range;

use rand::RngExt;

use super::super::search_box::parameters;
use crate::linalg::Rng;
use crate::space::Space;
use crate::surrogate::Dataset;

/// A child of two of the descents, given by their observations; `None` where fewer than two have
/// any.
pub(super) fn crossed(
    space: &Space,
    data: &Dataset,
    descents: &[Range<usize>],
    rng: &mut Rng,
) -> Option<Vec<f64>> {
    let rewards = data.rewards();
    let better = |i: &usize, j: &usize| rewards[*i].total_cmp(&rewards[*j]).then(j.cmp(i));
    let best = |range: &Range<usize>| range.clone().max_by(better);
    let mut parents: Vec<usize> = descents.iter().filter_map(best).collect();
    parents.sort_by(|i, j| better(j, i));
    let (better, other) = pair(parents.len(), rng)?;
    let mut row = data.rows().row(parents[better]).to_vec();
    let donor = data.rows().row(parents[other]);
    for range in block(parameters(space), rng) {
        row[range.clone()].copy_from_slice(&donor[range]);
    }
    // Parameters activated by the block come with it; those that neither parent has are drawn.
    let active = space.active_coordinates(donor);
    space.snap_from(
        data.rows().row(parents[better]),
        &mut row,
        &mut |range, coordinates| {
            if active.as_ref().is_none_or(|active| active[range.start]) {
                coordinates.copy_from_slice(&donor[range]);
            } else {
                coordinates.fill_with(|| rng.random_range(-1.0..=1.0));
            }
        },
    );
    if !space.is_feasible(&row) {
        space.repair(&mut row);
    }
    Some(row)
}

/// Two different indices of a list sorted from the best, mostly near its top; the better one first.
fn pair(count: usize, rng: &mut Rng) -> Option<(usize, usize)> {
    if count < 2 {
        return None;
    }
    let first = (rng.random::<f64>().powi(2) * count as f64) as usize;
    let second = (first + rng.random_range(1..count)) % count;
    Some((first.min(second), first.max(second)))
}

/// Up to half of the parameters, one after the other, the first after the last.
fn block(parameters: Vec<Range<usize>>, rng: &mut Rng) -> Vec<Range<usize>> {
    let count = parameters.len();
    let first = rng.random_range(0..count);
    let len = rng.random_range(1..=count.div_ceil(2));
    let range = |i: usize| parameters[i % count].clone();
    (first..first + len).map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Points, Purpose, Streams};
    use crate::strategy::tests::parse;

    fn rng() -> Rng {
        Streams::new(3).stream(0, Purpose::Candidates)
    }

    #[test]
    fn a_child_has_a_block_of_the_worse_parent_in_the_better_one() {
        let space = parse("x=float(0,1) c=choice(a,b,c) y=float(0,1) z=float(0,1)");
        let better = [1.0, 1.0, -1.0, -1.0, 1.0, 1.0];
        let worse = [-1.0, -1.0, -1.0, 1.0, -1.0, -1.0];
        let rows = Points::from_rows(6, [worse, worse, better, [0.0; 6]]);
        let data = Dataset::from_parts(rows, vec![1.0, 0.0, 2.0, 0.0]);
        let mut rng = rng();
        for _ in 0..50 {
            let child = crossed(&space, &data, &[0..2, 2..4], &mut rng).unwrap();
            let ranges = parameters(&space);
            let is_of = |parent: &[f64], r: &Range<usize>| child[r.clone()] == parent[r.clone()];
            let taken: Vec<bool> = ranges.iter().map(|r| is_of(&worse, r)).collect();
            let kept = ranges.iter().filter(|r| is_of(&better, r)).count();
            let count = taken.iter().filter(|taken| **taken).count();
            assert!((1..=2).contains(&count) && kept == 4 - count, "{child:?}");
            let changes = (0..4).filter(|&i| taken[i] != taken[(i + 1) % 4]).count();
            assert_eq!(changes, 2, "one block: {taken:?}");
        }
    }

    #[test]
    fn fewer_than_two_descents_with_observations_have_no_child() {
        let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        let data = Dataset::from_parts(Points::from_rows(1, [[0.5]]), vec![1.0]);
        assert_eq!(crossed(&space, &data, &[0..1, 1..1], &mut rng()), None);
    }

    #[test]
    fn pairs_differ_and_the_better_is_first() {
        let mut rng = rng();
        assert_eq!(pair(1, &mut rng), None);
        for _ in 0..100 {
            let (a, b) = pair(3, &mut rng).unwrap();
            assert!(a < b && b < 3);
        }
    }
}
