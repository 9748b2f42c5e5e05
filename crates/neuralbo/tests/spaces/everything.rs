//! Ten thousand suggestions of a space with everything in it, each checked by hand-written rules and not by the space itself.

use std::collections::HashSet;

use neuralbo::linalg::Points;
use neuralbo::space::{Params, Space, Value};
use neuralbo::strategy::presets::{Options, Registry};
use neuralbo::strategy::{History, Origin, Request};

fn everything() -> Space {
    let texts = [
        "rate=float(1e-5,1e-1,log)",
        "drop=float(0,0.5,step=0.05)",
        "noise=float(1e-3,1,log,step=1e-3)",
        "batch=int(16,256,step=16)",
        "depth=int(1,1000,log)",
        "size=ordinal(small,medium,large)",
        "limit=choice(null,3,true,[64,32],{\"a\":1},word)",
        "kernel=choice(linear,rbf,poly)",
        "gamma=float(1e-3,10,log) if kernel in (rbf, poly)",
        "degree=int(2,5) if kernel == poly",
        "shift=float(-1,1) if degree >= 4 and size > small",
        "warm=bool",
        "steps=int(0,100,step=5) if warm or drop > 0.3",
        "seed=42",
    ];
    // The last two only apply where the parameters they read are active.
    let constraints = [
        "drop + noise <= 1",
        "batch * depth <= 65536",
        "degree <= 3 or gamma < 1",
        "steps >= 10 or warm",
    ];
    let space = Space::new(texts.iter().map(|text| text.parse().unwrap()).collect()).unwrap();
    space
        .with_constraints(constraints.iter().map(|text| text.parse().unwrap()))
        .unwrap()
}

fn on_grid(x: f64, low: f64, step: f64) -> bool {
    let steps = (x - low) / step;
    (steps - steps.round()).abs() < 1e-6
}

/// Checks one suggestion against what the texts above say.
fn check(params: &Params) {
    let number = |name: &str| params.float(name).unwrap();
    let inside = |name: &str, low: f64, high: f64| {
        assert!((low..=high).contains(&number(name)), "{name} of {params}")
    };
    inside("rate", 1e-5, 1e-1);
    inside("drop", 0.0, 0.5);
    inside("noise", 1e-3, 1.0);
    inside("batch", 16.0, 256.0);
    inside("depth", 1.0, 1000.0);
    assert!(
        on_grid(number("drop"), 0.0, 0.05) && on_grid(number("noise"), 1e-3, 1e-3),
        "{params}"
    );
    assert!(
        params.int("batch").unwrap() % 16 == 0 && params.int("depth").is_some(),
        "{params}"
    );
    let size = params.text("size").unwrap();
    assert!(["small", "medium", "large"].contains(&size), "{params}");
    let limits = ["null", "3", "true", "[64,32]", "{\"a\":1}", "\"word\""];
    assert!(
        limits.contains(&params.get("limit").unwrap().to_json().to_string().as_str()),
        "{params}"
    );
    let kernel = params.text("kernel").unwrap();
    let present = |name: &str, expected: bool| {
        assert_eq!(params.get(name).is_some(), expected, "{name} of {params}")
    };
    present("gamma", kernel != "linear");
    params
        .float("gamma")
        .iter()
        .for_each(|gamma| assert!((1e-3..=10.0).contains(gamma)));
    present("degree", kernel == "poly");
    present(
        "shift",
        params.int("degree").is_some_and(|degree| degree >= 4) && size != "small",
    );
    params
        .float("shift")
        .iter()
        .for_each(|shift| assert!(shift.abs() <= 1.0));
    present(
        "steps",
        params.flag("warm").unwrap() || number("drop") > 0.3,
    );
    params
        .int("steps")
        .iter()
        .for_each(|steps| assert!((0..=100).contains(steps) && steps % 5 == 0));
    assert_eq!(params.get("seed"), Some(&Value::Int(42)));
    assert!(number("drop") + number("noise") <= 1.0, "{params}");
    assert!(number("batch") * number("depth") <= 65_536.0, "{params}");
    if let (Some(degree), Some(gamma)) = (params.int("degree"), params.float("gamma")) {
        assert!(degree <= 3 || gamma < 1.0, "{params}");
    }
    assert!(
        params.int("steps").is_none_or(|steps| steps >= 10) || params.flag("warm") == Some(true),
        "{params}"
    );
}

/// Asks a method for so many suggestions in batches, tells rewards and failures, and checks every point.
fn suggestions(method: &str, count: usize, batch: usize) {
    let space = everything();
    let mut strategy = Registry::standard()
        .find(method)
        .unwrap()
        .strategy(&space, 5, &Options::new())
        .unwrap();
    let (mut history, none) = (
        History::new(space.encoded_dim()),
        Points::new(space.encoded_dim()),
    );
    let (mut seen, mut replicates) = (HashSet::new(), 0);
    while history.len() < count {
        let request = Request {
            history: &history,
            pending: &none,
            number: history.len() as u64,
            count: batch,
            cancel: None,
        };
        for suggestion in strategy.suggest(&request).unwrap() {
            let params = space.params(&suggestion.point);
            check(&params);
            let told_apart = suggestion.origin == Origin::Model("replicate");
            replicates += usize::from(told_apart);
            assert_eq!(
                seen.insert(params.to_json()),
                !told_apart,
                "{method} repeats {params}"
            );
            let row = space.row_of(&params);
            assert!(
                row.iter()
                    .zip(&suggestion.row)
                    .all(|(a, b)| (a - b).abs() < 1e-12),
                "{row:?} and {:?}",
                suggestion.row
            );
            let reward = -(params.float("rate").unwrap().ln() + 5.0).powi(2)
                + params.float("shift").unwrap_or(-0.5);
            if params.text("size") == Some("large") && params.float("drop") > Some(0.4) {
                history.push_failed(&suggestion.row);
            } else {
                history.push_observed(&suggestion.row, reward);
            }
        }
    }
    assert!(
        replicates <= 1,
        "{replicates} repetitions to tell noise apart"
    );
    let branches: HashSet<&str> = seen
        .iter()
        .map(|json| {
            if json.contains("poly") {
                "poly"
            } else {
                "other"
            }
        })
        .collect();
    assert_eq!(branches.len(), 2, "{method} tries both branches");
}

#[test]
fn ten_thousand_suggestions_of_the_methods_without_a_model() {
    for method in ["random", "sobol", "cma-es", "nsga2"] {
        suggestions(method, 10_000, 100);
    }
}

#[test]
fn sixty_suggestions_of_the_default() {
    suggestions("neuralbo", 60, 4);
}

#[test]
#[ignore = "takes minutes"]
fn ten_thousand_suggestions_of_the_default() {
    suggestions("neuralbo", 10_000, 8);
}
