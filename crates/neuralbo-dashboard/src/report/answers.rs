//! The answers that a report carries, by their addresses.

use std::collections::BTreeMap;

use hyper::StatusCode;
use serde_json::Value as Json;

use crate::api::{ApiRequest, App, QUESTIONS};
use crate::query::Query;
use crate::reply::ApiReply;

/// Most bytes of the table; longer studies are thinned.
const TABLE_BYTES: usize = 1_400_000;
/// Trials with a page of their own.
const WHOLE_TRIALS: usize = 40;
/// Parameters with contours, each pair both ways.
const PAIRED: usize = 4;

/// Replies by address.
pub(super) struct Answers<'a> {
    app: &'a App,
    study: &'a str,
    found: BTreeMap<String, String>,
}

/// All answers, as one JSON object.
pub(super) fn answers(app: &App, study: &str) -> String {
    let mut answers = Answers {
        app,
        study,
        found: BTreeMap::new(),
    };
    answers.ask(&["info"], "", "/api/info");
    let list = app.list_of(study);
    answers.keep("/api/studies", list);
    answers.of_study("", "", "");
    for question in &QUESTIONS {
        if let Some(query) = question.in_report {
            let rest = format!("/{}", question.path);
            answers.of_study(&rest, query, &rest);
        }
    }
    let overview = answers.json("");
    answers.table();
    answers.objectives(&overview);
    answers.reports();
    answers.whole_trials();
    let entry = |(key, answer)| format!("{}:{answer}", Json::String(key));
    let entries: Vec<String> = answers.found.into_iter().map(entry).collect();
    format!("{{{}}}", entries.join(","))
}

impl Answers<'_> {
    /// Keeps the answer to a question, if there is one.
    fn ask(&mut self, path: &[&str], query: &str, key: &str) -> bool {
        let path = path.iter().map(|part| (*part).to_owned()).collect();
        let query = Query::read(query).unwrap_or_default();
        let reply = self.app.answer(&ApiRequest {
            path,
            query,
            body: None,
        });
        self.keep(key, reply)
    }

    fn keep(&mut self, key: &str, reply: ApiReply) -> bool {
        let ApiReply::Whole {
            status: StatusCode::OK,
            bytes,
            ..
        } = reply
        else {
            return false;
        };
        let Ok(text) = String::from_utf8(bytes.to_vec()) else {
            return false;
        };
        self.found.insert(key.to_owned(), text);
        true
    }

    /// Asks about the study and keeps the answer below `key`, which leaves out how much was asked for.
    fn of_study(&mut self, rest: &str, query: &str, key: &str) -> bool {
        let study = self.study.to_owned();
        let mut path = vec!["studies", study.as_str()];
        path.extend(rest.split('/').filter(|part| !part.is_empty()));
        let key = format!("/api/studies/{}{key}", component(&study));
        self.ask(&path, query, &key)
    }

    fn json(&self, rest: &str) -> Json {
        let key = format!("/api/studies/{}{rest}", component(self.study));
        self.found
            .get(&key)
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default()
    }

    fn table(&mut self) {
        let reply = self.app.table_of(self.study, TABLE_BYTES);
        let key = format!("/api/studies/{}/trials", component(self.study));
        self.keep(&key, reply);
    }

    /// What the model says of every objective; the first one's answers have no name in their addresses.
    fn objectives(&mut self, overview: &Json) {
        let parameters = names(items(&overview["space"]));
        for (place, objective) in names(items(&overview["objectives"])).iter().enumerate() {
            let named = format!("objective={}", form(objective));
            let key = |rest: &str, own: &str| match (own, place) {
                ("", 0) => rest.to_owned(),
                ("", _) => format!("{rest}?{named}"),
                (own, 0) => format!("{rest}?{own}"),
                (own, _) => format!("{rest}?{own}&{named}"),
            };
            let query = format!("points=1500&{named}");
            self.of_study("/columns", &query, &key("/columns", ""));
            self.of_study("/importance", &named, &key("/importance", ""));
            for parameter in &parameters {
                let own = format!("param={}", form(parameter));
                let query = format!("{own}&{named}&grid=40");
                if !self.of_study("/slice", &query, &key("/slice", &own)) {
                    break;
                }
            }
            for (x, y) in pairs(&self.json(&key("/importance", "")), &parameters) {
                let own = format!("x={}&y={}", form(&x), form(&y));
                let query = format!("{own}&{named}&grid=24");
                self.of_study("/contour", &query, &key("/contour", &own));
            }
        }
    }

    /// The curves of every name that was reported.
    fn reports(&mut self) {
        let found = self.json("/reports")["names"].clone();
        for name in items(&found).filter_map(Json::as_str) {
            let own = format!("name={}", form(name));
            let key = format!("/reports?{own}");
            self.of_study("/reports", &format!("curves=60&{own}"), &key);
        }
    }

    /// The best trials with all that is stored of them.
    fn whole_trials(&mut self) {
        let overview = self.json("");
        let mut numbers: Vec<u64> = items(&overview["front"]).filter_map(Json::as_u64).collect();
        numbers.extend(self.app.best_of(self.study, WHOLE_TRIALS));
        for number in numbers.into_iter().take(WHOLE_TRIALS) {
            let rest = format!("/trials/{number}");
            self.of_study(&rest, "", &rest);
        }
    }
}

fn items(list: &Json) -> impl Iterator<Item = &Json> {
    list.as_array().into_iter().flatten()
}

fn names<'a>(entries: impl IntoIterator<Item = &'a Json>) -> Vec<String> {
    let entries = entries.into_iter();
    let names = entries.filter_map(|entry| entry["name"].as_str());
    names.map(str::to_owned).collect()
}

/// Pairs of the most important parameters, both ways; of the first ones without importances.
fn pairs(importance: &Json, parameters: &[String]) -> Vec<(String, String)> {
    let total = |entry: &Json| entry["total"]["value"].as_f64().unwrap_or(0.0);
    let mut ranked: Vec<&Json> = items(&importance["params"]).collect();
    ranked.sort_by(|a, b| total(b).total_cmp(&total(a)));
    let mut chosen = names(ranked);
    if chosen.is_empty() {
        chosen = parameters.to_vec();
    }
    chosen.truncate(PAIRED);
    let mut pairs = Vec::new();
    for x in &chosen {
        let others = chosen.iter().filter(|y| *y != x);
        pairs.extend(others.map(|y| (x.clone(), y.clone())));
    }
    pairs
}

/// A text as `encodeURIComponent` writes it.
fn component(text: &str) -> String {
    encoded(text, "-_.!~*'()", "%20")
}

/// A text as `URLSearchParams` writes it.
fn form(text: &str) -> String {
    encoded(text, "*-._", "+")
}

fn encoded(text: &str, plain: &str, space: &str) -> String {
    let byte = |byte: u8| match char::from(byte) {
        ' ' => space.to_owned(),
        c if c.is_ascii_alphanumeric() || plain.contains(c) => c.to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_as_browsers_write_them() {
        assert_eq!(component("a b/ü'(x)+"), "a%20b%2F%C3%BC'(x)%2B");
        assert_eq!(form("a b/ü'(x)+"), "a+b%2F%C3%BC%27%28x%29%2B");
    }
}
