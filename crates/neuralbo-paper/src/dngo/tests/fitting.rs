//! The whole surrogate.

use super::*;

#[test]
fn fits_a_sine_as_described() {
    let mut data = Dataset::new(1);
    (0..25)
        .map(|i| i as f64 / 12.0 - 1.0)
        .for_each(|x| data.push(&[x], (3.0 * x).sin()));
    for hyper_parameters in [
        DngoSettings::default().hyper_parameters,
        PrecisionRule::Evidence,
    ] {
        let settings = DngoSettings {
            hyper_parameters,
            ..DngoSettings::default()
        };
        let posterior = fitted(settings, &data);
        let at = Points::from_rows(1, (0..19).map(|i| [i as f64 / 10.0 - 0.9]));
        let prediction = posterior.predict(&at);
        for (row, mean) in at.rows().zip(&prediction.mean) {
            let error = mean - (3.0 * row[0]).sin();
            assert!(error.abs() < 0.1, "{error} at {}", row[0]);
        }
        let far = posterior.predict(&Points::from_rows(1, [[3.0]])).sd[0];
        let near = prediction.sd.iter().sum::<f64>() / 19.0;
        assert!(far > 3.0 * near, "sd {far} far away and {near} near");
    }
}

#[test]
fn gradients_match_finite_differences() {
    let posterior = fitted(
        small(),
        &dataset(3, 30, |x| 5.0 + x[0] * x[1] - x[2].powi(2)),
    );
    let rows = random_rows(3, 300, 8);
    let found = posterior.predict_with_gradient(&rows).unwrap();
    assert_eq!(found.prediction, posterior.predict(&rows));
    let sample = posterior.sample_function(&mut rng(4)).unwrap();
    let (values, _) = sample.value_and_gradient(&rows).unwrap();
    assert_eq!(values, sample.value(&rows));
    check_gradient(&*sample, &rows, 37, 1e-5, 1e-6);
    for (k, i) in (0..rows.len())
        .step_by(37)
        .flat_map(|k| (0..3).map(move |i| (k, i)))
    {
        let at = |step| posterior.predict(&shifted(rows.row(k), i, step));
        let (mean, sd) = (slope(1e-5, |h| at(h).mean[0]), slope(1e-5, |h| at(h).sd[0]));
        close(found.mean_gradient.row(k)[i], mean, 1e-6);
        close(found.sd_gradient.row(k)[i], sd, 1e-6);
    }
}

#[test]
fn pending_points_keep_the_mean_and_shrink_the_uncertainty() {
    let posterior = fitted(small(), &dataset(2, 12, |x| x[0] - x[1]));
    let (pending, at) = (random_rows(2, 3, 2), random_rows(2, 9, 6));
    let after = posterior.with_pending(&pending).unwrap();
    let (old, new) = (posterior.predict(&at), after.predict(&at));
    assert_eq!(old.mean, new.mean);
    let mut pairs = old.sd.iter().zip(&new.sd);
    assert!(pairs.all(|(old, new)| *new <= old * (1.0 + 1e-9)));
    let (old, new) = (posterior.predict(&pending), after.predict(&pending));
    assert!(old.sd.iter().zip(&new.sd).all(|(old, new)| new < old));
}

#[test]
fn a_fresh_surrogate_finds_what_a_continued_one_does() {
    let settings = DngoSettings {
        refit: Refit {
            every_until: 6,
            growth: 0.5,
        },
        epochs: 20,
        ..small()
    };
    let data = dataset(2, 20, |x| x[0] * x[1]);
    let (mut continued, at) = (Dngo::new(settings).unwrap(), random_rows(2, 5, 3));
    for count in [1, 3, 6, 7, 9, 12, 13, 19, 20] {
        let prefix = data.prefix(count);
        let found = continued.fit(&prefix, &Streams::new(5)).unwrap();
        let fresh = fitted(settings, &prefix).predict(&at);
        assert_eq!(found.predict(&at), fresh, "at {count}");
    }
    let other = dataset(2, 20, |x| x[0] - x[1]);
    let mut seeded = |seed| {
        continued
            .fit(&other, &Streams::new(seed))
            .unwrap()
            .predict(&at)
    };
    let found = seeded(5);
    assert_eq!(found, fitted(settings, &other).predict(&at), "other data");
    assert_ne!(found, seeded(6));
}

#[test]
fn rewards_in_other_units_give_the_same_model_in_those_units() {
    let (data, at) = (dataset(2, 15, |x| x[0] + x[1].sin()), random_rows(2, 5, 4));
    let scaled = Dataset::from_parts(
        data.rows().clone(),
        data.rewards().iter().map(|r| r * 1024.0).collect(),
    );
    let plain = fitted(small(), &data).predict(&at);
    let scaled = fitted(small(), &scaled).predict(&at);
    for j in 0..5 {
        assert!((scaled.mean[j] / plain.mean[j] / 1024.0 - 1.0).abs() < 1e-9);
        assert!((scaled.sd[j] / plain.sd[j] / 1024.0 - 1.0).abs() < 1e-9);
    }
}

#[test]
fn settings_that_make_no_model_are_named() {
    let refused = |change: &dyn Fn(&mut DngoSettings)| {
        let mut settings = small();
        change(&mut settings);
        Dngo::new(settings).unwrap_err().to_string()
    };
    assert_eq!(refused(&|s| s.width = 0), "width = 0: must be at least 1");
    assert!(refused(&|s| s.rate = f64::NAN).starts_with("rate = NaN"));
    let (walkers, sweeps) = (3, 1);
    let few = refused(&|s| s.hyper_parameters = PrecisionRule::Ensemble { walkers, sweeps });
    assert_eq!(few, "walkers = 3: must be at least 4");
    assert!(refused(&|s| s.refit.growth = -0.5).starts_with("growth = -0.5"));
}
