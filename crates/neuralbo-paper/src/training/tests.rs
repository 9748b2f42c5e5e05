//! Training follows the gradient of its objective, converges, and reports divergence.

use super::*;
use crate::fixtures::{close, relu, shape, slope};
use faer::Mat;
use neuralbo::linalg::{Purpose, Rng, Streams};
use neuralbo::net::{Activation, Features, Init, Mlp};
use rand::RngExt;

const D: usize = 4;

fn rng(seed: u64) -> Rng {
    Streams::new(seed).stream(0, Purpose::NetworkInit)
}

fn nets() -> Vec<Mlp<f64>> {
    let mut nets = Vec::new();
    for activation in Activation::ALL {
        for (depth, biases, init) in [
            (2, false, Init::Standard),
            (2, true, Init::Reference),
            (3, false, Init::Antisymmetric),
            (3, true, Init::HeZeroLast),
            (4, true, Init::Standard),
        ] {
            let shape = shape(D, 10, depth, activation, biases);
            let mut net = Mlp::new(shape, init, &mut rng(depth as u64)).unwrap();
            net.theta_mut().iter_mut().for_each(|w| *w *= 3.0);
            nets.push(net);
        }
    }
    nets
}

fn inputs(count: usize, seed: u64) -> Mat<f64> {
    let mut rng = rng(seed);
    Mat::from_fn(D, count, |_, _| rng.random_range(-1.0..1.0))
}

fn vector(len: usize, seed: u64) -> Vec<f64> {
    let mut rng = rng(seed);
    (0..len).map(|_| rng.random_range(-1.0..1.0)).collect()
}

fn moved(net: &Mlp<f64>, v: &[f64], step: f64) -> Mlp<f64> {
    let mut net = net.clone();
    let pairs = net.theta_mut().iter_mut().zip(v);
    pairs.for_each(|(w, v)| *w += step * v);
    net
}

/// Trains from fresh moments with the draws of a seed.
fn run<T: Real>(
    trainer: Trainer,
    net: &mut Mlp<T>,
    data: &TrainingData<'_, T>,
    seed: u64,
) -> Result<TrainingReport, TrainError> {
    trainer.train(net, data, &mut AdamState::default(), &mut rng(seed))
}

fn objective(net: &Mlp<f64>, anchor: &[f64], x: &Mat<f64>, y: &[f64], proximal: f64) -> f64 {
    let square = |a: &[f64], b: &[f64]| -> f64 {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| (a - b).powi(2)).sum()
    };
    0.5 * square(&net.forward(x.as_ref()), y) + 0.5 * proximal * square(net.theta(), anchor)
}

#[test]
fn one_descent_step_follows_the_gradient_of_the_objective() {
    for mut net in nets() {
        let (x, y) = (inputs(300, 8), vector(300, 4));
        let anchor: Vec<f64> = net.theta().iter().map(|w| w + 0.1).collect();
        let before = net.clone();
        let rate = 1e-7;
        let trainer = Trainer {
            loss: LossScale::Sum,
            ..Trainer::descent(rate, 1, usize::MAX, 0.7)
        };
        let data = TrainingData::new(x.as_ref(), &y, &anchor);
        run(trainer, &mut net, &data, 1).unwrap();
        let v = vector(net.theta().len(), 5);
        let expected = slope(1e-6, |step| {
            objective(&moved(&before, &v, step), &anchor, &x, &y, 0.7)
        });
        let steps = before.theta().iter().zip(net.theta()).zip(&v);
        let found: f64 = steps.map(|((a, b), v)| (a - b) / rate * v).sum();
        close(found, expected, 1e-5);
    }
}

#[test]
fn every_optimizer_fits_a_small_problem() {
    let shape = relu(D, 64, 2);
    let x = inputs(40, 2);
    let y: Vec<f64> = (0..40)
        .map(|j| x[(0, j)].sin() + 0.5 * x[(1, j)] * x[(2, j)])
        .collect();
    let full_batch = Trainer {
        loss: LossScale::Sum,
        ..Trainer::descent(4e-4, 4000, usize::MAX, 1e-4)
    };
    let adam = Trainer {
        proximal: 1e-4,
        ..Trainer::adam(5e-3, 300, 10)
    };
    for trainer in [full_batch, Trainer::descent(5e-3, 400, 8, 1e-4), adam] {
        let mut net = Mlp::<f32>::new(shape, Init::Standard, &mut rng(7)).unwrap();
        let x = Mat::from_fn(D, 40, |i, j| x[(i, j)] as f32);
        let y: Vec<f32> = y.iter().map(|&y| y as f32).collect();
        let anchor = net.theta().to_vec();
        let data = TrainingData::new(x.as_ref(), &y, &anchor);
        let loss = run(trainer, &mut net, &data, 2).unwrap().loss;
        assert!(loss < 0.1, "{trainer:?} left a loss of {loss}");
    }
}

#[test]
fn divergence_is_reported_and_leaves_the_network_alone() {
    let shape = relu(D, 64, 2);
    let mut net = Mlp::<f32>::new(shape, Init::Standard, &mut rng(7)).unwrap();
    let before = net.clone();
    let x = Mat::<f32>::from_fn(D, 20, |_, _| 1.0);
    let y = vec![1.0f32; 20];
    let anchor = before.theta().to_vec();
    let data = TrainingData::new(x.as_ref(), &y, &anchor);
    let trainer = Trainer {
        loss: LossScale::Sum,
        ..Trainer::descent(10.0, 50, 5, 0.0)
    };
    assert!(run(trainer, &mut net, &data, 1).is_err());
    assert_eq!(net, before);
}

#[test]
fn the_stable_rate_is_where_a_step_no_longer_contracts() {
    // One point: the residual of a wide network is multiplied by 1 − η m k(x, x) a step, and the limit is where that is −1.
    let shape = relu(D, 4096, 2);
    let (x, y) = (inputs(1, 3), [0.5]);
    for (loss, seed) in [
        (LossScale::Mean, 1),
        (LossScale::MeanSquare, 2),
        (LossScale::Sum, 3),
    ] {
        let start = Mlp::<f64>::new(shape, Init::Mirrored, &mut rng(seed)).unwrap();
        let kernel = Features::of(&start, x.as_ref()).kernel_diagonal()[0];
        let data = TrainingData::new(x.as_ref(), &y, start.theta());
        let train = |share: f64| {
            let mut trainer = Trainer {
                loss,
                ..Trainer::descent(0.0, 10, usize::MAX, 0.0)
            };
            trainer.rate = share * trainer.stable_rate(4096, kernel, 1);
            run(trainer, &mut start.clone(), &data, 1)
        };
        let below = train(0.9).unwrap();
        close(below.loss / below.first, 0.8f64.powi(20), 0.01);
        let above = train(1.1).unwrap_err();
        close(above.loss / above.first / 1.2f64.powi(20), 1.0, 0.2);
        let ends = above.loss < 100.0 * above.first && above.step == 10;
        assert!(ends, "{above}");
    }
}

/// The paper's network and training on `count` standardized values of Ackley's function in `dim` dimensions: R² on the data.
fn r_squared_on_ackley(dim: usize, count: usize) -> f64 {
    let mut draws = rng(41);
    let x = Mat::<f32>::from_fn(dim + 1, count, |i, _| {
        if i == dim {
            1.0
        } else {
            draws.random_range(-1.0..1.0)
        }
    });
    let ackley = |x: &[f32]| {
        let mean = |f: fn(f64) -> f64| {
            x[..dim]
                .iter()
                .map(|&x| f(32.768 * f64::from(x)))
                .sum::<f64>()
                / dim as f64
        };
        20.0 * (-0.2 * mean(|x| x * x).sqrt()).exp()
            + mean(|x| (std::f64::consts::TAU * x).cos()).exp()
    };
    let rewards: Vec<f64> = (0..count).map(|j| ackley(x.col_as_slice(j))).collect();
    let units = neuralbo::surrogate::Standardizer::of(&rewards);
    let y: Vec<f32> = rewards.iter().map(|y| units.forward(*y) as f32).collect();
    let shape = relu(dim + 1, 500, 2);
    let mut net = Mlp::<f32>::new(shape, Init::Standard, &mut rng(7)).unwrap();
    let anchor = net.theta().to_vec();
    let data = TrainingData::new(x.as_ref(), &y, &anchor);
    let trainer = Trainer::descent(1e-3, 50, 50, 5.0);
    let report = run(trainer, &mut net, &data, 2).unwrap();
    1.0 - 2.0 * report.loss / count as f64
}

#[test]
fn a_last_batch_of_one_point_does_not_undo_the_others() {
    // 101 points are two batches of 50 and one point. A step of full length for that point leaves R² at 0.3 and −29.
    let (fifty, hundred) = (r_squared_on_ackley(50, 101), r_squared_on_ackley(100, 101));
    assert!(fifty > 0.95 && hundred > 0.75, "{fifty} and {hundred}");
}
