use super::super::constants::{FEWEST_SCREENED, FEWEST_STEPS, REACH};
use super::quadratic::{Variances, View};
use super::turns::stand_still;
use super::*;
use crate::acquisition::maximize::SeenRows;
use crate::acquisition::testing::cube;
use crate::linalg::{Points, Purpose, Rng, Streams};
use crate::strategy::presets::{self, Options};
use crate::strategy::tests::parse;
use crate::strategy::{Goals, Strategy};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::Arc;

fn strategy(space: &Space) -> Box<dyn Strategy> {
    presets::build("neuralbo", space, 5, &Options::default()).unwrap()
}

fn ask(strategy: &mut Box<dyn Strategy>, history: &History) -> Suggestion {
    let none = Points::new(history.observed().rows().dim());
    let request = Request::new(history, &none, history.len() as u64, 1);
    strategy.suggest(&request).unwrap().remove(0)
}

/// Squared distance from a moved optimum.
fn bowl(row: &[f64]) -> f64 {
    let optimum = |i: usize| 0.6 * (1.7 * i as f64).sin();
    let squares = row
        .iter()
        .enumerate()
        .map(|(i, x)| (x - optimum(i)).powi(2));
    squares.sum()
}

/// The history of a study of the bowl with noise of this standard deviation, and its origins.
fn study(space: &Space, trials: usize, sd: f64) -> (History, Vec<String>) {
    let mut noise: Rng = Streams::new(2).stream(0, Purpose::Noise);
    let (mut strategy, mut origins) = (strategy(space), Vec::new());
    let mut history = History::new(space.encoded_dim());
    for _ in 0..trials {
        let suggestion = ask(&mut strategy, &history);
        let draw: f64 = noise.sample(StandardNormal);
        history.push_observed(&suggestion.row, sd * draw - bowl(&suggestion.row));
        origins.push(suggestion.origin.to_string());
    }
    (history, origins)
}

fn screened(origins: &[String]) -> usize {
    origins.iter().filter(|o| *o == "model:screening").count()
}

#[test]
fn noise_that_hides_steps_begins_a_screening_and_none_does_not() {
    let (_, noisy) = study(&cube(20), 60, 1.0);
    assert_eq!(screened(&noisy), 60 - 3 - FEWEST_STEPS as usize);
    assert_eq!(screened(&study(&cube(20), 60, 0.0).1), 0);
    assert_eq!(screened(&study(&cube(SCREENED - 1), 60, 1.0).1), 0);
}

#[test]
fn a_screening_goes_down_where_the_noise_is_larger_than_every_single_effect() {
    let (history, _) = study(&cube(40), 400, 2.0);
    let values: Vec<f64> = history.observed().rows().rows().map(bowl).collect();
    let best = values.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(best < 0.1 * values[0], "{} -> {best}", values[0]);
}

#[test]
fn a_fresh_policy_continues_a_screening_with_the_same_points() {
    let (whole, _) = study(&cube(16), 140, 1.0);
    let rows = whole.observed().rows();
    for known in [3, 8, 30, 41, 43, 70, 139] {
        let mut history = History::new(16);
        let pairs = rows.rows().zip(whole.observed().rewards()).take(known);
        pairs.for_each(|(row, reward)| history.push_observed(row, *reward));
        let next = ask(&mut strategy(&cube(16)), &history);
        assert_eq!(next.row, rows.row(known), "after {known}");
    }
}

#[test]
fn trials_that_run_at_once_are_points_of_the_design() {
    let (history, _) = study(&cube(16), 20, 1.0);
    let none = Points::new(16);
    let request = Request::new(&history, &none, 20, 40);
    let batch = strategy(&cube(16)).suggest(&request).unwrap();
    let origins: Vec<String> = batch.iter().map(|s| s.origin.to_string()).collect();
    assert_eq!(screened(&origins), 40);
    let mut rows: Vec<&Vec<f64>> = batch.iter().map(|s| &s.row).collect();
    rows.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert!(rows.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn choices_and_constraints_of_the_space_are_kept() {
    let numbers = (0..18).map(|i| format!("x{i}=float(0,1)"));
    let text: Vec<String> = numbers.chain(["c=choice(a,b,c)".to_owned()]).collect();
    let space = parse(&text.join(" "));
    let space = space
        .with_constraints(["x0 + x1 <= 1".parse().unwrap()])
        .unwrap();
    let (history, origins) = study(&space, 90, 1.0);
    assert!(screened(&origins) > 40, "{origins:?}");
    assert!(
        history
            .observed()
            .rows()
            .rows()
            .all(|row| space.is_feasible(row))
    );
    let setup = Setup::new(Arc::new(space), Streams::new(1));
    assert!(setup.goals == Goals::default() && Factors::of(&setup.space).is_some());
}

#[test]
fn the_quadratic_finds_the_coefficients_of_a_quadratic_under_noise() {
    let space = cube(20);
    let factors = Factors::of(&space).unwrap();
    let mut rng: Rng = Streams::new(4).stream(0, Purpose::Design);
    let slope = |i: usize| if i.is_multiple_of(3) { 1.0 } else { -0.5 };
    let curvature = |i: usize| -0.4 - 0.02 * i as f64;
    let mut data = Dataset::new(20);
    for _ in 0..4000 {
        let z: Vec<f64> = (0..20).map(|_| rng.random_range(-1.0..1.0)).collect();
        let terms = z
            .iter()
            .enumerate()
            .map(|(i, z)| z * (slope(i) + curvature(i) * z));
        let (value, draw): (f64, f64) = (terms.sum(), rng.sample(StandardNormal));
        let row: Vec<f64> = z.iter().map(|z| 0.1 + 0.5 * z).collect();
        data.push(&row, 7.0 + value + 0.5 * draw);
    }
    let view = View {
        factors: &factors,
        center: &[0.1; 20],
        reach: 0.5,
        most: 4000,
    };
    let fit = view.fit(&data, Variances::start(20), 30).unwrap();
    assert!((fit.residual.sqrt() - 0.5).abs() < 0.02, "{}", fit.residual);
    // Coefficients are in standard units; their ratios are not.
    let unit = fit.slopes[0];
    for i in 0..20 {
        let (s, c) = (fit.slopes[i] / unit, fit.curvatures[i] / unit);
        assert!((s - slope(i)).abs() < 0.06, "slope {i}: {s}");
        assert!((c - curvature(i)).abs() < 0.15, "curvature {i}: {c}");
    }
}

/// Looks at the centre are the best trials of all, so every proposal is rejected, and nothing that
/// the trust region does is better than what it did before.
#[test]
fn where_nothing_is_better_rounds_and_turns_of_the_region_alternate() {
    let space = cube(16);
    let setup = Setup::new(Arc::new(space.clone()), Streams::new(1));
    let mut rounds = Rounds::new(setup, Factors::of(&space).unwrap(), 19);
    let (mut history, mut taken) = (History::new(16), SeenRows::default());
    let mut stages = String::new();
    for k in 0..400 {
        rounds.update(&history);
        stages.push(match rounds.stage() {
            ScreeningStage::Watching => 'w',
            ScreeningStage::First(_) => 'f',
            ScreeningStage::Quiet => 'q',
            ScreeningStage::Round(_) => 's',
            ScreeningStage::Region(_) => 'r',
        });
        let elsewhere = || vec![0.3 + 1e-3 * f64::from(k); 16];
        let row = rounds.next(&taken).unwrap_or_else(elsewhere);
        let at_center = row.iter().all(|x| x.abs() < 1e-3);
        let level = if at_center { 5.0 } else { 0.0 } - 0.02 * f64::from(k);
        let noise = if k % 2 == 0 { 1.0 } else { -1.0 };
        history.push_observed(&row, level + noise);
        taken.insert(&row);
    }
    let mut turns: Vec<char> = stages.chars().collect();
    turns.dedup();
    assert!(turns.starts_with(&['w', 's', 'r', 's']), "{stages}");
}

/// The rounds in ten numbers after the trials of a region that get better by one each until number
/// 107 and then no more; two of them are repetitions of a point whose rewards differ by `noise`.
fn rounds_after_a_region(trials: usize, noise: Option<f64>) -> (Rounds, History) {
    let space = cube(10);
    let setup = Setup::new(Arc::new(space.clone()), Streams::new(1));
    let mut rounds = Rounds::new(setup, Factors::of(&space).unwrap(), 11);
    let mut history = History::new(10);
    for k in 0..trials {
        let (row, reward) = match (k, noise) {
            (20, Some(_)) => ([0.0205; 10], 19.0),
            (21, Some(noise)) => ([0.0205; 10], 19.0 + noise),
            _ => (
                [1e-3 * k as f64; 10],
                k.min(107) as f64 + 0.1 * (k % 2) as f64,
            ),
        };
        history.push_observed(&row, reward + if k == 180 { 50.0 } else { 0.0 });
        rounds.update(&history);
    }
    (rounds, history)
}

fn round_of(rounds: &Rounds) -> Option<&rounds::Round> {
    match rounds.stage() {
        ScreeningStage::Round(round) => Some(round),
        _ => None,
    }
}

/// Windows of 48 trials end at 59, 107, 155 and 203; only the last is no better than the one before.
#[test]
fn few_numbers_are_screened_where_the_region_stands_still_and_noise_is_proven() {
    assert!(round_of(&rounds_after_a_region(202, Some(5.0)).0).is_none());
    let (rounds, history) = rounds_after_a_region(203, Some(5.0));
    let round = round_of(&rounds).unwrap();
    assert_eq!((round.index, round.reach, round.before), (1, REACH, 203));
    assert_eq!(round.center, [0.18; 10]);
    // Next to it are two rewards of 107 and three of 107.1; its own 157 is luck.
    assert!((rounds.level_of_center() - 107.06).abs() < 1e-9);
    let (mut fresh, taken) = (rounds_after_a_region(0, None).0, SeenRows::default());
    fresh.update(&history);
    assert_eq!(fresh.next(&taken), rounds.next(&taken));
    for unproven in [None, Some(0.0), Some(1e-12)] {
        assert!(round_of(&rounds_after_a_region(500, unproven).0).is_none());
    }
}

#[test]
fn centers_stand_still_unless_the_last_are_clearly_better_than_as_many_before() {
    let centers = |gain: f64| {
        let noise = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let level = |i: usize| if i < 6 { 0.0 } else { gain };
        (0..12).map(|i| level(i) + noise(i)).collect::<Vec<f64>>()
    };
    // Variances of 6/5 in sixes: the standard error of the difference is √0.4 = 0.63.
    assert!(stand_still(&centers(1.2)) && !stand_still(&centers(1.3)));
    assert!(!stand_still(&centers(0.0)[1..]));
}

#[test]
fn fewer_numbers_and_choices_are_not_screened() {
    let floats = |count: usize| (0..count).map(|i| format!("x{i}=float(0,1)"));
    let text = |count: usize, more: &[&str]| {
        let more = more.iter().map(|text| (*text).to_owned());
        parse(&floats(count).chain(more).collect::<Vec<_>>().join(" "))
    };
    assert!(Factors::of(&text(FEWEST_SCREENED, &[])).is_some());
    assert!(Factors::of(&text(FEWEST_SCREENED - 1, &[])).is_none());
    assert!(Factors::of(&text(SCREENED - 1, &["c=choice(a,b,c)"])).is_none());
    assert!(Factors::of(&text(SCREENED, &["c=choice(a,b,c)"])).is_some());
}
