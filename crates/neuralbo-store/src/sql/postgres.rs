//! PostgreSQL, by way of the synchronous `postgres` client.

use std::collections::HashMap;
use std::str::FromStr;
use std::time::{Duration, Instant};

use postgres::error::SqlState;
use postgres::types::{IsNull, Type, to_sql_checked};
use postgres::{Client, Config, IsolationLevel, NoTls, Statement, Transaction};

use neuralbo::store::StoreError;

use super::cell::{Cell, Fields, Row};
use super::driver::{Dialect, Driver, Each, Session, Work};
use super::schema;

const SERVER_TIME: &str = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint";
const HAS_VERSION: &str = "SELECT COUNT(*) FROM information_schema.tables \
     WHERE table_name = 'neuralbo_schema' AND table_schema = ANY (current_schemas(false))";
/// How long a server may be away before we say so.
const PATIENCE: Duration = Duration::from_secs(60);
const FIRST_PATIENCE: Duration = Duration::from_secs(10);
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A connection that comes back when the server does.
pub(crate) struct PostgresDriver {
    config: Config,
    url: String,
    link: Option<Link>,
}

/// What belongs to one connection.
struct Link {
    client: Client,
    statements: HashMap<&'static str, Statement>,
}

impl PostgresDriver {
    /// Connects, and makes or updates the tables.
    pub(crate) fn open(address: &str, url: &str) -> Result<Self, StoreError> {
        let bad = |reason: String| StoreError::BadUrl { url: url.to_owned(), reason };
        let mut config = Config::from_str(address).map_err(|error| bad(error.to_string()))?;
        config.application_name("neuralbo").connect_timeout(Duration::from_secs(10));
        let mut driver = Self { config, url: url.to_owned(), link: None };
        driver.connect(Instant::now() + FIRST_PATIENCE)?;
        let version = driver.version()?;
        schema::check(version, url)?;
        if version < schema::VERSION {
            driver.write(&mut |session| schema::migrate(session, url))?;
        }
        Ok(driver)
    }

    fn version(&mut self) -> Result<i64, StoreError> {
        let mut version = 0;
        self.read(&mut |session| {
            let exists = session.row(HAS_VERSION, &[], |row| row.int())?.is_some_and(|count| count > 0);
            version = if exists { schema::version(session)? } else { 0 };
            Ok(())
        })?;
        Ok(version)
    }

    /// A live connection; tries until `deadline` as long as the server may come back.
    fn connect(&mut self, deadline: Instant) -> Result<&mut Link, StoreError> {
        let mut pause = SHORTEST_PAUSE;
        while self.link.as_ref().is_none_or(|link| link.client.is_closed()) {
            self.link = None;
            match Link::new(&self.config) {
                Ok(link) => self.link = Some(link),
                Err(error) if comes_back(&error) && Instant::now() + pause < deadline => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(error) => return Err(StoreError::Unreachable { url: self.url.clone(), reason: in_full(&error) }),
            }
        }
        self.link.as_mut().ok_or_else(|| StoreError::Unreachable { url: self.url.clone(), reason: "no connection".to_owned() })
    }

    fn transact(&mut self, reads: bool, work: Work<'_>) -> Result<(), StoreError> {
        let deadline = Instant::now() + PATIENCE;
        let mut pause = SHORTEST_PAUSE / 10;
        loop {
            let url = self.url.clone();
            let (outcome, again) = self.connect(deadline)?.attempt(&url, reads, work);
            if outcome.is_ok() || !again || Instant::now() > deadline {
                return outcome;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

impl Driver for PostgresDriver {
    fn write(&mut self, work: Work<'_>) -> Result<(), StoreError> {
        self.transact(false, work)
    }

    fn read(&mut self, work: Work<'_>) -> Result<(), StoreError> {
        self.transact(true, work)
    }
}

impl Link {
    fn new(config: &Config) -> Result<Self, postgres::Error> {
        Ok(Self { client: config.connect(NoTls)?, statements: HashMap::new() })
    }

    /// One attempt at a transaction, and whether another may succeed.
    fn attempt(&mut self, url: &str, reads: bool, work: Work<'_>) -> (Result<(), StoreError>, bool) {
        let builder = self.client.build_transaction();
        let begun =
            if reads { builder.read_only(true).isolation_level(IsolationLevel::RepeatableRead).start() } else { builder.start() };
        let transaction = match begun {
            Ok(transaction) => transaction,
            Err(error) => return (Err(described(url, &error)), comes_back(&error)),
        };
        let mut session = PostgresSession { transaction, statements: &mut self.statements, url, again: false, now_ms: None };
        let outcome = work(&mut session);
        let again = session.again;
        match outcome {
            Err(error) => (Err(error), again),
            Ok(()) => match session.transaction.commit() {
                Ok(()) => (Ok(()), false),
                Err(error) => (Err(described(url, &error)), comes_back(&error)),
            },
        }
    }
}

struct PostgresSession<'a> {
    transaction: Transaction<'a>,
    statements: &'a mut HashMap<&'static str, Statement>,
    url: &'a str,
    again: bool,
    now_ms: Option<i64>,
}

impl PostgresSession<'_> {
    fn prepared(&mut self, sql: &'static str) -> Result<Statement, postgres::Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.transaction.prepare(sql)?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    fn failed(&mut self, error: &postgres::Error) -> StoreError {
        self.again |= comes_back(error);
        described(self.url, error)
    }
}

type Bound<'a> = Vec<&'a (dyn postgres::types::ToSql + Sync)>;

fn bound(cells: &[Cell]) -> Bound<'_> {
    cells.iter().map(|cell| cell as &(dyn postgres::types::ToSql + Sync)).collect()
}

impl Session for PostgresSession<'_> {
    fn execute(&mut self, sql: &'static str, cells: &[Cell]) -> Result<u64, StoreError> {
        let changed = self.prepared(sql).and_then(|statement| self.transaction.execute(&statement, &bound(cells)));
        changed.map_err(|error| self.failed(&error))
    }

    fn query(&mut self, sql: &'static str, cells: &[Cell], each: Each<'_>) -> Result<(), StoreError> {
        let found = self.prepared(sql).and_then(|statement| self.transaction.query(&statement, &bound(cells)));
        let rows = found.map_err(|error| self.failed(&error))?;
        rows.iter().try_for_each(|row| each(&mut Row::new(row)))
    }

    /// The server's clock: one for the leases of all machines.
    fn now_ms(&mut self) -> Result<i64, StoreError> {
        if let Some(now) = self.now_ms {
            return Ok(now);
        }
        let session: &mut dyn Session = self;
        let read = session.row(SERVER_TIME, &[], |row| row.int())?;
        let now = read.ok_or_else(|| StoreError::Database { url: self.url.to_owned(), reason: "it has no clock".to_owned() })?;
        self.now_ms = Some(now);
        Ok(now)
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }
}

impl Fields for postgres::Row {
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

impl postgres::types::ToSql for Cell {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut postgres::types::private::BytesMut,
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

/// Whether the error is one of those that pass: a server that is away, starting or stopping, and transactions in each other's way.
fn comes_back(error: &postgres::Error) -> bool {
    let Some(state) = error.code() else { return error.is_closed() || has_io_cause(error) };
    const PASSING: [SqlState; 6] = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
    ];
    PASSING.contains(state) || state.code().starts_with("08")
}

fn has_io_cause(error: &postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.is::<std::io::Error>())
}

fn described(url: &str, error: &postgres::Error) -> StoreError {
    let (url, reason) = (url.to_owned(), in_full(error));
    match error.code() {
        Some(state) if *state == SqlState::DISK_FULL => StoreError::Full { url, reason },
        Some(state) if *state == SqlState::READ_ONLY_SQL_TRANSACTION => StoreError::ReadOnly { url, reason },
        Some(_) => StoreError::Database { url, reason },
        None => StoreError::Unreachable { url, reason },
    }
}

/// An error with its causes, which `postgres` leaves out of its own text.
fn in_full(error: &postgres::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
