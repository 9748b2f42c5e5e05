//! Texts that were meant to break something.

use super::backend::{Backend, LONG, claim_for, definition, ended, fresh, params, proposal, study};
use neuralbo::record::{Failure, FailureKind, Limits, Outcome, Report, State};
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
    for stem in stored {
        let name = fresh(stem);
        store
            .create_study(&NewStudy::new(&name, definition(), Limits::default()))
            .unwrap();
        assert_eq!(store.study(&name).unwrap().name, name);
    }
    let long = "x".repeat(10_000_000);
    for name in ["", "  ", "a\0b", "line\nbreak", "\u{1b}[31m", long.as_str()] {
        let error = store
            .create_study(&NewStudy::new(name, definition(), Limits::default()))
            .unwrap_err();
        assert!(
            matches!(error, StoreError::BadName { .. }) && error.to_string().len() < 400,
            "{error}"
        );
        assert!(matches!(
            store.study(name),
            Err(StoreError::UnknownStudy { .. })
        ));
    }
}

pub(super) fn texts_of_any_kind_are_stored(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let claim = Claim {
        worker: "w\0'; --".to_owned(),
        token: fresh("'; --\0"),
        lease: LONG,
    };
    let Claimed::Trial(trial) = store.claim(id, &claim).unwrap() else {
        panic!("full")
    };
    let lease = Lease::of(id, &trial);
    let params: Params = [
        ("'; DROP TABLE x; --", "\0"),
        ("\0\u{1b}", "-rf"),
        ("ü\"\\", "\u{2028}"),
    ]
    .into_iter()
    .collect();
    store.propose(&lease, &proposal(params.clone())).unwrap();
    let attributes = [(
        "a\0'".to_owned(),
        serde_json::json!({ "b\0": ["c\0", 1.5e300, null] }),
    )]
    .into_iter()
    .collect();
    store.set_attributes(id, 0, &attributes).unwrap();
    store
        .report(
            &lease,
            &[Report {
                step: i64::MIN,
                name: "a\0b'".to_owned(),
                value: f64::MIN_POSITIVE,
            }],
        )
        .unwrap();
    let outcome = Outcome::Failed(Failure::new(FailureKind::Exit, "a\0b\u{1b}[0m'"));
    store.tell(&lease, &ended(outcome)).unwrap();
    let trial = store.trial(id, 0).unwrap();
    assert_eq!(
        (trial.params.as_ref(), trial.worker.as_str()),
        (Some(&params), "w\u{fffd}'; --")
    );
    assert_eq!(
        (&trial.attributes, trial.failure().unwrap().message.as_str()),
        (&attributes, "a\u{fffd}b\u{1b}[0m'")
    );
    assert_eq!(store.reports(id, 0).unwrap()[0].name, "a\u{fffd}b'");
}

pub(super) fn ten_megabytes_are_stored(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let (lease, _) = claim_for(store.as_ref(), id, LONG).unwrap();
    let mut large = params(0.5, 1);
    large.insert("text", "ä".repeat(5_000_000).as_str());
    store.propose(&lease, &proposal(large.clone())).unwrap();
    let message = "m".repeat(10_000_000);
    store
        .tell(
            &lease,
            &ended(Outcome::Failed(Failure::new(FailureKind::Exit, message))),
        )
        .unwrap();
    let trial = store.trial(id, 0).unwrap();
    assert_eq!(trial.params, Some(large));
    let State::Failed { failure } = trial.state else {
        panic!("not failed")
    };
    assert_eq!(failure.message.len(), 16 * 1024, "messages are cut");
}
