//! Files that cannot be used: the error names the file and the reason, and nothing is changed.

use std::process::Command;

use neuralbo::store::StoreError;
use neuralbo::study::{Study, StudyError};
use neuralbo_store::open;

use crate::crowd::make;
use crate::folder::{Folder, program};

fn refused(folder: &Folder, file: &str) -> StoreError {
    open(&folder.path(file).display().to_string())
        .err()
        .expect("it must be refused")
}

#[test]
fn foreign_files_are_refused_and_left_alone() {
    let folder = Folder::new();
    folder.write(
        "notes.db",
        &"These are my notes, not a database. ".repeat(100),
    );
    let error = refused(&folder, "notes.db").to_string();
    assert!(
        error.contains("notes.db") && error.contains("not a database"),
        "{error}"
    );
    assert!(folder.read("notes.db").starts_with("These are my notes"));
    let missing = refused(&folder, "no/such/directory/x.db").to_string();
    assert!(missing.contains("no/such/directory"), "{missing}");
    assert!(
        open(&folder.path("").display().to_string()).is_err(),
        "a directory is no file"
    );
}

#[test]
fn a_truncated_file_is_refused() {
    let folder = Folder::new();
    let path = folder.path("studies.db").display().to_string();
    make(&path, "s", Some(3), 1);
    let whole = std::fs::read(&path).unwrap();
    for kept in [50, 1000, 4096, whole.len() / 2, whole.len() - 4096] {
        std::fs::write(&path, &whole[..kept]).unwrap();
        let error = refused(&folder, "studies.db");
        assert!(
            matches!(error, StoreError::Foreign { .. }) && error.to_string().contains("studies.db"),
            "{kept}: {error}"
        );
    }
    std::fs::write(&path, &whole).unwrap();
    assert!(open(&path).unwrap().study("s").is_ok());
}

#[test]
fn a_newer_storage_is_refused_with_both_versions() {
    let folder = Folder::new();
    let path = folder.path("studies.db");
    make(&path.display().to_string(), "s", Some(3), 1);
    let change =
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()";
    let run = |sql: &str| {
        assert!(
            Command::new("python3")
                .args(["-c", change])
                .arg(&path)
                .arg(sql)
                .status()
                .unwrap()
                .success()
        )
    };
    run("UPDATE neuralbo_definitions SET record_version = 77");
    let error = open(&path.display().to_string())
        .unwrap()
        .study("s")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("77") && error.contains("version 2"),
        "{error}"
    );
    run("UPDATE neuralbo_schema SET version = 99");
    let error = refused(&folder, "studies.db").to_string();
    assert!(
        error.contains("99") && error.contains("version 1") && error.contains("studies.db"),
        "{error}"
    );
}

#[test]
fn a_read_only_file_is_read_and_not_written() {
    let folder = Folder::new();
    let path = folder.path("studies.db");
    make(&path.display().to_string(), "s", Some(3), 1);
    let mode = |mode: &str| {
        assert!(
            Command::new("chmod")
                .arg(mode)
                .arg(&path)
                .arg(folder.path(""))
                .status()
                .unwrap()
                .success()
        )
    };
    mode("a-w,a+rX");
    let output = neuralbo_as_nobody(&["ask", "s", "--storage", &path.display().to_string()]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.code() == Some(1) && said.contains("studies.db"),
        "{output:?}"
    );
    assert!(
        said.contains("read-only") || said.contains("readonly") || said.contains("unable to open"),
        "{said}"
    );
    mode("u+w");
    assert_eq!(
        open(&path.display().to_string())
            .unwrap()
            .study("s")
            .unwrap()
            .limits
            .trials,
        Some(3)
    );
}

/// Root may write to any file, so the program runs as somebody else.
fn neuralbo_as_nobody(arguments: &[&str]) -> std::process::Output {
    let root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let mut command = if root {
        Command::new("setpriv")
    } else {
        Command::new(program())
    };
    if root {
        command.args([
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            program(),
        ]);
    }
    command.current_dir("/").args(arguments).output().unwrap()
}

#[test]
fn a_full_disk_is_a_clear_error_and_no_corruption() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("disk")).unwrap();
    let mount = |options: &str| {
        Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(folder.path("disk"))
            .output()
            .unwrap()
    };
    if !mount("size=400k").status.success() {
        eprintln!("SKIPPED: a small disk cannot be mounted here");
        return;
    }
    let url = folder.path("disk/studies.db").display().to_string();
    let record = make(&url, "s", None, 1);
    let store = open(&url).unwrap();
    let mut study = Study::open(store.clone(), record.clone(), neuralbo_paper::registry()).unwrap();
    let mut work = || -> Result<(), StudyError> {
        let trial = study.ask_one()?;
        study.tell(&trial, 1.0).map(|_| ())
    };
    let mut told = 0;
    let error = loop {
        match work() {
            Ok(()) => told += 1,
            Err(error) => break error,
        }
    };
    assert!(
        matches!(error, StudyError::Store(StoreError::Full { .. }))
            && error.to_string().contains("studies.db"),
        "{error}"
    );
    assert!(told > 0 && store.counts(record.id).unwrap().complete == told);
    assert!(mount("remount,size=4m").status.success());
    (0..20).for_each(|_| work().unwrap());
    assert_eq!(
        open(&url).unwrap().counts(record.id).unwrap().complete,
        told + 20
    );
    drop((store, study));
    Command::new("umount")
        .arg("-l")
        .arg(folder.path("disk"))
        .status()
        .unwrap();
}
