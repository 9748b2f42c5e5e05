//! One connection; every step has a time limit.

use std::collections::HashMap;
use std::future::Future;
use std::time::Duration;

use futures_util::future::join;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row, SimpleQueryMessage, Statement};

use neuralbo::store::StoreError;

use super::settings::{ServerSettings, Timeouts};
use super::tls::Verification;

/// Extra time for the answer after a statement's own time limit.
const GRACE: Duration = Duration::from_secs(5);
/// The longest idle time of a session within a transaction, for example of a stopped worker.
const IDLE_LIMIT: Duration = Duration::from_secs(60);
/// The time limit for closing a connection.
const CLOSING: Duration = Duration::from_millis(500);

/// The reason for a failed step.
pub(super) enum ConnectionFault {
    /// An error of the server or the network.
    Error(tokio_postgres::Error),
    /// No answer within this time.
    Timeout(Duration),
    /// Unusable settings.
    Settings(String),
}

impl From<tokio_postgres::Error> for ConnectionFault {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Error(error)
    }
}

/// The parameters of a statement.
pub(super) type Bound<'a> = Vec<&'a (dyn ToSql + Sync)>;

/// A statement with its parameters.
pub(super) struct BoundStatement<'a> {
    pub(super) sql: &'static str,
    pub(super) bound: Bound<'a>,
}

pub(super) struct Connection {
    // Fields are dropped in this order: the connection ends after its client.
    client: Client,
    connection: JoinHandle<()>,
    runtime: Runtime,
    pub(super) statements: HashMap<&'static str, Statement>,
    /// The statements that begin a transaction, sent together with the next step.
    begin: Option<&'static str>,
    /// What they returned: the server's clock, in milliseconds.
    begun_ms: Option<i64>,
    /// The time limit for an answer.
    answer: Option<Duration>,
    timed_out: bool,
}

impl Connection {
    pub(super) fn new(settings: &ServerSettings) -> Result<Self, ConnectionFault> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.map_err(|error| ConnectionFault::Settings(error.to_string()))?;
        let timeouts = &settings.timeouts;
        let limit = timeouts.connect.min(timeouts.patience);
        let (client, connection) = runtime.block_on(async {
            let connected = timeout(limit, connect(settings)).await;
            connected.unwrap_or(Err(ConnectionFault::Timeout(limit)))
        })?;
        let statement = if timeouts.statement.is_zero() {
            timeouts.patience
        } else {
            timeouts.statement + GRACE
        };
        let answer = Some(statement.min(timeouts.patience));
        let mut made = Self {
            client,
            connection,
            runtime,
            statements: HashMap::new(),
            begin: None,
            begun_ms: None,
            answer,
            timed_out: false,
        };
        made.batch(&session_settings(timeouts, &settings.schema))?;
        Ok(made)
    }

    pub(super) fn is_usable(&self) -> bool {
        !self.timed_out && !self.client.is_closed()
    }

    /// Removes the time limits, for long work.
    pub(super) fn without_limits(&mut self) -> Result<(), ConnectionFault> {
        self.answer = None;
        self.batch("SET statement_timeout = 0")
    }

    /// Begins a transaction.
    pub(super) fn begin(&mut self, sql: &'static str) {
        (self.begin, self.begun_ms) = (Some(sql), None);
    }

    /// The server's clock at the beginning of the transaction; `None` if it gave no time.
    pub(super) fn begun_ms(&mut self) -> Result<Option<i64>, ConnectionFault> {
        if self.begin.is_some() {
            self.wait(|_| async { Ok(()) })?;
        }
        Ok(self.begun_ms)
    }

    /// Ends a transaction, by COMMIT or ROLLBACK.
    pub(super) fn end(&mut self, sql: &str) -> Result<(), ConnectionFault> {
        if self.begin.take().is_some() {
            return Ok(());
        }
        self.batch(sql)
    }

    pub(super) fn batch(&mut self, sql: &str) -> Result<(), ConnectionFault> {
        self.wait(|client| client.batch_execute(sql))
    }

    pub(super) fn prepared(&mut self, sql: &'static str) -> Result<Statement, ConnectionFault> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.wait(|client| client.prepare(sql))?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    /// Runs a statement. Returns the number of changed rows.
    pub(super) fn execute(
        &mut self,
        sql: &'static str,
        bound: &Bound<'_>,
    ) -> Result<u64, ConnectionFault> {
        let statement = self.prepared(sql)?;
        self.wait(|client| async { client.execute(&statement, bound).await })
    }

    /// Runs a query. Returns the rows.
    pub(super) fn query(
        &mut self,
        sql: &'static str,
        bound: &Bound<'_>,
    ) -> Result<Vec<Row>, ConnectionFault> {
        let statement = self.prepared(sql)?;
        self.wait(|client| async { client.query(&statement, bound).await })
    }

    /// Runs a statement as one transaction, after another one that locks something. All is sent together. Returns the rows.
    pub(super) fn at_once(
        &mut self,
        lock: Option<&BoundStatement<'_>>,
        statement: &BoundStatement<'_>,
    ) -> Result<Vec<Row>, ConnectionFault> {
        let BoundStatement { sql, bound } = statement;
        let Some(lock) = lock else {
            // The server ends a transaction of one statement by itself.
            return self.query(sql, bound);
        };
        let (statement, locked) = (self.prepared(sql)?, &lock.bound);
        let lock = self.prepared(lock.sql)?;
        self.wait(|client| async {
            // What is polled first is sent first; after an error the server refuses the rest.
            let begin = join(client.batch_execute("BEGIN"), client.query(&lock, locked));
            let end = join(
                client.query(&statement, bound),
                client.batch_execute("COMMIT"),
            );
            let ((begun, locked), (rows, ended)) = join(begin, end).await;
            begun.and(locked)?;
            let rows = rows?;
            ended.map(|()| rows)
        })
    }

    /// Runs one step. After a timeout the connection is unusable.
    pub(super) fn wait<'c, T, F>(
        &'c mut self,
        step: impl FnOnce(&'c Client) -> F,
    ) -> Result<T, ConnectionFault>
    where
        F: Future<Output = Result<T, tokio_postgres::Error>> + 'c,
    {
        let (client, runtime, timed_out, begin, begun_ms) = (
            &self.client,
            &self.runtime,
            &mut self.timed_out,
            self.begin.take(),
            &mut self.begun_ms,
        );
        let step = async move {
            let Some(begin) = begin else {
                return step(client).await;
            };
            let (begun, answer) = join(client.simple_query(begin), step(client)).await;
            *begun_ms = begun?.iter().find_map(clock);
            answer
        };
        let Some(limit) = self.answer else {
            return runtime.block_on(step).map_err(ConnectionFault::Error);
        };
        match runtime.block_on(async { timeout(limit, step).await }) {
            Ok(answer) => answer.map_err(ConnectionFault::Error),
            Err(_) => {
                *timed_out = true;
                Err(ConnectionFault::Timeout(limit))
            }
        }
    }

    /// Closes the connection in an orderly way.
    pub(super) fn close(self) {
        let Self {
            client,
            connection,
            runtime,
            timed_out,
            ..
        } = self;
        drop(client);
        if !timed_out {
            let _ = runtime.block_on(async { timeout(CLOSING, connection).await });
        }
        runtime.shutdown_background();
    }
}

/// The time in a row of one column.
fn clock(message: &SimpleQueryMessage) -> Option<i64> {
    match message {
        SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
        _ => None,
    }
}

/// Connects. The runtime moves data while somebody waits for an answer.
async fn connect(settings: &ServerSettings) -> Result<(Client, JoinHandle<()>), ConnectionFault> {
    let certificates = &settings.certificates;
    if certificates.verification() == Verification::NoEncryption {
        let (client, connection) = settings.config.connect(NoTls).await?;
        return Ok((client, tokio::spawn(async { _ = connection.await })));
    }
    let connector = certificates
        .connector()
        .map_err(ConnectionFault::Settings)?;
    let (client, connection) = settings.config.connect(connector).await?;
    Ok((client, tokio::spawn(async { _ = connection.await })))
}

/// The first statements of every session. The name of the schema was checked.
fn session_settings(timeouts: &Timeouts, schema: &str) -> String {
    format!(
        "SET statement_timeout = {}; SET lock_timeout = {}; SET idle_in_transaction_session_timeout = {}; SET search_path = {}",
        timeouts.statement.as_millis(),
        timeouts.lock.as_millis(),
        IDLE_LIMIT.as_millis(),
        schema
    )
}

impl ConnectionFault {
    /// Whether a retry may succeed: the server is away, starting or stopping, or sessions block each
    /// other.
    pub(super) fn is_transient(&self) -> bool {
        let error = match self {
            Self::Timeout(_) => return true,
            Self::Settings(_) => return false,
            Self::Error(error) => error,
        };
        let Some(state) = error.code() else {
            return error.is_closed() || has_io_cause(error);
        };
        const TRANSIENT: [SqlState; 9] = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::TOO_MANY_CONNECTIONS,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::QUERY_CANCELED,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        ];
        TRANSIENT.contains(state) || state.code().starts_with("08")
    }

    pub(super) fn is_denied(&self) -> bool {
        matches!(self, Self::Error(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE))
    }

    pub(super) fn described(&self, url: &str) -> StoreError {
        let url = url.to_owned();
        let error = match self {
            Self::Timeout(limit) => {
                let reason = format!("the server did not answer within {} s", limit.as_secs_f64());
                return StoreError::Unreachable { url, reason };
            }
            Self::Settings(reason) => {
                return StoreError::BadUrl {
                    url,
                    reason: reason.clone(),
                };
            }
            Self::Error(error) => error,
        };
        let reason = in_full(error);
        match error.code() {
            Some(state) if *state == SqlState::DISK_FULL => StoreError::Full { url, reason },
            Some(state) if *state == SqlState::READ_ONLY_SQL_TRANSACTION => {
                StoreError::ReadOnly { url, reason }
            }
            Some(state) if *state == SqlState::LOCK_NOT_AVAILABLE => StoreError::Unreachable {
                url,
                reason: format!("another session holds a lock ({reason})"),
            },
            Some(state) if *state == SqlState::QUERY_CANCELED => StoreError::Unreachable {
                url,
                reason: format!("the server took too long ({reason})"),
            },
            Some(_) if self.is_transient() => StoreError::Unreachable { url, reason },
            Some(_) => StoreError::Database { url, reason },
            None => StoreError::Unreachable { url, reason },
        }
    }
}

fn has_io_cause(error: &tokio_postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.is::<std::io::Error>())
}

/// An error with its causes, which its own text omits.
pub(super) fn in_full(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
