//! Export and import.

use serde_json::json;

use crate::folder::{Folder, json as output_json, stderr};

fn made() -> Folder {
    let folder = Folder::new();
    let options = [
        "run",
        "--study",
        "s",
        "--method",
        "cma-es",
        "--param",
        "x=float(0,1)",
        "--param",
        "n=int(1,9)",
        "--trials",
        "12",
    ];
    let output = folder
        .neuralbo(&options)
        .args(["--json", "--", "echo", "{x}"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    folder
}

#[test]
fn json_lines_lose_nothing() {
    let folder = made();
    assert!(
        folder
            .neuralbo(&["export", "s", "--output", "s.jsonl"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let imported = output_json(
        &folder
            .neuralbo(&["import", "s.jsonl", "--storage", "other.db", "--json"])
            .output()
            .unwrap(),
    );
    assert_eq!(
        imported,
        json!({"study": "s", "trials": 12, "left_out": 0, "present": 0})
    );
    let again = folder
        .neuralbo(&["export", "s", "--storage", "other.db"])
        .output()
        .unwrap();
    let (before, after) = (
        folder.read("s.jsonl"),
        String::from_utf8(again.stdout).unwrap(),
    );
    assert!(
        before.lines().skip(1).eq(after.lines().skip(1)),
        "{before}\n{after}"
    );
    assert!(
        folder
            .neuralbo(&["replay", "s", "--storage", "other.db"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let twice = folder.neuralbo(&["import", "s.jsonl"]).output().unwrap();
    assert!(
        twice.status.code() == Some(2) && stderr(&twice).contains("already exists"),
        "{twice:?}"
    );
}

#[test]
fn csv_goes_out_and_comes_back_as_known_results() {
    let folder = made();
    let csv = folder
        .neuralbo(&["export", "s", "--format", "csv"])
        .output()
        .unwrap()
        .stdout;
    assert_eq!(
        csv,
        folder
            .neuralbo(&["trials", "s", "--format", "csv"])
            .output()
            .unwrap()
            .stdout
    );
    std::fs::write(folder.path("s.csv"), csv).unwrap();
    let options = [
        "run",
        "--study",
        "t",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--param",
        "n=int(1,9)",
        "--trials",
        "2",
    ];
    let result = output_json(
        &folder
            .neuralbo(&options)
            .args(["--known", "s.csv", "--json", "--", "echo", "5"])
            .output()
            .unwrap(),
    );
    assert_eq!(result["trials"], 14);
    let more = output_json(
        &folder
            .neuralbo(&["import", "s.csv", "--study", "t", "--again", "--json"])
            .output()
            .unwrap(),
    );
    assert_eq!(more["trials"], 12);
}

#[test]
fn an_optuna_storage_is_imported_and_goes_on() {
    let folder = Folder::new();
    let fixture = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../neuralbo-store/tests/fixtures/optuna.db"
    );
    std::fs::copy(fixture, folder.path("optuna.db")).unwrap();
    let import = [
        "import",
        "optuna.db",
        "--from-study",
        "small",
        "--study",
        "s",
        "--method",
        "random",
        "--json",
    ];
    let imported = output_json(&folder.neuralbo(&import).output().unwrap());
    assert_eq!(
        imported,
        json!({"study": "s", "trials": 6, "left_out": 1, "present": 0}),
        "the running one is left out"
    );
    let trials = output_json(
        &folder
            .neuralbo(&["trials", "s", "--json"])
            .output()
            .unwrap(),
    );
    let states: Vec<&str> = (0..6)
        .map(|i| trials[i]["state"].as_str().unwrap())
        .collect();
    assert_eq!(
        states,
        [
            "complete", "complete", "pruned", "failed", "complete", "complete"
        ]
    );
    assert_eq!(trials[0]["params"]["x"], -0.165955990594852);
    assert_eq!(trials[0]["params"]["opt"], "adam");
    assert_eq!(
        (&trials[0]["params"]["flag"], &trials[0]["params"]["q"]),
        (&false.into(), &0.5.into())
    );
    assert_eq!(trials[1]["reports"][1]["value"], 1.370439000793519);
    let best = output_json(&folder.neuralbo(&["best", "s", "--json"]).output().unwrap());
    assert_eq!(
        (&best["trial"], &best["value"]),
        (&1.into(), &1.481756003174076.into()),
        "the study maximizes"
    );
    let worker = [
        "worker",
        "s",
        "--json",
        "--timeout",
        "200ms",
        "--",
        "echo",
        "{x}",
    ];
    assert!(
        output_json(&folder.neuralbo(&worker).output().unwrap())["trials"]
            .as_u64()
            .unwrap()
            > 6
    );
    let refused = folder
        .neuralbo(&["studies", "--storage", "optuna.db"])
        .output()
        .unwrap();
    assert!(
        refused.status.code() == Some(1) && stderr(&refused).contains("optuna.db"),
        "{refused:?}"
    );
}

#[test]
fn broken_imports_name_the_line() {
    let folder = made();
    folder
        .neuralbo(&["export", "s", "--output", "s.jsonl"])
        .output()
        .unwrap();
    let whole = folder.read("s.jsonl");
    let cut: String = whole.chars().take(whole.len() - 40).collect();
    for (text, part) in [
        ("", "empty"),
        ("{}", "line 1"),
        ("nonsense", "line 1"),
        (cut.as_str(), "line 13"),
        ("{\"version\": 99}", "version 99"),
    ] {
        folder.write("bad.jsonl", text);
        let output = folder
            .neuralbo(&["import", "bad.jsonl", "--study", "bad"])
            .output()
            .unwrap();
        assert!(
            output.status.code() == Some(2) && stderr(&output).contains(part),
            "{part}: {output:?}"
        );
    }
    assert_eq!(
        output_json(&folder.neuralbo(&["studies", "--json"]).output().unwrap())
            .as_array()
            .unwrap()
            .len(),
        1
    );
}
