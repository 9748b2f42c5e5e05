//! Spaces of every kind: one dimension and many, mixed, small, listed, and with nothing to choose.

use super::support::{Search, assert_by_model, bowl, cube, for_every_method, grid, mixed, parse, pool};
use neuralbo::linalg::Points;
use neuralbo::space::Space;
use neuralbo::strategy::Exhausted;
use neuralbo::strategy::presets::{METHODS, Method};

fn searched(method: &Method, space: &Space, trials: usize) -> Search {
    let mut search = Search::new(method, space, 3);
    search.run(trials, 1, bowl);
    assert_eq!(search.points().len(), trials);
    search
}

#[test]
fn one_dimension() {
    for_every_method(|method| {
        assert_by_model(method, &searched(method, &cube(1), 10).next());
    });
}

#[test]
fn a_hundred_dimensions() {
    for_every_method(|method| {
        assert_by_model(method, &searched(method, &cube(100), 6).next());
    });
}

#[test]
fn a_thousand_dimensions() {
    let unafraid = ["neuralbo", "random", "sobol", "cma-es"];
    for method in METHODS.iter().filter(|method| unafraid.contains(&method.name)) {
        assert_by_model(method, &searched(method, &cube(1000), 5).next());
    }
}

#[test]
fn mixed_parameters() {
    for_every_method(|method| {
        assert_by_model(method, &searched(method, &mixed(), 12).next());
    });
}

/// Every point once, in batches, then a clean stop.
fn used_up(method: &Method, space: &Space, batch: usize) {
    let points = space.cardinality().unwrap() as usize;
    let mut search = Search::new(method, space, 7);
    search.run(points, batch, bowl);
    assert_eq!(search.points().len(), points);
    for count in [1, 3] {
        assert_eq!(search.ask(&Points::new(space.encoded_dim()), count), Err(Exhausted));
    }
}

#[test]
fn three_choices_are_used_up_and_then_exhausted() {
    for_every_method(|method| {
        used_up(method, &parse(&["c=choice(a,b,c)"]), 1);
        used_up(method, &parse(&["c=choice(a,b,c)"]), 8);
    });
}

#[test]
fn a_grid_is_used_up_and_then_exhausted() {
    for_every_method(|method| used_up(method, &grid(), 7));
}

#[test]
fn a_pool_is_used_up_and_then_exhausted() {
    for_every_method(|method| used_up(method, &pool(), 7));
}

#[test]
fn fixed_values_make_one_point() {
    for_every_method(|method| used_up(method, &parse(&["seed=4"]), 3));
}
