//! Checks, backups and restores of whole storages.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use neuralbo::store::StoreError;

use crate::platform::{OperatingSystem, System};
use crate::sql::{Access, Findings, Mended, SqlStore, SqliteDriver};
use crate::transfer::{ImportError, Imported, read_exports};
use crate::url::{StorageLocation, sql_store};
use crate::{export_study, open_for, suspicion};

/// Checks a whole storage: the database itself, orphaned rows, unreadable or inconsistent records, wrong
/// counts. Nothing is changed.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let storage = folder.path().join("studies.db").display().to_string();
/// neuralbo_store::open(&storage)?;
/// assert!(neuralbo_store::check(&storage)?.problems.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(url: &str) -> Result<Findings, StoreError> {
    let suspicion = suspicion(url);
    let mut findings = match sql_store(url, Access::Read)? {
        Some(store) => store.check()?,
        None => Findings::default(),
    };
    findings.problems.splice(0..0, suspicion);
    Ok(findings)
}

/// Replaces records that cannot be read by what can be read of them, so that they hide nothing else: attributes become one
/// attribute with their text, and a trial whose parameters or values cannot be read has failed.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let storage = folder.path().join("studies.db").display().to_string();
/// neuralbo_store::open(&storage)?;
/// assert!(neuralbo_store::mend(&storage)?.mended.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn mend(url: &str) -> Result<Mended, StoreError> {
    sql_store(url, Access::Write)?.map_or_else(|| Ok(Mended::default()), |store| store.mend())
}

/// What a backup holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    /// A storage of SQLite.
    Database,
    /// So many studies as JSON lines.
    Lines(u64),
}

/// Copies a snapshot of a storage to a new file, while workers continue. A file `….jsonl` gets all
/// studies as JSON lines, any other file is an SQLite storage. The file is complete or missing.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let storage = folder.path().join("studies.db").display().to_string();
/// neuralbo_store::open(&storage)?;
/// neuralbo_store::backup(&storage, &folder.path().join("copy.db"))?;
/// assert!(neuralbo_store::check(&folder.path().join("copy.db").display().to_string())?.problems.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn backup(url: &str, file: &Path) -> Result<Saved, StoreError> {
    let shown = file.display().to_string();
    let bad = |reason: &str| StoreError::BadUrl {
        url: shown.clone(),
        reason: reason.to_owned(),
    };
    if file.exists() {
        return Err(bad("the file already exists"));
    }
    let part = part_of(file);
    // Left by an earlier attempt.
    let _ = std::fs::remove_file(&part);
    let saved = match (is_lines(file), StorageLocation::read(url)?) {
        (_, StorageLocation::Memory) => {
            return Err(bad("a storage in memory cannot be copied"));
        }
        (true, _) => sql_store(url, Access::Read)?
            .map_or(Ok(Saved::Lines(0)), |store| save_lines(&store, &part)),
        (false, StorageLocation::File(path)) => {
            SqliteDriver::save(&path, url, &part).map(|()| Saved::Database)
        }
        (false, StorageLocation::Postgres(_)) => {
            return Err(bad(
                "backups of PostgreSQL require a file name ending in .jsonl",
            ));
        }
    };
    let moved = saved.and_then(|saved| {
        let finished = finished(&part, file).map(|()| saved);
        finished.map_err(|error| unwritable(&part, &error))
    });
    if moved.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    moved
}

fn is_lines(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| extension == "jsonl")
}

/// The temporary name.
fn part_of(file: &Path) -> PathBuf {
    let mut name = OsString::from(file.as_os_str());
    name.push(".part");
    PathBuf::from(name)
}

/// Syncs a file to disk and renames it.
fn finished(part: &Path, file: &Path) -> std::io::Result<()> {
    File::open(part)?.sync_all()?;
    std::fs::rename(part, file)?;
    let folder = file.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    System::sync_folder(folder.unwrap_or(Path::new(".")))
}

fn save_lines(store: &SqlStore, part: &Path) -> Result<Saved, StoreError> {
    let failed = |error: std::io::Error| unwritable(part, &error);
    let writer = std::cell::RefCell::new(BufWriter::new(File::create(part).map_err(failed)?));
    let begin = &mut || {
        let mut writer = writer.borrow_mut();
        writer.rewind().map_err(failed)?;
        writer.get_ref().set_len(0).map_err(failed)
    };
    let each = &mut |line: &str| writeln!(writer.borrow_mut(), "{line}").map_err(failed);
    let studies = store.snapshot(begin, each)?;
    writer.borrow_mut().flush().map_err(failed)?;
    Ok(Saved::Lines(studies))
}

fn unwritable(path: &Path, error: &std::io::Error) -> StoreError {
    let (url, reason) = (path.display().to_string(), error.to_string());
    match error.kind() {
        std::io::ErrorKind::StorageFull => StoreError::Full { url, reason },
        _ => StoreError::Database { url, reason },
    }
}

/// The reason for a failed restore.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The file cannot be read.
    #[error("`{file}`: {error}")]
    File {
        /// The backup.
        file: String,
        /// What is wrong with it.
        error: ImportError,
    },
    /// An error of one of the storages.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Restores a backup into a storage. Returns its studies. An SQLite backup is copied to a storage that
/// does not exist yet; any other backup is stored study by study, and none if one of them exists.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = |name: &str| folder.path().join(name);
/// neuralbo_store::open(&path("studies.db").display().to_string())?;
/// neuralbo_store::backup(&path("studies.db").display().to_string(), &path("all.jsonl"))?;
/// assert!(neuralbo_store::restore(&path("all.jsonl"), &path("other.db").display().to_string())?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn restore(file: &Path, url: &str) -> Result<Vec<String>, RestoreError> {
    let unreadable = |error: ImportError| RestoreError::File {
        file: file.display().to_string(),
        error,
    };
    if is_lines(file) {
        let missing = |error: std::io::Error| ImportError::NoStudy(error.to_string());
        let lines = File::open(file).map_err(missing);
        let studies = lines.and_then(|lines| read_exports(BufReader::new(lines)));
        return into_store(&studies.map_err(unreadable)?, url);
    }
    let from = file.display().to_string();
    match StorageLocation::read(url)? {
        StorageLocation::File(path) if !path.exists() => {
            let part = part_of(&path);
            SqliteDriver::save(file, &from, &part)?;
            finished(&part, &path).map_err(|error| unwritable(&path, &error))?;
            Ok(open_for(url, Access::Read)?.study_names()?)
        }
        _ => into_store(&studies_of(&from)?, url),
    }
}

fn studies_of(url: &str) -> Result<Vec<Imported>, RestoreError> {
    let store = open_for(url, Access::Read)?;
    let mut lines = String::new();
    for study in store.studies()? {
        export_study(store.as_ref(), &study, |line| {
            lines += line;
            lines.push('\n');
            Ok::<(), StoreError>(())
        })?;
    }
    read_exports(lines.as_bytes()).map_err(|error| RestoreError::File {
        file: url.to_owned(),
        error,
    })
}

fn into_store(studies: &[Imported], url: &str) -> Result<Vec<String>, RestoreError> {
    let store = open_for(url, Access::Create)?;
    let present = store.study_names()?;
    if let Some(taken) = studies.iter().find(|study| present.contains(&study.name)) {
        let name = taken.name.clone();
        return Err(StoreError::NameTaken { name }.into());
    }
    for study in studies {
        study.store(store.as_ref(), &study.name)?;
    }
    Ok(studies.iter().map(|study| study.name.clone()).collect())
}
