//! The gain against the exact hypervolume, its derivatives against differences, and what a search finds.

use super::super::tests::strategy_in;
use super::gain::{self, FrontVolume};
use crate::acquisition::testing::cube;
use crate::linalg::{Points, Purpose, Rng, Streams};
use crate::pareto;
use crate::strategy::{Goals, History, Request};
use rand::RngExt;

fn rng(seed: u64) -> Rng {
    Streams::new(seed).stream(0, Purpose::Candidates)
}

fn draw(dim: usize, count: usize, rng: &mut Rng) -> Points {
    let mut rows = Points::zeros(dim, count);
    let draw = |x: &mut f64| *x = rng.random_range(-0.3..1.0);
    rows.as_mut_slice().iter_mut().for_each(draw);
    rows
}

#[test]
fn the_worth_is_the_root_of_what_the_hypervolume_gains() {
    let (mut rng, corner) = (rng(1), [-0.1, -0.1]);
    for _ in 0..200 {
        let (front, candidate) = (draw(2, 6, &mut rng), draw(2, 1, &mut rng));
        let volume = FrontVolume::new(&front, &corner, &Streams::new(4));
        let worth = volume.worth(candidate.row(0), &mut [0.0; 2]);
        let gain = pareto::improvement(&front, candidate.row(0), &corner);
        assert_eq!(worth > 0.0, gain > 0.0);
        let error = (worth.max(0.0).powi(2) - gain).abs();
        assert!(error < 1e-12, "{worth} {gain}");
        // A step by what is missing leads to where something is gained.
        let nearer = [0, 1].map(|k| candidate.row(0)[k] - worth + 1e-9);
        assert!(worth > 0.0 || volume.worth(&nearer, &mut [0.0; 2]) > 0.0);
    }
}

#[test]
fn more_objectives_gain_in_proportion_to_their_hypervolume() {
    for dim in [3, 4] {
        let (mut rng, corner) = (rng(2), vec![-0.1; dim]);
        let front = draw(dim, 8, &mut rng);
        let volume = FrontVolume::new(&front, &corner, &Streams::new(4));
        let pair = |_| {
            let drawn = draw(dim, 1, &mut rng);
            let y: Vec<f64> = drawn.row(0).iter().map(|y| y + 0.4).collect();
            let worth = volume.worth(&y, &mut vec![0.0; dim]).max(0.0);
            let gain = pareto::improvement(&front, &y, &corner);
            (worth.powi(dim as i32), gain)
        };
        let (found, exact): (Vec<f64>, Vec<f64>) = (0..40).map(pair).unzip();
        let total = exact.iter().sum::<f64>();
        let factor = total / found.iter().sum::<f64>();
        let errors = found
            .iter()
            .zip(&exact)
            .map(|(a, b)| (factor * a - b).abs());
        let error = errors.sum::<f64>() / total;
        assert!(error < 0.2, "{dim} objectives: {error}");
    }
}

#[test]
fn relative_gains_and_losses_are_those_of_the_hypervolume() {
    for (dim, tolerance) in [(2, 1e-9), (3, 0.15)] {
        let (mut rng, corner, streams) = (rng(6), vec![-0.1; dim], Streams::new(4));
        let front = draw(dim, 8, &mut rng);
        let y = vec![0.8; dim];
        let expected =
            pareto::improvement(&front, &y, &corner) / pareto::hypervolume(&front, &corner);
        let found = FrontVolume::new(&front, &corner, &streams).relative_gain(&y);
        let error = (found / expected - 1.0).abs();
        assert!(error < tolerance, "{found} instead of {expected}");
        let lost = gain::lost_without(&front, &corner, &streams);
        let exact = pareto::contributions(&front, &corner);
        let (all_lost, all) = (lost.iter().sum::<f64>(), exact.iter().sum::<f64>());
        let mut pairs = lost.iter().zip(&exact);
        let near = pairs.all(|(a, b)| (a / all_lost - b / all).abs() < tolerance);
        assert!(near, "{lost:?} {exact:?}");
    }
}

#[test]
fn slopes_of_the_worth_are_those_of_differences() {
    for dim in 2..=4 {
        let (mut rng, step) = (rng(3), 1e-6);
        let volume = FrontVolume::new(&draw(dim, 6, &mut rng), &vec![-0.1; dim], &Streams::new(4));
        for _ in 0..50 {
            let y = draw(dim, 1, &mut rng).row(0).to_vec();
            let mut slope = vec![0.0; dim];
            volume.worth(&y, &mut slope);
            for k in 0..dim {
                let at = |shift: f64| {
                    let mut moved = y.clone();
                    moved[k] += shift;
                    volume.worth(&moved, &mut vec![0.0; dim])
                };
                let difference = (at(step) - at(-step)) / (2.0 * step);
                let near = (difference - slope[k]).abs() < 1e-4 * (1.0 + slope[k].abs());
                assert!(near, "{difference} {slope:?} at {y:?}");
            }
        }
    }
}

/// Two spheres whose best points are (0.5, 0) and (−0.5, 0): everything between them is optimal.
fn spheres(row: &[f64]) -> [f64; 2] {
    let tail: f64 = row[1..].iter().map(|x| x * x).sum();
    [
        -(row[0] - 0.5).powi(2) - tail,
        -(row[0] + 0.5).powi(2) - tail,
    ]
}

fn search(dim: usize, trials: u64, batch: usize) -> History {
    let mut history = History::with_goals(dim, &Goals::objectives(2));
    let mut strategy = strategy_in(cube(dim), Goals::objectives(2), 5);
    let none = Points::new(dim);
    while (history.len() as u64) < trials {
        let request = Request::new(&history, &none, history.len() as u64, batch);
        for suggestion in strategy.suggest(&request).unwrap() {
            history.push_measured(&suggestion.row, &spheres(&suggestion.row), &[]);
        }
    }
    history
}

#[test]
fn the_front_of_two_spheres_is_found_from_end_to_end() {
    // The whole area is ∫ 1 − (1 − √f)² df = 5/6 of the unit square.
    for batch in [1, 4] {
        let history = search(3, 40, batch);
        let found = pareto::hypervolume(&history.rewards(), &[-1.0, -1.0]);
        assert!(found > 0.97 * 5.0 / 6.0, "batches of {batch}: {found}");
        let rewards = history.rewards();
        for k in 0..2 {
            let values = rewards.rows().map(|row| row[k]);
            let end = values.fold(f64::NEG_INFINITY, f64::max);
            assert!(
                end > -5e-3,
                "batches of {batch}: objective {k} ends at {end}"
            );
        }
    }
}
