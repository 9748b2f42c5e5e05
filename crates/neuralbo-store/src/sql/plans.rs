//! The statements of asking and telling never read a whole table, so their cost does not grow with the study.

use rusqlite::Connection;

use super::statements as sql;
use crate::sql::{Access, SqliteDriver};

const HOT: [&str; 27] = [
    sql::CLAIMED_BEFORE,
    sql::WAITING,
    sql::TAKE_OVER,
    sql::NEXT_NUMBER,
    sql::LOCK_STUDY_SQLITE,
    sql::COUNT_FINISHED,
    sql::COUNTS,
    sql::SAME_POINT,
    sql::PROPOSE,
    sql::GIVE_BACK,
    sql::FORGET_TRIAL,
    sql::RENEW,
    sql::FINISH,
    sql::LOST_ATTEMPTS,
    sql::LOST,
    sql::HAS_LEASE,
    sql::TRIAL,
    sql::FINISHED_SINCE,
    sql::DEFINITION,
    sql::RENEW_VERSION,
    sql::EXPIRE,
    sql::SET_PARAMS,
    sql::ATTRIBUTES_SQLITE,
    sql::SET_ATTRIBUTES,
    sql::REPORTS_AT,
    sql::CURVES,
    sql::RESUMED,
];

#[test]
fn no_statement_of_asking_and_telling_scans_a_table() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("plans.db");
    SqliteDriver::open(&path, "plans.db", Access::Create).unwrap();
    let connection = Connection::open(&path).unwrap();
    for statement in HOT
        .iter()
        .chain(&[sql::RUNNING, sql::SMALLEST, sql::LARGEST])
    {
        let mut plan = connection
            .prepare(&format!("EXPLAIN QUERY PLAN {statement}"))
            .unwrap();
        let steps = plan.raw_query().mapped(|row| row.get(3));
        let steps: Vec<String> = steps.collect::<Result<_, _>>().unwrap();
        assert!(
            steps.iter().any(|step| step.starts_with("SEARCH")),
            "{statement}: {steps:?}"
        );
        assert!(
            steps.iter().all(|step| !step.starts_with("SCAN")),
            "{statement}: {steps:?}"
        );
        let by_state =
            statement.contains("state = 'running'") && !statement.contains("number = $2");
        let by_value = statement.contains("ORDER BY value");
        assert!(
            !by_value
                || steps
                    .iter()
                    .any(|step| step.contains("neuralbo_trials_best")),
            "{statement}: {steps:?}"
        );
        assert!(
            !by_state
                || steps
                    .iter()
                    .any(|step| step.contains("neuralbo_trials_running")),
            "{statement}: {steps:?}"
        );
    }
}
