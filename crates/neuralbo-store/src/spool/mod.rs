//! Files of results that could not be stored. They survive the process, and any other process of the
//! same user can store them.
//!
//! A file holds one result. It is complete or missing: it is written under another name, synced and
//! renamed. Its folder belongs to the user alone, and the store takes a result only from the claim
//! that its token names.

mod keeper;
mod recovery;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use neuralbo::record::{Ending, Report, Trial};
use neuralbo::store::{Lease, Store, StoreError, StudyRecord, Told};
use serde::{Deserialize, Serialize};

pub use keeper::Keeper;
pub use recovery::{Recovered, RecoveryError};

use crate::platform::{PrivateFiles, PrivateFolder};

/// The variable that names the folder.
const VARIABLE: &str = "NEURALBO_SPOOL";

/// The newest version of the files that this code reads.
const VERSION: u64 = 1;

/// A result that is to be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spooled {
    version: u64,
    /// Which storage, see [`identity`](crate::identity()); without a password.
    pub storage: String,
    /// The study's name when the trial was claimed, for users: another study may have it now.
    pub study: String,
    /// When the study was created.
    created_ms: i64,
    /// The claim that has this result.
    pub lease: Lease,
    /// How it ended.
    pub ending: Ending,
    /// Intermediate values that are not stored.
    pub reports: Vec<Report>,
}

impl Spooled {
    /// A result of a trial of this study.
    pub fn new(
        storage: &str,
        study: &StudyRecord,
        trial: &Trial,
        ending: &Ending,
        reports: &[Report],
    ) -> Self {
        Self {
            version: VERSION,
            storage: storage.to_owned(),
            study: study.name.clone(),
            created_ms: study.created_ms,
            lease: Lease::of(study.id, trial),
            ending: ending.clone(),
            reports: reports.to_vec(),
        }
    }

    /// Tells it; telling twice has no effect. With an error of [`StoreError::is_too_late`], another
    /// worker has told or has the trial. The study is the one that the trial was claimed from,
    /// whatever its name is, and no other.
    pub fn tell(&self, store: &dyn Store) -> Result<Told, StoreError> {
        let is_same = |study: &StudyRecord| {
            study.id == self.lease.study && study.created_ms == self.created_ms
        };
        if !store.studies()?.iter().any(is_same) {
            return Err(StoreError::UnknownStudy {
                name: self.study.clone(),
                known: ": the one of this result was deleted, or is in another storage".to_owned(),
            });
        }
        match store.report(&self.lease, &self.reports) {
            // A trial that has finished takes no reports, and may still have been told this very result.
            Err(error) if !error.is_too_late() => return Err(error),
            _ => {}
        }
        store.tell(&self.lease, &self.ending)
    }
}

/// A folder of results that could not be stored, which must belong to this user alone: others may not
/// use it, and it is not a link.
///
/// ```
/// use neuralbo::record::{Definition, Direction, Limits, Outcome};
/// use neuralbo::space::Space;
/// use neuralbo::store::NewStudy;
/// use neuralbo::Registry;
/// use neuralbo::study::Study;
/// use neuralbo_store::{Spool, Spooled, identity};
///
/// let store = neuralbo_store::open("memory://")?;
/// let definition = Definition::new(Space::from_bounds(&[(0.0, 1.0)])?, Direction::Minimize);
/// let record = store.create_study(&NewStudy::new("tuning", definition.clone(), Limits::default()))?;
/// let trial = Study::open(store.clone(), record.clone(), Registry::standard())?.ask_one()?;
/// let ending = definition.ending(Outcome::Value(0.5)).ok_or("no value")?;
///
/// let folder = tempfile::tempdir()?;
/// let spool = Spool::new(folder.path().join("spool"));
/// spool.write(&Spooled::new(&identity("memory://")?, &record, &trial, &ending, &[]))?;
/// assert_eq!(spool.recover(store.as_ref(), "memory://")?.told, 1);
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

    /// The folder of this user on this machine: `NEURALBO_SPOOL`, or `neuralbo/spool` in the folder for state. The error says why
    /// there is none: no such folder is named, or others than the user may use it.
    pub fn of_user() -> Result<Self, String> {
        let variable = |name: &str| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let state = || {
            variable("XDG_STATE_HOME")
                .or_else(|| variable("HOME").map(|home| home.join(".local/state")))
        };
        let folder =
            variable(VARIABLE).or_else(|| state().map(|state| state.join("neuralbo/spool")));
        let folder = folder
            .ok_or_else(|| format!("none of {VARIABLE}, XDG_STATE_HOME and HOME names a folder"))?;
        let spool = Self::new(folder);
        match spool.check() {
            Ok(()) => Ok(spool),
            Err(error) => Err(format!("`{}`: {error}", spool.folder().display())),
        }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether an existing folder is private; the error says why it is not.
    pub fn check(&self) -> io::Result<()> {
        self.existing().map(|_| ())
    }

    fn existing(&self) -> io::Result<Option<PrivateFolder>> {
        match PrivateFolder::open(&self.folder, false) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Writes a result durably. Returns its file, the same one for the same claim.
    pub fn write(&self, result: &Spooled) -> io::Result<PathBuf> {
        let folder = PrivateFolder::open(&self.folder, true)?;
        let token = result.lease.token;
        let (name, unfinished) = (format!("{token}.json"), format!("{token}.part"));
        // One that was left half written: nobody else writes results of this claim.
        let _ = folder.remove(&unfinished);
        let mut file = folder.create(&unfinished)?;
        file.write_all(&serde_json::to_vec(result)?)?;
        file.sync_all()?;
        folder.rename(&unfinished, &name)?;
        folder.sync()?;
        Ok(self.folder.join(name))
    }

    /// All results with their files; an unreadable one is an error of its own.
    pub fn read(&self) -> io::Result<Vec<(PathBuf, io::Result<Spooled>)>> {
        let Some(folder) = self.existing()? else {
            return Ok(Vec::new());
        };
        let mut names = folder.names()?;
        names.retain(|name| name.ends_with(".json"));
        names.sort();
        let result = |name: String| (self.folder.join(&name), read(&folder, &name));
        Ok(names.into_iter().map(result).collect())
    }

    /// Removes a stored result.
    pub fn remove(&self, file: &Path) {
        // Another process may have removed it.
        let _ = self.with(file, |folder, name| folder.remove(name));
    }

    /// Renames the file of a result that came too late.
    pub fn put_aside(&self, file: &Path) -> io::Result<PathBuf> {
        let aside = file.with_extension("late");
        self.with(file, |folder, name| {
            folder.rename(name, &name.replace(".json", ".late"))
        })?;
        Ok(aside)
    }

    fn with(
        &self,
        file: &Path,
        change: impl FnOnce(&PrivateFolder, &str) -> io::Result<()>,
    ) -> io::Result<()> {
        let name = file.file_name().and_then(|name| name.to_str());
        let name = name.ok_or(io::ErrorKind::InvalidInput)?;
        change(&PrivateFolder::open(&self.folder, false)?, name)
    }
}

fn read(folder: &PrivateFolder, name: &str) -> io::Result<Spooled> {
    let mut text = Vec::new();
    folder.file(name)?.read_to_end(&mut text)?;
    let result: Spooled = serde_json::from_slice(&text)?;
    match result.version {
        VERSION => Ok(result),
        other => Err(io::Error::other(format!(
            "it has version {other}, this neuralbo reads version {VERSION}"
        ))),
    }
}
