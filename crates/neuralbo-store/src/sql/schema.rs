//! The tables and their migrations.

use neuralbo::store::StoreError;

use super::driver::{Dialect, Session, Stored};
use super::rows::cells;

/// A change of the tables and their data to the next version, within the transaction of the
/// session. Released migrations never change.
type Migration = fn(&mut dyn Session) -> Stored<()>;

/// The first migration leads from version 1 to version 2.
const MIGRATIONS: &[Migration] = &[];
/// The version of the tables of a new storage.
const FIRST: i64 = 1;
/// The version that this code reads and writes.
pub(crate) const VERSION: i64 = FIRST + MIGRATIONS.len() as i64;

const VERSION_TABLE: &str = "CREATE TABLE IF NOT EXISTS neuralbo_schema (version BIGINT NOT NULL)";
const READ_VERSION: &str = "SELECT MAX(version) FROM neuralbo_schema";
const WRITE_VERSION: &str = "INSERT INTO neuralbo_schema (version) VALUES ($1)";

macro_rules! study_table {
    ($id:literal) => {
        concat!(
            "CREATE TABLE neuralbo_studies (id ",
            $id,
            ", name TEXT NOT NULL UNIQUE, version BIGINT NOT NULL, direction TEXT NOT NULL,
            attempts BIGINT NOT NULL, trial_limit BIGINT, target DOUBLE PRECISION, patience BIGINT, attributes TEXT,
            created_ms BIGINT NOT NULL, next_number BIGINT NOT NULL, asked BIGINT NOT NULL,
            complete BIGINT NOT NULL, failed BIGINT NOT NULL, pruned BIGINT NOT NULL,
            known BIGINT NOT NULL)"
        )
    };
}

const STUDIES_SQLITE: &str = study_table!("INTEGER PRIMARY KEY AUTOINCREMENT");
const STUDIES_POSTGRES: &str = study_table!("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY");
const TABLES: [&str; 8] = [
    "CREATE TABLE neuralbo_definitions (
        study BIGINT NOT NULL, version BIGINT NOT NULL, record_version BIGINT NOT NULL,
        definition TEXT NOT NULL, created_ms BIGINT NOT NULL, PRIMARY KEY (study, version))",
    "CREATE TABLE neuralbo_trials (
        study BIGINT NOT NULL, number BIGINT NOT NULL, version BIGINT NOT NULL, state TEXT NOT NULL,
        params TEXT, seq BIGINT, value DOUBLE PRECISION, feasible BIGINT NOT NULL DEFAULT 1,
        vals TEXT, step BIGINT, failure_kind TEXT, failure_message TEXT, attributes TEXT,
        origin TEXT, mean DOUBLE PRECISION, sd DOUBLE PRECISION, suggest_ms DOUBLE PRECISION,
        based_on BIGINT, pending TEXT, batch_first BIGINT, batch_count BIGINT, resumes BIGINT,
        worker TEXT NOT NULL, token TEXT NOT NULL, attempt BIGINT NOT NULL,
        lost_attempts BIGINT NOT NULL, lease_until_ms BIGINT NOT NULL, asked_ms BIGINT NOT NULL,
        started_ms BIGINT, finished_ms BIGINT, PRIMARY KEY (study, number))",
    "CREATE UNIQUE INDEX neuralbo_trials_finished ON neuralbo_trials (study, seq)",
    "CREATE INDEX neuralbo_trials_running ON neuralbo_trials (study, lease_until_ms) \
     WHERE state = 'running'",
    "CREATE INDEX neuralbo_trials_best ON neuralbo_trials (study, value, seq) \
     WHERE state = 'complete' AND feasible = 1 AND value IS NOT NULL",
    "CREATE INDEX neuralbo_trials_resumed ON neuralbo_trials (study, resumes) \
     WHERE resumes IS NOT NULL",
    "CREATE TABLE neuralbo_reports (
        study BIGINT NOT NULL, number BIGINT NOT NULL, step BIGINT NOT NULL, name TEXT NOT NULL,
        value DOUBLE PRECISION NOT NULL, PRIMARY KEY (study, number, step, name))",
    "CREATE INDEX neuralbo_reports_step ON neuralbo_reports (study, step, name)",
];

/// The version of a storage that has the version table.
pub(crate) fn version(session: &mut dyn Session) -> Stored<i64> {
    Ok(session
        .row(READ_VERSION, &[], |row| row.maybe_int())?
        .flatten()
        .unwrap_or(0))
}

/// Creates the tables, or migrates those of an earlier version.
pub(crate) fn migrate(session: &mut dyn Session, url: &str) -> Stored<()> {
    migrate_by(MIGRATIONS, session, url)
}

fn migrate_by(migrations: &[Migration], session: &mut dyn Session, url: &str) -> Stored<()> {
    session.execute(VERSION_TABLE, &[])?;
    let mut found = version(session)?;
    check_by(migrations, found, url)?;
    if found == 0 {
        create(session)?;
        found = FIRST;
        session.execute(WRITE_VERSION, &cells![found])?;
    }
    for (next, migration) in (FIRST + 1..).zip(migrations) {
        if next > found {
            migration(session)?;
            session.execute(WRITE_VERSION, &cells![next])?;
        }
    }
    Ok(())
}

fn create(session: &mut dyn Session) -> Stored<()> {
    let studies = match session.dialect() {
        Dialect::Sqlite => STUDIES_SQLITE,
        Dialect::Postgres => STUDIES_POSTGRES,
    };
    session.execute(studies, &[])?;
    TABLES
        .iter()
        .try_for_each(|statement| session.execute(statement, &[]).map(|_| ()))
}

/// Refuses a version that is newer than ours.
pub(crate) fn check(found: i64, url: &str) -> Stored<()> {
    check_by(MIGRATIONS, found, url)
}

fn check_by(migrations: &[Migration], found: i64, url: &str) -> Stored<()> {
    let supported = FIRST + migrations.len() as i64;
    if found <= supported {
        return Ok(());
    }
    Err(StoreError::Newer {
        url: url.to_owned(),
        found,
        supported,
    })
}

/// A made-up migration, on both databases.
#[cfg(all(test, feature = "sqlite", feature = "postgres"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::sql::{
        Access, Driver, PostgresDriver, ProcessEnvironment, ServerSettings, SqliteDriver,
    };

    const NOTES: &str = "SELECT note FROM neuralbo_studies";

    fn add_notes(session: &mut dyn Session) -> Stored<()> {
        session.execute("ALTER TABLE neuralbo_studies ADD COLUMN note TEXT", &[])?;
        session
            .execute("UPDATE neuralbo_studies SET note = 'of ' || name", &[])
            .map(|_| ())
    }

    fn fail_half_way(session: &mut dyn Session) -> Stored<()> {
        session.execute("DROP TABLE neuralbo_reports", &[])?;
        session
            .execute("INSERT INTO neuralbo_nowhere VALUES (1)", &[])
            .map(|_| ())
    }

    fn notes(driver: &mut dyn Driver) -> Stored<Vec<String>> {
        let mut found = Vec::new();
        driver.read(&mut |session| {
            found = session.rows(NOTES, &[], |row| Ok(row.text()?.to_owned()))?;
            Ok(())
        })?;
        Ok(found)
    }

    fn found(driver: &mut dyn Driver) -> (i64, u64) {
        let mut found = (0, 0);
        driver
            .read(&mut |session| {
                let reports = "SELECT COUNT(*) FROM neuralbo_reports";
                found.0 = version(session)?;
                found.1 = session.row(reports, &[], |row| row.count())?.unwrap();
                Ok(())
            })
            .unwrap();
        found
    }

    /// Takes a way to open the same empty storage again.
    fn is_migrated_as_a_whole(open: &dyn Fn() -> Stored<Box<dyn Driver>>) {
        let mut driver = open().unwrap();
        let fill = [
            "INSERT INTO neuralbo_studies (name, version, direction, attempts, created_ms, next_number, \
             asked, complete, failed, pruned, known) VALUES ('s', 1, 'minimize', 3, 0, 0, 0, 0, 0, 0, 0)",
            "INSERT INTO neuralbo_reports VALUES (1, 0, 0, 'value', 0.5)",
        ];
        driver
            .write(&mut |session| {
                fill.iter()
                    .try_for_each(|sql| session.execute(sql, &[]).map(|_| ()))
            })
            .unwrap();
        let mut to = |migrations: &[Migration]| {
            driver.write(&mut |session| migrate_by(migrations, session, "s"))
        };
        to(&[add_notes, fail_half_way]).unwrap_err();
        let mut driver = open().unwrap();
        assert_eq!(found(driver.as_mut()), (1, 1), "nothing has changed");
        assert!(notes(driver.as_mut()).is_err());

        let mut driver = open().unwrap();
        let mut to = |migrations: &[Migration]| {
            driver.write(&mut |session| migrate_by(migrations, session, "s"))
        };
        to(&[add_notes]).unwrap();
        to(&[add_notes]).unwrap();
        assert_eq!(notes(driver.as_mut()).unwrap(), ["of s"]);
        assert_eq!(found(driver.as_mut()), (2, 1));
        let refused = open().err().unwrap().to_string();
        assert!(
            refused.contains("version 2") && refused.contains("version 1"),
            "{refused}"
        );
    }

    #[test]
    fn a_sqlite_storage_is_migrated_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        is_migrated_as_a_whole(&|| {
            Ok(Box::new(SqliteDriver::open(&path, "s.db", Access::Create)?))
        });
    }

    #[test]
    fn a_postgres_storage_is_migrated_as_a_whole_or_not_at_all() {
        let Ok(server) = std::env::var("NEURALBO_TEST_POSTGRES") else {
            return;
        };
        let sign = if server.contains('?') { '&' } else { '?' };
        let url = format!("{server}{sign}schema=migrated_{}", std::process::id());
        is_migrated_as_a_whole(&|| {
            let settings = ServerSettings::read(&url, &ProcessEnvironment).unwrap();
            Ok(Box::new(PostgresDriver::open(settings, Access::Create)?))
        });
    }
}
