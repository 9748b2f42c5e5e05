//! From a URL to a store.

use std::path::Path;
use std::sync::Arc;

use neuralbo::store::{MemoryStore, Store, StoreError};

use crate::sql::{PostgresDriver, SqlStore, SqliteDriver};

/// Opens a storage, and makes it where there is none.
///
/// `sqlite://PATH` or a bare path is an SQLite file (`sqlite:///abs/path` is absolute), `postgres://…` or `postgresql://…` a
/// PostgreSQL database, `memory://` a storage of its own that ends with the last handle.
///
/// ```
/// assert!(neuralbo_store::open("memory://")?.studies()?.is_empty());
/// assert!(neuralbo_store::open("mysql://localhost/x").is_err());
/// # Ok::<(), neuralbo::store::StoreError>(())
/// ```
pub fn open(url: &str) -> Result<Arc<dyn Store>, StoreError> {
    let shown = without_password(url);
    let bad = |reason: &str| StoreError::BadUrl { url: shown.clone(), reason: reason.to_owned() };
    let scheme = url.split_once("://");
    let driver: Box<dyn crate::sql::Driver> = match scheme {
        Some(("memory", "")) => return Ok(Arc::new(MemoryStore::new())),
        Some(("memory", _)) => return Err(bad("memory:// takes nothing after it")),
        Some(("postgres" | "postgresql", _)) => Box::new(PostgresDriver::open(url, &shown)?),
        Some(("sqlite", path)) => Box::new(file(path, &shown)?),
        Some((other, _)) => return Err(bad(&format!("`{other}` is unknown"))),
        None => Box::new(file(url, &shown)?),
    };
    Ok(Arc::new(SqlStore::new(shown, driver)))
}

fn file(path: &str, url: &str) -> Result<SqliteDriver, StoreError> {
    if path.is_empty() || path.contains('\0') {
        return Err(StoreError::BadUrl { url: url.to_owned(), reason: "the path is empty or has a NUL".to_owned() });
    }
    SqliteDriver::open(Path::new(path), url)
}

/// The URL with `***` in place of a password.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let authority_end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(authority_end);
    let shown = match authority.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((name, _)) => format!("{name}:***@{host}"),
            None => authority.to_owned(),
        },
        None => authority.to_owned(),
    };
    let path = match path.find("password=") {
        Some(at) => format!("{}password=***", &path[..at]),
        None => path.to_owned(),
    };
    format!("{scheme}://{shown}{path}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_never_shown() {
        assert_eq!(without_password("postgres://me:secret@host:5432/db"), "postgres://me:***@host:5432/db");
        assert_eq!(without_password("postgres://me@host/db?password=secret"), "postgres://me@host/db?password=***");
        assert_eq!(without_password("sqlite:///a/b@c:d.db"), "sqlite:///a/b@c:d.db");
        assert_eq!(without_password("plain.db"), "plain.db");
    }

    #[test]
    fn bare_paths_and_sqlite_urls_name_the_same_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a b;'.db").display().to_string();
        open(&path).unwrap();
        assert!(open(&format!("sqlite://{path}")).is_ok());
        assert_eq!(
            std::fs::read_dir(dir.path()).unwrap().filter(|e| e.as_ref().unwrap().path().extension().unwrap() == "db").count(),
            1
        );
    }

    #[test]
    fn other_urls_are_answered_with_what_is_allowed() {
        for url in ["mysql://localhost/x", "memory://x", "sqlite://", "", "postgres://:bad:port/"] {
            let text = open(url).err().unwrap().to_string();
            assert!(text.contains("allowed") && text.contains("sqlite://PATH"), "{url}: {text}");
        }
    }
}
