//! The questions that are answered, as JSON under `/api`.

mod actions;
mod calibration;
mod columns;
mod compare;
mod csv;
mod downsample;
mod failures;
mod filter;
mod front;
mod models;
mod next;
mod outcome_constraints;
mod problem;
mod progress;
mod pulse;
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

use models::Models;
use next::Outlooks;
pub(crate) use problem::Problem;
pub(crate) use pulse::Pulse;

use crate::cache::{Studies, StudyData};
use crate::http::{Query, Reply};

/// A question.
pub(crate) struct Question {
    /// The parts of the path after `/api/`, decoded.
    pub(crate) path: Vec<String>,
    pub(crate) query: Query,
    /// What an action is to do; `None` for a question.
    pub(crate) body: Option<Bytes>,
}

/// What an answer costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// Milliseconds.
    Light,
    /// A model may have to be made.
    Model,
    /// Much is asked of the model.
    Long,
}

impl Question {
    /// What the answer costs; questions that cost the same wait for each other.
    pub(crate) fn load(&self) -> Load {
        match self
            .path
            .get(2)
            .map(String::as_str)
            .filter(|_| self.body.is_none())
        {
            Some("slice" | "contour" | "next") => Load::Model,
            Some("importance") => Load::Long,
            _ => Load::Light,
        }
    }
}

fn thread() -> Option<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(1).build().ok()
}

/// Answers questions; any thread may ask.
pub(crate) struct App {
    store: Arc<dyn Store>,
    editing: Option<Arc<dyn Store>>,
    studies: Studies,
    models: Models,
    outlooks: Outlooks,
    report: bool,
    /// A thread for models and one for what takes long: whoever works on this machine keeps the others.
    threads: Option<[ThreadPool; 2]>,
}

type Answer = Result<Reply, Problem>;

impl App {
    pub(crate) fn new(store: Arc<dyn Store>, editing: Option<Arc<dyn Store>>) -> Self {
        Self {
            studies: Studies::new(Arc::clone(&store)),
            store,
            editing,
            models: Models::default(),
            outlooks: Outlooks::default(),
            report: false,
            threads: thread().zip(thread()).map(<[ThreadPool; 2]>::from),
        }
    }

    /// Answers for a file rather than for browsers.
    pub(crate) fn of_report(store: Arc<dyn Store>) -> Self {
        Self {
            report: true,
            threads: None,
            ..Self::new(store, None)
        }
    }

    /// Answers; whatever is wrong is an answer too.
    pub(crate) fn answer(&self, question: &Question) -> Reply {
        let path: Vec<&str> = question.path.iter().map(String::as_str).collect();
        let answer = match &question.body {
            None => match (question.load(), &self.threads) {
                (Load::Light, _) | (_, None) => self.ask(&path, &question.query),
                (Load::Model, Some([thread, _])) | (Load::Long, Some([_, thread])) => {
                    thread.install(|| self.ask(&path, &question.query))
                }
            },
            Some(body) => self.act(&path, body),
        };
        answer.unwrap_or_else(Problem::reply)
    }

    fn ask(&self, path: &[&str], query: &Query) -> Answer {
        match path {
            ["info"] => Ok(self.info()),
            ["studies"] => self.list(&self.store.study_names()?),
            ["compare"] => self.compare(query),
            ["studies", name] => self.study(name),
            ["studies", name, "progress"] => self.look(name, |data| progress::answer(data, query)),
            ["studies", name, "trials"] => self.look(name, |data| trials::answer(data, query)),
            ["studies", name, "trials", number] => self.trial(name, number),
            ["studies", name, "trials.csv"] => self.csv(name),
            ["studies", name, "columns"] => self.look(name, |data| columns::answer(data, query)),
            ["studies", name, "outcome-constraints"] => {
                self.look(name, |data| outcome_constraints::answer(data, query))
            }
            ["studies", name, "front"] => self.look(name, |data| front::answer(data, query)),
            ["studies", name, "reports"] => self.curves(name, query),
            ["studies", name, "slice"] => self.slice(name, query),
            ["studies", name, "contour"] => self.contour(name, query),
            ["studies", name, "importance"] => self.importance(name, query),
            ["studies", name, "next"] => self.next(name),
            ["studies", name, "failures"] => self.look(name, failures::answer),
            ["studies", name, "calibration"] => self.look(name, calibration::answer),
            ["studies", name, "timeline"] => {
                self.look(name, |data| timeline::timeline(data, query))
            }
            ["studies", name, "time"] => self.look(name, timeline::times),
            _ => Err(Problem::nothing_here()),
        }
    }

    fn look(&self, name: &str, answer: impl FnOnce(&StudyData) -> Answer) -> Answer {
        self.studies.with(name, answer)?
    }

    /// The list with this study alone.
    pub(crate) fn list_of(&self, study: &str) -> Reply {
        self.list(&[study.to_owned()])
            .unwrap_or_else(Problem::reply)
    }

    /// The whole table, thinned out where it would take more bytes than these.
    pub(crate) fn table_of(&self, study: &str, bytes: usize) -> Reply {
        self.look(study, |data| Ok(trials::whole(data, bytes)))
            .unwrap_or_else(Problem::reply)
    }

    /// The numbers of the best trials of the first objective.
    pub(crate) fn best_of(&self, study: &str, count: usize) -> Vec<u64> {
        let numbers = |data: &StudyData| {
            let places = columns::best(data, data.record.definition.objective(), count);
            places
                .into_iter()
                .map(|place| data.table.rows[place].number)
                .collect()
        };
        self.studies.with(study, numbers).unwrap_or_default()
    }

    fn info(&self) -> Reply {
        Reply::json(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "storage": self.store.url(),
            "editable": self.editing.is_some(),
            "report": self.report,
        }))
    }
}

/// The objective that is asked about; the first one where none is named.
fn objective<'a>(data: &'a StudyData, query: &Query) -> Result<&'a ObjectiveSpec, Problem> {
    let objectives = &data.record.definition.objectives;
    let found = match query.get("objective") {
        Some(name) => objectives.iter().find(|objective| objective.name == name),
        None => objectives.first(),
    };
    found.ok_or_else(|| {
        Problem::bad(format!(
            "objective: `{}` is unknown",
            query.get("objective").unwrap_or_default()
        ))
    })
}

/// Milliseconds since 1970 by this machine's clock.
fn now_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
