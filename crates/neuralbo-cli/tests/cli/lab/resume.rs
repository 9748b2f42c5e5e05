//! Killed in the middle and started again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::traces::{Run, files};
use crate::folder::{Folder, program};

const EXAMPLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/external_method.py"
);

#[test]
fn a_killed_experiment_loses_and_repeats_nothing() {
    let folder = Folder::new();
    // A pause before each run, so that there is a middle to be killed in.
    let slow = format!("ext:sleep 0.2; python3 {EXAMPLE}");
    let arguments = [
        "lab",
        "run",
        "push",
        "--profile",
        "quick",
        "--runs",
        "12",
        "--evals",
        "2",
        "--workers",
        "2",
        "--out",
    ];
    let out = folder.path("out").display().to_string();
    let command = || {
        let mut command = Command::new(program());
        command
            .args(arguments)
            .args([&out, "--quiet", "--methods", &slow])
            .stdout(Stdio::piped());
        command
    };
    let mut child = command().spawn().unwrap();
    let started = Instant::now();
    while files(&folder.path("out")).len() < 3 && started.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let before: BTreeMap<PathBuf, Vec<u8>> = files(&folder.path("out"))
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect();
    assert!(before.len() >= 3 && before.len() < 12, "{}", before.len());
    before
        .keys()
        .for_each(|path| assert_eq!(Run::read(path).rows.len(), 3));

    let output = command().output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("12 runs in") && text.contains(&format!("({} made now", 12 - before.len())),
        "{text}"
    );
    let after = files(&folder.path("out"));
    assert_eq!(after.len(), 12);
    for (path, bytes) in before {
        assert_eq!(std::fs::read(path).unwrap(), bytes);
    }
    let manifest: serde_json::Value =
        serde_json::from_str(&folder.read("out/push/manifest.json")).unwrap();
    let sessions = manifest["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2);
    assert!(sessions[0]["seconds"].is_null() && sessions[1]["seconds"].as_f64().unwrap() > 0.0);
    assert!(
        sessions[1]["machine"]["cores"].as_u64().unwrap() > 0
            && !sessions[1]["version"].as_str().unwrap().is_empty()
    );
}

/// A file that was cut off by a failing disk is made again.
#[test]
fn a_damaged_file_is_made_again() {
    let folder = Folder::new();
    let run = || {
        let arguments = [
            "lab",
            "run",
            "push",
            "--profile",
            "quick",
            "--evals",
            "2",
            "--methods",
            "random",
            "--out",
            "out",
            "-q",
        ];
        String::from_utf8(folder.neuralbo(&arguments).output().unwrap().stdout).unwrap()
    };
    assert!(run().contains("2 made now"));
    std::fs::write(&files(&folder.path("out"))[0], "cut off").unwrap();
    assert!(run().contains("1 made now"));
    assert!(run().contains("0 made now"));
}
