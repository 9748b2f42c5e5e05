//! Records that cannot be read, replaced by what can be read of them.

use neuralbo::record::State;
use neuralbo::store::{StoreError, StudyId};

use super::checking::{each_trial, is_of_record};
use super::driver::{Session, Stored};
use super::rows::cells;
use super::{studies, telling};

const STUDIES: &str = "SELECT id, name FROM neuralbo_studies ORDER BY id";
const REMOVE: &str = "DELETE FROM neuralbo_trials WHERE study = $1 AND number = $2";
const COUNT: &str = "UPDATE neuralbo_studies SET \
     complete = (SELECT COUNT(*) FROM neuralbo_trials WHERE study = $1 AND state = 'complete'), \
     failed = (SELECT COUNT(*) FROM neuralbo_trials WHERE study = $1 AND state = 'failed'), \
     pruned = (SELECT COUNT(*) FROM neuralbo_trials WHERE study = $1 AND state = 'pruned'), \
     known = (SELECT COUNT(*) FROM neuralbo_trials WHERE study = $1 AND origin = 'known'), \
     asked = (SELECT COUNT(*) FROM neuralbo_trials WHERE study = $1 AND (origin IS NULL OR origin <> 'known')) \
     WHERE id = $1";

/// What became of the unreadable records of a storage, one line each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mended {
    /// Those that were replaced.
    pub mended: Vec<String>,
    /// Those that nothing can be done about.
    pub left: Vec<String>,
}

/// Mends the trials of all studies with a readable definition.
pub(super) fn mend(session: &mut dyn Session) -> Stored<Mended> {
    let mut found = Mended::default();
    let studies = session.rows(STUDIES, &[], |row| {
        Ok((StudyId(row.of("a study").int()?), row.text()?.to_owned()))
    })?;
    for (study, name) in studies {
        let lines = match mend_study(session, study) {
            Err(error) if is_of_record(&error) => {
                found.left.push(format!("study `{name}`: {error}"));
                continue;
            }
            lines => lines?,
        };
        let line = |line: String| format!("study `{name}`, {line}");
        found.mended.extend(lines.into_iter().map(line));
    }
    Ok(found)
}

fn mend_study(session: &mut dyn Session, study: StudyId) -> Stored<Vec<String>> {
    let definitions = studies::definitions(session, study)?;
    let definition = studies::newest(&definitions)?;
    let mut damaged: Vec<(u64, StoreError)> = Vec::new();
    each_trial(session, study, |trial| damaged.extend(trial.err()))?;
    let mut lines = Vec::new();
    for (number, error) in &damaged {
        let trial = studies::trial(session, study, *number)?;
        session.execute(REMOVE, &cells![study, *number])?;
        telling::insert_trial(session, study, definition, trial.seq, &trial)?;
        let outcome = match trial.state {
            State::Failed { .. } => "has failed now",
            State::Running => "waits for a worker now",
            State::Complete | State::Pruned { .. } => "keeps its result",
        };
        lines.push(format!("trial {number} {outcome}: {error}"));
    }
    if !damaged.is_empty() {
        session.execute(COUNT, &cells![study])?;
    }
    Ok(lines)
}
