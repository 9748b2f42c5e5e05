//! The surrogate as a whole: closed forms, gradients, growth, and the settings it refuses.

use super::covariance::CovarianceKind;
use super::*;
use crate::fixtures::{check_gradient, random_rows, rng};
use crate::training::Trainer;
use faer::Mat;
use faer::prelude::Solve;
use neuralbo::linalg::{Points, Purpose, Streams};
use neuralbo::net::{Activation, Features, Init, Mlp};
use neuralbo::surrogate::{Dataset, Posterior, Surrogate};

fn settings() -> NeuralSettings {
    NeuralSettings {
        width: 24,
        depth: 2,
        activation: Activation::Gelu,
        biases: false,
        inputs: InputDomain::Box,
        constant_input: true,
        init: Init::Standard,
        shift: Shift::None,
        lambda: 0.01,
        nu: 0.7,
        estimated_nu: false,
        features: FeaturePoint::Initial,
        mean: MeanRule::ClosedForm,
        covariance: CovarianceKind::Auto,
        targets: TargetUnits::Standard,
        skip_in_covariance: 0,
    }
}

fn trained(restart: Restart) -> MeanRule {
    let trainer = Trainer::adam(5e-3, 300, 64);
    MeanRule::Trained { trainer, restart }
}

fn rows(count: usize, seed: u64) -> Points {
    random_rows(3, count, seed)
}

fn data(count: usize) -> Dataset {
    let rows = rows(count, 1);
    let rewards = rows
        .rows()
        .map(|x| 40.0 + 3.0 * x[0].sin() + x[1] * x[2])
        .collect();
    Dataset::from_parts(rows, rewards)
}

fn fit(settings: NeuralSettings, data: &Dataset) -> Box<dyn Posterior> {
    NeuralSurrogate::<f64>::new(settings, 3)
        .unwrap()
        .fit(data, &Streams::new(11))
        .unwrap()
}

#[test]
fn closed_form_mean_is_kernel_ridge_regression() {
    let (data, points) = (data(12), rows(5, 2));
    let units = neuralbo::surrogate::Standardizer::of(data.rewards());
    let shape = settings().architecture(3).unwrap();
    let mut rng = Streams::new(11).stream(0, Purpose::NetworkInit);
    let net = Mlp::<f64>::new(shape, Init::Standard, &mut rng).unwrap();
    let map = InputMap::new(3, InputDomain::Box, true);
    let x = map.apply::<f64>(data.rows(), 0..12);
    let at = map.apply::<f64>(&points, 0..5);
    let [g, g_at] = [&x, &at].map(|x| Features::of(&net, x.as_ref()));
    let k = g.kernel(&g) + Mat::<f64>::identity(12, 12) * faer::Scale(0.01);
    for (shift, start) in [(Shift::None, 1.0), (Shift::Subtract, 0.0)] {
        let residual = Mat::from_fn(12, 1, |i, _| {
            units.forward(data.rewards()[i]) - start * net.forward(x.as_ref())[i]
        });
        let fitted = g_at.kernel(&g) * k.partial_piv_lu().solve(&residual);
        let chosen = NeuralSettings {
            shift,
            ..settings()
        };
        let prediction = fit(chosen, &data).predict(&points);
        for j in 0..5 {
            let expected = units.backward(start * net.forward(at.as_ref())[j] + fitted[(j, 0)]);
            assert!((prediction.mean[j] - expected).abs() < 1e-8, "{shift:?}");
        }
    }
}

#[test]
fn sampled_functions_have_the_predicted_moments_and_right_gradients() {
    let (data, points) = (data(8), rows(3, 2));
    let zero_output = NeuralSettings {
        init: Init::HeZeroLast,
        ..settings()
    };
    let cases = [
        (settings(), MeanRule::ClosedForm),
        (settings(), trained(Restart::Initial)),
        (zero_output, MeanRule::ClosedForm),
    ];
    for (settings, mean) in cases {
        let posterior = fit(NeuralSettings { mean, ..settings }, &data);
        let prediction = posterior.predict(&points);
        let (draws, mut rng) = (20_000, rng(3));
        let (mut mean, mut second) = (vec![0.0; 3], vec![0.0; 3]);
        for _ in 0..draws {
            let values = posterior.sample_function(&mut rng).unwrap().value(&points);
            for (j, v) in values.iter().enumerate() {
                mean[j] += v / draws as f64;
                second[j] += (v - prediction.mean[j]).powi(2) / draws as f64;
            }
        }
        for j in 0..3 {
            let (sd, root) = (prediction.sd[j], (draws as f64).sqrt());
            assert!((mean[j] - prediction.mean[j]).abs() < 5.0 * sd / root);
            assert!((second[j] / sd.powi(2) - 1.0).abs() < 5.0 * 2f64.sqrt() / root);
        }
        let sample = posterior.sample_function(&mut rng).unwrap();
        check_gradient(&*sample, &points, 1, 1e-5, 1e-5);
    }
}

#[test]
fn growing_data_gives_what_a_fresh_surrogate_gives() {
    let (whole, points) = (data(20), rows(4, 2));
    let reference = NeuralSettings {
        features: FeaturePoint::Current,
        mean: trained(Restart::Warm),
        skip_in_covariance: 4,
        ..settings()
    };
    for settings in [
        settings(),
        NeuralSettings {
            mean: trained(Restart::Initial),
            ..settings()
        },
        reference,
    ] {
        let mut grown = NeuralSurrogate::<f64>::new(settings, 3).unwrap();
        for len in 4..20 {
            grown.fit(&whole.prefix(len), &Streams::new(11)).unwrap();
        }
        let grown = grown.fit(&whole, &Streams::new(11)).unwrap();
        let grown = grown.predict(&points);
        let fresh = fit(settings, &whole).predict(&points);
        for j in 0..4 {
            assert!((grown.mean[j] - fresh.mean[j]).abs() < 1e-9);
            assert!((grown.sd[j] - fresh.sd[j]).abs() < 1e-9);
        }
    }
}

#[test]
fn trained_network_fits_and_a_wild_rate_is_tamed() {
    let data = data(30);
    let wild = Trainer::descent(5.0, 400, 10, 0.0);
    for mean in [
        trained(Restart::Initial),
        MeanRule::Trained {
            trainer: wild,
            restart: Restart::Initial,
        },
    ] {
        let posterior = NeuralSurrogate::<f32>::new(NeuralSettings { mean, ..settings() }, 3)
            .unwrap()
            .fit(&data, &Streams::new(1))
            .unwrap();
        let mean = posterior.predict(data.rows()).mean;
        let pairs = mean.iter().zip(data.rewards());
        let error = pairs.map(|(m, r)| (m - r).powi(2)).sum::<f64>() / 30.0;
        assert!(error < 0.5, "mean squared error {error}");
    }
}

#[test]
fn a_shifted_model_begins_at_the_mean_of_the_rewards() {
    let (data, points) = (data(12), rows(5, 2));
    let mean = data.rewards().iter().sum::<f64>() / 12.0;
    let untrained = MeanRule::Trained {
        trainer: Trainer::descent(1e-3, 0, 50, 0.0),
        restart: Restart::Initial,
    };
    for (shift, at_the_mean) in [
        (Shift::None, false),
        (Shift::Subtract, true),
        (Shift::Antisymmetric, true),
    ] {
        let mut settings = settings();
        (settings.mean, settings.shift) = (untrained, shift);
        let posterior = fit(settings, &data);
        let near = |prediction: &f64| (prediction - mean).abs() < 1e-9;
        let all = posterior.predict(&points).mean.iter().all(near);
        assert_eq!(all, at_the_mean, "{shift:?}");
        let sample = posterior.sample_function(&mut rng(3)).unwrap();
        check_gradient(&*sample, &points, 1, 1e-5, 1e-5);
    }
}

#[test]
fn inputs_of_the_ball_are_no_longer_than_one() {
    let corner = Points::from_rows(3, [[1.0, -1.0, 1.0]]);
    let length = |domain, constant| {
        InputMap::new(3, domain, constant)
            .apply::<f64>(&corner, 0..1)
            .norm_l2()
    };
    assert!((length(InputDomain::Ball, false) - 1.0).abs() < 1e-12);
    assert!((length(InputDomain::Ball, true) - 2f64.sqrt()).abs() < 1e-12);
    assert!((length(InputDomain::Box, false) - 3f64.sqrt()).abs() < 1e-12);
}

#[test]
fn pending_rows_shrink_the_uncertainty_and_keep_the_mean() {
    let (data, points) = (data(8), rows(3, 2));
    let posterior = fit(settings(), &data);
    let after = posterior.with_pending(&points).unwrap().predict(&points);
    let before = posterior.predict(&points);
    assert_eq!(before.mean, after.mean);
    assert!(before.sd.iter().zip(&after.sd).all(|(b, a)| *a < 0.9 * b));
}

#[test]
fn settings_that_make_no_model_are_refused_by_name() {
    let refused = |change: fn(&mut NeuralSettings), text: &str| {
        let mut settings = settings();
        change(&mut settings);
        let error = settings.architecture(3).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    };
    refused(|s| s.lambda = -1.0, "lambda = -1");
    refused(|s| s.nu = f64::NAN, "nu = NaN");
    refused(|s| s.width = 0, "width = 0");
    refused(|s| s.features = FeaturePoint::Current, "current parameters");
    refused(|s| s.covariance = CovarianceKind::Diagonal, "closed-form");
    let zero = |s: &mut NeuralSettings| (s.init, s.shift) = (Init::HeZeroLast, Shift::Subtract);
    refused(zero, "shift = subtract");
}

/// The control learns the values and not where they belong: exactly what raw rewards in another order give.
#[test]
fn shuffled_rewards_are_the_told_ones_in_another_order() {
    let (data, points) = (data(6), rows(4, 2));
    let of = |targets, rewards: Vec<f64>| {
        let settings = NeuralSettings {
            targets,
            ..settings()
        };
        fit(settings, &Dataset::from_parts(data.rows().clone(), rewards)).means(&points)
    };
    let told = data.rewards().to_vec();
    let shuffled = of(TargetUnits::Shuffled, told.clone());
    assert_ne!(shuffled, of(TargetUnits::Raw, told.clone()));
    let mut orders = permutations(told).into_iter();
    assert!(orders.any(|order| of(TargetUnits::Raw, order) == shuffled));
    let [raw, shuffled] =
        [TargetUnits::Raw, TargetUnits::Shuffled].map(|targets| of(targets, vec![7.0; 6]));
    assert_eq!(shuffled, raw);
}

fn permutations(values: Vec<f64>) -> Vec<Vec<f64>> {
    if values.len() < 2 {
        return vec![values];
    }
    let without = |i: usize| {
        let mut rest = values.clone();
        (rest.remove(i), rest)
    };
    (0..values.len())
        .map(without)
        .flat_map(|(first, rest)| {
            let tails = permutations(rest).into_iter();
            tails.map(move |tail| [vec![first], tail].concat())
        })
        .collect()
}

#[test]
fn relative_rewards_do_not_depend_on_a_constant_added_to_all() {
    let (data, points) = (data(12), rows(5, 2));
    let of = |offset: f64| {
        let settings = NeuralSettings {
            targets: TargetUnits::Relative,
            mean: trained(Restart::Initial),
            ..settings()
        };
        let rewards = data.rewards().iter().map(|y| y + offset).collect();
        fit(settings, &Dataset::from_parts(data.rows().clone(), rewards)).means(&points)
    };
    for (mean, moved) in of(0.0).into_iter().zip(of(-1000.0)) {
        assert!((mean - 1000.0 - moved).abs() < 1e-3, "{mean} and {moved}");
    }
}

#[test]
fn unit_inputs_put_zero_in_a_corner() {
    let map = InputMap::new(2, InputDomain::Unit, false);
    let inputs = map.apply::<f64>(&Points::from_rows(2, [[-1.0, 1.0]]), 0..1);
    assert_eq!(inputs.col_as_slice(0), [0.0, 1.0]);
}

/// The estimate against explicit matrices, `K = GᵀG/m` with the gradients themselves; before ½(d + 1)(d + 2) = 10 observations it
/// is the ν that was set.
#[test]
fn estimated_exploration_is_the_amplitude_by_dense_matrices() {
    let points = rows(4, 2);
    let mut rng = Streams::new(11).stream(0, Purpose::NetworkInit);
    let shape = settings().architecture(3).unwrap();
    let net = Mlp::<f64>::new(shape, Init::Standard, &mut rng).unwrap();
    for (shift, start) in [(Shift::None, 1.0), (Shift::Subtract, 0.0)] {
        for t in [9, 10, 30] {
            let data = data(t);
            let map = InputMap::new(3, InputDomain::Box, true);
            let x = map.apply::<f64>(data.rows(), 0..t);
            let g = Features::of(&net, x.as_ref()).dense();
            let k = g.transpose() * &g * faer::Scale(1.0 / shape.width as f64)
                + Mat::<f64>::identity(t, t) * faer::Scale(0.01);
            let outputs = net.forward(x.as_ref());
            let residual = Mat::from_fn(t, 1, |i, _| data.rewards()[i] - start * outputs[i]);
            let fit_of = residual.transpose() * k.partial_piv_lu().solve(&residual);
            let expected = (fit_of[(0, 0)] / t as f64).sqrt();
            let fixed = NeuralSettings {
                targets: TargetUnits::Raw,
                shift,
                nu: 1.0,
                ..settings()
            };
            let estimated = NeuralSettings {
                estimated_nu: true,
                ..fixed
            };
            let (with, without) = (fit(estimated, &data), fit(fixed, &data));
            let sds = [with, without].map(|posterior| posterior.predict(&points).sd);
            for (with, without) in sds[0].iter().zip(&sds[1]) {
                let expected = if t < 10 { 1.0 } else { expected };
                let ratio = with / without / expected;
                assert!((ratio - 1.0).abs() < 1e-8, "{t} {shift:?}: {ratio}");
            }
        }
    }
}

/// An amplitude estimated from rewards has their units; of rewards too few for an estimate it is the one that was set.
#[test]
fn estimated_exploration_has_the_units_of_the_rewards() {
    let estimated = NeuralSettings {
        targets: TargetUnits::Raw,
        shift: Shift::Subtract,
        estimated_nu: true,
        ..settings()
    };
    let fixed = NeuralSettings {
        estimated_nu: false,
        ..estimated
    };
    let points = rows(4, 2);
    let sds = |settings, count, factor: f64| {
        let told = data(count);
        let rewards = told.rewards().iter().map(|y| factor * y).collect();
        let data = Dataset::from_parts(told.rows().clone(), rewards);
        fit(settings, &data).predict(&points).sd
    };
    let ratio = |of: &[f64], to: &[f64]| of.iter().zip(to).map(|(a, b)| a / b).collect::<Vec<_>>();
    for count in [10, 30] {
        let doubled = ratio(&sds(estimated, count, 2.0), &sds(estimated, count, 1.0));
        let twice = doubled.iter().all(|ratio| (ratio - 2.0).abs() < 1e-9);
        assert!(twice, "{doubled:?}");
        assert_eq!(sds(fixed, count, 2.0), sds(fixed, count, 1.0));
    }
    assert_eq!(sds(estimated, 9, 2.0), sds(fixed, 9, 1.0));
    let dense = NeuralSettings {
        covariance: CovarianceKind::Dense,
        mean: trained(Restart::Initial),
        ..estimated
    };
    let refused = NeuralSurrogate::<f64>::new(dense, 3).err().unwrap();
    assert!(refused.to_string().contains("nu=auto"), "{refused}");
}
