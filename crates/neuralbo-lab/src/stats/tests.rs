//! Against `tests/data/stats.json`, made by `scripts/golden/stats.py` with SciPy and statsmodels.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn golden(section: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../../tests/data/stats.json")).unwrap();
    let rows = all[section].as_array().unwrap().clone();
    assert!(!rows.is_empty());
    rows
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

fn close(got: f64, want: f64, relative: f64) -> bool {
    (got - want).abs() <= relative * want.abs() + 1e-15
}

fn all_close(got: &[f64], want: &[f64], relative: f64) -> bool {
    got.len() == want.len() && got.iter().zip(want).all(|(g, w)| close(*g, *w, relative))
}

/// SciPy is exact up to this size and uses Pelz and Good's approximation above; ours is exact throughout.
fn exactness(n: usize) -> f64 {
    if n <= 140 { 1e-9 } else { 2e-5 }
}

#[test]
fn normality_tests_agree_with_scipy() {
    for row in golden("normality") {
        let values = numbers(&row["values"]);
        let p = normality_test(&values).unwrap();
        let exactness = exactness(values.len());
        assert!(close(p, number(&row["p"]), exactness), "{p} {row}");
    }
}

#[test]
fn the_distribution_of_the_distance_is_that_of_scipy_and_exact_for_large_samples() {
    for (section, exactness) in [
        ("kolmogorov", exactness as fn(usize) -> f64),
        ("kolmogorov_exact", |_| 1e-9),
    ] {
        for row in golden(section) {
            let (n, d) = (row["n"].as_u64().unwrap() as usize, number(&row["d"]));
            let p = exceedance(n, d);
            assert!(close(p, number(&row["p"]), exactness(n)), "{p} {row}");
        }
    }
}

#[test]
fn t_tests_agree_with_scipy() {
    for row in golden("t_tests") {
        let (a, b) = (numbers(&row["a"]), numbers(&row["b"]));
        let p = mean_is_larger(&a, &b).unwrap();
        assert!(close(p, number(&row["welch"][2]), 1e-9), "{p} {row}");
    }
}

/// With equal values SciPy's own enumeration of the same statistic.
#[test]
fn exact_tests_agree_with_scipy() {
    for row in golden("rank_sum") {
        let p = rank_sum_test(&numbers(&row["a"]), &numbers(&row["b"])).unwrap();
        assert!(close(p, number(&row["p"]), 1e-10), "{p} {row}");
    }
}

#[test]
fn false_discovery_rates_agree_with_statsmodels() {
    for row in golden("false_discovery") {
        let adjusted = benjamini_hochberg(&numbers(&row["p"]));
        let expected = numbers(&row["adjusted"]);
        assert!(all_close(&adjusted, &expected, 1e-12), "{adjusted:?}");
        let significant: Vec<bool> = adjusted.iter().map(|p| *p <= 0.05).collect();
        assert_eq!(serde_json::json!(significant), row["reject"]);
    }
}

#[test]
fn summaries_agree_with_numpy_and_scipy() {
    for row in golden("summaries") {
        let values = numbers(&row["values"]);
        assert!(close(mean(&values), number(&row["mean"]), 1e-12));
        assert!(close(sd(&values), number(&row["sd"]), 1e-12));
        assert!(close(median(&values), number(&row["median"]), 1e-12));
        let levels = numbers(&row["levels"]).into_iter();
        let found: Vec<f64> = levels.map(|level| quantile(&values, level)).collect();
        let expected = numbers(&row["quantiles"]);
        assert!(all_close(&found, &expected, 1e-12), "{found:?}");
    }
}

#[test]
fn ranks_agree_with_scipy() {
    for row in golden("ranks") {
        assert_eq!(ranks(&numbers(&row["values"])), numbers(&row["ranks"]));
    }
}

#[test]
fn what_cannot_be_tested_is_not() {
    assert_eq!(normality_test(&[1.0, 1.0, 1.0]), None);
    assert_eq!(normality_test(&[1.0, f64::NAN, 2.0]), None);
    assert_eq!(normality_test(&[1.0]), None);
    assert_eq!(mean_is_larger(&[1.0], &[1.0, 2.0]), None);
    assert_eq!(mean_is_larger(&[1.0, f64::INFINITY], &[1.0, 2.0]), None);
    assert!(mean(&[]).is_nan() && sd(&[1.0]).is_nan() && median(&[]).is_nan());
    assert!(quantile(&[1.0, 2.0], 1.5).is_nan() && quantile(&[1.0, f64::NAN], 0.5).is_nan());
    assert_eq!(rank_sum_test(&[], &[1.0]), None);
    assert_eq!(rank_sum_test(&[f64::NAN], &[1.0]), None);
    assert_eq!(average_ranks(&[]), None);
    assert_eq!(average_ranks(&[vec![1.0, 2.0], vec![1.0]]), None);
}

#[test]
fn samples_without_spread_are_told_apart_by_their_means() {
    let p = |a: f64, b: f64| mean_is_larger(&[a, a], &[b, b]).unwrap();
    assert_eq!([p(2.0, 1.0), p(1.0, 2.0), p(1.0, 1.0)], [0.0, 1.0, 0.5]);
}

#[test]
fn failed_tests_are_no_discoveries_but_count() {
    assert_eq!(benjamini_hochberg(&[0.02, f64::NAN]), [0.04, 1.0]);
}

#[test]
fn failed_methods_share_the_last_ranks() {
    let found = ranks(&[f64::NAN, f64::INFINITY, 1.0, f64::NAN]);
    assert_eq!(found, [3.5, 2.0, 1.0, 3.5]);
}

proptest! {
    #[test]
    fn ranks_sum_to_those_of_a_permutation(values in prop::collection::vec(prop::num::f64::ANY, 1..12)) {
        let n = values.len() as f64;
        prop_assert_eq!(ranks(&values).iter().sum::<f64>(), n * (n + 1.0) / 2.0);
    }

    #[test]
    fn adjusted_values_keep_the_order_and_never_fall(p in prop::collection::vec(0.0..=1.0f64, 1..10)) {
        let adjusted = benjamini_hochberg(&p);
        for i in 0..p.len() {
            prop_assert!(adjusted[i] >= p[i] - 1e-15 && adjusted[i] <= 1.0);
            for j in 0..p.len() {
                prop_assert!(p[i] > p[j] || adjusted[i] <= adjusted[j]);
            }
        }
    }

    /// Both sides together count every division, those with the observed sum twice.
    #[test]
    fn exact_tests_of_both_sides_add_up(
        a in prop::collection::vec((0..9).prop_map(f64::from), 1..7),
        b in prop::collection::vec((0..9).prop_map(f64::from), 1..7),
    ) {
        let (p, q) = (rank_sum_test(&a, &b).unwrap(), rank_sum_test(&b, &a).unwrap());
        prop_assert!(p > 0.0 && q > 0.0 && p <= 1.0 + 1e-12 && q <= 1.0 + 1e-12 && p + q >= 1.0 - 1e-12);
    }

    #[test]
    fn larger_distances_are_less_likely(n in 2..300usize, d in 0.01..0.9f64) {
        prop_assert!(exceedance(n, d + 0.05) <= exceedance(n, d) + 1e-12);
    }
}
