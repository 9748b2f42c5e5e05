//! Whole runs in a file: every key, every template, and what is refused.

use serde_json::Value;

use crate::folder::{Folder, json, stderr};

/// The rows of a trace that say which points were run and what came out.
fn points(folder: &Folder, name: &str) -> Vec<String> {
    let text = folder.read(name);
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<String> = rows.headers().unwrap().iter().map(str::to_owned).collect();
    let kept: Vec<usize> = (0..header.len())
        .filter(|&i| ["trial", "value", "x", "y"].contains(&header[i].as_str()))
        .collect();
    rows.records()
        .map(|row| {
            kept.iter()
                .map(|&i| row.as_ref().unwrap()[i].to_owned())
                .collect::<Vec<_>>()
                .join(",")
        })
        .collect()
}

#[test]
fn every_template_runs_as_it_is() {
    for (template, value) in [("shell", 0.5), ("python", 0.5), ("function", 1.0)] {
        let folder = Folder::new();
        let init = folder
            .neuralbo(&["init", "e.toml", "--template", template])
            .output()
            .unwrap();
        assert!(init.status.success(), "{init:?}");
        let output = folder
            .neuralbo(&["run", "e.toml", "--trials", "20", "--json"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{template}: {output:?}");
        let found = json(&output);
        assert_eq!(
            (&found["trials"], &found["failed"], &found["seed"]),
            (&20.into(), &0.into(), &1.into())
        );
        assert!(
            found["best"]["value"].as_f64().unwrap() < value,
            "{template}: {found}"
        );
        let again = folder.neuralbo(&["init", "e.toml"]).output().unwrap();
        assert_eq!(again.status.code(), Some(2));
        assert!(
            stderr(&again).contains("not overwritten"),
            "{}",
            stderr(&again)
        );
    }
}

#[test]
fn a_file_is_the_same_run_as_its_options() {
    let folder = Folder::new();
    folder.write("known.csv", "x,y,value\n0.5,1,3\n0.25,2,4\n");
    folder.write("f.sh", "echo \"$1 $2\" | awk '{ print $1 + $2 }'\n");
    folder.write(
        "e.toml",
        r#"
command = ["sh", "f.sh", "{x}", "{y}"]
direction = "maximize"
constraint = ["x + y < 4"]
method = "gp-ei"
option = { candidates = 64 }
seed = 7
trials = 8
target = 100
patience = 50
timeout = "1h"
workers = 1
trial-timeout = "20s"
grace = "1s"
attempts = 2
retry = ["exit", "signal"]
threads = 1
known = "known.csv"
trace = "by-file.csv"
study = "s"
storage = "by-file.db"
lease = "30s"
keep-env = true
quiet = true
json = true

[space]
x = "float(0,1)"
y = { type = "int", low = 1, high = 5 }
"#,
    );
    let by_file = folder.neuralbo(&["run", "e.toml"]).output().unwrap();
    assert!(by_file.status.success(), "{by_file:?}");
    let options = "run --param x=float(0,1) --param y=int(1,5) --direction maximize --method gp-ei --option candidates=64 --seed 7 \
        --trials 8 --target 100 --patience 50 --timeout 1h --workers 1 --trial-timeout 20s --grace 1s --attempts 2 --retry exit,signal --threads 1 \
        --known known.csv --trace by-options.csv --study s --storage by-options.db --lease 30s --keep-env --quiet --json --constraint";
    let arguments: Vec<&str> = options
        .split_whitespace()
        .chain(["x + y < 4", "--", "sh", "f.sh", "{x}", "{y}"])
        .collect();
    let by_options = folder.neuralbo(&arguments).output().unwrap();
    assert!(by_options.status.success(), "{by_options:?}");
    let without_time = |output| {
        let mut found = json(output);
        found["elapsed_s"] = Value::Null;
        found
    };
    assert_eq!(without_time(&by_file), without_time(&by_options));
    assert_eq!(
        points(&folder, "by-file.csv"),
        points(&folder, "by-options.csv")
    );
    let definition = |storage: &str| {
        let output = folder
            .neuralbo(&["export", "s", "--storage", storage])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut head: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        head.as_object_mut()
            .unwrap()
            .retain(|key, _| !key.contains("ms"));
        head
    };
    assert_eq!(definition("by-file.db"), definition("by-options.db"));
}

#[test]
fn every_option_of_run_is_a_key() {
    let folder = Folder::new();
    let help = folder.neuralbo(&["run", "--help"]).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let options: Vec<&str> = help
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("--"))
        .filter(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        .collect();
    assert!(
        options.len() > 20 && options.contains(&"trials"),
        "{options:?}"
    );
    for option in options
        .into_iter()
        .filter(|option| !["help", "version", "color", "lr", "layers"].contains(option))
    {
        folder.write("e.toml", &format!("{option} = 1979-05-27\n"));
        let output = folder.neuralbo(&["run", "e.toml"]).output().unwrap();
        let text = stderr(&output);
        assert!(
            text.contains(&format!("key `{option}`: datetime")),
            "{option}: {text}"
        );
    }
}

#[test]
fn options_win_over_the_file() {
    let folder = Folder::new();
    folder.write(
        "e.toml",
        "command = [\"echo\", \"{x}\"]\nmethod = \"random\"\ntrials = 3\nseed = 1\njson = true\n[space]\nx = \"float(0,1)\"\n",
    );
    let run = |arguments: &[&str]| {
        json(
            &folder
                .neuralbo(&["run", "e.toml"])
                .args(arguments)
                .output()
                .unwrap(),
        )
    };
    assert_eq!(
        (&run(&[])["trials"], &run(&["--trials", "5"])["trials"]),
        (&3.into(), &5.into())
    );
    assert_eq!(run(&["--", "echo", "7"])["best"]["value"], 7.0);
    assert!(
        run(&["--param", "x=float(10,11)"])["best"]["value"]
            .as_f64()
            .unwrap()
            >= 10.0
    );
    assert_eq!(run(&["--function", "branin"])["study"], "branin");
}

#[test]
fn paths_and_programs_start_from_the_folder_of_the_file() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("inner")).unwrap();
    folder.write("inner/program.sh", "pwd >&2; echo 1\n");
    let text = "command = [\"sh\", \"program.sh\"]\nmethod = \"random\"\ntrials = 1\ntrace = \"trace.csv\"\nstudy = \"s\"\nstorage = \"s.db\"\n[space]\nx = \"float(0,1)\"\n";
    folder.write("inner/e.toml", text);
    let output = folder
        .neuralbo(&["run", "inner/e.toml", "--json"])
        .output()
        .unwrap();
    assert!(
        output.status.success() && json(&output)["best"]["value"] == 1.0,
        "{output:?}"
    );
    assert!(folder.path("inner/trace.csv").exists() && folder.path("inner/s.db").exists());
    let here = folder
        .neuralbo(&["run", "inner/e.toml", "--storage", "here.db"])
        .output()
        .unwrap();
    assert!(
        here.status.success() && folder.path("here.db").exists(),
        "{here:?}"
    );
    let elsewhere = folder
        .neuralbo(&["run", "inner/e.toml", "--cwd", "."])
        .output()
        .unwrap();
    assert_ne!(elsewhere.status.code(), None);
    assert!(
        folder
            .neuralbo(&["run", "inner/e.toml", "--cwd", "none"])
            .output()
            .unwrap()
            .status
            .code()
            == Some(2)
    );
}

#[test]
fn what_is_wrong_in_a_file_is_named_and_nothing_runs() {
    let folder = Folder::new();
    let space = "[space]\nx = \"float(0,1)\"\n";
    for (text, parts) in [
        (
            format!("trails = 3\n{space}"),
            vec!["unknown key `trails`", "did you mean `trials`"],
        ),
        (
            format!("trials = \"many\"\ncommand = [\"true\"]\n{space}"),
            vec!["--trials", "many"],
        ),
        (
            format!("trials = [1, 2]\ncommand = [\"true\"]\n{space}"),
            vec!["key `trials`", "array"],
        ),
        (
            format!("quiet = 1\n{space}"),
            vec!["key `quiet`", "true or false"],
        ),
        (
            format!("command = 3\n{space}"),
            vec!["key `command`", "a list of words"],
        ),
        (
            format!("known = \"none.csv\"\ncommand = [\"true\"]\n{space}"),
            vec!["--known", "none.csv"],
        ),
        (
            "command = [\"true\"]\n[space]\nx = \"float(1,0)\"\n".to_owned(),
            vec!["key `space`", "x"],
        ),
        (
            "command = [\"true\"]\n[space\n".to_owned(),
            vec!["e.toml", "line 2"],
        ),
        ("trials = 3\n".to_owned(), vec!["required"]),
    ] {
        folder.write("e.toml", &text);
        let output = folder.neuralbo(&["run", "e.toml"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}: {output:?}");
        for part in parts {
            assert!(
                stderr(&output).contains(part),
                "{text}: {part} is not in {}",
                stderr(&output)
            );
        }
    }
    let missing = folder.neuralbo(&["run", "none.toml"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("none.toml"), "{missing:?}");
}

#[test]
fn a_study_becomes_a_file_that_makes_it_again() {
    let folder = Folder::new();
    let made = "run --study s --method random --seed 3 --trials 4 --direction maximize --param x=float(1e-3,1,log)";
    let arguments: Vec<&str> = made
        .split(' ')
        .chain([
            "--param",
            "c=choice(a,\"b c\")",
            "--param",
            "m=int(0,5) if c == a",
            "--constraint",
            "x < 0.9 or c == a",
        ])
        .collect();
    assert!(
        folder
            .neuralbo(&arguments)
            .output()
            .unwrap()
            .status
            .success()
    );
    let init = folder
        .neuralbo(&["init", "e.toml", "--from", "neuralbo.db:s"])
        .output()
        .unwrap();
    assert!(init.status.success(), "{init:?}");
    let text = folder.read("e.toml");
    assert!(
        text.contains("direction = \"maximize\"") && text.contains("trials = 4"),
        "{text}"
    );
    let again = folder
        .neuralbo(&["run", "e.toml", "--study", "s", "--", "echo", "{x}"])
        .output()
        .unwrap();
    assert!(again.status.success(), "the same study: {again:?}");
    let unknown = folder
        .neuralbo(&["init", "f.toml", "--from", "neuralbo.db:none"])
        .output()
        .unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        stderr(&unknown).contains("none") && !folder.path("f.toml").exists(),
        "{unknown:?}"
    );
}

#[test]
fn a_study_of_optuna_becomes_a_file() {
    let folder = Folder::new();
    let fixture = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../neuralbo-store/tests/fixtures/optuna.db"
    );
    std::fs::copy(fixture, folder.path("optuna.db")).unwrap();
    let init = folder
        .neuralbo(&["init", "e.toml", "--from", "sqlite:///optuna.db:small"])
        .output()
        .unwrap();
    assert!(init.status.success(), "{init:?}");
    let run = folder
        .neuralbo(&[
            "run", "e.toml", "--trials", "2", "--json", "--", "echo", "1",
        ])
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}\n{}", folder.read("e.toml"));
}

#[test]
fn several_objectives_and_outcome_constraints_are_keys_too() {
    let folder = Folder::new();
    folder.write(
        "f.sh",
        "echo \"{\\\"a\\\": $1, \\\"b\\\": 1, \\\"m\\\": $1}\"\n",
    );
    folder.write(
        "e.toml",
        "command = [\"sh\", \"f.sh\", \"{x}\"]\nobjective = [\"a:minimize\", \"b:maximize\"]\noutcome-constraint = [\"m <= 0.5\"]\n\
        reference = { a = 1, b = 0 }\nmethod = \"random\"\nseed = 1\ntrials = 6\njson = true\n[space]\nx = \"float(0,1)\"\n",
    );
    let by_file = folder.neuralbo(&["run", "e.toml"]).output().unwrap();
    assert!(by_file.status.success(), "{by_file:?}");
    let options = "run --objective a:minimize --objective b:maximize --reference a=1,b=0 --method random --seed 1 --trials 6 --json \
        --param x=float(0,1) --outcome-constraint";
    let arguments: Vec<&str> = options
        .split_whitespace()
        .chain(["m <= 0.5", "--", "sh", "f.sh", "{x}"])
        .collect();
    let by_options = folder.neuralbo(&arguments).output().unwrap();
    let (file, options) = (json(&by_file), json(&by_options));
    assert_eq!(
        (&file["front"], &file["hypervolume"], &file["reference"]),
        (
            &options["front"],
            &options["hypervolume"],
            &options["reference"]
        )
    );
    assert_eq!(file["front"].as_array().unwrap().len(), 1, "{file}");
}
