//! The gain against the exact hypervolume, its derivatives against differences, and what a search finds.

use super::gain::Volume;
use super::*;
use crate::linalg::{Points, Rng, Streams};
use crate::pareto;
use crate::space::Space;
use crate::strategy::Goals;
use rand::RngExt;

fn rng(seed: u64) -> Rng {
    Streams::new(seed).stream(0, Purpose::Candidates)
}

fn draw(dim: usize, count: usize, rng: &mut Rng) -> Points {
    Points::from_rows(
        dim,
        (0..count).map(|_| {
            (0..dim)
                .map(|_| rng.random_range(-0.3..1.0))
                .collect::<Vec<f64>>()
        }),
    )
}

#[test]
fn the_worth_is_the_root_of_what_the_hypervolume_gains() {
    let (mut rng, corner) = (rng(1), [-0.1, -0.1]);
    for _ in 0..200 {
        let (front, candidate) = (draw(2, 6, &mut rng), draw(2, 1, &mut rng));
        let volume = Volume::new(&front, &corner, &Streams::new(4));
        let worth = volume.worth(candidate.row(0), &mut [0.0; 2]);
        let gain = pareto::improvement(&front, candidate.row(0), &corner);
        assert_eq!(worth > 0.0, gain > 0.0);
        assert!(
            (worth.max(0.0).powi(2) - gain).abs() < 1e-12,
            "{worth} {gain}"
        );
        // A step by what is missing leads to where something is gained.
        let nearer = [
            candidate.row(0)[0] - worth + 1e-9,
            candidate.row(0)[1] - worth + 1e-9,
        ];
        assert!(worth > 0.0 || volume.worth(&nearer, &mut [0.0; 2]) > 0.0);
    }
}

#[test]
fn more_objectives_gain_in_proportion_to_their_hypervolume() {
    for dim in [3, 4] {
        let (mut rng, corner) = (rng(2), vec![-0.1; dim]);
        let front = draw(dim, 8, &mut rng);
        let volume = Volume::new(&front, &corner, &Streams::new(4));
        let pairs: Vec<(f64, f64)> = (0..40)
            .map(|_| {
                draw(dim, 1, &mut rng)
                    .row(0)
                    .iter()
                    .map(|y| y + 0.4)
                    .collect::<Vec<f64>>()
            })
            .map(|y| {
                (
                    volume
                        .worth(&y, &mut vec![0.0; dim])
                        .max(0.0)
                        .powi(dim as i32),
                    pareto::improvement(&front, &y, &corner),
                )
            })
            .collect();
        let factor =
            pairs.iter().map(|p| p.1).sum::<f64>() / pairs.iter().map(|p| p.0).sum::<f64>();
        let error = pairs
            .iter()
            .map(|(a, b)| (factor * a - b).abs())
            .sum::<f64>()
            / pairs.iter().map(|p| p.1).sum::<f64>();
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
        let found = Volume::new(&front, &corner, &streams).relative_gain(&y);
        assert!(
            (found / expected - 1.0).abs() < tolerance,
            "{found} instead of {expected}"
        );
        let (lost, exact) = (
            gain::lost_without(&front, &corner, &streams),
            pareto::contributions(&front, &corner),
        );
        let share = |values: &[f64]| {
            values
                .iter()
                .map(|v| v / values.iter().sum::<f64>())
                .collect::<Vec<f64>>()
        };
        assert!(
            share(&lost)
                .iter()
                .zip(share(&exact))
                .all(|(a, b)| (a - b).abs() < tolerance),
            "{lost:?} {exact:?}"
        );
    }
}

#[test]
fn slopes_of_the_worth_are_those_of_differences() {
    for dim in 2..=4 {
        let (mut rng, step) = (rng(3), 1e-6);
        let volume = Volume::new(&draw(dim, 6, &mut rng), &vec![-0.1; dim], &Streams::new(4));
        for _ in 0..50 {
            let y = draw(dim, 1, &mut rng).row(0).to_vec();
            let mut slope = vec![0.0; dim];
            volume.worth(&y, &mut slope);
            for k in 0..dim {
                let at = |shift: f64| {
                    let moved: Vec<f64> = (0..dim)
                        .map(|j| y[j] + if j == k { shift } else { 0.0 })
                        .collect();
                    volume.worth(&moved, &mut vec![0.0; dim])
                };
                let difference = (at(step) - at(-step)) / (2.0 * step);
                assert!(
                    (difference - slope[k]).abs() < 1e-4 * (1.0 + slope[k].abs()),
                    "{difference} {slope:?} at {y:?}"
                );
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
    let space = Arc::new(Space::from_bounds(&vec![(-1.0, 1.0); dim]).unwrap());
    let setup = Setup {
        goals: Goals::objectives(2),
        ..Setup::new(space, Streams::new(5))
    };
    let mut history = History::with_goals(dim, &setup.goals);
    let mut strategy = FrontSearch::new(setup, NeuralBoSettings::for_dim(dim)).unwrap();
    let none = Points::new(dim);
    while (history.len() as u64) < trials {
        let request = Request {
            history: &history,
            pending: &none,
            number: history.len() as u64,
            count: batch,
            cancel: None,
        };
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
            let end = rewards
                .rows()
                .map(|row| row[k])
                .fold(f64::NEG_INFINITY, f64::max);
            assert!(
                end > -5e-3,
                "batches of {batch}: the end of objective {k} is {end}"
            );
        }
    }
}
