//! What every method of this crate promises: one test a case, over all of `METHODS`, so that a new method is accepted when this
//! is green with its entry there and nothing changed here.

#![allow(clippy::unwrap_used)]

mod constrained;
mod documented;
mod large;
mod quadratic;

use std::panic::{AssertUnwindSafe, catch_unwind};

use neuralbo::strategy::presets::{METHODS, Method};
use neuralbo::testkit::method::{CASES, check};

/// Checks every method and names all that fail.
fn for_every_method(check: impl Fn(&Method)) {
    let fails = |method: &&Method| catch_unwind(AssertUnwindSafe(|| check(method))).is_err();
    let failed: Vec<&str> = METHODS
        .iter()
        .filter(fails)
        .map(|method| method.name)
        .collect();
    assert!(failed.is_empty(), "failed by: {}", failed.join(", "));
}

/// One test a case, so that they run side by side.
macro_rules! conformance {
    ($($case:ident),* $(,)?) => {
        $(#[test] fn $case() { check(stringify!($case), METHODS); })*

        #[test]
        fn no_case_is_left_out() {
            let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
            assert_eq!(names, [$(stringify!($case)),*]);
        }
    };
}

conformance!(
    eight_suggestions_differ_from_each_other_and_from_all_that_is_known_or_running,
    what_remains_beside_running_trials_is_proposed_and_no_more,
    the_same_seed_gives_the_same_points_and_another_seed_others,
    a_fresh_strategy_continues_where_another_stopped,
    one_and_two_threads_give_the_same_points,
    ordinary_rewards_are_modelled,
    constant_rewards_are_modelled,
    huge_rewards_are_modelled_or_the_fallback_says_why,
    tiny_rewards_are_modelled,
    rewards_of_very_different_sizes_are_modelled,
    one_point_is_enough,
    repeated_points_are_modelled,
    a_told_nan_is_a_failed_trial_and_poisons_nothing,
    the_search_goes_on_when_every_trial_fails,
    one_dimension,
    a_hundred_dimensions,
    mixed_parameters,
    conditions_on_a_choice_are_respected,
    conditions_on_numbers_are_respected,
    values_of_every_type,
    ten_thousand_choices,
    a_tree_of_conditions_is_used_up_and_then_exhausted,
    three_choices_are_used_up_and_then_exhausted,
    a_grid_is_used_up_and_then_exhausted,
    a_pool_is_used_up_and_then_exhausted,
    fixed_values_make_one_point,
    rows_beyond_the_space_are_knowledge_only,
    a_thousandth_of_the_box_is_searched_inside,
    a_simplex_is_searched_on_its_surface,
    constraints_over_choices_and_ints_are_honoured,
    a_few_feasible_points_are_used_up_and_then_exhausted,
    results_that_violate_a_constraint_are_knowledge_only,
    several_objectives_are_searched_or_refused_by_name,
    objectives_of_every_kind_have_answers,
    several_objectives_in_spaces_of_every_kind,
    several_objectives_are_repeatable,
    several_objectives_under_outcome_constraints,
    a_method_without_outcome_constraints_refuses_by_name,
    a_border_through_the_space_is_searched,
    the_search_goes_on_where_nothing_is_feasible,
    constraints_that_always_hold_are_no_hindrance,
    constant_slacks_are_modelled,
    slacks_of_any_size_are_modelled,
    slacks_that_were_not_measured_are_left_out,
    mixed_conditional_and_finite_spaces_are_searched_under_outcome_constraints,
    failures_and_limits_go_together,
    a_fresh_strategy_continues_under_outcome_constraints,
);
