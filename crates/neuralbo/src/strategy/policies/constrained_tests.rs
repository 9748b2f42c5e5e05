//! The default method under outcome constraints.

use super::tests::{ask, assert_apart, strategy_in};
use crate::acquisition::testing::cube;
use crate::linalg::{Points, Purpose, Streams};
use crate::space::Space;
use crate::strategy::tests::parse;
use crate::strategy::{Goals, History, Origin, Request, Suggestion};
use rand::RngExt;

fn goals(objectives: usize, slacks: usize) -> Goals {
    Goals {
        slacks,
        ..Goals::objectives(objectives)
    }
}

/// Runs `trials` of what gives a reward and slacks.
fn run<const S: usize>(
    space: &Space,
    seed: u64,
    trials: usize,
    mut measure: impl FnMut(&[f64]) -> (f64, [f64; S]),
) -> History {
    let mut strategy = strategy_in(space.clone(), goals(1, S), seed);
    let mut history = History::with_goals(space.encoded_dim(), &goals(1, S));
    for _ in 0..trials {
        let row = ask(&mut strategy, &history, &Points::new(space.encoded_dim())).row;
        let (reward, slacks) = measure(&row);
        history.push_measured(&row, &[reward], &slacks);
    }
    history
}

fn best_feasible(history: &History) -> Option<f64> {
    let feasible = (0..history.observed().len()).filter(|&i| history.is_feasible(i));
    feasible
        .map(|i| history.observed().rewards()[i])
        .reduce(f64::max)
}

/// Largest x + y on a disc: the optimum, √2·0.6, lies on a curved border.
#[test]
fn an_optimum_on_a_curved_border_is_reached_whatever_the_units() {
    for (seed, unit) in [(1, 1.0), (2, 1e9), (3, 1e-9)] {
        let history = run(&cube(2), seed, 30, |x| {
            (x[0] + x[1], [unit * (0.36 - x[0] * x[0] - x[1] * x[1])])
        });
        let best = best_feasible(&history).unwrap();
        assert!(best > 0.995 * 0.72f64.sqrt(), "unit {unit}: {best}");
    }
}

/// Feasible only within 0.1 of a point in a corner of the box: found by following the violation down.
#[test]
fn what_is_feasible_is_found_from_an_infeasible_start() {
    for seed in 1..4 {
        let measure = |x: &[f64]| {
            let square: f64 = x.iter().map(|x| (x - 0.7).powi(2)).sum();
            (-x[0], [0.01 - square])
        };
        let history = run(&cube(3), seed, 40, measure);
        assert!(!history.is_feasible(0));
        let best = best_feasible(&history);
        assert!(best > Some(-0.61), "seed {seed}: {best:?}");
    }
}

/// An equality is two bounds on one quantity.
#[test]
fn an_equality_within_a_tolerance_is_kept() {
    let measure = |x: &[f64]| {
        let quantity = x[0] + 2.0 * x[1];
        (
            -(x[0] * x[0] + x[1] * x[1]),
            [0.501 - quantity, quantity - 0.499],
        )
    };
    let history = run(&cube(2), 4, 30, measure);
    // The nearest point of the line to the origin has the distance 0.5/√5.
    let best = best_feasible(&history);
    assert!(best > Some(-0.0505), "{best:?}");
}

#[test]
fn the_search_goes_on_where_nothing_is_ever_feasible() {
    let history = run(&cube(2), 5, 20, |x| (x[0], [-1.0 - x[1] * x[1], 3.0]));
    assert_eq!(best_feasible(&history), None);
    let least = (0..history.len())
        .map(|i| history.slacks(i)[0])
        .fold(f64::NEG_INFINITY, f64::max);
    assert!(least > -1.001, "{least}");
}

#[test]
fn choices_and_numbers_keep_to_the_limit_together() {
    let space = parse("x=float(-1,1) n=int(0,10) c=choice(a,b,c)");
    // The best choice is c (row[4]); x + n/5 − 1 + 0.5 for c must stay below 0.4.
    let measure = |row: &[f64]| {
        let bonus = if row[4] > 0.0 { 0.5 } else { 0.0 };
        (
            row[0] + row[1] + 2.0 * bonus,
            [0.4 - row[0] - row[1] - bonus],
        )
    };
    let history = run(&space, 6, 45, measure);
    let best = best_feasible(&history);
    assert!(best > Some(0.85), "{best:?}");
}

#[test]
fn a_fresh_strategy_answers_the_same_and_a_batch_spreads() {
    let measure = |x: &[f64]| (x[0] - x[1] * x[1], [0.3 - x[0] - 0.2 * (3.0 * x[1]).sin()]);
    let history = run(&cube(2), 7, 15, measure);
    let none = Points::new(2);
    let request = Request::new(&history, &none, 15, 4);
    let fresh = || strategy_in(cube(2), goals(1, 1), 7);
    let (mut first, mut second) = (fresh(), fresh());
    let batch = first.suggest(&request).unwrap();
    assert_eq!(batch, second.suggest(&request).unwrap());
    let modelled = |s: &Suggestion| matches!(s.origin, Origin::Model(_));
    assert!(batch.iter().all(modelled), "{batch:?}");
    assert_apart(&batch, 1e-10);
}

/// Noise on the slack: a few infeasible points are measured as feasible.
#[test]
fn noise_on_a_limit_does_not_lead_the_search_across_it() {
    let mut rng = Streams::new(3).stream(0, Purpose::Noise);
    let mut normal = || rng.sample::<f64, _>(rand_distr::StandardNormal);
    let history = run(&cube(2), 8, 60, |x| {
        (x[0] - x[1] * x[1], [0.3 - x[0] + 0.05 * normal()])
    });
    let late: Vec<f64> = (40..60).map(|i| history.row(i)[0]).collect();
    let beyond = late.iter().filter(|x| **x > 0.45).count();
    assert!(beyond <= 6, "{late:?}");
}

/// The area that points of the plane cover from the origin, by strips of the sorted front.
fn covered(points: &[[f64; 2]]) -> f64 {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| b[0].total_cmp(&a[0]));
    let (mut area, mut height) = (0.0, 0.0_f64);
    for [x, y] in sorted {
        area += x.max(0.0) * (y - height).max(0.0);
        height = height.max(y);
    }
    area
}

/// Both coordinates as large as a disc around the origin allows: the front is an arc, and what is feasible covers a quarter of it.
#[test]
fn a_front_on_a_border_is_covered() {
    let mut search = strategy_in(cube(2), goals(2, 1), 2);
    let mut history = History::with_goals(2, &goals(2, 1));
    for _ in 0..45 {
        let row = ask(&mut search, &history, &Points::new(2)).row;
        let slack = 0.36 - row.iter().map(|x| x * x).sum::<f64>();
        history.push_measured(&row, &row.clone(), &[slack]);
    }
    let feasible = (0..45)
        .filter(|&i| history.is_feasible(i))
        .map(|i| [history.reward(i, 0), history.reward(i, 1)]);
    let share = covered(&feasible.collect::<Vec<_>>()) / (0.25 * std::f64::consts::PI * 0.36);
    assert!(share > 0.85, "{share} of the area");
}

/// The objectives of Binh and Korn (1997); only a small disc of the box is feasible, and no point to begin with lies in it.
#[test]
fn several_objectives_find_what_is_feasible() {
    let mut search = strategy_in(cube(2), goals(2, 1), 3);
    let mut history = History::with_goals(2, &goals(2, 1));
    for _ in 0..30 {
        let row = ask(&mut search, &history, &Points::new(2)).row;
        let (x, y) = (2.5 * (row[0] + 1.0), 1.5 * (row[1] + 1.0));
        let rewards = [
            -4.0 * (x * x + y * y),
            -(x - 5.0).powi(2) - (y - 5.0).powi(2),
        ];
        history.push_measured(
            &row,
            &rewards,
            &[0.25 - (x - 4.0).powi(2) - (y - 0.8).powi(2)],
        );
    }
    let feasible = (0..30).filter(|&i| history.is_feasible(i)).count();
    assert!(feasible >= 8, "{feasible} of 30 trials were feasible");
}
