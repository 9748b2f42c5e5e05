//! Runs that succeed.

use std::collections::BTreeSet;

use crate::folder::{Folder, json, stderr};

#[test]
fn a_program_is_optimized_and_the_result_is_one_json_object() {
    let folder = Folder::new();
    let output = folder
        .script(&["--trials", "5"], "echo noise; echo $1")
        .output()
        .unwrap();
    let result = json(&output);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let keys: BTreeSet<&str> = result
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let expected = [
        "study",
        "method",
        "seed",
        "direction",
        "trials",
        "failed",
        "pruned",
        "best",
        "stop",
        "elapsed_s",
    ];
    assert_eq!(keys, BTreeSet::from(expected));
    assert_eq!(
        (&result["trials"], &result["failed"], &result["stop"]),
        (&5.into(), &0.into(), &"trials".into())
    );
    assert_eq!(result["best"]["value"], result["best"]["params"]["x"]);
    assert!(result["best"]["trial"].as_u64().unwrap() < 5);
}

#[test]
fn the_text_result_names_value_parameters_and_seed() {
    let folder = Folder::new();
    let arguments = [
        "run",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--trials",
        "3",
        "--",
        "echo",
        "{x}",
    ];
    let output = folder.neuralbo(&arguments).output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(
        text.starts_with("best value ")
            && text.contains("\n  x = ")
            && text.contains("3 trials (0 failed)"),
        "{text}"
    );
    let seed = text.trim().rsplit("seed ").next().unwrap();
    let again = folder
        .neuralbo(&arguments[..5])
        .args(["--trials", "3", "--seed", seed, "--", "echo", "{x}"])
        .output()
        .unwrap();
    let first_line = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes)
            .lines()
            .next()
            .map(str::to_owned)
    };
    assert_eq!(first_line(&output.stdout), first_line(&again.stdout));
}

#[test]
fn maximize_turns_the_result_around() {
    let folder = Folder::new();
    let value = |way| {
        json(
            &folder
                .script(&["--trials", "8", "--direction", way], "echo $1")
                .output()
                .unwrap(),
        )["best"]["value"]
            .as_f64()
    };
    assert!(value("minimize") < value("maximize"));
}

#[test]
fn a_json_line_gives_its_value() {
    let output = Folder::new()
        .script(
            &["--trials", "1"],
            r#"printf '{"epochs": 3, "value": 2.5}\n\n'"#,
        )
        .output()
        .unwrap();
    assert_eq!(json(&output)["best"]["value"], 2.5);
}

#[test]
fn placeholders_and_escapes_reach_the_program_as_single_arguments() {
    let folder = Folder::new();
    folder.write("count.sh", r#"printf '%s\n' "$#" "$@" > arguments; echo 1"#);
    let parameters = ["--param", "n=-7", "--param", "s=\"a b; $(touch hacked)\""];
    let command = [
        "--", "sh", "count.sh", "--n={n}", "{n}", "{{n}}", "{s}", "-x", "--json", "*", "",
    ];
    let output = folder
        .neuralbo(&[
            "run", "--method", "random", "--param", "x=bool", "--trials", "1",
        ])
        .args(parameters)
        .args(command)
        .output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(
        folder.read("arguments"),
        "8\n--n=-7\n-7\n{n}\na b; $(touch hacked)\n-x\n--json\n*\n\n"
    );
    assert!(!folder.path("hacked").exists());
}

#[test]
fn the_environment_holds_the_parameters() {
    let folder = Folder::new();
    let script = r#"env | grep ^NEURALBO_ | grep -v -e _FILE= -e ^NEURALBO_SPOOL= | sort > environment; echo "$NEURALBO_PARAM_x""#;
    let result = json(&folder.script(&["--trials", "1"], script).output().unwrap());
    let x = result["best"]["value"].as_f64().unwrap();
    let expected = format!(
        "NEURALBO_PARAMS={{\"x\":{x}}}\nNEURALBO_PARAM_x={x}\nNEURALBO_SEED=1\nNEURALBO_TRIAL=0\n"
    );
    assert_eq!(folder.read("environment"), expected);
}

#[test]
fn a_huge_output_neither_blocks_nor_hides_the_value() {
    let script =
        "head -c 30000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero >&2; echo; echo 4.5";
    let output = Folder::new()
        .script(&["--trials", "1"], script)
        .output()
        .unwrap();
    assert_eq!(json(&output)["best"]["value"], 4.5);
}

#[test]
fn the_example_in_the_help_works() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/branin.sh");
    let arguments = [
        "run",
        "--param",
        "x=float(-5,10)",
        "--param",
        "y=float(0,15)",
        "--trials",
        "5",
        "--json",
        "--",
        "sh",
        example,
    ];
    let output = Folder::new()
        .neuralbo(&arguments)
        .args(["{x}", "{y}"])
        .output()
        .unwrap();
    let best = &json(&output)["best"];
    let (x, y) = (
        best["params"]["x"].as_f64().unwrap(),
        best["params"]["y"].as_f64().unwrap(),
    );
    let problem = neuralbo_lab::problems::by_name("branin", None).unwrap();
    assert!((problem.value(&[x, y]) - best["value"].as_f64().unwrap()).abs() < 1e-9);
}

#[test]
fn stop_rules_say_why() {
    let folder = Folder::new();
    let stop = |options: &[&str]| {
        json(
            &folder
                .script(options, "sleep 0.02; echo $1")
                .output()
                .unwrap(),
        )["stop"]
            .clone()
    };
    assert_eq!(stop(&["--target", "0.9"]), "target");
    assert_eq!(stop(&["--patience", "3"]), "no_improvement");
    assert_eq!(stop(&["--timeout", "200ms"]), "timeout");
    assert_eq!(stop(&["--target", "-1", "--trials", "3"]), "trials");
}

#[test]
fn a_finite_space_is_exhausted() {
    let folder = Folder::new();
    let output = folder
        .neuralbo(&[
            "run",
            "--method",
            "random",
            "--json",
            "--param",
            "n=int(1,3)",
            "--workers",
            "2",
            "--",
            "echo",
            "{n}",
        ])
        .output();
    let result = json(&output.unwrap());
    assert_eq!(
        (&result["stop"], &result["trials"], &result["best"]["value"]),
        (&"exhausted".into(), &3.into(), &1.0.into())
    );
}

#[test]
fn jobs_run_at_the_same_time() {
    let folder = Folder::new();
    // Each program waits until all four have started, so the run can only end if they overlap.
    let script = "touch started.$NEURALBO_TRIAL; while [ $(ls started.* | wc -l) -lt 4 ]; do sleep 0.02; done; echo $1";
    let result = json(
        &folder
            .script(
                &["--trials", "4", "--workers", "4", "--trial-timeout", "20s"],
                script,
            )
            .output()
            .unwrap(),
    );
    assert_eq!(
        (&result["trials"], &result["failed"]),
        (&4.into(), &0.into())
    );
}

#[test]
fn a_built_in_function_with_noise_shows_the_true_value() {
    let arguments = [
        "run",
        "--method",
        "random",
        "--function",
        "ackley",
        "--dim",
        "3",
        "--noise",
        "0.5",
        "--trials",
        "20",
        "--json",
    ];
    let result = json(&Folder::new().neuralbo(&arguments).output().unwrap());
    assert_eq!(result["study"], "ackley-3");
    let params = result["best"]["params"].as_object().unwrap();
    let x: Vec<f64> = ["x0", "x1", "x2"]
        .map(|name| params[name].as_f64().unwrap())
        .to_vec();
    let truth = neuralbo_lab::problems::by_name("ackley", Some(3))
        .unwrap()
        .value(&x);
    assert_eq!(result["best"]["true_value"].as_f64(), Some(truth));
    assert_ne!(result["best"]["value"].as_f64(), Some(truth));
}

#[test]
fn progress_goes_to_standard_error_unless_quiet() {
    let folder = Folder::new();
    let output = folder
        .script(&["--trials", "5"], "echo $1")
        .output()
        .unwrap();
    assert!(
        stderr(&output).contains("best ")
            && stderr(&output).contains("stopped: all 5 trials are done"),
        "{output:?}"
    );
    let output = folder
        .script(&["--trials", "5", "--quiet"], "echo $1")
        .output()
        .unwrap();
    assert_eq!(stderr(&output), "");
}

#[test]
fn known_results_cost_no_patience_with_and_without_a_study() {
    for study in [&["--study", "s"][..], &[]] {
        let folder = Folder::new();
        let rows: String = (0..31).map(|i| format!("0.{i:02},0\n")).collect();
        folder.write("known.csv", &format!("x,value\n{rows}"));
        let options = [study, &["--known", "known.csv", "--patience", "20"]].concat();
        let result = json(&folder.script(&options, "echo 1").output().unwrap());
        assert_eq!(
            (&result["trials"], &result["stop"]),
            (&51.into(), &"no_improvement".into()),
            "{study:?}"
        );
    }
}

#[test]
fn a_stored_study_shows_the_same_progress() {
    let folder = Folder::new();
    let said = |study: &[&str]| {
        let script = "[ $NEURALBO_TRIAL = 2 ] && exit 1; echo $1";
        stderr(
            &folder
                .script(&[study, &["--trials", "12"]].concat(), script)
                .output()
                .unwrap(),
        )
    };
    let (alone, stored) = (said(&[]), said(&["--study", "s"]));
    assert!(
        alone.contains("1 finished: best ") && alone.contains("trial 2 failed: exit"),
        "{alone}"
    );
    assert_eq!(alone, stored);
}

#[test]
fn a_bad_trial_is_stopped_early_without_a_storage_too() {
    let folder = Folder::new();
    let script = "[ $NEURALBO_TRIAL -lt 4 ] && { echo '{\"step\": 0, \"value\": 0.1}'; exit; }
        echo '{\"step\": 0, \"value\": 5.5}'; sleep 60";
    let options = ["--trials", "6", "--prune", "median", "--trace", "trace.csv"];
    let result = json(&folder.script(&options, script).output().unwrap());
    assert_eq!(
        (
            &result["trials"],
            &result["failed"],
            &result["best"]["value"]
        ),
        (&6.into(), &0.into(), &0.1.into())
    );
    assert!(
        folder.read("trace.csv").contains("\n4,pruned,5.5,"),
        "{}",
        folder.read("trace.csv")
    );
}

#[test]
fn methods_and_functions_are_listed() {
    let folder = Folder::new();
    folder
        .neuralbo(&["methods"])
        .assert()
        .success()
        .stdout(predicates::str::contains("random"));
    folder
        .neuralbo(&["functions"])
        .assert()
        .success()
        .stdout(predicates::str::contains("hartmann6"));
    folder
        .neuralbo(&["run", "--function", "bbob-f3-i1-d10", "--trials", "2"])
        .assert()
        .success();
    for (command, name) in [("methods", "neuralbo"), ("functions", "hartmann6")] {
        let output = folder.neuralbo(&[command, "--json"]).output().unwrap();
        let list: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
        assert!(
            list.iter().any(|entry| entry["name"] == name),
            "{command}: {list:?}"
        );
    }
}
