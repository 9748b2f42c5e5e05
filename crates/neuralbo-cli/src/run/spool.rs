//! Results that cannot be told now, in files until they are.

use std::path::PathBuf;

use neuralbo::drive::{Observer, RunStanding};
use neuralbo::record::{Ending, Report, Token, Trial};
use neuralbo::store::{Store, StudyRecord, Told};
use neuralbo_store::{Spool, Spooled, identity};

use crate::output::{CommandError, OrCommandError, say};

/// The variable that names the folder.
const VARIABLE: &str = "NEURALBO_SPOOL";

/// The folder of this user on this machine: `NEURALBO_SPOOL`, or `neuralbo/spool` in the folder for state. The error says why there is
/// none: no such folder is named, or others than the user may use it.
pub fn usual() -> Result<Spool, String> {
    let variable = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let state = || {
        variable("XDG_STATE_HOME")
            .or_else(|| variable("HOME").map(|home| home.join(".local/state")))
    };
    let folder = variable(VARIABLE).or_else(|| state().map(|state| state.join("neuralbo/spool")));
    let folder = folder
        .ok_or_else(|| format!("none of {VARIABLE}, XDG_STATE_HOME and HOME names a folder"))?;
    let spool = Spool::new(folder);
    match spool.check() {
        Ok(()) => Ok(spool),
        Err(error) => Err(format!("`{}`: {error}", spool.folder().display())),
    }
}

/// Keeps what cannot be told, and forgets what is.
pub struct Keeper {
    /// `None` without a private folder.
    spool: Option<Spool>,
    /// Whether a result could not be saved.
    failed: bool,
    storage: String,
    study: StudyRecord,
    files: std::collections::HashMap<Token, PathBuf>,
}

impl Keeper {
    /// For a study of a storage. Says so if there is no folder for the files.
    pub fn new(url: &str, study: &StudyRecord) -> Result<Self, CommandError> {
        let without = |reason: &String| {
            say(&format!(
                "results are lost if this process ends while the storage is away, as there is no folder for them: {reason}"
            ))
        };
        Ok(Self {
            spool: usual().inspect_err(without).ok(),
            failed: false,
            storage: identity(url)?,
            study: study.clone(),
            files: std::collections::HashMap::new(),
        })
    }

    /// Where the results are that were kept and not told since; `None` if there are none.
    pub fn left(&self) -> Option<String> {
        let file = self.files.values().next()?;
        Some(file.parent()?.display().to_string())
    }

    fn forget(&mut self, trial: &Trial) {
        if let (Some(file), Some(spool)) = (self.files.remove(&trial.token), &self.spool) {
            spool.remove(&file);
        }
    }
}

impl Observer for Keeper {
    fn kept(&mut self, trial: &Trial, ending: &Ending, reports: &[Report]) {
        let Some(spool) = &self.spool else { return };
        let result = Spooled::new(&self.storage, &self.study, trial, ending, reports);
        match spool.write(&result) {
            Ok(file) => _ = self.files.insert(trial.token, file),
            Err(error) => {
                let (number, folder) = (trial.number, spool.folder().display());
                let text =
                    format!("cannot save the result of trial {number} in `{folder}`: {error}");
                // Once: the same error usually occurs for every trial.
                if !std::mem::replace(&mut self.failed, true) {
                    say(&text);
                }
            }
        }
    }

    fn told(&mut self, trial: &Trial, _: Told, _: &RunStanding) {
        self.forget(trial);
    }

    fn released(&mut self, trial: &Trial, _: &str) {
        self.forget(trial);
    }
}

/// What became of the results in a spool.
#[derive(Debug, Default)]
pub struct Recovered {
    /// How many are stored now.
    pub told: u64,
    /// Those whose trials others have told, in words; their files are put aside.
    pub late: Vec<String>,
    /// Messages about results that cannot be stored or read; their files stay.
    pub left: Vec<String>,
    /// How many belong to other storages.
    pub elsewhere: u64,
}

/// Tells all results of a storage that are in a spool.
pub fn recover(spool: &Spool, store: &dyn Store, url: &str) -> Result<Recovered, CommandError> {
    let storage = identity(url)?;
    let folder = format!("`{}`", spool.folder().display());
    let mut recovered = Recovered::default();
    for (file, result) in spool.read().or_failure(&folder)? {
        let name = file.display();
        let result = match result {
            Ok(result) if result.storage == storage => result,
            Ok(_) => {
                recovered.elsewhere += 1;
                continue;
            }
            Err(error) => {
                recovered
                    .left
                    .push(format!("`{name}` cannot be read: {error}"));
                continue;
            }
        };
        let what = format!("trial {} of study `{}`", result.lease.number, result.study);
        match result.tell(store) {
            Ok(_) => {
                recovered.told += 1;
                spool.remove(&file);
            }
            Err(error) if error.is_too_late() => {
                let aside = spool.put_aside(&file).unwrap_or_else(|_| file.clone());
                recovered.late.push(format!(
                    "{what}: {error}; its result is in `{}`",
                    aside.display()
                ));
            }
            Err(error) => recovered
                .left
                .push(format!("{what}: {error}; its result is in `{name}`")),
        }
    }
    Ok(recovered)
}
