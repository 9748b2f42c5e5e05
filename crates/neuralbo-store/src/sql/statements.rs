//! All statements. Parameters are `$1`, `$2`, … for both databases.

macro_rules! trial_columns {
    () => {
        "number, params, state, seq, value, failure_kind, failure_message, origin, mean, sd, suggest_ms, based_on, pending, \
         worker, attempt, lease_until, asked_ms, finished_ms"
    };
}

macro_rules! study_columns {
    () => {
        "id, name, record_version, space, direction, method, options, seed, retries, trial_limit, target, patience, created_ms"
    };
}

pub const CREATE_STUDY: &str = "INSERT INTO neuralbo_studies (name, record_version, space, direction, method, options, seed, \
     retries, attempts, trial_limit, target, patience, created_ms, next_number, asked, complete, failed, pruned, known) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, 0, 0, 0, 0, 0) ON CONFLICT (name) DO NOTHING";
pub const STUDY_BY_NAME: &str = concat!("SELECT ", study_columns!(), " FROM neuralbo_studies WHERE name = $1");
pub const STUDIES: &str = concat!("SELECT ", study_columns!(), " FROM neuralbo_studies ORDER BY name");
pub const LIMIT_STUDY: &str = "UPDATE neuralbo_studies SET trial_limit = $2, target = $3, patience = $4 WHERE id = $1";
pub const REDEFINE_STUDY: &str = "UPDATE neuralbo_studies SET space = $2, direction = $3, method = $4, options = $5, seed = $6, \
     retries = $7, attempts = $8 WHERE id = $1";
pub const DELETE_REPORTS: &str = "DELETE FROM neuralbo_reports WHERE study = $1";
pub const DELETE_TRIALS: &str = "DELETE FROM neuralbo_trials WHERE study = $1";
pub const DELETE_STUDY: &str = "DELETE FROM neuralbo_studies WHERE id = $1";

/// What a tell needs to know of its study. An open write transaction of SQLite is alone; in PostgreSQL the row is locked, which
/// puts the tells of a study in order.
pub const LOCK_STUDY_SQLITE: &str =
    "SELECT complete + failed + pruned, attempts, retries, next_number FROM neuralbo_studies WHERE id = $1";
pub const LOCK_STUDY_POSTGRES: &str =
    "SELECT complete + failed + pruned, attempts, retries, next_number FROM neuralbo_studies WHERE id = $1 FOR UPDATE";
pub const COUNT_FINISHED: &str =
    "UPDATE neuralbo_studies SET complete = complete + $2, failed = failed + $3, pruned = pruned + $4 WHERE id = $1";
pub const COUNTS: &str = "SELECT asked + known - complete - failed - pruned, complete, failed, pruned, known \
     FROM neuralbo_studies WHERE id = $1";

pub const CLAIMED_BEFORE: &str =
    concat!("SELECT ", trial_columns!(), " FROM neuralbo_trials WHERE study = $1 AND state = 'running' AND token = $2");
/// A trial that waits for a worker (`lease_until = 0`), or whose worker is dead and that may be tried once more.
pub const WAITING_SQLITE: &str = "SELECT t.number, t.attempt, t.losses, t.lease_until FROM neuralbo_trials t \
     JOIN neuralbo_studies s ON s.id = t.study WHERE t.study = $1 AND t.state = 'running' AND t.lease_until <= $2 \
     AND (t.lease_until = 0 OR t.losses + 1 < s.attempts) ORDER BY t.lease_until, t.number LIMIT 1";
pub const WAITING_POSTGRES: &str = "SELECT t.number, t.attempt, t.losses, t.lease_until FROM neuralbo_trials t \
     JOIN neuralbo_studies s ON s.id = t.study WHERE t.study = $1 AND t.state = 'running' AND t.lease_until <= $2 \
     AND (t.lease_until = 0 OR t.losses + 1 < s.attempts) ORDER BY t.lease_until, t.number LIMIT 1 \
     FOR UPDATE OF t SKIP LOCKED";
pub const TAKE_OVER: &str = "UPDATE neuralbo_trials SET worker = $4, token = $5, attempt = attempt + 1, losses = $6, \
     lease_until = $7 WHERE study = $1 AND number = $2 AND attempt = $3 AND state = 'running'";
pub const FORGET_REPORTS: &str = "DELETE FROM neuralbo_reports WHERE study = $1 AND number = $2";
pub const NEXT_NUMBER: &str = "UPDATE neuralbo_studies SET next_number = next_number + 1, asked = asked + 1 \
     WHERE id = $1 AND (trial_limit IS NULL OR asked < trial_limit) RETURNING next_number - 1";
pub const CREATE_TRIAL: &str = "INSERT INTO neuralbo_trials (study, number, state, worker, token, attempt, losses, lease_until, \
     asked_ms) VALUES ($1, $2, 'running', $3, $4, 1, 0, $5, $6)";

pub const SAME_POINT: &str = "SELECT number FROM neuralbo_trials WHERE study = $1 AND state = 'running' AND number <> $2 \
     AND params = $3 LIMIT 1";
pub const PROPOSE: &str = "UPDATE neuralbo_trials SET params = $4, origin = $5, mean = $6, sd = $7, suggest_ms = $8, \
     based_on = $9, pending = $10 WHERE study = $1 AND number = $2 AND attempt = $3 AND state = 'running' \
     AND (params IS NULL OR params = $4)";
pub const GIVE_BACK: &str = "UPDATE neuralbo_trials SET lease_until = 0, losses = losses + $4 \
     WHERE study = $1 AND number = $2 AND attempt = $3 AND state = 'running'";
pub const FORGET_TRIAL: &str = "DELETE FROM neuralbo_trials WHERE study = $1 AND number = $2 AND attempt = $3 \
     AND state = 'running' AND params IS NULL";
pub const UNCOUNT_TRIAL: &str = "UPDATE neuralbo_studies SET asked = asked - 1, \
     next_number = CASE WHEN next_number = $2 + 1 THEN next_number - 1 ELSE next_number END WHERE id = $1";
pub const RENEW: &str = "UPDATE neuralbo_trials SET lease_until = $4 WHERE study = $1 AND number = $2 AND attempt = $3 \
     AND state = 'running' AND lease_until > 0";

pub const FINISH: &str = "UPDATE neuralbo_trials SET state = $4, seq = $5, value = $6, failure_kind = $7, failure_message = $8, \
     finished_ms = $9, lease_until = 0 WHERE study = $1 AND number = $2 AND attempt = $3 AND state = 'running'";
pub const LOSSES: &str = "SELECT losses FROM neuralbo_trials WHERE study = $1 AND number = $2";
pub const HOPELESS: &str = "SELECT t.number, t.attempt FROM neuralbo_trials t JOIN neuralbo_studies s ON s.id = t.study \
     WHERE t.study = $1 AND t.state = 'running' AND t.lease_until > 0 AND t.lease_until <= $2 AND t.losses + 1 >= s.attempts \
     ORDER BY t.number";
pub const HAS_LEASE: &str = "SELECT number FROM neuralbo_trials WHERE study = $1 AND number = $2 AND attempt = $3 \
     AND state = 'running'";
pub const REPORT: &str = "INSERT INTO neuralbo_reports (study, number, step, name, value) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (study, number, step, name) DO UPDATE SET value = excluded.value";

pub const IMPORT_TRIAL: &str = "INSERT INTO neuralbo_trials (study, number, params, state, seq, value, failure_kind, \
     failure_message, origin, mean, sd, suggest_ms, based_on, pending, worker, attempt, lease_until, asked_ms, finished_ms, \
     token, losses) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 0, $17, $18, '', 0)";
pub const COUNT_IMPORTED: &str = "UPDATE neuralbo_studies SET next_number = $2, asked = asked + $3, known = known + $4, \
     complete = complete + $5, failed = failed + $6, pruned = pruned + $7 WHERE id = $1";

pub const TRIAL: &str = concat!("SELECT ", trial_columns!(), " FROM neuralbo_trials WHERE study = $1 AND number = $2");
pub const TRIALS: &str =
    concat!("SELECT ", trial_columns!(), " FROM neuralbo_trials WHERE study = $1 AND number >= $2 ORDER BY number LIMIT $3");
/// In the order of the leases, which all are at least 0: an order by number would lead SQLite through all trials of the study.
pub const RUNNING: &str = concat!(
    "SELECT ",
    trial_columns!(),
    " FROM neuralbo_trials WHERE study = $1 AND state = 'running' AND lease_until >= 0 ORDER BY lease_until"
);
pub const FINISHED_SINCE: &str = "SELECT seq, number, params, state, value, failure_kind, failure_message, origin \
     FROM neuralbo_trials WHERE study = $1 AND seq > $2 ORDER BY seq LIMIT $3";
pub const SMALLEST: &str = concat!(
    "SELECT ",
    trial_columns!(),
    " FROM neuralbo_trials WHERE study = $1 AND state = 'complete' ORDER BY value, seq LIMIT 1"
);
pub const LARGEST: &str = concat!(
    "SELECT ",
    trial_columns!(),
    " FROM neuralbo_trials WHERE study = $1 AND state = 'complete' ORDER BY value DESC, seq LIMIT 1"
);
pub const DIRECTION: &str = "SELECT direction FROM neuralbo_studies WHERE id = $1";
pub const REPORTS: &str = "SELECT step, name, value FROM neuralbo_reports WHERE study = $1 AND number = $2 ORDER BY step, name";
pub const REPORTS_AT: &str = "SELECT r.value FROM neuralbo_reports r JOIN neuralbo_trials t \
     ON t.study = r.study AND t.number = r.number WHERE r.study = $1 AND r.step = $2 AND r.name = $3 AND t.state = 'complete'";
