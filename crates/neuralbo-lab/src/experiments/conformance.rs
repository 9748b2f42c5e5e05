//! What every experiment must pass.

use super::*;
use crate::runner::{Experiment, Profile};

#[test]
fn names_are_distinct_words() {
    for (i, experiment) in EXPERIMENTS.iter().enumerate() {
        let name = experiment.name();
        assert!(
            !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
            "{name}"
        );
        assert!(
            EXPERIMENTS[..i].iter().all(|other| other.name() != name),
            "{name}"
        );
    }
}

#[test]
fn profiles_grow() {
    for experiment in EXPERIMENTS {
        let work = |profile| {
            let size = experiment.size(profile);
            size.problems.len() as u64 * u64::from(size.runs) * size.evaluations
        };
        assert!(
            work(Profile::Quick) < work(Profile::Standard)
                && work(Profile::Standard) < work(Profile::Paper)
        );
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
    let size = |experiment: &dyn Experiment| experiment.size(Profile::Paper);
    assert_eq!(
        (
            size(&Synthetic).problems.len(),
            size(&Synthetic).runs,
            size(&Synthetic).evaluations
        ),
        (24, 5, 2000)
    );
    let found = (size(&BbobSuite).problems.len(), size(&BbobSuite).runs);
    assert_eq!(found, (96, 15));
    assert_eq!(
        (
            size(&Pushing).evaluations,
            size(&Pushing).runs,
            size(&Pushing).default_runs
        ),
        (6000, 3, 5)
    );
    assert_eq!(
        (
            size(&SensitiveImages).evaluations,
            size(&SensitiveImages).runs
        ),
        (1000, 10)
    );
    let found = (size(&Retrieval).evaluations, size(&Retrieval).runs);
    assert_eq!(found, (500, 10));
    assert_eq!(size(&Memory).evaluations, 6000);
}

#[test]
fn what_the_paper_published_is_among_what_is_run() {
    for experiment in EXPERIMENTS {
        let Some(published) = experiment.published() else {
            continue;
        };
        let size = experiment.size(Profile::Paper);
        assert!(
            published
                .problems
                .iter()
                .all(|problem| size.problems.contains(problem)),
            "{experiment:?}"
        );
        assert!(
            published
                .evaluations
                .is_none_or(|stated| stated == size.evaluations),
            "{experiment:?}"
        );
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
