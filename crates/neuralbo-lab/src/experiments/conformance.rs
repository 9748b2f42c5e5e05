//! What every experiment must pass.

use super::*;
use crate::runner::{Profile, run_seconds};

#[test]
fn names_are_distinct_words() {
    for (i, experiment) in EXPERIMENTS.iter().enumerate() {
        let name = experiment.run.name;
        let word = name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        assert!(!name.is_empty() && word, "{name}");
        let mut others = EXPERIMENTS[..i].iter();
        assert!(others.all(|other| other.run.name != name), "{name}");
    }
}

#[test]
fn profiles_grow() {
    for experiment in EXPERIMENTS {
        let work = |profile| {
            let size = (experiment.run.size)(profile);
            size.problems.len() as u64 * u64::from(size.runs) * size.evaluations
        };
        assert!(Profile::ALL.map(work).is_sorted_by(|a, b| a < b));
    }
}

#[test]
fn every_experiment_has_methods_and_titles() {
    for experiment in EXPERIMENTS {
        let texts = [experiment.title, experiment.short_title];
        assert!(texts.iter().all(|text| !text.is_empty()), "{experiment:?}");
        assert!(!experiment.run.units.runs.is_empty(), "{experiment:?}");
        assert!(!(experiment.run.methods)().is_empty(), "{experiment:?}");
    }
}

/// Regression: one unknown method made the sum of all costs NaN.
#[test]
fn what_every_experiment_costs_is_known() {
    for experiment in EXPERIMENTS {
        let size = (experiment.run.size)(Profile::Paper);
        for method in (experiment.run.methods)() {
            let load = (experiment.run.load)(&size.problems[0], size.evaluations);
            let seconds = run_seconds(&method.to_string(), load);
            assert!(
                seconds.is_some_and(f64::is_finite),
                "{experiment:?}: {method}"
            );
        }
    }
}

#[test]
fn the_paper_is_run_in_its_sizes() {
    let size = |name: &str| {
        let size = (find(name).unwrap().run.size)(Profile::Paper);
        (size.problems.len(), size.runs, size.evaluations)
    };
    assert_eq!(size("synthetic"), (24, 10, 2000));
    assert_eq!(size("bbob"), (96, 15, 20));
    assert_eq!(size("sensitive"), (2, 10, 1000));
    assert_eq!(size("retrieval"), (1, 10, 500));
    assert_eq!(size("push"), (1, 10, 6000));
    assert_eq!(size("memory"), (1, 1, 6000));
}

#[test]
fn what_the_paper_published_is_among_what_is_run() {
    for experiment in EXPERIMENTS {
        let Some(published) = (experiment.published)() else {
            continue;
        };
        let size = (experiment.run.size)(Profile::Paper);
        let run = |problem| size.problems.contains(problem);
        assert!(published.problems.iter().all(run), "{experiment:?}");
        let evaluations = published.evaluations.unwrap_or(size.evaluations);
        assert_eq!(evaluations, size.evaluations, "{experiment:?}");
        assert_eq!(published.runs, size.runs, "{experiment:?}");
    }
}

#[test]
fn the_exploration_grid_is_among_the_methods() {
    let methods: Vec<String> = (find("push").unwrap().run.methods)()
        .iter()
        .map(ToString::to_string)
        .collect();
    for name in ["neuralbo-paper:nu=10", "random"] {
        assert!(methods.contains(&name.to_owned()), "{methods:?}");
    }
}
