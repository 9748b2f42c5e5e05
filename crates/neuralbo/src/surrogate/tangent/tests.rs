//! The tangent model against its own kernel computed densely.

use super::trend::CONSTANT_WEIGHT;
use super::*;
use crate::linalg::testing::{assert_near, differences};
use crate::linalg::{Points, Purpose, Rng, Streams};
use crate::net::Features;
use crate::surrogate::{Dataset, Function, Posterior, Standardizer};
use faer::Mat;
use faer::prelude::Solve;
use rand::RngExt;

const HYPER: Hyper = Hyper {
    log_scale: 0.3,
    log_linear: -0.5,
    log_quadratic: -1.2,
    log_diagonal: 0.4,
    log_isotropic: -0.7,
    log_noise: -3.0,
    log_gap: -2.0,
};

fn rng(seed: u64) -> Rng {
    Streams::new(seed).stream(0, Purpose::Sample)
}

fn rows(count: usize, seed: u64) -> Points {
    let mut rng = rng(seed);
    let row = |_| [0; 2].map(|_| rng.random_range(-1.0..1.0));
    Points::from_rows(2, (0..count).map(row))
}

fn data(count: usize) -> Dataset {
    let rows = rows(count, 1);
    let reward = |x: &[f64]| 10.0 + (3.0 * x[0]).sin() - x[1] * x[1];
    let rewards = rows.rows().map(reward).collect();
    Dataset::from_parts(rows, rewards)
}

fn framed(frame: Frame) -> TangentModel {
    let mut rng = Streams::new(3).stream(0, Purpose::NetworkInit);
    TangentModel::new(TangentKernel::new(2, 40, &mut rng).unwrap(), frame)
}

fn model() -> TangentModel {
    framed(Frame::new(vec![0.1, -0.3], 0.7)).with_hyper(HYPER)
}

/// Observations with noise of 0.3.
fn noisy(count: usize) -> Dataset {
    let (clean, mut rng) = (data(count), rng(9));
    let mut noise = || 0.3 * rng.sample::<f64, _>(rand_distr::StandardNormal);
    let rewards = clean.rewards().iter().map(|r| r + noise()).collect();
    clean.with_rewards(rewards)
}

/// Gradients of a function at some points, and their central differences.
fn gradients(function: &dyn Function, points: &Points) -> (Points, Vec<Vec<f64>>) {
    let at = |x: &[f64]| function.value(&Points::from_rows(2, [x]))[0];
    let expected = points.rows().map(|x| differences(x, at)).collect();
    (function.value_and_gradient(points).unwrap().1, expected)
}

/// The kernel straight from the module's formula, features and all.
fn dense_kernel(model: &TangentModel, a: &Points, b: &Points, kappa: f64) -> Mat<f64> {
    let local = |p: &Points, j: usize| [0, 1].map(|i| (p.row(j)[i] - [0.1, -0.3][i]) / 0.7);
    let root_m = 40f64.sqrt();
    let inputs = |p: &Points| {
        Mat::from_fn(3, p.len(), |i, j| {
            if i < 2 {
                root_m * HYPER.log_scale.exp() * local(p, j)[i]
            } else {
                root_m
            }
        })
    };
    let net = model.kernel_net();
    let dense = |p: &Points| Features::of(net, inputs(p).as_ref()).dense();
    let (g, h) = (dense(a), dense(b));
    let network = g.transpose() * &h * faer::Scale(1.0 / (40.0 * kappa));
    Mat::from_fn(a.len(), b.len(), |i, j| {
        let pairs = local(a, i).into_iter().zip(local(b, j));
        let inner: f64 = pairs.map(|(x, y)| x * y).sum();
        let (u, v) = (local(a, i).map(|u| u * u), local(b, j).map(|u| u * u));
        let squares = HYPER.log_diagonal.exp() * (u[0] * v[0] + u[1] * v[1]);
        let isotropic = HYPER.log_isotropic.exp() * (u[0] + u[1]) * (v[0] + v[1]);
        let quadratic = HYPER.log_quadratic.exp() * inner * inner + squares + isotropic;
        network[(i, j)] + CONSTANT_WEIGHT + HYPER.log_linear.exp() * inner + quadratic
    })
}

/// Posterior mean and covariance by the textbook formula.
fn dense_posterior(data: &Dataset, points: &Points) -> (Vec<f64>, Mat<f64>) {
    let (model, units) = (model(), Standardizer::of(data.rewards()));
    let t = data.len();
    let raw = dense_kernel(&model, data.rows(), data.rows(), 1.0);
    let trend = dense_kernel(&model, data.rows(), data.rows(), f64::INFINITY);
    let kappa = (0..t).map(|i| raw[(i, i)] - trend[(i, i)]).sum::<f64>() / t as f64;
    let y = Mat::from_fn(t, 1, |i, _| units.forward(data.rewards()[i]));
    let best = (0..t).map(|i| y[(i, 0)]).fold(f64::NEG_INFINITY, f64::max);
    let mut c = dense_kernel(&model, data.rows(), data.rows(), kappa);
    (0..t).for_each(|i| {
        c[(i, i)] += HYPER.log_noise.exp() + HYPER.log_gap.exp() * (best - y[(i, 0)]).powi(2)
    });
    let cross = dense_kernel(&model, data.rows(), points, kappa);
    let solved = c.partial_piv_lu().solve(&y);
    let amplitude2 = ((y.transpose() * &solved)[(0, 0)] + 1.0) / (t as f64 + 1.0);
    let mean = cross.transpose() * &solved;
    let own = dense_kernel(&model, points, points, kappa);
    let covariance = own - cross.transpose() * c.partial_piv_lu().solve(&cross);
    let scale = units.backward_scale(1.0).powi(2) * amplitude2;
    let mean = (0..points.len()).map(|j| units.backward(mean[(j, 0)]));
    (mean.collect(), covariance * faer::Scale(scale))
}

#[test]
fn predictions_equal_the_textbook_formula() {
    let (data, points) = (data(9), rows(5, 2));
    let (mean, covariance) = dense_posterior(&data, &points);
    let prediction = model().fit(&data).unwrap().predict(&points);
    // Nine observations and the prior's three degrees of freedom: Student's t is √(12/10) times as wide.
    let widening = (12.0f64 / 10.0).sqrt() * model().fit(&data).unwrap().widening();
    for j in 0..5 {
        assert!((prediction.mean[j] - mean[j]).abs() < 1e-9);
        assert!((prediction.sd[j] - widening * covariance[(j, j)].sqrt()).abs() < 1e-7);
    }
}

#[test]
fn samples_have_the_posterior_mean_and_covariance() {
    let (data, points, draws) = (data(7), rows(3, 2), 20_000);
    let (mean, covariance) = dense_posterior(&data, &points);
    let posterior = model().fit(&data).unwrap();
    let (mut first, mut second, mut rng) = ([0.0; 3], Mat::<f64>::zeros(3, 3), rng(5));
    for _ in 0..draws {
        let f = posterior.sample(1.0, &mut rng).value(&points);
        for i in 0..3 {
            first[i] += (f[i] - mean[i]) / draws as f64;
            (0..3)
                .for_each(|j| second[(i, j)] += (f[i] - mean[i]) * (f[j] - mean[j]) / draws as f64);
        }
    }
    for i in 0..3 {
        assert!(first[i].abs() < 5.0 * (covariance[(i, i)] / draws as f64).sqrt());
        for j in 0..3 {
            let spread = (covariance[(i, i)] * covariance[(j, j)] + covariance[(i, j)].powi(2))
                / draws as f64;
            assert!((second[(i, j)] - covariance[(i, j)]).abs() < 5.0 * spread.sqrt());
        }
    }
}

#[test]
fn a_sample_without_exploration_is_the_mean() {
    let (data, points) = (data(12), rows(6, 2));
    let posterior = model().fit(&data).unwrap();
    let sample = posterior.sample(0.0, &mut rng(1)).value(&points);
    assert_near(&posterior.predict(&points).mean, &sample, 1e-9);
}

#[test]
fn gradients_match_finite_differences() {
    let (data, points) = (data(10), rows(4, 2));
    let sample = model().fit(&data).unwrap().sample(1.0, &mut rng(2));
    let (found, expected) = gradients(&sample, &points);
    for (found, expected) in found.as_slice().iter().zip(expected.concat()) {
        assert!((found - expected).abs() < 1e-6 * (1.0 + expected.abs()));
    }
}

#[test]
fn smoothed_targets_are_the_mean_at_the_data() {
    let data = data(8);
    let posterior = model().fit(&data).unwrap();
    let units = Standardizer::of(data.rewards());
    let smoothed = posterior.smoothed_targets().into_iter();
    let smoothed: Vec<f64> = smoothed.map(|target| units.backward(target)).collect();
    assert_near(&smoothed, &posterior.predict(data.rows()).mean, 1e-9);
}

#[test]
fn the_curvature_of_a_quadratic_is_its_hessian() {
    let rows = rows(40, 1);
    let reward = |x: &[f64]| -3.0 * x[0] * x[0] - x[1] * x[1] + 2.0 * x[0] * x[1];
    let rewards = rows.rows().map(reward).collect();
    let data = Dataset::from_parts(rows, rewards);
    // In u = W (x − x_c) / unit the Hessian is unit² W⁻ᵀ H W⁻¹; the metric of H makes it round.
    let metric =
        Metric::of_curvature(&faer::mat![[6.0, -2.0], [-2.0, 2.0]], 0.0).map(std::sync::Arc::new);
    let round = -0.25 * 8f64.sqrt();
    for (metric, expected) in [(None, [-1.5, -0.5, 0.5]), (metric, [round, round, 0.0])] {
        let frame = Frame {
            metric,
            ..Frame::new(vec![0.1, 0.2], 0.5)
        };
        let posterior = framed(frame).tuned(&data).fit(&data).unwrap();
        let hessian = posterior.curvature(0.4).unwrap();
        let found = [(0, 0), (1, 1), (0, 1)].map(|(i, j)| hessian[(i, j)]);
        assert_near(&found, &expected, 0.02);
    }
}

#[test]
fn an_improvement_that_the_others_predict_has_a_small_error() {
    let error = |last: [f64; 2], reward: f64| {
        let mut data = Dataset::new(2);
        let quadratic = |x: &[f64]| -3.0 * x[0] * x[0] - x[1] * x[1];
        let known = rows(25, 1);
        let known = known.rows().filter(|x| quadratic(x) < -0.3);
        known.for_each(|x| data.push(x, quadratic(x)));
        data.push(&last, reward);
        let tuned = model().with_hyper(Hyper::start(2)).tuned(&data);
        tuned.fit(&data).unwrap().last_improvement_error()
    };
    assert!(error([0.0, 0.1], -0.01).unwrap() < 0.05);
    assert!(error([0.0, 0.1], 2.0).unwrap() > 0.3);
    assert_eq!(error([0.9, 0.9], -3.24), None);
}

#[test]
fn a_metric_changes_gradients_with_values() {
    let (data, points) = (data(12), rows(3, 2));
    let metric =
        Metric::of_curvature(&faer::mat![[5.0, 2.0], [2.0, 1.0]], 0.1).map(std::sync::Arc::new);
    let frame = Frame {
        metric,
        ..Frame::new(vec![0.1, -0.3], 0.7)
    };
    let posterior = framed(frame).with_hyper(HYPER).fit(&data).unwrap();
    let (found, expected) = gradients(&posterior.mean_function(), &points);
    assert_near(found.as_slice(), &expected.concat(), 1e-6);
}

#[test]
fn leave_one_out_errors_tell_a_model_that_is_too_sure() {
    let noisy = noisy(40);
    let widening = |log_noise: f64| {
        let model = model().with_hyper(Hyper { log_noise, ..HYPER });
        model.fit(&noisy).unwrap().widening()
    };
    let (sure, unsure) = (widening(-12.0), widening(-1.0));
    assert!(sure > 1.2 * unsure, "{sure} {unsure}");
}

#[test]
fn evidence_tells_noise_from_signal() {
    let noise = |data: Dataset| {
        let posterior = model().tuned(&data).fit(&data).unwrap();
        posterior.noise_sd().unwrap()
    };
    let (clean, found) = (noise(data(60)), noise(noisy(60)));
    assert!(clean < 0.02, "noise of {clean} in data without");
    assert!((0.2..0.4).contains(&found), "{found} instead of 0.3");
}

/// `count` observations of one point, of which the first `ones` are 1 and the others 0.
fn repeated(count: usize, ones: usize) -> Dataset {
    let rewards = (0..count).map(|i| f64::from(u8::from(i < ones))).collect();
    Dataset::from_parts(Points::from_rows(2, vec![[0.3, 0.4]; count]), rewards)
}

fn predicted_at_the_repeated_point(data: &Dataset) -> (f64, f64) {
    let tuned = model().with_hyper(Hyper::start(2)).tuned(data);
    let at = tuned.fit(data).unwrap();
    let at = at.predict(&Points::from_rows(2, [[0.3, 0.4]]));
    (at.mean[0], at.sd[0])
}

#[test]
fn repeated_observations_are_predicted_at_their_mean() {
    for (count, ones) in [(4, 2), (8, 1), (12, 8), (50, 22), (200, 94)] {
        let (mean, sd) = predicted_at_the_repeated_point(&repeated(count, ones));
        let (n, share) = (count as f64, ones as f64 / count as f64);
        let expected = (share * (1.0 - share) / (n - 1.0)).sqrt();
        assert!((mean - share).abs() < 0.05 * expected, "{count}: {mean}");
        // Student's t is wider, most with few observations.
        let ratio = sd / expected;
        assert!((0.9..1.0 + 2.0 / n).contains(&ratio), "{count}: {ratio}");
    }
}

#[test]
fn a_lucky_observation_moves_the_prediction_by_its_share() {
    let (without, _) = predicted_at_the_repeated_point(&repeated(100, 40));
    let mut data = repeated(100, 40);
    data.push(&[0.3, 0.4], 3.0);
    let (with, _) = predicted_at_the_repeated_point(&data);
    let expected = (3.0 - 0.4) / 101.0;
    assert!((with - without - expected).abs() < 0.1 * expected);
}

#[test]
fn noise_that_changes_places_among_equal_points_changes_nothing() {
    let points = [[-0.5, 0.1], [0.3, 0.4], [0.8, -0.6]];
    let predicted = |shift: usize| {
        let mut data = Dataset::new(2);
        for (k, point) in points.iter().enumerate() {
            for i in 0..12 {
                let noise = [0.4, -0.3, 0.1, -0.2][(i + k + shift) % 4];
                data.push(point, k as f64 + noise);
            }
        }
        let tuned = model().with_hyper(Hyper::start(2)).tuned(&data);
        let posterior = tuned.fit(&data).unwrap();
        assert!(posterior.sees_noise());
        posterior.predict(&Points::from_rows(2, points))
    };
    let (one, other) = (predicted(0), predicted(1));
    assert_near(&one.mean, &other.mean, 1e-6);
    assert_near(&one.sd, &other.sd, 1e-6);
}
