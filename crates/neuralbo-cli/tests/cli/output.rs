//! Output that cannot be written costs no result: closed pipes and full disks.

use std::fs::File;
use std::process::{Command, Output, Stdio};

use crate::folder::{Folder, json, program, stderr};

const RUN: [&str; 11] = [
    "run",
    "--method",
    "random",
    "--seed",
    "1",
    "--param",
    "x=float(0,1)",
    "--trials",
    "20",
    "--json",
    "--study",
];

/// A run of twenty trials; its study is kept in `neuralbo.db`.
fn run(
    folder: &Folder,
    options: &[&str],
    stdout: impl Into<Stdio>,
    stderr: impl Into<Stdio>,
) -> Output {
    let mut command = Command::new(program());
    command
        .current_dir(folder.path(""))
        .env_remove("NEURALBO_STORAGE")
        .args(RUN)
        .arg("s")
        .args(options);
    command
        .args(["--", "echo", "{x}"])
        .stdout(stdout)
        .stderr(stderr)
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap()
}

/// A pipe that nobody reads any more.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// A disk without space.
fn full() -> Stdio {
    File::options()
        .write(true)
        .open("/dev/full")
        .unwrap()
        .into()
}

fn stored(folder: &Folder) -> u64 {
    json(&folder.neuralbo(&["studies", "--json"]).output().unwrap())[0]["counts"]["complete"]
        .as_u64()
        .unwrap()
}

#[test]
fn the_version_names_commit_features_and_system() {
    let folder = Folder::new();
    let text = |option: &str| {
        String::from_utf8(folder.neuralbo(&[option]).output().unwrap().stdout).unwrap()
    };
    let short = format!("neuralbo {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(text("-V").trim(), short);
    let long = text("--version");
    let lines: Vec<&str> = long.lines().collect();
    assert_eq!((lines.len(), lines[0]), (4, short.as_str()), "{long}");
    let commit = lines[1]
        .strip_prefix("commit: ")
        .unwrap()
        .trim_end_matches("-dirty");
    assert!(
        commit == "unknown" || commit.len() == 12 && commit.chars().all(|c| c.is_ascii_hexdigit()),
        "{long}"
    );
    assert!(
        lines[2].starts_with("features: ")
            && lines[2].contains("lab")
            && lines[2].contains("dashboard"),
        "{long}"
    );
    assert!(
        lines[3].starts_with("target: ") && lines[3].contains(std::env::consts::ARCH),
        "{long}"
    );
}

#[test]
fn a_closed_or_full_standard_error_costs_nothing() {
    for stderr in [closed(), full()] {
        let folder = Folder::new();
        let output = run(&folder, &[], Stdio::piped(), stderr);
        assert_eq!(
            (output.status.code(), &json(&output)["trials"]),
            (Some(0), &20.into()),
            "{output:?}"
        );
    }
}

#[test]
fn a_reader_that_leaves_after_the_first_line_costs_nothing() {
    for study in ["", "--study s"] {
        let folder = Folder::new();
        let run = format!(
            "\"$0\" run --method random --param 'x=float(0,1)' --trials 20 {study} --trace trace.csv -- echo {{x}}"
        );
        let pipe = format!("( {run}; echo $? > code ) 2>&1 | head -1");
        let output = Command::new("sh")
            .args(["-c", &pipe, program()])
            .current_dir(folder.path(""))
            .output()
            .unwrap();
        assert_eq!(
            (
                output.stdout.iter().filter(|byte| **byte == b'\n').count(),
                folder.read("code").trim()
            ),
            (1, "0")
        );
        assert_eq!(folder.read("trace.csv").lines().count(), 21);
    }
}

#[test]
fn a_closed_standard_output_is_no_failure_and_a_full_one_is() {
    let folder = Folder::new();
    assert_eq!(
        run(&folder, &[], closed(), Stdio::piped()).status.code(),
        Some(0)
    );
    let folder = Folder::new();
    let output = run(&folder, &[], full(), Stdio::piped());
    assert!(
        output.status.code() == Some(1) && stderr(&output).contains("cannot write standard output"),
        "{output:?}"
    );
    assert_eq!(stored(&folder), 20);
    let folder = Folder::new();
    assert_eq!(run(&folder, &[], full(), full()).status.code(), Some(1));
    assert_eq!(stored(&folder), 20);
}

#[test]
fn a_trace_on_a_full_disk_costs_the_trace_only() {
    let folder = Folder::new();
    let output = run(
        &folder,
        &["--trace", "/dev/full"],
        Stdio::piped(),
        Stdio::piped(),
    );
    assert_eq!(
        (output.status.code(), &json(&output)["trials"]),
        (Some(1), &20.into()),
        "{output:?}"
    );
    assert_eq!(
        stderr(&output)
            .matches("--trace: cannot write `/dev/full`")
            .count(),
        1,
        "{output:?}"
    );
    assert_eq!(stored(&folder), 20);
    let folder = Folder::new();
    let output = folder
        .script(&["--trials", "4", "--trace", "/dev/full"], "echo $1")
        .output()
        .unwrap();
    assert_eq!(
        (output.status.code(), &json(&output)["trials"]),
        (Some(1), &4.into()),
        "{output:?}"
    );
}

#[test]
fn other_commands_say_what_they_could_not_print() {
    let folder = Folder::new();
    run(&folder, &[], Stdio::null(), Stdio::null());
    for command in [
        &["trials", "s"][..],
        &["best", "s"],
        &["studies"],
        &["export", "s"],
        &["methods"],
    ] {
        for (stdout, code) in [(full(), 1), (closed(), 0)] {
            let mut neuralbo = Command::new(program());
            neuralbo
                .current_dir(folder.path(""))
                .env_remove("NEURALBO_STORAGE")
                .args(command)
                .stdout(stdout);
            let output = neuralbo
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
                .wait_with_output()
                .unwrap();
            assert_eq!(output.status.code(), Some(code), "{command:?}: {output:?}");
        }
    }
}
