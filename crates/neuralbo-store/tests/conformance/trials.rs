use std::collections::BTreeSet;

use neuralbo::study::{Direction, Failure, FailureKind};
use neuralbo_store::{Counts, Outcome, Provenance, Report, StoreError, Told, TrialRecord, TrialState};

use crate::backend::{Backend, LONG, ask, claim_for, definition, finish, proposal, study, study_with};

pub fn a_trial_is_claimed_proposed_and_told(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let (lease, claimed) = claim_for(store.as_ref(), id, LONG).unwrap();
    assert_eq!((claimed.number, &claimed.params, &claimed.state, claimed.attempt), (0, &None, &TrialState::Running, 1));
    store.propose(&lease, &proposal("[0.25,2]")).unwrap();
    assert_eq!(store.tell(&lease, &Outcome::Value(-0.5)), Ok(Told::Finished));
    let told = backend.open().trial(id, 0).unwrap();
    assert_eq!(
        (told.params.as_deref(), &told.state, told.seq),
        (Some("[0.25,2]"), &TrialState::Complete { value: -0.5 }, Some(1))
    );
    assert_eq!(told.proposal, Some(proposal("").provenance));
    assert_eq!((told.worker.as_str(), told.finished_ms.is_some()), ("tester", true));
}

pub fn numbers_have_no_gaps_and_the_limit_is_never_passed(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(5));
    let numbers: Vec<u64> = std::iter::from_fn(|| ask(store.as_ref(), id, LONG)).map(|lease| lease.number).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4]);
    assert_eq!(store.counts(id).unwrap(), Counts { running: 5, ..Counts::default() });
}

pub fn many_claimers_at_once_never_pass_the_limit(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(40));
    let work = || {
        let store = backend.open();
        let mine = std::iter::from_fn(|| {
            ask(store.as_ref(), id, LONG).inspect(|lease| {
                assert_eq!(store.tell(lease, &Outcome::Value(lease.number as f64)), Ok(Told::Finished));
            })
        });
        mine.map(|lease| lease.number).collect::<Vec<_>>()
    };
    let numbers: Vec<u64> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert_eq!(numbers.len(), 40);
    assert_eq!(numbers.into_iter().collect::<BTreeSet<_>>(), (0..40).collect());
    let seqs: Vec<u64> = store.finished_since(id, 0, 100).unwrap().iter().map(|trial| trial.seq).collect();
    assert_eq!(seqs, (1..=40).collect::<Vec<_>>());
}

pub fn a_result_is_told_once(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let lease = finish(store.as_ref(), id, 0.1 + 0.2);
    assert_eq!(store.tell(&lease, &Outcome::Value(0.1 + 0.2)), Ok(Told::Already));
    let other = store.tell(&lease, &Outcome::Value(0.3));
    assert_eq!(other, Err(StoreError::AlreadyFinished { number: 0, state: "complete" }));
    let failed = store.tell(&lease, &Outcome::Failed(Failure::new(FailureKind::Exit, "late")));
    assert_eq!(failed, Err(StoreError::AlreadyFinished { number: 0, state: "complete" }));
    assert_eq!(store.counts(id).unwrap().complete, 1);
}

pub fn the_finished_trials_are_numbered_in_order(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let leases: Vec<_> = (0..3).map(|_| ask(store.as_ref(), id, LONG).unwrap()).collect();
    store.tell(&leases[2], &Outcome::Value(2.0)).unwrap();
    store.tell(&leases[0], &Outcome::Failed(Failure::new(FailureKind::Exit, "exit status 1"))).unwrap();
    store.tell(&leases[1], &Outcome::Pruned(1.0)).unwrap();
    let finished = store.finished_since(id, 0, 10).unwrap();
    assert_eq!(finished.iter().map(|trial| (trial.seq, trial.number)).collect::<Vec<_>>(), [(1, 2), (2, 0), (3, 1)]);
    assert_eq!(finished[1].state, TrialState::Failed { failure: Failure::new(FailureKind::Exit, "exit status 1") });
    assert_eq!(store.finished_since(id, 2, 10).unwrap(), finished[2..]);
    assert_eq!(store.finished_since(id, 0, 1).unwrap(), finished[..1]);
    assert_eq!(store.counts(id).unwrap(), Counts { complete: 1, failed: 1, pruned: 1, ..Counts::default() });
}

pub fn the_best_is_the_earliest_of_equals(backend: &Backend) {
    let store = backend.open();
    for (direction, best) in [(Direction::Minimize, 1), (Direction::Maximize, 0)] {
        let mut definition = definition();
        definition.direction = direction;
        let id = study_with(store.as_ref(), &definition, None);
        assert_eq!(store.best(id).unwrap(), None);
        for value in [3.0, 1.0, 3.0, 1.0] {
            finish(store.as_ref(), id, value);
        }
        let pruned = ask(store.as_ref(), id, LONG).unwrap();
        store.tell(&pruned, &Outcome::Pruned(if best == 0 { 9.0 } else { -9.0 })).unwrap();
        assert_eq!(store.best(id).unwrap().unwrap().number, best);
    }
}

pub fn reports_are_kept_and_the_last_counts(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let lease = ask(store.as_ref(), id, LONG).unwrap();
    let report = |step, name: &str, value| Report { step, name: name.to_owned(), value };
    store.report(&lease, &[report(1, "value", 0.5), report(1, "loss", 2.0), report(0, "value", 0.75)]).unwrap();
    store.report(&lease, &[report(1, "value", 0.25)]).unwrap();
    let expected = [report(0, "value", 0.75), report(1, "loss", 2.0), report(1, "value", 0.25)];
    assert_eq!(store.reports(id, 0).unwrap(), expected);
    assert!(store.reports_at(id, 1, "value").unwrap().is_empty(), "only complete trials count");
    store.tell(&lease, &Outcome::Value(0.2)).unwrap();
    assert_eq!(store.reports_at(id, 1, "value").unwrap(), [0.25]);
    assert!(matches!(store.report(&lease, &[report(2, "value", 0.1)]), Err(StoreError::LeaseLost { .. })));
}

pub fn a_nonfinite_value_is_a_failure(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    for outcome in [Outcome::Value(f64::NAN), Outcome::Value(f64::INFINITY), Outcome::Pruned(f64::NEG_INFINITY)] {
        let lease = ask(store.as_ref(), id, LONG).unwrap();
        assert_eq!(store.tell(&lease, &outcome), Ok(Told::Finished));
        let TrialState::Failed { failure } = store.trial(id, lease.number).unwrap().state else { panic!("not failed") };
        assert_eq!(failure.kind, FailureKind::NonFinite);
    }
}

pub fn imported_trials_keep_their_numbers_and_order(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(3));
    let trial = |number, origin: &str, state| {
        let proposal = Some(Provenance { origin: origin.to_owned(), ..Provenance::default() });
        let record = TrialRecord {
            number,
            params: Some("[0.5,1]".to_owned()),
            state,
            seq: None,
            proposal,
            worker: String::new(),
            attempt: 1,
            lease_until_ms: 0,
            asked_ms: 5,
            finished_ms: None,
        };
        (record, vec![Report { step: 0, name: "value".to_owned(), value: 1.0 }])
    };
    let trials = [
        trial(4, "known", TrialState::Complete { value: 1.0 }),
        trial(2, "sampled", TrialState::Complete { value: 2.0 }),
        trial(5, "sampled", TrialState::Running),
    ];
    store.import(id, &trials).unwrap();
    let finished: Vec<(u64, bool)> = store.finished_since(id, 0, 9).unwrap().iter().map(|t| (t.number, t.known)).collect();
    assert_eq!(finished, [(4, true), (2, false)]);
    assert_eq!(store.reports(id, 4).unwrap().len(), 1);
    let counts = store.counts(id).unwrap();
    assert_eq!((counts.running, counts.complete, counts.known), (1, 2, 1));
    assert_eq!(claim_for(store.as_ref(), id, LONG).unwrap().0.number, 5, "the running one waits for a worker");
    assert_eq!(claim_for(store.as_ref(), id, LONG).unwrap().0.number, 6);
    assert!(claim_for(store.as_ref(), id, LONG).is_none(), "two imported trials and one new one count for the limit");
}
