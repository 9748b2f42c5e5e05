//! The whole surrogate: that it learns, that it is a function of the data, and data of every awkward kind.

use super::*;
use crate::fixtures::{check_gradient, dataset, random_rows, rng};

/// The method with a network small enough for tests.
fn small() -> GreedySettings {
    GreedySettings {
        width: 40,
        ..GreedySettings::default()
    }
}

fn fitted(settings: GreedySettings, data: &Dataset) -> Box<dyn Posterior> {
    Greedy::new(settings)
        .unwrap()
        .fit(data, &Streams::new(5))
        .unwrap()
}

#[test]
fn learns_a_parabola_as_described() {
    let parabola = |x: &[f64]| 100.0 - 40.0 * (x[0] - 0.3).powi(2) - 10.0 * x[1];
    let data = dataset(2, 100, parabola);
    let at = random_rows(2, 50, 2);
    let prediction = fitted(GreedySettings::default(), &data).predict(&at);
    let truth: Vec<f64> = at.rows().map(parabola).collect();
    let pairs = prediction.mean.iter().zip(&truth);
    let error = pairs.map(|(m, t)| (m - t).powi(2)).sum::<f64>();
    let mean = truth.iter().sum::<f64>() / 50.0;
    let variance = truth.iter().map(|t| (t - mean).powi(2)).sum::<f64>();
    let unexplained = error / variance;
    assert!(unexplained < 0.05, "{unexplained}");
}

#[test]
fn gradients_match_finite_differences() {
    let posterior = fitted(
        small(),
        &dataset(3, 30, |x| 5.0 + x[0] * x[1] - x[2].powi(2)),
    );
    let rows = random_rows(3, 300, 8);
    let found = posterior.predict_with_gradient(&rows).unwrap();
    let sample = posterior.sample_function(&mut rng(4)).unwrap();
    let (values, gradients) = sample.value_and_gradient(&rows).unwrap();
    assert_eq!(
        (&values, &gradients),
        (&found.prediction.mean, &found.mean_gradient)
    );
    assert!(found.sd_gradient.as_slice().iter().all(|&g| g == 0.0));
    check_gradient(&*sample, &rows, 37, 1e-7, 1e-5);
}

#[test]
fn the_reported_sd_is_the_perturbation_in_reward_units() {
    let data = dataset(1, 12, |x| 30.0 * x[0]);
    let rewards = data.prefix(10).rewards().to_vec();
    let mean = rewards.iter().sum::<f64>() / 10.0;
    let spread = (rewards.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / 10.0).sqrt();
    let mut settings = small();
    settings.perturbation = 0.2;
    let sd = fitted(settings, &data).predict(&random_rows(1, 2, 1)).sd;
    assert!(sd.iter().all(|s| (s / (0.2 * spread) - 1.0).abs() < 1e-12));
}

#[test]
fn a_fresh_surrogate_finds_what_a_continued_one_does() {
    let data = dataset(2, 43, |x| x[0] * x[1]);
    let (mut continued, at) = (Greedy::new(small()).unwrap(), random_rows(2, 5, 3));
    let mut found = Vec::new();
    for count in [1, 4, 9, 10, 11, 19, 20, 27, 43] {
        let prefix = data.prefix(count);
        let posterior = continued.fit(&prefix, &Streams::new(5)).unwrap();
        found.push(posterior.predict(&at));
        let fresh = fitted(small(), &prefix).predict(&at);
        assert_eq!(found[found.len() - 1], fresh, "at {count}");
    }
    assert_eq!(found[3], found[5], "nothing changes between milestones");
    assert_ne!(found[5], found[6], "milestones retrain");
    for other in [data.prefix(15), dataset(2, 43, |x| x[0] - x[1])] {
        // Data that did not grow by appending.
        let found = continued.fit(&other, &Streams::new(5)).unwrap();
        assert_eq!(found.predict(&at), fitted(small(), &other).predict(&at));
    }
}

#[test]
fn perturbations_change_the_network_and_vanish_with_their_scale() {
    let (data, at) = (dataset(2, 10, |x| x[0]), random_rows(2, 20, 3));
    let with = |perturbation: f64| {
        let mut settings = small();
        settings.perturbation = perturbation;
        fitted(settings, &data).predict(&at).mean
    };
    let distance = |a: &[f64], b: &[f64]| {
        let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        differences.fold(0.0, f64::max)
    };
    let still = with(0.0);
    assert!(distance(&with(0.3), &still) > 1e-3);
    assert!(distance(&with(1e-9), &still) < 1e-3);
}

#[test]
fn divergence_is_reported_and_is_the_same_for_a_fresh_surrogate() {
    let settings = GreedySettings {
        rate: 1e6,
        ..small()
    };
    let data = dataset(2, 40, |x| x[0]);
    let mut continued = Greedy::new(settings).unwrap();
    for count in [10, 12, 40] {
        let error = |model: &mut Greedy| model.fit(&data.prefix(count), &Streams::new(5)).err();
        let again = error(&mut continued);
        let diverged = matches!(again, Some(FitError::Diverged { .. }));
        assert!(diverged, "at {count}: {again:?}");
        assert_eq!(again, error(&mut Greedy::new(settings).unwrap()));
    }
}

#[test]
fn settings_that_make_no_model_are_named() {
    let refused = |change: fn(&mut GreedySettings)| {
        let mut settings = small();
        change(&mut settings);
        Greedy::new(settings).unwrap_err().to_string()
    };
    assert_eq!(refused(|s| s.depth = 1), "depth = 1: must be at least 2");
    assert!(refused(|s| s.rate = 0.0).starts_with("rate = 0"));
    assert!(refused(|s| s.perturbation = -1.0).starts_with("perturbation = -1"));
}

#[test]
fn warm_up_is_between_its_bounds() {
    for (dim, budget) in [(1, 1), (10, 100), (50, 2000), (3, 10_000)] {
        let length = warm_up(dim, budget);
        assert!(length >= 1 && length as f64 <= (0.075 * budget as f64).round().max(1.0));
        assert!(length as f64 >= (0.025 * budget as f64).round());
    }
}
