//! Storages of version 0.1.0 are read as 0.1.0 read them, and go on.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use neuralbo::Registry;
use neuralbo::record::{State, Trial};
use neuralbo::store::{Store, StoreError, all_trials};
use neuralbo::study::{Asked, Study, Worker, replay};
use neuralbo_store::open;
use rusqlite::Connection;
use serde_json::{Value as Json, json};

use crate::backends::{directory, file, postgres_url};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/v1")
        .join(name)
}

fn expected(store: &str) -> Json {
    let text = std::fs::read_to_string(fixture("expected.json")).unwrap();
    serde_json::from_str::<Json>(&text).unwrap()[store].take()
}

/// The lines of an export of 0.1.0, which has every trial with everything it knew of it.
fn exported(store: &str, study: &str) -> Vec<Json> {
    let text =
        std::fs::read_to_string(fixture(&format!("v1-{store}-{study}.export.jsonl"))).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A trial as 0.1.0 exported it.
fn as_before(trial: &Trial, reports: Json) -> Json {
    let mut json = serde_json::to_value(trial).unwrap();
    let fields = json.as_object_mut().unwrap();
    let provenance = fields.remove("provenance").unwrap();
    fields.insert("proposal".to_owned(), provenance);
    for new in ["version", "started_ms", "values", "step", "attributes"] {
        fields.remove(new);
    }
    if let Some(value) = trial.value("value") {
        fields.insert("value".to_owned(), json!(value));
    }
    if reports != json!([]) {
        fields.insert("reports".to_owned(), reports);
    }
    json
}

/// The options of a study.
fn options_meant(definition: &Json) -> Vec<String> {
    serde_json::from_value(definition["options"].clone()).unwrap()
}

fn check_study(store: &Arc<dyn Store>, kind: &str, name: &str) {
    let record = store.study(name).unwrap();
    let lines = exported(kind, name);
    let head = &lines[0];
    assert_eq!(
        (record.version, json!(record.created_ms)),
        (1, head["created_ms"].clone())
    );
    assert_eq!(json!(record.limits), head["limits"]);
    let definition = serde_json::to_value(&record.definition).unwrap();
    for same in ["space", "method", "seed", "retries"] {
        assert_eq!(definition[same], head["definition"][same], "{name}: {same}");
    }
    assert_eq!(
        definition["options"],
        json!(options_meant(&head["definition"])),
        "{name}"
    );
    assert_eq!(
        definition["objectives"],
        json!([{ "name": "value", "direction": head["definition"]["direction"] }])
    );
    let trials = all_trials(store.as_ref(), record.id).unwrap();
    assert_eq!(trials.len(), lines.len() - 1, "{name}");
    for (trial, line) in trials.iter().zip(&lines[1..]) {
        let reports = store.reports(record.id, trial.number).unwrap();
        let last = reports.iter().map(|report| report.step).max();
        assert_eq!(
            as_before(trial, json!(reports)),
            *line,
            "{name}, trial {}",
            trial.number
        );
        assert!(
            !matches!(trial.state, State::Pruned { step } if step != last),
            "{trial:?}"
        );
    }
}

fn check_storage(store: &Arc<dyn Store>, kind: &str) {
    let expected = expected(kind);
    let studies = expected["studies"].as_array().unwrap();
    assert_eq!(store.studies().unwrap().len(), studies.len());
    for study in studies {
        let name = study["study"].as_str().unwrap();
        check_study(store, kind, name);
        let record = store.study(name).unwrap();
        assert_eq!(
            json!(store.counts(record.id).unwrap()),
            study["counts"],
            "{name}"
        );
        let best = store.best(record.id).unwrap();
        let best = best.map(|best| json!({ "trial": best.number, "value": best.value("value"), "params": best.params }));
        assert_eq!(best.unwrap_or(Json::Null), study["best"], "{name}");
        check_replay(store, name, &expected[name]["replay"]);
    }
}

/// Suggestions of models depend on the processor; those without one must come out as they did.
fn check_replay(store: &Arc<dyn Store>, name: &str, before: &Json) {
    let record = store.study(name).unwrap();
    if !["random", "sobol"].contains(&record.definition.method.as_str()) || name == "swapped" {
        return;
    }
    let again = replay(store.as_ref(), &record, &Registry::standard()).unwrap();
    assert_eq!(
        json!(again.derived),
        before["stdout"]["derived"],
        "{name}: {before}"
    );
    assert_eq!(
        (again.mismatch, &before["exit"]),
        (None, &json!(0)),
        "{name}"
    );
}

/// The study goes on where it was: a trial that waits is taken first, then new numbers.
fn check_going_on(store: &Arc<dyn Store>) {
    let record = store.study("running").unwrap();
    let mut study = Study::open(Arc::clone(store), record.clone(), Registry::standard()).unwrap();
    let worker = Worker {
        name: "tester".to_owned(),
        lease: Duration::from_secs(600),
    };
    let before = store.counts(record.id).unwrap();
    let Asked::Trials(asked) = study.ask(&worker, 2).unwrap() else {
        panic!("nothing to do")
    };
    assert_eq!(
        (asked[0].number, asked[0].attempt, asked[1].number),
        (5, 2, 6),
        "{asked:?}"
    );
    asked
        .iter()
        .for_each(|trial| _ = study.tell(trial, -1.0).unwrap());
    let after = store.counts(record.id).unwrap();
    assert_eq!(
        (after.complete, after.running),
        (before.complete + 2, before.running - 1)
    );
    assert_eq!(study.best().unwrap().unwrap().number, 5);
}

#[test]
fn a_sqlite_file_of_the_first_version_is_migrated() {
    let dir = directory();
    std::fs::copy(fixture("v1.db"), dir.path().join("v1.db")).unwrap();
    check_storage(&file(&dir, "v1.db"), "sqlite");
    check_storage(&file(&dir, "v1.db"), "sqlite");
    check_going_on(&file(&dir, "v1.db"));
}

#[test]
fn a_sqlite_file_of_python_is_migrated() {
    let dir = directory();
    std::fs::copy(fixture("v1-python.db"), dir.path().join("v1.db")).unwrap();
    check_study(&file(&dir, "v1.db"), "python", "learned");
}

#[test]
fn many_openers_at_once_migrate_once() {
    let dir = directory();
    std::fs::copy(fixture("v1.db"), dir.path().join("v1.db")).unwrap();
    std::thread::scope(|scope| {
        (0..8).for_each(|_| {
            _ = scope.spawn(|| assert_eq!(file(&dir, "v1.db").studies().unwrap().len(), 8))
        })
    });
    check_storage(&file(&dir, "v1.db"), "sqlite");
}

/// Parameters were stored by position, and a study that was changed by force may have points of another length.
#[test]
fn points_that_cannot_be_named_are_kept_as_they_were() {
    let dir = directory();
    let path = dir.path().join("v1.db");
    std::fs::copy(fixture("v1.db"), &path).unwrap();
    let raw = Connection::open(&path).unwrap();
    let id = "(SELECT id FROM neuralbo_studies WHERE name = 'plain')";
    raw.execute(
        &format!("UPDATE neuralbo_trials SET params = '[1.5]' WHERE study = {id} AND number = 3"),
        [],
    )
    .unwrap();
    raw.execute(
        &format!(
            "UPDATE neuralbo_trials SET params = '[1,2,\"c\"]', state = 'running', seq = NULL WHERE study = {id} AND number = 24"
        ),
        [],
    )
    .unwrap();
    drop(raw);
    let store = file(&dir, "v1.db");
    let study = store.study("plain").unwrap().id;
    let line = &exported("sqlite", "plain")[4];
    let trial = store.trial(study, 3).unwrap();
    assert_eq!(
        (
            trial.params.map(|params| params.to_json()),
            trial.state.name()
        ),
        (Some("{}".to_owned()), "complete")
    );
    assert_eq!(
        (json!(trial.values["value"]), &trial.attributes["v1_params"]),
        (line["value"].clone(), &json!([1.5]))
    );
    let running = store.trial(study, 24).unwrap();
    assert_eq!(
        (running.params, running.provenance),
        (None, None),
        "its point is chosen anew"
    );
    assert_eq!(running.attributes["v1_params"], json!([1, 2, "c"]));
}

#[test]
fn a_migration_that_fails_changes_nothing() {
    let dir = directory();
    let path = dir.path().join("v1.db");
    std::fs::copy(fixture("v1.db"), &path).unwrap();
    let raw = Connection::open(&path).unwrap();
    raw.execute(
        "UPDATE neuralbo_studies SET record_version = 7 WHERE name = 'pruned'",
        [],
    )
    .unwrap();
    let error = open(&path.display().to_string()).err().unwrap();
    assert!(
        matches!(&error, StoreError::NewerRecord { study, found: 7, .. } if study == "pruned"),
        "{error}"
    );
    let version: i64 = raw
        .query_row("SELECT MAX(version) FROM neuralbo_schema", [], |row| {
            row.get(0)
        })
        .unwrap();
    let old: i64 = raw
        .query_row(
            "SELECT COUNT(*) FROM neuralbo_studies WHERE space <> ''",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!((version, old), (1, 8));
    raw.execute("UPDATE neuralbo_studies SET record_version = 1", [])
        .unwrap();
    check_storage(&file(&dir, "v1.db"), "sqlite");
}

#[test]
fn newer_storages_and_records_are_refused() {
    let dir = directory();
    let path = dir.path().join("v1.db");
    std::fs::copy(fixture("v1.db"), &path).unwrap();
    let store = file(&dir, "v1.db");
    let raw = Connection::open(&path).unwrap();
    raw.execute("UPDATE neuralbo_definitions SET record_version = 9", [])
        .unwrap();
    assert!(matches!(
        store.study("plain"),
        Err(StoreError::NewerRecord {
            found: 9,
            supported: 2,
            ..
        })
    ));
    raw.execute("INSERT INTO neuralbo_schema VALUES (99)", [])
        .unwrap();
    let error = open(&path.display().to_string()).err().unwrap();
    assert!(
        matches!(
            error,
            StoreError::Newer {
                found: 99,
                supported: 3,
                ..
            }
        ),
        "{error}"
    );
}

/// The second version had no trials that resume others.
#[test]
fn a_storage_of_the_second_version_keeps_its_trials_and_can_resume_them() {
    let dir = directory();
    let path = dir.path().join("v2.db");
    std::fs::copy(fixture("v1.db"), &path).unwrap();
    drop(file(&dir, "v2.db"));
    let raw = Connection::open(&path).unwrap();
    raw.execute_batch(
        "DROP INDEX neuralbo_trials_resumed; ALTER TABLE neuralbo_trials DROP COLUMN resumes; \
         DELETE FROM neuralbo_schema WHERE version > 2",
    )
    .unwrap();
    drop(raw);
    let store = file(&dir, "v2.db");
    check_storage(&store, "sqlite");
    let record = store.study("pruned").unwrap();
    let trials = all_trials(store.as_ref(), record.id).unwrap();
    assert!(trials.iter().all(|trial| {
        trial
            .provenance
            .as_ref()
            .is_none_or(|provenance| provenance.resumes.is_none())
    }));
    let provenance = neuralbo::record::Provenance {
        origin: "resumed".to_owned(),
        resumes: Some(5),
        ..Default::default()
    };
    let resuming = Trial {
        provenance: Some(provenance),
        ..Trial::known(trials[5].params.clone().unwrap(), State::Running, [].into())
    };
    let number = store.add(record.id, &[resuming.into()]).unwrap()[0];
    let stored = file(&dir, "v2.db").trial(record.id, number).unwrap();
    assert_eq!(
        stored.provenance.and_then(|provenance| provenance.resumes),
        Some(5)
    );
}

#[test]
fn a_postgres_schema_of_the_first_version_is_migrated() {
    let Some(url) = postgres_url() else { return };
    let database = format!("migration_{}", std::process::id());
    let psql = |database_url: &str, arguments: &[&str]| {
        let status = Command::new("psql")
            .args(["-q", "-v", "ON_ERROR_STOP=1", "-d", database_url])
            .args(arguments)
            .output();
        let output = status.unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    psql(&url, &["-c", &format!("CREATE DATABASE {database}")]);
    let (server, _) = url.rsplit_once('/').unwrap();
    let own = format!("{server}/{database}");
    psql(&own, &["-f", &fixture("v1.sql").display().to_string()]);
    std::thread::scope(|scope| {
        (0..4).for_each(|_| {
            _ = scope.spawn(|| assert_eq!(open(&own).unwrap().studies().unwrap().len(), 8))
        })
    });
    check_storage(&open(&own).unwrap(), "postgres");
    check_going_on(&open(&own).unwrap());
}
