//! What the model says of functions that are known.

use std::sync::Arc;

use neuralbo::record::{Definition, Direction, Limits, ObjectiveSpec, State, Trial, Values};
use neuralbo::space::{Params, Space};
use neuralbo::store::{NewStudy, NewTrial, Store};
use neuralbo::strategy::presets::Registry;
use neuralbo::study::Study;
use serde_json::{Value, json};

use crate::client::{ask, get};
use crate::fixture::{serve, study};

/// Smallest at x = 0.3 for every y, which hardly matters.
fn quadratic(x: f64, y: f64) -> f64 {
    4.0 * (x - 0.3).powi(2) + 0.01 * y
}

fn store_of(name: &str, method: &str, count: usize) -> Arc<dyn Store> {
    let space = Space::new(vec![
        "x=float(0,1)".parse().unwrap(),
        "y=float(0,1)".parse().unwrap(),
    ])
    .unwrap();
    let objectives = vec![ObjectiveSpec::new("loss", Direction::Minimize)];
    let definition = Definition {
        objectives,
        method: method.into(),
        ..Definition::new(space, Direction::Minimize)
    };
    let trial = |number: usize| {
        // A lattice of the golden ratio and its square.
        let (x, y) = (
            (number as f64 * 0.618_033_988).fract(),
            (number as f64 * 0.754_877_666).fract(),
        );
        let values = Values::from([("loss".to_owned(), quadratic(x, y))]);
        NewTrial::from(Trial {
            number: number as u64,
            ..Trial::known(
                Params::from_iter([("x", x), ("y", y)]),
                State::Complete,
                values,
            )
        })
    };
    let store = neuralbo_store::open("memory://").unwrap();
    let trials = (0..count).map(trial).collect();
    store
        .create_study(&NewStudy {
            trials,
            ..NewStudy::new(name, definition, Limits::default())
        })
        .unwrap();
    store
}

/// The same function, searched by the default under a limit.
fn searched(count: usize, trials: Option<u64>) -> Arc<dyn Store> {
    let store = store_of("quadratic", "neuralbo", 0);
    let record = store.study("quadratic").unwrap();
    let mut study = Study::open(Arc::clone(&store), record, Registry::standard()).unwrap();
    for _ in 0..count {
        let trial = study.ask_one().unwrap();
        let params = trial.params.as_ref().unwrap();
        let [x, y] = ["x", "y"].map(|name| params.float(name).unwrap());
        study.tell(&trial, quadratic(x, y)).unwrap();
    }
    let limits = Limits {
        trials,
        ..Limits::default()
    };
    study.set_limits(limits).unwrap();
    store
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|number| number.as_f64().unwrap())
        .collect()
}

fn smallest(values: &[f64]) -> usize {
    (0..values.len())
        .min_by(|a, b| values[*a].total_cmp(&values[*b]))
        .unwrap()
}

#[test]
fn slices_and_contours_are_those_of_the_function() {
    let server = serve(store_of("quadratic", "random", 40));
    let slice = ask(
        server.address(),
        "/api/studies/quadratic/slice?param=x&grid=21",
    );
    let (x, mean) = (numbers(&slice["x"]), numbers(&slice["mean"]));
    assert_eq!((x.len(), mean.len(), x[0], x[20]), (21, 21, 0.0, 1.0));
    assert!((x[smallest(&mean)] - 0.3).abs() <= 0.05, "{mean:?}");
    let y = slice["at"]["y"].as_f64().unwrap();
    for (x, mean) in x.iter().zip(&mean) {
        assert!((mean - quadratic(*x, y)).abs() < 0.1, "at {x}: {mean}");
    }
    assert!(numbers(&slice["sd"]).iter().all(|sd| *sd >= 0.0));
    let contour = ask(
        server.address(),
        "/api/studies/quadratic/contour?x=x&y=y&grid=9",
    );
    let rows = contour["mean"].as_array().unwrap();
    assert_eq!(
        (
            rows.len(),
            contour["x"].as_array().unwrap().len(),
            contour["y"].as_array().unwrap().len()
        ),
        (9, 9, 9)
    );
    for (row, y) in rows.iter().zip(numbers(&contour["y"])) {
        for (mean, x) in numbers(row).into_iter().zip(numbers(&contour["x"])) {
            assert!((mean - quadratic(x, y)).abs() < 0.15, "at {x}, {y}: {mean}");
        }
    }
    for (wrong, status) in [
        ("slice", 400),
        ("slice?param=z", 400),
        ("contour?x=x", 400),
        ("slice?param=x&objective=z", 400),
    ] {
        assert_eq!(
            get(server.address(), &format!("/api/studies/quadratic/{wrong}")).status,
            status,
            "{wrong}"
        );
    }
}

#[test]
fn a_slice_of_a_parameter_goes_through_a_trial_that_has_it() {
    let store = neuralbo_store::open("memory://").unwrap();
    study(store.as_ref(), "tuning", 60);
    let server = serve(store);
    for parameter in ["lr", "degree"] {
        let slice = ask(
            server.address(),
            &format!("/api/studies/tuning/slice?param={parameter}"),
        );
        let eligible =
            |n: &u64| crate::fixture::is_complete(*n) && crate::fixture::memory(*n) <= 50.0;
        let has = |n: &u64| parameter == "lr" || crate::fixture::is_poly(*n);
        let better =
            |a: &u64, b: &u64| crate::fixture::loss(*a).total_cmp(&crate::fixture::loss(*b));
        let best = (0..60)
            .filter(|n| eligible(n) && has(n))
            .min_by(better)
            .unwrap();
        assert_eq!(
            slice["at"]["lr"].as_f64(),
            Some(crate::fixture::lr(best)),
            "{parameter}"
        );
        assert_eq!(
            slice["at"].get("degree").is_some(),
            crate::fixture::is_poly(best)
        );
    }
}

#[test]
fn importance_tells_what_matters_from_what_does_not() {
    let server = serve(store_of("quadratic", "random", 40));
    let found = ask(server.address(), "/api/studies/quadratic/importance");
    let of = |name: &str| {
        found["params"]
            .as_array()
            .unwrap()
            .iter()
            .find(|entry| entry["name"] == name)
            .unwrap()
            .clone()
    };
    let (x, y) = (of("x"), of("y"));
    assert!(
        x["total"]["value"].as_f64().unwrap() > 0.9 && y["total"]["value"].as_f64().unwrap() < 0.1,
        "{found}"
    );
    for entry in [&x["first"], &x["total"], &y["near_best"]] {
        let [low, value, high] = ["low", "value", "high"].map(|key| entry[key].as_f64().unwrap());
        assert!(low <= value && value <= high, "{entry}");
    }
    assert!(found["explained"].as_f64().unwrap() > 0.9);
}

#[test]
fn importance_rests_on_complete_trials_as_everywhere() {
    let store = neuralbo_store::open("memory://").unwrap();
    study(store.as_ref(), "tuning", 60);
    let complete = store
        .counts(store.study("tuning").unwrap().id)
        .unwrap()
        .complete;
    let server = serve(store);
    let found = ask(server.address(), "/api/studies/tuning/importance");
    assert_eq!((complete, &found["trials"]), (48, &json!(48)));
}

#[test]
fn what_next_is_the_minimum_and_little_gain_means_stop() {
    let server = serve(searched(60, None));
    let found = ask(server.address(), "/api/studies/quadratic/next");
    let predicted = &found["predicted_best"];
    let (x, y) = (
        predicted["params"]["x"].as_f64().unwrap(),
        predicted["params"]["y"].as_f64().unwrap(),
    );
    assert!(
        (predicted["mean"].as_f64().unwrap() - quadratic(x, y)).abs() < 0.01
            && (x - 0.3).abs() < 0.1,
        "{found}"
    );
    let [mean, high] = ["mean", "high"].map(|key| found["expected_gain"][key].as_f64().unwrap());
    assert!(0.0 <= mean && mean <= high && high < 0.001, "{found}");
    assert_eq!(found["expected_gain"]["trials"], 10);
    assert_eq!(
        (&found["heading"], &found["stop"]),
        (&json!("You may stop"), &json!(true))
    );
    assert!(
        found["advice"]
            .as_str()
            .unwrap()
            .ends_with(": you may stop."),
        "{found}"
    );
    // Without noise the best trial is the one to rely on.
    let overview = ask(server.address(), "/api/studies/quadratic");
    assert_eq!(overview["recommended"], Value::Null);
    let random = ask(
        serve(store_of("quadratic", "random", 60)).address(),
        "/api/studies/quadratic/next",
    );
    assert_eq!(
        (
            &random["predicted_best"],
            &random["expected_gain"],
            &random["stop"]
        ),
        (&Value::Null, &Value::Null, &json!(false))
    );
    assert!(
        random["advice"].as_str().unwrap().contains("no model"),
        "{random}"
    );
}

#[test]
fn advice_fits_what_may_still_come() {
    let limited = |count: usize, trials: u64| {
        let store = searched(count, Some(trials));
        ask(serve(store).address(), "/api/studies/quadratic/next")
    };
    let early = limited(1, 100);
    assert_eq!(
        (&early["heading"], &early["expected_gain"]),
        (&json!("Too early to say"), &Value::Null)
    );
    assert!(
        early["advice"]
            .as_str()
            .unwrap()
            .contains("needs 20 values over more than ten trials, there is 1."),
        "{early}"
    );
    let last = limited(24, 27);
    assert_eq!(last["expected_gain"]["trials"], 3, "{last}");
    assert!(
        last["advice"]
            .as_str()
            .unwrap()
            .starts_with("The last 3 trials are expected"),
        "{last}"
    );
    let ended = limited(24, 24);
    let advice = ended["advice"].as_str().unwrap();
    assert!(
        advice.starts_with(
            "The study has ended: all 24 trials are done. With a larger limit, ten more"
        ),
        "{ended}"
    );
    assert_eq!(
        (&ended["heading"], &ended["stop"]),
        (&json!("The study has ended"), &json!(true))
    );
}

#[test]
fn without_trials_there_is_no_model() {
    let store = neuralbo_store::open("memory://").unwrap();
    study(store.as_ref(), "tuning", 0);
    let server = serve(store);
    for rest in ["slice?param=lr", "contour?x=lr&y=kind", "importance"] {
        let answer = get(server.address(), &format!("/api/studies/tuning/{rest}"));
        assert_eq!(answer.status, 409, "{rest}");
        assert!(
            answer.json()["error"]
                .as_str()
                .unwrap()
                .starts_with("there is no model yet"),
            "{}",
            answer.text()
        );
    }
    assert_eq!(
        ask(server.address(), "/api/studies/tuning/next")["predicted_best"],
        Value::Null
    );
}

#[test]
fn the_front_and_its_volume_are_those_of_brute_force() {
    let points: Vec<(f64, f64)> = (0..40)
        .map(|i| {
            (
                (f64::from(i) * 0.618_033).fract(),
                (f64::from(i) * 0.754_877).fract(),
            )
        })
        .collect();
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    let mut objectives = vec![
        ObjectiveSpec::new("cost", Direction::Minimize),
        ObjectiveSpec::new("speed", Direction::Maximize),
    ];
    (objectives[0].reference, objectives[1].reference) = (Some(1.0), Some(0.0));
    let definition = Definition {
        objectives,
        method: "random".into(),
        ..Definition::new(space, Direction::Minimize)
    };
    let trial = |(number, (cost, speed)): (usize, &(f64, f64))| {
        let values = Values::from([("cost".to_owned(), *cost), ("speed".to_owned(), *speed)]);
        NewTrial::from(Trial {
            number: number as u64,
            ..Trial::known(Params::from_iter([("x0", *cost)]), State::Complete, values)
        })
    };
    let store = neuralbo_store::open("memory://").unwrap();
    let trials = points.iter().enumerate().map(trial).collect();
    store
        .create_study(&NewStudy {
            trials,
            ..NewStudy::new("two", definition, Limits::default())
        })
        .unwrap();
    let server = serve(store);
    let found = ask(server.address(), "/api/studies/two/front");
    let covered = |a: &(f64, f64)| points.iter().any(|b| b != a && b.0 <= a.0 && b.1 >= a.1);
    let expected: Vec<bool> = points.iter().map(|point| !covered(point)).collect();
    assert_eq!(found["trials"]["on_front"], json!(expected));
    assert_eq!(found["trials"]["values"][0][7].as_f64(), Some(points[7].0));
    assert_eq!(found["reference"], json!([1, 0]));
    // The area below a staircase of costs.
    let mut front: Vec<(f64, f64)> = points
        .iter()
        .filter(|point| !covered(point))
        .copied()
        .collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0));
    let edges = front.iter().map(|point| point.0).skip(1).chain([1.0]);
    let area: f64 = front
        .iter()
        .zip(edges)
        .map(|((cost, speed), next)| (next - cost) * speed)
        .sum();
    let volumes = numbers(&found["hypervolume"]["value"]);
    assert!((volumes.last().unwrap() - area).abs() < 1e-12 && volumes.is_sorted());
    let overview = ask(server.address(), "/api/studies/two");
    assert!((overview["hypervolume"]["value"].as_f64().unwrap() - area).abs() < 1e-12);
    assert_eq!(
        (
            overview["front"].as_array().unwrap().len(),
            &overview["best"]
        ),
        (front.len(), &Value::Null)
    );
    let progress = ask(server.address(), "/api/studies/two/progress");
    assert_eq!(
        (
            progress["objectives"].as_array().unwrap().len(),
            &progress["hypervolume"]
        ),
        (2, &found["hypervolume"])
    );
}

#[test]
fn while_nothing_is_feasible_the_least_violation_is_shown() {
    let store = neuralbo_store::open("memory://").unwrap();
    let definition = Definition {
        outcome_constraints: vec!["memory <= -5".parse().unwrap()],
        ..crate::fixture::definition()
    };
    let trials = (0..20).map(crate::fixture::trial).collect();
    store
        .create_study(&NewStudy {
            trials,
            ..NewStudy::new("tight", definition, Limits::default())
        })
        .unwrap();
    let server = serve(store);
    let found = ask(server.address(), "/api/studies/tight");
    let complete = (0..20).filter(|number| crate::fixture::is_complete(*number));
    let least = complete
        .min_by(|a, b| crate::fixture::memory(*a).total_cmp(&crate::fixture::memory(*b)))
        .unwrap();
    assert_eq!(
        (&found["best"], &found["feasible"]),
        (&Value::Null, &json!(0))
    );
    assert_eq!(found["least_violation"]["number"], least);
    assert!(found["least_violation"]["violation"].as_f64().unwrap() > 0.0);
    assert_eq!(
        ask(server.address(), "/api/studies/tight/outcome-constraints")["first_feasible"],
        Value::Null
    );
}

/// Twelve trials of 0.8 s, three at a time every second: the process was present three times for 3.8 s.
#[test]
fn a_process_is_present_as_often_as_it_runs_trials_at_the_same_time() {
    let store: Arc<dyn Store> = neuralbo_store::open("memory://").unwrap();
    let trial = |number: u64| {
        let asked_ms = 1_700_000_000_000 + 1000 * (number as i64 / 3);
        NewTrial::from(Trial {
            worker: "machine:17:4:ab".to_owned(),
            asked_ms,
            started_ms: Some(asked_ms),
            finished_ms: Some(asked_ms + 800),
            provenance: None,
            ..crate::fixture::trial(10 * number).trial
        })
    };
    let new = NewStudy::new("three", crate::fixture::definition(), Limits::default());
    let trials = (0..12).map(trial).collect();
    store.create_study(&NewStudy { trials, ..new }).unwrap();
    let server = serve(store);
    let found = ask(server.address(), "/api/studies/three/time");
    let seconds = |name: &str| found[name].as_f64().unwrap();
    assert!((seconds("objective_s") - 9.6).abs() < 1e-6, "{found}");
    assert!((seconds("other_s") - 1.8).abs() < 1e-6, "{found}");
}
