//! Runs that ended early, and suggestions that were fallbacks.

use std::collections::BTreeMap;

use super::document::{Document, ReportTable};
use super::results::Results;

/// Adds the section.
pub fn report(document: &mut Document, experiments: &[Results]) {
    document.section("Failures and fallbacks");
    let mut failed = ReportTable::new(
        "Runs that ended early; they are left out of all figures and tables.",
        &["experiment", "problem", "method", "run", "error"],
    );
    let mut fallbacks: BTreeMap<(&str, &str, &str), (usize, String)> = BTreeMap::new();
    for results in experiments {
        for trace in &results.traces {
            let header = &trace.header;
            if let Some(error) = &header.error {
                let words = [&*header.experiment, &header.problem, &header.method];
                failed.row(&words, [header.run.to_string(), error.clone()]);
            }
            let key = (&*header.experiment, &*header.problem, &*header.method);
            let origins = trace.rows.iter().map(|row| &row.origin);
            for origin in origins.filter(|origin| origin.starts_with("fallback")) {
                let (count, last) = fallbacks.entry(key).or_default();
                (*count, *last) = (*count + 1, origin.clone());
            }
        }
    }
    if failed.rows.is_empty() && fallbacks.is_empty() {
        document.text("None: every run went to its end and every model could be fitted.");
    }
    document.table(failed);
    let caption = "Space-filling points in place of a model's choice.";
    let columns = ["experiment", "problem", "method", "fallbacks"];
    let mut table = ReportTable::new(caption, &columns).with(["the last one"]);
    for ((experiment, problem, method), (count, why)) in fallbacks {
        table.row(&[experiment, problem, method], [count.to_string(), why]);
    }
    document.table(table);
}
