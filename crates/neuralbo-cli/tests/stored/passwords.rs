//! Passwords of storages are neither printed nor passed on.

use std::process::Output;

use crate::folder::{Folder, stderr};
use crate::servers::{fresh, neuralbo, postgres};
use crate::storages::{COMMANDS, names};

/// A password with everything that can mislead a reader of URLs.
const PASSWORD: &str = "hunter2/a?b";

/// The environment of the program and of its supervisor, which programs can read.
const SHOW_ENVIRONMENTS: &str = "env > seen; tr '\\0' '\\n' < /proc/$PPID/environ >> seen; echo 1";

fn everything_said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn no_command_prints_a_password() {
    let folder = Folder::new();
    // Nobody listens on port 1.
    let storages = [
        format!("postgres://me:{PASSWORD}@127.0.0.1:1/x?patience=0"),
        format!("postgres://me@127.0.0.1:1/x?patience=0&password={PASSWORD}"),
        format!("host=127.0.0.1 port=1 user=me password='{PASSWORD}' patience=0"),
        format!("postgres://me:{PASSWORD}"),
        format!("mysql://me:{PASSWORD}@127.0.0.1/x"),
        format!("password={PASSWORD} nonsense"),
    ];
    let run: &[&str] = &[
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
    for storage in &storages {
        for command in COMMANDS.iter().chain([&run]) {
            let by_variable = neuralbo(&folder, storage, command).output().unwrap();
            let mut option = vec![command[0], "--storage", storage];
            option.extend(&command[1..]);
            let by_option = folder.neuralbo(&option).output().unwrap();
            for output in [by_variable, by_option] {
                let said = everything_said(&output);
                assert!(
                    !output.status.success() && !said.contains("hunter2"),
                    "{command:?}: {said}"
                );
                assert!(
                    command[0] == "delete" || said.contains("storage"),
                    "{command:?}: {said}"
                );
            }
        }
    }
    assert_eq!(names(&folder), [] as [&str; 0], "and no file is made of it");
}

#[test]
fn a_password_among_the_arguments_is_pointed_out() {
    let folder = Folder::new();
    let storage = "postgres://me:hunter2@127.0.0.1:1/x?patience=0";
    let said = stderr(
        &folder
            .neuralbo(&["studies", "--storage", storage])
            .output()
            .unwrap(),
    );
    assert!(
        said.contains("PGPASSWORD") && !said.contains("hunter2"),
        "{said}"
    );
    let said = stderr(&neuralbo(&folder, storage, &["studies"]).output().unwrap());
    assert!(!said.contains("PGPASSWORD"), "{said}");
}

#[test]
fn a_password_in_the_wrong_place_is_not_shown() {
    let folder = Folder::new();
    let url = "postgres://me:hunter2@127.0.0.1:1/x?patience=0";
    let study = format!("{url}:study");
    folder.write("unclosed.toml", &format!("storage = \"{url}\n"));
    folder.write("trailing.toml", &format!("storage = \"{url}\" x\n"));
    folder.write("list.toml", &format!("storage = [\"{url}\"]\n"));
    folder.write("key.toml", &format!("\"{url}\" = 1\n"));
    let known = [
        "run",
        "--known",
        url,
        "--param",
        "x=float(0,1)",
        "--",
        "true",
    ];
    for command in [
        &["init", "--from", &study] as &[&str],
        &["init", "--from", url],
        &["init", "--from", "postgres://me:hunter2"],
        &["run", "unclosed.toml"],
        &["run", "trailing.toml"],
        &["run", "list.toml"],
        &["run", "key.toml"],
        &["run", url],
        &["import", url],
        &["restore", url],
        &["backup", url],
        &["studies", url],
        &["best", "s", "--storge", url],
        &known,
    ] {
        let output = folder.neuralbo(command).output().unwrap();
        let said = everything_said(&output);
        assert!(
            !output.status.success() && !said.is_empty() && !said.contains("hunter2"),
            "{command:?}: {said}"
        );
    }
}

#[test]
fn files_made_from_a_study_hold_no_password() {
    let (Some(server), Ok(password)) = (postgres(), std::env::var("NEURALBO_TEST_PASSWORD")) else {
        return;
    };
    let folder = Folder::new();
    let name = fresh("files");
    let storage = server.replace("neuralbo@", &format!("secretive:{password}@"));
    let run = [
        "run",
        "--study",
        &name,
        "--param",
        "x=float(0,1)",
        "--trials",
        "1",
    ];
    let from = format!("{storage}:{name}");
    let commands: [&[&str]; 4] = [
        &[&run as &[&str], &["--", "echo", "1"]].concat(),
        &["init", "made.toml", "--from", &from],
        &["export", &name, "-o", "made.jsonl"],
        &["backup", "all.jsonl"],
    ];
    for command in commands {
        let output = neuralbo(&folder, &storage, command).output().unwrap();
        assert!(output.status.success(), "{command:?}: {}", stderr(&output));
    }
    for file in ["made.toml", "made.jsonl", "all.jsonl"] {
        let text = folder.read(file);
        assert!(text.contains(&name) && !text.contains("battery"), "{text}");
    }
}

#[test]
fn programs_do_not_get_the_way_to_the_storage() {
    let folder = Folder::new();
    let run = [
        "run",
        "--study",
        "s",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
        "--trials",
    ];
    let environment = |options: &[&str]| {
        let mut command = neuralbo(&folder, "studies.db", &run);
        command
            .args(options)
            .args(["--", "sh", "-c", SHOW_ENVIRONMENTS]);
        command
            .env("PGPASSWORD", PASSWORD)
            .env("PGPASSFILE", "secret-file")
            .env("PGUSER", "me")
            .env("MINE", "kept");
        assert!(command.output().unwrap().status.success());
        folder.read("seen")
    };
    let scrubbed = environment(&["1"]);
    assert!(
        ["hunter2", "secret-file", "NEURALBO_STORAGE"]
            .iter()
            .all(|secret| !scrubbed.contains(secret)),
        "{scrubbed}"
    );
    assert!(
        [
            "MINE=kept",
            "PGUSER=me",
            "NEURALBO_TRIAL=0",
            "NEURALBO_PARAM_x="
        ]
        .iter()
        .all(|own| scrubbed.contains(own))
    );
    let kept = environment(&["2", "--keep-env"]);
    assert!(
        ["hunter2", "secret-file", "NEURALBO_STORAGE=studies.db"]
            .iter()
            .all(|secret| kept.contains(secret)),
        "{kept}"
    );
}
