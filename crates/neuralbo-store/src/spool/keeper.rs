//! Results of a run that cannot be told now, in files until they are.

use std::collections::HashMap;
use std::path::PathBuf;

use neuralbo::drive::{Observer, RunStanding};
use neuralbo::record::{Ending, Report, Token, Trial};
use neuralbo::store::{StoreError, StudyRecord, Told};

use super::{Spool, Spooled};
use crate::url::identity;

/// Keeps what a run cannot tell in the [`Spool`] of this user, and forgets what it has told.
///
/// ```
/// use neuralbo::Registry;
/// use neuralbo::drive::{DriveOptions, drive};
/// use neuralbo::record::{Definition, Direction, Limits};
/// use neuralbo::space::{Params, Space};
/// use neuralbo::store::NewStudy;
/// use neuralbo::study::Study;
/// use neuralbo_store::Keeper;
///
/// let url = "memory://";
/// let store = neuralbo_store::open(url)?;
/// let definition = Definition::new(Space::from_bounds(&[(0.0, 1.0)])?, Direction::Minimize);
/// let record = store.create_study(&NewStudy::new("tuning", definition, Limits::default()))?;
/// let mut keeper = Keeper::new(url, &record, |line| eprintln!("{line}"))?;
/// let mut study = Study::open(store, record, Registry::standard())?;
/// let objective = |params: &Params| params.float("x0").ok_or("no x0");
/// let options = DriveOptions { trials: Some(3), ..DriveOptions::default() };
/// drive(&mut study, &objective, &options, &mut [&mut keeper])?;
/// assert_eq!(keeper.left(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Keeper<'a> {
    /// `None` without a private folder.
    spool: Option<Spool>,
    /// Whether a result could not be saved.
    failed: bool,
    storage: String,
    study: StudyRecord,
    files: HashMap<Token, PathBuf>,
    say: Box<dyn Fn(&str) + 'a>,
}

impl<'a> Keeper<'a> {
    /// For a study of a storage. `say` gets what the user should know: that there is no folder for the files, or that one cannot be
    /// written.
    pub fn new(
        url: &str,
        study: &StudyRecord,
        say: impl Fn(&str) + 'a,
    ) -> Result<Self, StoreError> {
        let without = |reason: &String| {
            say(&format!(
                "results are lost if this process ends while the storage is away, as there is no folder for them: {reason}"
            ))
        };
        Ok(Self {
            spool: Spool::of_user().inspect_err(without).ok(),
            failed: false,
            storage: identity(url)?,
            study: study.clone(),
            files: HashMap::new(),
            say: Box::new(say),
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

impl Observer for Keeper<'_> {
    fn kept(&mut self, trial: &Trial, ending: &Ending, reports: &[Report]) {
        let Some(spool) = &self.spool else { return };
        let result = Spooled::new(&self.storage, &self.study, trial, ending, reports);
        match spool.write(&result) {
            Ok(file) => _ = self.files.insert(trial.token, file),
            // Once: the same error usually occurs for every trial.
            Err(error) if !std::mem::replace(&mut self.failed, true) => {
                let (number, folder) = (trial.number, spool.folder().display());
                (self.say)(&format!(
                    "cannot save the result of trial {number} in `{folder}`: {error}"
                ));
            }
            Err(_) => {}
        }
    }

    fn told(&mut self, trial: &Trial, _: Told, _: &RunStanding) {
        self.forget(trial);
    }

    fn released(&mut self, trial: &Trial, _: &str) {
        self.forget(trial);
    }
}
