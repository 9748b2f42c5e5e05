//! Claims, proposals and leases.

use std::time::Duration;

use neuralbo::record::Trial;
use neuralbo::store::{
    Claim, Claimed, Lease, Proposal, Proposed, StoreError, StudyId, stored_name,
};

use super::driver::{Dialect, Session, Stored};
use super::rows::{self, SqlRow, SqlValue, cells, lease_cells};
use super::statements as sql;
use super::studies;

/// What [`sql::CLAIM_POSTGRES`] needs: study, worker, token, lease.
pub(super) fn claim_cells(study: StudyId, claim: &Claim) -> [SqlValue; 4] {
    let lease = i64::try_from(claim.lease.as_millis()).unwrap_or(i64::MAX);
    cells![study, stored_name(&claim.worker), claim.token, lease]
}

/// A trial for a worker, step by step.
pub(super) fn claim(session: &mut dyn Session, study: StudyId, claim: &Claim) -> Stored<Claimed> {
    let before = session.row(sql::CLAIMED_BEFORE, &cells![study, claim.token], |row| {
        row.count()
    })?;
    if let Some(number) = before {
        session.execute(sql::RENEW_VERSION, &cells![study, number])?;
        return studies::trial(session, study, number).map(claimed);
    }
    let cells = cells![study, session.now_ms()?];
    if let Some(waiting) = session.row(sql::WAITING, &cells, waiting_trial)?
        && let Some(trial) = take_over(session, study, claim, &waiting)?
    {
        return Ok(claimed(trial));
    }
    match create(session, study, claim)? {
        Some(trial) => Ok(claimed(trial)),
        None => Ok(Claimed::Full {
            running: studies::counts(session, study)?.running,
        }),
    }
}

pub(super) fn claimed(trial: Trial) -> Claimed {
    Claimed::Trial(Box::new(trial))
}

/// A trial that waits for a worker.
struct WaitingTrial {
    number: u64,
    attempt: u64,
    lost_attempts: u64,
    lease_until_ms: i64,
}

fn waiting_trial(row: &mut SqlRow<'_>) -> Stored<WaitingTrial> {
    row.of("a waiting trial");
    Ok(WaitingTrial {
        number: row.count()?,
        attempt: row.count()?,
        lost_attempts: row.count()?,
        lease_until_ms: row.int()?,
    })
}

fn take_over(
    session: &mut dyn Session,
    study: StudyId,
    claim: &Claim,
    waiting: &WaitingTrial,
) -> Stored<Option<Trial>> {
    let lost_attempts = waiting.lost_attempts + u64::from(waiting.lease_until_ms > 0);
    let cells = cells![
        study,
        waiting.number,
        waiting.attempt,
        stored_name(&claim.worker),
        claim.token,
        lost_attempts,
        lease_end(session.now_ms()?, claim.lease)
    ];
    let taken = session.row(sql::TAKE_OVER, &cells, rows::trial)?;
    if taken.is_some() {
        session.execute(sql::FORGET_REPORTS, &cells[..2])?;
    }
    Ok(taken)
}

fn create(session: &mut dyn Session, study: StudyId, claim: &Claim) -> Stored<Option<Trial>> {
    let now = session.now_ms()?;
    let next = session.row(sql::NEXT_NUMBER, &cells![study], |row| {
        Ok((row.count()?, row.count()?))
    })?;
    let Some((number, version)) = next else {
        return Ok(None);
    };
    let cells = cells![
        study,
        stored_name(&claim.worker),
        claim.token,
        lease_end(now, claim.lease),
        now,
        number,
        version
    ];
    session.row(sql::CREATE_TRIAL, &cells, rows::trial)
}

/// The end of a lease; never 0, which marks a waiting trial.
fn lease_end(now: i64, lease: Duration) -> i64 {
    now.saturating_add(i64::try_from(lease.as_millis()).unwrap_or(i64::MAX))
        .max(1)
}

/// The cells of [`sql::LOCK_POINT`]: study and parameters.
pub(super) fn point_cells(lease: &Lease, proposal: &Proposal) -> [SqlValue; 2] {
    cells![lease.study, proposal.params.to_json()]
}

/// The cells of a proposal, with what is specific to a statement in the sixth place.
pub(super) fn proposal_cells(
    lease: &Lease,
    proposal: &Proposal,
    sixth: impl Into<SqlValue>,
) -> Vec<SqlValue> {
    let mut cells = lease_cells(lease);
    cells.extend(cells![proposal.version, proposal.params.to_json()]);
    cells.push(sixth.into());
    cells.extend(rows::provenance_cells(Some(&proposal.provenance)));
    cells
}

/// Enters a point, step by step.
pub(super) fn propose(
    session: &mut dyn Session,
    lease: &Lease,
    proposal: &Proposal,
) -> Stored<Proposed> {
    if session.dialect() == Dialect::Postgres {
        studies::lock(session, lease.study)?;
        session.row(sql::LOCK_POINT, &point_cells(lease, proposal), |_| Ok(()))?;
    }
    if let Some(resumes) = proposal.provenance.resumes {
        let cells = cells![lease.study, resumes, lease.number];
        if session.row(sql::RESUMED, &cells, |_| Ok(()))?.is_some() {
            return Ok(Proposed::Repeated);
        }
    }
    let same = cells![lease.study, lease.number, proposal.params.to_json()];
    if !proposal.repeat_allowed && session.row(sql::SAME_POINT, &same, |_| Ok(()))?.is_some() {
        return Ok(Proposed::Repeated);
    }
    let cells = proposal_cells(lease, proposal, session.now_ms()?);
    match session.execute(sql::PROPOSE, &cells)? {
        0 => Err(lease_lost(lease)),
        _ => Ok(Proposed::Accepted),
    }
}

pub(super) fn lease_lost(lease: &Lease) -> StoreError {
    StoreError::LeaseLost {
        number: lease.number,
        attempt: lease.attempt,
    }
}

pub(super) fn release(session: &mut dyn Session, lease: &Lease) -> Stored<()> {
    if session.dialect() == Dialect::Postgres {
        studies::lock(session, lease.study)?;
    }
    if session.execute(sql::FORGET_TRIAL, &lease_cells(lease))? > 0 {
        session.execute(sql::UNCOUNT_TRIAL, &cells![lease.study, lease.number])?;
        return Ok(());
    }
    let mut cells = lease_cells(lease);
    cells.push(0_i64.into());
    session.execute(sql::GIVE_BACK, &cells).map(|_| ())
}

pub(super) fn expire(session: &mut dyn Session, lease: &Lease) -> Stored<()> {
    let mut cells = lease_cells(lease);
    cells.push(session.now_ms()?.max(1).into());
    session.execute(sql::EXPIRE, &cells).map(|_| ())
}

pub(super) fn renew(
    session: &mut dyn Session,
    leases: &[Lease],
    duration: Duration,
) -> Stored<Vec<Lease>> {
    let until = lease_end(session.now_ms()?, duration);
    let mut gone = Vec::new();
    for lease in leases {
        let mut cells = lease_cells(lease);
        cells.push(until.into());
        if session.execute(sql::RENEW, &cells)? == 0 {
            gone.push(*lease);
        }
    }
    Ok(gone)
}
