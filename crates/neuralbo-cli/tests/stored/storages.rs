//! Storages as files: forms of their names, read-only and incomplete ones, results that are imported.

use std::path::Path;
use std::process::{Command, Output};

use neuralbo::record::Limits;
use neuralbo::store::{Store, StudyRecord};
use neuralbo::study::Study;
use neuralbo_store::open;
use serde_json::{Value, json};

use crate::crowd::make;
use crate::folder::{Folder, json as output_json, stderr};
use crate::servers::neuralbo;

pub fn names(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path("")).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Tells some trials of a study.
fn tell(storage: &str, record: &StudyRecord, values: &[f64]) -> (std::sync::Arc<dyn Store>, Study) {
    let store = open(storage).unwrap();
    let mut study = Study::open(store.clone(), record.clone(), neuralbo_paper::registry()).unwrap();
    for value in values {
        let trial = study.ask_one().unwrap();
        study.tell(&trial, *value).unwrap();
    }
    (store, study)
}

pub const COMMANDS: [&[&str]; 9] = [
    &["studies"],
    &["trials", "s"],
    &["best", "s"],
    &["export", "s"],
    &["replay", "s"],
    &["ask", "s"],
    &["tell", "s", "0", "--value", "1"],
    &["delete", "s", "--yes"],
    &["worker", "s", "--", "true"],
];

#[test]
fn rows_that_an_import_drops_are_counted() {
    let folder = Folder::new();
    make(
        &folder.path("neuralbo.db").display().to_string(),
        "s",
        Some(3),
        1,
    );
    folder.write(
        "known.csv",
        "x0,x1,value\n0.1,0.2,1\n0.3,0.4,\n0.5,0.6,nan\n0.7,0.8,inf\n0.9,0.9,2\n",
    );
    let output = folder
        .neuralbo(&["import", "known.csv", "--study", "s", "--json"])
        .output()
        .unwrap();
    assert_eq!(
        output_json(&output),
        json!({"study": "s", "trials": 2, "left_out": 3, "present": 0})
    );
}

#[test]
fn a_file_is_not_imported_twice_unawares() {
    let folder = Folder::new();
    let storage = folder.path("neuralbo.db").display().to_string();
    make(&storage, "s", Some(3), 1);
    folder.write(
        "known.csv",
        "x0,x1,value\n0.1,0.2,1\n0.1,0.2,1\n0.3,0.4,2\n",
    );
    let import = |options: &[&str]| {
        folder
            .neuralbo(&["import", "known.csv", "--study", "s", "--json"])
            .args(options)
            .output()
            .unwrap()
    };
    let count = || {
        open(&storage)
            .unwrap()
            .counts(open(&storage).unwrap().study("s").unwrap().id)
            .unwrap()
            .known
    };
    assert_eq!(output_json(&import(&[]))["trials"], 3);
    let twice = import(&[]);
    assert!(
        twice.status.code() == Some(2) && stderr(&twice).contains("--again"),
        "{twice:?}"
    );
    assert_eq!(count(), 3);
    folder.write(
        "known.csv",
        "x0,x1,value\n0.1,0.2,1\n0.3,0.4,2\n0.5,0.5,3\n",
    );
    assert_eq!(
        output_json(&import(&[])),
        json!({"study": "s", "trials": 1, "left_out": 0, "present": 2})
    );
    assert_eq!(
        (
            output_json(&import(&["--again"]))["trials"].clone(),
            count()
        ),
        (json!(3), 7)
    );
}

#[test]
fn commands_that_look_make_no_files() {
    let folder = Folder::new();
    for command in COMMANDS {
        for storage in ["no.db", "sqlite:no.db", "sqlite:///no.db"] {
            let output = neuralbo(&folder, storage, command).output().unwrap();
            assert!(
                output.status.code() == Some(2) && stderr(&output).contains("does not exist"),
                "{command:?}: {output:?}"
            );
        }
    }
    assert_eq!(names(&folder), [] as [&str; 0]);
}

#[test]
fn memory_and_sqlite_forms_are_no_file_names() {
    let folder = Folder::new();
    for storage in [":memory:", "sqlite::memory:"] {
        let run = [
            "run",
            "--study",
            "s",
            "--param",
            "x=float(0,1)",
            "--trials",
            "1",
            "--",
            "echo",
            "1",
        ];
        assert!(
            neuralbo(&folder, storage, &run)
                .output()
                .unwrap()
                .status
                .success()
        );
    }
    assert_eq!(names(&folder), [] as [&str; 0]);
    make(&folder.path("x.db").display().to_string(), "s", Some(3), 1);
    for storage in [
        "x.db",
        "sqlite:x.db",
        "sqlite:///x.db",
        &format!("sqlite:///{}", folder.path("x.db").display()),
    ] {
        let output = neuralbo(&folder, storage, &["studies", "--json"])
            .output()
            .unwrap();
        assert_eq!(output_json(&output)[0]["study"], "s", "{storage}");
    }
    assert_eq!(names(&folder), ["x.db"]);
}

fn values(output: &Output) -> Vec<f64> {
    output_json(output)
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|trial| trial["value"].as_f64())
        .collect()
}

#[test]
fn a_storage_on_a_read_only_disk_is_read() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("disk")).unwrap();
    let mount = |options: &[&str]| {
        Command::new("mount")
            .args(options)
            .arg(folder.path("disk"))
            .output()
            .unwrap()
            .status
            .success()
    };
    if !mount(&["-t", "tmpfs", "tmpfs"]) {
        eprintln!("SKIPPED: a disk cannot be mounted here");
        return;
    }
    let storage = folder
        .path("disk/a b?.db")
        .display()
        .to_string()
        .replace("?", "");
    let record = make(&storage, "s", Some(9), 1);
    drop(tell(&storage, &record, &[1.5, 2.5]));
    let look = || {
        neuralbo(&folder, &storage, &["trials", "s", "--json"])
            .output()
            .unwrap()
    };
    assert!(mount(&["-o", "remount,ro"]));
    assert_eq!(values(&look()), [1.5, 2.5], "closed before");
    let ask = neuralbo(&folder, &storage, &["ask", "s"]).output().unwrap();
    assert!(
        ask.status.code() == Some(1) && stderr(&ask).contains("read-only"),
        "{ask:?}"
    );
    assert!(mount(&["-o", "remount,rw"]));
    let open_now = tell(&storage, &record, &[3.5]);
    // As after a crash: what was told last is in the other file only.
    for file in [storage.clone(), format!("{storage}-wal")] {
        std::fs::copy(&file, file.replace("a b", "crashed")).unwrap();
    }
    drop(open_now);
    assert!(mount(&["-o", "remount,ro"]));
    let crashed = storage.replace("a b", "crashed");
    let output = neuralbo(&folder, &crashed, &["trials", "s", "--json"])
        .output()
        .unwrap();
    assert_eq!(values(&output), [1.5, 2.5, 3.5], "in use before");
    Command::new("umount")
        .arg("-l")
        .arg(folder.path("disk"))
        .status()
        .unwrap();
}

#[test]
fn a_copy_without_its_log_is_pointed_out() {
    let folder = Folder::new();
    let storage = folder.path("studies.db").display().to_string();
    let record = make(&storage, "s", None, 1);
    let copy =
        |from: &str, to: &str| _ = std::fs::copy(folder.path(from), folder.path(to)).unwrap();
    let warned = |file: &str| {
        let output = neuralbo(&folder, file, &["trials", "s", "--json"])
            .output()
            .unwrap();
        (stderr(&output).contains("-wal"), values(&output).len())
    };
    copy("studies.db", "before.db");
    let told = tell(&storage, &record, &[1.0; 41]);
    copy("studies.db", "alone.db");
    copy("studies.db", "both.db");
    copy("studies.db-wal", "both.db-wal");
    assert_eq!(warned("studies.db"), (false, 41), "while it is in use");
    drop(told);
    assert_eq!(warned("before.db"), (false, 0));
    let (warning, found) = warned("alone.db");
    assert!(warning && found < 41, "{found}");
    assert_eq!(warned("both.db"), (false, 41));
    copy("studies.db", "after.db");
    assert_eq!(
        (warned("after.db"), warned("studies.db")),
        ((false, 41), (false, 41))
    );
}

fn damage(path: &Path, sql: &str) {
    let change =
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()";
    assert!(
        Command::new("python3")
            .args(["-c", change])
            .arg(path)
            .arg(sql)
            .status()
            .unwrap()
            .success()
    );
}

#[test]
fn one_unreadable_study_does_not_hide_the_others() {
    let folder = Folder::new();
    let storage = folder.path("studies.db").display().to_string();
    for name in ["a", "b", "c"] {
        make(&storage, name, Some(3), 1);
    }
    let id = "(SELECT id FROM neuralbo_studies WHERE name = 'b')";
    for value in ["definition = '{'", "record_version = 77"] {
        damage(
            &folder.path("studies.db"),
            &format!("UPDATE neuralbo_definitions SET {value} WHERE study = {id}"),
        );
        let output = neuralbo(&folder, "studies.db", &["studies", "--json"])
            .output()
            .unwrap();
        let listed: Vec<(Value, bool)> = output_json(&output)
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row["study"].clone(), row["error"].is_string()))
            .collect();
        assert_eq!(
            listed,
            [(json!("a"), false), (json!("b"), true), (json!("c"), false)]
        );
        assert!(
            output.status.code() == Some(1) && stderr(&output).contains("study `b`"),
            "{output:?}"
        );
        let table = neuralbo(&folder, "studies.db", &["studies"])
            .output()
            .unwrap();
        assert!(
            String::from_utf8_lossy(&table.stdout).contains("cannot be read"),
            "{table:?}"
        );
    }
}

#[test]
fn a_full_disk_for_the_trace_costs_no_result() {
    if !Path::new("/dev/full").exists() {
        eprintln!("SKIPPED: there is no /dev/full");
        return;
    }
    let folder = Folder::new();
    let run = [
        "run",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--trials",
        "3",
        "--trace",
        "/dev/full",
        "--json",
    ];
    let output = folder
        .neuralbo(&run)
        .args(["--", "echo", "0.25"])
        .output()
        .unwrap();
    assert_eq!(
        (
            &output_json(&output)["best"]["value"],
            &output_json(&output)["trials"]
        ),
        (&json!(0.25), &json!(3))
    );
    assert!(
        output.status.code() == Some(1) && stderr(&output).contains("--trace"),
        "{output:?}"
    );
}

/// Leases are times of the storage's clock, taken anew whenever somebody asks: a machine that slept does not fall behind.
#[test]
fn leases_are_by_the_clock_of_the_day() {
    let folder = Folder::new();
    let storage = folder.path("studies.db").display().to_string();
    let record = make(&storage, "s", None, 1);
    let store = open(&storage).unwrap();
    store.limit(record.id, &Limits::default()).unwrap();
    let now = || {
        std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap()
            .as_millis() as i64
    };
    let mut study = Study::open(store, record, neuralbo_paper::registry()).unwrap();
    for _ in 0..3 {
        let before = now();
        let asked = study.ask_one().unwrap().asked_ms;
        assert!((before..=now()).contains(&asked), "{before} {asked}");
        std::thread::sleep(std::time::Duration::from_millis(30));
    }
}
