use neuralbo::study::{Failure, FailureKind};
use neuralbo_store::{Claim, Claimed, Limits, Outcome, Report, StoreError, TrialState};

use crate::backend::{Backend, LONG, claim_for, definition, fresh, proposal, study};

pub fn study_names(backend: &Backend) {
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
        store.create_study(&name, &definition(), &Limits::default()).unwrap();
        assert_eq!(store.study(&name).unwrap().name, name);
    }
    let long = "x".repeat(10_000_000);
    for name in ["", "  ", "a\0b", "line\nbreak", "\u{1b}[31m", long.as_str()] {
        let error = store.create_study(name, &definition(), &Limits::default()).unwrap_err();
        assert!(matches!(error, StoreError::BadName { .. }) && error.to_string().len() < 400, "{error}");
        assert!(matches!(store.study(name), Err(StoreError::UnknownStudy { .. })));
    }
}

pub fn texts_of_any_kind_are_stored(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let claim = Claim { worker: "w\0'; --".to_owned(), token: fresh("'; --"), lease: LONG };
    let Claimed::Trial(lease, _) = store.claim(id, &claim).unwrap() else { panic!("full") };
    let params = "[\"'; DROP TABLE x; --\",\"\\u0000\",\"-rf\"]";
    store.propose(&lease, &proposal(params)).unwrap();
    store.report(&lease, &[Report { step: i64::MIN, name: "a\0b'".to_owned(), value: f64::MIN_POSITIVE }]).unwrap();
    store.tell(&lease, &Outcome::Failed(Failure::new(FailureKind::Exit, "a\0b\u{1b}[0m'"))).unwrap();
    let trial = store.trial(id, 0).unwrap();
    assert_eq!((trial.params.as_deref(), trial.worker.as_str()), (Some(params), "w\u{fffd}'; --"));
    assert_eq!(trial.state, TrialState::Failed { failure: Failure::new(FailureKind::Exit, "a\u{fffd}b\u{1b}[0m'") });
    assert_eq!(store.reports(id, 0).unwrap()[0].name, "a\u{fffd}b'");
}

pub fn ten_megabytes_are_stored(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let (lease, _) = claim_for(store.as_ref(), id, LONG).unwrap();
    let params = format!("[\"{}\"]", "ä".repeat(5_000_000));
    store.propose(&lease, &proposal(&params)).unwrap();
    let message = "m".repeat(10_000_000);
    store.tell(&lease, &Outcome::Failed(Failure::new(FailureKind::Exit, message))).unwrap();
    let trial = store.trial(id, 0).unwrap();
    assert_eq!(trial.params, Some(params));
    let TrialState::Failed { failure } = trial.state else { panic!("not failed") };
    assert_eq!(failure.message.len(), 16 * 1024, "messages are cut");
}
