//! Claims, proposals and leases.

use std::time::Duration;

use neuralbo::record::Trial;
use neuralbo::store::{
    Claim, Claimed, Lease, Proposal, Proposed, StoreError, StudyId, stored_name,
};

use super::driver::{Dialect, Session, Stored};
use super::rows::{self, SqlRow, cells, lease_cells};
use super::statements as sql;
use super::studies;

/// A trial for a worker. On PostgreSQL this takes three round trips: what there is, the claim, and the commit.
pub(super) fn claim(session: &mut dyn Session, study: StudyId, claim: &Claim) -> Stored<Claimed> {
    let (before, waiting) = claimable(session, study, claim)?;
    if let Some(number) = before {
        session.execute(sql::RENEW_VERSION, &cells![study, number])?;
        return studies::trial(session, study, number).map(claimed);
    }
    if let Some(waiting) = waiting
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

fn claimed(trial: Trial) -> Claimed {
    Claimed::Trial(Box::new(trial))
}

/// A trial that waits for a worker.
struct WaitingTrial {
    number: u64,
    attempt: u64,
    lost_attempts: u64,
    lease_until_ms: i64,
}

fn waiting_trial(row: &mut SqlRow<'_>) -> Stored<Option<WaitingTrial>> {
    let Some(number) = row.of("a waiting trial").maybe_count()? else {
        return Ok(None);
    };
    Ok(Some(WaitingTrial {
        number,
        attempt: row.count()?,
        lost_attempts: row.count()?,
        lease_until_ms: row.int()?,
    }))
}

/// The number of the trial that this very claim got before, and a trial that waits. Of several workers, one gets the latter, and the
/// others see the next one.
fn claimable(
    session: &mut dyn Session,
    study: StudyId,
    claim: &Claim,
) -> Stored<(Option<u64>, Option<WaitingTrial>)> {
    let cells = cells![study, claim.token];
    if session.dialect() == Dialect::Postgres {
        let both = session.row(sql::CLAIMABLE_POSTGRES, &cells, |row| {
            Ok((row.maybe_count()?, waiting_trial(row)?))
        })?;
        return Ok(both.unwrap_or_default());
    }
    let before = session.row(sql::CLAIMED_BEFORE, &cells, |row| row.count())?;
    let cells = cells![study, session.now_ms()?];
    let waiting = session.row(sql::WAITING_SQLITE, &cells, waiting_trial)?;
    Ok((before, waiting.flatten()))
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
    let statement = match session.dialect() {
        Dialect::Sqlite => {
            session.execute(sql::FORGET_REPORTS, &cells[..2])?;
            sql::TAKE_OVER_SQLITE
        }
        Dialect::Postgres => sql::TAKE_OVER_POSTGRES,
    };
    session.row(statement, &cells, rows::trial)
}

fn create(session: &mut dyn Session, study: StudyId, claim: &Claim) -> Stored<Option<Trial>> {
    let now = session.now_ms()?;
    let mut cells = cells![
        study,
        stored_name(&claim.worker),
        claim.token,
        lease_end(now, claim.lease),
        now
    ]
    .to_vec();
    if session.dialect() == Dialect::Postgres {
        return session.row(sql::CREATE_TRIAL_POSTGRES, &cells, rows::trial);
    }
    let next = session.row(sql::NEXT_NUMBER, &cells![study], |row| {
        Ok((row.count()?, row.count()?))
    })?;
    let Some((number, version)) = next else {
        return Ok(None);
    };
    cells.extend(cells![number, version]);
    session.row(sql::CREATE_TRIAL_SQLITE, &cells, rows::trial)
}

/// The end of a lease; never 0, which marks a waiting trial.
fn lease_end(now: i64, lease: Duration) -> i64 {
    now.saturating_add(i64::try_from(lease.as_millis()).unwrap_or(i64::MAX))
        .max(1)
}

pub(super) fn propose(
    session: &mut dyn Session,
    lease: &Lease,
    proposal: &Proposal,
) -> Stored<Proposed> {
    if session.dialect() == Dialect::Postgres {
        studies::lock(session, lease.study)?;
    }
    if let Some(resumes) = proposal.provenance.resumes {
        let cells = cells![lease.study, resumes, lease.number];
        if session.row(sql::RESUMED, &cells, |_| Ok(()))?.is_some() {
            return Ok(Proposed::Repeated);
        }
    }
    let params = proposal.params.to_json();
    let same = cells![lease.study, lease.number, params.as_str()];
    if !proposal.repeat_allowed && session.row(sql::SAME_POINT, &same, |_| Ok(()))?.is_some() {
        return Ok(Proposed::Repeated);
    }
    let mut cells = lease_cells(lease);
    cells.extend(cells![proposal.version, params, session.now_ms()?]);
    cells.extend(rows::provenance_cells(Some(&proposal.provenance)));
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
