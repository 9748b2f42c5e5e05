//! Optima at the border of known constraints, and thousands of suggestions inside them.

use std::collections::HashSet;

use neuralbo::linalg::Points;
use neuralbo::space::Value;
use neuralbo::strategy::presets::{METHODS, Method, Options};
use neuralbo_testkit::method::search::{TestSearch, constrained};

fn method(name: &str) -> &'static Method {
    METHODS.iter().find(|method| method.name == name).unwrap()
}

fn numbers(search: &TestSearch, row: &[f64]) -> Vec<f64> {
    search
        .space
        .decode(row)
        .values()
        .iter()
        .flatten()
        .filter_map(Value::as_f64)
        .collect()
}

/// The best reward of the default after 60 trials on `reward`, for each of eight seeds.
fn best_of_default(
    parameters: &[&str],
    constraints: &[&str],
    reward: impl Fn(&[f64]) -> f64,
) -> Vec<f64> {
    let space = constrained(parameters, constraints);
    (0..8)
        .map(|seed| {
            let mut search =
                TestSearch::with_options(method("neuralbo"), &space, seed, &Options::new());
            for _ in 0..60 {
                let row = search.next().row;
                let reward = reward(&numbers(&search, &row));
                search.tell(&row, reward);
            }
            search.best()
        })
        .collect()
}

#[test]
fn the_default_finds_an_optimum_at_the_border_of_a_triangle() {
    let best = best_of_default(&["x=float(0,1)", "y=float(0,1)"], &["x + y <= 1"], |v| {
        v[0] + 2.0 * v[1]
    });
    assert!(best.iter().all(|best| *best >= 1.99), "{best:?}");
}

#[test]
fn the_default_finds_an_optimum_on_a_simplex() {
    // The best weights are 0.5, 0.3 and 0.2, inside; without the sum it would be 0.6, 0.4 and 0.3.
    let reward = |v: &[f64]| -((v[0] - 0.6).powi(2) + (v[1] - 0.4).powi(2) + (v[2] - 0.3).powi(2));
    let best = best_of_default(
        &["a=float(0,1)", "b=float(0,1)", "c=float(0,1)"],
        &["a + b + c == 1"],
        reward,
    );
    assert!(best.iter().all(|best| *best >= -0.03 - 1e-3), "{best:?}");
}

const EVERYTHING: [&str; 9] = [
    "lr=float(1e-5,1,log)",
    "momentum=float(0,1,step=0.05)",
    "layers=int(1,8)",
    "units=int(16,512,step=16)",
    "depth=choice(null,3,5,8)",
    "opt=choice(adam,sgd,lion)",
    "size=ordinal(small,medium,large)",
    "nesterov=bool",
    "seed=42",
];
const RULES: [&str; 5] = [
    "layers * units <= 1024",
    "nesterov == false or opt == sgd",
    "opt != lion or lr < 1e-3",
    "momentum >= 0.5 or opt != sgd",
    "depth in (null, 3) or size >= medium",
];

#[test]
fn ten_thousand_suggestions_of_a_space_with_everything_are_inside_and_different() {
    let space = constrained(&EVERYTHING, &RULES);
    for (name, count) in [
        ("random", 10_000),
        ("sobol", 10_000),
        ("neuralbo", 100),
        ("cma-es", 1_000),
    ] {
        let mut search = TestSearch::with_options(method(name), &space, 1, &Options::new());
        let mut points = HashSet::new();
        for i in 0..count / 50 {
            for suggestion in search.ask(&Points::new(space.encoded_dim()), 50).unwrap() {
                let params = space.params(&suggestion.point);
                assert_eq!(space.check(&params).unwrap(), params);
                assert!(points.insert(suggestion.point), "{name}: {params}");
                search.tell(&suggestion.row, f64::from(i));
            }
        }
        assert_eq!(points.len(), count as usize);
    }
}
