//! Values that cannot be told are kept in files, and told later by anybody.

use std::process::{Child, Command, Stdio};

use neuralbo::store::all_trials;
use neuralbo_store::open;
use serde_json::json;

use crate::folder::{Folder, json as output_json, stderr};
use crate::servers::neuralbo;
use crate::stalls::{small_disk, unmount, wait_for};

const JOBS: usize = 3;

/// The value of a trial.
fn oracle(number: u64) -> f64 {
    number as f64 + 0.125
}

fn arguments(trials: &str) -> Vec<&str> {
    let run = [
        "run",
        "--study",
        "s",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--workers",
        "3",
        "--trials",
        trials,
    ];
    [&run[..], &["--lease", "10m", "--", "sh", "script.sh"]].concat()
}

/// Fills the disk while programs run, and waits until all their values are in files.
fn run_on_full_disk(folder: &Folder) -> Child {
    folder
        .write("script.sh", "touch started.$NEURALBO_TRIAL; while [ ! -e full ]; do sleep 0.02; done; echo $NEURALBO_TRIAL.125");
    let log = std::fs::File::create(folder.path("stderr")).unwrap();
    let child = neuralbo(folder, "disk/studies.db", &arguments("3"))
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap();
    wait_for(|| (0..JOBS).all(|number| folder.path(&format!("started.{number}")).exists()));
    let fill = "dd if=/dev/zero of=disk/fill bs=1024 2>/dev/null; touch full";
    Command::new("sh")
        .args(["-c", fill])
        .current_dir(folder.path(""))
        .status()
        .unwrap();
    wait_for(|| spooled(folder).len() == JOBS);
    child
}

fn spooled(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path("spool"))
        .into_iter()
        .flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".json")).collect()
}

fn check_values(folder: &Folder, count: usize) {
    let store = open(&folder.path("disk/studies.db").display().to_string()).unwrap();
    let trials = all_trials(store.as_ref(), store.study("s").unwrap().id).unwrap();
    assert_eq!(trials.len(), count);
    for trial in trials {
        assert_eq!(
            (trial.value("value"), trial.attempt),
            (Some(oracle(trial.number)), 1),
            "trial {}",
            trial.number
        );
    }
}

/// A worker that was killed with values in files, on a disk that has space again.
fn killed() -> Option<Folder> {
    let folder = small_disk()?;
    let mut child = run_on_full_disk(&folder);
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::remove_file(folder.path("disk/fill")).unwrap();
    Some(folder)
}

#[test]
fn recover_tells_what_a_killed_worker_could_not() {
    let Some(folder) = killed() else { return };
    let recover = || {
        output_json(
            &neuralbo(&folder, "disk/studies.db", &["recover", "--json"])
                .output()
                .unwrap(),
        )
    };
    assert_eq!(
        recover(),
        json!({"told": 3, "late": 0, "left": 0, "elsewhere": 0, "mended": []})
    );
    check_values(&folder, JOBS);
    assert_eq!(
        (spooled(&folder), recover()["told"].clone()),
        (vec![], json!(0))
    );
    unmount(&folder);
}

#[test]
fn the_next_worker_tells_what_a_killed_one_could_not() {
    let Some(folder) = killed() else { return };
    let output = neuralbo(&folder, "disk/studies.db", &arguments("5"))
        .output()
        .unwrap();
    assert!(
        output.status.success() && stderr(&output).contains("3 results of earlier workers stored"),
        "{output:?}"
    );
    check_values(&folder, 5);
    assert_eq!(spooled(&folder), [] as [&str; 0]);
    unmount(&folder);
}

#[test]
fn a_worker_that_lives_tells_its_values_and_removes_their_files() {
    let Some(folder) = small_disk() else { return };
    let mut child = run_on_full_disk(&folder);
    std::fs::remove_file(folder.path("disk/fill")).unwrap();
    assert!(child.wait().unwrap().success());
    check_values(&folder, JOBS);
    assert_eq!(spooled(&folder), [] as [&str; 0]);
    unmount(&folder);
}

#[test]
fn a_value_that_comes_too_late_is_put_aside_and_changes_nothing() {
    let Some(folder) = killed() else { return };
    for number in ["0", "1"] {
        let tell = ["tell", "s", number, "--value", "77"];
        assert!(
            neuralbo(&folder, "disk/studies.db", &tell)
                .output()
                .unwrap()
                .status
                .success()
        );
    }
    let other = neuralbo(
        &folder,
        "other.db",
        &["run", "--study", "s", "--param", "x=float(0,1)"],
    )
    .output()
    .unwrap();
    assert!(other.status.success());
    let elsewhere = neuralbo(&folder, "other.db", &["recover", "--json"])
        .output()
        .unwrap();
    assert_eq!(
        output_json(&elsewhere),
        json!({"told": 0, "late": 0, "left": 0, "elsewhere": 3, "mended": []})
    );
    let output = neuralbo(&folder, "disk/studies.db", &["recover", "--json"])
        .output()
        .unwrap();
    assert_eq!(
        output_json(&output),
        json!({"told": 1, "late": 2, "left": 0, "elsewhere": 0, "mended": []}),
        "{output:?}"
    );
    let store = open(&folder.path("disk/studies.db").display().to_string()).unwrap();
    let trials = all_trials(store.as_ref(), store.study("s").unwrap().id).unwrap();
    assert_eq!(
        trials
            .iter()
            .map(|trial| trial.value("value"))
            .collect::<Vec<_>>(),
        [Some(77.0), Some(77.0), Some(2.125)]
    );
    let aside = std::fs::read_dir(folder.path("spool")).unwrap().count();
    assert_eq!((aside, spooled(&folder).len()), (2, 0));
    unmount(&folder);
}
