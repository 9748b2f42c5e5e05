//! Folders for checkpoints, from which pruned and interrupted trials can be resumed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use neuralbo::record::Trial;
use neuralbo::store::{Store, StudyId, first_of};
use neuralbo::study::Study;

/// The folders of one study, one for each chain of trials that resume each other.
pub struct Checkpoints {
    folder: PathBuf,
    store: Arc<dyn Store>,
    study: StudyId,
}

impl Checkpoints {
    /// The folders of a study. Its name alone would lead a new study to the checkpoints of one that was removed.
    pub fn new(folder: &Path, study: &Study) -> Self {
        let record = study.record();
        let folder = folder.join(format!("{}-{}", file_name(&record.name), record.created_ms));
        Self {
            folder,
            store: Arc::clone(study.store()),
            study: record.id,
        }
    }

    /// The folder of a trial, which exists then.
    pub fn of(&self, trial: &Trial) -> Result<PathBuf, String> {
        let first =
            first_of(self.store.as_ref(), self.study, trial).map_err(|error| error.to_string())?;
        let folder = std::path::absolute(self.folder.join(first.to_string()));
        let made = folder.and_then(|folder| std::fs::create_dir_all(&folder).map(|()| folder));
        made.map_err(|error| {
            format!(
                "cannot make the folder of the checkpoint in `{}`: {error}",
                self.folder.display()
            )
        })
    }
}

/// A study's name as a folder name; special characters become `_`.
fn file_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.chars()
        .map(|c| if plain(c) { c } else { '_' })
        .collect::<String>()
        .replace("..", "__")
}
