//! The hypervolume against inclusion and exclusion, counting on a grid, and values of another package.

use super::*;
use proptest::prelude::*;

/// Σ over subsets S of (−1)^{|S|+1} · volume of the intersection.
fn by_inclusion(rewards: &Points, reference: &[f64]) -> f64 {
    let subset = |mask: u32| {
        let members = (0..rewards.len()).filter(|i| mask >> i & 1 == 1);
        let corner = members.fold(vec![f64::INFINITY; reference.len()], |corner, i| {
            let pairs = corner.iter().zip(rewards.row(i));
            pairs.map(|(c, r)| c.min(*r)).collect()
        });
        let edges = corner.iter().zip(reference).map(|(c, r)| (c - r).max(0.0));
        let sign = if mask.count_ones() % 2 == 1 {
            1.0
        } else {
            -1.0
        };
        sign * edges.product::<f64>()
    };
    (1..1u32 << rewards.len()).map(subset).sum()
}

/// The number of unit cells that whole-numbered rows cover.
fn by_counting(rewards: &Points, side: usize) -> usize {
    let dim = rewards.dim();
    let cells = side.pow(dim as u32);
    let covered = |cell: &usize| {
        let coordinate = |k: usize| (cell / side.pow(k as u32) % side + 1) as f64;
        let corner: Vec<f64> = (0..dim).map(coordinate).collect();
        rewards.rows().any(|row| covers(row, &corner))
    };
    (0..cells).filter(covered).count()
}

fn rows(dim: usize, most: usize) -> impl Strategy<Value = Points> {
    prop::collection::vec(prop::collection::vec(-1.0f64..4.0, dim), 1..most)
        .prop_map(move |rows| Points::from_rows(dim, rows))
}

/// Whole numbers: many ties and duplicates.
fn whole_rows(dim: usize, side: i32) -> impl Strategy<Value = Points> {
    let row = prop::collection::vec((0..=side).prop_map(f64::from), dim);
    prop::collection::vec(row, 1..14).prop_map(move |rows| Points::from_rows(dim, rows))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

proptest! {
    #[test]
    fn the_hypervolume_is_that_of_inclusion_and_exclusion(rewards in (1usize..=5).prop_flat_map(|dim| rows(dim, 10))) {
        let reference = vec![0.0; rewards.dim()];
        prop_assert!(close(hypervolume(&rewards, &reference), by_inclusion(&rewards, &reference)));
    }

    #[test]
    fn ties_and_duplicates_are_counted_once(rewards in (1usize..=4).prop_flat_map(|dim| whole_rows(dim, 5))) {
        let reference = vec![0.0; rewards.dim()];
        prop_assert_eq!(hypervolume(&rewards, &reference), by_counting(&rewards, 5) as f64);
    }

    #[test]
    fn improvement_is_the_difference_of_hypervolumes(rewards in (2usize..=4).prop_flat_map(|dim| rows(dim, 12))) {
        let reference = vec![0.0; rewards.dim()];
        let (last, before) = (rewards.len() - 1, rewards.slice(0..rewards.len() - 1));
        let gained = improvement(&before, rewards.row(last), &reference);
        prop_assert!(close(hypervolume(&before, &reference) + gained, hypervolume(&rewards, &reference)));
        let lost = contributions(&rewards, &reference);
        prop_assert!(close(lost[last], gained));
        prop_assert!(lost.iter().sum::<f64>() <= hypervolume(&rewards, &reference) + 1e-9);
    }

    #[test]
    fn the_history_is_the_hypervolume_of_every_beginning(rewards in (2usize..=4).prop_flat_map(|dim| rows(dim, 10))) {
        let reference = vec![0.0; rewards.dim()];
        let folded = history(rewards.rows().map(Some), &reference);
        for (i, volume) in folded.iter().enumerate() {
            prop_assert!(close(*volume, hypervolume(&rewards.slice(0..i + 1), &reference)));
        }
    }

    #[test]
    fn the_front_is_what_nothing_dominates(rewards in (1usize..=4).prop_flat_map(|dim| whole_rows(dim, 4))) {
        let front = front(&rewards);
        for i in 0..rewards.len() {
            let dominated = (0..rewards.len()).any(|j| dominates(rewards.row(j), rewards.row(i)));
            let repeated = (0..i).any(|j| rewards.row(j) == rewards.row(i));
            prop_assert_eq!(front.contains(&i), !dominated && !repeated);
        }
    }

    #[test]
    fn scaling_an_objective_scales_the_volume(rewards in rows(3, 12), factor in 1e-3f64..1e3) {
        let scaled = Points::from_rows(3, rewards.rows().map(|row| [row[0], factor * row[1], row[2]]));
        let (one, other) = (hypervolume(&rewards, &[0.0; 3]), hypervolume(&scaled, &[0.0; 3]));
        prop_assert!(close(factor * one, other));
    }

    #[test]
    fn the_front_covers_its_inferred_reference(rewards in (2usize..=4).prop_flat_map(|dim| rows(dim, 10))) {
        let front = rewards.select(&front(&rewards));
        let reference = reference_point(&front, &vec![None; rewards.dim()]).unwrap();
        prop_assert!(front.rows().all(|row| row.iter().zip(&reference).all(|(reward, corner)| reward > corner)));
    }
}

#[test]
fn numbers_that_are_none_are_never_on_the_front() {
    let rewards = Points::from_rows(2, [[f64::NAN, 9.0], [1.0, 1.0]]);
    assert_eq!(front(&rewards), [1]);
    assert_eq!(hypervolume(&rewards, &[0.0, 0.0]), 1.0);
}

#[test]
fn enormous_rewards_have_a_finite_volume() {
    let rewards = Points::from_rows(2, [[1e300, 1e300]]);
    assert_eq!(hypervolume(&rewards, &[-1e300, -1e300]), f64::MAX);
    let widest = Points::from_rows(1, [[f64::MAX], [-f64::MAX]]);
    assert_eq!(reference_point(&widest, &[None]), Some(vec![-f64::MAX]));
}

#[test]
fn hypervolumes_agree_with_those_of_pymoo() {
    for (dim, text) in [
        (2, include_str!("../../tests/data/pareto/hypervolume2.csv")),
        (3, include_str!("../../tests/data/pareto/hypervolume3.csv")),
        (4, include_str!("../../tests/data/pareto/hypervolume4.csv")),
    ] {
        for (set, expected) in golden_sets(dim, text) {
            let found = hypervolume(&set, &vec![-1.1; dim]);
            assert!(close(found, expected), "{found} instead of {expected}");
        }
    }
}

fn numbers(line: &str) -> Vec<f64> {
    line.split(',').map(|text| text.parse().unwrap()).collect()
}

/// Sets of rewards and their hypervolumes: each set is its rows and then a line `hypervolume,<value>`.
fn golden_sets(dim: usize, text: &str) -> Vec<(Points, f64)> {
    let (mut sets, mut rows) = (Vec::new(), Points::new(dim));
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix("hypervolume,") {
            Some(value) => {
                let set = std::mem::replace(&mut rows, Points::new(dim));
                sets.push((set, value.parse().unwrap()));
            }
            None => rows.push(&numbers(line)),
        }
    }
    sets
}

#[test]
fn ranks_and_crowding_agree_with_those_of_pymoo() {
    for dim in 2..=4 {
        let lines = include_str!("../../tests/data/pareto/ranks.csv").lines();
        let parsed = lines.filter(|line| !line.starts_with('#')).map(numbers);
        let golden: Vec<Vec<f64>> = parsed.filter(|line| line[0] == dim as f64).collect();
        let rewards = Points::from_rows(dim, golden.iter().map(|line| &line[3..]));
        let found = ranks(&rewards);
        let mut pairs = golden.iter().zip(&found);
        assert!(
            pairs.all(|(line, rank)| line[1] == *rank as f64),
            "{found:?}"
        );
        for rank in 0..=found.iter().copied().max().unwrap() {
            let members: Vec<usize> = (0..found.len()).filter(|&i| found[i] == rank).collect();
            for (&i, distance) in members.iter().zip(crowding(&rewards.select(&members))) {
                let expected = golden[i][2];
                let same = distance == expected || close(distance, expected);
                assert!(same, "{distance} instead of {expected}");
            }
        }
    }
}

#[test]
fn equal_rows_share_a_rank_and_a_front_of_one_is_alone() {
    let equal = Points::from_rows(2, [[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]]);
    assert_eq!(ranks(&equal), [0, 0, 1]);
    assert_eq!(crowding(&equal.slice(0..1)), [f64::INFINITY]);
    assert_eq!(crowding(&Points::from_rows(2, [[1.0, 1.0]; 3]))[1], 0.0);
    assert!(ranks(&Points::new(2)).is_empty() && crowding(&Points::new(2)).is_empty());
}
