//! Trials from elsewhere.

use super::cell::Cell;
use super::claiming::lock_study;
use super::driver::Session;
use super::rows::{self, KNOWN};
use super::statements as sql;
use super::telling::{tally, write_report};
use crate::{Lease, Report, StoreError, StudyId, TrialRecord, TrialState};

pub(super) fn import(session: &mut dyn Session, study: StudyId, trials: &[(TrialRecord, Vec<Report>)]) -> Result<(), StoreError> {
    let mut row = lock_study(session, study)?;
    let (mut finished, _, _, start) = (row.count()?, row.count()?, row.text()?, row.count()?);
    let (mut next, mut known, mut states) = (start, 0_u64, [0_u64; 3]);
    for (trial, reports) in trials {
        let number = if start == 0 { trial.number } else { next };
        let seq = (trial.state != TrialState::Running).then_some(finished + 1);
        insert(session, study, number, seq, trial)?;
        for report in reports {
            write_report(session, &Lease { study, number, attempt: trial.attempt }, report)?;
        }
        finished = seq.unwrap_or(finished);
        next = next.max(number + 1);
        known += u64::from(is_known(trial));
        states.iter_mut().zip(tally(&trial.state)).for_each(|(sum, one)| *sum += one);
    }
    let asked = trials.len() as u64 - known;
    let [complete, failed, pruned] = states;
    let cells: [Cell; 7] =
        [study.0.into(), next.into(), asked.into(), known.into(), complete.into(), failed.into(), pruned.into()];
    session.execute(sql::COUNT_IMPORTED, &cells).map(|_| ())
}

fn is_known(trial: &TrialRecord) -> bool {
    trial.proposal.as_ref().is_some_and(|proposal| proposal.origin == KNOWN)
}

fn insert(
    session: &mut dyn Session,
    study: StudyId,
    number: u64,
    seq: Option<u64>,
    trial: &TrialRecord,
) -> Result<(), StoreError> {
    let [state, value, kind, message] = rows::state_cells(&trial.state);
    let mut cells: Vec<Cell> = vec![study.0.into(), number.into(), trial.params.as_deref().into(), state, seq.into()];
    cells.extend([value, kind, message]);
    cells.extend(rows::provenance_cells(trial.proposal.as_ref()));
    cells.extend([
        crate::outcome::storable(&trial.worker, 200).into(),
        trial.attempt.into(),
        trial.asked_ms.into(),
        trial.finished_ms.into(),
    ]);
    session.execute(sql::IMPORT_TRIAL, &cells).map(|_| ())
}
