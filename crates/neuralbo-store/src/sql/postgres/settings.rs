//! How to reach a server: the connection string, then the service file, then the environment, then the password file, as libpq
//! does it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{ChannelBinding, SslMode, SslNegotiation, TargetSessionAttrs};

use super::tls::{Certificates, Verification};
use super::{SCHEMA, files};
use crate::sql::conninfo::{self, Words};

/// The variables that stand for parameters which a connection string leaves open.
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

/// What is read outside of the connection string.
pub(crate) trait Surroundings {
    fn variable(&self, name: &str) -> Option<String>;
}

/// The environment of this process.
pub(crate) struct ProcessEnvironment;

impl Surroundings for ProcessEnvironment {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }
}

/// How long is waited for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timeouts {
    /// For a connection, its encryption and the password included.
    pub(crate) connect: Duration,
    /// For a statement, by the server's clock; 0 for no limit.
    pub(crate) statement: Duration,
    /// For a lock of another session; 0 for no limit.
    pub(crate) lock: Duration,
    /// For a server that is away, or that does not answer, until we say so.
    pub(crate) patience: Duration,
}

/// Everything that is needed to connect. It has no `Debug` that would show a password.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) config: Config,
    pub(crate) certificates: Certificates,
    pub(crate) timeouts: Timeouts,
    pub(crate) schema: String,
    /// The storage for people, without its password.
    pub(crate) shown: String,
    /// Whether the connection string itself has a password.
    pub(crate) has_password: bool,
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown)
    }
}

impl Settings {
    /// Reads a connection string; the error never shows a part of it that may be secret.
    pub(crate) fn read(text: &str, surroundings: &dyn Surroundings) -> Result<Self, String> {
        let mut words = conninfo::parse(text)?;
        let has_password = words.contains_key("password");
        let service = words
            .get("service")
            .cloned()
            .or_else(|| surroundings.variable("PGSERVICE"));
        if let Some(service) = service {
            add(&mut words, files::service(&service, surroundings)?);
        }
        let named = |(variable, name): &(&str, &str)| {
            Some(((*name).to_owned(), surroundings.variable(variable)?))
        };
        add(&mut words, VARIABLES.iter().filter_map(named).collect());
        if !words.contains_key("host") && !words.contains_key("hostaddr") {
            let host = if Path::new(SOCKETS).is_dir() {
                SOCKETS
            } else {
                "localhost"
            };
            words.insert("host".to_owned(), host.to_owned());
        }
        if !words.contains_key("password")
            && let Some(password) = files::password(&words, surroundings)?
        {
            words.insert("password".to_owned(), password);
        }
        let home = surroundings.variable("HOME").map(PathBuf::from);
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

/// Adds what is not said yet.
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
    let hosts = if words.contains_key("host") {
        get("host")
    } else {
        get("hostaddr")
    };
    let ports: Vec<&str> = get("port").split(',').collect();
    let port = |place: usize| {
        ports
            .get(place)
            .or(ports.last())
            .filter(|port| !port.is_empty())
    };
    let address = |(place, host): (usize, &str)| match port(place) {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    let addresses: Vec<String> = hosts.split(',').enumerate().map(address).collect();
    let schema = if schema == SCHEMA {
        String::new()
    } else {
        format!("?schema={schema}")
    };
    format!(
        "postgres://{user}{}/{}{schema}",
        addresses.join(","),
        get("dbname")
    )
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
    Err("schema: allowed are up to 63 small letters, digits and `_`, the first no digit, without pg_ at the beginning".to_owned())
}

/// What `sslmode` asks for; as in libpq, `require` with root certificates is `verify-ca`.
fn verification(words: &Words) -> Result<Verification, String> {
    // A socket of this machine is not encrypted, whatever is asked for.
    if words
        .get("host")
        .is_some_and(|hosts| hosts.split(',').all(|host| host.starts_with('/')))
    {
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
            "sslmode: allowed are disable, allow, prefer, require, verify-ca, verify-full"
                .to_owned(),
        ),
    }
}

fn timeouts(words: &Words) -> Result<Timeouts, String> {
    Ok(Timeouts {
        connect: duration(words, "connect_timeout", Duration::from_secs(1))?
            .unwrap_or(Duration::from_secs(10)),
        statement: duration(words, "statement_timeout", Duration::from_millis(1))?
            .unwrap_or(Duration::from_secs(30)),
        lock: duration(words, "lock_timeout", Duration::from_millis(1))?
            .unwrap_or(Duration::from_secs(10)),
        patience: duration(words, "patience", Duration::from_secs(1))?
            .unwrap_or(Duration::from_secs(60)),
    })
}

/// A whole number of units.
fn duration(words: &Words, name: &str, unit: Duration) -> Result<Option<Duration>, String> {
    let limit = u32::MAX / 2;
    let Some(number) = number(words, name, limit)? else {
        return Ok(None);
    };
    Ok(Some(unit * number))
}

fn number(words: &Words, name: &str, limit: u32) -> Result<Option<u32>, String> {
    let read = |text: &String| {
        let number = text
            .trim()
            .parse()
            .ok()
            .filter(|number: &u32| *number <= limit);
        number.ok_or_else(|| format!("{name} must be a whole number from 0 to {limit}"))
    };
    words.get(name).map(read).transpose()
}

fn config(
    words: &Words,
    verification: Verification,
    timeouts: &Timeouts,
) -> Result<Config, String> {
    let mut config = Config::new();
    let get = |name: &str| words.get(name).map(String::as_str);
    config.application_name(get("application_name").unwrap_or("neuralbo"));
    config.connect_timeout(timeouts.connect);
    get("user").map(|user| config.user(user));
    get("password").map(|password| config.password(password));
    get("dbname").map(|name| config.dbname(name));
    get("options").map(|options| config.options(options));
    addresses(words, &mut config)?;
    config.ssl_mode(match verification {
        Verification::NoEncryption => SslMode::Disable,
        Verification::IfOffered => SslMode::Prefer,
        _ => SslMode::Require,
    });
    tcp(words, &mut config)?;
    config.ssl_negotiation(match get("sslnegotiation") {
        None | Some("postgres") => SslNegotiation::Postgres,
        Some("direct") => SslNegotiation::Direct,
        Some(_) => return Err("sslnegotiation: allowed are postgres, direct".to_owned()),
    });
    config.channel_binding(match get("channel_binding") {
        Some("disable") => ChannelBinding::Disable,
        None | Some("prefer") => ChannelBinding::Prefer,
        Some("require") => ChannelBinding::Require,
        Some(_) => return Err("channel_binding: allowed are disable, prefer, require".to_owned()),
    });
    config.target_session_attrs(match get("target_session_attrs") {
        None | Some("any") => TargetSessionAttrs::Any,
        Some("read-write" | "primary") => TargetSessionAttrs::ReadWrite,
        Some("read-only") => TargetSessionAttrs::ReadOnly,
        Some(_) => {
            return Err(
                "target_session_attrs: allowed are any, read-write, read-only, primary".to_owned(),
            );
        }
    });
    Ok(config)
}

fn addresses(words: &Words, config: &mut Config) -> Result<(), String> {
    let hosts = words.get("host").map(String::as_str);
    hosts
        .iter()
        .flat_map(|hosts| hosts.split(','))
        .for_each(|host| _ = config.host(host));
    for address in words
        .get("hostaddr")
        .iter()
        .flat_map(|addresses| addresses.split(','))
    {
        config.hostaddr(
            address
                .parse()
                .map_err(|_| "hostaddr must be an IP address".to_owned())?,
        );
    }
    for port in words.get("port").iter().flat_map(|ports| ports.split(',')) {
        let port = if port.is_empty() {
            Ok(5432)
        } else {
            port.parse()
        };
        config.port(port.map_err(|_| "port must be a number from 1 to 65535".to_owned())?);
    }
    Ok(())
}

/// What tells a dead network from a silent server.
fn tcp(words: &Words, config: &mut Config) -> Result<(), String> {
    let second = Duration::from_secs(1);
    config.keepalives(number(words, "keepalives", 1)? != Some(0));
    config.keepalives_idle(duration(words, "keepalives_idle", second)?.unwrap_or(15 * second));
    config
        .keepalives_interval(duration(words, "keepalives_interval", second)?.unwrap_or(5 * second));
    config.keepalives_retries(number(words, "keepalives_retries", 127)?.unwrap_or(3));
    let user =
        duration(words, "tcp_user_timeout", Duration::from_millis(1))?.unwrap_or(30 * second);
    config.tcp_user_timeout(user);
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::HashMap;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    struct Given(HashMap<&'static str, String>);

    impl Surroundings for Given {
        fn variable(&self, name: &str) -> Option<String> {
            self.0.get(name).cloned()
        }
    }

    fn given(pairs: &[(&'static str, &str)]) -> Given {
        Given(
            pairs
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned()))
                .collect(),
        )
    }

    fn read(text: &str, pairs: &[(&'static str, &str)]) -> Settings {
        Settings::read(text, &given(pairs)).unwrap()
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
    fn passwords_come_from_the_password_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pass");
        std::fs::write(
            &path,
            "# mine\nother:*:*:u:no\nh:*:d:u:a\\:b\\\\c\n*:*:*:*:last\n",
        )
        .unwrap();
        let file = path.display().to_string();
        let mode = |mode: u32| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap()
        };
        mode(0o600);
        let password = |text: &str| {
            let settings = read(text, &[("PGPASSFILE", &file)]);
            settings
                .config
                .get_password()
                .map(|password| String::from_utf8(password.to_vec()).unwrap())
        };
        assert_eq!(password("postgres://u@h/d").as_deref(), Some(r"a:b\c"));
        assert_eq!(password("postgres://u@h/e").as_deref(), Some("last"));
        mode(0o644);
        let error =
            Settings::read("postgres://u@h/d", &given(&[("PGPASSFILE", &file)])).unwrap_err();
        assert!(error.contains("0600") && !error.contains("last"), "{error}");
    }

    #[test]
    fn services_are_read_from_their_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("services");
        std::fs::write(
            &path,
            "[a]\nhost=one\n\n# x\n[lab]\nhost = two\ndbname=s\npassword=secret\n[z]\nhost=three\n",
        )
        .unwrap();
        let file = path.display().to_string();
        let settings = read(
            "postgres://me@/?service=lab",
            &[("PGSERVICEFILE", &file), ("PGHOST", "no")],
        );
        assert_eq!(
            (settings.shown.as_str(), settings.config.get_password()),
            ("postgres://me@two/s", Some("secret".as_bytes()))
        );
        assert_eq!(
            read(
                "postgres://",
                &[("PGSERVICEFILE", &file), ("PGSERVICE", "z")]
            )
            .shown,
            "postgres://three/"
        );
        let error =
            Settings::read("service=none", &given(&[("PGSERVICEFILE", &file)])).unwrap_err();
        assert!(error.contains("`none`"), "{error}");
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
            let error = Settings::read(text, &given(&[])).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
