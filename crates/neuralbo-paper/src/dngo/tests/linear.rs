//! The regression and its mixture, against dense formulas and golden values.

use super::super::regression::{
    MixtureComponent, Precisions, Regression, Spectrum, Weights, linear,
};
use super::*;
use faer::Mat;
use faer::prelude::Solve;

/// The formula of `scripts/golden/linear_regression.py`, one column a point.
fn golden_features(first: usize, count: usize, size: usize) -> Mat<f64> {
    Mat::from_fn(size, count, |j, i| {
        let (i, j_) = ((first + i) as f64, j as f64);
        if j + 1 == size {
            1.0
        } else {
            (1.3 * i + 2.1 * j_ + 0.2 * i * j_).sin().tanh()
        }
    })
}

fn golden_targets(count: usize) -> Vec<f64> {
    (0..count)
        .map(|i| (0.7 * i as f64).cos() + 0.1 * i as f64)
        .collect()
}

fn mixture(regression: &Regression, precisions: &[Precisions]) -> Weights {
    let members = precisions
        .iter()
        .map(|&at| MixtureComponent {
            precisions: at,
            mean: regression.mean(at),
        })
        .collect();
    Weights::new(
        members,
        regression.gram.clone(),
        regression.spectrum.clone(),
    )
}

#[derive(serde::Deserialize)]
struct Golden {
    count: usize,
    size: usize,
    alpha: f64,
    beta: f64,
    log_evidence: f64,
    mean: Vec<f64>,
    variance: Vec<f64>,
}

#[test]
fn golden_values_of_the_definition() {
    let cases: Vec<Golden> =
        serde_json::from_str(include_str!("data/linear_regression.json")).unwrap();
    for case in cases {
        let features = golden_features(0, case.count, case.size);
        let regression = Regression::new(features.as_ref(), &golden_targets(case.count)).unwrap();
        let at = Precisions {
            alpha: case.alpha,
            beta: case.beta,
        };
        close(regression.log_evidence(at), case.log_evidence, 1e-10);
        let found =
            mixture(&regression, &[at]).predict(golden_features(100, 3, case.size).as_ref());
        for i in 0..3 {
            close(found.mean[i], case.mean[i], 1e-10);
            close(found.sd[i].powi(2), case.variance[i], 1e-10);
        }
    }
}

#[test]
fn mixture_has_the_moments_of_its_members() {
    let (features, targets) = (golden_features(0, 15, 6), golden_targets(15));
    let regression = Regression::new(features.as_ref(), &targets).unwrap();
    let precisions =
        [(0.1, 3.0), (5.0, 50.0), (40.0, 0.5)].map(|(alpha, beta)| Precisions { alpha, beta });
    let points = golden_features(100, 4, 6);
    let found = mixture(&regression, &precisions).predict(points.as_ref());
    for j in 0..4 {
        let (mut mean, mut second) = (0.0, 0.0);
        for at in precisions {
            let precision = Mat::<f64>::identity(6, 6) * faer::Scale(at.alpha)
                + &features * features.transpose() * faer::Scale(at.beta);
            let phi = points.col(j).as_mat();
            let solved = precision.partial_piv_lu().solve(phi);
            let variance = (phi.transpose() * &solved)[(0, 0)];
            let moments = &features * Mat::from_fn(15, 1, |i, _| at.beta * targets[i]);
            let member = (solved.transpose() * moments)[(0, 0)];
            mean += member / 3.0;
            second += (variance + member * member) / 3.0;
        }
        close(found.mean[j], mean, 1e-11);
        close(found.sd[j].powi(2), second - mean * mean, 1e-9);
    }
}

#[test]
fn pending_points_act_as_observations_at_the_mean() {
    let (features, targets) = (golden_features(0, 9, 5), golden_targets(9));
    let at = Precisions {
        alpha: 0.7,
        beta: 20.0,
    };
    let before = mixture(
        &Regression::new(features.as_ref(), &targets).unwrap(),
        &[at],
    );
    let (pending, points) = (golden_features(50, 2, 5), golden_features(100, 4, 5));
    let found = before
        .with_observed(pending.as_ref())
        .unwrap()
        .predict(points.as_ref());

    let all = Mat::from_fn(5, 11, |i, j| {
        if j < 9 {
            features[(i, j)]
        } else {
            pending[(i, j - 9)]
        }
    });
    let targets = [targets, before.predict(pending.as_ref()).mean].concat();
    let expected =
        mixture(&Regression::new(all.as_ref(), &targets).unwrap(), &[at]).predict(points.as_ref());
    for j in 0..4 {
        close(found.mean[j], expected.mean[j], 1e-10);
        close(found.sd[j], expected.sd[j], 1e-10);
    }
}

#[test]
fn draws_have_the_mixtures_moments() {
    let regression =
        Regression::new(golden_features(0, 6, 5).as_ref(), &golden_targets(6)).unwrap();
    let precisions = [(0.5, 3.0), (2.0, 30.0)].map(|(alpha, beta)| Precisions { alpha, beta });
    let weights = mixture(&regression, &precisions);
    let points = golden_features(100, 3, 5);
    let (draws, mut rng) = (20_000, rng(3));
    let values: Vec<Vec<f64>> = (0..draws)
        .map(|_| linear(&weights.sample(&mut rng), points.as_ref()))
        .collect();
    let found = weights.predict(points.as_ref());
    for j in 0..3 {
        let mean = values.iter().map(|v| v[j]).sum::<f64>() / draws as f64;
        let variance = values.iter().map(|v| (v[j] - mean).powi(2)).sum::<f64>() / draws as f64;
        assert!((mean - found.mean[j]).abs() < 5.0 * found.sd[j] / (draws as f64).sqrt());
        let ratio = variance / found.sd[j].powi(2);
        assert!((ratio - 1.0).abs() < 0.08, "{ratio}");
    }
}

#[test]
fn features_that_are_not_finite_are_refused() {
    let mut gram = Mat::<f64>::identity(3, 3);
    gram[(1, 1)] = f64::NAN;
    assert!(Spectrum::of(gram.as_ref()).is_none());
}
