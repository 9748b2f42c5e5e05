//! Studies that are changed: every trial is kept under the right names, and goes on to teach.

use std::process::Output;

use serde_json::{Value, json};

use crate::folder::{Folder, json as output_json, stderr};

/// Continues study `s` with these parameters; the program prints what `{}` in it is replaced by.
fn run(folder: &Folder, parameters: &[&str], options: &[&str]) -> Output {
    let mut command = folder.neuralbo(&["run", "--study", "s", "--seed", "3", "--json"]);
    parameters
        .iter()
        .for_each(|parameter| _ = command.args(["--param", parameter]));
    command
        .args(options)
        .args(["--", "sh", "-c", "echo $NEURALBO_PARAMS >> ran; echo 1"])
        .output()
        .unwrap()
}

fn ok(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    stderr(&output)
}

fn answer(folder: &Folder, arguments: &[&str]) -> Value {
    output_json(&folder.neuralbo(arguments).arg("--json").output().unwrap())
}

/// A study of `a` in 0..1 and `b` in 10..11 with these trials by random search.
fn made(trials: &str) -> Folder {
    let folder = Folder::new();
    ok(run(
        &folder,
        &["a=float(0,1)", "b=float(10,11)"],
        &["--method", "random", "--trials", trials],
    ));
    folder
}

/// Refused without permission, with all of this in the message.
fn refused(output: &Output, parts: &[&str]) {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let text = stderr(output);
    assert!(
        parts.iter().all(|part| text.contains(part)),
        "{parts:?} not all in: {text}"
    );
}

#[test]
fn reordered_parameters_keep_their_values() {
    let folder = made("5");
    let before = answer(&folder, &["best", "s"]);
    let reordered = ["b=float(10,11)", "a=float(0,1)"];
    refused(
        &run(&folder, &reordered, &["--method", "random"]),
        &["reordered a, b to b, a", "--force"],
    );
    let said = ok(run(
        &folder,
        &reordered,
        &["--method", "random", "--force", "--trials", "8"],
    ));
    assert!(
        said.contains("version 2") && said.contains("reordered a, b to b, a"),
        "{said}"
    );
    let after = answer(&folder, &["best", "s"]);
    assert_eq!(
        (&after["params"]["a"], &after["params"]["b"]),
        (&before["params"]["a"], &before["params"]["b"])
    );
    assert_eq!(
        after["params"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["b", "a"]
    );
    let trials = answer(&folder, &["trials", "s"]);
    for trial in trials.as_array().unwrap() {
        let (a, b) = (
            trial["params"]["a"].as_f64().unwrap(),
            trial["params"]["b"].as_f64().unwrap(),
        );
        assert!(
            (0.0..=1.0).contains(&a) && (10.0..=11.0).contains(&b),
            "{trial}"
        );
    }
    assert_eq!(
        (&trials[0]["version"], &trials[7]["version"]),
        (&1.into(), &2.into())
    );
    assert_eq!(
        answer(&folder, &["replay", "s"]),
        json!({"derived": 8, "parallel": 0, "difference": null})
    );
}

#[test]
fn a_rename_without_the_option_is_a_new_parameter() {
    let folder = made("5");
    let renamed = ["c=float(0,1)", "b=float(10,11)"];
    refused(
        &run(&folder, &renamed, &["--method", "random"]),
        &[
            "removed a=float(0.0,1.0)",
            "added c=float(0.0,1.0)",
            "--rename OLD=NEW",
        ],
    );
    ok(run(
        &folder,
        &renamed,
        &["--method", "random", "--force", "--trials", "6"],
    ));
    let trials = answer(&folder, &["trials", "s"]);
    assert!(
        trials[0]["params"]["c"].is_null() && trials[0]["params"]["a"].is_number(),
        "{}",
        trials[0]
    );
    assert!(
        trials[5]["params"]["c"].is_number() && trials[5]["params"]["a"].is_null(),
        "{}",
        trials[5]
    );
    let csv = String::from_utf8(
        folder
            .neuralbo(&["trials", "s", "--format", "csv"])
            .output()
            .unwrap()
            .stdout,
    )
    .unwrap();
    assert!(
        csv.lines().next().unwrap().ends_with(",worker,c,b"),
        "{csv}"
    );
    assert!(
        csv.lines().nth(1).unwrap().contains(",,10."),
        "an empty cell: {csv}"
    );
}

#[test]
fn a_renamed_parameter_keeps_its_values() {
    let folder = made("5");
    let before = answer(&folder, &["trials", "s"]);
    let (renamed, rename) = (
        ["c=float(0,1)", "b=float(10,11)"],
        ["--method", "random", "--rename", "a=c"],
    );
    let said = ok(run(
        &folder,
        &renamed,
        &[&rename[..], &["--trials", "6"]].concat(),
    ));
    assert!(said.contains("renamed a to c"), "{said}");
    let after = answer(&folder, &["trials", "s"]);
    assert_eq!(
        (&after[0]["params"]["c"], &after[0]["params"]["a"]),
        (&before[0]["params"]["a"], &Value::Null)
    );
    assert_eq!(
        answer(&folder, &["best", "s"])["params"]["c"],
        before[0]["params"]["a"]
    );
    let again = ok(run(
        &folder,
        &renamed,
        &[&rename[..], &["--trials", "7"]].concat(),
    ));
    assert!(
        !again.contains("renamed"),
        "the same command again continues: {again}"
    );
    let wider = ["c=float(0,2)", "b=float(10,11)"];
    refused(&run(&folder, &wider, &rename), &["widened c from"]);
    refused(
        &run(
            &folder,
            &["d=float(0,1)", "b=float(10,11)"],
            &["--method", "random", "--rename", "x=d"],
        ),
        &["--rename", "`x`"],
    );
    assert_eq!(answer(&folder, &["replay", "s"])["difference"], Value::Null);
}

#[test]
fn a_rename_needs_a_study_that_exists() {
    let folder = Folder::new();
    refused(
        &run(&folder, &["c=float(0,1)"], &["--rename", "a=c"]),
        &["--rename", "`s`"],
    );
    assert_eq!(answer(&folder, &["studies"]), json!([]));
}

#[test]
fn an_added_parameter_keeps_old_trials_in_the_model() {
    let folder = Folder::new();
    ok(run(
        &folder,
        &["a=float(0,1)", "b=float(10,11)"],
        &["--trials", "12"],
    ));
    let said = ok(run(
        &folder,
        &["a=float(0,1)", "b=float(10,11)", "c=int(1,4)"],
        &["--force", "--trials", "13"],
    ));
    assert!(said.contains("added c=int(1,4)"), "{said}");
    let trials = answer(&folder, &["trials", "s"]);
    assert!(trials[0]["params"]["c"].is_null() && trials[12]["params"]["c"].is_number());
    let proposal = &trials[12]["proposal"];
    assert_eq!(proposal["based_on"], 12);
    assert!(
        proposal["origin"].as_str().unwrap().starts_with("model") && proposal["mean"].is_number(),
        "{proposal}"
    );
    let csv = String::from_utf8(
        folder
            .neuralbo(&["trials", "s", "--format", "csv"])
            .output()
            .unwrap()
            .stdout,
    )
    .unwrap();
    assert!(
        csv.lines().nth(1).unwrap().ends_with(','),
        "an empty cell: {csv}"
    );
    assert_eq!(answer(&folder, &["replay", "s"])["difference"], Value::Null);
}

#[test]
fn ranges_are_widened_and_narrowed_and_all_trials_stay() {
    let folder = made("6");
    let wide = ["a=float(-5,5)", "b=float(10,11)"];
    let said = ok(run(
        &folder,
        &wide,
        &["--method", "random", "--force", "--trials", "12"],
    ));
    assert!(
        said.contains("widened a from float(0.0,1.0) to float(-5.0,5.0)"),
        "{said}"
    );
    let narrow = ["a=float(0.4,0.5)", "b=float(10,11)"];
    let said = ok(run(
        &folder,
        &narrow,
        &["--method", "random", "--force", "--trials", "18"],
    ));
    assert!(
        said.contains("narrowed a from float(-5.0,5.0) to float(0.4,0.5)"),
        "{said}"
    );
    let trials = answer(&folder, &["trials", "s"]);
    let a = |number: usize| trials[number]["params"]["a"].as_f64().unwrap();
    assert!(
        (0..6).all(|i| (0.0..=1.0).contains(&a(i))) && (6..12).any(|i| a(i) < 0.0 || a(i) > 1.0)
    );
    assert!((12..18).all(|i| (0.4..=0.5).contains(&a(i))));
    assert_eq!(answer(&folder, &["studies"])[0]["counts"]["complete"], 18);
    assert_eq!(
        answer(&folder, &["best", "s"])["params"]["a"],
        trials[0]["params"]["a"],
        "the first of equals stays the best"
    );
}

#[test]
fn a_removed_parameter_stays_in_old_trials() {
    let folder = made("4");
    let said = ok(run(
        &folder,
        &["a=float(0,1)"],
        &["--method", "random", "--force", "--trials", "6"],
    ));
    assert!(said.contains("removed b=float(10.0,11.0)"), "{said}");
    let best = answer(&folder, &["best", "s"]);
    assert!(
        best["params"]["a"].is_number() && best["params"]["b"].is_number(),
        "{best}"
    );
    let trials = answer(&folder, &["trials", "s"]);
    assert!(
        trials[5]["params"]["b"].is_null()
            && !folder.read("ran").lines().last().unwrap().contains("\"b\"")
    );
}

#[test]
fn a_changed_method_or_seed_needs_permission_too() {
    let folder = made("3");
    let same = ["a=float(0,1)", "b=float(10,11)"];
    refused(
        &run(&folder, &same, &["--method", "sobol"]),
        &["method: stored random, given sobol"],
    );
    refused(
        &run(&folder, &same, &["--method", "random", "--attempts", "9"]),
        &["attempts: stored 3, given 9"],
    );
    ok(run(
        &folder,
        &same,
        &[
            "--method",
            "random",
            "--attempts",
            "9",
            "--force",
            "--trials",
            "4",
        ],
    ));
    ok(run(
        &folder,
        &same,
        &["--method", "random", "--attempts", "9", "--trials", "5"],
    ));
    assert_eq!(answer(&folder, &["studies"])[0]["version"], 2);
}

#[test]
fn constraints_belong_to_the_study_and_hold_for_every_trial() {
    let folder = Folder::new();
    let parameters = ["a=float(0,1)", "b=float(0,1)"];
    let with = |constraint: &str, more: &[&str]| {
        run(
            &folder,
            &parameters,
            &[&["--method", "random", "--constraint", constraint], more].concat(),
        )
    };
    ok(with("a + b <= 0.01", &["--trials", "4"]));
    refused(
        &run(&folder, &parameters, &["--method", "random"]),
        &["removed the constraint a + b <= 0.01", "--force"],
    );
    let said = ok(with("a + b == 1", &["--force", "--trials", "8"]));
    assert!(
        said.contains("removed the constraint a + b <= 0.01")
            && said.contains("added the constraint a + b == 1"),
        "{said}"
    );
    let trials = answer(&folder, &["trials", "s"]);
    let sums = trials.as_array().unwrap().iter().map(|trial| {
        trial["params"]["a"].as_f64().unwrap() + trial["params"]["b"].as_f64().unwrap()
    });
    let sums: Vec<f64> = sums.collect();
    assert!(
        sums[..4].iter().all(|sum| *sum <= 0.01)
            && sums[4..].iter().all(|sum| (sum - 1.0).abs() <= 1e-9),
        "{sums:?}"
    );
    assert_eq!(
        answer(&folder, &["replay", "s"]),
        json!({"derived": 8, "parallel": 0, "difference": null})
    );
    let renamed = ["alpha=float(0,1)", "b=float(0,1)"];
    let constraint = ["--method", "random", "--constraint", "alpha + b == 1"];
    ok(run(
        &folder,
        &renamed,
        &[&constraint[..], &["--rename", "a=alpha", "--trials", "9"]].concat(),
    ));
}
