//! Analytic derivatives against central differences.

use super::*;

const CASES: [(Kernel, bool); 5] = [
    (Kernel::SquaredExponential, false),
    (Kernel::SquaredExponential, true),
    (Kernel::Matern52, false),
    (Kernel::Matern52, true),
    (Kernel::ArcCosine, false),
];

/// From logarithms of scales, amplitude and noise, then the mean.
fn from_logs(parameters: &[f64]) -> HyperParameters {
    let (theta, mean) = parameters.split_at(parameters.len() - 1);
    HyperParameters::from_theta(theta, mean[0])
}

#[test]
fn likelihood_gradient() {
    let data = wavy_data(3, 25, 1);
    for (kernel, ard) in CASES {
        let mut theta = match (kernel, ard) {
            (Kernel::ArcCosine, _) => Vec::new(),
            (_, true) => vec![-0.3, 0.4, 0.1],
            (_, false) => vec![0.2],
        };
        theta.extend([0.7, -2.0, 4.0]);
        let analytic = log_marginal_likelihood(kernel, &from_logs(&theta), &data);
        let mut gradient = analytic.theta_gradient();
        gradient.push(analytic.mean);
        let value = |theta: &[f64]| log_marginal_likelihood(kernel, &from_logs(theta), &data).value;
        for (found, expected) in gradient.iter().zip(differences(&theta, value)) {
            let error = (found - expected).abs();
            let context = format!("{kernel:?}: {found} {expected}");
            assert!(error < 1e-6 * (1.0 + found.abs()), "{context}");
        }
    }
}

#[test]
fn gradients_of_predictions_and_samples() {
    let data = wavy_data(3, 20, 2);
    // More rows than one tile holds.
    let rows = random_points(3, 150, 3);
    for (kernel, ard) in CASES {
        let settings = GpSettings {
            kernel,
            ard,
            ..GpSettings::default()
        };
        let posterior = fit(settings, &data);
        let found = posterior.predict_with_gradient(&rows).unwrap();
        assert_eq!(found.prediction, posterior.predict(&rows));
        let mut rng = STREAMS().stream(0, Purpose::Sample);
        let function = posterior.sample_function(&mut rng).unwrap();
        let (values, slopes) = function.value_and_gradient(&rows).unwrap();
        assert_near(&values, &function.value(&rows), 1e-10);
        for i in (0..150).step_by(37) {
            let by = |f: &dyn Fn(&Points) -> f64| {
                differences(rows.row(i), |x| f(&Points::from_rows(3, [x])))
            };
            let mean = by(&|x| posterior.predict(x).mean[0]);
            assert_near(found.mean_gradient.row(i), &mean, 1e-5);
            let sd = by(&|x| posterior.predict(x).sd[0]);
            assert_near(found.sd_gradient.row(i), &sd, 1e-5);
            assert_near(slopes.row(i), &by(&|x| function.value(x)[0]), 1e-5);
        }
    }
}

#[test]
fn the_preview_has_the_same_means_and_never_smaller_deviations() {
    let (kernel, hyper) = (Kernel::SquaredExponential, hyper(0.6, 2.0, 0.01, 5.0));
    let (data, rows) = (wavy_data(3, 420, 50), random_points(3, 150, 51));
    let few = given(kernel, &hyper, &data.prefix(383));
    assert!(few.preview().is_none());
    let posterior = given(kernel, &hyper, &data);
    let preview = posterior.preview().unwrap();
    let (exact, bound) = (posterior.predict(&rows), preview.predict(&rows));
    assert_eq!(exact.mean, bound.mean);
    let mut sds = exact.sd.iter().zip(&bound.sd);
    assert!(sds.all(|(exact, bound)| *bound >= exact - 1e-9));
    assert!(exact.sd.iter().sum::<f64>() < 0.95 * bound.sd.iter().sum::<f64>());
    let at = preview.predict_with_gradient(&rows).unwrap();
    assert_eq!(at.prediction, bound);
    for i in [3, 77, 149] {
        let sd = |x: &[f64]| preview.predict(&Points::from_rows(3, [x])).sd[0];
        let expected = differences(rows.row(i), sd);
        assert_near(at.sd_gradient.row(i), &expected, 1e-4);
    }
}
