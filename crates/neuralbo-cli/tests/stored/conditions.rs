//! The conditional example of docs/spaces.md, from the command line to the stored trials and back.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::folder::{Folder, json as output_json, stderr};

const PARAMETERS: [&str; 8] = [
    "--param",
    "kernel=choice(linear,rbf,poly)",
    "--param",
    "C=float(1e-3,1e3,log)",
    "--param",
    "gamma=float(1e-4,10,log) if kernel in (rbf,poly)",
    "--param",
    "degree=int(2,5) if kernel == poly",
];

fn script() -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/kernels.sh")
        .display()
        .to_string()
}

fn answer(folder: &Folder, arguments: &[&str]) -> Value {
    let output = folder.neuralbo(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output_json(&output)
}

/// What docs/spaces.md says about a trial's parameters.
fn check(params: &Value) {
    let kernel = params["kernel"].as_str().unwrap();
    let has = |name: &str| params.as_object().unwrap().contains_key(name);
    assert_eq!(
        (has("C"), has("gamma"), has("degree")),
        (true, kernel != "linear", kernel == "poly"),
        "{params}"
    );
}

#[test]
fn inactive_parameters_are_absent_from_arguments_environment_and_records() {
    let folder = Folder::new();
    let logged = r#"env | grep '^NEURALBO_PARAM_' | sort | tr '\n' ' ' >> seen; echo "$NEURALBO_PARAMS" >> seen; exec sh "$@""#;
    let command = [
        "sh",
        "-c",
        logged,
        "-",
        &script(),
        "{kernel}",
        "{C}",
        "[--gamma",
        "{gamma}]",
        "[--degree {degree}]",
    ];
    let options = [
        "run", "--study", "kernels", "--trials", "24", "--seed", "3", "--json",
    ];
    let output = folder
        .neuralbo(&options)
        .args(PARAMETERS)
        .arg("--")
        .args(command)
        .output()
        .unwrap();
    let summary = output_json(&output);
    assert_eq!(
        (&summary["trials"], &summary["failed"]),
        (&24.into(), &0.into()),
        "the script refuses wrong arguments: {summary}"
    );
    check(&summary["best"]["params"]);

    let trials = answer(&folder, &["trials", "kernels", "--json"]);
    let trials: Vec<&Value> = trials
        .as_array()
        .unwrap()
        .iter()
        .map(|trial| &trial["params"])
        .collect();
    assert_eq!(trials.len(), 24);
    trials.iter().for_each(|params| check(params));
    for kernel in ["linear", "rbf", "poly"] {
        assert!(
            trials.iter().any(|params| params["kernel"] == kernel),
            "{kernel} was never tried"
        );
    }
    // The program saw the stored values and no others.
    let seen = folder.read("seen");
    let sorted = |params: Vec<Value>| {
        let mut all: Vec<BTreeMap<String, Value>> = params
            .into_iter()
            .map(|params| serde_json::from_value(params).unwrap())
            .collect();
        all.sort_by_key(|params| format!("{params:?}"));
        all
    };
    let whole = seen
        .lines()
        .map(|line| serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap());
    assert_eq!(
        sorted(whole.collect()),
        sorted(trials.into_iter().cloned().collect())
    );
    for line in seen.lines() {
        let params: Value = serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
        for name in ["gamma", "degree"] {
            assert_eq!(
                line.contains(&format!("NEURALBO_PARAM_{name}=")),
                params.get(name).is_some(),
                "{line}"
            );
        }
    }

    check(&answer(&folder, &["best", "kernels", "--json"])["params"]);
    let csv = folder
        .neuralbo(&["trials", "kernels", "--format", "csv"])
        .output()
        .unwrap();
    let csv = String::from_utf8(csv.stdout).unwrap();
    let linear: Vec<&str> = csv.lines().filter(|line| line.contains("linear")).collect();
    assert!(
        !linear.is_empty() && linear.iter().all(|line| line.contains(",,")),
        "{csv}"
    );
    assert_eq!(
        answer(&folder, &["replay", "kernels", "--json"])["difference"],
        Value::Null
    );
}

#[test]
fn a_conditional_study_is_exported_imported_and_continued() {
    let folder = Folder::new();
    let script = script();
    let command = [
        "--",
        "sh",
        script.as_str(),
        "{kernel}",
        "{C}",
        "[--gamma {gamma}]",
        "[--degree {degree}]",
    ];
    let run = |name: &str, trials: &str| {
        let options = [
            "run", "--study", name, "--method", "random", "--trials", trials, "--json",
        ];
        folder
            .neuralbo(&options)
            .args(PARAMETERS)
            .args(command)
            .output()
            .unwrap()
    };
    output_json(&run("first", "8"));
    let exported = folder.neuralbo(&["export", "first"]).output().unwrap();
    assert!(exported.status.success());
    folder.write("first.jsonl", &String::from_utf8(exported.stdout).unwrap());
    let imported = folder
        .neuralbo(&["import", "first.jsonl", "--study", "second"])
        .output()
        .unwrap();
    assert!(imported.status.success(), "{}", stderr(&imported));
    assert_eq!(
        answer(&folder, &["trials", "first", "--json"])[3]["params"],
        answer(&folder, &["trials", "second", "--json"])[3]["params"]
    );
    assert_eq!(output_json(&run("second", "10"))["trials"], 10);
}

#[test]
fn what_is_wrong_is_said_before_the_first_trial() {
    let folder = Folder::new();
    let error = |parameters: &[&str], command: &[&str]| {
        let options = ["run", "--study", "s", "--trials", "3"];
        let output = folder
            .neuralbo(&options)
            .args(parameters)
            .arg("--")
            .args(command)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        stderr(&output)
    };
    let outside = error(&PARAMETERS, &["echo", "{gamma}"]);
    assert!(
        outside.contains("{gamma}")
            && outside.contains("kernel in (rbf, poly)")
            && outside.contains("[--gamma {gamma}]"),
        "{outside}"
    );
    let unknown = error(&["--param", "x=float(0,1) if y == 1"], &["echo", "1"]);
    assert!(
        unknown.contains("`x`") && unknown.contains("unknown name `y`"),
        "{unknown}"
    );
    let circle = error(
        &["--param", "a=bool if b", "--param", "b=bool if a"],
        &["echo", "1"],
    );
    assert!(
        circle.contains("`a` depends on `b` depends on `a`"),
        "{circle}"
    );
    assert!(!folder.path("neuralbo.db").exists(), "no study was begun");
}

#[test]
fn known_results_may_have_empty_and_superfluous_cells() {
    let folder = Folder::new();
    let csv = "kernel,C,gamma,degree,value\nlinear,1,,,0.5\nrbf,2,0.1,,0.4\nlinear,3,0.7,,0.6\n";
    folder.write("known.csv", csv);
    let options = [
        "run",
        "--study",
        "s",
        "--method",
        "random",
        "--trials",
        "1",
        "--known",
        "known.csv",
        "--json",
    ];
    let output = folder
        .neuralbo(&options)
        .args(PARAMETERS)
        .args(["--", "echo", "1"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let trials = answer(&folder, &["trials", "s", "--json"]);
    assert_eq!(
        trials[0]["params"],
        serde_json::json!({"kernel": "linear", "C": 1.0})
    );
    assert_eq!(
        trials[2]["params"],
        serde_json::json!({"kernel": "linear", "C": 3.0, "gamma": 0.7}),
        "nothing is lost"
    );
    folder.write("known.csv", "kernel,C,gamma,degree,value\nrbf,1,,,0.5\n");
    let output = folder
        .neuralbo(&options)
        .args(PARAMETERS)
        .args(["--", "echo", "1"])
        .output()
        .unwrap();
    assert!(
        stderr(&output).contains("no value for parameter `gamma`"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_file_written_from_a_conditional_study_runs() {
    let folder = Folder::new();
    let run = [
        "run", "--study", "kernels", "--method", "random", "--trials", "2",
    ];
    let made = folder.neuralbo(&run).args(PARAMETERS).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let init = ["init", "e.toml", "--from", "neuralbo.db:kernels"];
    assert!(folder.neuralbo(&init).output().unwrap().status.success());
    // The program that the file names, which writes down its arguments.
    folder.write("program", "#!/bin/sh\necho \"$*\" >> seen\necho 1\n");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path("program"), executable).unwrap();
    let output = folder
        .neuralbo(&["run", "e.toml", "--trials", "30", "--json"])
        .output()
        .unwrap();
    assert_eq!(output_json(&output)["failed"], 0, "{output:?}");
    let mut kinds = BTreeMap::new();
    for line in folder.read("seen").lines() {
        let names: Vec<&str> = line
            .split(' ')
            .map(|word| word.split('=').next().unwrap())
            .collect();
        let kernel = line.split([' ', '=']).nth(1).unwrap();
        let expected: &[&str] = match kernel {
            "linear" => &["--kernel", "--C"],
            "rbf" => &["--kernel", "--C", "--gamma"],
            _ => &["--kernel", "--C", "--gamma", "--degree"],
        };
        assert_eq!(names, expected, "{line}");
        *kinds.entry(kernel.to_owned()).or_insert(0) += 1;
    }
    assert_eq!(kinds.len(), 3, "{kinds:?}");
}

#[test]
fn a_command_survives_the_removal_of_its_conditions() {
    let folder = Folder::new();
    let command = ["--", "echo", "[--gamma={gamma}]"];
    let seen = |parameter: &str, rest: &[&str]| {
        let run = [
            "run",
            "--method",
            "random",
            "--trials",
            "4",
            "--quiet",
            "--param",
            "k=choice(a,b)",
            "--param",
            parameter,
        ];
        let script = "echo \"$@\" >> seen; echo 1";
        folder.write("seen", "");
        folder.write("log.sh", script);
        let mut arguments = [&run[..], &["--", "sh", "log.sh"], rest].concat();
        arguments.retain(|word| !word.is_empty());
        let output = folder.neuralbo(&arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        folder.read("seen")
    };
    let group = &command[2..];
    assert!(seen("gamma=float(0,1) if k == a", group).lines().count() == 4);
    let always = seen("gamma=float(0,1)", group);
    assert_eq!(always.matches("--gamma=").count(), 4, "{always}");
    assert!(!always.contains(['[', ']']), "{always}");
}
