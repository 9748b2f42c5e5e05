//! A surrogate that saw the data grow and a fresh one give the same model.

use super::*;
use crate::surrogate::gp::{HyperParameters, Kernel};
use crate::surrogate::{Prediction, Refit};

fn difference(a: &Prediction, b: &Prediction) -> f64 {
    let pairs = a.mean.iter().zip(&b.mean).chain(a.sd.iter().zip(&b.sd));
    pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn grown_and_fresh_surrogates_agree() {
    let settings = GpSettings {
        refit: Refit {
            every_until: 12,
            growth: 0.1,
        },
        ard: true,
        kernel: Kernel::Matern52,
        ..GpSettings::default()
    };
    let data = wavy_data(2, 40, 6);
    let rows = random_points(2, 30, 7);
    let mut grown = GaussianProcess::new(settings.clone()).unwrap();
    for len in [5, 6, 12, 13, 14, 20, 21, 22, 23, 24, 25, 38, 40] {
        let prefix = data.prefix(len);
        let one = grown.fit(&prefix, &STREAMS()).unwrap().predict(&rows);
        let mut fresh = GaussianProcess::new(settings.clone()).unwrap();
        let other = fresh.fit(&prefix, &STREAMS()).unwrap().predict(&rows);
        assert_eq!(grown.hyper_parameters(), fresh.hyper_parameters());
        assert_eq!(one, other, "{len}");
    }
}

#[test]
fn other_data_and_other_streams_start_over() {
    let settings = GpSettings {
        refit: Refit {
            every_until: 5,
            growth: 0.1,
        },
        ..GpSettings::default()
    };
    let rows = random_points(2, 10, 8);
    let mut process = GaussianProcess::new(settings.clone()).unwrap();
    process.fit(&wavy_data(2, 20, 9), &STREAMS()).unwrap();
    let other = wavy_data(2, 20, 10);
    let reused = process.fit(&other, &STREAMS()).unwrap().predict(&rows);
    assert!(difference(&reused, &fit(settings, &other).predict(&rows)) < 1e-12);
}

#[test]
fn hyper_parameters_are_kept_between_milestones_unless_the_rewards_leave_their_range() {
    let settings = GpSettings {
        refit: Refit {
            every_until: 30,
            growth: 0.1,
        },
        ..GpSettings::default()
    };
    let mut data = wavy_data(2, 30, 11);
    let mut process = GaussianProcess::new(settings.clone()).unwrap();
    let mut observations = |data: &Dataset| {
        process.fit(data, &STREAMS()).unwrap();
        process.hyper_parameters().unwrap().observations
    };
    data.push(&[0.1, 0.2], 5.0);
    assert_eq!(observations(&data), 30);
    data.push(&[0.1, -0.7], -1e300);
    assert_eq!(observations(&data), 32);
    let prediction = fit(settings, &data).predict(data.rows());
    assert!(
        prediction
            .mean
            .iter()
            .chain(&prediction.sd)
            .all(|v| v.is_finite())
    );
}

#[test]
fn pending_rows_at_their_means_equal_observations_there() {
    let hyper = HyperParameters {
        length_scales: vec![0.7],
        amplitude: 2.0,
        noise: 0.01,
        mean: 0.5,
    };
    let settings = GpSettings {
        fixed: Some(hyper),
        ..GpSettings::default()
    };
    let data = wavy_data(2, 15, 14);
    let pending = random_points(2, 3, 15);
    let posterior = fit(settings.clone(), &data);
    let mut told = data.clone();
    for (row, mean) in pending.rows().zip(posterior.predict(&pending).mean) {
        told.push(row, mean);
    }
    let rows = random_points(2, 20, 16);
    let one = posterior.with_pending(&pending).unwrap().predict(&rows);
    assert!(difference(&one, &fit(settings, &told).predict(&rows)) < 1e-9);
}
