//! Who has a trial, and until when.

use std::thread::sleep;
use std::time::Duration;

use super::backend::{
    Backend, LONG, SHORT, ask, claim_for, definition, ended, fresh, params, proposal, study,
    study_with,
};
use neuralbo::record::{Failure, FailureKind, Limits, Outcome, Report, Retries, State};
use neuralbo::store::{Claim, Claimed, Counts, Lease, Proposed, StoreError, Told};

fn let_it_expire() {
    sleep(Duration::from_millis(20));
}

fn failed(kind: FailureKind) -> neuralbo::record::Ending {
    ended(Outcome::Failed(Failure::new(kind, "no")))
}

pub(super) fn an_expired_trial_is_taken_over_by_exactly_one(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(1)).id;
    let dead = ask(store.as_ref(), id, SHORT).unwrap();
    store
        .report(
            &dead,
            &[Report {
                step: 0,
                name: "value".to_owned(),
                value: 1.0,
            }],
        )
        .unwrap();
    let_it_expire();
    let takers: Vec<Option<Lease>> = std::thread::scope(|scope| {
        let takers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| claim_for(backend.open().as_ref(), id, LONG).map(|(lease, _)| lease))
            })
            .collect();
        takers
            .into_iter()
            .map(|taker| taker.join().unwrap())
            .collect()
    });
    let heirs: Vec<Lease> = takers.into_iter().flatten().collect();
    assert_eq!(heirs, [Lease { attempt: 2, ..dead }]);
    let trial = store.trial(id, 0).unwrap();
    assert_eq!(trial.params, Some(params(0.5, 0)), "the point stays");
    assert!(
        store.reports(id, 0).unwrap().is_empty(),
        "the dead worker's reports do not"
    );
    assert_eq!(
        store.tell(&dead, &ended(1.0)),
        Err(StoreError::LeaseLost {
            number: 0,
            attempt: 1
        })
    );
    assert_eq!(store.tell(&heirs[0], &ended(2.0)), Ok(Told::Finished));
    assert_eq!(
        store.tell(&dead, &ended(2.0)),
        Err(StoreError::LeaseLost {
            number: 0,
            attempt: 1
        })
    );
    assert_eq!(store.trial(id, 0).unwrap().value("value"), Some(2.0));
}

pub(super) fn a_late_worker_may_tell_until_somebody_takes_over(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let late = ask(store.as_ref(), id, SHORT).unwrap();
    let_it_expire();
    assert_eq!(store.tell(&late, &ended(1.0)), Ok(Told::Finished));
}

pub(super) fn a_renewed_lease_holds(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let mine = ask(store.as_ref(), id, SHORT).unwrap();
    assert_eq!(store.renew(&[mine], LONG), Ok(vec![]));
    let_it_expire();
    assert_eq!(ask(store.as_ref(), id, LONG).unwrap().number, 1);
    let stranger = Lease { attempt: 9, ..mine };
    assert_eq!(store.renew(&[stranger, mine], LONG), Ok(vec![stranger]));
    store.tell(&mine, &ended(1.0)).unwrap();
    assert_eq!(
        store.renew(&[mine], LONG),
        Ok(vec![mine]),
        "a finished trial has no lease"
    );
}

pub(super) fn an_ended_lease_is_over_at_once(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(1)).id;
    let dead = ask(store.as_ref(), id, Duration::MAX).unwrap();
    store.expire(&Lease { attempt: 2, ..dead }).unwrap();
    assert!(
        claim_for(store.as_ref(), id, LONG).is_none(),
        "that was somebody else's lease"
    );
    store.expire(&dead).unwrap();
    let (heir, _) = claim_for(store.as_ref(), id, LONG).unwrap();
    assert_eq!(heir, Lease { attempt: 2, ..dead });
    store.expire(&dead).unwrap();
    assert!(
        claim_for(store.as_ref(), id, LONG).is_none(),
        "the old lease is not the current one"
    );
    store.tell(&heir, &ended(1.0)).unwrap();
    assert_eq!(store.expire(&heir), Ok(()));
}

pub(super) fn trials_without_attempts_left_fail_exactly_once(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(1)).id;
    for attempt in 1..=3 {
        assert_eq!(store.fail_expired(id), Ok(vec![]));
        assert_eq!(ask(store.as_ref(), id, SHORT).unwrap().attempt, attempt);
        let_it_expire();
    }
    assert!(
        claim_for(store.as_ref(), id, LONG).is_none(),
        "no fourth attempt"
    );
    let failed: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| backend.open().fail_expired(id).unwrap()))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(failed, [0]);
    let State::Failed { failure } = store.trial(id, 0).unwrap().state else {
        panic!("not failed")
    };
    assert_eq!(failure.kind, FailureKind::Lost);
    assert_eq!(
        store.counts(id).unwrap(),
        Counts {
            failed: 1,
            ..Counts::default()
        }
    );
}

pub(super) fn a_released_trial_waits_and_costs_no_attempt(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(1)).id;
    for attempt in 1..=6 {
        let lease = ask(store.as_ref(), id, LONG).unwrap();
        assert_eq!(lease.attempt, attempt);
        store.release(&lease).unwrap();
    }
    assert_eq!(store.fail_expired(id), Ok(vec![]));
    assert!(store.trial(id, 0).unwrap().is_waiting());
}

pub(super) fn a_released_trial_without_a_point_disappears(backend: &Backend) {
    let store = backend.open();
    let id = study_with(store.as_ref(), &definition(), Some(1)).id;
    let (lease, _) = claim_for(store.as_ref(), id, LONG).unwrap();
    store.release(&lease).unwrap();
    assert_eq!(store.counts(id).unwrap(), Counts::default());
    assert_eq!(claim_for(store.as_ref(), id, LONG).unwrap().0.number, 0);
}

pub(super) fn failures_are_retried_by_kind(backend: &Backend) {
    let store = backend.open();
    let mut definition = definition();
    definition.retries = Retries {
        attempts: 2,
        kinds: vec![FailureKind::Timeout],
    };
    let id = study_with(store.as_ref(), &definition, Some(2)).id;
    let first = ask(store.as_ref(), id, LONG).unwrap();
    assert_eq!(
        store.tell(&first, &failed(FailureKind::Timeout)),
        Ok(Told::Retried)
    );
    let thought_again = store.tell(&first, &ended(1.0));
    assert_eq!(
        thought_again,
        Ok(Told::Finished),
        "until somebody takes over, the worker may think again"
    );
    let second = ask(store.as_ref(), id, LONG).unwrap();
    assert_eq!(
        store.tell(&second, &failed(FailureKind::Timeout)),
        Ok(Told::Retried)
    );
    let again = ask(store.as_ref(), id, LONG).unwrap();
    assert_eq!((again.number, again.attempt), (1, 2));
    assert_eq!(
        store.tell(&again, &failed(FailureKind::Timeout)),
        Ok(Told::Finished),
        "the second attempt was the last"
    );
    store.limit(id, &Limits::default()).unwrap();
    let third = ask(store.as_ref(), id, LONG).unwrap();
    assert_eq!(
        store.tell(&third, &failed(FailureKind::Exit)),
        Ok(Told::Finished),
        "this kind is not retried"
    );
}

pub(super) fn a_failure_told_twice_costs_one_attempt(backend: &Backend) {
    let store = backend.open();
    let mut definition = definition();
    definition.retries = Retries {
        attempts: 2,
        kinds: vec![FailureKind::Signal],
    };
    let id = study_with(store.as_ref(), &definition, Some(1)).id;
    let first = ask(store.as_ref(), id, LONG).unwrap();
    for _ in 0..3 {
        assert_eq!(
            store.tell(&first, &failed(FailureKind::Signal)),
            Ok(Told::Retried),
            "the answer may have been lost"
        );
    }
    let second = ask(store.as_ref(), id, LONG).unwrap();
    assert_eq!((second.number, second.attempt), (0, 2));
    assert_eq!(store.tell(&second, &ended(1.0)), Ok(Told::Finished));
}

pub(super) fn a_claim_repeated_with_its_token_is_the_same_claim(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let claim = Claim {
        worker: "w".to_owned(),
        token: fresh("once"),
        lease: LONG,
    };
    let first = store.claim(id, &claim).unwrap();
    assert_eq!(backend.open().claim(id, &claim).unwrap(), first);
    assert!(matches!(first, Claimed::Trial(trial) if trial.number == 0));
    assert_eq!(store.counts(id).unwrap().running, 1);
}

pub(super) fn a_point_that_is_running_is_refused_once(backend: &Backend) {
    let store = backend.open();
    let id = study(store.as_ref());
    let (first, _) = claim_for(store.as_ref(), id, LONG).unwrap();
    let (second, _) = claim_for(store.as_ref(), id, LONG).unwrap();
    let one = proposal(params(0.5, 1));
    assert_eq!(store.propose(&first, &one), Ok(Proposed::Accepted));
    assert_eq!(
        store.propose(&first, &one),
        Ok(Proposed::Accepted),
        "the same news twice"
    );
    assert_eq!(store.propose(&second, &one), Ok(Proposed::Repeated));
    let insisting = neuralbo::store::Proposal {
        repeat_allowed: true,
        ..one
    };
    assert_eq!(store.propose(&second, &insisting), Ok(Proposed::Accepted));
    let other = store.propose(&second, &proposal(params(0.5, 2)));
    assert!(
        matches!(other, Err(StoreError::LeaseLost { .. })),
        "a point never changes"
    );
}
