//! Many workers: suggestions made together differ, and running trials are left alone.

use std::collections::HashSet;

use super::search::{TestSearch, branches, cube, grid, mixed, pool, smooth};
use neuralbo::acquisition::maximize::random_row;
use neuralbo::linalg::{Points, Purpose, Streams};
use neuralbo::space::Point;
use neuralbo::strategy::presets::Method;

/// Four random rows of different points that were not evaluated.
fn running(search: &TestSearch) -> Points {
    let mut rng = Streams::new(8).stream(0, Purpose::Design);
    let (mut known, mut pending) = (search.points(), Points::new(search.space.encoded_dim()));
    while pending.len() < 4 {
        let row = random_row(&search.space, &mut rng);
        if known.insert(search.space.decode(&row)) {
            pending.push(&row);
        }
    }
    pending
}

pub(super) fn eight_suggestions_differ_from_each_other_and_from_all_that_is_known_or_running(
    method: &Method,
) {
    for space in [cube(2), mixed(), grid(), pool(), branches()] {
        let mut search = TestSearch::new(method, &space, 5);
        search.run(8, 8, smooth);
        let pending = running(&search);
        let batch = search.ask(&pending, 8).unwrap();
        let new = batch.into_iter().map(|suggestion| suggestion.point);
        let new: HashSet<Point> = new.collect();
        let mut known = search.points();
        known.extend(pending.rows().map(|row| space.decode(row)));
        assert_eq!((known.len(), new.len()), (12, 8));
        assert!(new.is_disjoint(&known));
    }
}

pub(super) fn what_remains_beside_running_trials_is_proposed_and_no_more(method: &Method) {
    let space = grid();
    let mut search = TestSearch::new(method, &space, 6);
    search.run(10, 5, smooth);
    let pending = running(&search);
    let rest = search.ask(&pending, 24).unwrap();
    assert_eq!(rest.len(), 24 - 10 - 4);
}
