//! `neuralbo lab overhead` measures each size in a process of its own.

use crate::folder::{Folder, json, stderr};

#[test]
fn overhead_reports_every_size() {
    let output = Folder::new()
        .neuralbo(&[
            "lab",
            "overhead",
            "--method",
            "neuralbo-paper",
            "--option",
            "width=16",
            "--dim",
            "3",
        ])
        .args(["--at", "5,40", "--repeats", "2", "--json"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let report = json(&output);
    let measurements = report["measurements"].as_array().unwrap();
    let sizes: Vec<u64> = measurements
        .iter()
        .map(|m| m["observations"].as_u64().unwrap())
        .collect();
    assert_eq!(sizes, [5, 40]);
    for measurement in measurements {
        assert!(
            measurement["median_ms"].as_f64().unwrap() > 0.0,
            "{measurement}"
        );
        assert_eq!(measurement["origin"], "model:thompson");
    }
}

#[test]
fn overhead_prints_a_table_and_refuses_unknown_methods() {
    let folder = Folder::new();
    let output = folder
        .neuralbo(&[
            "lab",
            "overhead",
            "--method",
            "random",
            "--at",
            "10",
            "--repeats",
            "1",
        ])
        .output()
        .unwrap();
    assert!(
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("observations"),
        "{output:?}"
    );
    let output = folder
        .neuralbo(&["lab", "overhead", "--method", "magic", "--at", "10"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("--method") && stderr(&output).contains("magic"),
        "{output:?}"
    );
}
