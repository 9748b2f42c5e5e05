//! The holder of a trial, and the end of its lease.

use std::thread::sleep;
use std::time::Duration;

use super::backend::{
    Backend, LONG, SHORT, assert_matches, definition, eight_times, limited, params, proposal,
    report, study, study_of,
};
use neuralbo::record::{Definition, Failure, FailureKind, Limits, Retries, Token};
use neuralbo::store::{Claim, Claimed, Counts, Lease, Proposal, Proposed, StoreError, Told};

fn let_it_expire() {
    sleep(Duration::from_millis(20));
}

fn failed(kind: FailureKind) -> Failure {
    Failure::new(kind, "no")
}

/// A definition with two attempts after failures of one kind.
fn twice_after(kind: FailureKind) -> Definition {
    let (attempts, kinds) = (2, vec![kind]);
    Definition {
        retries: Retries { attempts, kinds },
        ..definition()
    }
}

pub(super) fn an_expired_trial_is_taken_over_by_exactly_one(backend: &Backend) {
    let study = limited(backend, 1);
    let dead = study.ask_for(SHORT);
    let reports = [report(0, "value", 1.0)];
    study.store.report(&dead, &reports).unwrap();
    let_it_expire();
    let claims = eight_times(|_| study.on(backend).try_claim());
    let heirs = claims.into_iter().flatten().map(|(lease, _)| lease);
    let heirs: Vec<Lease> = heirs.collect();
    assert_eq!((heirs.len(), heirs[0].number, heirs[0].attempt), (1, 0, 2));
    let point = study.trial(0).params;
    assert_eq!(point, Some(params(0.5, 0)), "the point stays");
    let reports = study.store.reports(study.id, 0).unwrap();
    assert!(reports.is_empty(), "the dead worker's reports do not");
    let (number, attempt) = (0, 1);
    let lost = Err(StoreError::LeaseLost { number, attempt });
    assert_eq!(study.tell(&dead, 1.0), lost);
    assert_eq!(study.tell(&heirs[0], 2.0), Ok(Told::Finished));
    assert_eq!(study.tell(&dead, 2.0), lost);
    assert_eq!(study.trial(0).value("value"), Some(2.0));
}

pub(super) fn a_late_worker_may_tell_until_somebody_takes_over(backend: &Backend) {
    let study = study(backend);
    let late = study.ask_for(SHORT);
    let_it_expire();
    assert_eq!(study.tell(&late, 1.0), Ok(Told::Finished));
}

pub(super) fn a_renewed_lease_holds(backend: &Backend) {
    let study = study(backend);
    let mine = study.ask_for(SHORT);
    let renew = |leases: &[Lease]| study.store.renew(leases, LONG);
    assert_eq!(renew(&[mine]), Ok(vec![]));
    let_it_expire();
    assert_eq!(study.ask().number, 1);
    let token = Token::fresh();
    let stranger = Lease { token, ..mine };
    assert_eq!(renew(&[stranger, mine]), Ok(vec![stranger]));
    study.tell(&mine, 1.0).unwrap();
    // A finished trial has no lease.
    assert_eq!(renew(&[mine]), Ok(vec![mine]));
}

pub(super) fn an_ended_lease_is_over_at_once(backend: &Backend) {
    let study = limited(backend, 1);
    let dead = study.ask_for(Duration::MAX);
    let expire = |lease: &Lease| study.store.expire(lease);
    let token = Token::fresh();
    expire(&Lease { token, ..dead }).unwrap();
    // That was another worker's lease.
    assert!(study.try_claim().is_none());
    expire(&dead).unwrap();
    let (heir, _) = study.claim();
    assert_eq!((heir.number, heir.attempt), (0, 2));
    expire(&dead).unwrap();
    // The old lease is not the current one.
    assert!(study.try_claim().is_none());
    study.tell(&heir, 1.0).unwrap();
    assert_eq!(expire(&heir), Ok(()));
}

pub(super) fn trials_without_attempts_left_fail_exactly_once(backend: &Backend) {
    let study = limited(backend, 1);
    for attempt in 1..=3 {
        assert_eq!(study.store.fail_expired(study.id), Ok(vec![]));
        assert_eq!(study.ask_for(SHORT).attempt, attempt);
        let_it_expire();
    }
    assert!(study.try_claim().is_none(), "no fourth attempt");
    let failed = eight_times(|_| backend.open().fail_expired(study.id).unwrap());
    assert_eq!(failed.concat(), [0]);
    assert_eq!(study.trial(0).failure().unwrap().kind, FailureKind::Lost);
    let (failed, none) = (1, Counts::default());
    assert_eq!(study.counts(), Counts { failed, ..none });
}

pub(super) fn a_released_trial_waits_and_costs_no_attempt(backend: &Backend) {
    let study = limited(backend, 1);
    for attempt in 1..=6 {
        let lease = study.ask();
        assert_eq!(lease.attempt, attempt);
        study.store.release(&lease).unwrap();
    }
    assert_eq!(study.store.fail_expired(study.id), Ok(vec![]));
    assert!(study.trial(0).is_waiting());
}

pub(super) fn a_released_trial_without_a_point_disappears(backend: &Backend) {
    let study = limited(backend, 1);
    study.store.release(&study.claim().0).unwrap();
    assert_eq!(study.counts(), Counts::default());
    assert_eq!(study.claim().0.number, 0);
}

pub(super) fn failures_are_retried_by_kind(backend: &Backend) {
    let study = study_of(backend, twice_after(FailureKind::Timeout), Some(2));
    let (timeout, exit) = (failed(FailureKind::Timeout), failed(FailureKind::Exit));
    let first = study.ask();
    assert_eq!(study.tell(&first, timeout.clone()), Ok(Told::Retried));
    // A correction before somebody takes over.
    assert_eq!(study.tell(&first, 1.0), Ok(Told::Finished));
    let second = study.ask();
    assert_eq!(study.tell(&second, timeout.clone()), Ok(Told::Retried));
    let again = study.ask();
    assert_eq!((again.number, again.attempt), (1, 2));
    let told = study.tell(&again, timeout);
    assert_eq!(told, Ok(Told::Finished), "the second attempt was the last");
    study.store.limit(study.id, &Limits::default()).unwrap();
    let told = study.tell(&study.ask(), exit);
    assert_eq!(told, Ok(Told::Finished), "this kind is not retried");
}

pub(super) fn a_failure_told_twice_costs_one_attempt(backend: &Backend) {
    let study = study_of(backend, twice_after(FailureKind::Signal), Some(1));
    let first = study.ask();
    for _ in 0..3 {
        let told = study.tell(&first, failed(FailureKind::Signal));
        assert_eq!(told, Ok(Told::Retried), "the answer may have been lost");
    }
    let second = study.ask();
    assert_eq!((second.number, second.attempt), (0, 2));
    assert_eq!(study.tell(&second, 1.0), Ok(Told::Finished));
}

pub(super) fn a_claim_repeated_with_its_token_is_the_same_claim(backend: &Backend) {
    let study = study(backend);
    let claim = Claim {
        worker: "w".to_owned(),
        token: Token::fresh(),
        lease: LONG,
    };
    let first = study.store.claim(study.id, &claim).unwrap();
    assert_eq!(backend.open().claim(study.id, &claim).unwrap(), first);
    assert!(matches!(first, Claimed::Trial(trial) if trial.number == 0));
    assert_eq!(study.counts().running, 1);
}

pub(super) fn a_point_that_is_running_is_refused_once(backend: &Backend) {
    let study = study(backend);
    let ((first, _), (second, _)) = (study.claim(), study.claim());
    let propose = |lease: &Lease, proposal: &Proposal| study.store.propose(lease, proposal);
    let one = proposal(params(0.5, 1));
    assert_eq!(propose(&first, &one), Ok(Proposed::Accepted));
    assert_eq!(propose(&first, &one), Ok(Proposed::Accepted), "twice");
    assert_eq!(propose(&second, &one), Ok(Proposed::Repeated));
    let insisting = Proposal {
        repeat_allowed: true,
        ..one
    };
    assert_eq!(propose(&second, &insisting), Ok(Proposed::Accepted));
    // A point never changes.
    let other = propose(&second, &proposal(params(0.5, 2)));
    assert_matches!(other, Err(StoreError::LeaseLost { .. }));
}
