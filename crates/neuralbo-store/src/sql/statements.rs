//! All statements. Parameters are `$1`, `$2`, … for both databases.

macro_rules! trial_columns {
    () => {
        "number, version, params, state, seq, vals, step, failure_kind, failure_message, attributes, origin, mean, sd, \
         suggest_ms, based_on, pending, batch_first, batch_count, resumes, worker, attempt, token, lease_until_ms, asked_ms, \
         started_ms, finished_ms"
    };
}

macro_rules! study_columns {
    () => {
        "s.id, s.name, s.version, d.record_version, d.definition, s.trial_limit, s.target, s.patience, s.attributes, s.created_ms \
         FROM neuralbo_studies s JOIN neuralbo_definitions d ON d.study = s.id AND d.version = s.version"
    };
}

pub const CREATE_STUDY: &str = "INSERT INTO neuralbo_studies (name, version, direction, attempts, trial_limit, target, patience, \
     attributes, created_ms, next_number, asked, complete, failed, pruned, known) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, 0, 0, 0, 0, 0) ON CONFLICT (name) DO NOTHING";
pub const STUDY_ID: &str = "SELECT id FROM neuralbo_studies WHERE name = $1";
pub const STUDY_BY_NAME: &str = concat!("SELECT ", study_columns!(), " WHERE s.name = $1");
pub const STUDIES: &str = concat!("SELECT ", study_columns!());
pub const STUDY_NAMES: &str = "SELECT name FROM neuralbo_studies";
pub const LIMIT_STUDY: &str =
    "UPDATE neuralbo_studies SET trial_limit = $2, target = $3, patience = $4 WHERE id = $1";
pub const REDEFINE_STUDY: &str =
    "UPDATE neuralbo_studies SET version = $2, direction = $3, attempts = $4 WHERE id = $1";
pub const RENAME_STUDY: &str = "UPDATE neuralbo_studies SET name = $2 WHERE id = $1 \
     AND NOT EXISTS (SELECT 1 FROM neuralbo_studies WHERE name = $2 AND id <> $1)";
pub const STUDY_ATTRIBUTES: &str = "SELECT attributes FROM neuralbo_studies WHERE id = $1";
pub const SET_STUDY_ATTRIBUTES: &str = "UPDATE neuralbo_studies SET attributes = $2 WHERE id = $1";
pub const DELETE_REPORTS: &str = "DELETE FROM neuralbo_reports WHERE study = $1";
pub const DELETE_TRIALS: &str = "DELETE FROM neuralbo_trials WHERE study = $1";
pub const DELETE_DEFINITIONS: &str = "DELETE FROM neuralbo_definitions WHERE study = $1";
pub const DELETE_STUDY: &str = "DELETE FROM neuralbo_studies WHERE id = $1";

pub const ADD_DEFINITION: &str = "INSERT INTO neuralbo_definitions (study, version, record_version, definition, created_ms) \
     VALUES ($1, $2, $3, $4, $5)";
pub const DEFINITION: &str = "SELECT s.name, d.record_version, d.definition FROM neuralbo_definitions d \
     JOIN neuralbo_studies s ON s.id = d.study WHERE d.study = $1 AND d.version = $2";
pub const DEFINITIONS: &str = "SELECT s.name, d.record_version, d.definition FROM neuralbo_definitions d \
     JOIN neuralbo_studies s ON s.id = d.study WHERE d.study = $1 ORDER BY d.version";

/// What a tell needs to know of its study. An open write transaction of SQLite is alone; in PostgreSQL the row is locked, which
/// puts the tells of a study in order.
pub const LOCK_STUDY_SQLITE: &str =
    "SELECT version, complete + failed + pruned, next_number FROM neuralbo_studies WHERE id = $1";
pub const LOCK_STUDY_POSTGRES: &str = "SELECT version, complete + failed + pruned, next_number FROM neuralbo_studies WHERE id = $1 FOR UPDATE";
pub const COUNT_FINISHED: &str = "UPDATE neuralbo_studies SET complete = complete + $2, failed = failed + $3, pruned = pruned + $4 WHERE id = $1";
pub const COUNTS: &str = "SELECT asked + known - complete - failed - pruned, complete, failed, pruned, known \
     FROM neuralbo_studies WHERE id = $1";

pub const CLAIMED_BEFORE: &str =
    "SELECT number FROM neuralbo_trials WHERE study = $1 AND state = 'running' AND token = $2";
/// A trial that waits for a worker (`lease_until_ms = 0`), or whose worker is dead and that may be tried once more.
pub const WAITING: &str = "SELECT t.number, t.attempt, t.lost_attempts, t.lease_until_ms FROM neuralbo_trials t \
     JOIN neuralbo_studies s ON s.id = t.study WHERE t.study = $1 AND t.state = 'running' AND t.lease_until_ms <= $2 \
     AND (t.lease_until_ms = 0 OR t.lost_attempts + 1 < s.attempts) ORDER BY t.lease_until_ms, t.number LIMIT 1";
/// A point that is still to be chosen is chosen under the newest definition.
pub const TAKE_OVER: &str = concat!(
    "UPDATE neuralbo_trials SET worker = $4, token = $5, attempt = attempt + 1, lost_attempts = $6, lease_until_ms = $7, \
     version = CASE WHEN params IS NULL THEN (SELECT version FROM neuralbo_studies WHERE id = $1) ELSE version END \
     WHERE study = $1 AND number = $2 AND attempt = $3 AND state = 'running' RETURNING ",
    trial_columns!()
);
/// The same for a trial that was claimed before.
pub const RENEW_VERSION: &str = "UPDATE neuralbo_trials SET version = (SELECT version FROM neuralbo_studies WHERE id = $1) \
     WHERE study = $1 AND number = $2 AND params IS NULL";
pub const FORGET_REPORTS: &str = "DELETE FROM neuralbo_reports WHERE study = $1 AND number = $2";
pub const NEXT_NUMBER: &str = "UPDATE neuralbo_studies SET next_number = next_number + 1, asked = asked + 1 \
     WHERE id = $1 AND (trial_limit IS NULL OR asked < trial_limit) RETURNING next_number - 1, version";
pub const CREATE_TRIAL: &str = concat!(
    "INSERT INTO neuralbo_trials (study, number, version, state, worker, token, attempt, lost_attempts, lease_until_ms, asked_ms) \
     VALUES ($1, $6, $7, 'running', $2, $3, 1, 0, $4, $5) RETURNING ",
    trial_columns!()
);
/// The clock of a PostgreSQL server, in milliseconds.
macro_rules! now {
    () => {
        "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint"
    };
}
/// A whole claim: a trial that waits, of several workers for one of them, without the reports of its earlier attempt; or else the
/// next trial. No row where this claim has a trial already, and where the study is full.
pub const CLAIM_POSTGRES: &str = concat!(
    "WITH clock AS (SELECT ",
    now!(),
    " AS ms), before AS (SELECT 1 FROM neuralbo_trials WHERE study = $1 AND state = 'running' AND token = $3), \
     waiting AS (SELECT t.number AS waits FROM neuralbo_trials t JOIN neuralbo_studies s ON s.id = t.study WHERE t.study = $1 \
     AND t.state = 'running' AND t.lease_until_ms <= (SELECT ms FROM clock) \
     AND (t.lease_until_ms = 0 OR t.lost_attempts + 1 < s.attempts) AND NOT EXISTS (SELECT 1 FROM before) \
     ORDER BY t.lease_until_ms, t.number LIMIT 1 FOR UPDATE OF t SKIP LOCKED), \
     lease AS (SELECT ms, LEAST($4::bigint, 9223372036854775807 - ms) + ms AS until FROM clock), \
     forgotten AS (DELETE FROM neuralbo_reports USING waiting WHERE study = $1 AND number = waits), \
     taken AS (UPDATE neuralbo_trials SET worker = $2, token = $3, attempt = attempt + 1, \
     lost_attempts = lost_attempts + CASE WHEN lease_until_ms > 0 THEN 1 ELSE 0 END, lease_until_ms = until, \
     version = CASE WHEN params IS NULL THEN (SELECT version FROM neuralbo_studies WHERE id = $1) ELSE version END \
     FROM waiting, lease WHERE study = $1 AND number = waits RETURNING ",
    trial_columns!(),
    "), next AS (UPDATE neuralbo_studies SET next_number = next_number + 1, asked = asked + 1 \
     WHERE id = $1 AND (trial_limit IS NULL OR asked < trial_limit) AND NOT EXISTS (SELECT 1 FROM before) \
     AND NOT EXISTS (SELECT 1 FROM waiting) RETURNING next_number - 1 AS next_number, version AS next_version), \
     made AS (INSERT INTO neuralbo_trials \
     (study, number, version, state, worker, token, attempt, lost_attempts, lease_until_ms, asked_ms) \
     SELECT $1, next_number, next_version, 'running', $2::text, $3::text, 1, 0, until, ms FROM next, lease RETURNING ",
    trial_columns!(),
    ") SELECT * FROM taken UNION ALL SELECT * FROM made"
);

pub const SAME_POINT: &str = "SELECT number FROM neuralbo_trials WHERE study = $1 AND state = 'running' AND number <> $2 \
     AND params = $3 LIMIT 1";
macro_rules! propose {
    ($started:expr) => {
        concat!(
            "UPDATE neuralbo_trials SET version = $4, params = $5, started_ms = ",
            $started,
            ", origin = $7, mean = $8, sd = $9, suggest_ms = $10, based_on = $11, pending = $12, batch_first = $13, \
             batch_count = $14, resumes = $15 \
             WHERE study = $1 AND number = $2 AND token = $3 AND state = 'running' AND (params IS NULL OR params = $5)"
        )
    };
}
pub const PROPOSE: &str = propose!("$6");
/// Nobody else enters this point until the transaction ends.
pub const LOCK_POINT: &str = "SELECT pg_advisory_xact_lock(hashtextextended($2, $1))::text";
/// A whole proposal after [`LOCK_POINT`], of a trial that resumes no other; no row where the point is running and may not be repeated
/// ($6), or where the lease was lost.
pub const PROPOSE_POSTGRES: &str = concat!(
    propose!(now!()),
    " AND ($6::bigint = 1 OR NOT EXISTS (SELECT 1 FROM neuralbo_trials o WHERE o.study = $1 AND o.state = 'running' \
     AND o.number <> $2 AND o.params = $5)) RETURNING number"
);
/// Whether another trial resumes this one.
pub const RESUMED: &str =
    "SELECT number FROM neuralbo_trials WHERE study = $1 AND resumes = $2 AND number <> $3 LIMIT 1";
pub const GIVE_BACK: &str = "UPDATE neuralbo_trials SET lease_until_ms = 0, lost_attempts = lost_attempts + $4 \
     WHERE study = $1 AND number = $2 AND token = $3 AND state = 'running'";
pub const FORGET_TRIAL: &str = "DELETE FROM neuralbo_trials WHERE study = $1 AND number = $2 AND token = $3 \
     AND state = 'running' AND params IS NULL";
pub const UNCOUNT_TRIAL: &str = "UPDATE neuralbo_studies SET asked = asked - 1, \
     next_number = CASE WHEN next_number = $2 + 1 THEN next_number - 1 ELSE next_number END WHERE id = $1";
pub const RENEW: &str = "UPDATE neuralbo_trials SET lease_until_ms = $4 WHERE study = $1 AND number = $2 AND token = $3 \
     AND state = 'running' AND lease_until_ms > 0";
pub const EXPIRE: &str = "UPDATE neuralbo_trials SET lease_until_ms = $4 WHERE study = $1 AND number = $2 AND token = $3 \
     AND state = 'running' AND lease_until_ms > $4";

pub const FINISH: &str = "UPDATE neuralbo_trials SET state = $4, seq = $5, value = $6, feasible = $7, vals = $8, step = $9, \
     failure_kind = $10, failure_message = $11, finished_ms = $12, lease_until_ms = 0 \
     WHERE study = $1 AND number = $2 AND token = $3 AND state = 'running'";
/// A whole tell under version $5 of the definition; no row where that is not the newest one, and where the lease was lost. The study
/// is locked first, so that the trial gets the next number of all that have finished.
pub const FINISH_POSTGRES: &str = concat!(
    "WITH locked AS (SELECT complete + failed + pruned + 1 AS finished FROM neuralbo_studies WHERE id = $1 AND version = $5 FOR UPDATE), \
     told AS (UPDATE neuralbo_trials SET state = $4, seq = finished, value = $6, feasible = $7, vals = $8, step = $9, \
     failure_kind = $10, failure_message = $11, finished_ms = ",
    now!(),
    ", lease_until_ms = 0 FROM locked WHERE study = $1 AND number = $2 AND token = $3 AND state = 'running' RETURNING number) \
     UPDATE neuralbo_studies SET complete = complete + $12, failed = failed + $13, pruned = pruned + $14 FROM told WHERE id = $1 \
     RETURNING id"
);
pub const SET_PARAMS: &str =
    "UPDATE neuralbo_trials SET params = $3 WHERE study = $1 AND number = $2";
pub const LOST_ATTEMPTS: &str = "SELECT lost_attempts, lease_until_ms FROM neuralbo_trials \
     WHERE study = $1 AND number = $2 AND token = $3 AND state = 'running'";
macro_rules! lost {
    ($now:expr) => {
        concat!(
            "SELECT t.number, t.attempt, t.token FROM neuralbo_trials t JOIN neuralbo_studies s ON s.id = t.study \
             WHERE t.study = $1 AND t.state = 'running' AND t.lease_until_ms > 0 AND t.lease_until_ms <= ",
            $now,
            " AND t.lost_attempts + 1 >= s.attempts ORDER BY t.number"
        )
    };
}
/// Expired trials without attempts left.
pub const LOST: &str = lost!("$2");
pub const LOST_POSTGRES: &str = lost!(now!());
pub const HAS_LEASE: &str = "SELECT number FROM neuralbo_trials WHERE study = $1 AND number = $2 AND token = $3 \
     AND state = 'running'";
pub const REPORT: &str = "INSERT INTO neuralbo_reports (study, number, step, name, value) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (study, number, step, name) DO UPDATE SET value = excluded.value";
pub const ATTRIBUTES_SQLITE: &str =
    "SELECT attributes FROM neuralbo_trials WHERE study = $1 AND number = $2";
pub const ATTRIBUTES_POSTGRES: &str =
    "SELECT attributes FROM neuralbo_trials WHERE study = $1 AND number = $2 FOR UPDATE";
pub const SET_ATTRIBUTES: &str =
    "UPDATE neuralbo_trials SET attributes = $3 WHERE study = $1 AND number = $2";

pub const ADD_TRIAL: &str = "INSERT INTO neuralbo_trials (study, number, version, params, seq, state, value, feasible, vals, \
     step, failure_kind, failure_message, attributes, origin, mean, sd, suggest_ms, based_on, pending, batch_first, batch_count, \
     resumes, worker, attempt, asked_ms, started_ms, finished_ms, lease_until_ms, token, lost_attempts) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, \
     $26, $27, 0, '', 0)";
pub const COUNT_ADDED: &str = "UPDATE neuralbo_studies SET next_number = $2, asked = asked + $3, known = known + $4, \
     complete = complete + $5, failed = failed + $6, pruned = pruned + $7 WHERE id = $1";
pub const MEASURED: &str = "SELECT number, vals FROM neuralbo_trials WHERE study = $1 AND seq IS NOT NULL AND vals IS NOT NULL";
pub const RANK: &str =
    "UPDATE neuralbo_trials SET value = $3, feasible = $4 WHERE study = $1 AND number = $2";

pub const TRIAL: &str = concat!(
    "SELECT ",
    trial_columns!(),
    " FROM neuralbo_trials WHERE study = $1 AND number = $2"
);
pub const TRIALS: &str = concat!(
    "SELECT ",
    trial_columns!(),
    " FROM neuralbo_trials WHERE study = $1 AND number >= $2 ORDER BY number LIMIT $3"
);
pub const TRIALS_SINCE: &str = concat!(
    "SELECT ",
    trial_columns!(),
    " FROM neuralbo_trials WHERE study = $1 AND seq > $2 ORDER BY seq LIMIT $3"
);
/// In the order of the leases, which all are at least 0: an order by number would lead SQLite through all trials of the study.
pub const RUNNING: &str = concat!(
    "SELECT ",
    trial_columns!(),
    " FROM neuralbo_trials WHERE study = $1 AND state = 'running' AND lease_until_ms >= 0 ORDER BY lease_until_ms"
);
pub const FINISHED_SINCE: &str = "SELECT seq, number, version, params, state, step, failure_kind, failure_message, vals, origin, resumes \
     FROM neuralbo_trials WHERE study = $1 AND seq > $2 ORDER BY seq LIMIT $3";
pub const SMALLEST: &str = concat!(
    "SELECT ",
    trial_columns!(),
    " FROM neuralbo_trials WHERE study = $1 AND state = 'complete' AND feasible = 1 AND value IS NOT NULL \
     ORDER BY value, seq LIMIT 1"
);
pub const LARGEST: &str = concat!(
    "SELECT ",
    trial_columns!(),
    " FROM neuralbo_trials WHERE study = $1 AND state = 'complete' AND feasible = 1 AND value IS NOT NULL \
     ORDER BY value DESC, seq LIMIT 1"
);
pub const DIRECTION: &str = "SELECT direction FROM neuralbo_studies WHERE id = $1";
pub const REPORTS: &str =
    "SELECT step, name, value FROM neuralbo_reports WHERE study = $1 AND number = $2";
pub const CURVES: &str = "SELECT t.seq, r.step, r.value FROM neuralbo_trials t JOIN neuralbo_reports r \
     ON r.study = t.study AND r.number = t.number WHERE t.study = $1 AND t.seq > $2 AND t.seq <= $3 AND r.name = $4 \
     ORDER BY t.seq, r.step";
pub const REPORTS_AT: &str = "SELECT r.number, r.value, t.state FROM neuralbo_reports r JOIN neuralbo_trials t \
     ON t.study = r.study AND t.number = r.number WHERE r.study = $1 AND r.step = $2 AND r.name = $3 ORDER BY r.number";
