//! Programs that fail, each in its own way.

use std::time::{Duration, Instant};

use crate::folder::{Folder, json, stderr};

/// The state column of the only trial, and what was said about it.
fn failure(options: &[&str], script: &str) -> (String, String) {
    let folder = Folder::new();
    let output = folder.script(options, script).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let result = json(&output);
    assert_eq!(
        (&result["failed"], &result["best"]),
        (&1.into(), &serde_json::Value::Null)
    );
    let state = folder
        .read("trace.csv")
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .nth(1)
        .unwrap()
        .to_owned();
    (state, stderr(&output))
}

const ONE: [&str; 4] = ["--trials", "1", "--trace", "trace.csv"];

#[test]
fn a_non_zero_exit_is_a_failure_with_the_end_of_standard_error() {
    let (state, said) = failure(
        &ONE,
        "echo 1; echo first >&2; echo out of memory >&2; exit 3",
    );
    assert_eq!(state, "failed:exit");
    assert!(
        said.contains("exit status 3") && said.contains("out of memory"),
        "{said}"
    );
}

#[test]
fn a_signal_is_a_failure() {
    let (state, said) = failure(&ONE, "kill -SEGV $$");
    assert_eq!(state, "failed:signal");
    assert!(said.contains("signal 11"), "{said}");
}

#[test]
fn an_unreadable_value_is_a_failure() {
    let (state, said) = failure(&ONE, "echo 1; echo done");
    assert_eq!(state, "failed:parse");
    assert!(said.contains("`done`"), "{said}");
    assert_eq!(failure(&ONE, "true").0, "failed:parse");
}

#[test]
fn a_value_that_is_not_finite_is_a_failure() {
    assert_eq!(failure(&ONE, "echo nan").0, "failed:nonfinite");
    assert_eq!(failure(&ONE, "echo -inf").0, "failed:nonfinite");
}

#[test]
fn a_timeout_kills_the_whole_process_group() {
    let folder = Folder::new();
    // The grandchild would write its file long before the test looks for it.
    let script = "(trap '' TERM INT; sleep 1; touch survived) & sleep 30; echo 1";
    let started = Instant::now();
    let options = [&ONE[..], &["--trial-timeout", "200ms"]].concat();
    let output = folder.script(&options, script).output().unwrap();
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(
        folder.read("trace.csv").contains("failed:timeout") && stderr(&output).contains("0.2 s"),
        "{output:?}"
    );
    std::thread::sleep(Duration::from_millis(1500));
    assert!(!folder.path("survived").exists());
}

#[test]
fn a_grandchild_that_keeps_the_output_open_does_not_hold_the_trial() {
    let folder = Folder::new();
    let started = Instant::now();
    let output = folder
        .script(&["--trials", "1"], "sleep 30 & echo 2.5")
        .output()
        .unwrap();
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(json(&output)["best"]["value"], 2.5);
}

#[test]
fn a_failed_trial_does_not_end_the_run() {
    let folder = Folder::new();
    let script = "[ $((NEURALBO_TRIAL % 2)) = 0 ] && exit 1; echo $1";
    let output = folder.script(&["--trials", "6"], script).output().unwrap();
    let result = json(&output);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        (&result["trials"], &result["failed"]),
        (&6.into(), &3.into())
    );
    assert_eq!(
        stderr(&output).matches("failed: exit").count(),
        1,
        "one line per kind: {output:?}"
    );
}

#[test]
fn a_program_that_cannot_start_ends_the_run_at_once() {
    let folder = Folder::new();
    folder.write("data.txt", "not a program");
    for (program, reason) in [
        ("./no-such-program", "No such file"),
        ("./data.txt", "ermission denied"),
    ] {
        for jobs in ["1", "3"] {
            let arguments = [
                "run",
                "--param",
                "x=float(0,1)",
                "--workers",
                jobs,
                "--",
                program,
                "{x}",
            ];
            let output = folder.neuralbo(&arguments).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            assert!(
                stderr(&output).contains(program) && stderr(&output).contains(reason),
                "{output:?}"
            );
            assert!(output.stdout.is_empty());
        }
    }
}

/// A script that can be started as it is.
fn program(folder: &Folder, name: &str, text: &str) {
    folder.write(name, &format!("#!/bin/sh\n{text}\n"));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(name), mode).unwrap();
}

#[test]
fn a_program_that_cannot_start_leaves_the_other_jobs_alone() {
    for study in [&["--study", "s"][..], &[]] {
        let folder = Folder::new();
        // The first trial takes the program away from the others and needs longer than they do.
        program(
            &folder,
            "once.sh",
            "[ $NEURALBO_TRIAL = 0 ] && { rm $0; sleep 1; echo 7; exit; }; sleep 0.2; echo 8",
        );
        let run = [
            "run",
            "--method",
            "random",
            "--param",
            "x=float(0,1)",
            "--trials",
            "6",
            "--workers",
            "2",
            "--json",
        ];
        let arguments = [
            &run[..],
            &["--trace", "trace.csv"],
            study,
            &["--", "./once.sh", "{x}"],
        ]
        .concat();
        let output = folder.neuralbo(&arguments).output().unwrap();
        let result = json(&output);
        assert_eq!(
            (
                output.status.code(),
                &result["trials"],
                &result["best"]["value"]
            ),
            (Some(0), &6.into(), &7.0.into())
        );
        let trace = folder.read("trace.csv");
        assert!(
            trace.contains("\n0,complete,7.0,")
                && trace.contains("failed:start")
                && !trace.contains("failed:signal"),
            "{trace}"
        );
    }
}

#[test]
fn a_signal_is_retried_and_counts_as_one_failure() {
    let folder = Folder::new();
    let output = folder
        .script(
            &["--trials", "2"],
            "echo x >> ran.$NEURALBO_TRIAL; kill -9 $$",
        )
        .output()
        .unwrap();
    assert_eq!(
        (&json(&output)["trials"], &json(&output)["failed"]),
        (&2.into(), &2.into())
    );
    assert_eq!(
        (
            folder.read("ran.0").lines().count(),
            folder.read("ran.1").lines().count()
        ),
        (3, 3),
        "three attempts each"
    );
    let output = folder
        .script(
            &["--trials", "2", "--retry", ""],
            "echo x >> once.$NEURALBO_TRIAL; kill -9 $$",
        )
        .output()
        .unwrap();
    assert_eq!(
        (
            &json(&output)["failed"],
            folder.read("once.0").lines().count()
        ),
        (&2.into(), 1)
    );
}

#[test]
fn a_program_that_vanishes_later_only_fails_its_trials() {
    let folder = Folder::new();
    program(&folder, "once.sh", "rm \"$0\"\necho 1");
    let arguments = [
        "run",
        "--param",
        "x=float(0,1)",
        "--trials",
        "3",
        "--json",
        "--",
        "./once.sh",
        "{x}",
    ];
    let result = json(&folder.neuralbo(&arguments).output().unwrap());
    assert_eq!(
        (&result["trials"], &result["failed"]),
        (&3.into(), &2.into())
    );
}
