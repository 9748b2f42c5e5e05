//! The tables, and how older storages become newer ones.
//!
//! A migration leads from the version before it to its own, in one transaction. Released migrations never change.

use neuralbo::store::StoreError;

use super::driver::{Dialect, Session};
use super::naming::name_parameters;

/// The version that this code reads and writes.
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;
/// The newest version of a study's records that this code reads.
pub(crate) const RECORD_VERSION: i64 = 2;

const VERSION_TABLE: &str = "CREATE TABLE IF NOT EXISTS neuralbo_schema (version BIGINT NOT NULL)";
const READ_VERSION: &str = "SELECT MAX(version) FROM neuralbo_schema";
const WRITE_VERSION: &str = "INSERT INTO neuralbo_schema (version) VALUES ($1)";

/// A change of data that statements alone cannot make.
type Change = fn(&mut dyn Session) -> Result<(), StoreError>;

struct Migration {
    sqlite: &'static [&'static str],
    postgres: &'static [&'static str],
    both: &'static [&'static str],
    data: Option<Change>,
    /// The statements after it.
    after: &'static [&'static str],
}

const MIGRATIONS: &[Migration] = &[
    Migration {
        sqlite: &["CREATE TABLE neuralbo_studies (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, record_version BIGINT NOT NULL,
        space TEXT NOT NULL, direction TEXT NOT NULL, method TEXT NOT NULL, options TEXT NOT NULL, seed TEXT NOT NULL,
        retries TEXT NOT NULL, attempts BIGINT NOT NULL,
        trial_limit BIGINT, target DOUBLE PRECISION, patience BIGINT, created_ms BIGINT NOT NULL,
        next_number BIGINT NOT NULL, asked BIGINT NOT NULL,
        complete BIGINT NOT NULL, failed BIGINT NOT NULL, pruned BIGINT NOT NULL, known BIGINT NOT NULL)"],
        postgres: &["CREATE TABLE neuralbo_studies (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL UNIQUE, record_version BIGINT NOT NULL,
        space TEXT NOT NULL, direction TEXT NOT NULL, method TEXT NOT NULL, options TEXT NOT NULL, seed TEXT NOT NULL,
        retries TEXT NOT NULL, attempts BIGINT NOT NULL,
        trial_limit BIGINT, target DOUBLE PRECISION, patience BIGINT, created_ms BIGINT NOT NULL,
        next_number BIGINT NOT NULL, asked BIGINT NOT NULL,
        complete BIGINT NOT NULL, failed BIGINT NOT NULL, pruned BIGINT NOT NULL, known BIGINT NOT NULL)"],
        both: &[
            "CREATE TABLE neuralbo_trials (
            study BIGINT NOT NULL, number BIGINT NOT NULL, state TEXT NOT NULL, params TEXT, seq BIGINT,
            value DOUBLE PRECISION, failure_kind TEXT, failure_message TEXT,
            origin TEXT, mean DOUBLE PRECISION, sd DOUBLE PRECISION, suggest_ms DOUBLE PRECISION,
            based_on BIGINT, pending TEXT,
            worker TEXT NOT NULL, token TEXT NOT NULL, attempt BIGINT NOT NULL, losses BIGINT NOT NULL,
            lease_until BIGINT NOT NULL, asked_ms BIGINT NOT NULL, finished_ms BIGINT,
            PRIMARY KEY (study, number))",
            "CREATE UNIQUE INDEX neuralbo_trials_finished ON neuralbo_trials (study, seq)",
            "CREATE INDEX neuralbo_trials_running ON neuralbo_trials (study, lease_until) WHERE state = 'running'",
            "CREATE INDEX neuralbo_trials_best ON neuralbo_trials (study, value, seq) WHERE state = 'complete'",
            "CREATE TABLE neuralbo_reports (
            study BIGINT NOT NULL, number BIGINT NOT NULL, step BIGINT NOT NULL, name TEXT NOT NULL,
            value DOUBLE PRECISION NOT NULL, PRIMARY KEY (study, number, step, name))",
            "CREATE INDEX neuralbo_reports_step ON neuralbo_reports (study, step, name)",
        ],
        data: None,
        after: &[],
    },
    // Parameters and values by name, versions of definitions. The lease's column has another name, so that a program of the
    // version before, which still has the storage open, fails instead of writing positions.
    Migration {
        sqlite: &[],
        postgres: &[],
        both: &[
            "CREATE TABLE neuralbo_definitions (
            study BIGINT NOT NULL, version BIGINT NOT NULL, record_version BIGINT NOT NULL, definition TEXT NOT NULL,
            created_ms BIGINT NOT NULL, PRIMARY KEY (study, version))",
            "ALTER TABLE neuralbo_studies ADD COLUMN version BIGINT NOT NULL DEFAULT 1",
            "ALTER TABLE neuralbo_trials RENAME COLUMN lease_until TO lease_until_ms",
            "ALTER TABLE neuralbo_trials ADD COLUMN version BIGINT NOT NULL DEFAULT 1",
            "ALTER TABLE neuralbo_trials ADD COLUMN vals TEXT",
            "ALTER TABLE neuralbo_trials ADD COLUMN feasible BIGINT NOT NULL DEFAULT 1",
            "ALTER TABLE neuralbo_trials ADD COLUMN step BIGINT",
            "ALTER TABLE neuralbo_trials ADD COLUMN attributes TEXT",
            "ALTER TABLE neuralbo_trials ADD COLUMN started_ms BIGINT",
            "ALTER TABLE neuralbo_trials ADD COLUMN batch_first BIGINT",
            "ALTER TABLE neuralbo_trials ADD COLUMN batch_count BIGINT",
        ],
        data: Some(name_parameters),
        after: &[
            "ALTER TABLE neuralbo_studies DROP COLUMN record_version",
            "ALTER TABLE neuralbo_studies DROP COLUMN space",
            "ALTER TABLE neuralbo_studies DROP COLUMN method",
            "ALTER TABLE neuralbo_studies DROP COLUMN options",
            "ALTER TABLE neuralbo_studies DROP COLUMN seed",
            "ALTER TABLE neuralbo_studies DROP COLUMN retries",
            "DROP INDEX neuralbo_trials_best",
            "CREATE INDEX neuralbo_trials_best ON neuralbo_trials (study, value, seq) \
             WHERE state = 'complete' AND feasible = 1 AND value IS NOT NULL",
        ],
    },
    // Trials that go on with a stopped one.
    Migration {
        sqlite: &[],
        postgres: &[],
        both: &[
            "ALTER TABLE neuralbo_trials ADD COLUMN resumes BIGINT",
            "CREATE INDEX neuralbo_trials_resumed ON neuralbo_trials (study, resumes) WHERE resumes IS NOT NULL",
        ],
        data: None,
        after: &[],
    },
];

/// The version of a storage that has the version table.
pub(crate) fn version(session: &mut dyn Session) -> Result<i64, StoreError> {
    Ok(session
        .row(READ_VERSION, &[], |row| row.maybe_int())?
        .flatten()
        .unwrap_or(0))
}

/// Makes the tables or brings them to this version, for an opener that has found them to be older.
pub(crate) fn migrate(session: &mut dyn Session, url: &str) -> Result<(), StoreError> {
    session.execute(VERSION_TABLE, &[])?;
    let found = version(session)?;
    check(found, url)?;
    for (index, migration) in MIGRATIONS
        .iter()
        .enumerate()
        .skip(usize::try_from(found).unwrap_or(0))
    {
        migration.apply(session)?;
        session.execute(WRITE_VERSION, &[(index as i64 + 1).into()])?;
    }
    Ok(())
}

impl Migration {
    fn apply(&self, session: &mut dyn Session) -> Result<(), StoreError> {
        let own = if session.dialect() == Dialect::Postgres {
            self.postgres
        } else {
            self.sqlite
        };
        own.iter()
            .chain(self.both)
            .try_for_each(|statement| session.execute(statement, &[]).map(|_| ()))?;
        if let Some(data) = self.data {
            data(session)?;
        }
        self.after
            .iter()
            .try_for_each(|statement| session.execute(statement, &[]).map(|_| ()))
    }
}

/// Refuses a version that is newer than ours.
pub(crate) fn check(found: i64, url: &str) -> Result<(), StoreError> {
    if found <= VERSION {
        Ok(())
    } else {
        Err(StoreError::Newer {
            url: url.to_owned(),
            found,
            supported: VERSION,
        })
    }
}
