//! What every surrogate must do, whatever its model.

use std::panic::{AssertUnwindSafe, catch_unwind};

use neuralbo::linalg::{Points, Purpose, Streams};
use neuralbo::surrogate::{Dataset, FitError, Posterior, Surrogate};
use rand::RngExt;

const STREAMS: fn() -> Streams = || Streams::new(17);

/// Makes a surrogate for rows of a dimension.
pub type Make = fn(usize) -> Box<dyn Surrogate>;

/// A promise by its name, and its check, which panics where it is broken.
type SurrogateCase = (&'static str, fn(&str, Make));

const CASES: [SurrogateCase; 7] = [
    ("one observation suffices", one_observation),
    ("equal rewards and equal rows are no obstacle", equal_data),
    ("rewards of any size have finite predictions", any_size),
    ("one and a hundred dimensions", dimensions),
    ("no observation is an error", no_observation),
    ("rewards that are not finite are an error", endless_reward),
    (
        "a fresh surrogate fits as one that saw the data grow",
        growth,
    ),
];

/// Checks all promises of a surrogate; panics with those that are broken.
///
/// ```
/// use neuralbo::surrogate::gp::{GaussianProcess, GpSettings};
///
/// neuralbo_testkit::surrogate::conformance("gp", |_| {
///     let settings = GpSettings { starts: 1, ..GpSettings::default() };
///     Box::new(GaussianProcess::new(settings).unwrap())
/// });
/// ```
pub fn conformance(name: &str, make: Make) {
    let broken =
        |(_, check): &&SurrogateCase| catch_unwind(AssertUnwindSafe(|| check(name, make))).is_err();
    let broken: Vec<&str> = CASES.iter().filter(broken).map(|(case, _)| *case).collect();
    let texts = broken.join("; ");
    assert!(broken.is_empty(), "surrogate `{name}` breaks: {texts}");
}

fn random_rows(dim: usize, count: usize, seed: u64) -> Points {
    let mut rng = Streams::new(seed).stream(0, Purpose::Design);
    let mut coordinate = |_| rng.random_range(-1.0..1.0);
    let mut row = |_| (0..dim).map(&mut coordinate).collect();
    Points::from_rows(dim, (0..count).map::<Vec<f64>, _>(&mut row))
}

fn wavy(dim: usize, count: usize) -> Dataset {
    let rows = random_rows(dim, count, 3);
    let rewards = rows
        .rows()
        .map(|x| 5.0 + x.iter().map(|x| (2.0 * x).sin() - 0.4 * x * x).sum::<f64>())
        .collect();
    Dataset::from_parts(rows, rewards)
}

/// Everything that can be asked of a posterior has one finite answer per row.
fn assert_finite(name: &str, posterior: &dyn Posterior, rows: &Points) {
    let (at, means) = (posterior.predict(rows), posterior.means(rows));
    let mut answers = vec![at.mean, at.sd.clone(), means];
    if let Some(gradient) = posterior.predict_with_gradient(rows) {
        let slopes = gradient.mean_gradient.as_slice().iter();
        let slopes = slopes.chain(gradient.sd_gradient.as_slice());
        assert!(slopes.copied().all(f64::is_finite), "{name}: slopes");
        answers.push(gradient.prediction.mean);
    }
    if let Some(function) = posterior.sample_function(&mut STREAMS().stream(3, Purpose::Sample)) {
        answers.push(function.value(rows));
    }
    if let Some(informed) = posterior.with_pending(rows) {
        answers.push(informed.predict(rows).sd);
    }
    let finite = |values: &Vec<f64>| {
        values.len() == rows.len() && values.iter().all(|value| value.is_finite())
    };
    assert!(answers.iter().all(finite), "{name}: {answers:?}");
    assert!(at.sd.iter().all(|sd| *sd >= 0.0), "{name}");
    let noise = posterior.noise_sd();
    assert!(noise.is_none_or(|sd| sd >= 0.0 && sd.is_finite()), "{name}");
}

fn assert_fits(name: &str, make: Make, data: &Dataset) {
    let posterior = make(data.rows().dim()).fit(data, &STREAMS()).unwrap();
    assert_finite(name, &*posterior, &random_rows(data.rows().dim(), 7, 30));
    assert_finite(name, &*posterior, data.rows());
    assert_finite(name, &*posterior, &Points::new(data.rows().dim()));
}

fn one_observation(name: &str, make: Make) {
    assert_fits(name, make, &wavy(2, 1));
}

fn equal_data(name: &str, make: Make) {
    let rows = random_rows(2, 12, 5);
    let constant = Dataset::from_parts(rows, vec![-2.5; 12]);
    assert_fits(name, make, &constant);
    let repeated = Points::from_rows(2, vec![[0.3, -0.2]; 12]);
    let rewards = (0..12).map(|i| f64::from(i % 3)).collect();
    assert_fits(name, make, &Dataset::from_parts(repeated, rewards));
}

fn any_size(name: &str, make: Make) {
    let data = wavy(2, 15);
    for unit in [1e300, 1e-300] {
        let rewards = data.rewards().iter().map(|reward| reward * unit);
        assert_fits(name, make, &data.with_rewards(rewards.collect()));
    }
    let mut outlier = data.rewards().to_vec();
    outlier[7] = -1e12;
    assert_fits(name, make, &data.with_rewards(outlier));
}

fn dimensions(name: &str, make: Make) {
    assert_fits(name, make, &wavy(1, 30));
    assert_fits(name, make, &wavy(100, 20));
}

fn no_observation(name: &str, make: Make) {
    let error = make(2).fit(&Dataset::new(2), &STREAMS()).err();
    let expected = FitError::TooFewObservations {
        needed: 1,
        found: 0,
    };
    assert_eq!(error, Some(expected), "{name}");
}

fn endless_reward(name: &str, make: Make) {
    let mut rewards = wavy(2, 5).rewards().to_vec();
    rewards[3] = f64::INFINITY;
    let data = wavy(2, 5).with_rewards(rewards);
    let error = make(2).fit(&data, &STREAMS()).err().unwrap().to_string();
    assert!(error.contains("reward 3 is inf"), "{name}: {error}");
}

fn growth(name: &str, make: Make) {
    let (data, rows) = (wavy(2, 24), random_rows(2, 10, 8));
    let other = data.with_rewards(data.rewards().iter().map(|reward| 1.0 - reward).collect());
    let mut used = make(2);
    for seen in [
        data.prefix(3),
        data.prefix(11),
        data.prefix(12),
        data.clone(),
        other.clone(),
    ] {
        let [grown, fresh] = [&mut used, &mut make(2)]
            .map(|surrogate| surrogate.fit(&seen, &STREAMS()).unwrap().predict(&rows));
        assert_eq!(grown, fresh, "{name}: {} observations", seen.len());
    }
}
