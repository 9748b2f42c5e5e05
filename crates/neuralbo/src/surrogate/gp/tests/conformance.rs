//! What a Gaussian process does with unusual data, beside what every surrogate promises.

use super::*;

fn line(rewards: &[f64]) -> Dataset {
    let step = 2.0 / rewards.len() as f64;
    let rows = Points::from_rows(1, (0..rewards.len()).map(|i| [i as f64 * step - 1.0]));
    Dataset::from_parts(rows, rewards.to_vec())
}

fn predicted(data: &Dataset, at: &Points) -> Prediction {
    fit(GpSettings::default(), data).predict(at)
}

#[test]
fn constant_rewards_are_predicted_everywhere_and_one_is_where_it_was_seen() {
    let one = predicted(&line(&[3.0]), &Points::from_rows(1, [[-1.0]]));
    assert_eq!(one.mean, [3.0]);
    for y in [0.0, -2.5, 1e300, 1e-300] {
        let found = predicted(&line(&[y; 6]), &random_points(1, 4, 31));
        assert_near(&found.mean, &[y; 4], 1e-9 * y.abs());
    }
}

#[test]
fn repeated_rows_are_predicted_at_their_mean() {
    let rows = Points::from_rows(2, vec![[0.3, -0.2]; 12]);
    let data = Dataset::from_parts(rows.clone(), (0..12).map(|i| (i % 3) as f64).collect());
    assert_near(&predicted(&data, &rows.slice(0..1)).mean, &[1.0], 0.2);
}

#[test]
fn predictions_scale_with_the_unit_of_the_rewards() {
    let base: Vec<f64> = (0..15).map(|i| (i as f64 * 0.5).sin()).collect();
    let at = random_points(1, 5, 32);
    let truth = predicted(&line(&base), &at);
    for unit in [1e300, 1e-300] {
        let scaled: Vec<f64> = base.iter().map(|y| y * unit).collect();
        let found = predicted(&line(&scaled), &at);
        let in_units = |values: &[f64]| values.iter().map(|v| v / unit).collect::<Vec<f64>>();
        assert_near(&in_units(&found.mean), &truth.mean, 1e-6);
        assert_near(&in_units(&found.sd), &truth.sd, 1e-6);
    }
    let extreme = line(&[1e300, -1e300, 1e-300, 0.0, f64::MAX, -f64::MAX]);
    let found = predicted(&extreme, &at);
    assert!(found.mean.iter().chain(&found.sd).all(|v| v.is_finite()));
}
