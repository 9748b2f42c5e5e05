//! Studies and storages that are deleted or replaced while a worker evaluates: no value reaches another trial, none is lost silently.

use std::process::{Child, Stdio};

use neuralbo::store::all_trials;
use neuralbo_store::open;
use serde_json::json;

use crate::folder::{Folder, json as output_json};
use crate::servers::neuralbo;
use crate::stalls::wait_for;

/// Says that it runs, waits for the file `go` and prints the value.
const WAITS: &str = "touch started.$1; while [ ! -e go.$1 ]; do sleep 0.02; done; echo $2";

fn run(folder: &Folder, arguments: &[&str]) {
    let output = neuralbo(folder, "s.db", arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

fn create(folder: &Folder, parameter: &str, trials: &str) {
    let arguments = [
        "run", "--study", "s", "--method", "random", "--param", parameter, "--trials", trials,
    ];
    run(folder, &arguments);
}

/// A worker whose first program waits.
fn worker(folder: &Folder, name: &str, value: &str) -> Child {
    folder.write("waits.sh", WAITS);
    let log = std::fs::File::create(folder.path(&format!("stderr.{name}"))).unwrap();
    let arguments = ["worker", "s", "--", "sh", "waits.sh", name, value];
    let worker = neuralbo(folder, "s.db", &arguments)
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap();
    wait_for(|| folder.path(&format!("started.{name}")).exists());
    worker
}

fn end(folder: &Folder, name: &str, mut worker: Child) -> (Option<i32>, String) {
    folder.write(&format!("go.{name}"), "");
    let code = worker.wait().unwrap().code();
    (code, folder.read(&format!("stderr.{name}")))
}

fn spooled(folder: &Folder) -> usize {
    std::fs::read_dir(folder.path("spool")).map_or(0, Iterator::count)
}

fn values(folder: &Folder) -> Vec<Option<f64>> {
    let store = open(&folder.path("s.db").display().to_string()).unwrap();
    let trials = all_trials(store.as_ref(), store.study("s").unwrap().id).unwrap();
    trials.iter().map(|trial| trial.value("value")).collect()
}

#[test]
fn a_spooled_value_of_a_deleted_study_does_not_reach_another_one_of_its_name() {
    let folder = Folder::new();
    create(&folder, "x=float(0,1)", "1");
    let old = worker(&folder, "old", "777");
    run(&folder, &["delete", "s", "--yes"]);
    let (code, said) = end(&folder, "old", old);
    assert!(
        code == Some(1) && said.contains("neuralbo recover"),
        "{said}"
    );
    assert_eq!(spooled(&folder), 1);

    create(&folder, "y=float(5,6)", "1");
    let new = worker(&folder, "new", "5.5");
    let recovered = neuralbo(&folder, "s.db", &["recover", "--json"]).output();
    let recovered = recovered.unwrap();
    assert_eq!(
        output_json(&recovered),
        json!({"told": 0, "late": 0, "left": 1, "elsewhere": 0, "mended": []}),
        "{recovered:?}"
    );
    // The command that the old worker printed names the claim as well.
    let command = said.lines().find(|line| line.contains("neuralbo tell"));
    let words = command.unwrap().split_whitespace().skip(1);
    let told = neuralbo(&folder, "s.db", &[]).args(words).output().unwrap();
    assert!(!told.status.success(), "{told:?}");
    let (code, said) = end(&folder, "new", new);
    assert_eq!(
        (code, values(&folder)),
        (Some(0), vec![Some(5.5)]),
        "{said}"
    );
}

#[test]
fn a_removed_database_ends_the_run_and_its_value_is_kept() {
    let folder = Folder::new();
    create(&folder, "x=float(0,1)", "5");
    let worker = worker(&folder, "a", "7");
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(folder.path(&format!("s.db{end}")));
    }
    let (code, said) = end(&folder, "a", worker);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("removed or replaced") && said.contains("--value 7"),
        "{said}"
    );
    assert_eq!((spooled(&folder), folder.path("s.db").exists()), (1, false));
}

#[test]
fn a_replaced_database_gets_nothing_and_stays_sound() {
    let folder = Folder::new();
    create(&folder, "x=float(0,1)", "5");
    std::fs::copy(folder.path("s.db"), folder.path("old.db")).unwrap();
    let worker = worker(&folder, "a", "7");
    std::fs::rename(folder.path("old.db"), folder.path("s.db")).unwrap();
    let (code, said) = end(&folder, "a", worker);
    assert!(
        code == Some(1) && said.contains("removed or replaced"),
        "{said}"
    );
    assert_eq!((spooled(&folder), values(&folder)), (1, vec![]));
    run(&folder, &["check"]);
    run(&folder, &["worker", "s", "--", "echo", "1"]);
    assert_eq!(values(&folder), [Some(1.0); 5]);
}
