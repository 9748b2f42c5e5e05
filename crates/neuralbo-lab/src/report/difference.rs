//! What differs from the paper.

use super::results::Results;
use crate::runner::Size;

/// What the paper ran, as far as it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The problems.
    pub problems: Vec<String>,
    /// Runs of every method.
    pub runs: u32,
    /// Evaluations of a run; none where the paper does not state them.
    pub evaluations: Option<u64>,
}

impl Published {
    /// The sizes of a profile.
    pub fn of(size: Size) -> Self {
        Self {
            problems: size.problems,
            runs: size.runs,
            evaluations: Some(size.evaluations),
        }
    }
}

/// One sentence on budget, runs, noise and data; every figure carries it.
pub fn note(results: &Results) -> String {
    let manifest = &results.manifest;
    let experiment = results.experiment;
    let differences = (experiment.differences)(&manifest.facts);
    let Some(paper) = (experiment.published)() else {
        return format!("Not in the paper: {}.", differences.join("; "));
    };
    let parts = [sizes(results, &paper), differences].concat();
    if parts.is_empty() {
        "Sizes as in the paper.".into()
    } else {
        format!("Differs from the paper: {}.", parts.join("; "))
    }
}

/// Evaluations, runs and problems that are not those of the paper.
fn sizes(results: &Results, paper: &Published) -> Vec<String> {
    let (manifest, units) = (&results.manifest, results.experiment.run.units);
    let per = units.evaluations();
    let mut parts = Vec::new();
    let ours = manifest.evaluations;
    match paper.evaluations {
        None => parts.push(format!("{ours}{per} (the paper does not state its number)")),
        Some(stated) if stated != ours => parts.push(format!("{ours}{per} instead of {stated}")),
        Some(_) => {}
    }
    let runs = results.most_runs();
    if runs as u32 != paper.runs {
        parts.push(format!("{}: {runs} instead of {}", units.runs, paper.runs));
    }
    let (ran, all) = (results.problems(), paper.problems.len());
    let is_missing = |problem: &&String| !ran.contains(&problem.as_str());
    let missing = paper.problems.iter().filter(is_missing).count();
    if missing > 0 && all > 1 {
        parts.push(format!("{missing} of {all} problems missing"));
    }
    parts
}
