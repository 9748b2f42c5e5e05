//! Under noise the best value seen is the luckiest one; the model's recommendation stands beside it.

use serde_json::Value;

use crate::folder::{Folder, json};

/// A parabola around 0 with noise, and one value at 1.3 that is too good for its place.
fn folder() -> Folder {
    let folder = Folder::new();
    let noise = |i: u32| if i.is_multiple_of(2) { 0.15 } else { -0.15 };
    let row = |i: u32| (-2.0 + f64::from(i) * 0.1, noise(i));
    let rows: String = (0..=40)
        .map(row)
        .map(|(x, noise)| format!("{x},{}\n", x * x + noise))
        .collect();
    folder.write("known.csv", &format!("x,value\n{rows}1.3,-0.5\n"));
    folder
}

const RUN: [&str; 10] = [
    "run",
    "--param",
    "x=float(-2,2)",
    "--known",
    "known.csv",
    "--trials",
    "1",
    "--seed",
    "3",
    "-q",
];

fn run(folder: &Folder, options: &[&str]) -> std::process::Output {
    let output = folder
        .neuralbo(&RUN)
        .args(options)
        .args(["--", "echo", "4"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    output
}

fn check(found: &Value, best: &Value) {
    assert_eq!(
        (&best["value"], &best["params"]["x"]),
        (&(-0.5).into(), &1.3.into())
    );
    let recommended = &found["recommended"];
    let number = |name: &str| recommended[name].as_f64().unwrap();
    assert!(
        recommended["params"]["x"].as_f64().unwrap().abs() < 0.6,
        "{recommended}"
    );
    assert!(
        number("mean").abs() < 0.3 && number("sd") > 0.0 && number("value") > -0.5,
        "{recommended}"
    );
    assert!(
        recommended["trial"].is_number() && recommended["trial"] != best["trial"],
        "{recommended}"
    );
}

#[test]
fn a_noisy_run_shows_both_points() {
    let folder = folder();
    let result = json(&run(&folder, &["--json"]));
    check(&result, &result["best"]);
    let text = String::from_utf8(run(&folder, &[]).stdout).unwrap();
    let (best, recommended) = (
        text.find("best value -0.5 in trial 41").unwrap(),
        text.find("values look noisy; recommended is trial ")
            .unwrap(),
    );
    assert!(
        best < recommended && text.matches("\n  x = ").count() == 2,
        "{text}"
    );
}

#[test]
fn a_noisy_study_shows_both_points() {
    let folder = folder();
    let result = json(&run(&folder, &["--study", "s", "--json"]));
    check(&result, &result["best"]);
    let best = json(&folder.neuralbo(&["best", "s", "--json"]).output().unwrap());
    check(&best, &best);
    assert_eq!(best["recommended"], result["recommended"]);
    let text = String::from_utf8(folder.neuralbo(&["best", "s"]).output().unwrap().stdout).unwrap();
    assert!(
        text.starts_with(
            "best value -0.5 in trial 41\n  x = 1.3\nvalues look noisy; recommended is trial "
        ),
        "{text}"
    );
}

#[test]
fn without_a_model_only_the_best_is_shown() {
    let folder = folder();
    let result = json(&run(
        &folder,
        &["--method", "random", "--study", "s", "--json"],
    ));
    assert!(
        result["best"].is_object() && result.get("recommended").is_none(),
        "{result}"
    );
    let best = json(&folder.neuralbo(&["best", "s", "--json"]).output().unwrap());
    assert_eq!(best, result["best"]);
}
