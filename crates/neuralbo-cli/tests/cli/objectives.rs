//! Several objectives and outcome constraints of programs.

use serde_json::{Value, json};

use crate::folder::{Folder, json, stderr};

const BOTH: [&str; 6] = [
    "--objective",
    "loss:minimize",
    "--objective",
    "speed:maximize",
    "--trace",
    "trace.csv",
];

/// Prints x² and 3·x as an object.
const OBJECT: &str = r#"echo "$1" | awk '{ printf "{\"loss\": %.17g, \"speed\": %.17g, \"epochs\": 3}\n", $1 * $1, 3 * $1 }'"#;

fn run(options: &[&str], script: &str) -> (Folder, std::process::Output) {
    let folder = Folder::new();
    let output = folder
        .script(&[&BOTH[..], options].concat(), script)
        .output()
        .unwrap();
    (folder, output)
}

/// The state of the only trial, and what was said about it.
fn failure(options: &[&str], script: &str) -> (String, String) {
    let (folder, output) = run(&[&["--trials", "1"], options].concat(), script);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let result = json(&output);
    assert_eq!(
        (&result["failed"], &result["front"]),
        (&1.into(), &json!([])),
        "{result}"
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

/// The points of the front by brute force: no other trial is at least as good in both.
fn expected_front(trace: &str) -> Vec<(f64, f64)> {
    let rows: Vec<(f64, f64)> = trace
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[2].parse().unwrap(), cells[3].parse().unwrap())
        })
        .collect();
    let covered = |a: &(f64, f64)| rows.iter().any(|b| b != a && b.0 <= a.0 && b.1 >= a.1);
    let mut front: Vec<(f64, f64)> = rows.iter().copied().filter(|a| !covered(a)).collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0));
    front
}

fn values(front: &Value) -> Vec<(f64, f64)> {
    let number = |member: &Value, name: &str| member["values"][name].as_f64().unwrap();
    front
        .as_array()
        .unwrap()
        .iter()
        .map(|member| (number(member, "loss"), number(member, "speed")))
        .collect()
}

#[test]
fn the_front_of_a_program_that_prints_an_object_or_numbers() {
    // Loss grows with the speed up to 1, and beyond it the speed falls: half of the trials are covered.
    let numbers =
        r#"echo "$1" | awk '{ s = $1 < 0.5 ? $1 : 1 - $1; printf "%.17g %.17g\n", $1 * $1, s }'"#;
    let object = r#"echo "$1" | awk '{ s = $1 < 0.5 ? $1 : 1 - $1; printf "{\"loss\": %.17g, \"speed\": %.17g, \"epochs\": 3}\n", $1 * $1, s }'"#;
    let fronts = [numbers, object].map(|script| {
        let (folder, output) = run(&["--trials", "12", "--reference", "loss=1,speed=0"], script);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let result = json(&output);
        let found = values(&result["front"]);
        assert_eq!(found, expected_front(&folder.read("trace.csv")));
        assert!(found.len() > 1 && found.len() < 12, "{found:?}");
        assert_eq!(result["reference"], json!({ "loss": 1.0, "speed": 0.0 }));
        // A staircase: each trial adds a strip between its speed and the one before.
        let mut below = 0.0;
        let volume: f64 = found
            .iter()
            .map(|(loss, speed)| ((1.0 - loss) * (speed - below), below = *speed).0)
            .sum();
        assert!(
            (result["hypervolume"].as_f64().unwrap() - volume).abs() < 1e-12,
            "{result}"
        );
        assert!(
            result.get("best").is_none() && result.get("direction").is_none(),
            "{result}"
        );
        found
    });
    assert_eq!(fronts[0], fronts[1]);
}

#[test]
fn a_trace_has_a_column_for_each_value_and_can_be_known_results() {
    let (folder, output) = run(
        &["--trials", "5", "--outcome-constraint", "memory <= 0.5"],
        "echo $1 $1 $1",
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let trace = folder.read("trace.csv");
    let header =
        "number,state,loss,speed,memory,feasible,front,hypervolume,suggest_ms,origin,mean,sd,x";
    assert_eq!(trace.lines().next(), Some(header));
    for line in trace.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let memory: f64 = cells[4].parse().unwrap();
        assert_eq!(cells[5], (memory <= 0.5).to_string(), "{line}");
        assert!(cells[6] == "false" || cells[5] == "true", "{line}");
    }
    std::fs::rename(folder.path("trace.csv"), folder.path("known.csv")).unwrap();
    let options = [
        &BOTH[..4],
        &[
            "--outcome-constraint",
            "memory <= 0.5",
            "--trials",
            "1",
            "--known",
            "known.csv",
        ],
    ]
    .concat();
    let result = json(&folder.script(&options, "echo 0 0 0").output().unwrap());
    assert_eq!(result["trials"], 6, "{result}");
}

#[test]
fn people_see_a_table_and_the_hypervolume() {
    let folder = Folder::new();
    folder.write("script.sh", OBJECT);
    let run = [
        "run",
        "--method",
        "sobol",
        "--seed",
        "1",
        "--param",
        "x=float(0,1)",
        "--trials",
        "4",
    ];
    let said = |objectives: &[&str]| {
        let mut command = folder.neuralbo(&run);
        command.args(objectives);
        command.args(["--", "sh", "script.sh", "{x}"]);
        let output = command.output().unwrap();
        let said = stderr(&output);
        (String::from_utf8(output.stdout).unwrap(), said)
    };
    let (text, progress) = said(&BOTH[..4]);
    assert!(
        text.starts_with("Pareto front: 4 trials\n")
            && text.contains("hypervolume ")
            && text.contains("speed="),
        "{text}"
    );
    // An inferred reference point moves with the front, and a volume would fall while the front grows.
    assert!(
        progress.contains(": 4 trials on the front") && !progress.contains("hypervolume"),
        "{progress}"
    );
    let given = [&BOTH[..4], &["--reference", "loss=10,speed=0"]].concat();
    let (_, progress) = said(&given);
    let volumes = progress
        .lines()
        .filter_map(|line| line.split_once("hypervolume "));
    let volumes: Vec<f64> = volumes
        .map(|(_, rest)| rest.split(',').next().unwrap().parse().unwrap())
        .collect();
    assert!(volumes.len() == 4 && volumes.is_sorted(), "{progress}");
}

#[test]
fn a_wrong_number_of_values_is_a_failure_that_says_what_is_missing_or_too_much() {
    let (state, said) = failure(&[], "echo 0.5");
    assert_eq!(state, "failed:parse");
    assert!(
        said.contains("1 of 2 values; no value for `speed`"),
        "{said}"
    );
    let (_, said) = failure(&[], "echo 1 2 3");
    assert!(
        said.contains("3 values, 1 too many; expected 2: `loss`, `speed`"),
        "{said}"
    );
    let (_, said) = failure(&["--outcome-constraint", "memory <= 4"], "echo 1 2");
    assert!(
        said.contains("2 of 3 values; no value for `memory`"),
        "{said}"
    );
}

#[test]
fn a_missing_or_unknown_name_is_named() {
    let (state, said) = failure(&[], r#"echo '{"loss": 1, "spede": 2}'"#);
    assert_eq!(state, "failed:parse");
    assert!(
        said.contains("without a number for `speed`; unknown names: `spede`"),
        "{said}"
    );
}

#[test]
fn nan_in_one_objective_is_a_failure_that_names_it() {
    for script in ["echo 0.5 nan", r#"echo '{"loss": 0.5, "speed": NaN}'"#] {
        let (state, said) = failure(&[], script);
        assert_eq!(state, "failed:nonfinite");
        assert!(said.contains("speed = NaN"), "{said}");
    }
}

#[test]
fn a_constraint_that_is_never_satisfied_is_said_as_such() {
    let options = [
        &BOTH[..],
        &["--outcome-constraint", "memory <= -1", "--trials", "4"],
    ]
    .concat();
    let folder = Folder::new();
    let output = folder.script(&options, "echo $1 $1 $1").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let result = json(&output);
    let least = &result["least_violation"];
    assert_eq!(
        (&result["front"], &result["failed"]),
        (&json!([]), &0.into())
    );
    assert_eq!(least["violated"], json!(["memory <= -1"]));
    // The least of the values violates least.
    let trace = folder.read("trace.csv");
    let smallest = trace
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(4).unwrap().parse::<f64>().unwrap())
        .reduce(f64::min);
    assert_eq!(least["values"]["memory"].as_f64(), smallest);
    assert!(
        stderr(&output).contains("no feasible trial yet"),
        "{output:?}"
    );
    let one = folder
        .script(
            &["--outcome-constraint", "memory <= -1", "--trials", "2"],
            "echo $1 $1",
        )
        .output()
        .unwrap();
    assert_eq!(
        (one.status.code(), &json(&one)["best"]),
        (Some(1), &Value::Null)
    );
    assert!(
        json(&one)["least_violation"]["trial"].is_number()
            && stderr(&one).contains("no feasible trial yet"),
        "{one:?}"
    );
}

#[test]
fn the_best_of_one_objective_is_the_best_feasible_one() {
    let folder = Folder::new();
    let output = folder
        .script(
            &["--outcome-constraint", "0.25 <= x2", "--trials", "12"],
            "echo $1 $1",
        )
        .output()
        .unwrap();
    let best = &json(&output)["best"];
    assert!(
        best["value"].as_f64().unwrap() >= 0.25 && best["values"]["x2"] == best["value"],
        "{best}"
    );
}

#[test]
fn wrong_options_are_refused_before_the_first_trial() {
    let both = &BOTH[..4];
    let five: Vec<String> = (0..5)
        .flat_map(|i| ["--objective".to_owned(), format!("f{i}:minimize")])
        .collect();
    let five: Vec<&str> = five.iter().map(String::as_str).collect();
    let cases: [(&[&str], &str); 15] = [
        (
            &five,
            "a study can have at most 4 objectives, found 5: `f0`, `f1`, `f2`, `f3`, `f4`",
        ),
        (
            &["--objective", "loss"],
            "objective `loss`: the direction is missing; write `loss:minimize` or `loss:maximize`",
        ),
        (
            &["--objective", "loss:down"],
            "direction `down` is not allowed; it must be minimize or maximize",
        ),
        (
            &["--objective", "a:minimize", "--objective", "a:maximize"],
            "objective `a` is given more than once",
        ),
        (
            &["--objective", "step:minimize"],
            "objective `step`: the name is taken",
        ),
        (
            &["--outcome-constraint", "memory < 4"],
            "bounds are allowed values, so write <=",
        ),
        (
            &["--outcome-constraint", "2 <= ph <= 1"],
            "no value is at least 2 and at most 1",
        ),
        (
            &[
                "--outcome-constraint",
                "m <= 2",
                "--outcome-constraint",
                "m >= 1",
            ],
            "outcome constraint `m` is given more than once",
        ),
        (&["--reference", "loss=1"], "--objective"),
        (
            &[both, &["--reference", "size=1"]].concat(),
            "names `size`, which is no objective; objectives: `loss`, `speed`",
        ),
        (
            &[both, &["--reference", "loss=big"]].concat(),
            "`loss=big` must be NAME=NUMBER",
        ),
        (
            &[both, &["--target", "1"]].concat(),
            "a target needs one objective",
        ),
        (
            &[both, &["--direction", "maximize"]].concat(),
            "--direction",
        ),
        (&[both, &["--method", "gp-ei"]].concat(), "gp-ei"),
        (
            &["--objective", "best:minimize", "--trace", "t.csv"],
            "`best` is the name of a trace column",
        ),
    ];
    for (options, words) in cases {
        let folder = Folder::new();
        folder.write("script.sh", "touch ran; echo 1 2");
        let method = if options.contains(&"--method") {
            vec![]
        } else {
            vec!["--method", "random"]
        };
        let mut command = folder.neuralbo(&["run", "--param", "x=float(0,1)"]);
        let output = command
            .args(method)
            .args(options)
            .args(["--", "sh", "script.sh", "{x}"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{options:?}: {output:?}");
        assert!(
            stderr(&output).contains(words),
            "{options:?}: {}",
            stderr(&output)
        );
        assert!(!folder.path("ran").exists(), "{options:?}");
    }
}

#[test]
fn known_results_need_a_column_for_each_value() {
    let folder = Folder::new();
    folder.write("known.csv", "x,loss\n0.5,1\n");
    let options = [&BOTH[..4], &["--known", "known.csv", "--trials", "1"]].concat();
    let output = folder.script(&options, "echo 1 2").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("missing column `speed`; columns: x, loss"),
        "{output:?}"
    );
    folder.write("known.csv", "x,loss,speed\n0.5,1,2\n0.25,,1\n0.75,nan,1\n");
    let output = folder.script(&options, "echo 1 2").output().unwrap();
    assert_eq!(json(&output)["trials"], 2);
    assert!(
        stderr(&output).contains("2 rows without all values skipped"),
        "{output:?}"
    );
}
