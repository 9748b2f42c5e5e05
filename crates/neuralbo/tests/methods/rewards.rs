//! Rewards of every kind: few, constant, repeated, of any size, and none at all.

use super::support::{Search, assert_by_model, bowl, cube, for_every_method, quick, rows};
use neuralbo::linalg::Points;
use neuralbo::space::Space;
use neuralbo::strategy::Origin;
use neuralbo::strategy::presets::{METHODS, Method, build};
use neuralbo::study::{Direction, Study};

/// Its description leaves rewards in their own units, and its network is in single precision.
const TAKES_REWARDS_AS_THEY_ARE: &str = "neuralbo-reference";

fn space() -> Space {
    Space::from_bounds(&[(-1.0, 1.0), (0.0, 3.0)]).unwrap()
}

/// Eight observations, then two suggestions by the model.
fn after(method: &Method, reward: impl Fn(usize) -> f64) {
    let mut search = Search::new(method, &space(), 3);
    search.tell_all(8, reward);
    let batch = search.ask(&Points::new(2), 2).unwrap();
    assert!(batch.len() == 2 && batch[0].row != batch[1].row);
    batch.iter().for_each(|suggestion| assert_by_model(method, suggestion));
}

#[test]
fn ordinary_rewards_are_modelled() {
    for_every_method(|method| after(method, |i| (i as f64).sin()));
}

#[test]
fn constant_rewards_are_modelled() {
    for_every_method(|method| {
        after(method, |_| 0.0);
        after(method, |_| 0.1);
        after(method, |_| -1e6);
    });
}

#[test]
fn huge_rewards_are_modelled() {
    for_every_method(|method| {
        if method.name != TAKES_REWARDS_AS_THEY_ARE {
            after(method, |i| 1e300 * (i as f64 - 3.0));
        }
    });
}

#[test]
fn rewards_a_method_cannot_hold_lead_to_a_fallback_that_says_so() {
    let method = METHODS.iter().find(|method| method.name == TAKES_REWARDS_AS_THEY_ARE).unwrap();
    let mut search = Search::new(method, &space(), 3);
    search.tell_all(8, |i| 1e300 * (i as f64 - 3.0));
    let suggestion = search.next();
    assert!(matches!(&suggestion.origin, Origin::Fallback(why) if why.contains("diverged")), "{}", suggestion.origin);
}

#[test]
fn tiny_rewards_are_modelled() {
    for_every_method(|method| after(method, |i| 1e-300 * (i as f64 - 3.0)));
}

#[test]
fn rewards_of_very_different_sizes_are_modelled() {
    for_every_method(|method| after(method, |i| if i == 4 { -1e12 } else { i as f64 }));
}

#[test]
fn one_point_is_enough() {
    for_every_method(|method| {
        let mut search = Search::new(method, &space(), 3);
        let row = &rows(&search.space, 1)[0];
        search.tell(row, 2.5);
        // The first two trials are the initial design's: the third is the first one a model may choose.
        let batch = search.ask(&Points::new(2), 2).unwrap();
        assert!(batch.iter().all(|suggestion| suggestion.row != *row));
        assert_by_model(method, &batch[1]);
    });
}

#[test]
fn repeated_points_are_modelled() {
    for_every_method(|method| {
        for rewards in [[1.0, 2.0, 3.0, 4.0], [5.0; 4]] {
            let mut search = Search::new(method, &space(), 3);
            rewards.iter().for_each(|&reward| search.tell(&[0.5, 0.5], reward));
            let suggestion = search.next();
            assert_by_model(method, &suggestion);
            assert_ne!(suggestion.row, [0.5, 0.5]);
        }
    });
}

#[test]
fn a_told_nan_is_a_failed_trial_and_poisons_nothing() {
    for_every_method(|method| {
        let space = space();
        let strategy = build(method.name, &space, 5, &quick(method)).unwrap();
        let mut study = Study::new(space, Direction::Maximize, strategy);
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        for i in 0..9 {
            let trial = study.ask().unwrap();
            assert!(trial.mean.is_none_or(f64::is_finite) && trial.sd.is_none_or(f64::is_finite));
            study.tell(trial.number, if i % 2 == 1 { odd[i / 2 % 3] } else { bowl(&trial.row) }).unwrap();
        }
        assert_eq!(study.failed(), 4);
        assert!(study.best_value().is_some_and(f64::is_finite));
    });
}

#[test]
fn the_search_goes_on_when_every_trial_fails() {
    for_every_method(|method| {
        let mut search = Search::new(method, &cube(2), 7);
        search.run(12, 3, |_| f64::NAN);
        assert_eq!((search.history.failed().len(), search.points().len()), (12, 12));
    });
}
