//! Input from outside at both sides of its limits, unreadable records, and hostile files: what is accepted can be read by every
//! command, anything else costs an error that names the limit.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::folder::{Folder, json as output_json, stderr};

fn run(folder: &Folder, arguments: &[&str]) -> Output {
    folder.neuralbo(arguments).output().unwrap()
}

fn succeeds(folder: &Folder, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The error of a command that must not succeed.
fn refused(folder: &Folder, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let code = output.status.code();
    assert!(matches!(code, Some(1..=3)), "{arguments:?}: {output:?}");
    stderr(&output)
}

/// Changes a database by SQL, as somebody else could.
fn change(folder: &Folder, file: &str, sql: &str) {
    let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit()";
    let mut python = Command::new("python3");
    python.args(["-c", script]).arg(folder.path(file)).arg(sql);
    assert!(python.status().unwrap().success(), "{sql}");
}

fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

/// A study `s` of six trials, to whose choices deep values belong; the first four have results.
fn made(levels: usize) -> Folder {
    let folder = Folder::new();
    succeeds(
        &folder,
        &creation(&nested(levels)).each_ref().map(String::as_str),
    );
    for number in ["0", "1", "2", "3"] {
        succeeds(&folder, &["ask", "s"]);
        succeeds(&folder, &["tell", "s", number, "--value", number]);
    }
    folder
}

fn creation(choice: &str) -> [String; 11] {
    let parameter = format!("c=choice({choice},1,2,3)");
    let command = "run --study s --method random --trials 6 --param x=float(0,1) --param";
    let mut words = command.split(' ').chain([parameter.as_str()]);
    std::array::from_fn(|_| words.next().unwrap_or_default().to_owned())
}

#[test]
fn what_is_accepted_can_be_read_by_every_command() {
    let folder = made(64);
    for (trial, value) in [
        ("4", nested(64)),
        ("5", format!("\"{}\"", "x".repeat(1 << 16))),
    ] {
        succeeds(&folder, &["ask", "s"]);
        let attribute = format!("tree={value}");
        succeeds(
            &folder,
            &[
                "tell",
                "s",
                trial,
                "--value",
                "1",
                "--attribute",
                &attribute,
            ],
        );
    }
    for command in [
        &["trials", "s"] as &[&str],
        &["trials", "s", "--json"],
        &["best", "s"],
        &["replay", "s"],
        &["check"],
        &["studies"],
        &["report", "s", "--output", "s.html"],
        &["export", "s", "--output", "s.jsonl"],
        &["import", "s.jsonl", "--storage", "imported.db"],
        &["backup", "all.jsonl"],
        &["backup", "all.db"],
        &["restore", "all.jsonl", "--storage", "from-lines.db"],
        &["restore", "all.db", "--storage", "from-file.db"],
    ] {
        succeeds(&folder, command);
    }
    let exported = folder.read("s.jsonl");
    let again = ["imported.db", "from-lines.db", "from-file.db"]
        .map(|storage| succeeds(&folder, &["export", "s", "--storage", storage]));
    let trials = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    for copy in again {
        assert_eq!(trials(&copy), trials(&exported));
    }
    assert!(exported.contains(&format!("\"tree\":{}", nested(64))));
}

#[test]
fn what_is_beyond_a_limit_is_refused_by_name() {
    let folder = made(1);
    let deep = creation(&nested(65));
    let error = refused(&folder, &deep.each_ref().map(String::as_str));
    assert!(error.contains("64 levels"), "{error}");
    succeeds(&folder, &["ask", "s"]);
    for levels in [65, 120, 200] {
        let attribute = format!("tree={}", nested(levels));
        let told = ["tell", "s", "4", "--value", "1", "--attribute", &attribute];
        assert!(refused(&folder, &told).contains("64 levels"));
    }
    let key = format!("{}=1", "k".repeat(201));
    let told = ["tell", "s", "4", "--value", "1", "--attribute", &key];
    assert!(refused(&folder, &told).contains("200 characters"));
    let trial = &output_json(&run(&folder, &["trials", "s", "--json"]))[4];
    assert_eq!(
        trial["state"],
        json!("running"),
        "nothing was stored: {trial}"
    );
}

#[test]
fn an_unreadable_record_hides_no_other_and_is_mended() {
    let folder = made(1);
    let damages = [
        format!(
            "attributes = '{{\"tree\":{}}}' WHERE number = 0",
            nested(200)
        ),
        "params = '{' WHERE number = 1".to_owned(),
        "vals = 'x' WHERE number = 2".to_owned(),
    ];
    for damage in damages {
        change(
            &folder,
            "neuralbo.db",
            &format!("UPDATE neuralbo_trials SET {damage}"),
        );
    }
    let problems = run(&folder, &["check"]);
    assert_eq!(problems.status.code(), Some(3));
    let problems = String::from_utf8(problems.stdout).unwrap();
    for number in 0..3 {
        let named = format!("study `s`, trial {number}: record of a trial cannot be read");
        assert!(problems.contains(&named), "{problems}");
    }
    let states = || -> Vec<Value> {
        let listed = output_json(&run(&folder, &["trials", "s", "--json"]));
        let trials = listed.as_array().unwrap().iter();
        trials.map(|trial| trial["state"].clone()).collect()
    };
    let expected = ["complete", "failed", "failed", "complete"];
    assert_eq!(states(), expected);
    let lines = succeeds(&folder, &["export", "s"]);
    assert_eq!(lines.lines().count(), 5);
    let original = serde_json::to_string(&format!("{{\"tree\":{}}}", nested(200))).unwrap();
    assert!(
        lines.contains(&original),
        "the text of unreadable attributes is kept"
    );
    succeeds(&folder, &["backup", "all.jsonl"]);
    assert!(succeeds(&folder, &["recover"]).contains("3 records mended"));
    assert!(succeeds(&folder, &["check"]).contains("sound"));
    assert_eq!(states(), expected);
    assert_eq!(succeeds(&folder, &["export", "s"]), lines);
}

/// Imports an export with one change of its lines; returns the error.
fn import_changed(folder: &Folder, change: &dyn Fn(&mut Value)) -> String {
    let text = succeeds(folder, &["export", "s"]);
    let lines = text.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        change(&mut line);
        line.to_string()
    });
    folder.write("changed.jsonl", &lines.collect::<Vec<_>>().join("\n"));
    refused(folder, &["import", "changed.jsonl", "--study", "copy"])
}

#[test]
fn imported_studies_pass_the_checks_of_new_ones() {
    let folder = made(1);
    let in_head = |path: &'static str, value: Value| {
        move |line: &mut Value| {
            if line.get("study").is_some() {
                *line.pointer_mut(path).unwrap() = value.clone();
            }
        }
    };
    let objective = |i: usize| json!({"name": format!("o{i}"), "direction": "minimize"});
    let many = |count| Value::from((0..count).map(objective).collect::<Vec<_>>());
    let head = [
        (
            "/definitions/0/objectives",
            json!([]),
            "at least one objective",
        ),
        ("/definitions/0/objectives", many(9), "at most 4 objectives"),
        (
            "/definitions/0/objectives",
            json!([objective(1), objective(1)]),
            "more than once",
        ),
        ("/definitions/0/method", json!("magic"), "magic"),
        ("/definitions/0/options", json!(["magic=1"]), "magic"),
        (
            "/definitions/0/retries/attempts",
            json!(0),
            "1 to 1000 attempts",
        ),
        ("/limits/trials", json!(u64::MAX), "at most 1099511627775"),
    ];
    for (path, value, named) in head {
        let error = import_changed(&folder, &in_head(path, value));
        assert!(error.contains(named), "{path}: {error}");
    }
    for count in [10_u64.pow(18), 100_001] {
        let error = import_changed(&folder, &|line| {
            if line.get("study").is_none() {
                line["provenance"]["batch"] = json!({"first": 0, "count": count});
            }
        });
        assert!(
            error.contains("batch must be at most 100000 trials"),
            "{error}"
        );
    }
    let studies = output_json(&run(&folder, &["studies", "--json"]));
    assert_eq!(studies.as_array().unwrap().len(), 1, "nothing was stored");
    // The same number in a row of a database.
    let batch = "UPDATE neuralbo_trials SET batch_first = 0, batch_count = 1000000000000000000";
    change(&folder, "neuralbo.db", batch);
    assert!(refused(&folder, &["replay", "s"]).contains("batch must be at most"));
    assert_eq!(run(&folder, &["check"]).status.code(), Some(3));
}

/// The exact hypervolume of so many trials on a front of four objectives takes hours.
#[test]
fn a_large_front_is_shown_without_its_hypervolume() {
    let folder = Folder::new();
    let objectives = ["a", "b", "c", "d"].map(|name| format!("{name}:minimize"));
    let mut command = vec![
        "run",
        "--study",
        "s",
        "--method",
        "random",
        "--param",
        "x=float(0,1)",
    ];
    objectives
        .iter()
        .for_each(|o| command.extend(["--objective", o]));
    succeeds(&folder, &command);
    let mut rows = "x,a,b,c,d\n".to_owned();
    for i in 0..1500_u32 {
        // Points of a sphere, none of which dominates another.
        let angles =
            [1, 2, 3].map(|k| f64::from(i.wrapping_mul(7919 * k) % 1511) / 1511.0 * 1.5 + 0.03);
        let [(s, c), (t, d), (u, e)] = angles.map(f64::sin_cos);
        rows += &format!("0.5,{},{},{},{}\n", c, s * d, s * t * e, s * t * u);
    }
    folder.write("known.csv", &rows.replace(",-", ","));
    succeeds(&folder, &["import", "known.csv", "--study", "s"]);
    let best = succeeds(&folder, &["best", "s"]);
    assert!(
        best.contains("hypervolume not computed"),
        "{}",
        &best[best.len() - 300..]
    );
    succeeds(&folder, &["report", "s", "--output", "s.html"]);
}

const ENDLESS: &str = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)";

#[test]
fn a_storage_with_views_or_triggers_is_refused() {
    let aside = "ALTER TABLE neuralbo_definitions RENAME TO aside;";
    let columns = "SELECT 1 AS study, x AS version, 1 AS record_version, \
                   (SELECT definition FROM aside) AS definition, 1 AS created_ms FROM c";
    let hostile = [
        format!("{aside} CREATE VIEW neuralbo_definitions AS {ENDLESS} {columns};"),
        format!("{aside} CREATE VIEW Neuralbo_Definitions AS {ENDLESS} {columns};"),
        // The schema says that it is a table, its text says something else.
        format!(
            "{aside} PRAGMA writable_schema = ON; UPDATE sqlite_master SET name = 'other', tbl_name = 'other', \
             sql = 'CREATE VIEW neuralbo_definitions AS {ENDLESS} {columns}' WHERE name = 'aside';"
        ),
        format!(
            "CREATE TRIGGER t AFTER UPDATE ON neuralbo_trials BEGIN \
             INSERT INTO neuralbo_reports {ENDLESS} SELECT 1, 1, x, 'value', 1 FROM c; END;"
        ),
        format!("{aside} CREATE VIRTUAL TABLE neuralbo_definitions USING fts5(study, version);"),
    ];
    for sql in hostile {
        let folder = made(1);
        change(&folder, "neuralbo.db", &sql);
        for command in [
            &["studies"] as &[&str],
            &["best", "s"],
            &["check"],
            &["ask", "s"],
        ] {
            let error = refused(&folder, command);
            assert!(error.contains("neuralbo.db"), "{sql}: {error}");
        }
    }
}

#[test]
fn an_optuna_storage_with_views_is_refused() {
    let folder = Folder::new();
    let view = format!(
        "CREATE TABLE version_info (version_info_id INTEGER, schema_version INTEGER); \
         CREATE VIEW studies AS {ENDLESS} SELECT x AS study_id, 's' || x AS study_name FROM c;"
    );
    change(&folder, "optuna.db", &view);
    let error = refused(&folder, &["import", "optuna.db", "--from-study", "s"]);
    assert!(error.contains("`studies` is a view"), "{error}");
}
