//! Figure 4: an unknown target document.

use neuralbo::linalg::{Points, Purpose, Streams};
use neuralbo::record::{Direction, ObjectiveSpec, VALUE};
use neuralbo::space::{Point, Space};
use rand::seq::index;
use serde_json::{Value, json};

use crate::data;
use crate::problems::retrieval::{TERMS, TargetSearch, TextDocument, counts, most_frequent, read};
use crate::report::curves::Middle;
use crate::report::{Document, PlainSection, Published, Reported, Section};
use crate::runner::{
    CaseEvaluator, Experiment, LabCase, LabError, LabSettings, Profile, Size, Suite, Workload,
    coordinates, seed_of,
};

/// Documents that are shown before the search begins.
const INITIAL: usize = 10;
const PROBLEM: [&str; 1] = ["retrieval-counts"];

/// The search for an unknown document; every run has a target of its own.
pub static RETRIEVAL: Reported = Reported {
    published: || {
        Some(Published {
            evaluations: None,
            ..Published::of(size(Profile::Paper))
        })
    },
    ..Reported::new(
        Experiment {
            load,
            ..Experiment::new("retrieval", size, open)
        },
        "Unknown target document (Figure 4)",
        differences,
        report,
    )
};

fn size(profile: Profile) -> Size {
    match profile {
        Profile::Quick => Size::new(PROBLEM, 2, 2),
        Profile::Standard => Size::new(PROBLEM, 10, 50),
        Profile::Paper => Size::new(PROBLEM, 10, 500),
    }
}

fn load(_: &str, evaluations: u64) -> Workload {
    Workload {
        dim: TERMS,
        initial: INITIAL,
        evaluations,
        pool: true,
    }
}

fn open(settings: &LabSettings) -> Result<Box<dyn Suite>, LabError> {
    let data = data::directory(settings.data.as_deref())?;
    let documents = read(&data)?;
    let rows = counts(&documents, &most_frequent(&documents, TERMS));
    Ok(Box::new(Pool { documents, rows }))
}

fn differences(facts: &Value) -> Vec<String> {
    let documents = facts["documents"].as_u64().unwrap_or(0);
    vec![format!(
        "{documents} documents of the paper's 37,738, all of them candidates in every round"
    )]
}

fn report(document: &mut Document, section: &Section<'_>) {
    PlainSection {
        figure: "figure-4-retrieval",
        title: "Best hierarchical F1 against rounds",
        caption: "Figure 4. Mean of runs with different targets, bands of one standard deviation."
            .into(),
        values: "best hierarchical F1",
        middle: Middle::Mean,
        finals: "Final best hierarchical F1, mean ± sd of the runs (larger is better; bold: best mean).",
    }
    .write(document, section);
}

struct Pool {
    documents: Vec<TextDocument>,
    /// Counts of terms, one row per document.
    rows: Points,
}

impl Suite for Pool {
    fn case(&self, problem: &str, run: u32) -> Result<LabCase, LabError> {
        if !PROBLEM.contains(&problem) {
            return Err(LabError::unknown(problem, "retrieval", &PROBLEM));
        }
        let seed = seed_of(&["retrieval"], run);
        let search = TargetSearch::new(&self.documents, seed);
        let space = Space::from_pool(search.pool(&self.rows));
        Ok(LabCase {
            objectives: vec![ObjectiveSpec::new(VALUE, Direction::Maximize)],
            initial: shown(search.len(), seed),
            ..LabCase::new(problem, run, seed, space, Box::new(search))?
        })
    }

    fn facts(&self, _: &[String]) -> Result<Value, LabError> {
        Ok(json!({
            "noise": "none",
            "initial": format!("{INITIAL} documents drawn without repetition, shared"),
            "documents": self.documents.len(),
            "documents_in_paper": 37_738,
        }))
    }
}

fn shown(documents: usize, seed: u64) -> Vec<Point> {
    let mut rng = Streams::new(seed).indexed(0, Purpose::Design, 1);
    let chosen = index::sample(&mut rng, documents, INITIAL.min(documents));
    let point = |i: usize| Point::new(vec![(i as i64).into()]);
    chosen.iter().map(point).collect()
}

/// How much a document is like the target.
impl CaseEvaluator for TargetSearch {
    fn truth(&self, point: &Point) -> f64 {
        let index = coordinates(point).first().map(|index| *index as usize);
        index
            .and_then(|index| self.score(index))
            .unwrap_or(f64::NAN)
    }
}
