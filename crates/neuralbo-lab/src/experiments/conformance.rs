//! What every experiment must pass.

use super::*;
use crate::runner::{Experiment, Profile};

#[test]
fn names_are_distinct_words() {
    for (i, experiment) in EXPERIMENTS.iter().enumerate() {
        let name = experiment.name();
        let word = name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        assert!(!name.is_empty() && word, "{name}");
        let mut others = EXPERIMENTS[..i].iter();
        assert!(others.all(|other| other.name() != name), "{name}");
    }
}

#[test]
fn profiles_grow() {
    for experiment in EXPERIMENTS {
        let work = |profile| {
            let size = experiment.size(profile);
            size.problems.len() as u64 * u64::from(size.runs) * size.evaluations
        };
        assert!(Profile::ALL.map(work).is_sorted_by(|a, b| a < b));
    }
}

#[test]
fn every_experiment_has_methods_and_titles() {
    for experiment in EXPERIMENTS {
        let texts = [
            experiment.title(),
            experiment.short_title(),
            experiment.units().runs,
        ];
        assert!(texts.iter().all(|text| !text.is_empty()), "{experiment:?}");
        assert!(!experiment.methods().is_empty(), "{experiment:?}");
    }
}

#[test]
fn the_paper_is_run_in_its_sizes() {
    let size = |experiment: &dyn Experiment| {
        let size = experiment.size(Profile::Paper);
        (size.problems.len(), size.runs, size.evaluations)
    };
    assert_eq!(size(&Synthetic), (24, 5, 2000));
    assert_eq!(size(&BbobSuite), (96, 15, 20));
    assert_eq!(size(&SensitiveImages), (2, 10, 1000));
    assert_eq!(size(&Retrieval), (1, 10, 500));
    assert_eq!(size(&Pushing), (1, 3, 6000));
    assert_eq!(Pushing.size(Profile::Paper).default_runs, 5);
    assert_eq!(size(&Memory), (1, 1, 6000));
}

#[test]
fn what_the_paper_published_is_among_what_is_run() {
    for experiment in EXPERIMENTS {
        let Some(published) = experiment.published() else {
            continue;
        };
        let size = experiment.size(Profile::Paper);
        let mut problems = published.problems.iter();
        assert!(
            problems.all(|problem| size.problems.contains(problem)),
            "{experiment:?}"
        );
        let evaluations = published.evaluations.unwrap_or(size.evaluations);
        assert_eq!(evaluations, size.evaluations, "{experiment:?}");
        assert!(published.runs >= size.runs, "{experiment:?}");
    }
}

#[test]
fn the_exploration_grid_is_among_the_methods() {
    let methods: Vec<String> = Pushing.methods().iter().map(ToString::to_string).collect();
    assert!(
        methods.contains(&"neuralbo-paper:nu=10".to_owned())
            && methods.contains(&"random".to_owned())
    );
}
