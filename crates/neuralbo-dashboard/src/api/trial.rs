//! One trial with all its records.

use serde_json::json;

use super::actions::NOTE;
use super::{ApiResult, App, answered, trial_number};
use crate::cache::StudyData;

/// Attributes with the end of a program's output.
const LOG_KEYS: [&str; 3] = ["log_tail", "log", "stderr"];

/// The trials that resume it.
fn resumed_by(data: &StudyData, number: u64) -> Vec<u64> {
    let finished = data.table.rows.iter().map(|row| (row.resumes, row.number));
    let running = data.running.iter().map(|trial| {
        let from = trial.provenance.as_ref();
        (from.and_then(|from| from.resumes), trial.number)
    });
    let all = finished.chain(running);
    let resuming = all.filter(|(resumed, _)| *resumed == Some(number));
    resuming.map(|(_, number)| number).collect()
}

impl App {
    pub(super) fn trial(&self, name: &str, number: &str) -> ApiResult {
        let number = trial_number(number)?;
        let (study, definition, front, resumed_by) = self.studies.with(name, |data| {
            (
                data.record.id,
                data.record.definition.clone(),
                data.log.front(),
                resumed_by(data, number),
            )
        })?;
        let trial = self.store.trial(study, number)?;
        let text = |key: &str| trial.attributes.get(key).and_then(|value| value.as_str());
        let reports = self.reports_by_name(study, number, usize::MAX)?;
        let reports = reports
            .into_iter()
            .map(|(name, (step, value))| json!({ "name": name, "step": step, "value": value }));
        answered(json!({
            "trial": trial,
            "reports": reports.collect::<Vec<_>>(),
            "attributes": trial.attributes,
            "log_tail": LOG_KEYS.into_iter().find_map(text),
            "feasible": !trial.is_running() && definition.is_feasible(&trial.values),
            "on_front": front.contains(&number),
            "note": text(NOTE),
            "resumed_by": resumed_by,
        }))
    }
}
