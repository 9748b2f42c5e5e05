//! From rows to records and back.

use neuralbo::study::{Direction, Failure};

use super::cell::{Cell, Row};
use super::schema::RECORD_VERSION;
use crate::{Definition, Finished, Limits, Provenance, StoreError, StudyId, StudyRecord, TrialRecord, TrialState};

/// A row of `study_columns!`.
pub(super) fn study(row: Row) -> Result<StudyRecord, StoreError> {
    let mut row = row.of("a study");
    let (id, name, found) = (StudyId(row.int()?), row.text()?, row.int()?);
    if found > RECORD_VERSION {
        return Err(StoreError::NewerRecord { study: name, found, supported: RECORD_VERSION });
    }
    let definition = Definition {
        space: row.json()?,
        direction: direction(&mut row)?,
        method: row.text()?,
        options: row.json()?,
        seed: row.text()?.parse().map_err(|_| row.wrong("the seed is not a number"))?,
        retries: row.json()?,
    };
    let limits = Limits { trials: row.maybe_count()?, target: row.maybe_real()?, patience: row.maybe_count()? };
    Ok(StudyRecord { id, name, definition, limits, created_ms: row.int()? })
}

pub(super) fn direction(row: &mut Row) -> Result<Direction, StoreError> {
    match row.text()?.as_str() {
        "minimize" => Ok(Direction::Minimize),
        "maximize" => Ok(Direction::Maximize),
        other => Err(row.wrong(format!("direction `{other}` is neither `minimize` nor `maximize`"))),
    }
}

pub(super) fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Minimize => "minimize",
        Direction::Maximize => "maximize",
    }
}

/// A row of `trial_columns!`.
pub(super) fn trial(row: Row) -> Result<TrialRecord, StoreError> {
    let mut row = row.of("a trial");
    let (number, params, name, seq) = (row.count()?, row.maybe_text()?, row.text()?, row.maybe_count()?);
    let state = state(&mut row, &name)?;
    let proposal = provenance(&mut row)?;
    Ok(TrialRecord {
        number,
        params,
        state,
        seq,
        proposal,
        worker: row.text()?,
        attempt: row.count()?,
        lease_until_ms: row.int()?,
        asked_ms: row.int()?,
        finished_ms: row.maybe_int()?,
    })
}

fn provenance(row: &mut Row) -> Result<Option<Provenance>, StoreError> {
    let origin = row.maybe_text()?;
    let (mean, sd, suggest_ms) = (row.maybe_real()?, row.maybe_real()?, row.maybe_real()?);
    let (based_on, pending) = (row.maybe_count()?, row.maybe_text()?);
    let Some(origin) = origin else { return Ok(None) };
    let pending = pending.map_or(Ok(Vec::new()), |text| serde_json::from_str(&text).map_err(|error| row.wrong(error)))?;
    Ok(Some(Provenance { origin, mean, sd, suggest_ms: suggest_ms.unwrap_or(0.0), based_on: based_on.unwrap_or(0), pending }))
}

/// The columns value, failure_kind, failure_message.
pub(super) fn state(row: &mut Row, name: &str) -> Result<TrialState, StoreError> {
    let (value, kind, message) = (row.maybe_real()?, row.maybe_text()?, row.maybe_text()?);
    let number = value.ok_or_else(|| row.wrong("the value is missing"));
    match name {
        "running" => Ok(TrialState::Running),
        "complete" => Ok(TrialState::Complete { value: number? }),
        "pruned" => Ok(TrialState::Pruned { value: number? }),
        "failed" => {
            let kind = kind.unwrap_or_default().parse().map_err(|error| row.wrong(error))?;
            Ok(TrialState::Failed { failure: Failure::new(kind, message.unwrap_or_default()) })
        }
        other => Err(row.wrong(format!("state `{other}` is unknown"))),
    }
}

/// The cells state, value, failure_kind, failure_message.
pub(super) fn state_cells(state: &TrialState) -> [Cell; 4] {
    let failure = match state {
        TrialState::Failed { failure } => Some(failure),
        _ => None,
    };
    [
        state.name().into(),
        state.value().into(),
        failure.map(|failure| failure.kind.name()).into(),
        failure.map(|failure| failure.message.as_str()).into(),
    ]
}

/// The cells origin, mean, sd, suggest_ms, based_on, pending.
pub(super) fn provenance_cells(provenance: Option<&Provenance>) -> [Cell; 6] {
    let Some(from) = provenance else { return [const { Cell::Null }; 6] };
    let pending = serde_json::Value::from(from.pending.clone()).to_string();
    [
        from.origin.replace('\0', "\u{fffd}").into(),
        from.mean.into(),
        from.sd.into(),
        from.suggest_ms.into(),
        from.based_on.into(),
        pending.into(),
    ]
}

/// A row of `FINISHED_SINCE`.
pub(super) fn finished(row: Row) -> Result<Finished, StoreError> {
    let mut row = row.of("a finished trial");
    let (seq, number, params, name) = (row.count()?, row.count()?, row.maybe_text()?, row.text()?);
    let state = state(&mut row, &name)?;
    let known = row.maybe_text()?.as_deref() == Some(KNOWN);
    Ok(Finished { seq, number, params, state, known })
}

/// The origin of results told up front.
pub(super) const KNOWN: &str = "known";
