use std::thread::sleep;
use std::time::Duration;

use neuralbo::study::{Failure, FailureKind};
use neuralbo_store::{Claim, Claimed, Counts, Lease, Outcome, Proposed, Report, Retries, StoreError, Told, TrialState};

use crate::backend::{Backend, LONG, SHORT, ask, claim_for, definition, proposal, study, study_with};

fn let_it_expire() {
    sleep(Duration::from_millis(20));
}

pub fn an_expired_trial_is_taken_over_by_exactly_one(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(1));
    let dead = ask(store.as_ref(), id, SHORT).unwrap();
    store.report(&dead, &[Report { step: 0, name: "value".to_owned(), value: 1.0 }]).unwrap();
    let_it_expire();
    let takers: Vec<Option<Lease>> = std::thread::scope(|scope| {
        let takers: Vec<_> =
            (0..8).map(|_| scope.spawn(|| claim_for(backend.open().as_ref(), id, LONG).map(|(lease, _)| lease))).collect();
        takers.into_iter().map(|taker| taker.join().unwrap()).collect()
    });
    let heirs: Vec<Lease> = takers.into_iter().flatten().collect();
    assert_eq!(heirs, [Lease { attempt: 2, ..dead }]);
    let trial = store.trial(id, 0).unwrap();
    assert_eq!(trial.params.as_deref(), Some("[0.5,0]"), "the point stays");
    assert!(store.reports(id, 0).unwrap().is_empty(), "the dead worker's reports do not");
    assert_eq!(store.tell(&dead, &Outcome::Value(1.0)), Err(StoreError::LeaseLost { number: 0, attempt: 1 }));
    assert_eq!(store.tell(&heirs[0], &Outcome::Value(2.0)), Ok(Told::Finished));
    assert_eq!(store.tell(&dead, &Outcome::Value(2.0)), Err(StoreError::LeaseLost { number: 0, attempt: 1 }));
    assert_eq!(store.trial(id, 0).unwrap().state, TrialState::Complete { value: 2.0 });
}

pub fn a_late_worker_may_tell_until_somebody_takes_over(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let late = ask(store.as_ref(), id, SHORT).unwrap();
    let_it_expire();
    assert_eq!(store.tell(&late, &Outcome::Value(1.0)), Ok(Told::Finished));
}

pub fn a_renewed_lease_holds(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let mine = ask(store.as_ref(), id, SHORT).unwrap();
    assert_eq!(store.renew(&[mine], LONG), Ok(vec![]));
    let_it_expire();
    assert_eq!(ask(store.as_ref(), id, LONG).unwrap().number, 1);
    let stranger = Lease { attempt: 9, ..mine };
    assert_eq!(store.renew(&[stranger, mine], LONG), Ok(vec![stranger]));
    store.tell(&mine, &Outcome::Value(1.0)).unwrap();
    assert_eq!(store.renew(&[mine], LONG), Ok(vec![mine]), "a finished trial has no lease");
}

pub fn hopeless_trials_fail_exactly_once(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(1));
    for attempt in 1..=3 {
        assert_eq!(store.fail_expired(id), Ok(vec![]));
        assert_eq!(ask(store.as_ref(), id, SHORT).unwrap().attempt, attempt);
        let_it_expire();
    }
    assert!(claim_for(store.as_ref(), id, LONG).is_none(), "no fourth attempt");
    let failed: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| backend.open().fail_expired(id).unwrap())).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(failed, [0]);
    let TrialState::Failed { failure } = store.trial(id, 0).unwrap().state else { panic!("not failed") };
    assert_eq!(failure.kind, FailureKind::Lost);
    assert_eq!(store.counts(id).unwrap(), Counts { failed: 1, ..Counts::default() });
}

pub fn a_released_trial_waits_and_costs_no_attempt(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(1));
    for attempt in 1..=6 {
        let lease = ask(store.as_ref(), id, LONG).unwrap();
        assert_eq!(lease.attempt, attempt);
        store.release(&lease).unwrap();
    }
    assert_eq!(store.fail_expired(id), Ok(vec![]));
    assert_eq!(store.trial(id, 0).unwrap().lease_until_ms, 0);
}

pub fn a_released_trial_without_a_point_disappears(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(1));
    let (lease, _) = claim_for(store.as_ref(), id, LONG).unwrap();
    store.release(&lease).unwrap();
    assert_eq!(store.counts(id).unwrap(), Counts::default());
    assert_eq!(claim_for(store.as_ref(), id, LONG).unwrap().0.number, 0);
}

pub fn failures_are_retried_by_kind(backend: &Backend) {
    let store = backend.open();
    let mut definition = definition();
    definition.retries = Retries { attempts: 2, kinds: vec![FailureKind::Timeout] };
    let id = study_with(store.as_ref(), &definition, Some(2));
    let fail = |kind| Outcome::Failed(Failure::new(kind, "no"));
    let first = ask(store.as_ref(), id, LONG).unwrap();
    assert_eq!(store.tell(&first, &fail(FailureKind::Timeout)), Ok(Told::Retried));
    assert_eq!(
        store.tell(&first, &Outcome::Value(1.0)),
        Ok(Told::Finished),
        "until somebody takes over, the worker may think again"
    );
    let second = ask(store.as_ref(), id, LONG).unwrap();
    assert_eq!(store.tell(&second, &fail(FailureKind::Timeout)), Ok(Told::Retried));
    let again = ask(store.as_ref(), id, LONG).unwrap();
    assert_eq!((again.number, again.attempt), (1, 2));
    assert_eq!(store.tell(&again, &fail(FailureKind::Timeout)), Ok(Told::Finished), "the second attempt was the last");
    store.limit(id, &neuralbo_store::Limits::default()).unwrap();
    let third = ask(store.as_ref(), id, LONG).unwrap();
    assert_eq!(store.tell(&third, &fail(FailureKind::Exit)), Ok(Told::Finished), "this kind is not retried");
}

pub fn a_claim_repeated_with_its_token_is_the_same_claim(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let claim = Claim { worker: "w".to_owned(), token: crate::backend::fresh("once"), lease: LONG };
    let first = store.claim(id, &claim).unwrap();
    assert_eq!(backend.open().claim(id, &claim).unwrap(), first);
    assert!(matches!(first, Claimed::Trial(lease, _) if lease.number == 0));
    assert_eq!(store.counts(id).unwrap().running, 1);
}

pub fn a_point_that_is_running_is_refused_once(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let (first, _) = claim_for(store.as_ref(), id, LONG).unwrap();
    let (second, _) = claim_for(store.as_ref(), id, LONG).unwrap();
    assert_eq!(store.propose(&first, &proposal("[0.5,1]")), Ok(Proposed::Accepted));
    assert_eq!(store.propose(&first, &proposal("[0.5,1]")), Ok(Proposed::Accepted), "the same news twice");
    assert_eq!(store.propose(&second, &proposal("[0.5,1]")), Ok(Proposed::Repeated));
    let mut insisting = proposal("[0.5,1]");
    insisting.repeat_allowed = true;
    assert_eq!(store.propose(&second, &insisting), Ok(Proposed::Accepted));
    assert!(matches!(store.propose(&second, &proposal("[0.5,2]")), Err(StoreError::LeaseLost { .. })), "a point never changes");
}
