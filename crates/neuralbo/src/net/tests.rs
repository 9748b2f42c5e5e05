//! Laws the network and its operators obey, over depths, activations, biases and both number types.

use super::*;
use crate::linalg::{Purpose, Rng, Streams, product};
use faer::{Mat, MatRef};
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
            let shape = Architecture {
                inputs: D,
                width: 10,
                depth,
                activation,
                biases,
            };
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
    net.theta_mut()
        .iter_mut()
        .zip(v)
        .for_each(|(w, v)| *w += step * v);
    net
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!(
        (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs())),
        "{a} and {b} differ"
    );
}

/// Central difference of a vector-valued function of each input coordinate, one column a point.
fn input_differences(x: &Mat<f64>, f: impl Fn(MatRef<'_, f64>) -> Vec<f64>) -> Mat<f64> {
    let h = 1e-6;
    let mut gradient = Mat::zeros(x.nrows(), x.ncols());
    for i in 0..x.nrows() {
        let shifted = |step: f64| {
            Mat::from_fn(x.nrows(), x.ncols(), |r, c| {
                x[(r, c)] + if r == i { step } else { 0.0 }
            })
        };
        let (up, down) = (f(shifted(h).as_ref()), f(shifted(-h).as_ref()));
        (0..x.ncols()).for_each(|j| gradient[(i, j)] = (up[j] - down[j]) / (2.0 * h));
    }
    gradient
}

#[test]
fn jvp_is_the_directional_derivative() {
    let x = inputs(7, 1);
    for net in nets() {
        let v = vector(net.theta().len(), 2);
        let (up, down) = (
            moved(&net, &v, 1e-6).forward(x.as_ref()),
            moved(&net, &v, -1e-6).forward(x.as_ref()),
        );
        for (j, jvp) in Features::of(&net, x.as_ref())
            .jvp(&v)
            .into_iter()
            .enumerate()
        {
            close(jvp, (up[j] - down[j]) / 2e-6, 1e-7);
        }
    }
}

#[test]
fn jvp_and_vjp_are_adjoint_and_the_kernel_is_their_product() {
    let (x, other) = (inputs(6, 1), inputs(5, 3));
    for net in nets() {
        let (features, others) = (
            Features::of(&net, x.as_ref()),
            Features::of(&net, other.as_ref()),
        );
        let dense = features.dense();
        let kernel = features.kernel(&others);
        let expected = product(dense.transpose(), others.dense().as_ref());
        let diagonal = features.kernel_diagonal();
        for i in 0..6 {
            let norm: f64 = dense.col_as_slice(i).iter().map(|g| g * g).sum();
            close(diagonal[i], norm / 10.0, 1e-12);
            (0..5).for_each(|j| close(kernel[(i, j)], expected[(i, j)] / 10.0, 1e-12));
        }
        let v = vector(net.theta().len(), 4);
        let jvp = features.jvp(&v);
        for (j, jvp) in jvp.iter().enumerate() {
            close(
                *jvp,
                dense
                    .col_as_slice(j)
                    .iter()
                    .zip(&v)
                    .map(|(g, v)| g * v)
                    .sum(),
                1e-12,
            );
        }
        let squares = features.squared().jvp(&v);
        for (j, square) in squares.iter().enumerate() {
            close(
                *square,
                dense
                    .col_as_slice(j)
                    .iter()
                    .zip(&v)
                    .map(|(g, v)| g * g * v)
                    .sum(),
                1e-12,
            );
        }
    }
}

#[test]
fn input_gradients_match_finite_differences() {
    let x = inputs(5, 1);
    for net in nets() {
        let (values, gradient) = net.forward_with_input_gradient(x.as_ref());
        let expected = input_differences(&x, |x| net.forward(x));
        let again = net.forward(x.as_ref());
        for j in 0..5 {
            close(values[j], again[j], 1e-14);
            (0..D).for_each(|i| close(gradient[(i, j)], expected[(i, j)], 1e-6));
        }
    }
}

#[test]
fn pullback_of_jvp_and_kernel_matches_finite_differences() {
    let (x, other) = (inputs(5, 1), inputs(3, 6));
    for net in nets() {
        let v = vector(net.theta().len(), 2);
        let features = Features::differentiable(&net, x.as_ref());
        let gradient = features.pullback(&net, features.adjoints_of_jvp(&v));
        let expected = input_differences(&x, |x| Features::of(&net, x).jvp(&v));
        let others = Features::of(&net, other.as_ref());
        let c = Mat::from_fn(3, 5, |i, j| (i as f64 - 1.0) * 0.3 + j as f64 * 0.1);
        let kernel_gradient = features.pullback(&net, features.adjoints_of_kernel(&others, &c));
        let kernel_expected = input_differences(&x, |x| {
            let kernel = Features::of(&net, x).kernel(&others);
            (0..5)
                .map(|j| (0..3).map(|i| c[(i, j)] * kernel[(j, i)]).sum())
                .collect()
        });
        for j in 0..5 {
            (0..D).for_each(|i| close(gradient[(i, j)], expected[(i, j)], 1e-6));
            (0..D).for_each(|i| close(kernel_gradient[(i, j)], kernel_expected[(i, j)], 1e-6));
        }
    }
}

#[test]
fn antisymmetric_networks_start_at_zero_with_all_features() {
    let shape = Architecture {
        inputs: D,
        width: 32,
        depth: 3,
        activation: Activation::Relu,
        biases: false,
    };
    for init in [Init::Antisymmetric, Init::Mirrored] {
        let net = Mlp::<f64>::new(shape, init, &mut rng(5)).unwrap();
        let x = inputs(4, 9);
        assert!(net.forward(x.as_ref()).iter().all(|h| h.abs() < 1e-12));
        assert!(Features::of(&net, x.as_ref()).deltas[0].norm_max() > 0.0);
    }
}

#[test]
fn standard_initialization_has_the_known_moments() {
    // E k(x,x) = ‖x‖² and Var h(x; θ₀) = ‖x‖²/2 for two ReLU layers with weights N(0, 1/m).
    let shape = Architecture {
        inputs: D,
        width: 400,
        depth: 2,
        activation: Activation::Relu,
        biases: false,
    };
    let x = inputs(1, 3);
    let norm = x.squared_norm_l2();
    let (mut kernel, mut variance) = (0.0, 0.0);
    let draws = 400;
    for seed in 0..draws {
        let net = Mlp::<f64>::new(shape, Init::Standard, &mut rng(seed)).unwrap();
        kernel += Features::of(&net, x.as_ref()).kernel_diagonal()[0] / draws as f64;
        variance += net.forward(x.as_ref())[0].powi(2) / draws as f64;
    }
    assert!(
        (kernel / norm - 1.0).abs() < 0.02,
        "{kernel} against {norm}"
    );
    assert!(
        (variance / (norm / 2.0) - 1.0).abs() < 0.3,
        "{variance} against {}",
        norm / 2.0
    );
}

#[test]
fn shapes_that_make_no_network_are_refused() {
    let shape = Architecture {
        inputs: 3,
        width: 5,
        depth: 2,
        activation: Activation::Relu,
        biases: false,
    };
    let build = |shape| {
        Mlp::<f64>::new(shape, Init::Antisymmetric, &mut rng(1))
            .unwrap_err()
            .to_string()
    };
    assert!(build(shape).contains("width = 5"));
    assert!(build(Architecture { depth: 1, ..shape }).contains("depth = 1"));
    assert!(build(Architecture { inputs: 0, ..shape }).contains("inputs = 0"));
}
