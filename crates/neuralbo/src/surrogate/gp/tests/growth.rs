//! A surrogate that saw the data grow and a fresh one give the same model.

use super::*;
use crate::surrogate::Refit;

fn refitted(every_until: usize) -> GpSettings {
    let growth = 0.1;
    let refit = Refit {
        every_until,
        growth,
    };
    GpSettings {
        refit,
        ..GpSettings::default()
    }
}

#[test]
fn grown_and_fresh_surrogates_agree_and_other_data_start_over() {
    let settings = GpSettings {
        ard: true,
        kernel: Kernel::Matern52,
        ..refitted(12)
    };
    let (data, rows) = (wavy_data(2, 40, 6), random_points(2, 30, 7));
    let sizes = [5, 6, 12, 13, 14, 20, 21, 22, 23, 24, 25, 38, 40];
    let prefixes = sizes.map(|len| data.prefix(len)).into_iter();
    let mut grown = GaussianProcess::new(settings.clone()).unwrap();
    for seen in prefixes.chain([wavy_data(2, 20, 10)]) {
        let one = grown.fit(&seen, &STREAMS()).unwrap().predict(&rows);
        let mut fresh = GaussianProcess::new(settings.clone()).unwrap();
        let other = fresh.fit(&seen, &STREAMS()).unwrap().predict(&rows);
        assert_eq!(grown.hyper_fit(), fresh.hyper_fit());
        assert_eq!(one, other, "{}", seen.len());
    }
}

#[test]
fn hyper_parameters_are_kept_between_milestones_unless_the_rewards_leave_their_range() {
    let settings = refitted(30);
    let mut data = wavy_data(2, 30, 11);
    let mut process = GaussianProcess::new(settings.clone()).unwrap();
    let mut observations = |data: &Dataset| {
        process.fit(data, &STREAMS()).unwrap();
        process.hyper_fit().unwrap().observations
    };
    data.push(&[0.1, 0.2], 5.0);
    assert_eq!(observations(&data), 30);
    data.push(&[0.1, -0.7], -1e300);
    assert_eq!(observations(&data), 32);
    let prediction = fit(settings, &data).predict(data.rows());
    let mut all = prediction.mean.iter().chain(&prediction.sd);
    assert!(all.all(|v| v.is_finite()));
}

#[test]
fn pending_rows_at_their_means_equal_observations_there() {
    let (kernel, hyper) = (Kernel::SquaredExponential, hyper(0.7, 2.0, 0.01, 0.5));
    let data = wavy_data(2, 15, 14);
    let pending = random_points(2, 3, 15);
    let posterior = given(kernel, &hyper, &data);
    let mut told = data.clone();
    for (row, mean) in pending.rows().zip(posterior.predict(&pending).mean) {
        told.push(row, mean);
    }
    let rows = random_points(2, 20, 16);
    let one = posterior.with_pending(&pending).unwrap().predict(&rows);
    let observed = given(kernel, &hyper, &told).predict(&rows);
    assert_near(&one.mean, &observed.mean, 1e-9);
    assert_near(&one.sd, &observed.sd, 1e-9);
}
