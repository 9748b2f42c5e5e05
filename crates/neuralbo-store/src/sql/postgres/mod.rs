//! PostgreSQL through `tokio-postgres`; every wait has a time limit.

mod connection;
mod files;
mod settings;
mod tls;

use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use neuralbo::store::StoreError;

use super::driver::{Access, Dialect, Driver, Each, Session, Statement, Stored, Work};
use super::rows::{Fields, SqlRow, SqlValue};
use super::schema;
use connection::{Bound, BoundStatement, Connection, ConnectionFault, in_full};

pub(crate) use settings::{ProcessEnvironment, ServerSettings};

/// The default schema of our tables.
const SCHEMA: &str = "neuralbo";
/// Both return the server's clock.
const BEGIN: &str = "BEGIN; SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint";
const BEGIN_READING: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint";
/// Whether the schema has our tables; the catalog also shows what this role may not read.
const HAS_TABLES: &str = "SELECT COUNT(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n \
     ON n.oid = c.relnamespace WHERE c.relname = 'neuralbo_schema' AND c.relkind = 'r' AND n.nspname = $1";
/// Two processes that create or migrate tables wait for each other; the number is ours alone.
const LOCK: &str = "SELECT pg_advisory_xact_lock(7953756420166157)::text";
const HAS_SCHEMA: &str = "SELECT COUNT(*) FROM pg_catalog.pg_namespace WHERE nspname = $1";
const NAME_SCHEMA: &str = "SELECT set_config('neuralbo.schema', $1, true)";
const MAKE_SCHEMA: &str =
    "DO $$ BEGIN EXECUTE format('CREATE SCHEMA %I', current_setting('neuralbo.schema')); END $$";
/// The longest wait for a server when a storage is opened.
const FIRST_PATIENCE: Duration = Duration::from_secs(10);
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A connection that is restored when the server is back.
pub(crate) struct PostgresDriver {
    settings: ServerSettings,
    connection: Option<Connection>,
    /// Whether the last transaction failed for lack of permission.
    denied: bool,
}

impl PostgresDriver {
    /// Connects, migrates the tables, and creates them with [`Access::Create`].
    pub(crate) fn open(settings: ServerSettings, access: Access) -> Stored<Self> {
        let patience = FIRST_PATIENCE.min(settings.timeouts.patience);
        let mut driver = Self {
            settings,
            connection: None,
            denied: false,
        };
        driver.connect(Instant::now() + patience)?;
        let version = driver.version()?;
        schema::check(version, &driver.settings.shown)?;
        if version == 0 && access != Access::Create {
            return Err(StoreError::Missing {
                url: driver.settings.shown.clone(),
            });
        }
        if version < schema::VERSION {
            driver.prepare()?;
        }
        Ok(driver)
    }

    /// The version of the tables; 0 if there are none.
    fn version(&mut self) -> Stored<i64> {
        let (mut version, schema) = (0, self.settings.schema.clone());
        self.read(&mut |session| {
            let tables = session.row(HAS_TABLES, &[schema.as_str().into()], |row| row.int())?;
            version = match tables {
                Some(1) => schema::version(session)?,
                _ => 0,
            };
            Ok(())
        })?;
        Ok(version)
    }

    /// Creates the schema and the tables, or migrates the tables, without a time limit.
    fn prepare(&mut self) -> Stored<()> {
        let (schema, url) = (self.settings.schema.clone(), self.settings.shown.clone());
        let deadline = Instant::now() + self.settings.timeouts.patience;
        self.connect(deadline)?
            .without_limits()
            .map_err(|fault| fault.described(&url))?;
        let made = self.write(&mut |session| {
            session.query(LOCK, &[], &mut |_| Ok(()))?;
            if session.row(HAS_SCHEMA, &[schema.as_str().into()], |row| row.int())? == Some(0) {
                session.query(NAME_SCHEMA, &[schema.as_str().into()], &mut |_| Ok(()))?;
                session.execute(MAKE_SCHEMA, &[])?;
            }
            schema::migrate(session, &url)
        });
        self.close();
        match made {
            Err(StoreError::Database { url, reason }) if self.denied => {
                let help = "creating the tables requires CREATE on the database, or an own schema";
                Err(StoreError::Database {
                    url,
                    reason: format!("{reason}; {help}"),
                })
            }
            made => made,
        }
    }

    /// A live connection. Retries until `deadline` while the server may come back.
    fn connect(&mut self, deadline: Instant) -> Stored<&mut Connection> {
        let mut pause = SHORTEST_PAUSE;
        while !self.connection.as_ref().is_some_and(Connection::is_usable) {
            self.close();
            match Connection::new(&self.settings) {
                Ok(connection) => self.connection = Some(connection),
                Err(fault) if fault.is_transient() && Instant::now() + pause < deadline => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(ConnectionFault::Settings(reason)) => {
                    return Err(ConnectionFault::Settings(reason).described(&self.settings.shown));
                }
                Err(fault) => return Err(self.unreachable(&fault)),
            }
        }
        let Self {
            connection,
            settings,
            ..
        } = self;
        let lost = || StoreError::Unreachable {
            url: settings.shown.clone(),
            reason: "no connection".to_owned(),
        };
        connection.as_mut().ok_or_else(lost)
    }

    fn unreachable(&self, fault: &ConnectionFault) -> StoreError {
        match fault.described(&self.settings.shown) {
            StoreError::Database { url, reason } => StoreError::Unreachable { url, reason },
            described => described,
        }
    }

    fn close(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.close();
        }
    }

    /// Attempts a transaction until it succeeds or fails for good.
    fn transact(
        &mut self,
        mut attempt: impl FnMut(&mut Connection, &str) -> (Stored<()>, Option<ConnectionFault>),
    ) -> Stored<()> {
        let deadline = Instant::now() + self.settings.timeouts.patience;
        let mut pause = SHORTEST_PAUSE / 10;
        loop {
            let url = self.settings.shown.clone();
            let (outcome, fault) = attempt(self.connect(deadline)?, &url);
            let again = fault.as_ref().is_some_and(ConnectionFault::is_transient);
            self.denied = fault.as_ref().is_some_and(ConnectionFault::is_denied);
            if outcome.is_ok() || !again || Instant::now() + pause > deadline {
                return outcome;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

impl Drop for PostgresDriver {
    fn drop(&mut self) {
        if Handle::try_current().is_err() {
            return self.close();
        }
        // A runtime of others does not let this thread wait for ours.
        std::thread::scope(|scope| _ = scope.spawn(|| self.close()).join());
    }
}

impl Driver for PostgresDriver {
    fn write(&mut self, work: Work<'_>) -> Stored<()> {
        self.transact(|connection, url| attempt(connection, url, BEGIN, work))
    }

    fn read(&mut self, work: Work<'_>) -> Stored<()> {
        self.transact(|connection, url| attempt(connection, url, BEGIN_READING, work))
    }

    fn at_once(
        &mut self,
        lock: Option<Statement<'_>>,
        statement: Statement<'_>,
        each: Each<'_>,
    ) -> Stored<bool> {
        let (lock, statement) = (lock.map(with_bound), with_bound(statement));
        let mut rows = Vec::new();
        self.transact(
            |connection, url| match connection.at_once(lock.as_ref(), &statement) {
                Ok(found) => {
                    rows = found;
                    (Ok(()), None)
                }
                Err(fault) => (Err(fault.described(url)), Some(fault)),
            },
        )?;
        let mut passed = rows.iter().map(|row| each(&mut SqlRow::new(row)));
        passed.try_for_each(|one| one)?;
        Ok(true)
    }
}

/// One attempt at a transaction, with the fault that ended it.
fn attempt(
    connection: &mut Connection,
    url: &str,
    begin: &'static str,
    work: Work<'_>,
) -> (Stored<()>, Option<ConnectionFault>) {
    let failed = |fault: ConnectionFault| (Err(fault.described(url)), Some(fault));
    connection.begin(begin);
    let mut session = PostgresSession {
        connection,
        url,
        fault: None,
    };
    let outcome = work(&mut session);
    let fault = session.fault;
    match outcome {
        Ok(()) => match connection.end("COMMIT") {
            Ok(()) => (Ok(()), None),
            Err(fault) => failed(fault),
        },
        Err(error) => {
            // If the rollback fails, the connection is lost and the server rolls back by itself.
            if connection.is_usable() {
                let _ = connection.end("ROLLBACK");
            }
            (Err(error), fault)
        }
    }
}

struct PostgresSession<'a> {
    connection: &'a mut Connection,
    url: &'a str,
    fault: Option<ConnectionFault>,
}

impl PostgresSession<'_> {
    fn failed(&mut self, fault: ConnectionFault) -> StoreError {
        let described = fault.described(self.url);
        self.fault = Some(fault);
        described
    }
}

fn bound(cells: &[SqlValue]) -> Bound<'_> {
    cells
        .iter()
        .map(|cell| cell as &(dyn ToSql + Sync))
        .collect()
}

fn with_bound(statement: Statement<'_>) -> BoundStatement<'_> {
    BoundStatement {
        sql: statement.sql,
        bound: bound(statement.cells),
    }
}

impl Session for PostgresSession<'_> {
    fn execute(&mut self, sql: &'static str, cells: &[SqlValue]) -> Stored<u64> {
        let changed = self.connection.execute(sql, &bound(cells));
        changed.map_err(|fault| self.failed(fault))
    }

    fn query(&mut self, sql: &'static str, cells: &[SqlValue], each: Each<'_>) -> Stored<()> {
        let found = self.connection.query(sql, &bound(cells));
        let rows = found.map_err(|fault| self.failed(fault))?;
        rows.iter().try_for_each(|row| each(&mut SqlRow::new(row)))
    }

    /// The server's clock, read in every transaction: one clock for the leases of all machines.
    fn now_ms(&mut self) -> Stored<i64> {
        let now = self.connection.begun_ms();
        let now = now.map_err(|fault| self.failed(fault))?;
        now.ok_or_else(|| StoreError::Database {
            url: self.url.to_owned(),
            reason: "the server returned no time".to_owned(),
        })
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }
}

impl Fields for tokio_postgres::Row {
    fn int(&self, at: usize) -> Result<Option<i64>, String> {
        self.try_get(at).map_err(|error| in_full(&error))
    }

    fn real(&self, at: usize) -> Result<Option<f64>, String> {
        self.try_get(at).map_err(|error| in_full(&error))
    }

    fn text(&self, at: usize) -> Result<Option<&str>, String> {
        self.try_get(at).map_err(|error| in_full(&error))
    }
}

impl ToSql for SqlValue {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut tokio_postgres::types::private::BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(value) if *ty == Type::INT4 => i32::try_from(*value)?.to_sql(ty, out),
            Self::Int(value) => value.to_sql(ty, out),
            Self::Real(value) => value.to_sql(ty, out),
            Self::Text(text) => text.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
