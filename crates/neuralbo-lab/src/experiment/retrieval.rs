//! Figure 4: an unknown target document.

use std::path::Path;
use std::sync::OnceLock;

use neuralbo::linalg::{Purpose, Streams};
use neuralbo::space::{Point, Space};
use neuralbo::study::Direction;
use rand::seq::index;
use serde_json::{Value, json};

use super::task::{Objective, Task, coordinates, seed_of};
use super::{Experiment, LabError};
use crate::problems::retrieval::{Corpus, TERMS, TargetSearch, TermWeights, Terms};

/// Documents that are shown before the search begins.
const INITIAL: usize = 10;
/// The problems and how they weigh terms.
const PROBLEMS: [(&str, TermWeights); 2] = [("retrieval-counts", TermWeights::Counts), ("retrieval-tfidf", TermWeights::TfIdf)];

/// The documents; every run has a target of its own.
pub struct Documents {
    corpus: Corpus,
    evaluations: u64,
    /// Counted once for each of [`PROBLEMS`].
    terms: [OnceLock<Terms>; 2],
}

impl Documents {
    /// Reads the documents of a data directory.
    pub fn open(data: &Path, evaluations: u64) -> Result<Self, LabError> {
        Ok(Self { corpus: Corpus::read(data)?, evaluations, terms: [OnceLock::new(), OnceLock::new()] })
    }
}

impl Experiment for Documents {
    fn task(&self, problem: &str, run: u32) -> Result<Task, LabError> {
        let Some(which) = PROBLEMS.iter().position(|(name, _)| *name == problem) else {
            let allowed = format!("its problems: {}", PROBLEMS.map(|(name, _)| name).join(", "));
            return Err(LabError::UnknownProblem { problem: problem.to_owned(), experiment: "retrieval", allowed });
        };
        // The target is that of the run, whatever the terms weigh.
        let seed = seed_of(&["retrieval"], run);
        let search = TargetSearch::new(&self.corpus, seed);
        let terms = self.terms[which].get_or_init(|| Terms::new(&self.corpus, PROBLEMS[which].1, TERMS));
        let pool = search.pool(terms);
        let space = Space::from_pool(pool).map_err(|error| LabError::Impossible(error.to_string()))?;
        Ok(Task {
            problem: problem.to_owned(),
            run,
            seed,
            space,
            direction: Direction::Maximize,
            initial: shown(search.len(), seed),
            objective: Box::new(Preference(search)),
            noisy: false,
            evaluations: self.evaluations,
        })
    }

    fn facts(&self, _: &[String]) -> Result<Value, LabError> {
        Ok(json!({
            "noise": "none",
            "initial": format!("{INITIAL} documents drawn without repetition, shared"),
            "documents": self.corpus.documents().len(),
            "documents_in_paper": 37_738,
        }))
    }
}

fn shown(documents: usize, seed: u64) -> Vec<Point> {
    let mut rng = Streams::new(seed).indexed(0, Purpose::Design, 1);
    let chosen = index::sample(&mut rng, documents, INITIAL.min(documents));
    chosen.iter().map(|i| Point::new(vec![(i as i64).into()])).collect()
}

/// How much a document is like the target.
struct Preference(TargetSearch);

impl Objective for Preference {
    fn observe(&self, point: &Point, _: u64) -> f64 {
        self.truth(point)
    }

    fn truth(&self, point: &Point) -> f64 {
        let index = coordinates(point).first().map_or(usize::MAX, |index| *index as usize);
        self.0.score(index).unwrap_or(f64::NAN)
    }
}
