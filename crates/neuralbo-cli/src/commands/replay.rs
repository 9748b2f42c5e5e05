//! `neuralbo replay`.

use clap::Args;
use neuralbo::study::{Replay, replay};
use neuralbo_store::Access;
use serde_json::json;

use crate::output::{CommandError, answer, exit_code};
use crate::run::args::StorageArgs;

/// Recompute all suggestions of a stored study from its log and seed, and report the first difference.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  neuralbo replay tuning")]
pub struct ReplayCommand {
    /// The study
    study: String,
    #[command(flatten)]
    storage: StorageArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl ReplayCommand {
    /// Prints the first difference, if any.
    pub fn execute(self) -> Result<u8, CommandError> {
        let (store, record) = self.storage.study(&self.study, Access::Read)?;
        let result = replay(store.as_ref(), &record, &neuralbo_paper::registry())?;
        answer(self.json, &as_json(&result), &text(&result))?;
        Ok(exit_code(result.mismatch.is_none()))
    }
}

fn as_json(result: &Replay) -> serde_json::Value {
    let difference = result
        .mismatch
        .as_ref()
        .map(|mismatch| json!({ "trial": mismatch.number, "stored": mismatch.stored, "derived": mismatch.derived }));
    json!({ "derived": result.derived, "parallel": result.parallel, "difference": difference })
}

fn text(result: &Replay) -> String {
    match &result.mismatch {
        None => format!("{} suggestions recomputed, all identical\n", result.derived),
        Some(mismatch) => format!(
            "trial {} differs:\n  stored  {}\n  derived {}\n",
            mismatch.number,
            mismatch.stored,
            mismatch
                .derived
                .as_ref()
                .map_or("nothing left to suggest".to_owned(), ToString::to_string)
        ),
    }
}
