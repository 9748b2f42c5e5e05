//! Results that cannot be told now, in files until they are.

use std::path::PathBuf;

use neuralbo::drive::{Observer, Standing};
use neuralbo::record::{Ending, Report, Trial};
use neuralbo::store::{Store, Told};
use neuralbo_store::{Spool, Spooled, identity};

use crate::output::{CommandError, say};

/// The variable that names the folder.
const VARIABLE: &str = "NEURALBO_SPOOL";

/// The folder of this user on this machine: `NEURALBO_SPOOL`, or `neuralbo/spool` in the folder for state; one for temporary files
/// if there is no such folder.
pub fn usual() -> Spool {
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
    Spool::new(folder.unwrap_or_else(|| std::env::temp_dir().join("neuralbo-spool")))
}

/// Keeps what cannot be told, and forgets what is.
pub struct Keeper {
    spool: Spool,
    storage: String,
    study: String,
    files: std::collections::HashMap<(u64, u64), PathBuf>,
}

impl Keeper {
    /// For a study of a storage.
    pub fn new(url: &str, study: &str) -> Result<Self, CommandError> {
        let files = std::collections::HashMap::new();
        Ok(Self {
            spool: usual(),
            storage: identity(url)?,
            study: study.to_owned(),
            files,
        })
    }

    /// Where the results are that were kept and not told since; `None` if there are none.
    pub fn left(&self) -> Option<String> {
        (!self.files.is_empty()).then(|| self.spool.folder().display().to_string())
    }

    fn forget(&mut self, trial: &Trial) {
        if let Some(file) = self.files.remove(&(trial.number, trial.attempt)) {
            self.spool.remove(&file);
        }
    }
}

impl Observer for Keeper {
    fn kept(&mut self, trial: &Trial, ending: &Ending, reports: &[Report]) {
        let result = Spooled::new(&self.storage, &self.study, trial, ending, reports);
        match self.spool.write(&result) {
            Ok(file) => _ = self.files.insert((trial.number, trial.attempt), file),
            Err(error) => {
                let folder = self.spool.folder().display();
                say(&format!(
                    "cannot save the result of trial {} in `{folder}`: {error}",
                    trial.number
                ));
            }
        }
    }

    fn told(&mut self, trial: &Trial, _: Told, _: &Standing) {
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
    let unreadable =
        |error| CommandError::failure(&format!("`{}`", spool.folder().display()), error);
    let mut recovered = Recovered::default();
    for (file, result) in spool.read().map_err(unreadable)? {
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
        let what = format!("trial {} of study `{}`", result.number, result.study);
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
            Err(error) => recovered.left.push(format!("{what}: {error}")),
        }
    }
    Ok(recovered)
}
