//! Known constraints: no method proposes a point that violates one. Every suggestion is checked where it is asked for.

use super::search::{TestSearch, constrained, smooth};
use neuralbo::linalg::Points;
use neuralbo::strategy::Exhausted;
use neuralbo::strategy::presets::Method;

/// A corner that holds less than a thousandth of the box, alone and in batches.
pub(super) fn a_thousandth_of_the_box_is_searched_inside(method: &Method) {
    let space = constrained(&["x=float(0,1)", "y=float(0,1)"], &["x + y <= 0.04"]);
    for batch in [1, 4] {
        let mut search = TestSearch::new(method, &space, 3);
        search.run(12, batch, smooth);
        assert_eq!(search.points().len(), 12);
    }
}

/// Weights that add up to one.
pub(super) fn a_simplex_is_searched_on_its_surface(method: &Method) {
    let space = constrained(
        &["a=float(0,1)", "b=float(0,1)", "c=float(0,1)"],
        &["sum(a, b, c) == 1"],
    );
    let mut search = TestSearch::new(method, &space, 5);
    search.run(12, 1, smooth);
    for point in search.points() {
        let sum = point.values().iter().flatten();
        let sum: f64 = sum.filter_map(|value| value.as_f64()).sum();
        assert!((sum - 1.0).abs() <= 1e-9, "{sum}");
    }
    assert_eq!(search.points().len(), 12);
}

/// Constraints that read numbers and choices.
pub(super) fn constraints_over_choices_and_ints_are_honoured(method: &Method) {
    let parameters = [
        "lr=float(1e-5,1,log)",
        "n=int(1,64)",
        "opt=choice(adam,sgd,lion)",
        "flag=bool",
    ];
    let space = constrained(
        &parameters,
        &[
            "opt == sgd or lr < 1e-3",
            "n * lr <= 0.1",
            "flag or n in (8, 16, 32)",
        ],
    );
    let mut search = TestSearch::new(method, &space, 2);
    search.run(12, 3, smooth);
    assert_eq!(search.points().len(), 12);
}

/// Ten points of a million million.
pub(super) fn a_few_feasible_points_are_used_up_and_then_exhausted(method: &Method) {
    let space = constrained(&["n=int(1,1000000)", "m=int(1,1000000)"], &["n + m <= 5"]);
    let mut search = TestSearch::new(method, &space, 7);
    search.run(10, 4, smooth);
    assert_eq!(search.points().len(), 10);
    assert_eq!(search.ask(&Points::new(2), 3), Err(Exhausted));
}

/// Results from elsewhere teach, also where no point is proposed.
pub(super) fn results_that_violate_a_constraint_are_knowledge_only(method: &Method) {
    let space = constrained(&["x=float(-1,1)", "y=float(-1,1)"], &["x + y <= -0.5"]);
    let mut search = TestSearch::new(method, &space, 4);
    search.tell(&[0.9, 0.9], 10.0);
    search.tell(&[0.5, 0.4], 8.0);
    search.tell(&[-0.5, -0.5], 1.0);
    search.run(8, 1, smooth);
}
