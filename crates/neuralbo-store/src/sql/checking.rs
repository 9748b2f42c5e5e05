//! Checks of a whole storage.

use std::collections::HashMap;

use neuralbo::record::{Definition, State, Trial};
use neuralbo::space::Params;
use neuralbo::store::{StoreError, StudyId, check_definition};

use super::driver::{Dialect, Session, Stored};
use super::rows::{self, SqlRow, add_up, cells};
use super::statements as sql;
use super::studies;

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Findings {
    /// The number of studies checked.
    pub studies: u64,
    /// The number of trials checked.
    pub trials: u64,
    /// Descriptions of the problems.
    pub problems: Vec<String>,
}

const INTEGRITY: &str = "PRAGMA integrity_check";
const INDEXES: &str = "SELECT c.relname::text FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid \
     WHERE c.relname LIKE 'neuralbo_%' AND NOT i.indisvalid";
const STUDIES: &str = "SELECT id, name, version, next_number, asked, complete, failed, pruned, known FROM neuralbo_studies ORDER BY id";
/// Orphaned rows: a description and a query that counts them.
const ORPHANS: [(&str, &str); 4] = [
    (
        "definitions without a study",
        "SELECT COUNT(*) FROM neuralbo_definitions d WHERE NOT EXISTS (SELECT 1 FROM neuralbo_studies s WHERE s.id = d.study)",
    ),
    (
        "trials without a study",
        "SELECT COUNT(*) FROM neuralbo_trials t WHERE NOT EXISTS (SELECT 1 FROM neuralbo_studies s WHERE s.id = t.study)",
    ),
    (
        "intermediate values without a trial",
        "SELECT COUNT(*) FROM neuralbo_reports r WHERE NOT EXISTS (SELECT 1 FROM neuralbo_trials t WHERE t.study = r.study AND t.number = r.number)",
    ),
    (
        "studies without a definition",
        "SELECT COUNT(*) FROM neuralbo_studies s WHERE NOT EXISTS (SELECT 1 FROM neuralbo_definitions d WHERE d.study = s.id AND d.version = s.version)",
    ),
];
const PORTION: u64 = 1000;
const NUMBERS: &str =
    "SELECT number FROM neuralbo_trials WHERE study = $1 AND number >= $2 ORDER BY number LIMIT $3";

struct StudyCounts {
    id: StudyId,
    name: String,
    version: u64,
    next_number: u64,
    asked: u64,
    states: [u64; 3],
    known: u64,
}

/// Checks everything in one transaction.
pub(super) fn check(session: &mut dyn Session) -> Stored<Findings> {
    let mut found = Findings::default();
    found.problems.extend(damage(session)?);
    for (what, query) in ORPHANS {
        let count = session.row(query, &[], |row| row.count())?.unwrap_or(0);
        if count > 0 {
            found.problems.push(format!("{count} {what}"));
        }
    }
    for study in session.rows(STUDIES, &[], counted)? {
        found.studies += 1;
        check_study(session, &study, &mut found)?;
    }
    Ok(found)
}

/// Problems that the database finds by itself.
fn damage(session: &mut dyn Session) -> Stored<Vec<String>> {
    match session.dialect() {
        Dialect::Sqlite => {
            let mut said = session.rows(INTEGRITY, &[], |row| Ok(row.text()?.to_owned()))?;
            said.retain(|line| line != "ok");
            let damaged = |line| format!("the file is damaged: {line}");
            Ok(said.into_iter().map(damaged).collect())
        }
        Dialect::Postgres => session.rows(INDEXES, &[], |row| {
            Ok(format!("index {} is not valid; REINDEX it", row.text()?))
        }),
    }
}

fn counted(row: &mut SqlRow<'_>) -> Stored<StudyCounts> {
    row.of("a study");
    Ok(StudyCounts {
        id: StudyId(row.int()?),
        name: row.text()?.to_owned(),
        version: row.count()?,
        next_number: row.count()?,
        asked: row.count()?,
        states: [row.count()?, row.count()?, row.count()?],
        known: row.count()?,
    })
}

/// Sums over the trials of a study.
#[derive(Default)]
struct TrialSums {
    states: [u64; 3],
    known: u64,
    trials: u64,
    seqs: Vec<u64>,
}

fn check_study(session: &mut dyn Session, study: &StudyCounts, found: &mut Findings) -> Stored<()> {
    let mut problems = Vec::new();
    let mut definitions: HashMap<u64, Definition> = HashMap::new();
    for version in 1..=study.version {
        let cells = cells![study.id, version];
        match session.row(sql::DEFINITION, &cells, rows::definition) {
            Ok(Some(definition)) => {
                let wrong = check_definition(version, &definition).err();
                problems.extend(wrong.map(|error| format!(": {error}")));
                definitions.insert(version, definition);
            }
            Ok(None) => problems.push(format!(": version {version} of its definition is missing")),
            Err(error) if is_of_record(&error) => problems.push(format!(": {error}")),
            Err(error) => return Err(error),
        }
    }
    let mut sum = TrialSums::default();
    let all = each_trial(session, study.id, |trial| match trial {
        Ok(trial) => {
            sum.add(&trial);
            let wrong = impossible(&trial, study, &definitions).into_iter();
            problems.extend(wrong.map(|what| format!(", trial {}: {what}", trial.number)));
        }
        Err((number, error)) => {
            sum.trials += 1;
            problems.push(format!(", trial {number}: {error}"));
        }
    });
    match all {
        Err(error) if is_of_record(&error) => problems.push(format!(": {error}")),
        all => all?,
    }
    found.trials += sum.trials;
    let differences = sum.differences(study).into_iter();
    problems.extend(differences.map(|what| format!(": {what}")));
    let of_study = |problem: String| format!("study `{}`{problem}", study.name);
    found.problems.extend(problems.into_iter().map(of_study));
    Ok(())
}

/// Passes on every trial, or the number of one that cannot be read and the reason.
pub(super) fn each_trial(
    session: &mut dyn Session,
    study: StudyId,
    mut each: impl FnMut(Result<Trial, (u64, StoreError)>),
) -> Stored<()> {
    let mut first = 0;
    loop {
        let cells = cells![study, first, PORTION];
        let numbers = session.rows(NUMBERS, &cells, |row| row.count())?;
        let numbers = studies::in_order(numbers, first, |number| Some(*number))?;
        let Some(last) = numbers.last() else {
            return Ok(());
        };
        match session.rows(sql::TRIALS, &cells, rows::strict_trial) {
            Ok(trials) => trials.into_iter().for_each(|trial| each(Ok(trial))),
            // One by one, to find the unreadable ones.
            Err(error) if is_of_record(&error) => {
                for number in &numbers {
                    let cells = cells![study, *number];
                    match session.row(sql::TRIAL, &cells, rows::strict_trial) {
                        Err(error) if is_of_record(&error) => each(Err((*number, error))),
                        trial => trial?.into_iter().for_each(|trial| each(Ok(trial))),
                    }
                }
            }
            Err(error) => return Err(error),
        }
        first = last + 1;
    }
}

pub(super) fn is_of_record(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Record { .. } | StoreError::NewerRecord { .. }
    )
}

/// Contradictions in a trial.
fn impossible(
    trial: &Trial,
    study: &StudyCounts,
    definitions: &HashMap<u64, Definition>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut unless = |fine: bool, what: &str| {
        if !fine {
            wrong.push(what.to_owned());
        }
    };
    unless(
        trial.number < study.next_number,
        "its number was never assigned",
    );
    unless(
        (1..=study.version).contains(&trial.version),
        "its version of the definition does not exist",
    );
    unless(
        trial.is_running() == trial.seq.is_none(),
        "only a finished trial has a position among the finished ones",
    );
    unless(trial.attempt >= 1 || trial.is_known(), "it has no attempts");
    unless(trial.lease_until_ms >= 0, "its lease ends before 1970");
    unless(
        trial.values.values().all(|value| value.is_finite()),
        "a value is not finite",
    );
    let provenance = trial.provenance.as_ref();
    let provenance = provenance.map_or(Ok(()), |provenance| provenance.check(trial.number));
    unless(provenance.is_ok(), "its provenance is not possible");
    if let Some(definition) = definitions.get(&trial.version) {
        let has_value = trial.value(definition.objective()).is_some();
        unless(
            trial.state != State::Complete || has_value || trial.version < study.version,
            "it is complete and has no value",
        );
        let fits = trial.params.as_ref();
        let fits = fits.is_none_or(|params| is_in_domains(params, trial.version, definitions));
        unless(fits, "its parameters are outside its space");
    }
    wrong
}

/// Whether this version of the definition or a later one allows each value: trials that define parameters while they run keep the
/// version they were asked for, and results known from elsewhere need not satisfy conditions and constraints.
fn is_in_domains(params: &Params, version: u64, definitions: &HashMap<u64, Definition>) -> bool {
    params.iter().all(|(name, value)| {
        let versions = definitions.iter().filter(|(later, _)| **later >= version);
        let mut parameters = versions.filter_map(|(_, each)| each.space.parameter(name));
        parameters.any(|parameter| parameter.accepted(value).is_some())
    })
}

impl TrialSums {
    fn add(&mut self, trial: &Trial) {
        self.trials += 1;
        self.known += u64::from(trial.is_known());
        self.seqs.extend(trial.seq);
        add_up(&mut self.states, rows::tally(&trial.state));
    }

    fn differences(mut self, study: &StudyCounts) -> Vec<String> {
        let mut wrong = Vec::new();
        let names = ["complete", "failed", "pruned"];
        for ((name, counted), found) in names.iter().zip(study.states).zip(self.states) {
            if counted != found {
                wrong.push(format!("it counts {counted} {name} trials and has {found}"));
            }
        }
        let (asked, known) = (self.trials - self.known, self.known);
        if study.known != known || study.asked != asked {
            wrong.push(format!(
                "it counts {} asked and {} known trials and has {asked} and {known}",
                study.asked, study.known
            ));
        }
        self.seqs.sort_unstable();
        if !self.seqs.iter().copied().eq(1..=self.seqs.len() as u64) {
            wrong.push("its finished trials are not numbered 1, 2, … without gaps".to_owned());
        }
        wrong
    }
}
