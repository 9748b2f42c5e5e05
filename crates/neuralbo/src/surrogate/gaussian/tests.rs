//! What holds for every covariance.

use super::*;
use crate::linalg::testing::{assert_near, differences, random_points};
use crate::linalg::{Purpose, Streams};
use crate::surrogate::gp::tests::{given, hyper};
use crate::surrogate::gp::{GaussianProcess, GpSettings, Kernel};
use crate::surrogate::pool::PoolModel;
use crate::surrogate::tangent::{Frame, TangentKernel, TangentModel};
use crate::surrogate::{Dataset, Posterior, Prediction, Surrogate};

const STREAMS: fn() -> Streams = || Streams::new(17);

fn rows(count: usize, seed: u64) -> Points {
    random_points(2, count, seed)
}

fn smooth(x: &[f64]) -> f64 {
    10.0 + (3.0 * x[0]).sin() - x[1] * x[1]
}

fn data(count: usize) -> Dataset {
    let rows = rows(count, 1);
    let rewards = rows.rows().map(smooth).collect();
    Dataset::from_parts(rows, rewards)
}

fn tangent() -> TangentModel {
    let mut rng = STREAMS().stream(0, Purpose::NetworkInit);
    TangentModel::new(
        TangentKernel::new(2, 40, &mut rng).unwrap(),
        Frame::new(vec![0.1, -0.3], 0.7),
    )
}

/// The posteriors of all models.
fn fits(data: &Dataset) -> [(&'static str, Box<dyn Posterior>); 3] {
    let settings = GpSettings {
        kernel: Kernel::Matern52,
        ..GpSettings::default()
    };
    let mut process = GaussianProcess::new(settings).unwrap();
    let indices: Vec<usize> = (0..data.len()).collect();
    let mut pool = PoolModel::new(data.rows());
    [
        ("gp", process.fit(data, &STREAMS()).unwrap()),
        (
            "tangent",
            Box::new(tangent().tuned(data).fit(data).unwrap()),
        ),
        ("pool", Box::new(pool.fit_data(&indices, data).unwrap())),
    ]
}

#[test]
fn pending_rows_keep_the_mean_and_shrink_the_uncertainty() {
    // The last row is pending twice: its second copy tells nothing new.
    let pending = Points::from_rows(2, [[0.9, 0.9], [-0.9, 0.3], [0.9, 0.9]]);
    let points = rows(40, 13);
    for (name, posterior) in fits(&data(15)) {
        let informed = posterior.with_pending(&pending).unwrap();
        let (before, after) = (posterior.predict(&points), informed.predict(&points));
        assert_near(&before.mean, &after.mean, 1e-6);
        let mut sds = before.sd.iter().zip(&after.sd);
        assert!(sds.all(|(a, b)| *b <= a * 1.001 + 1e-9), "{name}");
        let (before, after) = (
            posterior.predict(&pending).sd,
            informed.predict(&pending).sd,
        );
        assert!(
            (0..3).all(|i| after[i] < 0.9 * before[i]),
            "{name}: {before:?} {after:?}"
        );
        let same = posterior.with_pending(&Points::new(2)).unwrap();
        assert_eq!(same.predict(&points), posterior.predict(&points), "{name}");
    }
}

#[test]
fn predictions_have_gradients_unless_only_rows_of_a_pool_exist() {
    let points = rows(6, 3);
    for (name, posterior) in fits(&data(14)) {
        let Some(at) = posterior.predict_with_gradient(&points) else {
            assert_eq!(name, "pool");
            continue;
        };
        for j in 0..6 {
            let by = |of: &dyn Fn(Prediction) -> f64| {
                differences(points.row(j), |x| {
                    of(posterior.predict(&Points::from_rows(2, [x])))
                })
            };
            let expected = [by(&|at| at.mean[0]), by(&|at| at.sd[0])].concat();
            let found = [at.mean_gradient.row(j), at.sd_gradient.row(j)].concat();
            let size = expected.iter().fold(1.0, |most: f64, v| most.max(v.abs()));
            assert_near(&found, &expected, 1e-4 * size);
        }
    }
}

/// Leaves out each observation of a posterior and predicts it.
fn left_out_one_by_one<K: Covariance>(posterior: &Gaussian<K>) -> Vec<f64> {
    let data = &posterior.conditioned;
    let without = |left: usize| {
        let others: Vec<usize> = (0..data.len()).filter(|i| *i != left).collect();
        let targets = others
            .iter()
            .map(|&i| posterior.mean + posterior.targets[i])
            .collect();
        let few = data.on(&others).unwrap();
        let few = Gaussian::new(few, targets, posterior.mean, posterior.units);
        few.means_at(&data.inputs.slice(left..left + 1))[0]
    };
    (0..data.len()).map(without).collect()
}

#[test]
fn leave_one_out_predictions_are_those_of_all_others() {
    let data = data(12);
    let indices: Vec<usize> = (0..12).collect();
    let tangent = tangent().fit(&data).unwrap();
    let pool = PoolModel::new(data.rows())
        .fit_data(&indices, &data)
        .unwrap();
    for (found, expected) in [
        (tangent.left_out().unwrap(), left_out_one_by_one(&tangent)),
        (pool.left_out().unwrap(), left_out_one_by_one(&pool)),
    ] {
        assert_near(&found, &expected, 1e-6);
    }
}

#[test]
fn an_estimated_reward_counts_less_the_larger_its_deviation() {
    let wrong = |sd: f64| {
        let mut data = data(30);
        data.push(&[0.05, 0.05], smooth(&[0.05, 0.05]) - 5.0);
        data.set_last_observation_sd(sd);
        data
    };
    let at = Points::from_rows(2, [[0.05, 0.05]]);
    for ((name, sure), (_, unsure)) in fits(&wrong(0.0)).into_iter().zip(fits(&wrong(50.0))) {
        let error = |posterior: &dyn Posterior| (posterior.means(&at)[0] - smooth(at.row(0))).abs();
        let (sure, unsure) = (error(&*sure), error(&*unsure));
        assert!(unsure < 0.5 * sure && unsure < 0.5, "{name}: {unsure}");
    }
}

#[test]
fn vanishing_noise_is_helped_by_jitter() {
    let line = Points::from_rows(1, (0..40).map(|i| [f64::from(i) / 20.0 - 1.0]));
    let rewards = (0..40).map(|i| (f64::from(i) * 0.05).sin()).collect();
    let data = Dataset::from_parts(line, rewards);
    let posterior = given(
        Kernel::SquaredExponential,
        &hyper(2.0, 1.0, 0.0, 0.0),
        &data,
    );
    assert_near(&posterior.means(data.rows()), data.rewards(), 1e-3);
}
