//! The questions of the API under `/api`, answered as JSON.
//!
//! [`QUESTIONS`] lists those about a study: the router and the report read it.

mod actions;
mod calibration;
mod changes;
mod columns;
mod compare;
mod csv;
mod downsample;
mod failures;
mod filter;
mod front;
mod models;
mod outcome_constraints;
mod outlook;
mod progress;
mod reports;
mod studies;
mod study;
mod timeline;
mod trial;
mod trials;

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use hyper::body::Bytes;
use neuralbo::record::ObjectiveSpec;
use neuralbo::store::Store;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::json;

pub(crate) use changes::ChangeEvent;
use models::ObjectiveModels;
use outlook::Outlooks;

use crate::cache::{StudyCache, StudyData};
use crate::query::Query;
use crate::reply::{ApiError, ApiReply, ApiResult, answered};

/// A question about a study.
pub(crate) struct StudyQuestion {
    /// The address after the name of the study.
    pub(crate) path: &'static str,
    answer: fn(&App, &str, &Query) -> ApiResult,
    /// The query of a report, if the question needs no parameter or objective.
    pub(crate) in_report: Option<&'static str>,
}

const fn question(
    path: &'static str,
    answer: fn(&App, &str, &Query) -> ApiResult,
    in_report: Option<&'static str>,
) -> StudyQuestion {
    StudyQuestion {
        path,
        answer,
        in_report,
    }
}

/// All questions about a study as a whole.
#[rustfmt::skip]
pub(crate) const QUESTIONS: [StudyQuestion; 15] = [
    question("progress", |app, name, query| app.look(name, |data| progress::answer(data, query)), Some("points=1500")),
    question("outcome-constraints", |app, name, query| app.look(name, |data| outcome_constraints::answer(data, query)), Some("points=1000")),
    question("failures", |app, name, _| app.look(name, failures::answer), Some("")),
    question("timeline", |app, name, query| app.look(name, |data| timeline::timeline(data, query)), Some("bars=1000")),
    question("time", |app, name, _| app.look(name, timeline::times), Some("")),
    question("calibration", |app, name, _| app.look(name, calibration::answer), Some("")),
    question("front", |app, name, query| app.look(name, |data| front::answer(data, query)), Some("points=1500")),
    question("reports", App::curves, Some("curves=100")),
    question("next", |app, name, _| app.next(name), Some("")),
    question("trials", |app, name, query| app.look(name, |data| trials::answer(app.store.as_ref(), data, query)), None),
    question("trials.csv", App::csv, None),
    question("columns", |app, name, query| app.look(name, |data| columns::answer(data, query)), None),
    question("slice", App::slice, None),
    question("contour", App::contour, None),
    question("importance", App::importance, None),
];

/// A request to the API.
pub(crate) struct ApiRequest {
    /// The decoded parts of the path after `/api/`.
    pub(crate) path: Vec<String>,
    pub(crate) query: Query,
    /// What an action does; `None` for a question.
    pub(crate) body: Option<Bytes>,
}

/// How expensive a reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestCost {
    /// Milliseconds.
    Cheap,
    /// May fit a model.
    Model,
    /// Much computation with the model.
    Long,
}

impl ApiRequest {
    /// Requests of the same cost wait for each other, unless they are cheap.
    pub(crate) fn cost(&self) -> RequestCost {
        let about = self.path.get(2).filter(|_| self.body.is_none());
        match about.map(String::as_str) {
            Some("slice" | "contour" | "next") => RequestCost::Model,
            Some("importance") => RequestCost::Long,
            _ => RequestCost::Cheap,
        }
    }
}

fn thread() -> Option<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(1).build().ok()
}

/// Answers requests from any thread.
pub(crate) struct App {
    store: Arc<dyn Store>,
    editing: Option<Arc<dyn Store>>,
    studies: StudyCache,
    models: ObjectiveModels,
    outlooks: Outlooks,
    report: bool,
    /// One thread for models and one for long computations; the other cores are left to others.
    threads: Option<[ThreadPool; 2]>,
}

impl App {
    pub(crate) fn new(store: Arc<dyn Store>, editing: Option<Arc<dyn Store>>) -> Self {
        Self {
            studies: StudyCache::new(Arc::clone(&store)),
            store,
            editing,
            models: ObjectiveModels::default(),
            outlooks: Outlooks::default(),
            report: false,
            threads: thread().zip(thread()).map(<[ThreadPool; 2]>::from),
        }
    }

    /// For a report instead of browsers.
    pub(crate) fn of_report(store: Arc<dyn Store>) -> Self {
        Self {
            report: true,
            threads: None,
            ..Self::new(store, None)
        }
    }

    /// Answers a request; errors are replies.
    pub(crate) fn answer(&self, request: &ApiRequest) -> ApiReply {
        let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
        let ask = || self.ask(&path, &request.query);
        let answer = match (&request.body, request.cost(), &self.threads) {
            (Some(body), ..) => self.act(&path, body),
            (None, RequestCost::Model, Some([thread, _])) => thread.install(ask),
            (None, RequestCost::Long, Some([_, thread])) => thread.install(ask),
            (None, ..) => ask(),
        };
        answer.unwrap_or_else(ApiError::reply)
    }

    fn ask(&self, path: &[&str], query: &Query) -> ApiResult {
        match path {
            ["info"] => self.info(),
            ["studies"] => self.list(&self.store.study_names()?),
            ["compare"] => self.compare(query),
            ["studies", name] => self.study(name),
            ["studies", name, "trials", number] => self.trial(name, number),
            ["studies", name, about] => {
                let found = QUESTIONS.iter().find(|question| question.path == *about);
                let question = found.ok_or_else(ApiError::nothing_here)?;
                (question.answer)(self, name, query)
            }
            _ => Err(ApiError::nothing_here()),
        }
    }

    fn look(&self, name: &str, answer: impl FnOnce(&StudyData) -> ApiResult) -> ApiResult {
        self.studies.with(name, answer)?
    }

    /// The list with this study only.
    pub(crate) fn list_of(&self, study: &str) -> ApiReply {
        self.list(&[study.to_owned()])
            .unwrap_or_else(ApiError::reply)
    }

    /// The whole table, thinned if it exceeds this many bytes.
    pub(crate) fn table_of(&self, study: &str, bytes: usize) -> ApiReply {
        self.look(study, |data| Ok(trials::whole(data, bytes)))
            .unwrap_or_else(ApiError::reply)
    }

    /// The numbers of the best trials of the first objective.
    pub(crate) fn best_of(&self, study: &str, count: usize) -> Vec<u64> {
        let numbers = |data: &StudyData| {
            let places = columns::best(data, data.record.definition.objective(), count);
            let rows = places.into_iter().map(|place| &data.table.rows[place]);
            rows.map(|row| row.number).collect()
        };
        self.studies.with(study, numbers).unwrap_or_default()
    }

    fn info(&self) -> ApiResult {
        answered(json!({
            "version": env!("CARGO_PKG_VERSION"),
            "storage": self.store.url(),
            "editable": self.editing.is_some(),
            "report": self.report,
            "written": self.report.then(now_ms),
        }))
    }
}

/// The requested objective; the first one by default.
fn objective<'a>(data: &'a StudyData, query: &Query) -> Result<&'a ObjectiveSpec, ApiError> {
    let objectives = &data.record.definition.objectives;
    let name = query.get("objective");
    let found = match name {
        Some(name) => objectives.iter().find(|objective| objective.name == name),
        None => objectives.first(),
    };
    let name = name.unwrap_or_default();
    found.ok_or_else(|| ApiError::bad(format!("objective: `{name}` is unknown")))
}

fn trial_number(text: &str) -> Result<u64, ApiError> {
    let unknown = |_| ApiError::unknown(format!("trial `{text}` is unknown"));
    text.parse().map_err(unknown)
}

/// Milliseconds since 1970 by this machine's clock.
fn now_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
