//! The trace file, and what can be read back from it.

use crate::folder::{Folder, json};

/// The rows of a trace without the time spent.
fn without_times(trace: &str) -> Vec<String> {
    let keep = |line: &str| {
        line.split(',')
            .enumerate()
            .filter(|(i, _)| *i != 4)
            .map(|(_, cell)| cell)
            .collect::<Vec<_>>()
            .join(",")
    };
    trace.lines().map(keep).collect()
}

#[test]
fn one_row_per_trial_with_the_documented_columns() {
    let folder = Folder::new();
    let script = "[ $NEURALBO_TRIAL = 1 ] && exit 1; echo $1";
    folder
        .script(
            &[
                "--trials",
                "4",
                "--trace",
                "trace.csv",
                "--param",
                "o=choice(a,b)",
            ],
            script,
        )
        .assert()
        .success();
    let trace = folder.read("trace.csv");
    let lines: Vec<Vec<&str>> = trace
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(
        lines[0],
        [
            "number",
            "state",
            "value",
            "best",
            "suggest_ms",
            "origin",
            "mean",
            "sd",
            "x",
            "o"
        ]
    );
    assert_eq!(lines.len(), 5);
    let mut best = f64::INFINITY;
    for (number, row) in lines[1..].iter().enumerate() {
        assert_eq!((row[0], row[5]), (number.to_string().as_str(), "sampled"));
        if number == 1 {
            assert_eq!((row[1], row[2]), ("failed:exit", ""));
            continue;
        }
        assert_eq!((row[1], row[2]), ("complete", row[8]));
        best = best.min(row[2].parse().unwrap());
        assert_eq!(row[3].parse(), Ok(best));
    }
}

#[test]
fn functions_add_the_true_value() {
    let folder = Folder::new();
    let arguments = [
        "run",
        "--method",
        "random",
        "--function",
        "branin",
        "--noise",
        "1",
        "--trials",
        "3",
        "--trace",
        "trace.csv",
    ];
    folder.neuralbo(&arguments).assert().success();
    let trace = folder.read("trace.csv");
    assert!(trace.lines().next().unwrap().ends_with(",x0,x1,true_value"));
    for row in trace.lines().skip(1) {
        let cells: Vec<f64> = row
            .split(',')
            .map(|cell| cell.parse().unwrap_or(f64::NAN))
            .collect();
        assert!(
            cells[2] != cells[10] && (cells[2] - cells[10]).abs() < 6.0,
            "{row}"
        );
    }
}

#[test]
fn rows_are_written_as_trials_finish_in_finishing_order() {
    let folder = Folder::new();
    // Trial 0 ends only after the row of trial 1 is in the file.
    let script =
        "[ $NEURALBO_TRIAL = 1 ] || while ! grep -q '^1,' trace.csv; do sleep 0.02; done; echo $1";
    folder
        .script(
            &[
                "--trials",
                "2",
                "--workers",
                "2",
                "--trial-timeout",
                "20s",
                "--trace",
                "trace.csv",
            ],
            script,
        )
        .assert()
        .success();
    let numbers: Vec<String> = folder
        .read("trace.csv")
        .lines()
        .skip(1)
        .map(|line| line[..1].to_owned())
        .collect();
    assert_eq!(numbers, ["1", "0"]);
}

#[test]
fn the_same_seed_gives_the_same_trace_whatever_the_threads() {
    let folder = Folder::new();
    let trace = |seed: &str, threads: &str| {
        let function = [
            "run",
            "--function",
            "hartmann6",
            "--noise",
            "0.1",
            "--trials",
            "12",
            "--trace",
            "trace.csv",
            "--quiet",
        ];
        folder
            .neuralbo(&function)
            .args(["--seed", seed, "--threads", threads])
            .assert()
            .success();
        without_times(&folder.read("trace.csv"))
    };
    assert_eq!(trace("5", "1"), trace("5", "3"));
    assert_ne!(trace("5", "1"), trace("6", "1"));
}

#[test]
fn a_trace_can_be_told_up_front() {
    let folder = Folder::new();
    let options = ["--param", "o=choice(a,\"1\")", "--param", "fixed=3"];
    let first = [&options[..], &["--trials", "4", "--trace", "first.csv"]].concat();
    let script = "[ $NEURALBO_TRIAL = 2 ] && exit 1; echo $1";
    let before = json(&folder.script(&first, script).output().unwrap());
    let second = [
        &options[..],
        &[
            "--trials",
            "2",
            "--known",
            "first.csv",
            "--trace",
            "second.csv",
        ],
    ]
    .concat();
    let after = json(&folder.script(&second, "echo 100").output().unwrap());
    assert_eq!(after["trials"], 5, "three known values and two trials");
    assert_eq!(after["best"]["value"], before["best"]["value"]);
    let trace = folder.read("second.csv");
    let origins: Vec<&str> = trace
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').nth(5))
        .collect();
    assert_eq!(origins, ["known", "known", "known", "sampled", "sampled"]);
}

#[test]
fn the_trace_of_a_study_has_what_finished_before() {
    let folder = Folder::new();
    let run = |trials: &str| {
        let options = ["--study", "s", "--trials", trials, "--trace", "trace.csv"];
        folder
            .script(&options, "[ $NEURALBO_TRIAL = 2 ] && exit 1; echo $1")
            .assert()
            .success();
        without_times(&folder.read("trace.csv"))
    };
    let (first, whole) = (run("4"), run("7"));
    assert_eq!((first.len(), whole.len()), (5, 8));
    assert_eq!(first, whole[..5]);
    let alone = Folder::new();
    alone
        .script(
            &["--trials", "7", "--trace", "trace.csv"],
            "[ $NEURALBO_TRIAL = 2 ] && exit 1; echo $1",
        )
        .assert()
        .success();
    assert_eq!(
        without_times(&alone.read("trace.csv")),
        whole,
        "the same with and without a storage"
    );
}

#[test]
fn spaces_from_files_keep_their_order() {
    let folder = Folder::new();
    folder.write("space.toml", "z = \"float(0,1)\"\nopt = { type = \"choice\", choices = [\"a\", \"b\"] }\na = \"int(1,3)\"\n");
    folder.write(
        "space.json",
        r#"{"z": "float(0,1)", "opt": {"type": "choice", "choices": ["a", "b"]}, "a": "int(1,3)"}"#,
    );
    let trace = |file: &str| {
        let arguments = [
            "run",
            "--method",
            "random",
            "--seed",
            "3",
            "--trials",
            "3",
            "--space",
            file,
            "--trace",
            "trace.csv",
        ];
        folder
            .neuralbo(&arguments)
            .args(["--", "echo", "{z}"])
            .assert()
            .success();
        without_times(&folder.read("trace.csv"))
    };
    assert!(trace("space.toml")[0].ends_with(",z,opt,a"));
    assert_eq!(trace("space.toml"), trace("space.json"));
}
