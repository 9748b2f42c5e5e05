//! The formulas against independent values (scripts/golden/theory.py), laws and wide random networks.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use faer::{Mat, MatRef, Side};
use neuralbo::linalg::{Points, Purpose, Rng, Streams};
use neuralbo::net::Activation::{self, Relu, Tanh};
use proptest::prelude::*;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::f64::consts::PI;

fn kernel(phi: Activation, layers: usize, variance: f64) -> NeuralTangentKernel {
    NeuralTangentKernel::new(phi, layers, variance).unwrap()
}

fn normals(count: usize, scale: f64, rng: &mut Rng) -> Vec<f64> {
    (0..count)
        .map(|_| scale * rng.sample::<f64, _>(StandardNormal))
        .collect()
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} against {b}");
}

#[test]
fn moments_match_nested_integration() {
    let expected = [
        (Relu, 0.2653780915189, 0.3188646691587),
        (Tanh, 0.1509197641091, 0.385261610559),
    ];
    for (phi, value, slope) in expected {
        let moments = kernel(phi, 2, 2.0).moments(0.7, 1.3, 0.4);
        close(moments.value, value, 2e-9);
        close(moments.slope, slope, 2e-9);
    }
}

#[test]
fn relu_kernels_known_by_hand() {
    let rows = Points::from_rows(
        2,
        [
            [1.0, 0.0],
            [0.0, 1.0],
            [0.5_f64.sqrt(), 0.5_f64.sqrt()],
            [-1.0, 0.0],
        ],
    );
    let two = kernel(Relu, 2, 2.0).matrices(&rows);
    // Right angle: Σ⁽²⁾ = 1/π and the inner product is 0. Opposite points share no active unit.
    close(two.covariance[(0, 1)], 1.0 / PI, 1e-15);
    close(two.tangent[(0, 1)], 1.0 / PI, 1e-15);
    close(two.tangent[(0, 3)], 0.0, 1e-15);
    // Half a right angle: Σ⁽²⁾ = (sin θ + (π − θ) cos θ)/π = (1/π + 3/4)/√2, and H̃⁽²⁾ adds cos θ · 3/4.
    let sigma = (1.0 / PI + 0.75) * 0.5_f64.sqrt();
    close(two.covariance[(0, 2)], sigma, 1e-15);
    close(two.tangent[(0, 2)], sigma + 0.75 * 0.5_f64.sqrt(), 1e-15);
    close(
        two.definition()[(0, 2)],
        sigma + 0.375 * 0.5_f64.sqrt(),
        1e-15,
    );
}

#[test]
fn the_relu_kernel_at_one_point_counts_layers() {
    let rows = Points::from_rows(3, [[1.0, 2.0, -0.5]]);
    let square = 5.25;
    for layers in 1..6 {
        let he = kernel(Relu, layers, 2.0).matrices(&rows);
        close(he.covariance[(0, 0)], square, 1e-12);
        close(he.tangent[(0, 0)], layers as f64 * square, 1e-12);
        close(
            he.definition()[(0, 0)],
            0.5 * (layers + 1) as f64 * square,
            1e-12,
        );
        let halved = kernel(Relu, layers, 1.0).matrices(&rows);
        close(
            halved.tangent[(0, 0)],
            layers as f64 * square * 0.5_f64.powi(layers as i32 - 1),
            1e-12,
        );
    }
}

/// How the layers of a dense random network are scaled.
#[derive(Clone, Copy)]
struct Scales {
    first: f64,
    hidden: f64,
    last: f64,
    /// Factor of ⟨b, b′⟩⟨a, a′⟩ at hidden and last weights, where gradients are with respect to unscaled entries.
    gradient: f64,
}

/// `Σ_l ⟨b_l, b_l′⟩⟨a_{l−1}, a_{l−1}′⟩` of one dense network with two hidden layers of width `m`.
fn empirical_kernel(
    phi: Activation,
    rows: &Points,
    m: usize,
    scales: Scales,
    rng: &mut Rng,
) -> Mat<f64> {
    let first = normals(m * rows.dim(), scales.first, rng);
    let hidden = normals(m * m, scales.hidden, rng);
    let last = normals(m, scales.last, rng);
    let first = MatRef::from_column_major_slice(&first, m, rows.dim());
    let hidden = MatRef::from_column_major_slice(&hidden, m, m);
    let at = |z: &Mat<f64>, i, j| phi.evaluate(z[(i, j)]);
    let activated = |z: &Mat<f64>| Mat::from_fn(m, rows.len(), |i, j| at(z, i, j)[0]);
    let z1 = first * rows.as_mat();
    let a1 = activated(&z1);
    let z2 = hidden * &a1;
    let a2 = activated(&z2);
    let b2 = Mat::from_fn(m, rows.len(), |i, j| last[i] * at(&z2, i, j)[1]);
    let back = hidden.transpose() * &b2;
    let b1 = Mat::from_fn(m, rows.len(), |i, j| back[(i, j)] * at(&z1, i, j)[1]);
    let gram = |a: MatRef<'_, f64>| a.transpose() * a;
    let (x, g1, g2) = (gram(rows.as_mat()), gram(a1.as_ref()), gram(a2.as_ref()));
    let (d1, d2) = (gram(b1.as_ref()), gram(b2.as_ref()));
    Mat::from_fn(rows.len(), rows.len(), |i, j| {
        scales.gradient * (g2[(i, j)] + d2[(i, j)] * g1[(i, j)]) + d1[(i, j)] * x[(i, j)]
    })
}

/// Compares the mean over `networks` draws: one draw of width m is off by about √(5/m) a ReLU layer, the variance of φ² in
/// units of its squared mean being 5.
fn assert_networks_tend_to(
    expected: &Mat<f64>,
    phi: Activation,
    rows: &Points,
    (networks, m): (u64, usize),
    scales: Scales,
) {
    let mut mean = Mat::<f64>::zeros(rows.len(), rows.len());
    for network in 0..networks {
        let mut rng = Streams::new(17).stream(network, Purpose::NetworkInit);
        mean += empirical_kernel(phi, rows, m, scales, &mut rng);
    }
    let largest = expected.norm_max();
    for i in 0..rows.len() {
        for j in 0..rows.len() {
            close(
                mean[(i, j)] / networks as f64,
                expected[(i, j)],
                0.05 * largest,
            );
        }
    }
}

fn three_points() -> Points {
    Points::from_rows(2, [[1.0, 0.0], [0.6, 0.8], [-0.8, 0.3]])
}

/// Weights N(0, c/m) with the last layer's variance `ratio` times as large.
fn network_scales(m: usize, c: f64, ratio: f64) -> Scales {
    let scale = (c / m as f64).sqrt();
    Scales {
        first: scale,
        hidden: scale,
        last: scale * ratio.sqrt(),
        gradient: 1.0,
    }
}

#[test]
fn wide_relu_networks_tend_to_the_recursion() {
    let (rows, m) = (three_points(), 128);
    for (c, ratio) in [(2.0, 1.0), (2.0, 0.5), (2.0, 0.0), (1.0, 1.0)] {
        let expected = kernel(Relu, 3, c).matrices(&rows).network_limit(ratio);
        assert_networks_tend_to(
            &expected,
            Relu,
            &rows,
            (500, m),
            network_scales(m, c, ratio),
        );
    }
}

#[test]
fn wide_smooth_networks_with_small_weights_become_linear() {
    let (rows, m) = (three_points(), 400);
    // H̃⁽³⁾ of φ(z) = z with c = 2.
    let linear = rows.as_mat().transpose() * rows.as_mat() * faer::Scale(3.0 * 4.0);
    assert_networks_tend_to(&linear, Tanh, &rows, (12, m), network_scales(m, 2.0, 1.0));
}

#[test]
fn definition_one_of_any_activation_is_the_limit_with_inputs_of_order_one() {
    let (rows, m, c) = (three_points(), 400, 2.0_f64);
    let scale = (c / m as f64).sqrt();
    let scales = Scales {
        first: 1.0,
        hidden: scale,
        last: scale,
        gradient: scale * scale,
    };
    assert_networks_tend_to(
        &kernel(Tanh, 3, c).matrices(&rows).tangent,
        Tanh,
        &rows,
        (12, m),
        scales,
    );
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
    let text = |error: TheoryError| error.to_string();
    assert!(text(confidence_width(1.0, 1.0, 1.0, 1.0).unwrap_err()).starts_with("alpha = 1"));
    assert!(text(learning_rate(10, 2, 3, -1.0).unwrap_err()).starts_with("lambda = -1"));
    assert!(
        NeuralTangentKernel::new(Relu, 0, 2.0).is_err_and(|e| text(e).starts_with("layers = 0"))
    );
    let indefinite = faer::mat![[-3.0]];
    assert_eq!(
        information_gain(indefinite.as_ref(), 1.0),
        Err(TheoryError::NotPositiveDefinite { size: 1 })
    );
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
        let rows = Points::from_rows(3, (0..8).map(|_| normals(3, 1.0, &mut rng)));
        for phi in [Relu, Tanh] {
            let definition = kernel(phi, layers, 2.0).matrices(&rows).definition();
            let smallest = definition.self_adjoint_eigenvalues(Side::Lower).unwrap()[0];
            prop_assert!(smallest > -1e-10, "smallest eigenvalue {smallest}");
            let gain = |size: usize| information_gain(definition.submatrix(0, 0, size, size), 1.1).unwrap();
            for size in 0..8 {
                prop_assert!(gain(size + 1) > gain(size));
            }
        }
    }
}
