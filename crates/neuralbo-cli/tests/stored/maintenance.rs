//! Storages as a whole: checked, copied while workers run, brought back.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use neuralbo::record::{Definition, Direction, Ending, Limits};
use neuralbo::space::{Parameter, Params, Space};
use neuralbo::store::{Finished, NewStudy, Store};
use neuralbo::study::Study;
use neuralbo_store::{Access, open, open_for};
use serde_json::json;

use crate::crowd::make;
use crate::folder::{Folder, json as output_json, stderr};
use crate::servers::{PRINTER, check_values, fresh, neuralbo, postgres};

fn check(folder: &Folder, storage: &str) -> (Option<i32>, String) {
    let output = neuralbo(folder, storage, &["check"]).output().unwrap();
    (
        output.status.code(),
        format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            stderr(&output)
        ),
    )
}

/// A storage with a study of five trials, intermediate values included.
fn sound(folder: &Folder) {
    let run = [
        "run",
        "--study",
        "s",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--trials",
        "5",
    ];
    folder.write("script.sh", r#"echo '{"step": 1, "value": 7}'; echo 0.5"#);
    assert!(
        neuralbo(folder, "studies.db", &run)
            .args(["--", "sh", "script.sh"])
            .output()
            .unwrap()
            .status
            .success()
    );
}

fn change(path: &Path, sql: &str) {
    let script =
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()";
    assert!(
        Command::new("python3")
            .args(["-c", script])
            .arg(path)
            .arg(sql)
            .status()
            .unwrap()
            .success()
    );
}

#[test]
fn a_sound_storage_is_found_sound_and_each_damage_is_found() {
    let folder = Folder::new();
    sound(&folder);
    assert_eq!(
        check(&folder, "studies.db"),
        (Some(0), "1 study, 5 trials: sound\n".to_owned())
    );
    let damages = [
        (
            "DELETE FROM neuralbo_trials WHERE number = 2",
            "intermediate values without a trial",
        ),
        (
            "DELETE FROM neuralbo_trials WHERE number = 2",
            "it counts 5 complete trials and has 4",
        ),
        ("DELETE FROM neuralbo_studies", "trials without a study"),
        (
            "DELETE FROM neuralbo_definitions",
            "studies without a definition",
        ),
        (
            "UPDATE neuralbo_definitions SET definition = '{'",
            "study `s`: record of a study's definition cannot be read",
        ),
        (
            "UPDATE neuralbo_definitions SET record_version = 9",
            "record version 9",
        ),
        (
            "UPDATE neuralbo_trials SET seq = 9 WHERE number = 2",
            "not numbered 1, 2, … without gaps",
        ),
        (
            "UPDATE neuralbo_trials SET vals = NULL, value = NULL WHERE number = 2",
            "trial 2: it is complete and has no value",
        ),
        (
            "UPDATE neuralbo_trials SET params = '{\"x\":7}' WHERE number = 2",
            "trial 2: its parameters are outside its space",
        ),
        (
            "UPDATE neuralbo_trials SET params = 'x' WHERE number = 2",
            "trial 2: record of a trial cannot be read",
        ),
        (
            "UPDATE neuralbo_trials SET state = 'lost' WHERE number = 2",
            "state `lost` is unknown",
        ),
        (
            "UPDATE neuralbo_trials SET state = 'running' WHERE number = 2",
            "only a finished trial has a position",
        ),
        (
            "UPDATE neuralbo_trials SET version = 4 WHERE number = 2",
            "trial 2: its version of the definition does not exist",
        ),
        (
            "UPDATE neuralbo_studies SET next_number = 3",
            "trial 4: its number was never assigned",
        ),
        (
            "UPDATE neuralbo_studies SET complete = 6",
            "it counts 6 complete trials and has 5",
        ),
    ];
    for (sql, problem) in damages {
        std::fs::copy(folder.path("studies.db"), folder.path("damaged.db")).unwrap();
        change(&folder.path("damaged.db"), sql);
        let (code, said) = check(&folder, "damaged.db");
        assert!(code == Some(3) && said.contains(problem), "{sql}: {said}");
    }
}

#[test]
fn a_damaged_file_is_found() {
    let folder = Folder::new();
    sound(&folder);
    let whole = std::fs::read(folder.path("studies.db")).unwrap();
    let mut found = 0;
    for page in 1..whole.len() / 4096 {
        let mut bytes = whole.clone();
        bytes[page * 4096..page * 4096 + 64].fill(0xa5);
        std::fs::write(folder.path("damaged.db"), bytes).unwrap();
        found += usize::from(check(&folder, "damaged.db").0 != Some(0));
    }
    assert_eq!(
        found,
        whole.len() / 4096 - 1,
        "a broken page is never overlooked"
    );
    assert_eq!(check(&folder, "no.db").0, Some(2));
}

fn succeeded(output: &Output) {
    assert!(output.status.success(), "{output:?}");
}

fn finished(store: &dyn Store, name: &str) -> Vec<Finished> {
    store
        .finished_since(store.study(name).unwrap().id, 0, 100_000)
        .unwrap()
}

/// Copies the storage again and again while workers run; each copy is sound and a beginning of what there is in the end.
fn copied_while_workers_run(storage: &str, extension: &str) {
    let (folder, name) = (Folder::new(), fresh("backup"));
    folder.write("printer.sh", PRINTER);
    let record = make(storage, &name, Some(120), 3);
    let start = |_| -> Child {
        let mut worker = neuralbo(
            &folder,
            storage,
            &["worker", &name, "--threads", "1", "--", "sh", "printer.sh"],
        );
        worker
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut workers: Vec<Child> = (0..3).map(start).collect();
    let mut copies = Vec::new();
    while copies.is_empty()
        || workers
            .iter_mut()
            .any(|worker| worker.try_wait().unwrap().is_none())
    {
        let file = format!("copy-{}.{extension}", copies.len());
        succeeded(
            &neuralbo(&folder, storage, &["backup", &file])
                .output()
                .unwrap(),
        );
        copies.push(file);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    workers
        .iter_mut()
        .for_each(|worker| assert!(worker.wait().unwrap().success()));
    let all = finished(open(storage).unwrap().as_ref(), &name);
    assert_eq!(all.len(), 120);
    let mut partial = 0;
    for file in &copies {
        let restored = format!("restored-{file}.db");
        succeeded(
            &neuralbo(&folder, &restored, &["restore", file])
                .output()
                .unwrap(),
        );
        assert_eq!(check(&folder, &restored).0, Some(0));
        let store = open_for(&folder.path(&restored).display().to_string(), Access::Read).unwrap();
        let copied = finished(store.as_ref(), &name);
        assert_eq!(copied, all[..copied.len()]);
        assert_eq!(
            check_values(&folder, store.as_ref(), &store.study(&name).unwrap()),
            copied.len()
        );
        partial += usize::from(copied.len() < all.len());
    }
    assert!(
        partial > 0 && record.limits.trials == Some(120),
        "{} copies",
        copies.len()
    );
    eprintln!(
        "{} copies, {partial} of them while workers ran",
        copies.len()
    );
}

#[test]
fn sqlite_is_copied_while_workers_run() {
    let folder = Folder::new();
    copied_while_workers_run(&folder.path("studies.db").display().to_string(), "db");
}

#[test]
fn sqlite_is_copied_as_lines_while_workers_run() {
    let folder = Folder::new();
    copied_while_workers_run(&folder.path("studies.db").display().to_string(), "jsonl");
}

#[test]
fn postgres_is_copied_while_workers_run() {
    if let Some(url) = postgres() {
        copied_while_workers_run(
            &format!("{url}?schema=backup_{}", std::process::id()),
            "jsonl",
        );
    }
}

#[test]
fn a_backup_is_brought_back_and_replaces_nothing() {
    let folder = Folder::new();
    sound(&folder);
    let export = |storage: &str| {
        neuralbo(&folder, storage, &["export", "s"])
            .output()
            .unwrap()
            .stdout
    };
    for file in ["copy.db", "copy.jsonl"] {
        succeeded(
            &neuralbo(&folder, "studies.db", &["backup", file])
                .output()
                .unwrap(),
        );
        let twice = neuralbo(&folder, "studies.db", &["backup", file])
            .output()
            .unwrap();
        assert!(
            twice.status.code() == Some(2) && stderr(&twice).contains("already exists"),
            "{twice:?}"
        );
        let target = format!("from-{file}.db");
        let restored = neuralbo(&folder, &target, &["restore", file, "--json"])
            .output()
            .unwrap();
        assert_eq!(output_json(&restored), json!({"studies": ["s"]}));
        let (before, after) = (export("studies.db"), export(&target));
        let trials = |text: &[u8]| {
            String::from_utf8_lossy(text)
                .lines()
                .skip(1)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(trials(&before), trials(&after));
        let again = neuralbo(&folder, &target, &["restore", file])
            .output()
            .unwrap();
        assert!(
            again.status.code() == Some(2) && stderr(&again).contains("study `s` already exists"),
            "{again:?}"
        );
        assert_eq!(export(&target), after);
    }
    let none = neuralbo(&folder, "x.db", &["restore", "none.jsonl"])
        .output()
        .unwrap();
    assert!(
        none.status.code() == Some(2) && !folder.path("x.db").exists(),
        "{none:?}"
    );
    let part = std::fs::read_dir(folder.path("")).unwrap().any(|entry| {
        entry
            .unwrap()
            .path()
            .extension()
            .is_some_and(|e| e == "part")
    });
    assert!(!part, "nothing unfinished is left behind");
}

#[test]
fn studies_that_define_parameters_while_they_run_are_sound() {
    let folder = Folder::new();
    let storage = folder.path("studies.db").display().to_string();
    let store = open(&storage).unwrap();
    // The first version has no parameter at all, or one that the trials do not ask for.
    let begun = Space::new(vec!["w=float(0,1)".parse().unwrap()]).unwrap();
    for (name, space) in [("empty", Space::empty()), ("begun", begun)] {
        let definition = Definition {
            method: "random".to_owned(),
            ..Definition::new(space, Direction::Minimize)
        };
        let new = NewStudy::new(name, definition, Limits::default());
        let record = store.create_study(&new).unwrap();
        let mut study = Study::open(store.clone(), record, neuralbo_paper::registry()).unwrap();
        for texts in [
            &["k=choice(a,b)"][..],
            &["k=choice(a,b)", "x=float(0,1) if k == a"],
            &["x=float(0,2) if k == b"],
        ] {
            let trial = study.ask_one().unwrap();
            let mut params = Params::new();
            for text in texts {
                let parameter: Parameter = text.parse().unwrap();
                let (value, _) = study.value_for(&trial, &parameter).unwrap();
                params.insert(parameter.name(), value);
            }
            let ending = Ending {
                params: Some(params),
                ..study.definition().ending(1.0.into()).unwrap()
            };
            study.end(&trial, &ending).unwrap();
        }
    }
    drop(store);
    assert_eq!(
        check(&folder, "studies.db"),
        (Some(0), "2 studies, 6 trials: sound\n".to_owned())
    );
    let outside = "UPDATE neuralbo_trials SET params = '{\"x\":2.5}' WHERE number = 2";
    change(&folder.path("studies.db"), outside);
    let (code, said) = check(&folder, "studies.db");
    let found = "trial 2: its parameters are outside its space";
    assert_eq!((code, said.matches(found).count()), (Some(3), 2), "{said}");
}
