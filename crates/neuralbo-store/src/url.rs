//! From a URL to a store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use neuralbo::store::{MemoryStore, Store, StoreError};

use crate::secret::without_passwords;
use crate::sql::{
    Access, PostgresDriver, ProcessEnvironment, ServerSettings, SqlStore, SqliteDriver,
    is_conninfo, log_is_missing,
};

/// The location of a storage.
pub(crate) enum StorageLocation {
    Memory,
    File(PathBuf),
    Postgres(Box<ServerSettings>),
}

impl StorageLocation {
    /// Reads a URL, a connection string or a path. Errors never show secrets.
    pub(crate) fn read(url: &str) -> Result<Self, StoreError> {
        if is_conninfo(url) {
            let hidden = |reason: String| StoreError::BadUrl {
                url: "postgres://…".to_owned(),
                reason,
            };
            return Ok(Self::Postgres(Box::new(
                ServerSettings::read(url, &ProcessEnvironment).map_err(hidden)?,
            )));
        }
        let bad = |reason: &str| StoreError::BadUrl {
            url: without_passwords(url),
            reason: reason.to_owned(),
        };
        match url.split_once(':') {
            _ if matches!(
                url,
                ":memory:" | "sqlite::memory:" | "sqlite:///:memory:" | "memory://"
            ) =>
            {
                Ok(Self::Memory)
            }
            Some(("memory", rest)) if rest.starts_with("//") => {
                Err(bad("memory:// must not be followed by anything"))
            }
            Some(("sqlite", _)) => from_sqlite_url(url).map_err(|reason| bad(&reason)),
            Some(("file", _)) => Err(bad("file: URLs of SQLite are not supported; give the path")),
            Some((scheme, rest)) if rest.starts_with("//") => {
                Err(bad(&format!("`{scheme}` is unknown")))
            }
            _ => file(url).map_err(bad),
        }
    }

    /// As shown to users, without a password.
    fn shown(&self, url: &str) -> String {
        match self {
            Self::Postgres(settings) => settings.shown.clone(),
            Self::Memory | Self::File(_) => url.to_owned(),
        }
    }
}

/// The path of an `sqlite:` URL; three slashes before a relative path, four before an absolute one, as in SQLAlchemy.
///
/// ```
/// assert_eq!(neuralbo_store::sqlite_path("sqlite:///runs.db"), Some("runs.db"));
/// assert_eq!(neuralbo_store::sqlite_path("sqlite:////data/runs.db"), Some("/data/runs.db"));
/// assert_eq!(neuralbo_store::sqlite_path("runs.db"), None);
/// ```
pub fn sqlite_path(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("sqlite:")?;
    let without = |slashes| rest.strip_prefix(slashes);
    Some(without("///").or_else(|| without("//")).unwrap_or(rest))
}

fn from_sqlite_url(url: &str) -> Result<StorageLocation, String> {
    let path = sqlite_path(url).unwrap_or(url);
    let folder = Path::new(path).parent().filter(|f| f.is_relative());
    if let Some(folder) = folder
        && !folder.as_os_str().is_empty()
        && !folder.exists()
        && Path::new("/").join(folder).exists()
    {
        let folder = folder.display();
        return Err(format!(
            "there is no folder `{folder}` here; an absolute path has four slashes: sqlite:////{path}"
        ));
    }
    file(path).map_err(str::to_owned)
}

fn file(path: &str) -> Result<StorageLocation, &'static str> {
    match path {
        "" => Err("the path is empty"),
        _ if path.contains('\0') => Err("the path contains a NUL character"),
        _ if path.contains('?') && path.contains('=') => {
            Err("files do not take parameters after `?`")
        }
        _ => Ok(StorageLocation::File(PathBuf::from(path))),
    }
}

/// Opens a storage, and creates a missing one.
///
/// A bare path, `sqlite:PATH` or `sqlite:///PATH` is an SQLite file (`sqlite:////abs/path` is absolute); `postgres://…`,
/// `postgresql://…` or `host=… dbname=…` is a PostgreSQL database, as libpq reads it; `memory://` or `:memory:` is a storage of its
/// own that ends with the last handle.
///
/// ```
/// assert!(neuralbo_store::open("memory://")?.studies()?.is_empty());
/// assert!(neuralbo_store::open("mysql://localhost/x").is_err());
/// # Ok::<(), neuralbo::store::StoreError>(())
/// ```
pub fn open(url: &str) -> Result<Arc<dyn Store>, StoreError> {
    open_for(url, Access::Create)
}

/// Opens a storage for an access; only [`Access::Create`] creates one.
///
/// ```
/// use neuralbo::store::StoreError;
/// use neuralbo_store::{Access, open_for};
///
/// assert!(matches!(open_for("no-such-file.db", Access::Read), Err(StoreError::Missing { .. })));
/// assert!(!std::path::Path::new("no-such-file.db").exists());
/// ```
pub fn open_for(url: &str, access: Access) -> Result<Arc<dyn Store>, StoreError> {
    match sql_store(url, access)? {
        Some(store) => Ok(Arc::new(store)),
        None => Ok(Arc::new(MemoryStore::new())),
    }
}

/// A storage in a database; `None` for one in memory.
pub(crate) fn sql_store(url: &str, access: Access) -> Result<Option<SqlStore>, StoreError> {
    let location = StorageLocation::read(url)?;
    let shown = location.shown(url);
    let driver: Box<dyn crate::sql::Driver> = match location {
        StorageLocation::Memory => return Ok(None),
        StorageLocation::File(path) => Box::new(SqliteDriver::open(&path, &shown, access)?),
        StorageLocation::Postgres(settings) => Box::new(PostgresDriver::open(*settings, access)?),
    };
    Ok(Some(SqlStore::new(shown, driver)))
}

/// The storage of a URL without its user: the same for all users of the same address.
///
/// ```
/// assert_eq!(neuralbo_store::identity("postgres://me:secret@db:5432/x")?, neuralbo_store::identity("postgres://you@db:5432/x")?);
/// # Ok::<(), neuralbo::store::StoreError>(())
/// ```
pub fn identity(url: &str) -> Result<String, StoreError> {
    Ok(match StorageLocation::read(url)? {
        StorageLocation::Memory => "memory://".to_owned(),
        StorageLocation::File(path) => {
            let absolute = std::fs::canonicalize(&path)
                .or_else(|_| std::path::absolute(&path))
                .unwrap_or(path);
            absolute.display().to_string()
        }
        StorageLocation::Postgres(settings) => {
            let address = settings.shown.rsplit_once('@');
            let address = address.map_or(settings.shown.as_str(), |(_, address)| address);
            format!("postgres://{}", address.trim_start_matches("postgres://"))
        }
    })
}

/// Whether a URL or connection string contains a password.
///
/// ```
/// assert!(neuralbo_store::has_password("postgres://me:secret@db.example.org/studies"));
/// assert!(!neuralbo_store::has_password("postgres://me@db.example.org/studies"));
/// ```
pub fn has_password(url: &str) -> bool {
    matches!(StorageLocation::read(url), Ok(StorageLocation::Postgres(settings)) if settings.has_password)
}

/// A warning about a storage before it is opened: an SQLite file that was copied in use without its
/// `-wal` file lacks the latest results.
///
/// ```
/// assert_eq!(neuralbo_store::suspicion("memory://"), None);
/// ```
pub fn suspicion(url: &str) -> Option<String> {
    let Ok(StorageLocation::File(path)) = StorageLocation::read(url) else {
        return None;
    };
    log_is_missing(&path).then(|| missing_log(&path))
}

fn missing_log(path: &Path) -> String {
    let file = path.display();
    format!(
        "`{file}` was in use when it was last written, and `{file}-wal` is missing: if it is a copy, the latest results may be \
         missing; copy both files, or use `neuralbo backup`"
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn error(url: &str) -> String {
        open(url).err().unwrap().to_string()
    }

    #[cfg(feature = "sqlite")]
    #[test]
    fn all_forms_of_a_path_name_the_same_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a b;'.db").display().to_string();
        open(&path).unwrap();
        for form in [format!("sqlite:///{path}"), format!("sqlite:{path}")] {
            assert!(open_for(&form, Access::Write).is_ok(), "{form}");
        }
        assert_eq!(
            std::fs::read_dir(dir.path()).unwrap().count(),
            1,
            "and nothing else is left behind"
        );
    }

    #[test]
    fn memory_is_no_file() {
        for url in [
            ":memory:",
            "sqlite::memory:",
            "sqlite:///:memory:",
            "memory://",
        ] {
            assert!(open(url).unwrap().studies().unwrap().is_empty());
            assert!(!Path::new(url).exists());
        }
    }

    #[test]
    fn an_absolute_path_after_three_slashes_is_explained() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.db").display().to_string();
        let text = error(&format!("sqlite://{path}"));
        assert!(text.contains(&format!("sqlite:///{path}")), "{text}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn other_urls_are_answered_with_what_is_allowed() {
        for url in [
            "mysql://localhost/x",
            "memory://x",
            "sqlite://",
            "sqlite:",
            "",
            "postgres://:bad:port/",
            "file:x.db",
            "x.db?a=b",
        ] {
            let text = error(url);
            assert!(
                text.contains("allowed") && text.contains("sqlite:///PATH"),
                "{url}: {text}"
            );
        }
    }

    #[test]
    fn no_error_repeats_a_password() {
        for url in [
            "mysql://me:hunter2@host/x",
            "mysql://me:hun@ter2/x@host",
            "postgres://me:hunter2",
            "postgres://me:a@hunter2@host/x",
            "password=hunter2 nonsense",
            "POSTGRES://me:hunter2@host/x",
        ] {
            let text = error(url);
            assert!(
                !text.contains("hunter2") && !text.contains("ter2"),
                "{text}"
            );
        }
    }
}
