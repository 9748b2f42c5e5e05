//! The library against its short twin in `examples/`: the same weights, data and λ give the same uncertainty and gradients.

#![allow(clippy::unwrap_used)]

use faer::Mat;
use neuralbo::linalg::{Purpose, Rng, Streams};
use neuralbo::net::{Activation, Architecture, Features, Init, Mlp};
use neuralbo_paper::neural::covariance::{CovarianceKind, FeatureCovariance};
use neuralbo_paper::training::{AdamState, Trainer, TrainingData};
use rand::RngExt;

#[path = "../../../examples/tiny_neuralbo.rs"]
#[allow(dead_code)]
mod tiny;

const INPUTS: usize = 4;
const WIDTH: usize = 30;
const LAMBDA: f64 = 0.02;

fn rng(seed: u64) -> Rng {
    Streams::new(seed).stream(0, Purpose::Sample)
}

fn points(count: usize, seed: u64) -> Mat<f64> {
    let mut rng = rng(seed);
    Mat::from_fn(INPUTS, count, |i, _| {
        if i + 1 == INPUTS {
            1.0
        } else {
            rng.random_range(-1.0..1.0)
        }
    })
}

/// The same network for both: θ has the same order there and here.
fn networks() -> (tiny::Network, Mlp<f64>) {
    let shape = Architecture {
        inputs: INPUTS,
        width: WIDTH,
        depth: 2,
        activation: Activation::Relu,
        biases: false,
    };
    let net = Mlp::new(shape, Init::Standard, &mut rng(1)).unwrap();
    (
        tiny::Network {
            inputs: INPUTS,
            width: WIDTH,
            theta: net.theta().to_vec(),
        },
        net,
    )
}

#[test]
fn outputs_and_gradients_agree() {
    let (twin, net) = networks();
    let x = points(7, 2);
    let (outputs, gradients) = (
        net.forward(x.as_ref()),
        Features::of(&net, x.as_ref()).dense(),
    );
    for (j, output) in outputs.into_iter().enumerate() {
        assert!((twin.output(x.col_as_slice(j)) - output).abs() < 1e-12);
        let gradient = twin.gradient(x.col_as_slice(j));
        assert!(
            gradient
                .iter()
                .zip(gradients.col_as_slice(j))
                .all(|(a, b)| (a - b).abs() < 1e-12)
        );
    }
}

#[test]
fn every_exact_covariance_agrees_with_sherman_morrison_to_1e_8() {
    let (twin, net) = networks();
    for t in [1, 10, 60] {
        let (data, at) = (points(t, 3), points(9, 4));
        let mut posterior = tiny::Posterior::new(twin.theta.len(), LAMBDA, WIDTH);
        (0..t).for_each(|j| posterior.observe(&twin.gradient(data.col_as_slice(j))));
        for kind in [CovarianceKind::Dual, CovarianceKind::Dense] {
            let mut covariance = FeatureCovariance::new(kind, net.theta().len(), LAMBDA);
            covariance
                .append(&Features::of(&net, data.as_ref()))
                .unwrap();
            for (j, variance) in covariance
                .variance(&Features::of(&net, at.as_ref()))
                .into_iter()
                .enumerate()
            {
                let expected = posterior.variance(&twin.gradient(at.col_as_slice(j)));
                assert!(
                    (variance / expected - 1.0).abs() < 1e-8,
                    "{kind:?}, t = {t}: {variance:e} and {expected:e}"
                );
            }
        }
    }
}

#[test]
fn training_agrees_step_by_step() {
    let (mut twin, mut net) = networks();
    let x = points(12, 5);
    let y: Vec<f64> = (0..12).map(|j| x[(0, j)] - x[(1, j)] * x[(2, j)]).collect();
    let data: Vec<(Vec<f64>, f64)> = (0..12)
        .map(|j| (x.col_as_slice(j).to_vec(), y[j]))
        .collect();
    let anchor = net.theta().to_vec();
    twin.train(&anchor, &data, LAMBDA, 0.01, 50);
    let trainer = Trainer::descent(0.01, 50, usize::MAX, WIDTH as f64 * LAMBDA);
    let training = TrainingData::new(x.as_ref(), &y, &anchor);
    trainer
        .train(&mut net, &training, &mut AdamState::default(), &mut rng(6))
        .unwrap();
    assert!(
        net.theta()
            .iter()
            .zip(&twin.theta)
            .all(|(a, b)| (a - b).abs() < 1e-10)
    );
}

#[test]
fn the_twin_finds_the_top_of_a_hill() {
    let hill = |x: &[f64]| -(x[0] - 0.2).powi(2) - (x[1] + 0.4).powi(2);
    let settings = tiny::Settings {
        width: 16,
        lambda: 0.01,
        nu: 0.1,
        candidates: 60,
        initial: 3,
        rounds: 25,
    };
    let (_, value) = tiny::maximize(hill, 2, &settings, &mut rng(7));
    assert!(value > -0.05, "best value {value}");
}
