//! All trials as a file.

use std::sync::Arc;

use neuralbo::record::{Definition, Trial};
use neuralbo::space::Value;
use neuralbo::store::{Store, StudyId};

use super::{ApiReply, ApiResult, App};

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
    /// The trials as they are stored, read piece by piece while they are sent.
    pub(super) fn csv(&self, name: &str) -> ApiResult {
        let record = self.store.study(name)?;
        let (store, definition) = (Arc::clone(&self.store), record.definition);
        let chunks = Box::new(move |send: &mut dyn FnMut(Vec<u8>) -> bool| {
            if send(head(&definition).into_bytes()) {
                pour(store.as_ref(), record.id, &definition, send);
            }
        });
        Ok(ApiReply::Download {
            name: file_name(name),
            content_type: "text/csv; charset=utf-8",
            chunks,
        })
    }
}

fn pour(
    store: &dyn Store,
    study: StudyId,
    definition: &Definition,
    send: &mut dyn FnMut(Vec<u8>) -> bool,
) {
    let mut first = 0;
    loop {
        let trials = match store.trials(study, first, PIECE) {
            Ok(trials) => trials,
            Err(error) => {
                // The head is sent: the file itself must say that it is not whole.
                send(format!("{}\n", quoted(&format!("error: {error}"))).into_bytes());
                return;
            }
        };
        let Some(last) = trials.last() else { return };
        first = last.number + 1;
        let text: String = trials.iter().map(|trial| line(definition, trial)).collect();
        if !send(text.into_bytes()) {
            return;
        }
    }
}

fn measured(definition: &Definition) -> impl Iterator<Item = &str> {
    let objectives = definition
        .objectives
        .iter()
        .map(|objective| objective.name.as_str());
    objectives.chain(
        definition
            .outcome_constraints
            .iter()
            .map(|constraint| constraint.name.as_str()),
    )
}

fn head(definition: &Definition) -> String {
    let parameters = definition
        .space
        .parameters()
        .iter()
        .map(|parameter| parameter.name());
    let names: Vec<String> = COLUMNS
        .into_iter()
        .chain(measured(definition))
        .chain(parameters)
        .map(quoted)
        .collect();
    names.join(",") + "\n"
}

fn line(definition: &Definition, trial: &Trial) -> String {
    let params = trial
        .params
        .as_ref()
        .map(|params| definition.renamed(params, trial.version))
        .unwrap_or_default();
    let time = |time: Option<i64>| time.map_or(String::new(), |ms| ms.to_string());
    let origin = trial
        .provenance
        .as_ref()
        .map_or("", |provenance| &provenance.origin);
    let failure = trial.failure().map_or(String::new(), ToString::to_string);
    let mut cells = vec![
        trial.number.to_string(),
        trial.state.name().to_owned(),
        quoted(origin),
        quoted(&trial.worker),
    ];
    cells.extend([trial.attempt.to_string(), trial.asked_ms.to_string()]);
    cells.extend([
        time(trial.started_ms),
        time(trial.finished_ms),
        quoted(&failure),
    ]);
    cells.extend(measured(definition).map(|name| {
        trial
            .value(name)
            .map_or(String::new(), |value| format!("{value:?}"))
    }));
    let value = |value: &Value| quoted(&value.to_string());
    let parameters = definition.space.parameters().iter();
    cells.extend(
        parameters.map(|parameter| params.get(parameter.name()).map_or(String::new(), value)),
    );
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
