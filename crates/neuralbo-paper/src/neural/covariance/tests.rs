//! The ways agree with each other and with the paper's formula computed densely.

use super::*;
use crate::fixtures::{rng, shape};
use faer::Mat;
use faer::prelude::Solve;
use neuralbo::net::{Activation, Init, Mlp};
use rand::RngExt;

const LAMBDA: f64 = 0.01;

fn net(depth: usize, activation: Activation, biases: bool) -> Mlp<f64> {
    Mlp::new(
        shape(3, 12, depth, activation, biases),
        Init::Standard,
        &mut rng(depth as u64),
    )
    .unwrap()
}

fn inputs(count: usize, seed: u64) -> Mat<f64> {
    let mut rng = rng(seed);
    Mat::from_fn(3, count, |i, _| {
        if i == 2 {
            1.0
        } else {
            rng.random_range(-1.0..1.0)
        }
    })
}

/// `λ gᵀU⁻¹g′/m` with `U = λI + GGᵀ/m`, straight from Algorithm 1.
fn paper_covariance(net: &Mlp<f64>, data: &Mat<f64>, points: &Mat<f64>) -> Mat<f64> {
    let m = net.architecture().width as f64;
    let g = Features::of(net, data.as_ref()).dense();
    let p = g.nrows();
    let u = Mat::<f64>::identity(p, p) * faer::Scale(LAMBDA)
        + &g * g.transpose() * faer::Scale(1.0 / m);
    let at = Features::of(net, points.as_ref()).dense();
    at.transpose() * u.partial_piv_lu().solve(&at) * faer::Scale(LAMBDA / m)
}

fn grown(kind: CovarianceKind, net: &Mlp<f64>, data: &Mat<f64>) -> FeatureCovariance<f64> {
    let mut covariance = FeatureCovariance::new(kind, net.theta().len(), LAMBDA);
    let first = data.ncols() / 2;
    let mut append = |j, count| covariance.append(&Features::of(net, data.subcols(j, count)));
    append(0, first).unwrap();
    (first..data.ncols()).for_each(|j| append(j, 1).unwrap());
    covariance
}

#[test]
fn dual_and_dense_agree_with_the_paper_to_1e_8() {
    for activation in Activation::ALL {
        for (depth, biases) in [(2, false), (3, true), (4, false)] {
            for t in [2, 9, 40] {
                let (net, data, points) =
                    (net(depth, activation, biases), inputs(t, 5), inputs(6, 9));
                let expected = paper_covariance(&net, &data, &points);
                for kind in [CovarianceKind::Dual, CovarianceKind::Dense] {
                    let variance =
                        grown(kind, &net, &data).variance(&Features::of(&net, points.as_ref()));
                    for (j, v) in variance.iter().enumerate() {
                        let error = (v / expected[(j, j)] - 1.0).abs();
                        let case = format!("{kind:?} {activation:?} depth {depth} t {t}");
                        assert!(error < 1e-8, "{case}: {error:e}");
                    }
                }
            }
        }
    }
}

#[test]
fn samples_have_the_posterior_covariance() {
    let (net, data, points) = (net(3, Activation::Gelu, false), inputs(6, 5), inputs(4, 9));
    let features = Features::of(&net, points.as_ref());
    let expected = paper_covariance(&net, &data, &points);
    let draws = 20_000;
    for kind in [CovarianceKind::Dual, CovarianceKind::Dense] {
        let covariance = grown(kind, &net, &data);
        let (mut mean, mut second, mut rng) = ([0.0; 4], Mat::<f64>::zeros(4, 4), rng(77));
        for _ in 0..draws {
            let f = features.jvp(&covariance.sample(&mut rng));
            let f: Vec<f64> = f.iter().map(|f| f / 12f64.sqrt()).collect();
            (0..4).for_each(|i| mean[i] += f[i] / draws as f64);
            (0..4).for_each(|i| (0..4).for_each(|j| second[(i, j)] += f[i] * f[j] / draws as f64));
        }
        for i in 0..4 {
            // Five standard errors of a mean and of a covariance of normal draws.
            let error = (expected[(i, i)] / draws as f64).sqrt();
            assert!(mean[i].abs() < 5.0 * error, "{kind:?} mean {}", mean[i]);
            for j in 0..4 {
                let spread =
                    (expected[(i, i)] * expected[(j, j)] + expected[(i, j)].powi(2)) / draws as f64;
                let error = (second[(i, j)] - expected[(i, j)]).abs();
                assert!(error < 5.0 * spread.sqrt(), "{kind:?} covariance {i},{j}");
            }
        }
    }
}

#[test]
fn a_dual_factor_does_not_depend_on_how_many_rows_came_at_a_time() {
    let net = net(2, Activation::Relu, false);
    let data = inputs(600, 5);
    let points = inputs(6, 9);
    let features = Features::of(&net, data.as_ref());
    let variance = |cuts: &[usize]| {
        let mut covariance =
            FeatureCovariance::new(CovarianceKind::Dual, net.theta().len(), LAMBDA);
        for pair in cuts.windows(2) {
            covariance
                .append(&features.columns(pair[0]..pair[1]))
                .unwrap();
        }
        covariance.variance(&Features::of(&net, points.as_ref()))
    };
    let one_by_one = variance(&(0..=600).collect::<Vec<_>>());
    assert_eq!(one_by_one, variance(&[0, 600]));
    assert_eq!(one_by_one, variance(&[0, 1, 100, 256, 300, 511, 513, 600]));
    let expected = paper_covariance(&net, &data, &points);
    let mut all = one_by_one.iter().enumerate();
    assert!(all.all(|(j, v)| (v / expected[(j, j)] - 1.0).abs() < 1e-8));
}

#[test]
fn ridge_moves_the_linearized_network_onto_the_data() {
    let (net, data) = (net(2, Activation::Relu, false), inputs(10, 4));
    let features = Features::of(&net, data.as_ref());
    let residuals: Vec<f64> = (0..10).map(|i| (i as f64).sin()).collect();
    let dual = grown(CovarianceKind::Dual, &net, &data);
    let a = dual.ridge(&residuals).unwrap();
    // Normal equations of ½Σ(gᵀv − r)² + ½mλ‖v‖²: G(Gᵀv − r) + mλv = 0.
    let mut gradient: Vec<f64> = a.iter().map(|v| v * 12.0 * LAMBDA).collect();
    let fitted = features.jvp(&a);
    let errors: Vec<f64> = fitted.iter().zip(&residuals).map(|(f, r)| f - r).collect();
    features.vjp(&errors, &mut gradient);
    assert!(gradient.iter().all(|g| g.abs() < 1e-9));
}

#[test]
fn diagonal_is_the_diagonal_of_u() {
    let (net, data, points) = (net(2, Activation::Tanh, true), inputs(7, 4), inputs(3, 8));
    let g = Features::of(&net, data.as_ref()).dense();
    let at = Features::of(&net, points.as_ref()).dense();
    let u: Vec<f64> = (0..g.nrows())
        .map(|i| LAMBDA + (0..7).map(|j| g[(i, j)].powi(2)).sum::<f64>() / 12.0)
        .collect();
    let variance =
        grown(CovarianceKind::Diagonal, &net, &data).variance(&Features::of(&net, points.as_ref()));
    for (j, v) in variance.iter().enumerate() {
        let expected: f64 = (0..g.nrows())
            .map(|i| LAMBDA * at[(i, j)].powi(2) / u[i] / 12.0)
            .sum();
        assert!((v / expected - 1.0).abs() < 1e-12);
    }
}

#[test]
fn automatic_choice_is_the_smaller_exact_factor() {
    use CovarianceKind::{Auto, Dense, Diagonal, Dual};
    let cases = [
        ((Auto, 100, 5000), Dual),
        ((Auto, 5000, 801), Dense),
        ((Auto, 6000, 8000), Dual),
        ((Auto, 9000, 8000), Dual),
        ((Diagonal, 6000, 8000), Diagonal),
    ];
    for ((kind, t, p), expected) in cases {
        assert_eq!(kind.resolve(t, p), expected, "{kind:?}, t = {t}, p = {p}");
    }
}

/// `λ rᵀ(K + λI)⁻¹r = rᵀr − rᵀGᵀU⁻¹Gr/m` (Woodbury), with U of Algorithm 1.
#[test]
fn the_quadratic_form_is_that_of_the_matrix_of_algorithm_1() {
    let (net, data) = (net(3, Activation::Relu, false), inputs(9, 5));
    let r = Mat::from_fn(9, 1, |i, _| (i as f64).sin() - 0.3);
    let (m, g) = (12.0, Features::of(&net, data.as_ref()).dense());
    let p = g.nrows();
    let u = Mat::<f64>::identity(p, p) * faer::Scale(LAMBDA)
        + &g * g.transpose() * faer::Scale(1.0 / m);
    let moved = &g * &r;
    let explained = moved.transpose() * u.partial_piv_lu().solve(&moved);
    let expected = (r.squared_norm_l2() - explained[(0, 0)] / m) / LAMBDA;
    let of = |kind| grown(kind, &net, &data).quadratic_form(r.col_as_slice(0));
    let found = of(CovarianceKind::Dual).unwrap();
    assert!((found / expected - 1.0).abs() < 1e-8, "{found} {expected}");
    assert_eq!(of(CovarianceKind::Dense), None);
}
