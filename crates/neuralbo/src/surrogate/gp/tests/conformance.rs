//! What every surrogate must survive.

use super::*;
use crate::surrogate::FitError;
use crate::surrogate::gp::{HyperParameters, Kernel};

/// Fits all variants and checks that everything that can be asked has a finite answer; returns the default variant's.
fn everything_is_finite(data: &Dataset) -> Box<dyn Posterior> {
    let rows = random_points(data.rows().dim(), 7, 30);
    for (kernel, ard, priors) in [
        (Kernel::SquaredExponential, true, false),
        (Kernel::Matern52, false, true),
        (Kernel::Matern52, true, true),
    ] {
        finite_answers(
            fit(
                GpSettings {
                    kernel,
                    ard,
                    priors,
                    starts: 2,
                    ..GpSettings::default()
                },
                data,
            )
            .as_ref(),
            &rows,
        );
    }
    let posterior = fit(GpSettings::default(), data);
    finite_answers(posterior.as_ref(), &rows);
    finite_answers(posterior.as_ref(), data.rows());
    posterior
}

fn finite_answers(posterior: &dyn Posterior, rows: &Points) {
    let all = posterior.predict_with_gradient(rows).unwrap();
    let function = posterior
        .sample_function(&mut STREAMS().stream(3, Purpose::Sample))
        .unwrap();
    let (values, gradients) = function.value_and_gradient(rows).unwrap();
    assert_eq!(
        (values.len(), gradients.len(), all.mean_gradient.len()),
        (rows.len(), rows.len(), rows.len())
    );
    let pending = posterior.with_pending(rows).unwrap().predict(rows);
    let numbers = [
        &all.prediction.mean,
        &all.prediction.sd,
        &values,
        &pending.mean,
        &pending.sd,
    ];
    assert!(
        numbers
            .iter()
            .all(|list| list.len() == rows.len() && list.iter().all(|v| v.is_finite()))
    );
    let gradients = [&all.mean_gradient, &all.sd_gradient, &gradients];
    assert!(
        gradients
            .iter()
            .all(|g| g.as_slice().iter().all(|v| v.is_finite()))
    );
    assert!(all.prediction.sd.iter().all(|&sd| sd >= 0.0));
}

fn line(rewards: &[f64]) -> Dataset {
    let step = 2.0 / rewards.len() as f64;
    Dataset::from_parts(
        Points::from_rows(1, (0..rewards.len()).map(|i| [i as f64 * step - 1.0])),
        rewards.to_vec(),
    )
}

#[test]
fn one_point() {
    let posterior = everything_is_finite(&line(&[3.0]));
    assert_eq!(
        posterior.predict(&Points::from_rows(1, [[-1.0]])).mean,
        vec![3.0]
    );
}

#[test]
fn constant_rewards() {
    for y in [0.0, -2.5, 1e300, 1e-300] {
        let prediction = everything_is_finite(&line(&[y; 6])).predict(&random_points(1, 4, 31));
        assert!(
            prediction
                .mean
                .iter()
                .all(|m| (m - y).abs() <= 1e-9 * y.abs())
        );
    }
}

#[test]
fn repeated_rows() {
    let rows = Points::from_rows(2, vec![[0.3, -0.2]; 12]);
    let data = Dataset::from_parts(rows.clone(), (0..12).map(|i| (i % 3) as f64).collect());
    let prediction = everything_is_finite(&data).predict(&rows.slice(0..1));
    assert!((prediction.mean[0] - 1.0).abs() < 0.2);
    everything_is_finite(&Dataset::from_parts(rows, vec![1.0; 12]));
}

#[test]
fn extreme_rewards() {
    let base: Vec<f64> = (0..15).map(|i| (i as f64 * 0.5).sin()).collect();
    let truth = fit(GpSettings::default(), &line(&base)).predict(&random_points(1, 5, 32));
    for unit in [1e300, 1e-300] {
        let scaled: Vec<f64> = base.iter().map(|y| y * unit).collect();
        let prediction = everything_is_finite(&line(&scaled)).predict(&random_points(1, 5, 32));
        for i in 0..5 {
            assert!((prediction.mean[i] / unit - truth.mean[i]).abs() < 1e-6);
            assert!((prediction.sd[i] / unit - truth.sd[i]).abs() < 1e-6);
        }
    }
    everything_is_finite(&line(&[1e300, -1e300, 1e-300, 0.0, f64::MAX, -f64::MAX]));
}

#[test]
fn one_and_a_hundred_dimensions() {
    everything_is_finite(&wavy_data(1, 40, 33));
    everything_is_finite(&wavy_data(100, 30, 34));
}

#[test]
fn nothing_to_predict() {
    let posterior = fit(GpSettings::default(), &line(&[1.0, 2.0]));
    assert!(posterior.predict(&Points::new(1)).mean.is_empty());
    assert!(
        posterior
            .predict_with_gradient(&Points::new(1))
            .unwrap()
            .mean_gradient
            .is_empty()
    );
}

#[test]
fn data_that_cannot_be_fitted_are_named() {
    let error = |settings: GpSettings, data: &Dataset| {
        GaussianProcess::new(settings)
            .unwrap()
            .fit(data, &STREAMS())
            .err()
            .map(|e| e.to_string())
            .unwrap_or_default()
    };
    let empty = FitError::TooFewObservations {
        needed: 1,
        found: 0,
    };
    assert_eq!(
        error(GpSettings::default(), &Dataset::new(1)),
        empty.to_string()
    );
    assert!(error(GpSettings::default(), &line(&[1.0, f64::NAN])).contains("reward 1 is NaN"));
    let fixed = HyperParameters {
        length_scales: vec![1.0; 3],
        amplitude: 1.0,
        noise: 0.0,
        mean: 0.0,
    };
    assert!(
        error(
            GpSettings {
                fixed: Some(fixed),
                ..GpSettings::default()
            },
            &line(&[1.0])
        )
        .contains("length_scales")
    );
}
