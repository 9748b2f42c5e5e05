//! The formulas against independent values (scripts/golden/theory.py), laws and wide random networks.

#![allow(clippy::unwrap_used)]

use super::ntk::moments;
use super::*;
use crate::fixtures::relu;
use faer::{Mat, Side};
use neuralbo::linalg::{Points, Purpose, Streams};
use neuralbo::net::{Features, Init, Mlp};
use proptest::prelude::*;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::f64::consts::PI;

fn kernel(layers: usize, variance: f64) -> NeuralTangentKernel {
    NeuralTangentKernel::new(layers, variance).unwrap()
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} against {b}");
}

#[test]
fn moments_match_nested_integration() {
    let [value, slope] = moments(0.7, 1.3, 0.4);
    close(value, 0.2653780915189, 2e-9);
    close(slope, 0.3188646691587, 2e-9);
}

#[test]
fn kernels_known_by_hand() {
    let half = 0.5_f64.sqrt();
    let rows = Points::from_rows(2, [[1.0, 0.0], [0.0, 1.0], [half, half], [-1.0, 0.0]]);
    let two = kernel(2, 2.0).matrices(&rows);
    // Right angle: Σ⁽²⁾ = 1/π and the inner product is 0. Opposite points share no active unit.
    close(two.covariance[(0, 1)], 1.0 / PI, 1e-15);
    close(two.tangent[(0, 1)], 1.0 / PI, 1e-15);
    close(two.tangent[(0, 3)], 0.0, 1e-15);
    // Half a right angle: Σ⁽²⁾ = (sin θ + (π − θ) cos θ)/π = (1/π + 3/4)/√2, and H̃⁽²⁾ adds cos θ · 3/4.
    let sigma = (1.0 / PI + 0.75) * half;
    close(two.covariance[(0, 2)], sigma, 1e-15);
    close(two.tangent[(0, 2)], sigma + 0.75 * half, 1e-15);
    close(two.definition()[(0, 2)], sigma + 0.375 * half, 1e-15);
}

#[test]
fn the_kernel_at_one_point_counts_layers() {
    let rows = Points::from_rows(3, [[1.0, 2.0, -0.5]]);
    let square = 5.25;
    for layers in 1..6 {
        let (he, count) = (kernel(layers, 2.0).matrices(&rows), layers as f64);
        close(he.covariance[(0, 0)], square, 1e-12);
        close(he.tangent[(0, 0)], count * square, 1e-12);
        close(he.definition()[(0, 0)], 0.5 * (count + 1.0) * square, 1e-12);
        let halved = kernel(layers, 1.0).matrices(&rows).tangent[(0, 0)];
        close(halved, count * square * 0.5_f64.powf(count - 1.0), 1e-12);
    }
}

fn points() -> Points {
    let rows = [[0.3, -0.8], [-0.5, 0.1], [0.9, 0.7], [0.2, -0.6]];
    Points::from_rows(3, rows.map(|[x, y]| [x, y, 1.0]))
}

/// Root mean square difference between the kernels of 60 networks of width `m` and `limit`, relative to its largest entry.
fn error(init: Init, depth: usize, m: usize, limit: &Mat<f64>) -> f64 {
    let squares = |network: u64| {
        let mut rng = Streams::new(23).stream(network, Purpose::NetworkInit);
        let net = Mlp::<f64>::new(relu(3, m, depth), init, &mut rng).unwrap();
        let features = Features::of(&net, points().as_mat());
        (features.kernel(&features) - limit).squared_norm_l2()
    };
    let sum: f64 = (0..60).map(squares).sum();
    (sum / (60.0 * limit.nrows().pow(2) as f64)).sqrt() / limit.norm_max()
}

#[test]
fn errors_of_finite_networks_fall_like_the_root_of_the_width() {
    // Weight variance factor c, and that of the last layer relative to it, of each initialization.
    let cases = [
        (Init::Standard, 1.0, 1.0),
        (Init::Mirrored, 1.0, 1.0),
        (Init::HeZeroLast, 2.0, 0.0),
        (Init::Antisymmetric, 2.0, 1.0),
    ];
    for ((init, c, ratio), depth) in cases.into_iter().flat_map(|case| [(case, 2), (case, 3)]) {
        let limit = kernel(depth, c).matrices(&points()).network_limit(ratio);
        let [narrow, wide] = [32, 512].map(|m| error(init, depth, m, &limit));
        // Sixteen times the width is a quarter of the error; each estimate from 60 networks is good to about a tenth, and
        // narrow networks also feel the next order.
        let context = format!("{init:?}, depth {depth}: errors {narrow}, {wide}");
        assert!((3.0..5.6).contains(&(narrow / wide)), "{context}");
        assert!(wide < 0.1, "{context}");
    }
}

#[test]
fn theorem_settings_match_high_precision_values() {
    let width = confidence_width(2.0, 0.5, 0.1, 1.01).unwrap();
    close(width, 3.8960851272887, 1e-11);
    let steps = descent_steps(3, 100, 0.1, 1.01).unwrap();
    close(steps, 4988.4822527909, 1e-8);
    let rate = learning_rate(500, 3, 100, 1.01).unwrap();
    close(rate, 1.0 / 150_505.0, 1e-18);
    let bound = RegretBound {
        norm_bound: 2.0,
        noise: 0.5,
        alpha: 0.1,
        lambda: 1.01,
        layers: 3,
        rounds: 100,
        information_gain: 7.5,
        log_discretization: 20.0,
        input_norms: (1.0, 1.5),
        constants: (2.0, 3.0),
    };
    close(bound.value().unwrap(), 12930.101650126, 1e-8);
    let swapped = RegretBound {
        input_norms: (2.0, 1.0),
        ..bound
    };
    assert_eq!(
        swapped.value().unwrap_err().to_string(),
        "input_norms.0 = 2: must be at most input_norms.1"
    );
}

#[test]
fn arguments_out_of_range_are_named() {
    let alpha = confidence_width(1.0, 1.0, 1.0, 1.0).unwrap_err();
    assert!(alpha.to_string().starts_with("alpha = 1"));
    let lambda = learning_rate(10, 2, 3, -1.0).unwrap_err();
    assert!(lambda.to_string().starts_with("lambda = -1"));
    let layers = NeuralTangentKernel::new(0, 2.0).err().unwrap();
    assert!(layers.to_string().starts_with("layers = 0"));
    let indefinite = information_gain(faer::mat![[-3.0]].as_ref(), 1.0).unwrap_err();
    assert_eq!(
        indefinite.to_string(),
        "kernel = 1 × 1 matrix: must be positive semidefinite"
    );
}

#[test]
fn information_of_independent_and_repeated_points() {
    // Independent points add up; a point seen twice is one observation with half the noise.
    let gain = |kernel: Mat<f64>| information_gain(kernel.as_ref(), 0.5).unwrap();
    let both = 0.5 * (7.0_f64.ln() + 3.0_f64.ln());
    close(gain(faer::mat![[3.0, 0.0], [0.0, 1.0]]), both, 1e-15);
    let twice = 0.5 * 13.0_f64.ln();
    close(gain(faer::mat![[3.0, 3.0], [3.0, 3.0]]), twice, 1e-15);
}

#[test]
fn regret_adds_up() {
    assert_eq!(cumulative_regret(1.0, &[]), Vec::<f64>::new());
    assert_eq!(cumulative_regret(1.0, &[0.5, 1.0, -1.0]), [0.5, 0.5, 2.5]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn kernels_are_positive_semidefinite_and_gain_grows_with_data(seed in 0_u64..1000, layers in 1_usize..5) {
        let mut rng = Streams::new(seed).stream(0, Purpose::Design);
        let rows = Points::from_rows(3, (0..8).map(|_| [(); 3].map(|()| rng.sample::<f64, _>(StandardNormal))));
        let definition = kernel(layers, 2.0).matrices(&rows).definition();
        let smallest = definition.self_adjoint_eigenvalues(Side::Lower).unwrap()[0];
        prop_assert!(smallest > -1e-10, "smallest eigenvalue {smallest}");
        let gain = |size: usize| information_gain(definition.submatrix(0, 0, size, size), 1.1).unwrap();
        for size in 0..8 {
            prop_assert!(gain(size + 1) > gain(size));
        }
    }
}
