//! Connection settings: from the connection string, the service file, the environment and the
//! password file, in this order, as in libpq.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use super::tls::{Certificates, Verification};
use super::{SCHEMA, files};
use crate::sql::conninfo::{self, Words};

/// Environment variables for parameters that a connection string does not set.
const VARIABLES: [(&str, &str); 16] = [
    ("PGAPPNAME", "application_name"),
    ("PGCHANNELBINDING", "channel_binding"),
    ("PGCONNECT_TIMEOUT", "connect_timeout"),
    ("PGDATABASE", "dbname"),
    ("PGHOST", "host"),
    ("PGHOSTADDR", "hostaddr"),
    ("PGOPTIONS", "options"),
    ("PGPASSFILE", "passfile"),
    ("PGPASSWORD", "password"),
    ("PGPORT", "port"),
    ("PGSSLCERT", "sslcert"),
    ("PGSSLKEY", "sslkey"),
    ("PGSSLMODE", "sslmode"),
    ("PGSSLROOTCERT", "sslrootcert"),
    ("PGTARGETSESSIONATTRS", "target_session_attrs"),
    ("PGUSER", "user"),
];
const SOCKETS: &str = "/var/run/postgresql";
/// Parameters that `tokio_postgres` reads: name, default, allowed values.
const DRIVER: [(&str, Option<&str>, &str); 15] = [
    ("application_name", Some("neuralbo"), "a text"),
    ("channel_binding", None, "disable, prefer or require"),
    ("dbname", None, "a text"),
    ("host", None, "a list of hosts"),
    ("hostaddr", None, "a list of IP addresses"),
    ("keepalives", None, "0 or 1"),
    ("keepalives_idle", Some("15"), "a number of seconds"),
    ("keepalives_interval", Some("5"), "a number of seconds"),
    ("keepalives_retries", Some("3"), "a whole number"),
    ("options", None, "a text"),
    ("password", None, "a text"),
    ("port", None, "a number from 1 to 65535"),
    ("sslnegotiation", None, "postgres or direct"),
    (
        "target_session_attrs",
        None,
        "any, read-write, read-only or primary",
    ),
    ("user", None, "a text"),
];

/// The environment.
pub(crate) trait Environment {
    fn variable(&self, name: &str) -> Option<String>;
}

/// The environment of this process.
pub(crate) struct ProcessEnvironment;

impl Environment for ProcessEnvironment {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }
}

/// Limits of waiting times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timeouts {
    /// For a connection, including encryption and authentication.
    pub(crate) connect: Duration,
    /// For the acknowledgement of data sent.
    pub(crate) unacknowledged: Duration,
    /// For a statement, by the server's clock; 0 for no limit.
    pub(crate) statement: Duration,
    /// For a lock of another session; 0 for no limit.
    pub(crate) lock: Duration,
    /// For a server that is away or does not answer, before an error.
    pub(crate) patience: Duration,
}

/// Everything needed to connect. Its `Debug` hides the password.
#[derive(Clone)]
pub(crate) struct ServerSettings {
    pub(crate) config: Config,
    pub(crate) certificates: Certificates,
    pub(crate) timeouts: Timeouts,
    pub(crate) schema: String,
    /// The storage as shown to users, without its password.
    pub(crate) shown: String,
    /// Whether the connection string itself has a password.
    pub(crate) has_password: bool,
}

impl fmt::Debug for ServerSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown)
    }
}

impl ServerSettings {
    /// Reads a connection string. Errors never show parts of it that may be secret.
    pub(crate) fn read(text: &str, environment: &dyn Environment) -> Result<Self, String> {
        let mut words = conninfo::parse(text)?;
        let has_password = words.contains_key("password");
        let service = words.get("service").cloned();
        let service = service.or_else(|| environment.variable("PGSERVICE"));
        if let Some(service) = service {
            add(&mut words, files::service(&service, environment)?);
        }
        let named = |(variable, name): &(&str, &str)| {
            Some(((*name).to_owned(), environment.variable(variable)?))
        };
        add(&mut words, VARIABLES.iter().filter_map(named).collect());
        if !words.contains_key("host") && !words.contains_key("hostaddr") {
            let has_sockets = Path::new(SOCKETS).is_dir();
            let host = if has_sockets { SOCKETS } else { "localhost" };
            words.insert("host".to_owned(), host.to_owned());
        }
        if !words.contains_key("password")
            && let Some(password) = files::password(&words, environment)?
        {
            words.insert("password".to_owned(), password);
        }
        let home = environment.variable("HOME").map(PathBuf::from);
        let schema = schema(&words)?;
        let shown = shown(&words, &schema, has_password);
        let verification = verification(&words)?;
        let certificates = Certificates::new(&words, verification, home.as_deref());
        let timeouts = timeouts(&words)?;
        let config = config(&words, verification, &timeouts)?;
        Ok(Self {
            config,
            certificates,
            timeouts,
            schema,
            shown,
            has_password,
        })
    }
}

/// Adds parameters that are not set yet.
fn add(words: &mut Words, more: Words) {
    for (name, value) in more {
        words.entry(name).or_insert(value);
    }
}

fn shown(words: &Words, schema: &str, has_password: bool) -> String {
    let get = |name: &str| words.get(name).map_or("", String::as_str);
    let password = if has_password { ":***" } else { "" };
    let user = match get("user") {
        "" if !has_password => String::new(),
        user => format!("{user}{password}@"),
    };
    let hosts = words.get("host").map_or(get("hostaddr"), String::as_str);
    let ports: Vec<&str> = get("port").split(',').collect();
    let address = |(place, host): (usize, &str)| match ports.get(place).or(ports.last()) {
        Some(&"") | None => host.to_owned(),
        Some(port) => format!("{host}:{port}"),
    };
    let addresses: Vec<String> = hosts.split(',').enumerate().map(address).collect();
    let (addresses, database) = (addresses.join(","), get("dbname"));
    match schema {
        SCHEMA => format!("postgres://{user}{addresses}/{database}"),
        _ => format!("postgres://{user}{addresses}/{database}?schema={schema}"),
    }
}

fn schema(words: &Words) -> Result<String, String> {
    let schema = words.get("schema").map_or(SCHEMA, String::as_str);
    let fine = |c: char| c.is_ascii_lowercase() || c == '_';
    let ok = schema.len() <= 63
        && schema.starts_with(fine)
        && schema.chars().all(|c| fine(c) || c.is_ascii_digit());
    if ok && !schema.starts_with("pg_") {
        return Ok(schema.to_owned());
    }
    Err("schema must be up to 63 lowercase letters, digits and `_`; it must not start with a digit or pg_".to_owned())
}

/// The meaning of `sslmode`. As in libpq, `require` with root certificates is `verify-ca`.
fn verification(words: &Words) -> Result<Verification, String> {
    // Local sockets are never encrypted.
    let are_sockets = |hosts: &String| hosts.split(',').all(|host| host.starts_with('/'));
    if words.get("host").is_some_and(are_sockets) {
        return Ok(Verification::NoEncryption);
    }
    let rooted = words.contains_key("sslrootcert");
    match words.get("sslmode").map_or("prefer", String::as_str) {
        "disable" => Ok(Verification::NoEncryption),
        "allow" | "prefer" => Ok(Verification::IfOffered),
        "require" if rooted => Ok(Verification::Authority),
        "require" => Ok(Verification::None),
        "verify-ca" => Ok(Verification::Authority),
        "verify-full" => Ok(Verification::Full),
        _ => Err(
            "sslmode must be disable, allow, prefer, require, verify-ca or verify-full".to_owned(),
        ),
    }
}

fn timeouts(words: &Words) -> Result<Timeouts, String> {
    let (second, ms) = (Duration::from_secs(1), Duration::from_millis(1));
    Ok(Timeouts {
        connect: duration(words, "connect_timeout", second, 10 * second)?,
        unacknowledged: duration(words, "tcp_user_timeout", ms, 30 * second)?,
        statement: duration(words, "statement_timeout", ms, 30 * second)?,
        lock: duration(words, "lock_timeout", ms, 10 * second)?,
        patience: duration(words, "patience", second, 60 * second)?,
    })
}

/// A whole number of units.
fn duration(
    words: &Words,
    name: &str,
    unit: Duration,
    default: Duration,
) -> Result<Duration, String> {
    let limit = u32::MAX / 2;
    let Some(text) = words.get(name) else {
        return Ok(default);
    };
    match text.trim().parse() {
        Ok(number) if number <= limit => Ok(unit * number),
        _ => Err(format!("{name} must be a whole number from 0 to {limit}")),
    }
}

fn config(
    words: &Words,
    verification: Verification,
    timeouts: &Timeouts,
) -> Result<Config, String> {
    let mut text = String::new();
    for (name, default, allowed) in DRIVER {
        let given = words.get(name).map(String::as_str);
        let Some(value) = given.or(default) else {
            continue;
        };
        let value = match (name, value) {
            ("target_session_attrs", "primary") => "read-write",
            _ => value,
        };
        let word = conninfo::word(name, value);
        if word.parse::<Config>().is_err() {
            return Err(format!("{name} must be {allowed}"));
        }
        text += &(word + " ");
    }
    let unreadable = |_| "its parameters contradict each other".to_owned();
    let mut config: Config = text.parse().map_err(unreadable)?;
    config.connect_timeout(timeouts.connect);
    config.tcp_user_timeout(timeouts.unacknowledged);
    config.ssl_mode(match verification {
        Verification::NoEncryption => SslMode::Disable,
        Verification::IfOffered => SslMode::Prefer,
        _ => SslMode::Require,
    });
    Ok(config)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests {
    use std::collections::HashMap;

    use super::*;

    pub(crate) struct FakeEnvironment(HashMap<&'static str, String>);

    impl Environment for FakeEnvironment {
        fn variable(&self, name: &str) -> Option<String> {
            self.0.get(name).cloned()
        }
    }

    pub(crate) fn given(pairs: &[(&'static str, &str)]) -> FakeEnvironment {
        FakeEnvironment(
            pairs
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned()))
                .collect(),
        )
    }

    pub(crate) fn read(text: &str, pairs: &[(&'static str, &str)]) -> ServerSettings {
        ServerSettings::read(text, &given(pairs)).unwrap()
    }

    #[test]
    fn the_password_is_never_shown() {
        for (text, shown) in [
            (
                "postgres://me:secret@host:5432/db",
                "postgres://me:***@host:5432/db",
            ),
            (
                "postgres://me@host/db?password=secret",
                "postgres://me:***@host/db",
            ),
            ("postgres://u:secret/b?c@host/x", "postgres://u:***@host/x"),
            ("host=h dbname=d password=secret", "postgres://:***@h/d"),
            ("postgres://a,b/x?schema=lab", "postgres://a,b/x?schema=lab"),
        ] {
            let settings = read(text, &[("PGPASSWORD", "secret")]);
            assert_eq!(
                (settings.shown.as_str(), format!("{settings:?}").as_str()),
                (shown, shown),
                "{text}"
            );
        }
    }

    #[test]
    fn what_a_string_leaves_open_is_in_the_environment() {
        let variables = [
            ("PGHOST", "h"),
            ("PGPORT", "6000"),
            ("PGUSER", "u"),
            ("PGPASSWORD", "p"),
            ("PGDATABASE", "d"),
        ];
        let settings = read("postgres://", &variables);
        assert_eq!(settings.shown, "postgres://u@h:6000/d");
        assert_eq!(
            (settings.config.get_password(), settings.has_password),
            (Some("p".as_bytes()), false)
        );
        assert_eq!(
            read("postgres://v:w@i/e", &variables).config.get_password(),
            Some("w".as_bytes())
        );
    }

    #[test]
    fn wrong_values_are_answered_with_what_is_allowed() {
        for (text, reason) in [
            ("postgres://h/x?sslmode=maybe", "verify-full"),
            (
                "postgres://h/x?connect_timeout=soon",
                "connect_timeout must be a whole number",
            ),
            ("postgres://h:70000/x", "port"),
            ("postgres://h/x?schema=Robert'); DROP", "schema"),
            ("postgres://h/x?schema=pg_catalog", "schema"),
            ("postgres://h/x?target_session_attrs=any1", "read-write"),
        ] {
            let error = ServerSettings::read(text, &given(&[])).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
