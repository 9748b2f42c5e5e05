//! Methods that are programs, methods that fail, and our methods as a service.

use super::traces::{Run, all};
use crate::folder::{Folder, stderr};

const EXAMPLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/external_method.py"
);

fn run(folder: &Folder, methods: &[&str]) -> (Vec<Run>, String) {
    let mut arguments = vec![
        "lab",
        "run",
        "push",
        "--profile",
        "quick",
        "--runs",
        "2",
        "--evals",
        "3",
        "--out",
        "out",
    ];
    methods
        .iter()
        .for_each(|method| arguments.extend(["--methods", method]));
    let output = folder.neuralbo(&arguments).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    (
        all(&folder.path("out")),
        String::from_utf8(output.stdout).unwrap(),
    )
}

#[test]
fn the_example_takes_part() {
    let folder = Folder::new();
    let (runs, _) = run(&folder, &[&format!("ext:python3 {EXAMPLE}"), "random"]);
    assert_eq!(runs.len(), 4);
    assert!(
        runs.iter()
            .all(|run| run.header["error"].is_null() && run.rows.len() == 4)
    );
    let external = runs
        .iter()
        .filter(|run| run.text("method").starts_with("ext:"));
    assert!(
        external
            .clone()
            .all(|run| run.rows[1]["origin"] == "external")
    );
    assert_eq!(external.count(), 2);
}

#[test]
fn a_method_that_fails_is_reported_and_the_rest_goes_on() {
    let folder = Folder::new();
    let (runs, text) = run(&folder, &["random", "ext:echo no idea >&2; exit 3"]);
    let (failed, good): (Vec<_>, Vec<_>) =
        runs.iter().partition(|run| !run.header["error"].is_null());
    assert_eq!((failed.len(), good.len()), (2, 2));
    assert!(
        failed[0].text("error").contains("no idea") && text.contains("2 failed"),
        "{text}"
    );
    assert!(
        folder
            .neuralbo(&["lab", "report", "out"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let report = folder.read("out/report.md");
    assert!(report.contains("Runs that ended early") && report.contains("no idea"));
}

#[test]
fn failed_runs_are_kept_until_they_are_asked_for_again() {
    let folder = Folder::new();
    let method = format!("ext:if [ -f ready ]; then python3 {EXAMPLE}; else exit 1; fi");
    assert!(run(&folder, &[&method]).1.contains("2 failed"));
    folder.write("ready", "");
    assert!(run(&folder, &[&method]).1.contains("0 made now, 2 failed"));
    let arguments = [
        "lab",
        "run",
        "push",
        "--profile",
        "quick",
        "--runs",
        "2",
        "--evals",
        "3",
        "--out",
        "out",
        "--retry-failed",
    ];
    let output = folder
        .neuralbo(&[&arguments[..], &["--methods", &method]].concat())
        .output()
        .unwrap();
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("2 made now, 0 failed")
    );
}

/// A method of ours behind the protocol finds the same points as inside the lab.
#[test]
fn a_served_method_is_the_method_itself() {
    let folder = Folder::new();
    let served = format!(
        "ext:{} lab serve --method gp-ei:initial=15",
        crate::folder::program()
    );
    let (runs, _) = run(&folder, &["gp-ei", &served]);
    let values = |method: &str| -> Vec<Vec<f64>> {
        runs.iter()
            .filter(|run| run.text("method").starts_with(method))
            .map(|run| run.column("best"))
            .collect()
    };
    assert_eq!(values("gp-ei").len(), 2);
    assert_eq!(values("gp-ei"), values("ext:"));
}

#[test]
fn a_conversation_by_hand() {
    let lines = [
        r#"{"start":{"protocol":1,"space":{"x":{"type":"float","low":0,"high":1}},"direction":"maximize","seed":7}}"#,
        r#"{"tell":{"point":{"x":0.5},"value":1.5}}"#,
        r#"{"ask":1}"#,
        r#"{"stop":true}"#,
    ];
    let folder = Folder::new();
    let output = folder
        .neuralbo(&["lab", "serve", "--method", "random"])
        .write_stdin(lines.join("\n"))
        .output()
        .unwrap();
    let reply: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!((0.0..=1.0).contains(&reply["point"]["x"].as_f64().unwrap()));
    let output = folder
        .neuralbo(&["lab", "serve", "--method", "random"])
        .write_stdin("{}")
        .output()
        .unwrap();
    assert!(output.status.code() == Some(2) && stderr(&output).contains("line 1"));
}
