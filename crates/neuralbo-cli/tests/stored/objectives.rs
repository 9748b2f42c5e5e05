//! Several objectives and outcome constraints in every storage, by every command.

use std::process::Output;

use serde_json::{Value, json};

use crate::folder::{Folder, json, stderr};
use crate::servers::{fresh, neuralbo, postgres};

const GOALS: [&str; 6] = [
    "--objective",
    "loss:minimize",
    "--objective",
    "speed:maximize",
    "--outcome",
    "memory <= 0.8",
];
const SPACE: [&str; 6] = [
    "--param",
    "x=float(0,1)",
    "--method",
    "random",
    "--seed",
    "1",
];
const SCRIPT: &str = r#"echo "$1" | awk '{ printf "%.17g %.17g %.17g\n", $1 * $1, 3 * $1, $1 }'"#;

struct Place {
    folder: Folder,
    storage: String,
    study: String,
}

/// SQLite, and PostgreSQL where there is a server.
fn places(stem: &str) -> Vec<Place> {
    let place = |storage: String| {
        let folder = Folder::new();
        folder.write("script.sh", SCRIPT);
        Place {
            folder,
            storage,
            study: fresh(stem),
        }
    };
    std::iter::once("studies.db".to_owned())
        .chain(postgres())
        .map(place)
        .collect()
}

impl Place {
    fn neuralbo(&self, arguments: &[&str]) -> Output {
        neuralbo(&self.folder, &self.storage, arguments)
            .output()
            .unwrap()
    }

    fn run(&self, options: &[&str]) -> Output {
        let mut arguments = vec!["run", "--study", &self.study, "--json", "-q"];
        arguments.extend(SPACE);
        arguments.extend(options);
        arguments.extend(["--", "sh", "script.sh", "{x}"]);
        self.neuralbo(&arguments)
    }

    fn made(&self, options: &[&str]) {
        let mut arguments = vec!["run", "--study", &self.study];
        arguments.extend(SPACE);
        arguments.extend(options);
        let output = self.neuralbo(&arguments);
        assert!(output.status.success(), "{output:?}");
    }

    fn trials(&self) -> Vec<Value> {
        json(&self.neuralbo(&["trials", &self.study, "--json"]))
            .as_array()
            .unwrap()
            .clone()
    }
}

fn numbers(front: &Value) -> Vec<u64> {
    let mut numbers: Vec<u64> = front["front"]
        .as_array()
        .unwrap()
        .iter()
        .map(|member| member["trial"].as_u64().unwrap())
        .collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn every_command_shows_the_front() {
    for place in places("front") {
        let result = json(&place.run(&[&GOALS[..], &["--trials", "8"]].concat()));
        let best = json(&place.neuralbo(&["best", &place.study, "--json"]));
        for key in ["front", "hypervolume", "reference", "objectives"] {
            assert_eq!(result[key], best[key], "{key}");
        }
        // The faster the larger the loss: every feasible trial is on the front.
        let trials = place.trials();
        assert_eq!(trials.len(), 8);
        let mut expected = Vec::new();
        for trial in &trials {
            let feasible = trial["values"]["memory"].as_f64().unwrap() <= 0.8;
            assert_eq!(
                (&trial["feasible"], &trial["on_front"]),
                (&feasible.into(), &feasible.into()),
                "{trial}"
            );
            expected.extend(feasible.then(|| trial["number"].as_u64().unwrap()));
        }
        assert_eq!(numbers(&best), expected);
        assert!(!expected.is_empty() && expected.len() < 8, "{expected:?}");
        let text = String::from_utf8(
            place
                .neuralbo(&["trials", &place.study, "--format", "csv"])
                .stdout,
        )
        .unwrap();
        assert!(
            text.starts_with("number,state,loss,speed,memory,feasible,front,last,"),
            "{text}"
        );
        let studies = json(&place.neuralbo(&["studies", "--json"]));
        let row = studies
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["study"] == place.study.as_str())
            .unwrap();
        assert_eq!(
            (&row["front"], &row["best"]),
            (&expected.len().into(), &Value::Null)
        );
        assert_eq!(
            row["objectives"][1],
            json!({ "name": "speed", "direction": "maximize" })
        );
        let listed = String::from_utf8(place.neuralbo(&["studies"]).stdout).unwrap();
        assert!(
            listed.contains(&format!("{} on the front", expected.len())),
            "{listed}"
        );
        place.neuralbo(&["delete", &place.study, "--yes"]);
    }
}

#[test]
fn the_same_command_continues_and_other_objectives_are_refused() {
    for place in places("resume") {
        place.run(&[&GOALS[..], &["--trials", "3"]].concat());
        let more = json(&place.run(&[&GOALS[..], &["--trials", "5"]].concat()));
        assert_eq!(more["trials"], 5);
        let cases: [(&[&str], &str); 4] = [
            (
                &GOALS[..2],
                "objectives: stored loss:minimize, speed:maximize, given loss:minimize",
            ),
            (
                &GOALS[..4],
                "outcome constraints: stored memory <= 0.8, given none",
            ),
            (
                &[&GOALS[..], &["--reference", "loss=2"]].concat(),
                "reference: stored none, given loss=2",
            ),
            (
                &[&GOALS[..4], &["--outcome", "memory <= 2"]].concat(),
                "stored memory <= 0.8, given memory <= 2",
            ),
        ];
        for (options, words) in cases {
            let refused = place.run(options);
            assert_eq!(refused.status.code(), Some(2), "{refused:?}");
            assert!(
                stderr(&refused).contains(words),
                "{words}: {}",
                stderr(&refused)
            );
        }
        // A wider limit makes more trials feasible; none is run again.
        let wider = [
            &GOALS[..4],
            &["--outcome", "memory <= 2", "--force", "--trials", "5"],
        ]
        .concat();
        let changed = json(&place.run(&wider));
        assert_eq!(
            (&changed["trials"], numbers(&changed).len()),
            (&5.into(), 5),
            "{changed}"
        );
        place.neuralbo(&["delete", &place.study, "--yes"]);
    }
}

#[test]
fn ask_and_tell_by_name() {
    for place in places("tell") {
        place.made(&GOALS);
        let ask = || json(&place.neuralbo(&["ask", &place.study, "--json"]))["trial"].to_string();
        let tell = |trial: &str, options: &[&str]| {
            place.neuralbo(&[&["tell", &place.study, trial, "--json"], options].concat())
        };
        let trial = ask();
        let cases: [(&[&str], &str); 6] = [
            (
                &["--value", "0.5"],
                "0.5 needs a name; write NAME=VALUE for each of `loss`, `speed`, `memory`",
            ),
            (
                &["--value", "loss=1", "--value", "speed=2"],
                "no value for `memory`; nothing was stored",
            ),
            (
                &["--value", "loss=1", "--value", "sped=2"],
                "`sped` is unknown; the study measures `loss`, `speed`, `memory`",
            ),
            (
                &["--value", "loss=1", "--value", "loss=2"],
                "`loss` is given more than once",
            ),
            (&["--value", "loss=low"], "NAME=NUMBER"),
            (&["--pruned", "1"], "pruning requires a single objective"),
        ];
        for (options, words) in cases {
            let refused = tell(&trial, options);
            assert_eq!(refused.status.code(), Some(2), "{refused:?}");
            assert!(
                stderr(&refused).contains(words),
                "{words}: {}",
                stderr(&refused)
            );
        }
        // Nothing was lost: the trial can still be told.
        let told = json(&tell(
            &trial,
            &[
                "--value",
                "loss=-1",
                "--value",
                "speed=2",
                "--value",
                "memory=0.5",
            ],
        ));
        assert_eq!(told["state"], "complete");
        let told = json(&tell(
            &ask(),
            &["--value", r#"{"loss": 2, "speed": 3, "memory": 0.25}"#],
        ));
        assert_eq!(told["state"], "complete");
        let failed = json(&tell(
            &ask(),
            &[
                "--value",
                "loss=nan",
                "--value",
                "speed=2",
                "--value",
                "memory=0.5",
            ],
        ));
        assert_eq!(failed["state"], "failed");
        let trials = place.trials();
        assert_eq!(
            trials[0]["values"],
            json!({ "loss": -1.0, "speed": 2.0, "memory": 0.5 })
        );
        assert_eq!(trials[2]["failure"]["kind"], "nonfinite");
        assert!(
            trials[2]["failure"]["message"]
                .as_str()
                .unwrap()
                .contains("loss"),
            "{}",
            trials[2]
        );
        place.neuralbo(&["delete", &place.study, "--yes"]);
    }
}

#[test]
fn a_study_without_a_feasible_trial_says_so() {
    for place in places("infeasible") {
        let output = place.run(&[
            "--objective",
            "loss:minimize",
            "--outcome",
            "s <= -1",
            "--outcome",
            "m <= 9",
            "--trials",
            "3",
        ]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let best = place.neuralbo(&["best", &place.study]);
        let text = String::from_utf8(best.stdout.clone()).unwrap();
        assert_eq!(best.status.code(), Some(1));
        assert!(
            text.starts_with("no feasible trial yet\nsmallest violation in trial ")
                && text.contains("violated: s <= -1\n  x = "),
            "{text}"
        );
        let least = json(&place.neuralbo(&["best", &place.study, "--json"]));
        assert_eq!(
            (&least["best"], &least["least_violation"]["violated"]),
            (&Value::Null, &json!(["s <= -1"]))
        );
        place.neuralbo(&["delete", &place.study, "--yes"]);
    }
}

#[test]
fn exports_come_back_with_all_values() {
    for place in places("export") {
        let reference = ["--reference", "speed=-1"];
        place.run(&[&GOALS[..], &reference, &["--trials", "6"]].concat());
        let before = json(&place.neuralbo(&["best", &place.study, "--json"]));
        assert_eq!(before["objectives"][1]["reference"], -1.0);
        let export = place.neuralbo(&["export", &place.study, "--output", "out.jsonl"]);
        assert!(export.status.success(), "{export:?}");
        let copy = neuralbo(&place.folder, "copy.db", &["import", "out.jsonl"])
            .output()
            .unwrap();
        assert!(copy.status.success(), "{copy:?}");
        let after = json(
            &neuralbo(&place.folder, "copy.db", &["best", &place.study, "--json"])
                .output()
                .unwrap(),
        );
        assert_eq!(before, after);
        // Its table as known results of another study.
        place.neuralbo(&[
            "export",
            &place.study,
            "--format",
            "csv",
            "--output",
            "out.csv",
        ]);
        let mut make = vec!["run", "--study", "known"];
        make.extend(SPACE);
        make.extend(GOALS);
        make.extend(reference);
        assert!(
            neuralbo(&place.folder, "copy.db", &make)
                .output()
                .unwrap()
                .status
                .success()
        );
        let import = ["import", "out.csv", "--study", "known", "--json"];
        assert_eq!(
            json(
                &neuralbo(&place.folder, "copy.db", &import)
                    .output()
                    .unwrap()
            )["trials"],
            6
        );
        let known = json(
            &neuralbo(&place.folder, "copy.db", &["best", "known", "--json"])
                .output()
                .unwrap(),
        );
        assert_eq!(
            (&known["hypervolume"], &known["reference"]),
            (&before["hypervolume"], &before["reference"])
        );
        place.neuralbo(&["delete", &place.study, "--yes"]);
    }
}

#[test]
fn workers_need_to_know_nothing_of_the_objectives() {
    for place in places("worker") {
        place.made(&[&GOALS[..], &["--trials", "4"]].concat());
        let worker = place.neuralbo(&[
            "worker",
            &place.study,
            "--json",
            "-q",
            "--",
            "sh",
            "script.sh",
            "{x}",
        ]);
        assert!(worker.status.success(), "{worker:?}");
        let result = json(&worker);
        assert_eq!(
            (&result["trials"], &result["failed"]),
            (&4.into(), &0.into())
        );
        assert!(!numbers(&result).is_empty(), "{result}");
        place.neuralbo(&["delete", &place.study, "--yes"]);
    }
}
