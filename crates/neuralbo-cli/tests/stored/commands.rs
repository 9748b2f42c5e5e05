//! Create, resume, ask, tell, look.

use serde_json::{Value, json};

use crate::folder::{Folder, json as output_json, stderr};

const RUN: [&str; 10] = [
    "run",
    "--study",
    "s",
    "--method",
    "random",
    "--param",
    "x=float(0,1)",
    "--param",
    "o=choice(a,b)",
    "--json",
];

fn run(folder: &Folder, options: &[&str]) -> std::process::Output {
    folder
        .neuralbo(&RUN)
        .args(options)
        .args(["--", "echo", "{x}"])
        .output()
        .unwrap()
}

fn answer(folder: &Folder, arguments: &[&str]) -> Value {
    let output = folder.neuralbo(arguments).arg("--json").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output_json(&output)
}

#[test]
fn the_same_command_again_continues() {
    let folder = Folder::new();
    let first = output_json(&run(&folder, &["--trials", "5", "--seed", "7"]));
    assert_eq!(
        (&first["trials"], &first["stop"]),
        (&5.into(), &"trials".into())
    );
    let again = output_json(&run(&folder, &["--trials", "5", "--seed", "7"]));
    assert_eq!(
        (&again["trials"], &again["best"]),
        (&5.into(), &first["best"])
    );
    let more = output_json(&run(&folder, &["--trials", "9"]));
    assert_eq!((&more["trials"], &more["seed"]), (&9.into(), &7.into()));
    let whole = Folder::new();
    assert_eq!(
        output_json(&run(&whole, &["--trials", "9", "--seed", "7"]))["best"],
        more["best"],
        "as if never interrupted"
    );
    assert_eq!(answer(&folder, &["replay", "s"])["difference"], Value::Null);
}

#[test]
fn a_different_study_of_the_same_name_is_refused_with_all_differences() {
    let folder = Folder::new();
    run(&folder, &["--trials", "3", "--seed", "7"]);
    let other = [
        "run",
        "--study",
        "s",
        "--method",
        "sobol",
        "--direction",
        "maximize",
        "--param",
        "x=float(0,2)",
        "--seed",
        "8",
    ];
    let output = folder
        .neuralbo(&other)
        .args(["--", "echo", "{x}"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    for part in [
        "widened x from",
        "removed o=",
        "value:maximize",
        "method",
        "seed",
        "--force",
    ] {
        assert!(
            stderr(&output).contains(part),
            "{part}: {}",
            stderr(&output)
        );
    }
    assert_eq!(answer(&folder, &["studies"])[0]["method"], "random");
    let forced = folder
        .neuralbo(&other)
        .args(["--force", "--trials", "5", "--json", "--", "echo", "{x}"])
        .output()
        .unwrap();
    assert_eq!(output_json(&forced)["trials"], 5, "{forced:?}");
}

#[test]
fn ask_and_tell_work_from_any_language() {
    let folder = Folder::new();
    run(&folder, &["--trials", "1"]);
    assert_eq!(
        answer(&folder, &[&RUN[..9], &["--trials", "4"]].concat())["new"],
        false
    );
    let asked = answer(&folder, &["ask", "s", "--worker", "me"]);
    assert_eq!((&asked["trial"], &asked["attempt"]), (&1.into(), &1.into()));
    assert!(asked["params"]["x"].is_number() && asked["params"]["o"].is_string());
    assert_eq!(
        answer(
            &folder,
            &["tell", "s", "1", "--step", "3", "--value", "0.7"]
        )["told"],
        "reported"
    );
    let ending = [
        "tell",
        "s",
        "1",
        "--value",
        "-2.5",
        "--attribute",
        "epochs=12",
        "--attribute",
        "host=a b",
    ];
    assert_eq!(
        answer(&folder, &ending),
        json!({"trial":1,"told":"finished","state":"complete"})
    );
    assert_eq!(
        answer(&folder, &["tell", "s", "1", "--value", "-2.5"])["told"],
        "already"
    );
    let second = folder
        .neuralbo(&["tell", "s", "1", "--value", "3"])
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(1));
    assert!(stderr(&second).contains("already complete"), "{second:?}");
    assert_eq!(answer(&folder, &["best", "s"])["value"], -2.5);
    answer(&folder, &["ask", "s"]);
    assert_eq!(
        answer(
            &folder,
            &["tell", "s", "2", "--failed", "exit", "--message", "-x 'y'"]
        )["state"],
        "failed"
    );
    let wrong = folder
        .neuralbo(&["tell", "s", "2", "--failed", "crash"])
        .output()
        .unwrap();
    assert!(
        wrong.status.code() == Some(2) && stderr(&wrong).contains("known kinds"),
        "{wrong:?}"
    );
    answer(&folder, &["ask", "s"]);
    assert_eq!(
        answer(&folder, &["ask", "s"]),
        json!({"trial": null, "running": 1})
    );
    assert_eq!(
        answer(&folder, &["tell", "s", "3", "--pruned", "0.5"])["state"],
        "pruned"
    );
    assert_eq!(
        answer(&folder, &["ask", "s"]),
        json!({"trial": null, "ended": "trials"})
    );
    let trials = answer(&folder, &["trials", "s"]);
    assert_eq!(
        trials[1]["reports"],
        json!([{"step": 3, "name": "value", "value": 0.7}])
    );
    assert_eq!(
        trials[1]["attributes"],
        json!({"epochs": 12, "host": "a b"})
    );
    assert_eq!(
        (&trials[1]["worker"], &trials[2]["failure"]["message"]),
        (&"me".into(), &"-x 'y'".into())
    );
}

#[test]
fn a_worker_works_until_the_study_ends() {
    let folder = Folder::new();
    assert_eq!(
        answer(&folder, &[&RUN[..9], &["--trials", "6"]].concat())["new"],
        true
    );
    let output = folder
        .neuralbo(&[
            "worker",
            "s",
            "--workers",
            "3",
            "--json",
            "--",
            "echo",
            "{x}",
        ])
        .output()
        .unwrap();
    assert_eq!(
        (&output_json(&output)["trials"], output.status.code()),
        (&6.into(), Some(0)),
        "{output:?}"
    );
    let unknown = folder
        .neuralbo(&["worker", "t", "--", "echo", "1"])
        .output()
        .unwrap();
    assert!(
        unknown.status.code() == Some(2) && stderr(&unknown).contains("studies: `s`"),
        "{unknown:?}"
    );
    let missing = folder
        .neuralbo(&["worker", "s", "--", "echo", "{z}"])
        .output()
        .unwrap();
    assert!(
        missing.status.code() == Some(2) && stderr(&missing).contains("{z}"),
        "{missing:?}"
    );
}

#[test]
fn a_program_that_cannot_start_leaves_its_trial_to_others() {
    let folder = Folder::new();
    answer(&folder, &[&RUN[..9], &["--trials", "2"]].concat());
    let output = folder
        .neuralbo(&["worker", "s", "--", "./no-such-program"])
        .output()
        .unwrap();
    assert!(
        output.status.code() == Some(1) && stderr(&output).contains("no-such-program"),
        "{output:?}"
    );
    let output = folder
        .neuralbo(&["worker", "s", "--json", "--", "echo", "{x}"])
        .output()
        .unwrap();
    assert_eq!(
        (
            &output_json(&output)["trials"],
            &output_json(&output)["failed"]
        ),
        (&2.into(), &0.into())
    );
}

#[test]
fn values_stay_one_argument_and_reach_no_shell() {
    let folder = Folder::new();
    folder.write("show.sh", "printf '%s\\n' \"$#\" \"$1\" >> seen; echo 1");
    let hostile = "s=choice(\"-rf\",\"$(touch pwned)\",\"a b; touch pwned\",\"`touch pwned`\")";
    let output = folder
        .neuralbo(&[
            "run",
            "--study",
            "'; DROP TABLE neuralbo_trials; --",
            "--method",
            "random",
            "--param",
            hostile,
            "--trials",
            "4",
        ])
        .args(["--json", "--", "sh", "show.sh", "{s}"])
        .output()
        .unwrap();
    assert_eq!(output_json(&output)["trials"], 4);
    let seen = folder.read("seen");
    assert_eq!(
        seen.lines().filter(|line| *line == "1").count(),
        4,
        "{seen}"
    );
    assert!(
        seen.contains("-rf") && seen.contains("$(touch pwned)") && !folder.path("pwned").exists(),
        "{seen}"
    );
}

#[test]
fn failures_are_retried_by_kind() {
    let folder = Folder::new();
    folder.write(
        "flaky.sh",
        "[ -e seen.$NEURALBO_TRIAL ] && { echo 1; exit; }; touch seen.$NEURALBO_TRIAL; exit 3",
    );
    let run = |study: &str, retry: &str| {
        let options = [
            "run",
            "--study",
            study,
            "--method",
            "random",
            "--param",
            "x=float(0,1)",
            "--trials",
            "3",
            "--retry",
            retry,
        ];
        output_json(
            &folder
                .neuralbo(&options)
                .args(["--json", "--", "sh", "flaky.sh"])
                .output()
                .unwrap(),
        )
    };
    assert_eq!(run("retried", "exit")["failed"], 0);
    std::fs::remove_file(folder.path("seen.0")).unwrap();
    assert_eq!(run("not-retried", "timeout,signal")["failed"], 1);
}

#[test]
fn a_study_is_deleted_only_on_purpose() {
    let folder = Folder::new();
    run(&folder, &["--trials", "2"]);
    assert_eq!(
        folder
            .neuralbo(&["delete", "s"])
            .output()
            .unwrap()
            .status
            .code(),
        Some(2)
    );
    assert_eq!(
        answer(&folder, &["delete", "s", "--yes"]),
        json!({"deleted": "s", "trials": 2})
    );
    assert_eq!(answer(&folder, &["studies"]), json!([]));
}

#[test]
fn a_storage_without_a_study_is_refused() {
    for option in [
        ["--storage", "x.db"],
        ["--lease", "5s"],
        ["--rename", "a=b"],
    ] {
        let folder = Folder::new();
        let mut run = folder.neuralbo(&["run", "--param", "x=float(0,1)", "--trials", "1"]);
        let output = run.args(option).args(["--", "echo", "1"]).output().unwrap();
        assert!(
            output.status.code() == Some(2) && stderr(&output).contains("--study"),
            "{output:?}"
        );
    }
}

#[test]
fn an_interrupted_trial_is_given_back() {
    let folder = Folder::new();
    answer(&folder, &[&RUN[..9], &["--trials", "1"]].concat());
    let first = answer(&folder, &["ask", "s"]);
    assert_eq!(
        answer(&folder, &["tell", "s", "0", "--failed", "interrupted"]),
        json!({"trial":0,"told":"retried","state":"running"})
    );
    let second = answer(&folder, &["ask", "s"]);
    assert_eq!(
        (&second["trial"], &second["params"], &second["attempt"]),
        (&0.into(), &first["params"], &2.into())
    );
    let late = folder
        .neuralbo(&["tell", "s", "0", "--value", "1", "--token"])
        .arg(first["token"].as_str().unwrap())
        .output()
        .unwrap();
    assert!(
        late.status.code() == Some(1) && stderr(&late).contains("lost its lease"),
        "{late:?}"
    );
}

#[test]
fn every_command_shows_an_example() {
    let folder = Folder::new();
    for command in [
        "run", "worker", "ask", "tell", "best", "trials", "studies", "export", "import", "delete",
        "replay",
    ] {
        let output = folder.neuralbo(&[command, "--help"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.contains("Example") && text.contains("--json") && text.contains("--storage"),
            "{command}: {text}"
        );
    }
}
