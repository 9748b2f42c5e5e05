//! Limits of studies that exist: more trials without the space, workers with a limit of their own, runs that nothing ends.

use neuralbo::store::StudyRecord;
use neuralbo_store::{Access, open_for};

use crate::folder::{Folder, json as output_json, stderr};

const OPTUNA: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../neuralbo-store/tests/fixtures/optuna.db"
);

fn output(folder: &Folder, arguments: &[&str]) -> std::process::Output {
    let output = folder.neuralbo(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    output
}

fn text(folder: &Folder, arguments: &[&str]) -> String {
    String::from_utf8(output(folder, arguments).stdout).unwrap()
}

/// Runs this with four trials of a study that was created with options which no default equals.
fn study(folder: &Folder) {
    let options = "run --study s --method sobol --seed 5 --direction maximize --attempts 2 --retry exit --param x=float(0,1) \
        --param o=choice(a,b) --trials 4 --json -- echo {x}";
    output(folder, &options.split_whitespace().collect::<Vec<_>>());
}

fn record(folder: &Folder) -> StudyRecord {
    let storage = folder.path("neuralbo.db").display().to_string();
    open_for(&storage, Access::Read)
        .unwrap()
        .study("s")
        .unwrap()
}

#[test]
fn a_study_that_exists_gets_more_trials_without_its_space() {
    let folder = Folder::new();
    study(&folder);
    let before = record(&folder).definition;
    let more = [
        "run", "--study", "s", "--trials", "7", "--json", "--", "echo", "{x}",
    ];
    let result = output_json(&output(&folder, &more));
    assert_eq!(
        (&result["trials"], &result["method"]),
        (&7.into(), &"sobol".into())
    );
    assert_eq!(record(&folder).definition, before, "nothing else changed");
    // As if the study had been made with seven trials.
    let whole = Folder::new();
    study(&whole);
    let again = "run --study s --method sobol --direction maximize --param x=float(0,1) --param o=choice(a,b) --trials 7 --json -- echo {x}";
    let again = output_json(&output(
        &whole,
        &again.split_whitespace().collect::<Vec<_>>(),
    ));
    assert_eq!(again["best"], result["best"]);
    // Without a program only the limit changes.
    let said = text(&folder, &["run", "--study", "s", "--trials", "9"]);
    assert_eq!(said, "study `s` exists; limits: 9 trials\n");
    assert_eq!(record(&folder).limits.trials, Some(9));
}

#[test]
fn what_a_study_without_its_space_cannot_do_is_refused() {
    let folder = Folder::new();
    let run = |rest: &[&str]| {
        let arguments = [&["run", "--study"], rest].concat();
        let output = folder.neuralbo(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        stderr(&output)
    };
    let missing = run(&["s", "--trials", "3", "--", "echo", "1"]);
    assert!(missing.contains("--param NAME=DOMAIN"), "{missing}");
    assert!(!folder.path("neuralbo.db").exists(), "nothing is made");
    study(&folder);
    for (rest, parts) in [
        (
            &["t", "--", "echo", "1"][..],
            ["`t`", "--param NAME=DOMAIN"],
        ),
        (&["s", "--", "echo", "{z}"], ["{z}", "parameters: x, o"]),
        (
            &["s", "--method", "random", "--", "echo", "1"],
            ["different definition", "method"],
        ),
        (
            &["s", "--direction", "minimize", "--", "echo", "1"],
            ["different definition", "minimize"],
        ),
    ] {
        let said = run(rest);
        assert!(
            parts.iter().all(|part| said.contains(part)),
            "{rest:?}: {said}"
        );
    }
}

#[test]
fn only_what_is_given_changes_the_goals_of_a_study() {
    let folder = Folder::new();
    let create = [
        "run",
        "--study",
        "s",
        "--param",
        "x=float(0,1)",
        "--objective",
        "loss:minimize",
        "--outcome-constraint",
        "memory <= 4",
        "--trials",
        "3",
    ];
    output(&folder, &create);
    let force = [
        "run",
        "--study",
        "s",
        "--outcome-constraint",
        "memory <= 2",
        "--force",
    ];
    let said = stderr(&output(&folder, &force));
    assert!(
        said.contains("memory <= 2") && !said.contains("loss"),
        "{said}"
    );
    let definition = record(&folder).definition;
    assert_eq!(definition.objective(), "loss");
    assert_eq!(definition.outcome_constraints.len(), 1);
}

#[test]
fn a_worker_stops_after_its_own_trials() {
    let folder = Folder::new();
    output(
        &folder,
        &[
            "run",
            "--study",
            "s",
            "--method",
            "random",
            "--param",
            "x=float(0,1)",
            "--trials",
            "20",
        ],
    );
    for (limit, workers, expected) in [("3", "1", 3), ("4", "2", 7), ("99", "2", 20)] {
        let worker = [
            "worker",
            "s",
            "--trials",
            limit,
            "--workers",
            workers,
            "--json",
            "--",
            "echo",
            "{x}",
        ];
        let done = output(&folder, &worker);
        let result = output_json(&done);
        assert_eq!(result["trials"], expected, "{result}");
        let said = stderr(&done);
        let stop = match expected {
            20 => "stopped: all 20 trials are done".to_owned(),
            _ => format!("stopped: {limit} trials of this worker done"),
        };
        assert!(said.contains(&stop), "{said}");
    }
    let refused = folder
        .neuralbo(&["worker", "s", "--trials", "0", "--", "echo", "1"])
        .output()
        .unwrap();
    assert!(
        refused.status.code() == Some(2) && stderr(&refused).contains("--trials"),
        "{refused:?}"
    );
}

#[test]
fn imported_trials_are_counted_and_an_endless_run_says_so() {
    let folder = Folder::new();
    std::fs::copy(OPTUNA, folder.path("optuna.db")).unwrap();
    let import = [
        "import",
        "optuna.db",
        "--from-study",
        "small",
        "--study",
        "s",
        "--method",
        "random",
    ];
    output(&folder, &import);
    let cell = |name: &str| {
        let table = text(&folder, &["studies"]);
        let mut rows = table.lines().map(|row| row.split('\t').collect::<Vec<_>>());
        let header = rows.next().unwrap();
        let at = header.iter().position(|column| *column == name).unwrap();
        rows.next().unwrap()[at].to_owned()
    };
    assert_eq!(cell("trials"), "6", "as many as the import told");
    assert_eq!(
        (cell("limit"), cell("best")),
        (String::new(), "1.481756003174076".to_owned())
    );
    let worker = |rest: &[&str]| {
        let arguments = [&["worker", "s"], rest, &["--", "echo", "1"]].concat();
        stderr(&output(&folder, &arguments))
    };
    // The program stops the endless worker by an interrupt of its own.
    let stop = [
        "worker",
        "s",
        "--",
        "sh",
        "-c",
        "kill -INT $(cut -d' ' -f4 /proc/$PPID/stat); echo 1",
    ];
    let stopped = folder.neuralbo(&stop).output().unwrap();
    let remark = "study `s` has no limit";
    assert!(
        stopped.status.code() == Some(130) && stderr(&stopped).contains(remark),
        "{stopped:?}"
    );
    for limit in [["--trials", "2"], ["--timeout", "100ms"]] {
        assert!(!worker(&limit).contains(remark));
    }
    let before: u64 = cell("trials").parse().unwrap();
    output(
        &folder,
        &["run", "--study", "s", "--trials", &(before + 1).to_string()],
    );
    assert!(!worker(&[]).contains(remark));
    // The limit is for trials of this study; those of the import come on top.
    let all = (before + 1 + 6).to_string();
    assert_eq!((cell("trials"), cell("limit")), (all.clone(), all));
}
