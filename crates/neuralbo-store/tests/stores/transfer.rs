//! Studies as JSON lines.

use std::sync::Arc;

use neuralbo::Registry;
use neuralbo::record::{Definition, Direction, Limits, Outcome, Report, Values};
use neuralbo::space::Space;
use neuralbo::store::{NewStudy, Store, StoreError, StudyRecord};
use neuralbo::study::{Study, replay};
use neuralbo_store::{ImportError, export_study, open, read_export};

use crate::backends::{directory, file};

fn lines(store: &dyn Store, record: &StudyRecord) -> Vec<String> {
    let mut lines = Vec::new();
    let taken = export_study(store, record, |line| {
        lines.push(line.to_owned());
        Ok::<(), StoreError>(())
    });
    taken.unwrap();
    lines
}

fn changed_study(store: &Arc<dyn Store>) -> StudyRecord {
    let space = |texts: &[&str]| {
        Space::new(texts.iter().map(|text| text.parse().unwrap()).collect()).unwrap()
    };
    let first = Definition {
        method: "cma-es".to_owned(),
        ..Definition::new(space(&["x=float(0,1)", "n=int(1,4)"]), Direction::Minimize)
    };
    let record = store
        .create_study(&NewStudy::new("original", first.clone(), Limits::default()))
        .unwrap();
    let mut study = Study::open(Arc::clone(store), record, Registry::standard()).unwrap();
    for i in 0..12 {
        let trial = study.ask_one().unwrap();
        let lease = study.lease(&trial);
        store
            .report(
                &lease,
                &[Report {
                    step: i,
                    name: "value".to_owned(),
                    value: 0.1,
                }],
            )
            .unwrap();
        let value = f64::from(i as i32);
        let pruned = Outcome::Pruned(Some(i), Values::from([("value".to_owned(), value)]));
        study
            .tell(&trial, if i % 3 == 0 { pruned } else { value.into() })
            .unwrap();
        if i == 5 {
            let second = Definition {
                space: space(&["rate=float(0,2)", "n=int(1,4)"]),
                ..first.clone()
            };
            study
                .redefine(second, &[("x".to_owned(), "rate".to_owned())])
                .unwrap();
        }
    }
    store
        .set_attributes(
            study.record().id,
            3,
            &[("note".to_owned(), "größer".into())].into_iter().collect(),
        )
        .unwrap();
    study.ask_one().unwrap();
    let owner = [("owner".to_owned(), "Ada".into())].into_iter().collect();
    store
        .set_study_attributes(study.record().id, &owner)
        .unwrap();
    store.study("original").unwrap()
}

#[test]
fn a_changed_study_survives_export_and_import() {
    let dir = directory();
    for store in [open("memory://").unwrap(), file(&dir, "studies.db")] {
        let record = changed_study(&store);
        let written = lines(store.as_ref(), &record);
        let imported = read_export(written.join("\n").as_bytes()).unwrap();
        assert_eq!(
            (
                imported.definitions.len(),
                imported.trials.len(),
                imported.name.as_str()
            ),
            (2, 13, "original")
        );
        let copy = imported.store(store.as_ref(), "copy").unwrap();
        assert_eq!(store.definitions(copy.id), store.definitions(record.id));
        let result = replay(store.as_ref(), &copy, &Registry::standard()).unwrap();
        assert_eq!((result.derived, result.mismatch), (13, None));
        let again = lines(store.as_ref(), &copy);
        assert_eq!(written[1..13], again[1..13], "the finished trials");
        assert_eq!(
            (copy.attributes.len(), &copy.attributes),
            (1, &record.attributes)
        );
    }
}

#[test]
fn a_bad_import_says_what_is_wrong_and_leaves_nothing() {
    let store = open("memory://").unwrap();
    let good = lines(store.as_ref(), &changed_study(&store)).join("\n");
    let number = |text: &str| text.replace("{\"number\":3,", "{\"number\":9223372036854775807,");
    let point = |to: &str| {
        let at = good.find("\"params\":").unwrap() + 9;
        let end = at + good[at..].find('}').unwrap() + 1;
        format!("{}{to}{}", &good[..at], &good[end..])
    };
    let refused = |text: String| match read_export(text.as_bytes()) {
        Ok(imported) => imported
            .store(store.as_ref(), "bad")
            .unwrap_err()
            .to_string(),
        Err(error) => error.to_string(),
    };
    let cases = [
        (
            point("\"[12345]\""),
            "params must be an object of values by name, found \"[12345]\"",
        ),
        (
            point("null"),
            "trial 0 cannot be added: a pruned trial needs its parameters",
        ),
        (
            point("{\"x\":7.5,\"n\":1}"),
            "`x`: value `7.5` is not allowed",
        ),
        (point("{\"y\":0.5}"), "`y`"),
        (
            number(&good),
            "trial 9223372036854775807 cannot be added: its number must be at most",
        ),
        (
            good.replace("\"number\":1,", "\"number\":0,"),
            "trial 0 cannot be added: its number is not unique",
        ),
        (
            good.replace("\"value\":4.0", "\"other\":4.0"),
            "a complete trial needs a value for `value`",
        ),
        (String::new(), "the file is empty"),
        (
            good.replacen("\"version\":1", "\"version\":3", 1),
            "this neuralbo reads up to version 1",
        ),
        (good[..good.len() - 5].to_owned(), "line 14"),
    ];
    for (text, reason) in cases {
        let error = refused(text);
        assert!(error.contains(reason), "{error}\nexpected: {reason}");
        assert!(store.study("bad").is_err());
    }
    assert!(matches!(
        read_export("{}".as_bytes()),
        Err(ImportError::Line { line: 1, .. })
    ));
    read_export(good.as_bytes())
        .unwrap()
        .store(store.as_ref(), "bad")
        .unwrap();
}
