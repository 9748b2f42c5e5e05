//! What differs from the paper.

use super::results::Results;
use crate::experiment::Profile;

/// One sentence on budget, runs, noise and data; every figure carries it.
pub fn note(results: &Results) -> String {
    let manifest = &results.manifest;
    let experiment = manifest.experiment;
    let (paper, units) = (experiment.size(Profile::Paper), experiment.units());
    let per = units.evaluations();
    let mut parts = Vec::new();
    if !experiment.paper_states_evaluations() {
        parts.push(format!("{}{per} (the paper does not state its number)", manifest.evaluations));
    } else if manifest.evaluations != paper.evaluations {
        parts.push(format!("{}{per} instead of {}", manifest.evaluations, paper.evaluations));
    }
    let runs = results.most_runs();
    if runs as u32 != paper.runs {
        parts.push(format!("{}: {runs} instead of {}", units.runs, paper.runs));
    }
    let missing = paper.problems.iter().filter(|problem| !results.problems().contains(&problem.as_str())).count();
    if missing > 0 && paper.problems.len() > 1 {
        parts.push(format!("{missing} of {} problems missing", paper.problems.len()));
    }
    parts.extend(experiment.differences(&manifest.facts));
    if parts.is_empty() { "Sizes as in the paper.".into() } else { format!("Differs from the paper: {}.", parts.join("; ")) }
}
