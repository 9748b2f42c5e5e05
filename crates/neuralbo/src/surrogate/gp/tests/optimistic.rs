//! The cheap posterior whose deviations are bounds.

use super::*;
use crate::surrogate::gp::HyperParameters;

#[test]
fn the_optimistic_posterior_has_the_same_means_and_never_smaller_deviations() {
    let hyper = HyperParameters {
        length_scales: vec![0.6],
        amplitude: 2.0,
        noise: 0.01,
        mean: 5.0,
    };
    let settings = GpSettings {
        fixed: Some(hyper),
        ..GpSettings::default()
    };
    let (data, rows) = (wavy_data(3, 1100, 50), random_points(3, 150, 51));
    assert!(
        fit(settings.clone(), &data.prefix(1000))
            .optimistic()
            .is_none()
    );
    let posterior = fit(settings, &data);
    let optimistic = posterior.optimistic().unwrap();
    let (exact, bound) = (posterior.predict(&rows), optimistic.predict(&rows));
    assert_eq!(exact.mean, bound.mean);
    assert!(
        exact
            .sd
            .iter()
            .zip(&bound.sd)
            .all(|(exact, bound)| *bound >= exact - 1e-9)
    );
    assert!(exact.sd.iter().sum::<f64>() < 0.95 * bound.sd.iter().sum::<f64>());
    let at = optimistic.predict_with_gradient(&rows).unwrap();
    assert_eq!(at.prediction, bound);
    for (i, k) in [(3, 0), (77, 1), (149, 2)] {
        let sd = |step: f64| {
            let mut row = rows.row(i).to_vec();
            row[k] += step;
            optimistic.predict(&Points::from_rows(3, [row])).sd[0]
        };
        let difference = (sd(1e-5) - sd(-1e-5)) / 2e-5;
        assert!(
            (at.sd_gradient.row(i)[k] - difference).abs() < 1e-4,
            "{} {difference}",
            at.sd_gradient.row(i)[k]
        );
    }
}
