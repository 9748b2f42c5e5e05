//! All trials as a file.

use std::collections::HashSet;
use std::sync::Arc;

use neuralbo::record::{Definition, Trial};
use neuralbo::space::Parameter;
use neuralbo::store::{Store, StudyId};
use serde_json::json;

use super::trials::matching;
use super::{ApiReply, ApiResult, App, Query};

/// Trials of one piece: what waits for a slow reader is small.
const PIECE: u64 = 500;

/// The columns before those of the values and the parameters.
const COLUMNS: [&str; 9] = [
    "number",
    "state",
    "origin",
    "worker",
    "attempt",
    "asked_ms",
    "started_ms",
    "finished_ms",
    "failure",
];

impl App {
    /// The trials as they are stored, those of the table's filters, read piece by piece while they are sent.
    pub(super) fn csv(&self, name: &str, query: &Query) -> ApiResult {
        let record = self.store.study(name)?;
        let mut filters = ["state", "search", "where"].iter();
        let kept = match filters.any(|key| query.get(key).is_some()) {
            true => Some(self.studies.with(name, |data| matching(data, query))??),
            false => None,
        };
        let mut rows = CsvRows {
            store: Arc::clone(&self.store),
            study: record.id,
            definition: record.definition,
            kept,
            next: None,
            failed: false,
        };
        let chunks = Box::new(move || rows.piece());
        Ok(ApiReply::Download {
            name: file_name(name),
            content_type: "text/csv; charset=utf-8",
            chunks,
        })
    }
}

/// The rows of a file, read piece by piece.
struct CsvRows {
    store: Arc<dyn Store>,
    study: StudyId,
    definition: Definition,
    /// The numbers of the trials that the filters take; `None` for all.
    kept: Option<HashSet<u64>>,
    /// The number of the next trial; `None` before the head.
    next: Option<u64>,
    failed: bool,
}

impl CsvRows {
    fn piece(&mut self) -> Option<Vec<u8>> {
        let Some(first) = self.next else {
            self.next = Some(0);
            return Some(head(&self.definition).into_bytes());
        };
        if self.failed {
            return None;
        }
        let trials = match self.store.trials(self.study, first, PIECE) {
            Ok(trials) => trials,
            // The head is sent: the file itself must say that it is not whole.
            Err(error) => {
                self.failed = true;
                return Some(format!("{}\n", quoted(&format!("error: {error}"))).into_bytes());
            }
        };
        self.next = Some(trials.last()?.number + 1);
        let takes = |trial: &&Trial| {
            let kept = self.kept.as_ref();
            kept.is_none_or(|kept| kept.contains(&trial.number))
        };
        let lines = trials
            .iter()
            .filter(takes)
            .map(|trial| line(&self.definition, trial));
        Some(lines.collect::<String>().into_bytes())
    }
}

fn head(definition: &Definition) -> String {
    let parameters = definition.space.parameters().iter().map(Parameter::name);
    let names: Vec<String> = COLUMNS
        .into_iter()
        .chain(definition.measured())
        .chain(parameters)
        .chain(["attributes"])
        .map(quoted)
        .collect();
    names.join(",") + "\n"
}

fn line(definition: &Definition, trial: &Trial) -> String {
    let params = trial.params.as_ref();
    let params = params.map(|params| definition.renamed(params, trial.version));
    let params = params.unwrap_or_default();
    let time = |time: Option<i64>| time.map_or(String::new(), |ms| ms.to_string());
    let origin = trial.provenance.as_ref().map_or("", |from| &from.origin);
    let failure = trial.failure().map_or(String::new(), ToString::to_string);
    let mut cells = vec![
        trial.number.to_string(),
        trial.state.name().to_owned(),
        quoted(origin),
        quoted(&trial.worker),
        trial.attempt.to_string(),
        trial.asked_ms.to_string(),
        time(trial.started_ms),
        time(trial.finished_ms),
        quoted(&failure),
    ];
    cells.extend(definition.measured().into_iter().map(|name| {
        let value = trial.value(name);
        value.map_or(String::new(), |value| format!("{value:?}"))
    }));
    cells.extend(definition.space.parameters().iter().map(|parameter| {
        let value = params.get(parameter.name());
        value.map_or(String::new(), |value| quoted(&value.to_string()))
    }));
    cells.push(match trial.attributes.is_empty() {
        true => String::new(),
        false => quoted(&json!(trial.attributes).to_string()),
    });
    cells.join(",") + "\n"
}

/// A cell as RFC 4180 has it. A text that a spreadsheet would take for a formula gets an apostrophe.
fn quoted(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '@', '\t', '\r'])
        || (text.starts_with('-') && text.parse::<f64>().is_err());
    let text = if formula {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

/// A name for a file that no system takes amiss.
fn file_name(study: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '_'
        }
    };
    format!(
        "{}.csv",
        study
            .chars()
            .map(plain)
            .collect::<String>()
            .trim_start_matches('.')
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_neither_columns_nor_formulas() {
        for (text, cell) in [
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("-1e-3", "-1e-3"),
            ("-x", "'-x"),
            ("two\nlines", "\"two\nlines\""),
        ] {
            assert_eq!(quoted(text), cell);
        }
        assert_eq!(file_name("../a b\"\r\n"), "_a_b___.csv");
    }
}
