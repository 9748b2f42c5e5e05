//! Texts that were meant to break something.

use super::backend::{Backend, LONG, assert_matches, definition, fresh, params, report, study};
use neuralbo::record::{Failure, FailureKind, Limits, Token};
use neuralbo::space::Params;
use neuralbo::store::{Claim, Claimed, Lease, NewStudy, StoreError};

pub(super) fn study_names(backend: &Backend) {
    let store = backend.open();
    let stored = [
        "'; DROP TABLE neuralbo_studies; --",
        "\"quoted\" `ticks` $1 ?1 %s {x}",
        "../../etc/passwd",
        "-rf",
        "ünïcödé 🦀",
        "' OR 1=1",
    ];
    let create =
        |name: &str| store.create_study(&NewStudy::new(name, definition(), Limits::default()));
    for stem in stored {
        let name = fresh(stem);
        create(&name).unwrap();
        assert_eq!(store.study(&name).unwrap().name, name);
    }
    let long = "x".repeat(10_000_000);
    for name in ["", "  ", "a\0b", "line\nbreak", "\u{1b}[31m", long.as_str()] {
        let error = create(name).unwrap_err();
        assert!(error.to_string().len() < 400, "{error}");
        assert_matches!(error, StoreError::BadName { .. });
        assert_matches!(store.study(name), Err(StoreError::UnknownStudy { .. }));
    }
}

pub(super) fn texts_of_any_kind_are_stored(backend: &Backend) {
    let study = study(backend);
    let (store, id) = (&study.store, study.id);
    let claim = Claim {
        worker: "w\0'; --".to_owned(),
        token: Token::fresh(),
        lease: LONG,
    };
    let Claimed::Trial(trial) = store.claim(id, &claim).unwrap() else {
        panic!("full")
    };
    let lease = Lease::of(id, &trial);
    let params = Params::from_iter([
        ("'; DROP TABLE x; --", "\0"),
        ("\0\u{1b}", "-rf"),
        ("ü\"\\", "\u{2028}"),
    ]);
    study.propose(&lease, params.clone());
    let deep = serde_json::json!({ "b\0": ["c\0", 1.5e300, null] });
    let attributes = [("a\0'".to_owned(), deep)].into_iter().collect();
    store.set_attributes(id, 0, &attributes).unwrap();
    let reports = [report(i64::MIN, "a\0b'", f64::MIN_POSITIVE)];
    store.report(&lease, &reports).unwrap();
    let failure = Failure::new(FailureKind::Exit, "a\0b\u{1b}[0m'");
    study.tell(&lease, failure).unwrap();
    let trial = study.trial(0);
    assert_eq!(trial.params, Some(params));
    assert_eq!(trial.worker, "w\u{fffd}'; --");
    assert_eq!(trial.attributes, attributes);
    assert_eq!(trial.failure().unwrap().message, "a\u{fffd}b\u{1b}[0m'");
    assert_eq!(store.reports(id, 0).unwrap()[0].name, "a\u{fffd}b'");
}

pub(super) fn ten_megabytes_are_stored(backend: &Backend) {
    let study = study(backend);
    let (lease, _) = study.claim();
    let mut large = params(0.5, 1);
    large.insert("text", "ä".repeat(5_000_000).as_str());
    study.propose(&lease, large.clone());
    let failure = Failure::new(FailureKind::Exit, "m".repeat(10_000_000));
    study.tell(&lease, failure).unwrap();
    let trial = study.trial(0);
    let message = &trial.failure().unwrap().message;
    assert_eq!(message.len(), 16 * 1024, "messages are cut");
    assert_eq!(trial.params, Some(large));
}
