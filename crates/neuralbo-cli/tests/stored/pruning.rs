//! Intermediate values, early stopping and promotion.

use crate::folder::{Folder, json, stderr};
use crate::servers::{fresh, neuralbo, postgres};

/// Four good programs, then bad ones that would take a minute.
const SCRIPT: &str = "
if [ $NEURALBO_TRIAL -lt 4 ]; then
    echo '{\"step\": 0, \"value\": 0.2, \"loss\": 7}'
    echo '{\"step\": 1, \"value\": 0.1}'
    exit
fi
echo '{\"step\": 0, \"value\": 5.5}'
sleep 60
echo 0";

#[test]
fn a_bad_trial_is_stopped_and_counts_as_pruned_with_its_last_value() {
    let folder = Folder::new();
    folder.write("script.sh", SCRIPT);
    let options = [
        "run",
        "--study",
        "s",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--trials",
        "6",
        "--prune",
        "median",
    ];
    let result = json(
        &folder
            .neuralbo(&options)
            .args(["--json", "--", "sh", "script.sh"])
            .output()
            .unwrap(),
    );
    assert_eq!(
        (
            &result["trials"],
            &result["failed"],
            &result["best"]["value"]
        ),
        (&6.into(), &0.into(), &0.1.into())
    );
    let trials = json(
        &folder
            .neuralbo(&["trials", "s", "--json"])
            .output()
            .unwrap(),
    );
    assert_eq!(
        (&trials[4]["state"], &trials[4]["value"]),
        (&"pruned".into(), &5.5.into())
    );
    assert_eq!(trials[0]["reports"].as_array().unwrap().len(), 3);
    let columns = "number,state,value,last,last_step";
    let table = folder.neuralbo(&["trials", "s", "--columns", columns]);
    let table = String::from_utf8({ table }.output().unwrap().stdout).unwrap();
    assert_eq!(
        table.lines().nth(5),
        Some("4\tpruned\t5.5\t5.5\t0"),
        "{table}"
    );
}

/// A training of nine steps that goes on from its checkpoint. Trials with an even number are good; each step is written down.
const TRAINING: &str = r#"
state="$NEURALBO_CHECKPOINT/state"
[ "$1" = "$NEURALBO_CHECKPOINT" ] && [ "$NEURALBO_STEPS" = 9 ] || exit 1
[ -f "$state" ] && read done loss < "$state" || { done=0; loss=$((1000 + NEURALBO_TRIAL % 2 * 1000 + NEURALBO_TRIAL)); }
while [ $done -lt 9 ]; do
    done=$((done + 1)); loss=$((loss - 10))
    echo "$done $loss" > "$state"
    echo "$NEURALBO_CHECKPOINT $done" >> "$2"
    echo "{\"step\": $done, \"value\": $loss}"
    sleep 0.15
done
echo $loss"#;

/// What four workers make of forty trials.
fn many_workers(storage: &str) {
    let (folder, name) = (Folder::new(), fresh("stopping"));
    folder.write("train.sh", TRAINING);
    let steps = folder.path("steps").display().to_string();
    let options = [
        "--study",
        &name,
        "--method",
        "random",
        "--seed",
        "1",
        "--param",
        "x=float(0,1)",
        "--trials",
        "40",
    ];
    let made = neuralbo(&folder, storage, &["run"])
        .args(options)
        .args(["--prune", "asha:max=9"])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let program = [
        "--checkpoints",
        "kept",
        "--quiet",
        "--",
        "sh",
        "train.sh",
        "{checkpoint}",
        &steps,
    ];
    let start = |_| {
        neuralbo(&folder, storage, &["worker", &name])
            .args(program)
            .spawn()
            .unwrap()
    };
    let workers: Vec<_> = (0..4).map(start).collect();
    for mut worker in workers {
        assert!(worker.wait().unwrap().success());
    }
    let trials = json(
        &neuralbo(&folder, storage, &["trials", &name, "--json"])
            .output()
            .unwrap(),
    );
    let trials = trials.as_array().unwrap();
    let count = |state: &str| {
        trials
            .iter()
            .filter(|trial| trial["state"] == state)
            .count()
    };
    assert_eq!(
        (count("failed"), count("running"), trials.len()),
        (0, 0, 40),
        "{trials:?}"
    );
    assert!(
        count("pruned") > count("complete") && count("complete") > 0,
        "{} of 40 are complete",
        count("complete")
    );
    let resumed: Vec<u64> = trials
        .iter()
        .filter_map(|trial| trial["proposal"]["resumes"].as_u64())
        .collect();
    let mut once = resumed.clone();
    once.sort_unstable();
    once.dedup();
    assert!(
        !resumed.is_empty() && once.len() == resumed.len(),
        "each is resumed by one other: {resumed:?}"
    );
    for number in &resumed {
        assert_eq!(
            trials[*number as usize]["state"], "pruned",
            "what trial {number} was told stays"
        );
    }
    let written = folder.read("steps");
    let mut lines: Vec<&str> = written.lines().collect();
    let all = lines.len();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), all, "no step is done twice");
}

#[test]
fn four_workers_prune_and_promote_on_one_sqlite_file() {
    let folder = Folder::new();
    many_workers(&folder.path("studies.db").display().to_string());
}

#[test]
fn four_workers_prune_and_promote_on_one_server() {
    if let Some(url) = postgres() {
        many_workers(&url);
    }
}

#[test]
fn the_pruner_belongs_to_the_study_and_is_changed_on_purpose() {
    let folder = Folder::new();
    let run = |more: &[&str]| {
        let options = [
            "run",
            "--study",
            "s",
            "--method",
            "random",
            "--param",
            "x=float(0,1)",
            "--trials",
            "1",
        ];
        let output = folder
            .neuralbo(&options)
            .args(more)
            .args(["--", "echo", "1"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        stderr(&output)
    };
    run(&["--prune", "asha:factor=4"]);
    let said = run(&[]);
    assert!(!said.contains("changed"), "{said}");
    let said = run(&["--prune", "median"]);
    assert!(
        said.contains("pruner: stored asha:min=1,factor=4, given median"),
        "{said}"
    );
    let said = run(&["--prune", "none"]);
    assert!(said.contains("pruner: stored median, given none"), "{said}");
    let export =
        String::from_utf8(folder.neuralbo(&["export", "s"]).output().unwrap().stdout).unwrap();
    assert!(
        export.contains(r#""pruner":"asha:min=1,factor=4""#),
        "{export}"
    );
}

#[test]
fn what_cannot_be_pruned_is_refused_before_anything_is_made() {
    let folder = Folder::new();
    let refused = |options: &[&str], words: &str| {
        let run = [
            "run",
            "--study",
            "s",
            "--param",
            "x=float(0,1)",
            "--trials",
            "2",
        ];
        let output = folder.neuralbo(&run).args(options).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(stderr(&output).contains(words), "{output:?}");
        assert!(!folder.path("neuralbo.db").exists(), "nothing is made");
    };
    refused(
        &["--prune", "asha:factor=1", "--", "true"],
        "factor = `1` is not allowed; it must be a whole number, at least 2",
    );
    refused(
        &["--prune", "fastest", "--", "true"],
        "`fastest` is unknown; known: median",
    );
    let several = [
        "--objective",
        "a:minimize",
        "--objective",
        "b:minimize",
        "--method",
        "random",
        "--prune",
        "median",
        "--",
        "true",
    ];
    refused(&several, "pruning needs one objective, the study has 2");
    refused(&["--", "echo", "{checkpoint}"], "needs --checkpoints DIR");
}

#[test]
fn steps_that_go_backwards_and_reports_after_the_end_are_said() {
    let folder = Folder::new();
    let script = r#"
echo '{"step": 5, "value": 3}'
echo '{"step": 4, "value": 9}'
echo '{"step": 3, "value": 9}'
echo '{"step": 5, "value": 2}'
echo 1"#;
    folder.write("script.sh", script);
    let options = [
        "run",
        "--study",
        "s",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--trials",
        "1",
    ];
    let output = folder
        .neuralbo(&options)
        .args(["--", "sh", "script.sh"])
        .output()
        .unwrap();
    let said = stderr(&output);
    assert_eq!(said.matches("is not increasing").count(), 1, "{said}");
    assert!(
        said.contains(
            "step 4 of `value` is not increasing: trial 0 is at step 5; the value is ignored"
        ),
        "{said}"
    );
    let trials = json(
        &folder
            .neuralbo(&["trials", "s", "--json"])
            .output()
            .unwrap(),
    );
    assert_eq!(
        trials[0]["reports"],
        serde_json::json!([{ "step": 5, "name": "value", "value": 2.0 }])
    );
    let late = folder
        .neuralbo(&["tell", "s", "0", "--step", "6", "--value", "1"])
        .output()
        .unwrap();
    assert!(
        !late.status.success() && stderr(&late).contains("trial 0 is already complete"),
        "{late:?}"
    );
}

#[test]
fn a_program_that_diverges_is_ended_and_has_failed() {
    let folder = Folder::new();
    folder.write("script.sh", "echo '{\"step\": 1, \"value\": 2}'; echo '{\"step\": 2, \"value\": NaN}'; sleep 60; echo 1");
    let options = [
        "run",
        "--study",
        "s",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--trials",
        "1",
        "--prune",
        "asha",
    ];
    folder
        .neuralbo(&options)
        .args(["--", "sh", "script.sh"])
        .output()
        .unwrap();
    let trials = json(
        &folder
            .neuralbo(&["trials", "s", "--json"])
            .output()
            .unwrap(),
    );
    assert_eq!(
        (&trials[0]["state"], &trials[0]["failure"]["kind"]),
        (&"failed".into(), &"nonfinite".into()),
        "{trials}"
    );
}
