//! What differs from the paper.

use super::results::Results;
use crate::experiment::{Kind, Profile, size};

/// One sentence on budget, runs, noise and data; every figure carries it.
pub fn note(results: &Results) -> String {
    let manifest = &results.manifest;
    let paper = size(manifest.experiment, Profile::Paper);
    let per = if manifest.experiment == Kind::Bbob { "·D evaluations" } else { " evaluations" };
    let mut parts = Vec::new();
    // The paper does not say how long it searched here; its profile is our choice.
    let unstated = matches!(manifest.experiment, Kind::Sensitive | Kind::Retrieval);
    if unstated {
        parts.push(format!("{}{per} (the paper does not state its number)", manifest.evaluations));
    } else if manifest.evaluations != paper.evaluations {
        parts.push(format!("{}{per} instead of {}", manifest.evaluations, paper.evaluations));
    }
    let (runs, word) = (results.most_runs(), if manifest.experiment == Kind::Bbob { "instances" } else { "runs" });
    if runs as u32 != paper.runs {
        parts.push(format!("{word}: {runs} instead of {}", paper.runs));
    }
    let missing = paper.problems.iter().filter(|problem| !results.problems().contains(&problem.as_str())).count();
    if missing > 0 && paper.problems.len() > 1 {
        parts.push(format!("{missing} of {} problems missing", paper.problems.len()));
    }
    parts.extend(particular(results));
    if parts.is_empty() { "Sizes as in the paper.".into() } else { format!("Differs from the paper: {}.", parts.join("; ")) }
}

/// What differs by the nature of each experiment.
fn particular(results: &Results) -> Vec<String> {
    let facts = &results.manifest.facts;
    let fact = |name: &str| facts[name].as_str().unwrap_or("unknown").to_owned();
    match results.manifest.experiment {
        Kind::Synthetic if fact("noise") == "text" => {
            vec!["noise variance 1 % of the range over random points (the text's)".into()]
        }
        Kind::Synthetic => {
            vec!["noise sd 0.1·std(f) as in the authors' code, where the text says variance 1 % of the range".into()]
        }
        Kind::Bbob => vec!["instances 1, 2, … of the suite".into()],
        Kind::Sensitive => {
            let accuracy = facts["classifier_accuracy"].as_f64().map_or(f64::NAN, |a| 100.0 * a);
            vec![
                format!("our classifier ({accuracy:.1} % accuracy; the paper's 93 %)"),
                "7×7 images resized as images (the released code flattens them first)".into(),
            ]
        }
        Kind::Retrieval => vec![format!(
            "{} documents of the paper's 37,738, all of them candidates in every round",
            facts["documents"].as_u64().unwrap_or(0)
        )],
        Kind::Push => vec!["own physics engine, bit-exact to the original on recorded pushes".into()],
        Kind::Memory => vec!["resident set of one process per method instead of GPU memory".into()],
    }
}
