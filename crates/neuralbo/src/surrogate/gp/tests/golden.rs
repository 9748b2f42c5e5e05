//! Agreement with scikit-learn, whose values `scripts/golden/gp.py` writes into `golden.json`.

use super::*;
use crate::surrogate::gp::hyper::SearchSpace;
use crate::surrogate::gp::optimize::{HyperLoss, best_of_starts};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    fixed: Vec<Fixed>,
    fitted: Vec<Fitted>,
}

#[derive(Deserialize)]
struct Fixed {
    kernel: Kernel,
    hyper: HyperParameters,
    rows: Vec<Vec<f64>>,
    values: Vec<f64>,
    at: Vec<Vec<f64>>,
    mean: Vec<f64>,
    sd: Vec<f64>,
    log_likelihood: f64,
}

#[derive(Deserialize)]
struct Fitted {
    kernel: Kernel,
    ard: bool,
    rows: Vec<Vec<f64>>,
    values: Vec<f64>,
    log_likelihood: f64,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("golden.json")).unwrap()
}

fn points(rows: &[Vec<f64>]) -> Points {
    Points::from_rows(rows[0].len(), rows)
}

#[test]
fn predictions_and_likelihood_of_fixed_hyper_parameters_agree() {
    for case in golden().fixed {
        let data = Dataset::from_parts(points(&case.rows), case.values);
        let likelihood = log_marginal_likelihood(case.kernel, &case.hyper, &data).value;
        assert_near(&[likelihood], &[case.log_likelihood], 1e-8);
        let posterior = given(case.kernel, &case.hyper, &data);
        let prediction = posterior.predict(&points(&case.at));
        assert_near(&prediction.mean, &case.mean, 1e-8);
        let squares = |sds: &[f64]| sds.iter().map(|sd| sd * sd).collect::<Vec<f64>>();
        assert_near(&squares(&prediction.sd), &squares(&case.sd), 1e-8);
    }
}

/// scikit-learn's mean is zero; ours, fitted, has an advantage that could hide a poor search, so it is also held at zero.
#[test]
fn fitted_hyper_parameters_are_at_least_as_likely_with_and_without_a_mean() {
    for (number, case) in golden().fitted.into_iter().enumerate() {
        let data = Dataset::from_parts(points(&case.rows), case.values);
        let (standard, dim) = (standardized(&data), data.rows().dim());
        let settings = GpSettings {
            kernel: case.kernel,
            ard: case.ard,
            priors: false,
            ..GpSettings::default()
        };
        let scales = if case.ard { dim } else { 1 };
        let mut objective = HyperLoss::new(&standard, &settings, SearchSpace { scales, dim });
        objective.mean_precision = 1e12;
        let mut rng = STREAMS().stream(0, Purpose::HyperParameters);
        let at_zero = -best_of_starts(&mut objective, settings.starts, &mut rng).value;
        let mut process = GaussianProcess::new(settings).unwrap();
        process.fit(&data, &STREAMS()).unwrap();
        let fitted = &process.hyper_fit().unwrap().values;
        let ours = log_marginal_likelihood(case.kernel, fitted, &standard).value;
        let least = case.log_likelihood - 1e-6 * case.log_likelihood.abs();
        let context = format!("data set {number}: {ours}, {at_zero} against {least}");
        assert!(ours >= least && at_zero >= least, "{context}");
    }
}
