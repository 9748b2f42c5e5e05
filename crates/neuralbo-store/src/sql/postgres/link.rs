//! One connection, of which every step is waited for only so long.

use std::collections::HashMap;
use std::future::Future;
use std::time::Duration;

use futures_util::future::join;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, NoTls, Statement};

use neuralbo::store::StoreError;

use super::settings::{Settings, Timeouts};
use super::tls::Verification;

/// How much longer than a statement may take its answer is waited for.
const GRACE: Duration = Duration::from_secs(5);
/// How long a session of ours may keep locks without doing anything, as a worker that is stopped does.
const IDLE_LIMIT: Duration = Duration::from_secs(60);
/// How long a farewell may take.
const FAREWELL: Duration = Duration::from_millis(500);

/// Why a step did not succeed.
pub(super) enum Fault {
    /// The server, or the network, said so.
    Error(tokio_postgres::Error),
    /// Nobody said anything for this long.
    Silence(Duration),
    /// Nobody can be asked: the settings cannot be used.
    Settings(String),
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Error(error)
    }
}

pub(super) struct Link {
    // Fields are dropped in this order: the client's end is what the connection waits for.
    client: Client,
    connection: JoinHandle<()>,
    runtime: Runtime,
    pub(super) statements: HashMap<&'static str, Statement>,
    /// A transaction that begins with the next step, in the same round trip.
    begin: Option<&'static str>,
    /// How long the answer to a statement is waited for.
    answer: Option<Duration>,
    silent: bool,
}

impl Link {
    pub(super) fn new(settings: &Settings) -> Result<Self, Fault> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.map_err(|error| Fault::Settings(error.to_string()))?;
        let timeouts = &settings.timeouts;
        let limit = timeouts.connect.min(timeouts.patience);
        let (client, connection) = runtime.block_on(async {
            let connected = timeout(limit, connect(settings)).await;
            connected.unwrap_or(Err(Fault::Silence(limit)))
        })?;
        let statement = if timeouts.statement.is_zero() {
            timeouts.patience
        } else {
            timeouts.statement + GRACE
        };
        let answer = Some(statement.min(timeouts.patience));
        let mut link = Self {
            client,
            connection,
            runtime,
            statements: HashMap::new(),
            begin: None,
            answer,
            silent: false,
        };
        link.batch(&greeting(timeouts, &settings.schema))?;
        Ok(link)
    }

    pub(super) fn is_usable(&self) -> bool {
        !self.silent && !self.client.is_closed()
    }

    /// Waits for answers as long as they take, for work that is known to be long.
    pub(super) fn without_limits(&mut self) -> Result<(), Fault> {
        self.answer = None;
        self.batch("SET statement_timeout = 0")
    }

    /// Begins a transaction.
    pub(super) fn begin(&mut self, sql: &'static str) {
        self.begin = Some(sql);
    }

    /// Ends a transaction, by COMMIT or ROLLBACK.
    pub(super) fn end(&mut self, sql: &str) -> Result<(), Fault> {
        if self.begin.take().is_some() {
            return Ok(());
        }
        self.batch(sql)
    }

    pub(super) fn batch(&mut self, sql: &str) -> Result<(), Fault> {
        self.wait(|client| client.batch_execute(sql))
    }

    pub(super) fn prepared(&mut self, sql: &'static str) -> Result<Statement, Fault> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.wait(|client| client.prepare(sql))?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    /// Runs one step; after a silence the connection is of no use any more.
    pub(super) fn wait<'c, T, F>(
        &'c mut self,
        step: impl FnOnce(&'c Client) -> F,
    ) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, tokio_postgres::Error>> + 'c,
    {
        let (client, runtime, silent, begin) = (
            &self.client,
            &self.runtime,
            &mut self.silent,
            self.begin.take(),
        );
        let step = async move {
            let Some(begin) = begin else {
                return step(client).await;
            };
            let (begun, answer) = join(client.batch_execute(begin), step(client)).await;
            begun.and(answer)
        };
        let Some(limit) = self.answer else {
            return runtime.block_on(step).map_err(Fault::Error);
        };
        match runtime.block_on(async { timeout(limit, step).await }) {
            Ok(answer) => answer.map_err(Fault::Error),
            Err(_) => {
                *silent = true;
                Err(Fault::Silence(limit))
            }
        }
    }

    /// Says goodbye, so that the server need not find out.
    pub(super) fn close(self) {
        let Self {
            client,
            connection,
            runtime,
            silent,
            ..
        } = self;
        drop(client);
        if !silent {
            let _ = runtime.block_on(async { timeout(FAREWELL, connection).await });
        }
        runtime.shutdown_background();
    }
}

/// Connects; what goes over the connection is moved by the runtime whenever somebody waits for an answer.
async fn connect(settings: &Settings) -> Result<(Client, JoinHandle<()>), Fault> {
    let certificates = &settings.certificates;
    if certificates.verification() == Verification::NoEncryption {
        let (client, connection) = settings.config.connect(NoTls).await?;
        return Ok((client, tokio::spawn(async { _ = connection.await })));
    }
    let connector = certificates.connector().map_err(Fault::Settings)?;
    let (client, connection) = settings.config.connect(connector).await?;
    Ok((client, tokio::spawn(async { _ = connection.await })))
}

/// What every session of ours is told first. The name of the schema was checked.
fn greeting(timeouts: &Timeouts, schema: &str) -> String {
    format!(
        "SET statement_timeout = {}; SET lock_timeout = {}; SET idle_in_transaction_session_timeout = {}; SET search_path = {}",
        timeouts.statement.as_millis(),
        timeouts.lock.as_millis(),
        IDLE_LIMIT.as_millis(),
        search_path(schema)
    )
}

/// Tables of earlier versions that could not be moved to our schema are used where they are.
fn search_path(schema: &str) -> String {
    if schema == super::SCHEMA {
        format!("{schema}, public")
    } else {
        schema.to_owned()
    }
}

impl Fault {
    /// Whether it is one of those that pass: a server that is away, starting or stopping, and sessions in each other's way.
    pub(super) fn passes(&self) -> bool {
        let error = match self {
            Self::Silence(_) => return true,
            Self::Settings(_) => return false,
            Self::Error(error) => error,
        };
        let Some(state) = error.code() else {
            return error.is_closed() || has_io_cause(error);
        };
        const PASSING: [SqlState; 9] = [
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
        PASSING.contains(state) || state.code().starts_with("08")
    }

    pub(super) fn is_denied(&self) -> bool {
        matches!(self, Self::Error(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE))
    }

    pub(super) fn described(&self, url: &str) -> StoreError {
        let url = url.to_owned();
        let error = match self {
            Self::Silence(limit) => {
                let reason = format!("the server has not answered for {} s", limit.as_secs_f64());
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
                reason: format!("another session keeps a lock ({reason})"),
            },
            Some(state) if *state == SqlState::QUERY_CANCELED => StoreError::Unreachable {
                url,
                reason: format!("the server takes too long ({reason})"),
            },
            Some(_) if self.passes() => StoreError::Unreachable { url, reason },
            Some(_) => StoreError::Database { url, reason },
            None => StoreError::Unreachable { url, reason },
        }
    }
}

fn has_io_cause(error: &tokio_postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.is::<std::io::Error>())
}

/// An error with its causes, which the client leaves out of its own text.
pub(super) fn in_full(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
