//! Ctrl-C.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::room::{NEURALBO, Room, json, stderr};

/// A run whose programs return at once until trial 3, which says that it has started and then hangs.
fn start(room: &Room) -> Child {
    room.write("script.sh", HANG);
    let child = Command::new(NEURALBO)
        .args(["run", "--method", "random", "--param", "x=float(0,1)", "--json", "--trace", "trace.csv", "--", "sh", "script.sh"])
        .current_dir(room.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(|| room.path("hanging").exists());
    child
}

fn wait_for(condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(20), "waited in vain");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

const HANG: &str = "[ $NEURALBO_TRIAL = 3 ] && { touch hanging; (sleep 1; touch survived) & sleep 30; }; echo $NEURALBO_PARAM_x";

#[test]
fn the_first_ctrl_c_ends_the_programs_and_prints_the_result() {
    for signal in [Signal::INT, Signal::TERM] {
        let room = Room::new();
        let child = start(&room);
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let result = json(&output);
        assert_eq!((&result["stop"], &result["trials"], &result["failed"]), (&"interrupted".into(), &4.into(), &1.into()));
        assert!(result["best"]["value"].is_number());
        assert!(room.read("trace.csv").contains("3,failed:interrupted"));
        assert!(stderr(&output).contains("stopped: interrupted"));
        std::thread::sleep(Duration::from_millis(1300));
        assert!(!room.path("survived").exists());
    }
}
