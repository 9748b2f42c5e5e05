//! Nothing of a program survives its trial or us, and nothing hangs at a terminal. Tests are named after the findings they guard.

use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::folder::{Folder, json, program, stderr};
use crate::interrupt::wait_for;

/// Starts a child, one in a session of its own and one that ignores requests, says their numbers and waits.
const FAMILY: &str = "sleep 61 & echo $! >> pids
setsid sh -c 'echo $$ >> pids; sleep 62 & echo $! >> pids; wait' &
(trap '' TERM INT HUP QUIT; sh -c 'echo $$ >> pids; exec sleep 63') &
echo $$ >> pids
while [ $(wc -l < pids) -lt 5 ]; do sleep 0.02; done";

fn pids(folder: &Folder) -> Vec<Pid> {
    let text = std::fs::read_to_string(folder.path("pids")).unwrap_or_default();
    text.lines()
        .filter_map(|line| Pid::from_raw(line.trim().parse().ok()?))
        .collect()
}

fn survivors(folder: &Folder) -> Vec<Pid> {
    pids(folder)
        .into_iter()
        .filter(|pid| test_kill_process(*pid).is_ok())
        .collect()
}

fn start(folder: &Folder, script: &str) -> Child {
    folder.write("script.sh", script);
    let run = [
        "run",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--trials",
        "1",
        "--",
        "sh",
        "script.sh",
    ];
    let child = Command::new(program())
        .args(run)
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(|| pids(folder).len() == 5 && folder.path("ready").exists());
    child
}

#[cfg(target_os = "linux")]
#[test]
fn the_whole_tree_ends_with_us_however_we_end() {
    for signal in [Signal::KILL, Signal::QUIT, Signal::TERM, Signal::ABORT] {
        let folder = Folder::new();
        let mut child = start(&folder, &format!("{FAMILY}\ntouch ready; sleep 64; echo 1"));
        assert_eq!(survivors(&folder).len(), 5);
        kill_process(Pid::from_child(&child), signal).unwrap();
        child.wait().unwrap();
        wait_for(|| survivors(&folder).is_empty());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn setsid_children_end_with_their_trial() {
    let folder = Folder::new();
    let output = folder
        .script(&["--trials", "1"], &format!("{FAMILY}\necho 2.5"))
        .output()
        .unwrap();
    assert_eq!(json(&output)["best"]["value"], 2.5, "{output:?}");
    assert_eq!((pids(&folder).len(), survivors(&folder)), (5, vec![]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_supervisor_that_is_killed_costs_a_trial_and_not_the_run() {
    let folder = Folder::new();
    let script = "[ $NEURALBO_TRIAL = 0 ] && [ ! -e once ] && { touch once; kill -9 $PPID; sleep 30; }; echo 3";
    let output = folder.script(&["--trials", "2"], script).output().unwrap();
    let result = json(&output);
    assert_eq!(
        (&result["trials"], &result["failed"]),
        (&2.into(), &0.into()),
        "{output:?}"
    );
    assert!(
        stderr(&output).contains("supervisor of the program ended: signal: 9"),
        "{output:?}"
    );
}

/// Whether a process has ended, waited for or not.
#[cfg(target_os = "linux")]
fn has_ended(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    stat.map_or(true, |stat| stat.contains(") Z "))
}

#[cfg(target_os = "linux")]
#[test]
fn an_idle_supervisor_that_is_killed_is_replaced() {
    let folder = Folder::new();
    let script = "if [ $NEURALBO_TRIAL = 0 ]; then echo $PPID > pids.part; echo $$ >> pids.part; mv pids.part pids
while [ ! -e go ]; do sleep 0.02; done; fi; echo 3";
    folder.write("script.sh", script);
    let run = [
        "run",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--trials",
        "6",
        "--json",
        "--",
        "sh",
        "script.sh",
    ];
    let child = Command::new(program())
        .args(run)
        .current_dir(folder.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(|| pids(&folder).len() == 2);
    // The program ends while we stand still, and then its supervisor.
    kill_process(Pid::from_child(&child), Signal::STOP).unwrap();
    folder.write("go", "");
    let [supervisor, program] = pids(&folder)[..] else {
        unreachable!()
    };
    wait_for(|| has_ended(program));
    kill_process(supervisor, Signal::KILL).unwrap();
    wait_for(|| has_ended(supervisor));
    kill_process(Pid::from_child(&child), Signal::CONT).unwrap();
    let output = child.wait_with_output().unwrap();
    let result = json(&output);
    assert_eq!(
        (&result["trials"], &result["failed"]),
        (&6.into(), &0.into()),
        "{output:?}"
    );
}

#[test]
fn a_machine_that_starts_no_program_ends_the_run_and_its_trials_wait() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("tmp")).unwrap();
    // Without a folder for the file of the parameters no program can be started.
    let script = "[ $NEURALBO_TRIAL = 1 ] && rm -r \"$TMPDIR\"; echo 1";
    let run = |trials: &str| {
        let options = ["--study", "s", "--storage", "s.db", "--trials", trials];
        let mut command = folder.script(&options, script);
        command.env("TMPDIR", folder.path("tmp")).output().unwrap()
    };
    let output = run("5");
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("3 times in a row"), "{said}");
    std::fs::create_dir(folder.path("tmp")).unwrap();
    let output = run("5");
    let result = json(&output);
    assert_eq!(
        (&result["trials"], &result["failed"]),
        (&5.into(), &0.into()),
        "{output:?}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn no_file_of_parameters_stays_whoever_is_killed() {
    for (whom, trials) in [("us", "1"), ("supervisor", "2"), ("program", "2")] {
        let folder = Folder::new();
        std::fs::create_dir(folder.path("tmp")).unwrap();
        let script = "test -e $NEURALBO_PARAMS_FILE && echo $PPID > pids.part && echo $$ >> pids.part && mv pids.part pids
[ -e go ] || sleep 60; echo 1";
        folder.write("script.sh", script);
        let run = [
            "run",
            "--method",
            "random",
            "--param",
            "x=float(0,1)",
            "--trials",
            trials,
            "--",
            "sh",
            "script.sh",
        ];
        let mut child = Command::new(program())
            .args(run)
            .current_dir(folder.path(""))
            .env("TMPDIR", folder.path("tmp"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_for(|| pids(&folder).len() == 2);
        folder.write("go", "");
        let files = || std::fs::read_dir(folder.path("tmp")).unwrap().count();
        assert_eq!(files(), 1);
        let victim = match whom {
            "us" => Pid::from_child(&child),
            "supervisor" => pids(&folder)[0],
            _ => pids(&folder)[1],
        };
        kill_process(victim, Signal::KILL).unwrap();
        child.wait().unwrap();
        wait_for(|| files() == 0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_wants_the_terminal_fails_and_is_not_stopped() {
    for script in [
        "read answer < /dev/tty && echo 1",
        "stty -a < /dev/tty && echo 1",
        "echo question > /dev/tty && echo 1",
    ] {
        let folder = Folder::new();
        folder.write("script.sh", &format!("{script} || exit 7"));
        let run = [
            "run",
            "--method",
            "random",
            "--param",
            "x=float(0,1)",
            "--trials",
            "1",
            "--json",
            "--",
            "sh",
            "script.sh",
        ];
        let output = folder.on_terminal(80, &run);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            shown.contains("No such device or address"),
            "{script}: {output:?}"
        );
        assert_eq!(output.status.code(), Some(1), "{script}: {output:?}");
    }
}

#[test]
fn a_program_that_is_to_end_is_asked_first_and_then_killed() {
    let folder = Folder::new();
    let polite = "trap 'touch asked; echo 5; exit 0' TERM; sleep 30 & wait";
    let output = folder
        .script(
            &[
                "--trials",
                "1",
                "--trial-timeout",
                "500ms",
                "--trace",
                "trace.csv",
            ],
            polite,
        )
        .output()
        .unwrap();
    assert!(folder.path("asked").exists(), "{output:?}");
    assert!(
        folder.read("trace.csv").contains("failed:timeout"),
        "what it prints after the request is no value: {output:?}"
    );
    let deaf = "trap '' TERM; while true; do sleep 1; done";
    let options = [
        "--trials",
        "1",
        "--trial-timeout",
        "200ms",
        "--grace",
        "300ms",
        "--trace",
        "trace.csv",
    ];
    folder.script(&options, deaf).output().unwrap();
    assert!(folder.read("trace.csv").contains("failed:timeout"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_limit_on_memory_is_kept_and_named() {
    let folder = Folder::new();
    let script = "python3 -c 'x = bytearray(500_000_000)' && echo 1";
    let free = folder.script(&["--trials", "1"], script).output().unwrap();
    assert_eq!(json(&free)["best"]["value"], 1.0, "{free:?}");
    let limited = folder
        .script(&["--trials", "1", "--memory", "200M"], script)
        .output()
        .unwrap();
    assert_eq!(json(&limited)["failed"], 1);
    assert!(
        stderr(&limited).contains("out of memory: --memory allows 200 MiB"),
        "{limited:?}"
    );
    let bad = folder
        .script(&["--memory", "1K"], "echo 1")
        .output()
        .unwrap();
    assert!(
        bad.status.code() == Some(2) && stderr(&bad).contains("at least 16M"),
        "{bad:?}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn the_limit_on_processors_is_kept() {
    let folder = Folder::new();
    let output = folder
        .script(&["--trials", "1", "--cpus", "1"], "nproc")
        .output()
        .unwrap();
    assert_eq!(json(&output)["best"]["value"], 1.0, "{output:?}");
}

#[test]
fn parameters_of_128_kib_reach_the_program_by_a_file() {
    let folder = Folder::new();
    folder.write(
        "space.json",
        &serde_json::json!({ "doc": { "type": "choice", "choices": ["x".repeat(200_000), "y".repeat(200_000)] } }).to_string(),
    );
    let run = [
        "run",
        "--method",
        "random",
        "--space",
        "space.json",
        "--trials",
        "1",
        "--json",
        "--",
    ];
    let count = "test -z \"$NEURALBO_PARAMS\" && wc -c < \"$NEURALBO_PARAMS_FILE\"";
    let output = folder
        .neuralbo(&run)
        .args(["sh", "-c", count])
        .output()
        .unwrap();
    assert_eq!(
        json(&output)["best"]["value"],
        (200_000 + "{\"doc\":\"\"}".len()) as f64,
        "{output:?}"
    );
    let output = folder
        .neuralbo(&run)
        .args(["echo", "{doc}"])
        .output()
        .unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.contains("`doc` has 200000 bytes") && said.contains("NEURALBO_PARAMS_FILE"),
        "{}",
        &said[..300.min(said.len())]
    );
}

#[test]
fn the_file_of_the_parameters_is_gone_after_the_trial() {
    let folder = Folder::new();
    let script = "cp \"$NEURALBO_PARAMS_FILE\" copy; echo \"$NEURALBO_PARAMS_FILE\" > name; test \"$NEURALBO_PARAMS\" = \"$(cat copy)\" && echo 1";
    let output = folder.script(&["--trials", "1"], script).output().unwrap();
    assert_eq!(json(&output)["best"]["value"], 1.0, "{output:?}");
    assert!(!std::path::Path::new(folder.read("name").trim()).exists());
}

#[test]
fn programs_do_not_get_the_storage_and_its_password() {
    let folder = Folder::new();
    let mut command = folder.script(
        &["--trials", "1"],
        "env | grep -c -e secret1 -e secret2; true",
    );
    command
        .env("NEURALBO_STORAGE", "postgres://u:secret1@localhost/x")
        .env("PGPASSWORD", "secret2");
    let output = command.output().unwrap();
    assert_eq!(json(&output)["best"]["value"], 0.0, "{output:?}");
}

#[test]
fn a_last_line_over_one_mebibyte_is_not_read_by_its_tail() {
    let folder = Folder::new();
    let script = "printf 'loss'; head -c 1500000 /dev/zero | tr '\\0' ' '; echo 5; echo";
    let output = folder
        .script(&["--trials", "1", "--trace", "trace.csv"], script)
        .output()
        .unwrap();
    assert!(
        folder.read("trace.csv").contains("failed:parse")
            && stderr(&output).contains("longer than 1048576 bytes"),
        "{output:?}"
    );
}

#[test]
fn terminal_escapes_of_programs_are_not_passed_on() {
    let folder = Folder::new();
    let output = folder
        .script(
            &["--trials", "1"],
            "printf '\\033[2J\\033]0;owned\\007' >&2; exit 1",
        )
        .output()
        .unwrap();
    assert!(
        !output.stderr.contains(&0x1b)
            && !output.stderr.contains(&7)
            && stderr(&output).contains("\\u{1b}[2J"),
        "{output:?}"
    );
}
