//! Trials from elsewhere.

use neuralbo::record::{Definition, State, Trial};
use neuralbo::store::{Lease, NewTrial, StoreError, StudyId, check_trials, stored_name};

use super::cell::Cell;
use super::driver::Session;
use super::statements as sql;
use super::telling::{tally, write_report};
use super::{rows, studies};

pub(super) fn add(
    session: &mut dyn Session,
    study: StudyId,
    trials: &[NewTrial],
) -> Result<Vec<u64>, StoreError> {
    let ledger = studies::lock(session, study)?;
    let definitions = studies::definitions(session, study)?;
    let number = |(place, new): (u64, &NewTrial)| {
        let trial = Trial {
            number: ledger.next_number + place,
            version: ledger.version,
            ..new.trial.clone()
        };
        NewTrial {
            trial,
            reports: new.reports.clone(),
        }
    };
    let numbered: Vec<NewTrial> = (0..).zip(trials).map(number).collect();
    check_trials(&definitions, &numbered)?;
    insert(
        session,
        study,
        studies::newest(&definitions)?,
        &numbered,
        ledger.finished,
        ledger.next_number,
    )?;
    Ok(numbered.iter().map(|new| new.trial.number).collect())
}

/// Enters checked trials under their numbers, the finished ones after the `finished` that there are.
pub(super) fn insert(
    session: &mut dyn Session,
    study: StudyId,
    definition: &Definition,
    trials: &[NewTrial],
    mut finished: u64,
    mut next: u64,
) -> Result<(), StoreError> {
    let (mut known, mut states) = (0_u64, [0_u64; 3]);
    for NewTrial { trial, reports } in trials {
        let seq = (!trial.is_running()).then_some(finished + 1);
        insert_trial(session, study, definition, seq, trial)?;
        let lease = Lease::of(study, trial);
        reports
            .iter()
            .filter(|report| report.value.is_finite())
            .try_for_each(|report| write_report(session, &lease, report))?;
        finished = seq.unwrap_or(finished);
        next = next.max(trial.number + 1);
        known += u64::from(trial.is_known());
        states
            .iter_mut()
            .zip(tally(&trial.state))
            .for_each(|(sum, one)| *sum += one);
    }
    let asked = trials.len() as u64 - known;
    let [complete, failed, pruned] = states;
    let cells: [Cell; 7] = [
        study.0.into(),
        next.into(),
        asked.into(),
        known.into(),
        complete.into(),
        failed.into(),
        pruned.into(),
    ];
    session.execute(sql::COUNT_ADDED, &cells).map(|_| ())
}

fn insert_trial(
    session: &mut dyn Session,
    study: StudyId,
    definition: &Definition,
    seq: Option<u64>,
    trial: &Trial,
) -> Result<(), StoreError> {
    let params = trial.params.as_ref().map(|params| params.to_json());
    let mut cells: Vec<Cell> = vec![
        study.0.into(),
        trial.number.into(),
        trial.version.into(),
        params.into(),
        seq.into(),
    ];
    cells.push(trial.state.name().into());
    cells.extend(ranked(definition, trial));
    cells.push(rows::map_cell(&trial.values)?);
    cells.extend(rows::state_cells(&trial.state));
    cells.push(rows::map_cell(&trial.attributes)?);
    cells.extend(rows::provenance_cells(trial.provenance.as_ref()));
    cells.extend([
        stored_name(&trial.worker).into(),
        trial.attempt.into(),
        trial.asked_ms.into(),
        trial.started_ms.into(),
        trial.finished_ms.into(),
    ]);
    session.execute(sql::ADD_TRIAL, &cells).map(|_| ())
}

fn ranked(definition: &Definition, trial: &Trial) -> [Cell; 2] {
    match trial.state {
        State::Running => [Cell::Null, true.into()],
        _ => studies::rank_cells(definition, &trial.values),
    }
}
