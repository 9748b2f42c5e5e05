//! PostgreSQL, by way of `tokio-postgres`: every wait has an end.

mod files;
mod link;
mod settings;
mod tls;

use std::time::{Duration, Instant};

use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use neuralbo::store::StoreError;

use super::cell::{Cell, Fields, Row};
use super::driver::{Access, Dialect, Driver, Each, Session, Work};
use super::schema;
use link::{Fault, Link, in_full};

pub(crate) use super::conninfo::is_conninfo;
pub(crate) use settings::{ProcessEnvironment, Settings};

/// The schema of our tables, unless the connection string names another one.
const SCHEMA: &str = "neuralbo";
const BEGIN: &str = "BEGIN";
const BEGIN_READING: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const SERVER_TIME: &str = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint";
/// The schemas that have our tables; the catalog also shows what this role may not read.
const HOMES: &str = "SELECT n.nspname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
     WHERE c.relname = 'neuralbo_schema' AND c.relkind = 'r' AND n.nspname IN ($1, 'public')";
/// Two openers of an empty or old database wait for each other; the number is ours alone.
const LOCK: &str = "SELECT pg_advisory_xact_lock(7953756420166157)::text";
const HAS_SCHEMA: &str = "SELECT COUNT(*) FROM pg_catalog.pg_namespace WHERE nspname = $1";
const NAME_SCHEMA: &str = "SELECT set_config('neuralbo.schema', $1, true)";
const MAKE_SCHEMA: &str =
    "DO $$ BEGIN EXECUTE format('CREATE SCHEMA %I', current_setting('neuralbo.schema')); END $$";
/// Tables of earlier versions, which were in `public`.
const MOVE_TABLES: [&str; 5] = [
    "ALTER TABLE IF EXISTS public.neuralbo_schema SET SCHEMA neuralbo",
    "ALTER TABLE IF EXISTS public.neuralbo_studies SET SCHEMA neuralbo",
    "ALTER TABLE IF EXISTS public.neuralbo_definitions SET SCHEMA neuralbo",
    "ALTER TABLE IF EXISTS public.neuralbo_trials SET SCHEMA neuralbo",
    "ALTER TABLE IF EXISTS public.neuralbo_reports SET SCHEMA neuralbo",
];
/// How long a server may be away when a storage is opened.
const FIRST_PATIENCE: Duration = Duration::from_secs(10);
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A connection that comes back when the server does.
pub(crate) struct PostgresDriver {
    settings: Settings,
    link: Option<Link>,
    /// Whether the last transaction failed because this role may not do it.
    denied: bool,
}

impl PostgresDriver {
    /// Connects, updates the tables, and makes them where that is asked for.
    pub(crate) fn open(settings: Settings, access: Access) -> Result<Self, StoreError> {
        let patience = FIRST_PATIENCE.min(settings.timeouts.patience);
        let mut driver = Self {
            settings,
            link: None,
            denied: false,
        };
        driver.connect(Instant::now() + patience)?;
        let (home, version) = driver.found()?;
        schema::check(version, &driver.settings.shown)?;
        if home.is_none() && access != Access::Create {
            return Err(StoreError::Missing {
                url: driver.settings.shown.clone(),
            });
        }
        let move_tables = home.as_deref() == Some("public") && driver.settings.schema == SCHEMA;
        if version < schema::VERSION || move_tables {
            driver.prepare(version, move_tables)?;
        }
        Ok(driver)
    }

    /// Where the tables are and which version they have; 0 if there are none.
    fn found(&mut self) -> Result<(Option<String>, i64), StoreError> {
        let mut found = (None, 0);
        let schema = self.settings.schema.clone();
        self.read(&mut |session| {
            let homes = session.rows(HOMES, &[schema.as_str().into()], |row| {
                Ok(row.text()?.to_owned())
            })?;
            let ours = homes.iter().find(|home| **home == schema);
            let home = ours
                .or_else(|| homes.first().filter(|_| schema == SCHEMA))
                .cloned();
            let version = if home.is_some() {
                schema::version(session)?
            } else {
                0
            };
            found = (home, version);
            Ok(())
        })?;
        Ok(found)
    }

    /// Makes the schema and the tables, or brings them here from `public` and to this version, however long that takes. Tables
    /// that are of this version and belong to somebody else are used where they are.
    fn prepare(&mut self, version: i64, move_tables: bool) -> Result<(), StoreError> {
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
            if move_tables {
                MOVE_TABLES
                    .iter()
                    .try_for_each(|statement| session.execute(statement, &[]).map(|_| ()))?;
            }
            schema::migrate(session, &url)
        });
        self.hang_up();
        match made {
            Err(_) if self.denied && version == schema::VERSION => Ok(()),
            Err(StoreError::Database { url, reason }) if self.denied => {
                let help = "the first to open a storage makes its tables and needs CREATE on the database, or a schema of its own";
                Err(StoreError::Database {
                    url,
                    reason: format!("{reason}; {help}"),
                })
            }
            made => made,
        }
    }

    /// A live connection; tries until `deadline` as long as the server may come back.
    fn connect(&mut self, deadline: Instant) -> Result<&mut Link, StoreError> {
        let mut pause = SHORTEST_PAUSE;
        while !self.link.as_ref().is_some_and(Link::is_usable) {
            self.hang_up();
            match Link::new(&self.settings) {
                Ok(link) => self.link = Some(link),
                Err(fault) if fault.passes() && Instant::now() + pause < deadline => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(Fault::Settings(reason)) => {
                    return Err(Fault::Settings(reason).described(&self.settings.shown));
                }
                Err(fault) => return Err(self.unreachable(&fault)),
            }
        }
        let Self { link, settings, .. } = self;
        let lost = || StoreError::Unreachable {
            url: settings.shown.clone(),
            reason: "no connection".to_owned(),
        };
        link.as_mut().ok_or_else(lost)
    }

    fn unreachable(&self, fault: &Fault) -> StoreError {
        match fault.described(&self.settings.shown) {
            StoreError::Database { url, reason } => StoreError::Unreachable { url, reason },
            described => described,
        }
    }

    fn hang_up(&mut self) {
        if let Some(link) = self.link.take() {
            link.close();
        }
    }

    fn transact(&mut self, begin: &'static str, work: Work<'_>) -> Result<(), StoreError> {
        let deadline = Instant::now() + self.settings.timeouts.patience;
        let mut pause = SHORTEST_PAUSE / 10;
        loop {
            let url = self.settings.shown.clone();
            let (outcome, fault) = attempt(self.connect(deadline)?, &url, begin, work);
            let again = fault.as_ref().is_some_and(Fault::passes);
            self.denied = fault.as_ref().is_some_and(Fault::is_denied);
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
        self.hang_up();
    }
}

impl Driver for PostgresDriver {
    fn write(&mut self, work: Work<'_>) -> Result<(), StoreError> {
        self.transact(BEGIN, work)
    }

    fn read(&mut self, work: Work<'_>) -> Result<(), StoreError> {
        self.transact(BEGIN_READING, work)
    }
}

/// One attempt at a transaction, and the fault that ended it if there was one.
fn attempt(
    link: &mut Link,
    url: &str,
    begin: &'static str,
    work: Work<'_>,
) -> (Result<(), StoreError>, Option<Fault>) {
    let failed = |fault: Fault| (Err(fault.described(url)), Some(fault));
    link.begin(begin);
    let mut session = PostgresSession {
        link,
        url,
        fault: None,
        now_ms: None,
    };
    let outcome = work(&mut session);
    let fault = session.fault;
    match outcome {
        Ok(()) => match link.end("COMMIT") {
            Ok(()) => (Ok(()), None),
            Err(fault) => failed(fault),
        },
        Err(error) => {
            // A rollback that fails has lost its connection, and the server rolls back by itself.
            if link.is_usable() {
                let _ = link.end("ROLLBACK");
            }
            (Err(error), fault)
        }
    }
}

struct PostgresSession<'a> {
    link: &'a mut Link,
    url: &'a str,
    fault: Option<Fault>,
    now_ms: Option<i64>,
}

impl PostgresSession<'_> {
    fn failed(&mut self, fault: Fault) -> StoreError {
        let described = fault.described(self.url);
        self.fault = Some(fault);
        described
    }
}

type Bound<'a> = Vec<&'a (dyn ToSql + Sync)>;

fn bound(cells: &[Cell]) -> Bound<'_> {
    cells
        .iter()
        .map(|cell| cell as &(dyn ToSql + Sync))
        .collect()
}

impl Session for PostgresSession<'_> {
    fn execute(&mut self, sql: &'static str, cells: &[Cell]) -> Result<u64, StoreError> {
        let parameters = bound(cells);
        let changed = self.link.prepared(sql).and_then(|statement| {
            let (statement, parameters) = (&statement, parameters.as_slice());
            self.link
                .wait(|client| async move { client.execute(statement, parameters).await })
        });
        changed.map_err(|fault| self.failed(fault))
    }

    fn query(
        &mut self,
        sql: &'static str,
        cells: &[Cell],
        each: Each<'_>,
    ) -> Result<(), StoreError> {
        let parameters = bound(cells);
        let found = self.link.prepared(sql).and_then(|statement| {
            let (statement, parameters) = (&statement, parameters.as_slice());
            self.link
                .wait(|client| async move { client.query(statement, parameters).await })
        });
        let rows = found.map_err(|fault| self.failed(fault))?;
        rows.iter().try_for_each(|row| each(&mut Row::new(row)))
    }

    /// The server's clock, asked in every transaction: one for the leases of all machines, whatever happens to ours.
    fn now_ms(&mut self) -> Result<i64, StoreError> {
        if let Some(now) = self.now_ms {
            return Ok(now);
        }
        let session: &mut dyn Session = self;
        let read = session.row(SERVER_TIME, &[], |row| row.int())?;
        let now = read.ok_or_else(|| StoreError::Database {
            url: self.url.to_owned(),
            reason: "it has no clock".to_owned(),
        })?;
        self.now_ms = Some(now);
        Ok(now)
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

impl ToSql for Cell {
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
