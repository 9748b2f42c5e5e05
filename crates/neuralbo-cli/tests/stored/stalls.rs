//! Storages that stall or are full while programs print: the value of a trial is the last line its program printed.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use neuralbo_store::open;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::folder::{Folder, json as output_json, stderr};
use crate::servers::{PRINTER, check_values, neuralbo};

/// Holds the write lock of a file from the moment that the file `started` appears, for this long.
const HOLDER: &str = "
import os, sqlite3, sys, time
while not os.path.exists('started'): time.sleep(0.005)
connection = sqlite3.connect('studies.db', isolation_level=None, timeout=30)
connection.execute('BEGIN IMMEDIATE')
open('locked', 'w').close()
time.sleep(float(sys.argv[1]))
connection.execute('ROLLBACK')";

fn hold_lock(folder: &Folder, seconds: &str) -> Child {
    Command::new("python3")
        .args(["-c", HOLDER, seconds])
        .current_dir(folder.path(""))
        .spawn()
        .unwrap()
}

fn start(folder: &Folder, options: &[&str]) -> Child {
    let run = [
        "run",
        "--study",
        "s",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--json",
    ];
    let arguments = [&run[..], options, &["--", "sh", "script.sh"]].concat();
    neuralbo(folder, "studies.db", &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub fn wait_for(condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "waited in vain"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn steps_that_meet_a_locked_storage_do_not_become_the_value() {
    let folder = Folder::new();
    folder.write(
        "script.sh",
        "touch started; while [ ! -e locked ]; do sleep 0.01; done
        for v in 100 50 25; do k=$((k + 1)); echo \"{\\\"step\\\": $k, \\\"value\\\": $v}\"; sleep 0.15; done; echo 0.125",
    );
    let mut holder = hold_lock(&folder, "3");
    let output = start(&folder, &["--trials", "1"])
        .wait_with_output()
        .unwrap();
    holder.wait().unwrap();
    assert_eq!(output_json(&output)["best"]["value"], 0.125, "{output:?}");
    let trials = output_json(
        &folder
            .neuralbo(&["trials", "s", "--storage", "studies.db", "--json"])
            .output()
            .unwrap(),
    );
    let reported: Vec<f64> = trials[0]["reports"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["value"].as_f64().unwrap())
        .collect();
    assert_eq!(reported, [100.0, 50.0, 25.0]);
}

#[test]
fn every_value_is_the_last_line_while_the_storage_is_locked_again_and_again() {
    let folder = Folder::new();
    folder.write("script.sh", &format!("touch started{PRINTER}"));
    let child = start(&folder, &["--trials", "120", "--workers", "4"]);
    for _ in 0..8 {
        hold_lock(&folder, "0.3").wait().unwrap();
        std::thread::sleep(Duration::from_millis(50));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (
            &output_json(&output)["trials"],
            &output_json(&output)["failed"]
        ),
        (&120.into(), &0.into()),
        "{output:?}"
    );
    let store = open(&folder.path("studies.db").display().to_string()).unwrap();
    let record = store.study("s").unwrap();
    assert_eq!(check_values(&folder, store.as_ref(), &record), 120);
}

#[test]
fn the_third_ctrl_c_ends_at_once_whatever_the_storage_does() {
    let folder = Folder::new();
    folder.write(
        "script.sh",
        "touch started; while [ ! -e locked ]; do sleep 0.01; done; echo 1",
    );
    let mut holder = hold_lock(&folder, "30");
    let child = start(&folder, &["--trials", "3"]);
    wait_for(|| folder.path("locked").exists());
    std::thread::sleep(Duration::from_millis(500));
    let started = Instant::now();
    for _ in 0..3 {
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        std::thread::sleep(Duration::from_millis(300));
    }
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.code() == Some(130) && started.elapsed() < Duration::from_secs(10),
        "{output:?}"
    );
    holder.kill().unwrap();
    holder.wait().unwrap();
}

/// A folder with a small disk at `disk`; `None` where none can be mounted.
pub fn small_disk() -> Option<Folder> {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("disk")).unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"])
        .arg(folder.path("disk"))
        .output()
        .unwrap();
    if !mount.status.success() {
        eprintln!("SKIPPED: a small disk cannot be mounted here");
        return None;
    }
    Some(folder)
}

/// Takes all space of the disk as soon as the first program runs; the program ends afterwards.
fn run_on_full_disk(folder: &Folder) -> Child {
    folder.write(
        "script.sh",
        "touch started; while [ ! -e full ]; do sleep 0.02; done; echo 1.25",
    );
    let run = [
        "run",
        "--study",
        "it's s",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--trials",
        "1",
        "--json",
    ];
    let arguments = [&run[..], &["--", "sh", "script.sh"]].concat();
    let log = std::fs::File::create(folder.path("stderr")).unwrap();
    let child = neuralbo(folder, "disk/studies.db", &arguments)
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap();
    wait_for(|| folder.path("started").exists());
    // The log of changes is emptied first: what it has room for needs no space of the disk.
    let empty = "import sqlite3; sqlite3.connect('disk/studies.db').execute('PRAGMA wal_checkpoint(TRUNCATE)')";
    assert!(
        Command::new("python3")
            .args(["-c", empty])
            .current_dir(folder.path(""))
            .status()
            .unwrap()
            .success()
    );
    let fill =
        "dd if=/dev/zero of=disk/fill bs=1024 2>/dev/null; rm -f disk/*-shm.full; touch full";
    Command::new("sh")
        .args(["-c", fill])
        .current_dir(folder.path(""))
        .status()
        .unwrap();
    wait_for(|| folder.read("stderr").contains("waiting for the storage"));
    child
}

pub fn unmount(folder: &Folder) {
    Command::new("umount")
        .arg("-l")
        .arg(folder.path("disk"))
        .status()
        .unwrap();
}

#[test]
fn a_value_is_kept_until_a_full_disk_has_space_again() {
    let Some(folder) = small_disk() else { return };
    let child = run_on_full_disk(&folder);
    std::fs::remove_file(folder.path("disk/fill")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), &output_json(&output)["best"]["value"]),
        (Some(0), &1.25.into()),
        "{output:?}"
    );
    unmount(&folder);
}

#[test]
fn values_that_are_not_stored_are_printed_as_the_commands_that_store_them() {
    let Some(folder) = small_disk() else { return };
    let child = run_on_full_disk(&folder);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = folder.read("stderr");
    assert_eq!(output.status.code(), Some(1), "{said}");
    let command = said
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with("neuralbo tell"))
        .unwrap();
    assert!(
        command.starts_with(r"neuralbo tell 'it'\''s s' 0 --token ")
            && command.ends_with(" --value 1.25"),
        "{command}"
    );
    std::fs::remove_file(folder.path("disk/fill")).unwrap();
    let shell =
        command.replacen("neuralbo", &format!("'{}'", crate::folder::program()), 1) + " --json";
    let mut tell = Command::new("sh");
    tell.args(["-c", &shell])
        .current_dir(folder.path(""))
        .env("NEURALBO_STORAGE", "disk/studies.db");
    let told = tell.output().unwrap();
    assert!(told.status.success(), "{}", stderr(&told));
    assert_eq!(
        output_json(&told),
        json!({"trial": 0, "told": "finished", "state": "complete"})
    );
    unmount(&folder);
}
