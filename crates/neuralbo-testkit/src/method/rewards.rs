//! Rewards of every kind: few, constant, repeated, of any size, and none at all.

use super::search::{TestSearch, cube, quick, rows, smooth};
use neuralbo::record::{Definition, Direction};
use neuralbo::space::Space;
use neuralbo::strategy::Origin;
use neuralbo::strategy::presets::Method;
use neuralbo::study::Study;

fn space() -> Space {
    Space::from_bounds(&[(-1.0, 1.0), (0.0, 3.0)]).unwrap()
}

/// Eight observations, then two suggestions by the model.
pub(super) fn after(method: &Method, reward: impl Fn(usize) -> f64) {
    let mut search = TestSearch::new(method, &space(), 3);
    search.tell_all(8, reward);
    let batch = search.batch(2);
    assert!(batch.len() == 2 && batch[0].row != batch[1].row);
    batch.iter().for_each(|it| search.assert_by_model(it));
}

pub(super) fn huge_rewards_are_modelled_or_the_fallback_says_why(method: &Method) {
    let mut search = TestSearch::new(method, &space(), 3);
    search.tell_all(8, |i| 1e300 * (i as f64 - 3.0));
    let suggestion = search.next();
    if !matches!(&suggestion.origin, Origin::Fallback(why) if !why.is_empty()) {
        search.assert_by_model(&suggestion);
    }
}

pub(super) fn one_point_is_enough(method: &Method) {
    let mut search = TestSearch::new(method, &space(), 3);
    let row = &rows(&search.space, 1)[0];
    search.tell(row, 2.5);
    // The first two trials are the initial design's: the third is the first one a model may choose.
    let batch = search.batch(2);
    assert!(batch.iter().all(|suggestion| suggestion.row != *row));
    search.assert_by_model(&batch[1]);
}

pub(super) fn repeated_points_are_modelled(method: &Method) {
    for rewards in [[1.0, 2.0, 3.0, 4.0], [5.0; 4]] {
        let mut search = TestSearch::new(method, &space(), 3);
        for reward in rewards {
            search.tell(&[0.5, 0.5], reward);
        }
        let suggestion = search.next();
        search.assert_by_model(&suggestion);
        assert_ne!(suggestion.row, [0.5, 0.5]);
    }
}

pub(super) fn a_told_nan_is_a_failed_trial_and_poisons_nothing(method: &Method) {
    let space = space();
    let strategy = method.strategy(&space, 5, &quick(method)).unwrap();
    let definition = Definition::new(space.clone(), Direction::Maximize);
    let mut study = Study::with_strategy(definition, strategy).unwrap();
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for i in 0..9 {
        let trial = study.ask_one().unwrap();
        let provenance = trial.provenance.as_ref().unwrap();
        let is_finite = |number: Option<f64>| number.is_none_or(f64::is_finite);
        assert!(is_finite(provenance.mean) && is_finite(provenance.sd));
        let row = space.row_of(trial.params.as_ref().unwrap());
        let value = if i % 2 == 1 {
            odd[i / 2 % 3]
        } else {
            smooth(&row)
        };
        study.tell(&trial, value).unwrap();
    }
    assert_eq!(study.counts().failed, 4);
    let best = study.log().best();
    assert!(best.is_some_and(|(_, value)| value.is_finite()));
}

pub(super) fn the_search_goes_on_when_every_trial_fails(method: &Method) {
    let mut search = TestSearch::new(method, &cube(2), 7);
    search.run(12, 3, |_| f64::NAN);
    let counts = (search.history.failed().len(), search.points().len());
    assert_eq!(counts, (12, 12));
}
