//! `neuralbo best`.

use clap::Args;
use neuralbo::strategy::presets::Registry;
use neuralbo::study::{Study, StudyError};
use neuralbo_store::Access;
use serde_json::{Value, json};

use super::studies::best;
use crate::exit::{CommandError, EXIT_FAILURE, EXIT_OK};
use crate::output::{print, print_json};
use crate::run::args::StorageArgs;
use crate::run::summary::Found;

/// Show the best trial of a stored study, and under noise the one to rely on.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  neuralbo best tuning --json | jq .params")]
pub struct BestCommand {
    /// The study
    study: String,
    #[command(flatten)]
    storage: StorageArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl BestCommand {
    /// Prints the best trial.
    pub fn execute(self) -> Result<u8, CommandError> {
        let (store, record) = self.storage.study(&self.study, Access::Read)?;
        let found = match Study::open(store.clone(), record.clone(), Registry::standard()) {
            Ok(mut study) => Found::new(&mut study, |_| None)?,
            // A method that this version does not have: its trials can still be looked at.
            Err(StudyError::Method(_)) => Found { best: best(store.as_ref(), &record)?, recommended: None },
            Err(error) => return Err(error.into()),
        };
        match found.text() {
            _ if self.json => print_json(&as_json(&found))?,
            Some(text) => print(&text)?,
            None => print(&format!("no trial of study `{}` has a value\n", self.study))?,
        }
        Ok(if found.best.is_some() { EXIT_OK } else { EXIT_FAILURE })
    }
}

/// The best trial, with the recommended one as one of its keys; null if no trial has a value.
fn as_json(found: &Found) -> Value {
    let mut best = json!(found.best);
    if let (Some(object), Some(recommended)) = (best.as_object_mut(), &found.recommended) {
        object.insert("recommended".to_owned(), json!(recommended));
    }
    best
}
