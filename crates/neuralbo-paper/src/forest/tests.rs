//! The forest against scikit-learn, and the laws it must keep.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use neuralbo::linalg::{Points, Purpose};
use neuralbo::surrogate::Prediction;
use proptest::prelude::*;
use rand::RngExt;

macro_rules! golden {
    ($file:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/data/forest/",
            $file
        ))
    };
}

fn few_trees(trees: usize) -> ForestSettings {
    ForestSettings {
        trees,
        ..ForestSettings::default()
    }
}

fn fit(settings: ForestSettings, data: &Dataset) -> Box<dyn Posterior> {
    let mut forest = Forest::new(settings).unwrap();
    forest.fit(data, &Streams::new(11)).unwrap()
}

fn squares(prediction: &Prediction, data: &Dataset) -> f64 {
    let pairs = prediction.mean.iter().zip(data.rewards());
    pairs.map(|(p, y)| (p - y).powi(2)).sum()
}

fn on_a_line(rewards: [f64; 3]) -> Dataset {
    Dataset::from_parts(
        Points::from_rows(1, [[-1.0], [0.0], [1.0]]),
        rewards.to_vec(),
    )
}

fn fit_predict(settings: ForestSettings, data: &Dataset, rows: &Points) -> Prediction {
    fit(settings, data).predict(rows)
}

fn random_data(len: usize, dim: usize, seed: u64) -> Dataset {
    let mut rng = Streams::new(seed).stream(0, Purpose::Design);
    let mut data = Dataset::new(dim);
    for _ in 0..len {
        let row: Vec<f64> = (0..dim).map(|_| rng.random_range(-1.0..1.0)).collect();
        let reward = (3.0 * row[0]).sin() + row[dim - 1] + 0.1 * rng.random::<f64>();
        data.push(&row, reward);
    }
    data
}

fn read(csv: &str) -> Dataset {
    let rows: Vec<Vec<f64>> = csv
        .lines()
        .map(|line| line.split(',').map(|v| v.parse().unwrap()).collect())
        .collect();
    let dim = rows[0].len() - 1;
    Dataset::from_parts(
        Points::from_rows(dim, rows.iter().map(|r| &r[..dim])),
        rows.iter().map(|r| r[dim]).collect(),
    )
}

#[test]
fn test_errors_match_scikit_learn() {
    let files = [
        ("diabetes", golden!("diabetes.csv")),
        ("friedman", golden!("friedman.csv")),
        ("sine", golden!("sine.csv")),
    ];
    for line in golden!("rmse.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (train, expected): (usize, f64) =
            (fields[1].parse().unwrap(), fields[2].parse().unwrap());
        let data = read(files.iter().find(|(name, _)| *name == fields[0]).unwrap().1);
        let test = data.select(&(train..data.len()).collect::<Vec<_>>());
        let prediction = fit_predict(ForestSettings::default(), &data.prefix(train), test.rows());
        let rmse = (squares(&prediction, &test) / test.len() as f64).sqrt();
        let ratio = rmse / expected;
        assert!((ratio - 1.0).abs() < 0.05, "{}: {ratio}", fields[0]);
    }
}

#[test]
fn the_preview_of_a_large_forest_is_the_forest_of_its_first_trees() {
    let (data, rows) = (random_data(50, 3, 2), random_data(300, 3, 3));
    assert!(fit(few_trees(127), &data).preview().is_none());
    let preview = fit(few_trees(500), &data).preview().unwrap();
    let found = preview.predict(rows.rows());
    assert_eq!(found, fit_predict(few_trees(64), &data, rows.rows()));
    let all = fit_predict(few_trees(500), &data, rows.rows());
    // Means of 64 trees, each with the deviation of one.
    let errors = found.mean.iter().zip(&all.mean).zip(&all.sd);
    let near = errors.filter(|((few, all), sd)| (*few - *all).abs() < 4.0 * *sd / 8.0);
    assert!(near.count() >= 295);
}

#[test]
fn a_tree_without_bootstrap_memorizes_distinct_rows() {
    let data = random_data(200, 3, 1);
    let mut settings = few_trees(1);
    settings.bootstrap = false;
    let prediction = fit_predict(settings, &data, data.rows());
    for (mean, reward) in prediction.mean.iter().zip(data.rewards()) {
        assert!((mean - reward).abs() < 1e-12);
    }
}

#[test]
fn predictions_do_not_depend_on_the_number_of_threads() {
    let (data, rows) = (random_data(120, 4, 2), random_data(300, 4, 3));
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let posterior = fit(few_trees(60), &data);
            let pending = posterior.with_pending(&rows.rows().slice(0..3)).unwrap();
            (posterior.predict(rows.rows()), pending.predict(rows.rows()))
        })
    };
    assert_eq!(with_threads(1), with_threads(2));
}

#[test]
fn a_forest_that_saw_the_data_grow_and_a_fresh_one_are_the_same() {
    let (data, rows) = (random_data(300, 3, 20), random_data(40, 3, 21));
    let fresh = || Forest::new(few_trees(40)).unwrap();
    let predict = |forest: &mut Forest, data: &Dataset| {
        let posterior = forest.fit(data, &Streams::new(11)).unwrap();
        posterior.predict(rows.rows())
    };
    let mut grown = fresh();
    for len in [
        1, 2, 40, 63, 64, 65, 66, 67, 100, 127, 128, 129, 200, 201, 300,
    ] {
        let prefix = data.prefix(len);
        let one = predict(&mut grown, &prefix);
        assert_eq!(one, predict(&mut fresh(), &prefix), "{len}");
    }
    // Other data start over.
    let other = random_data(300, 3, 22);
    assert_eq!(predict(&mut grown, &other), predict(&mut fresh(), &other));
}

#[test]
fn trees_that_took_rows_in_predict_as_well_as_trees_grown_on_them() {
    // 127 observations: most trees were grown on 112 to 126 of them.
    let test = random_data(400, 3, 24);
    let (mut taken_in, mut all_grown) = (0.0, 0.0);
    for seed in 30..40 {
        let data = random_data(127, 3, seed);
        taken_in += squares(&fit_predict(few_trees(100), &data, test.rows()), &test);
        let bagging = Bagging {
            settings: few_trees(100),
            streams: Streams::new(11),
        };
        let grown = ForestPosterior::new(bagging, &data, bagging.all_grown(&data));
        all_grown += squares(&grown.predict(test.rows()), &test);
    }
    let ratio = taken_in / all_grown;
    assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
}

#[test]
fn a_new_magnitude_of_rewards_is_taken_in() {
    let mut data = random_data(100, 2, 25);
    data.push(&[0.1, 0.2], 1e300);
    let rows = Points::from_rows(2, [[0.1, 0.2], [-0.9, -0.9]]);
    let mean = fit_predict(few_trees(50), &data, &rows).mean;
    assert!(mean[0] > 3e299 && mean[1].abs() < 1e299, "{mean:?}");
}

#[test]
fn another_seed_grows_another_forest() {
    let data = random_data(50, 2, 4);
    let predict = |seed| {
        let mut forest = Forest::new(few_trees(20)).unwrap();
        let posterior = forest.fit(&data, &Streams::new(seed)).unwrap();
        posterior.predict(data.rows())
    };
    assert_ne!(predict(1), predict(2));
}

#[test]
fn odd_data_give_finite_answers() {
    let repeated = Dataset::from_parts(
        Points::from_rows(2, [[0.5, 0.5]; 6]),
        vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    );
    let no_coordinates = Dataset::from_parts(Points::zeros(0, 3), vec![1.0, 2.0, 3.0]);
    let cases = [
        random_data(1, 1, 5),
        random_data(30, 1000, 6),
        repeated,
        on_a_line([-1e300, 1e300, f64::MAX]),
        on_a_line([-1e-300, 1e-300, 3e-308]),
        on_a_line([1e300, 1e-300, 0.0]),
        no_coordinates,
    ];
    for data in cases {
        let prediction = fit_predict(few_trees(25), &data, data.rows());
        let rewards = data.rewards();
        let inside = |m: &f64| rewards.iter().any(|y| y <= m) && rewards.iter().any(|y| y >= m);
        assert!(prediction.mean.iter().all(inside), "{prediction:?}");
        let spread = |&s: &f64| s > 0.0 && s.is_finite();
        assert!(prediction.sd.iter().all(spread), "{prediction:?}");
    }
}

#[test]
fn rewards_of_every_magnitude_are_told_apart() {
    for magnitude in [1e-300, 1e300] {
        let rewards = (0..20).map(|i| f64::from(i) * magnitude / 20.0).collect();
        let rows = Points::from_rows(1, (0..20).map(|i| [f64::from(i) / 10.0 - 1.0]));
        let data = Dataset::from_parts(rows, rewards);
        let mean = fit_predict(few_trees(50), &data, data.rows()).mean;
        let apart = mean[0] < 0.1 * magnitude && mean[19] > 0.85 * magnitude;
        assert!(apart, "{mean:?}");
    }
}

#[test]
fn constant_rewards_are_predicted_exactly_with_the_floor_as_spread() {
    let rows = random_data(10, 2, 7).rows().clone();
    let data = Dataset::from_parts(rows.clone(), vec![-0.3; 10]);
    let prediction = fit_predict(few_trees(10), &data, &rows);
    assert_eq!(prediction.mean, [-0.3; 10]);
    assert!(prediction.sd.iter().all(|&sd| (sd - 3e-7).abs() < 1e-15));
}

#[test]
fn pending_rows_shrink_the_spread_and_keep_the_mean() {
    let data = random_data(60, 2, 8);
    let rows = random_data(15, 2, 9).rows().clone();
    let posterior = fit(few_trees(300), &data);
    let before = posterior.predict(&rows);
    let after = posterior.with_pending(&rows).unwrap().predict(&rows);
    let [old, new] = [&before, &after].map(|all| all.sd.iter().sum::<f64>());
    assert!(new < 0.85 * old, "{new} against {old}");
    for i in 0..rows.len() {
        let moved = (after.mean[i] - before.mean[i]).abs();
        assert!(moved < 0.5 * before.sd[i], "row {i}");
    }
}

#[test]
fn pending_rows_may_be_added_one_after_the_other() {
    let data = random_data(40, 2, 10);
    let rows = random_data(2, 2, 12).rows().clone();
    let posterior = fit(few_trees(100), &data);
    let once = posterior.with_pending(&rows.slice(0..1)).unwrap();
    let twice = once.with_pending(&rows.slice(1..2)).unwrap();
    let (before, after) = (posterior.predict(&rows), twice.predict(&rows));
    let shrunk = after.sd.iter().zip(&before.sd).all(|(a, b)| a < b);
    assert!(shrunk, "{after:?} against {before:?}");
}

#[test]
fn no_pending_rows_change_nothing() {
    let data = random_data(30, 3, 13);
    let posterior = fit(few_trees(30), &data);
    let same = posterior.with_pending(&Points::new(3)).unwrap();
    assert_eq!(same.predict(data.rows()), posterior.predict(data.rows()));
}

#[test]
fn leaves_hold_at_least_the_asked_draws() {
    let data = random_data(100, 5, 14);
    let mut settings = few_trees(5);
    settings.min_leaf = 100;
    let mean = fit_predict(settings, &data, data.rows()).mean;
    assert!(mean.iter().all(|&m| m == mean[0]), "one leaf a tree");
}

#[test]
fn one_hot_coordinates_separate_categories() {
    let mut data = Dataset::new(3);
    for i in 0..30 {
        let mut row = [-1.0; 3];
        row[i % 3] = 1.0;
        data.push(&row, [5.0, -2.0, 1.0][i % 3]);
    }
    let prediction = fit_predict(few_trees(50), &data, &data.rows().slice(0..3));
    for (mean, expected) in prediction.mean.iter().zip([5.0, -2.0, 1.0]) {
        assert!((mean - expected).abs() < 1e-12);
    }
}

#[test]
fn settings_out_of_range_are_named() {
    let refused = |change: &dyn Fn(&mut ForestSettings)| {
        let mut settings = ForestSettings::default();
        change(&mut settings);
        settings.check().err().map(|error| error.to_string())
    };
    assert_eq!(refused(&|_| ()), None);
    let least = |field| Some(format!("{field} = 0: must be at least 1"));
    assert_eq!(refused(&|s| s.trees = 0), least("trees"));
    assert_eq!(refused(&|s| s.min_leaf = 0), least("min_leaf"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn predictions_follow_a_change_of_the_rewards_units(seed in 0_u64..1000, log_a in -6.0..6.0_f64, b in -10.0..10.0_f64) {
        let a = 10.0_f64.powf(log_a);
        let (data, rows) = (random_data(40, 3, seed), random_data(20, 3, seed + 1));
        let changed = data.rewards().iter().map(|y| a * (y + b)).collect();
        let plain = fit_predict(few_trees(20), &data, rows.rows());
        let scaled = fit_predict(few_trees(20), &Dataset::from_parts(data.rows().clone(), changed), rows.rows());
        for i in 0..rows.len() {
            prop_assert!((scaled.mean[i] / a - b - plain.mean[i]).abs() < 1e-9);
            prop_assert!((scaled.sd[i] / a - plain.sd[i]).abs() < 1e-9);
        }
    }

    #[test]
    fn means_on_the_data_follow_a_monotone_change_of_a_coordinate(seed in 0_u64..1000) {
        let data = random_data(40, 2, seed);
        let bend = |row: &[f64]| [row[0].powi(3), row[1].exp() - 1.5];
        let bent = Dataset::from_parts(Points::from_rows(2, data.rows().rows().map(bend)), data.rewards().to_vec());
        // A tree on all rows meets the same order of rows, whatever the values; only thresholds between them differ.
        let settings = ForestSettings { bootstrap: false, min_leaf: 4, ..few_trees(5) };
        prop_assert_eq!(fit_predict(settings, &data, data.rows()), fit_predict(settings, &bent, bent.rows()));
    }
}
