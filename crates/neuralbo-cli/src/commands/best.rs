//! `neuralbo best`.

use std::sync::Arc;

use clap::Args;

use neuralbo::store::{Store, StudyRecord};
use neuralbo::study::{Study, StudyError};
use neuralbo_store::Access;
use serde_json::{Value, json};

use crate::output::{CommandError, answer, exit_code};
use crate::run::args::StorageArgs;
use crate::run::summary::StudyResult;

const EXAMPLE: &str = "\
Examples:
  neuralbo best tuning --json | jq .params
  neuralbo best two-goals --json | jq '.front[].values'

Exit codes: 0 there is a best trial or a front, 1 no trial has a value or none is feasible.";

/// Show the best trial of a stored study (and, under noise, the recommended one), or the Pareto front.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
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
        let found = StudyResult::new(&mut viewed(store, record)?, |_| None)?;
        let none = || format!("no trial of study `{}` has a value\n", self.study);
        let text = found.text().unwrap_or_else(none);
        answer(self.json, &as_json(&found), &text)?;
        Ok(exit_code(found.has_result()))
    }
}

/// A study to look at. One by a method that this version does not have can still be looked at.
fn viewed(store: Arc<dyn Store>, mut record: StudyRecord) -> Result<Study, CommandError> {
    let open = |record| Study::open(Arc::clone(&store), record, neuralbo_paper::registry());
    match open(record.clone()) {
        Err(StudyError::Method(_)) => {
            record.definition.method = "random".to_owned();
            record.definition.options.clear();
            Ok(open(record)?)
        }
        opened => Ok(opened?),
    }
}

/// The best trial, with the recommended one as one of its keys; null if no trial has a value. Without a feasible trial, the one of
/// least violation; with several objectives, the front.
fn as_json(found: &StudyResult) -> Value {
    let StudyResult::One {
        best,
        recommended,
        least_violation,
    } = found
    else {
        return json!(found);
    };
    if let (None, Some(_)) = (best, least_violation) {
        return json!({ "best": null, "least_violation": least_violation });
    }
    let mut best = json!(best);
    if let (Some(object), Some(recommended)) = (best.as_object_mut(), recommended) {
        object.insert("recommended".to_owned(), json!(recommended));
    }
    best
}
