//! Ctrl-C in steps, and requests to terminate.

use std::fs::File;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::folder::{Folder, json, program};

/// Returns at once until trial 3, which says that it has started and then waits for a file.
const HANG: &str =
    "[ $NEURALBO_TRIAL = 3 ] && { (sleep 1; touch survived) & touch hanging; while [ ! -e go ]; do sleep 0.02; done; }
echo $NEURALBO_PARAM_x";

/// A run whose fourth program hangs, started by a shell that does `first`; standard error goes to a file.
fn start(folder: &Folder, first: &str) -> Child {
    folder.write("script.sh", HANG);
    let run = "run --method random --param x=float(0,1) --trials 5 --json --trace trace.csv -- sh script.sh";
    let child = Command::new("sh")
        .args([
            "-c",
            &format!(
                "{first} exec \"$0\" {}",
                run.replace("x=float(0,1)", "'x=float(0,1)'")
            ),
            program(),
        ])
        .current_dir(folder.path(""))
        .stdout(Stdio::piped())
        .stderr(File::create(folder.path("stderr")).unwrap())
        .spawn()
        .unwrap();
    wait_for(|| folder.path("hanging").exists());
    child
}

/// Whether the tests were started with hang-ups ignored: programs inherit that, and no shell can undo it.
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
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

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Three trials are done, the fourth was given back without a result, and nothing of it survives.
fn check_killed(folder: &Folder, output: &Output) {
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let result = json(output);
    assert_eq!(
        (&result["stop"], &result["trials"], &result["failed"]),
        (&"interrupted".into(), &3.into(), &0.into())
    );
    assert!(result["best"]["value"].is_number());
    assert_eq!(folder.read("trace.csv").lines().count(), 4);
    let said = folder.read("stderr");
    assert!(
        said.contains("trial 3 is returned") && said.contains("stopped: interrupted"),
        "{said}"
    );
    std::thread::sleep(Duration::from_millis(1300));
    assert!(!folder.path("survived").exists());
}

#[test]
fn the_first_ctrl_c_finishes_what_runs() {
    let folder = Folder::new();
    let child = start(&folder, "");
    send(&child, Signal::INT);
    wait_for(|| {
        folder
            .read("stderr")
            .contains("finishing 1 running trial; press Ctrl-C again to end it")
    });
    folder.write("go", "");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let result = json(&output);
    assert_eq!(
        (&result["stop"], &result["trials"], &result["failed"]),
        (&"interrupted".into(), &4.into(), &0.into())
    );
    assert!(folder.read("trace.csv").contains("\n3,complete,"));
}

#[test]
fn the_second_ctrl_c_ends_what_runs() {
    let folder = Folder::new();
    let child = start(&folder, "");
    send(&child, Signal::INT);
    wait_for(|| folder.read("stderr").contains("finishing 1 running trial"));
    send(&child, Signal::INT);
    check_killed(&folder, &child.wait_with_output().unwrap());
}

#[test]
fn a_request_to_terminate_and_a_hangup_end_what_runs_at_once() {
    for signal in [Signal::TERM, Signal::HUP] {
        if signal == Signal::HUP && hangup_is_ignored() {
            eprintln!("skipped: these tests run under nohup, and so would the program");
            continue;
        }
        let folder = Folder::new();
        let child = start(&folder, "");
        send(&child, signal);
        check_killed(&folder, &child.wait_with_output().unwrap());
    }
}

#[test]
fn ctrl_c_works_in_the_background_where_shells_ignore_it() {
    let folder = Folder::new();
    let child = start(&folder, "trap '' INT;");
    send(&child, Signal::INT);
    wait_for(|| folder.read("stderr").contains("finishing 1 running trial"));
    folder.write("go", "");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
}

#[cfg(target_os = "linux")]
#[test]
fn a_hangup_that_nohup_ignores_is_ignored() {
    let folder = Folder::new();
    let child = start(&folder, "trap '' HUP;");
    send(&child, Signal::HUP);
    std::thread::sleep(Duration::from_millis(100));
    folder.write("go", "");
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), &json(&output)["trials"]),
        (Some(0), &5.into()),
        "{output:?}"
    );
}
