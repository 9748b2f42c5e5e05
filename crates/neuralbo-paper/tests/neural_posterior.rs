//! Mean and standard deviation of Algorithm 1, and the training of Algorithm 2, against numpy with full gradients and a dense U
//! (`scripts/golden/neural_posterior.py`).

#![allow(clippy::unwrap_used)]

use faer::Mat;
use neuralbo::linalg::{Purpose, Streams};
use neuralbo::net::{Activation, Architecture, Features, Init, Mlp};
use neuralbo_paper::neural::covariance::{CovarianceKind, FeatureCovariance};
use neuralbo_paper::training::{AdamState, LossScale, Trainer, TrainingData};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    depth: usize,
    inputs: usize,
    width: usize,
    lambda: f64,
    rate: f64,
    steps: usize,
    theta: Vec<f64>,
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    at: Vec<Vec<f64>>,
    linear_mean: Vec<f64>,
    sigma: Vec<f64>,
    trained_mean: Vec<f64>,
}

fn cases() -> Vec<Golden> {
    serde_json::from_str(include_str!("data/neural_posterior.json")).unwrap()
}

impl Golden {
    fn network(&self) -> Mlp<f64> {
        let Self {
            inputs,
            width,
            depth,
            ..
        } = *self;
        let shape = Architecture {
            inputs,
            width,
            depth,
            activation: Activation::Relu,
            biases: false,
        };
        let mut net = Mlp::new(
            shape,
            Init::Standard,
            &mut Streams::new(1).stream(0, Purpose::NetworkInit),
        )
        .unwrap();
        net.theta_mut().copy_from_slice(&self.theta);
        net
    }

    fn columns(&self, points: &[Vec<f64>]) -> Mat<f64> {
        Mat::from_fn(self.inputs, points.len(), |i, j| points[j][i])
    }
}

fn agree(ours: &[f64], numpy: &[f64], tolerance: f64) {
    assert_eq!(ours.len(), numpy.len());
    for (a, b) in ours.iter().zip(numpy) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{a} and {b}");
    }
}

#[test]
fn the_standard_deviation_and_the_linear_mean_are_those_of_numpy() {
    for golden in cases() {
        let net = golden.network();
        let (x, at) = (golden.columns(&golden.x), golden.columns(&golden.at));
        let (seen, here) = (
            Features::of(&net, x.as_ref()),
            Features::of(&net, at.as_ref()),
        );
        for kind in [CovarianceKind::Dual, CovarianceKind::Dense] {
            let mut covariance = FeatureCovariance::new(kind, net.theta().len(), golden.lambda);
            covariance.append(&seen).unwrap();
            let sigma: Vec<f64> = covariance
                .variance(&here)
                .into_iter()
                .map(f64::sqrt)
                .collect();
            agree(&sigma, &golden.sigma, 1e-12);
            let start = net.forward(x.as_ref());
            let residuals: Vec<f64> = golden.y.iter().zip(&start).map(|(y, h)| y - h).collect();
            if let Some(shift) = covariance.ridge(&residuals) {
                let mean: Vec<f64> = net
                    .forward(at.as_ref())
                    .iter()
                    .zip(here.jvp(&shift))
                    .map(|(h, change)| h + change)
                    .collect();
                agree(&mean, &golden.linear_mean, 1e-12);
            }
        }
    }
}

#[test]
fn the_trained_mean_is_that_of_numpy() {
    for golden in cases() {
        let mut net = golden.network();
        let x = golden.columns(&golden.x);
        let proximal = golden.width as f64 * golden.lambda;
        let trainer = Trainer {
            loss: LossScale::Sum,
            ..Trainer::descent(golden.rate, golden.steps, usize::MAX, proximal)
        };
        let data = TrainingData::new(x.as_ref(), &golden.y, &golden.theta);
        let mut rng = Streams::new(1).stream(0, Purpose::Training);
        trainer
            .train(&mut net, &data, &mut AdamState::default(), &mut rng)
            .unwrap();
        agree(
            &net.forward(golden.columns(&golden.at).as_ref()),
            &golden.trained_mean,
            1e-12,
        );
    }
}
