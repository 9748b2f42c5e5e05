//! The method passes the conformance suite and can be used by name in a study.

use std::sync::Arc;

use neuralbo::record::{Definition, Direction, Limits};
use neuralbo::space::{Params, Space};
use neuralbo::store::{MemoryStore, NewStudy, Store};
use neuralbo::strategy::presets::Registry;
use neuralbo::study::Study;
use neuralbo_extending::LOCAL_SEARCH;
use neuralbo_testkit::method::conformance;

#[test]
fn the_method_conforms() {
    conformance(&LOCAL_SEARCH);
}

#[test]
fn a_study_can_name_it() {
    let registry = Registry::standard().with(LOCAL_SEARCH).unwrap();
    let space = Space::from_bounds(&[(-5.0, 5.0), (-5.0, 5.0)]).unwrap();
    let definition = Definition {
        method: "local-search".into(),
        seed: 3,
        ..Definition::new(space, Direction::Minimize)
    };
    let store = MemoryStore::new();
    let record = store
        .create_study(&NewStudy::new("mine", definition, Limits::default()))
        .unwrap();
    let mut study = Study::open(Arc::new(store), record, registry).unwrap();
    let value =
        |params: &Params| params.float("x0").unwrap().powi(2) + params.float("x1").unwrap().powi(2);
    for _ in 0..60 {
        let trial = study.ask_one().unwrap();
        let value = value(trial.params.as_ref().unwrap());
        study.tell(&trial, value).unwrap();
    }
    assert!(study.log().best().unwrap().1 < 1.0);
}
