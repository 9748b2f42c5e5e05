//! Other users of the same machine, hostile ones and mere ones. Needs root to be another user; says so otherwise.
#![cfg(target_os = "linux")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::process::{Command, Stdio};

use crate::folder::{Folder, program, stderr};
use crate::servers::neuralbo;
use crate::stalls::wait_for;

/// A user without rights.
const NOBODY: u32 = 65534;

fn can(possible: bool, what: &str) -> bool {
    if !possible {
        eprintln!("SKIPPED: {what}");
    }
    possible
}

fn mode(folder: &Folder, name: &str, mode: u32) {
    fs::set_permissions(folder.path(name), Permissions::from_mode(mode)).unwrap();
}

/// What a worker says at its start about its folder for results.
fn said(folder: &Folder, change: impl Fn(&mut Command)) -> String {
    let run = [
        "run",
        "--study",
        "s",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--trials",
        "2",
        "--force",
        "--",
        "echo",
        "1",
    ];
    let mut command = neuralbo(folder, "s.db", &run);
    change(&mut command);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    stderr(&output)
}

#[test]
fn there_is_no_spool_in_a_folder_that_others_can_use() {
    let folder = Folder::new();
    let none = said(&folder, |command| {
        for name in ["NEURALBO_SPOOL", "XDG_STATE_HOME", "HOME"] {
            command.env_remove(name);
        }
    });
    assert_eq!(
        none.matches("there is no folder for them").count(),
        1,
        "{none}"
    );

    fs::create_dir(folder.path("spool")).unwrap();
    mode(&folder, "spool", 0o755);
    let open = said(&folder, |_| {});
    assert!(open.contains("it has mode 755"), "{open}");

    mode(&folder, "spool", 0o700);
    assert!(
        !said(&folder, |_| {}).contains("no folder"),
        "a private one is fine"
    );

    symlink(folder.path("spool"), folder.path("link")).unwrap();
    let link = said(&folder, |command| {
        command.env("NEURALBO_SPOOL", folder.path("link"));
    });
    assert!(link.contains("it is a symbolic link"), "{link}");

    if can(
        chown(folder.path("spool"), Some(NOBODY), None).is_ok(),
        "a folder of another user needs root",
    ) {
        let foreign = said(&folder, |_| {});
        assert!(foreign.contains("it belongs to user 65534"), "{foreign}");
    }
}

/// The second worker, as another user, in a world whose /proc shows it no process of the first.
const OTHER_USER: &str = "mount -t proc -o hidepid=2 proc /proc && \
exec setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=$PWD/home ./neuralbo worker s --storage s.db -- sh -c 'echo B >> log; echo 2'";

#[test]
fn a_worker_that_proc_hides_keeps_its_trial() {
    let folder = Folder::new();
    fs::copy(program(), folder.path("neuralbo")).unwrap();
    mode(&folder, "", 0o755);
    let possible = Command::new("unshare")
        .args([
            "-m",
            "sh",
            "-c",
            "mount -t proc -o hidepid=2 proc /proc && \
             setpriv --reuid 65534 --regid 65534 --clear-groups env ./neuralbo --version",
        ])
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !can(
        possible.is_ok_and(|status| status.success()),
        "hiding processes needs root, unshare, setpriv and a program that any user may run",
    ) {
        return;
    }
    let run = [
        "run",
        "--study",
        "s",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--trials",
        "1",
    ];
    assert!(
        neuralbo(&folder, "s.db", &run)
            .output()
            .unwrap()
            .status
            .success()
    );
    let script = "echo A >> log; chmod 666 log; while [ ! -e go ]; do sleep 0.02; done; echo 1";
    let first = neuralbo(&folder, "s.db", &["worker", "s", "--", "sh", "-c", script])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    wait_for(|| folder.path("log").exists());
    mode(&folder, "", 0o777);
    for name in ["s.db", "s.db-wal", "s.db-shm"] {
        mode(&folder, name, 0o666);
    }
    let second = Command::new("unshare")
        .args(["-m", "sh", "-c", OTHER_USER])
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .stderr(fs::File::create(folder.path("second")).unwrap())
        .spawn();
    // It has seen the running trial and waits for it.
    wait_for(|| {
        folder
            .read("second")
            .contains("waiting for 1 running trial")
    });
    folder.write("go", "");
    assert!(first.unwrap().wait().unwrap().success());
    assert!(
        second.unwrap().wait().unwrap().success(),
        "{}",
        folder.read("second")
    );
    let second = folder.read("second");
    assert!(!second.contains("taken over"), "{second}");
    assert_eq!(folder.read("log"), "A\n", "{second}");
}
