//! Figure 4: an unknown target document.

mod claims;
mod report;

use std::path::Path;
use std::sync::OnceLock;

use neuralbo::linalg::{Purpose, Streams};
use neuralbo::record::Direction;
use neuralbo::space::{Point, Space};
use rand::seq::index;
use serde_json::{Value, json};

use crate::data;
use crate::experiment::{
    Evaluator, Experiment, LabError, Load, Profile, Published, Settings, Size, Task, Tasks,
    coordinates, seed_of,
};
use crate::problems::retrieval::{Corpus, TERMS, TargetSearch, TermWeights, Terms};
use crate::report::{Claim, Document, Section};

/// Documents that are shown before the search begins.
const INITIAL: usize = 10;
/// The problems and how they weigh terms.
const PROBLEMS: [(&str, TermWeights); 2] = [
    ("retrieval-counts", TermWeights::Counts),
    ("retrieval-tfidf", TermWeights::TfIdf),
];

/// The search for an unknown document; every run has a target of its own.
pub struct Retrieval;

impl Experiment for Retrieval {
    fn name(&self) -> &'static str {
        "retrieval"
    }

    fn title(&self) -> &'static str {
        "Unknown target document (Figure 4)"
    }

    fn size(&self, profile: Profile) -> Size {
        let problem = [PROBLEMS[0].0];
        match profile {
            Profile::Quick => Size::new(problem, 2, 2),
            Profile::Standard => Size::new(problem, 10, 50),
            Profile::Paper => Size::new(problem, 10, 500),
        }
    }

    fn published(&self) -> Option<Published> {
        Some(Published::of(self.size(Profile::Paper)).without_evaluations())
    }

    fn load(&self, _: &str, evaluations: u64) -> Load {
        Load {
            dim: TERMS,
            initial: INITIAL,
            evaluations,
            pool: true,
        }
    }

    fn open(&self, settings: &Settings) -> Result<Box<dyn Tasks>, LabError> {
        let data = data::directory(settings.data.as_deref())?;
        Ok(Box::new(Documents::open(
            &data,
            settings.planned_evaluations(),
        )?))
    }

    fn claims(&self) -> &'static [Claim] {
        &claims::CLAIMS
    }

    fn differences(&self, facts: &Value) -> Vec<String> {
        let documents = facts["documents"].as_u64().unwrap_or(0);
        vec![format!(
            "{documents} documents of the paper's 37,738, all of them candidates in every round"
        )]
    }

    fn report(&self, document: &mut Document, section: &Section<'_>) {
        report::report(document, section);
    }
}

/// The documents and the budget.
struct Documents {
    corpus: Corpus,
    evaluations: u64,
    /// Counted once for each of [`PROBLEMS`].
    terms: [OnceLock<Terms>; 2],
}

impl Documents {
    /// Reads the documents of a data directory.
    fn open(data: &Path, evaluations: u64) -> Result<Self, LabError> {
        Ok(Self {
            corpus: Corpus::read(data)?,
            evaluations,
            terms: [OnceLock::new(), OnceLock::new()],
        })
    }
}

impl Tasks for Documents {
    fn task(&self, problem: &str, run: u32) -> Result<Task, LabError> {
        let Some(which) = PROBLEMS.iter().position(|(name, _)| *name == problem) else {
            let allowed = format!(
                "its problems: {}",
                PROBLEMS.map(|(name, _)| name).join(", ")
            );
            return Err(LabError::UnknownProblem {
                problem: problem.to_owned(),
                experiment: "retrieval",
                allowed,
            });
        };
        // The target is that of the run, whatever the terms weigh.
        let seed = seed_of(&["retrieval"], run);
        let search = TargetSearch::new(&self.corpus, seed);
        let terms =
            self.terms[which].get_or_init(|| Terms::new(&self.corpus, PROBLEMS[which].1, TERMS));
        let pool = search.pool(terms);
        let space =
            Space::from_pool(pool).map_err(|error| LabError::Impossible(error.to_string()))?;
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
    chosen
        .iter()
        .map(|i| Point::new(vec![(i as i64).into()]))
        .collect()
}

/// How much a document is like the target.
struct Preference(TargetSearch);

impl Evaluator for Preference {
    fn observe(&self, point: &Point, _: u64) -> f64 {
        self.truth(point)
    }

    fn truth(&self, point: &Point) -> f64 {
        let index = coordinates(point)
            .first()
            .map_or(usize::MAX, |index| *index as usize);
        self.0.score(index).unwrap_or(f64::NAN)
    }
}
