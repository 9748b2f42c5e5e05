//! What every surrogate must do, whatever its model.

#![allow(clippy::unwrap_used)]

use rand::RngExt;

use super::dngo::{Dngo, DngoSettings};
use super::forest::{Forest, ForestSettings};
use super::gp::{GaussianProcess, GpSettings};
use super::greedy::{Greedy, GreedySettings};
use super::neural::covariance::{CovarianceKind, SolveSettings};
use super::neural::{
    FeaturePoint, InputDomain, MeanRule, NeuralSettings, NeuralSurrogate, Shift, TargetUnits,
};
use super::tangent::{TangentKernel, TangentSurrogate};
use super::{Dataset, FitError, Posterior, Surrogate};
use crate::linalg::{CgSettings, Points, Purpose, Streams};
use crate::net::{Activation, Init};

const STREAMS: fn() -> Streams = || Streams::new(17);

const NEURAL: NeuralSettings = NeuralSettings {
    width: 16,
    depth: 2,
    activation: Activation::Gelu,
    biases: false,
    inputs: InputDomain::Box,
    constant_input: true,
    init: Init::Standard,
    shift: Shift::None,
    lambda: 0.01,
    nu: 1.0,
    features: FeaturePoint::Initial,
    mean: MeanRule::ClosedForm,
    covariance: CovarianceKind::Auto,
    solve: SolveSettings {
        stop: CgSettings {
            tolerance: 1e-12,
            max_iterations: 1000,
        },
        landmarks: 4,
    },
    targets: TargetUnits::Standard,
    skip_in_covariance: 0,
};

type Make = fn(usize) -> Box<dyn Surrogate>;

/// One of each, for rows of a dimension.
const SURROGATES: [(&str, Make); 6] = [
    ("tangent", |dim| {
        let kernel =
            TangentKernel::new(dim, 24, &mut STREAMS().stream(0, Purpose::NetworkInit)).unwrap();
        Box::new(TangentSurrogate::new(kernel, 20))
    }),
    ("gp", |_| {
        Box::new(
            GaussianProcess::new(GpSettings {
                starts: 1,
                ..GpSettings::default()
            })
            .unwrap(),
        )
    }),
    ("forest", |_| {
        Box::new(
            Forest::new(ForestSettings {
                trees: 10,
                ..ForestSettings::default()
            })
            .unwrap(),
        )
    }),
    ("dngo", |_| {
        Box::new(
            Dngo::new(DngoSettings {
                width: 12,
                epochs: 20,
                ..DngoSettings::default()
            })
            .unwrap(),
        )
    }),
    ("greedy", |_| {
        Box::new(
            Greedy::new(GreedySettings {
                width: 16,
                ..GreedySettings::default()
            })
            .unwrap(),
        )
    }),
    ("neural", |dim| {
        Box::new(NeuralSurrogate::<f64>::new(NEURAL, dim).unwrap())
    }),
];

fn random_rows(dim: usize, count: usize, seed: u64) -> Points {
    let mut rng = Streams::new(seed).stream(0, Purpose::Design);
    Points::from_rows(
        dim,
        (0..count).map(|_| {
            (0..dim)
                .map(|_| rng.random_range(-1.0..1.0))
                .collect::<Vec<f64>>()
        }),
    )
}

fn wavy(dim: usize, count: usize) -> Dataset {
    let rows = random_rows(dim, count, 3);
    let rewards = rows
        .rows()
        .map(|x| 5.0 + x.iter().map(|x| (2.0 * x).sin() - 0.4 * x * x).sum::<f64>())
        .collect();
    Dataset::from_parts(rows, rewards)
}

/// Everything that can be asked of a posterior has one finite answer a row.
fn assert_finite(name: &str, posterior: &dyn Posterior, rows: &Points) {
    let (at, means) = (posterior.predict(rows), posterior.means(rows));
    let mut answers = vec![at.mean, at.sd.clone(), means];
    if let Some(gradient) = posterior.predict_with_gradient(rows) {
        let slopes = gradient
            .mean_gradient
            .as_slice()
            .iter()
            .chain(gradient.sd_gradient.as_slice());
        assert!(slopes.copied().all(f64::is_finite), "{name}: slopes");
        answers.push(gradient.prediction.mean);
    }
    if let Some(function) = posterior.sample_function(&mut STREAMS().stream(3, Purpose::Sample)) {
        answers.push(function.value(rows));
    }
    if let Some(informed) = posterior.with_pending(rows) {
        answers.push(informed.predict(rows).sd);
    }
    assert!(
        answers
            .iter()
            .all(|values| values.len() == rows.len() && values.iter().all(|v| v.is_finite())),
        "{name}: {answers:?}"
    );
    assert!(at.sd.iter().all(|sd| *sd >= 0.0), "{name}");
    assert!(
        posterior
            .noise_sd()
            .is_none_or(|sd| sd >= 0.0 && sd.is_finite()),
        "{name}"
    );
}

fn assert_finite_for_all(data: &Dataset) {
    for (name, make) in SURROGATES {
        let posterior = make(data.rows().dim()).fit(data, &STREAMS()).unwrap();
        assert_finite(name, &*posterior, &random_rows(data.rows().dim(), 7, 30));
        assert_finite(name, &*posterior, data.rows());
        assert_finite(name, &*posterior, &Points::new(data.rows().dim()));
    }
}

#[test]
fn one_observation_suffices() {
    assert_finite_for_all(&wavy(2, 1));
}

#[test]
fn equal_rewards_and_equal_rows_are_no_obstacle() {
    let rows = random_rows(2, 12, 5);
    assert_finite_for_all(&Dataset::from_parts(rows.clone(), vec![-2.5; 12]));
    let repeated = Points::from_rows(2, vec![[0.3, -0.2]; 12]);
    assert_finite_for_all(&Dataset::from_parts(
        repeated,
        (0..12).map(|i| f64::from(i % 3)).collect(),
    ));
}

#[test]
fn rewards_of_any_size_have_finite_predictions() {
    for unit in [1e300, 1e-300] {
        let data = wavy(2, 15);
        assert_finite_for_all(
            &data.with_rewards(data.rewards().iter().map(|reward| reward * unit).collect()),
        );
    }
}

#[test]
fn one_and_sixty_dimensions() {
    assert_finite_for_all(&wavy(1, 30));
    assert_finite_for_all(&wavy(60, 20));
}

#[test]
fn no_observation_is_an_error() {
    for (name, make) in SURROGATES {
        let error = make(2).fit(&Dataset::new(2), &STREAMS()).err();
        assert_eq!(
            error,
            Some(FitError::TooFewObservations {
                needed: 1,
                found: 0
            }),
            "{name}"
        );
    }
}

#[test]
fn a_fresh_surrogate_fits_as_one_that_saw_the_data_grow() {
    let (data, rows) = (wavy(2, 24), random_rows(2, 10, 8));
    let other = data.with_rewards(data.rewards().iter().map(|reward| 1.0 - reward).collect());
    for (name, make) in SURROGATES {
        let mut used = make(2);
        for seen in [
            data.prefix(3),
            data.prefix(11),
            data.prefix(12),
            data.clone(),
            other.clone(),
        ] {
            let of = |surrogate: &mut dyn Surrogate| {
                surrogate.fit(&seen, &STREAMS()).unwrap().predict(&rows)
            };
            assert_eq!(
                of(&mut *used),
                of(&mut *make(2)),
                "{name}: {} observations",
                seen.len()
            );
        }
    }
}
