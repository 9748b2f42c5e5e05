//! Studies of an Optuna storage.

use std::path::{Path, PathBuf};

use neuralbo::record::State;
use neuralbo::space::{Domain, Value};
use neuralbo_store::{open, read_optuna};
use rusqlite::Connection;

use crate::backends::directory;

fn fixture() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/optuna.db")
}

#[test]
fn studies_of_the_fixture_are_stored() {
    let connection = Connection::open(fixture()).unwrap();
    let mut studies = connection
        .prepare("SELECT study_name FROM studies")
        .unwrap();
    let names: Vec<String> = studies
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(!names.is_empty());
    let store = open("memory://").unwrap();
    for name in &names {
        let Ok(imported) = read_optuna(&fixture(), Some(name)) else {
            continue;
        };
        let record = imported.store(store.as_ref(), name).unwrap();
        let counts = store.counts(record.id).unwrap();
        assert_eq!(counts.finished(), counts.known);
        println!(
            "{name}: {counts:?}, left out {}, {:?}",
            imported.left_out, imported.definitions[0].space
        );
    }
}

/// An Optuna storage with these rows.
fn storage(path: &Path, rows: &str) {
    let db = Connection::open(path).unwrap();
    db.execute_batch(
        "CREATE TABLE studies (study_id INTEGER, study_name TEXT);
        CREATE TABLE study_directions (study_id INTEGER, direction TEXT, objective INTEGER);
        CREATE TABLE trials (trial_id INTEGER, number INTEGER, study_id INTEGER, state TEXT, datetime_complete TEXT);
        CREATE TABLE trial_values (trial_id INTEGER, objective INTEGER, value REAL);
        CREATE TABLE trial_params (param_id INTEGER, trial_id INTEGER, param_name TEXT, param_value REAL, distribution_json TEXT);
        CREATE TABLE trial_intermediate_values (trial_id INTEGER, step INTEGER, intermediate_value REAL);",
    )
    .unwrap();
    db.execute_batch(rows).unwrap();
}

/// Steps, nulls, ranges that changed and parameters that not every trial has.
#[test]
fn steps_nulls_and_conditional_trials_are_kept() {
    let dir = directory();
    let path = dir.path().join("optuna.db");
    storage(
        &path,
        r#"INSERT INTO studies VALUES (1, 'tree');
        INSERT INTO study_directions VALUES (1, 'MAXIMIZE', 0);
        INSERT INTO trials VALUES (1, 0, 1, 'COMPLETE', '1'), (2, 1, 1, 'PRUNED', '2'), (3, 2, 1, 'RUNNING', NULL), (4, 3, 1, 'FAIL', '3');
        INSERT INTO trial_values VALUES (1, 0, 0.5), (2, 0, 0.25);
        INSERT INTO trial_intermediate_values VALUES (2, 4, 0.25);
        INSERT INTO trial_params VALUES
            (1, 1, 'lr', 0.3, '{"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.1, "high": 0.5, "log": false}}'),
            (2, 1, 'k', 5, '{"name": "IntDistribution", "attributes": {"log": false, "step": 2, "low": 1, "high": 9}}'),
            (3, 1, 'p', 1, '{"name": "CategoricalDistribution", "attributes": {"choices": ["x", null]}}'),
            (4, 2, 'k', 11, '{"name": "IntDistribution", "attributes": {"log": false, "step": 2, "low": 1, "high": 13}}'),
            (5, 4, 'lr', 0.5, '{"name": "FloatDistribution", "attributes": {"step": 0.1, "low": 0.1, "high": 0.5, "log": false}}');"#,
    );
    let imported = read_optuna(&path, None).unwrap();
    assert_eq!((imported.left_out, imported.trials.len()), (1, 3));
    let space = &imported.definitions[0].space;
    assert_eq!(
        space.parameter("lr").unwrap().domain(),
        &Domain::Float {
            low: 0.1,
            high: 0.5,
            log: false,
            step: Some(0.1)
        }
    );
    assert_eq!(
        space.parameter("k").unwrap().domain(),
        &Domain::Int {
            low: 1,
            high: 13,
            log: false,
            step: Some(2)
        }
    );
    let store = open("memory://").unwrap();
    let id = imported.store(store.as_ref(), "tree").unwrap().id;
    let trials = store.trials(id, 0, 9).unwrap();
    let first = trials[0].params.as_ref().unwrap();
    assert_eq!(
        (first.float("lr"), first.int("k"), first.get("p")),
        (Some(0.3), Some(5), Some(&Value::Null))
    );
    assert_eq!(
        (
            trials[1].params.as_ref().unwrap().to_json(),
            &trials[1].state
        ),
        ("{\"k\":11}".to_owned(), &State::Pruned { step: Some(4) })
    );
    assert_eq!(store.best(id).unwrap().unwrap().number, 0);
}

/// As Optuna stores a study with directions, metric names and a `constraints_func`.
#[test]
fn several_objectives_and_constraints_are_brought_over() {
    let dir = directory();
    let path = dir.path().join("optuna.db");
    storage(
        &path,
        r#"CREATE TABLE study_system_attributes (study_id INTEGER, key TEXT, value_json TEXT);
        CREATE TABLE trial_system_attributes (trial_id INTEGER, key TEXT, value_json TEXT);
        INSERT INTO studies VALUES (1, 'two'), (2, 'unnamed');
        INSERT INTO study_directions VALUES (1, 'MAXIMIZE', 1), (1, 'MINIMIZE', 0), (2, 'MINIMIZE', 0), (2, 'MINIMIZE', 1);
        INSERT INTO study_system_attributes VALUES (1, 'study:metric_names', '["loss", "accuracy"]');
        INSERT INTO trials VALUES (1, 0, 1, 'COMPLETE', '1'), (2, 1, 1, 'COMPLETE', '2'), (3, 2, 1, 'COMPLETE', '3'), (4, 3, 1, 'FAIL', '4'), (5, 0, 2, 'FAIL', '5');
        INSERT INTO trial_values VALUES (1, 0, 0.5), (1, 1, 0.9), (2, 1, 0.8), (2, 0, 0.4), (3, 0, 0.3);
        INSERT INTO trial_system_attributes VALUES (1, 'constraints', '[-1.0, 0.25]'), (2, 'constraints', '[-2.0, 0.0]'),
            (2, 'constraints:memory', '-3'), (1, 'fixed_params', '{}');
        INSERT INTO trial_params VALUES
            (1, 1, 'x', 0.3, '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}'),
            (2, 2, 'x', 0.5, '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}'),
            (3, 3, 'x', 0.7, '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}'),
            (4, 4, 'x', 0.9, '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}'),
            (5, 5, 'x', 0.9, '{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');"#,
    );
    let imported = read_optuna(&path, Some("two")).unwrap();
    let definition = &imported.definitions[0];
    let texts: Vec<String> = definition
        .objectives
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(texts, ["loss:minimize", "accuracy:maximize"]);
    let limits: Vec<String> = definition
        .constraints
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        limits,
        ["constraint_0 <= 0", "constraint_1 <= 0", "memory <= 0"]
    );
    let store = open("memory://").unwrap();
    let record = imported.store(store.as_ref(), "two").unwrap();
    let trials = store.trials(record.id, 0, 9).unwrap();
    let feasible: Vec<bool> = trials
        .iter()
        .map(|trial| record.definition.is_feasible(&trial.values))
        .collect();
    assert_eq!(feasible, [false, true, false, false]);
    assert_eq!(
        (trials[1].value("loss"), trials[1].value("accuracy")),
        (Some(0.4), Some(0.8))
    );
    assert!(trials[2].failure().unwrap().message.contains("accuracy"));
    let unnamed = read_optuna(&path, Some("unnamed")).unwrap();
    assert_eq!(unnamed.definitions[0].measured(), ["value_0", "value_1"]);
}

/// As Optuna stores `model = suggest_categorical(…)`, then `C` of a million steps for an SVM and `depth` for a forest.
#[test]
fn a_conditional_study_keeps_all_trials_and_its_conditions() {
    let dir = directory();
    let path = dir.path().join("optuna.db");
    let model = r#"{"name": "CategoricalDistribution", "attributes": {"choices": ["svm", "rf"]}}"#;
    let c = r#"{"name": "FloatDistribution", "attributes": {"step": 1e-6, "low": 0.0, "high": 1.0, "log": false}}"#;
    let depth = r#"{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}"#;
    let mut rows = "INSERT INTO studies VALUES (1, 'models'); INSERT INTO study_directions VALUES (1, 'MINIMIZE', 0);".to_owned();
    for i in 0..20 {
        let (trial, is_rf) = (i + 1, i % 2);
        let (name, value, distribution) = if is_rf == 1 {
            ("depth", 3.0, depth)
        } else {
            ("C", 0.123456, c)
        };
        rows += &format!(
            "INSERT INTO trials VALUES ({trial}, {i}, 1, 'COMPLETE', '{trial:03}'); INSERT INTO trial_values VALUES ({trial}, 0, {i});
             INSERT INTO trial_params VALUES ({}, {trial}, 'model', {is_rf}, '{model}');
             INSERT INTO trial_params VALUES ({}, {trial}, '{name}', {value}, '{distribution}');",
            2 * trial,
            2 * trial + 1
        );
    }
    // Failed before it came to its depth.
    rows += &format!(
        "INSERT INTO trials VALUES (21, 20, 1, 'FAIL', '021'); INSERT INTO trial_params VALUES (99, 21, 'model', 1, '{model}');"
    );
    storage(&path, &rows);
    let imported = read_optuna(&path, None).unwrap();
    assert_eq!((imported.left_out, imported.trials.len()), (0, 21));
    let texts: Vec<String> = imported.definitions[0]
        .space
        .parameters()
        .iter()
        .map(ToString::to_string)
        .collect();
    let (c, depth) = (
        "C=float(0.0,1.0,step=1e-6) if model == \"svm\"",
        "depth=int(1,9) if model == \"rf\"",
    );
    assert_eq!(texts, ["model=choice(svm,rf)", c, depth]);
    let params = |i: usize| imported.trials[i].trial.params.as_ref().unwrap().to_json();
    assert_eq!(params(0), r#"{"C":0.123456,"model":"svm"}"#);
    assert_eq!(params(1), r#"{"depth":3,"model":"rf"}"#);
    assert_eq!(params(20), r#"{"model":"rf"}"#);
    let store = open("memory://").unwrap();
    let id = imported.store(store.as_ref(), "models").unwrap().id;
    assert_eq!(store.trials(id, 0, 99).unwrap().len(), 21);
}

/// A parameter with a million steps was a choice of a million values: 24 GB, and the end of the process.
#[test]
fn a_million_steps_are_no_million_choices() {
    let dir = directory();
    let path = dir.path().join("optuna.db");
    std::fs::copy(fixture(), &path).unwrap();
    let fine = r#"{"name": "FloatDistribution", "attributes": {"step": 1e-6, "low": 0.0, "high": 1.0, "log": false}}"#;
    let raw = Connection::open(&path).unwrap();
    raw.execute(
        "UPDATE trial_params SET distribution_json = ?1 WHERE param_name = 'q'",
        [fine],
    )
    .unwrap();
    drop(raw);
    let imported = read_optuna(&path, Some("small")).unwrap();
    let definition = imported.definitions.last().unwrap();
    let domain = definition.space.parameter("q").unwrap().domain();
    assert!(
        matches!(domain, Domain::Float { step: Some(step), .. } if *step == 1e-6),
        "{domain:?}"
    );
    let store = open("memory://").unwrap();
    let record = imported.store(store.as_ref(), "s").unwrap();
    let mut study =
        neuralbo::study::Study::open(store, record, neuralbo::Registry::standard()).unwrap();
    let point = study.ask_one().unwrap().params.unwrap();
    assert!(point.float("q").is_some_and(|q| (0.0..=1.0).contains(&q)));
}
