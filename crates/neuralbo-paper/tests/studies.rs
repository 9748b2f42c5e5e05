//! Studies by the paper's methods: their models answer, and looking at a model changes no suggestion.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use neuralbo::record::{Definition, Direction, Limits};
use neuralbo::space::Space;
use neuralbo::store::{MemoryStore, NewStudy, Store};
use neuralbo::study::Study;
use neuralbo_paper::presets::METHODS;

/// A study in memory that knows `sin` at 20 points.
fn study(method: &str) -> Study {
    let space = Space::new(vec!["x=float(-2,2)".parse().unwrap()]).unwrap();
    let definition = Definition {
        method: method.to_owned(),
        ..Definition::new(space, Direction::Minimize)
    };
    let store = Arc::new(MemoryStore::new());
    let new = NewStudy::new("study", definition, Limits::default());
    let record = store.create_study(&new).unwrap();
    let mut study = Study::open(store, record, neuralbo_paper::registry()).unwrap();
    for i in 0..20 {
        let x = f64::from(i) / 5.0 - 2.0;
        study
            .add_known([("x".to_owned(), x)].into_iter().collect(), x.sin())
            .unwrap();
    }
    study
}

#[test]
fn every_method_has_a_model_to_recommend_by() {
    // The network of the reference code is trained once per observation, which takes too long here.
    for method in METHODS.iter().filter(|m| m.name != "neuralbo-reference") {
        let answer = study(method.name).recommend();
        assert!(answer.is_ok(), "{}: {answer:?}", method.name);
    }
}

#[test]
fn looking_at_the_model_changes_no_suggestion() {
    let (mut watched, mut alone) = (study("neuralbo-paper"), study("neuralbo-paper"));
    for _ in 0..3 {
        watched.recommend().unwrap();
        let (a, b) = (watched.ask_one().unwrap(), alone.ask_one().unwrap());
        assert_eq!(a.params, b.params);
        watched.tell(&a, 0.5).unwrap();
        alone.tell(&b, 0.5).unwrap();
    }
}
