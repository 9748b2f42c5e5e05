//! Continuing a study: what is said, what is kept, and what bad files leave behind.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::folder::{Folder, json as output_json, stderr};
use crate::servers::neuralbo;

const RUN: [&str; 7] = [
    "run",
    "--study",
    "s",
    "--method",
    "random",
    "--param",
    "x=float(0,1)",
];

fn run(folder: &Folder, options: &[&str], script: &str) -> std::process::Output {
    folder.write("script.sh", script);
    folder
        .neuralbo(&RUN)
        .args(options)
        .args(["--json", "--", "sh", "script.sh", "{x}"])
        .output()
        .unwrap()
}

fn answer(folder: &Folder, arguments: &[&str]) -> Value {
    output_json(&folder.neuralbo(arguments).arg("--json").output().unwrap())
}

fn wait_for(condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "waited in vain"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_trial_of_a_dead_process_is_taken_over_at_once() {
    let folder = Folder::new();
    folder.write(
        "script.sh",
        "[ -e again ] || [ $NEURALBO_TRIAL -lt 2 ] || { touch hanging; sleep 3; }; echo $1",
    );
    let arguments = [&RUN[..], &["--trials", "4", "--", "sh", "script.sh", "{x}"]].concat();
    let mut first: Child = neuralbo(&folder, "neuralbo.db", &arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(|| folder.path("hanging").exists());
    first.kill().unwrap();
    first.wait().unwrap();
    folder.write("again", "");
    let started = Instant::now();
    let output = run(&folder, &["--trials", "4"], "echo $1");
    assert!(
        started.elapsed() < Duration::from_secs(15),
        "the lease of a minute is not waited for"
    );
    assert_eq!(output_json(&output)["trials"], 4);
    let said = stderr(&output);
    assert!(
        said.contains("study `s`: 2 trials so far, best ")
            && said.contains("trial 2 is taken over: process"),
        "{said}"
    );
}

#[test]
fn resuming_says_what_it_continues_and_what_it_waits_for() {
    let folder = Folder::new();
    run(&folder, &["--trials", "3"], "echo $1");
    let made = folder
        .neuralbo(&RUN)
        .args(["--trials", "5"])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    assert_eq!(
        answer(&folder, &["ask", "s", "--worker", "elsewhere"])["trial"],
        3
    );
    folder.write("script.sh", "echo $1");
    let arguments = [&RUN[..], &["--json", "--", "sh", "script.sh", "{x}"]].concat();
    let log = std::fs::File::create(folder.path("stderr")).unwrap();
    let child = neuralbo(&folder, "neuralbo.db", &arguments)
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap();
    wait_for(|| {
        folder
            .read("stderr")
            .contains("waiting for 1 running trial of other workers; the first lease ends at ")
    });
    let said = folder.read("stderr");
    let first = said.lines().next().unwrap();
    assert!(
        first.starts_with("study `s`: 3 trials so far, best "),
        "{said}"
    );
    assert!(
        first.contains("1 running elsewhere (worker elsewhere, lease until ")
            && first.ends_with(" UTC)"),
        "{said}"
    );
    answer(&folder, &["tell", "s", "3", "--value", "-7"]);
    let output = child.wait_with_output().unwrap();
    let result = output_json(&output);
    assert_eq!(
        (&result["trials"], &result["best"]["value"]),
        (&5.into(), &(-7.0).into())
    );
}

#[test]
fn a_run_does_not_wait_for_its_own_workers_as_for_others() {
    let folder = Folder::new();
    let output = run(
        &folder,
        &["--trials", "5", "--workers", "3"],
        "sleep 0.$((NEURALBO_TRIAL % 3 + 1)); echo $1",
    );
    assert!(
        output.status.success() && !stderr(&output).contains("waiting"),
        "{output:?}"
    );
}

#[test]
fn more_trials_keep_the_target_and_the_patience() {
    let folder = Folder::new();
    run(
        &folder,
        &["--trials", "4", "--target", "-1", "--patience", "50"],
        "echo $1",
    );
    run(&folder, &["--trials", "6"], "echo $1");
    assert_eq!(
        answer(&folder, &["studies"])[0]["limits"],
        json!({"trials": 6, "target": -1.0, "patience": 50})
    );
    let result = output_json(&run(
        &folder,
        &["--trials", "100", "--patience", "3"],
        "echo 9",
    ));
    assert_eq!(result["stop"], "no_improvement");
}

#[test]
fn a_bad_known_file_makes_no_study_and_the_corrected_one_is_used() {
    let folder = Folder::new();
    folder.write("known.csv", "x,value\n0.5,1\n7,2\n");
    let known = ["--known", "known.csv", "--trials", "2"];
    let output = run(&folder, &known, "echo $1");
    assert!(
        output.status.code() == Some(2) && stderr(&output).contains("row 2"),
        "{output:?}"
    );
    assert!(
        !folder.path("neuralbo.db").exists(),
        "a refused command makes no storage"
    );
    folder.write("known.csv", "x,value\n0.5,-1\n0.7,-2\n");
    assert_eq!(output_json(&run(&folder, &known, "echo $1"))["trials"], 4);
    folder.write("known.csv", "x,value\n0.5,-1\n0.7,-2\n0.7,-3\n0.9,\n");
    let output = run(&folder, &known, "echo $1");
    assert!(
        stderr(&output).contains("--known: 1 result added, 2 already in the study"),
        "{output:?}"
    );
    let result = output_json(&output);
    assert_eq!(
        (&result["trials"], &result["best"]["value"]),
        (&5.into(), &(-3.0).into())
    );
    assert_eq!(output_json(&run(&folder, &known, "echo $1"))["trials"], 5);
}

#[test]
fn a_failed_import_leaves_no_study_and_params_are_checked() {
    let folder = Folder::new();
    run(&folder, &["--trials", "3"], "echo $1");
    folder
        .neuralbo(&["export", "s", "--output", "s.jsonl"])
        .assert()
        .success();
    let whole = folder.read("s.jsonl");
    let mut trial: Value = serde_json::from_str(whole.lines().nth(2).unwrap()).unwrap();
    let good = trial.clone();
    for (key, value) in [
        ("params", json!("[12345]")),
        ("params", json!({"x": 12345})),
        ("params", json!({"y": 0.5})),
        ("params", Value::Null),
        ("number", json!(u64::MAX / 2)),
        ("number", json!(0)),
    ] {
        trial[key] = value.clone();
        let lines: Vec<String> = whole
            .lines()
            .enumerate()
            .map(|(i, line)| {
                if i == 2 {
                    trial.to_string()
                } else {
                    line.into()
                }
            })
            .collect();
        folder.write("bad.jsonl", &lines.join("\n"));
        let output = folder
            .neuralbo(&["import", "bad.jsonl", "--study", "t"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{key} = {value}: {output:?}");
        assert_eq!(
            answer(&folder, &["studies"]).as_array().unwrap().len(),
            1,
            "{key} = {value}"
        );
        trial = good.clone();
    }
    folder
        .neuralbo(&["import", "s.jsonl", "--study", "t"])
        .assert()
        .success();
    assert_eq!(answer(&folder, &["studies"])[1]["counts"]["complete"], 3);
}
