//! Files of results that could not be stored. They survive the process, and any other process can
//! store them.
//!
//! A file holds one result. It is complete or missing: it is written under another name, synced and
//! renamed.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use neuralbo::record::{Ending, Report, Trial};
use neuralbo::store::{Lease, Store, StoreError, Told};
use serde::{Deserialize, Serialize};

use crate::platform::{OperatingSystem, System};

/// The newest version of the files that this code reads.
const VERSION: u64 = 1;

/// A result that is to be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spooled {
    version: u64,
    /// Which storage, see [`identity`](crate::identity()); without a password.
    pub storage: String,
    /// The study's name.
    pub study: String,
    /// The trial.
    pub number: u64,
    /// Which attempt has this result.
    pub attempt: u64,
    /// How it ended.
    pub ending: Ending,
    /// Intermediate values that are not stored.
    pub reports: Vec<Report>,
}

impl Spooled {
    /// A result of a trial.
    pub fn new(
        storage: &str,
        study: &str,
        trial: &Trial,
        ending: &Ending,
        reports: &[Report],
    ) -> Self {
        let (storage, study) = (storage.to_owned(), study.to_owned());
        let (ending, reports) = (ending.clone(), reports.to_vec());
        Self {
            version: VERSION,
            storage,
            study,
            number: trial.number,
            attempt: trial.attempt,
            ending,
            reports,
        }
    }

    /// Tells it; telling twice has no effect. With an error of [`StoreError::is_too_late`], another
    /// worker has told or has the trial.
    pub fn tell(&self, store: &dyn Store) -> Result<Told, StoreError> {
        let lease = Lease {
            study: store.study(&self.study)?.id,
            number: self.number,
            attempt: self.attempt,
        };
        match store.report(&lease, &self.reports) {
            // A trial that has finished takes no reports, and may still have been told this very result.
            Err(error) if !error.is_too_late() => return Err(error),
            _ => {}
        }
        store.tell(&lease, &self.ending)
    }
}

/// A folder of results that could not be stored.
///
/// ```
/// use neuralbo::record::{Definition, Direction, Limits, Outcome};
/// use neuralbo::space::Space;
/// use neuralbo::store::{NewStudy, Told};
/// use neuralbo::Registry;
/// use neuralbo::study::Study;
/// use neuralbo_store::{Spool, Spooled};
///
/// let store = neuralbo_store::open("memory://")?;
/// let definition = Definition::new(Space::from_bounds(&[(0.0, 1.0)])?, Direction::Minimize);
/// let record = store.create_study(&NewStudy::new("tuning", definition.clone(), Limits::default()))?;
/// let trial = Study::open(store.clone(), record, Registry::standard())?.ask_one()?;
/// let ending = definition.ending(Outcome::Value(0.5)).ok_or("no value")?;
///
/// let folder = tempfile::tempdir()?;
/// let spool = Spool::new(folder.path());
/// spool.write(&Spooled::new("memory", "tuning", &trial, &ending, &[]))?;
/// for (file, result) in spool.read()? {
///     assert_eq!(result?.tell(store.as_ref())?, Told::Finished);
///     spool.remove(&file);
/// }
/// assert!(spool.read()?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Spool {
    folder: PathBuf,
}

impl Spool {
    /// A folder, created on demand.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a result durably. Returns its file.
    pub fn write(&self, result: &Spooled) -> io::Result<PathBuf> {
        fs::create_dir_all(&self.folder)?;
        let file = self.file(result);
        let unfinished = file.with_extension("part");
        let mut written = File::create(&unfinished)?;
        written.write_all(&serde_json::to_vec(result)?)?;
        written.sync_all()?;
        fs::rename(&unfinished, &file)?;
        System::sync_folder(&self.folder)?;
        Ok(file)
    }

    /// The file of a result: the same one for the same attempt of the same trial.
    pub fn file(&self, result: &Spooled) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        (&result.storage, &result.study).hash(&mut hasher);
        self.folder.join(format!(
            "{:016x}-{}-{}.json",
            hasher.finish(),
            result.number,
            result.attempt
        ))
    }

    /// All results with their files; an unreadable one is an error of its own.
    pub fn read(&self) -> io::Result<Vec<(PathBuf, io::Result<Spooled>)>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut files: Vec<PathBuf> = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<_>>()?;
        files.retain(|file| {
            file.extension()
                .is_some_and(|extension| extension == "json")
        });
        files.sort();
        Ok(files
            .into_iter()
            .map(|file| (file.clone(), read(&file)))
            .collect())
    }

    /// Removes a stored result.
    pub fn remove(&self, file: &Path) {
        // Another process may have removed it.
        let _ = fs::remove_file(file);
    }

    /// Renames the file of a result that came too late.
    pub fn put_aside(&self, file: &Path) -> io::Result<PathBuf> {
        let aside = file.with_extension("late");
        fs::rename(file, &aside)?;
        Ok(aside)
    }
}

fn read(file: &Path) -> io::Result<Spooled> {
    let result: Spooled = serde_json::from_slice(&fs::read(file)?)?;
    match result.version {
        VERSION => Ok(result),
        other => Err(io::Error::other(format!(
            "it has version {other}, this neuralbo reads version {VERSION}"
        ))),
    }
}
