//! What every method promises, whatever it does inside.
//!
//! Slow methods are made quick by their own options ([`search::quick`]), never by leaving cases out.

mod batches;
mod constrained;
pub mod contest;
mod documented;
mod objectives;
mod outcome_constraints;
mod repeatable;
mod rewards;
pub mod search;
mod spaces;

pub use documented::documented;

use std::panic::{AssertUnwindSafe, catch_unwind};

use neuralbo::strategy::presets::Method;

/// One promise and its check, which panics where it is broken.
#[derive(Clone, Copy)]
pub struct MethodCase {
    /// What is promised.
    pub name: &'static str,
    /// Checks a method.
    pub check: fn(&Method),
}

/// Lists the cases under the names of their functions, and makes the macro that tests them; the first argument is `$`.
macro_rules! cases {
    ($dollar:tt $($module:ident::$case:ident),* $(,)?) => {
        /// All promises.
        pub const CASES: &[MethodCase] = &[$(MethodCase { name: stringify!($case), check: $module::$case }),*];

        /// Makes one test of each promise, over all of these methods, so that they run in parallel.
        #[macro_export]
        macro_rules! method_conformance {
            ($dollar methods:expr) => {
                $(
                    #[test]
                    fn $case() {
                        $dollar crate::method::check(stringify!($case), $dollar methods);
                    }
                )*
            };
        }
    };
}

cases!($
    batches::eight_suggestions_differ_from_each_other_and_from_all_that_is_known_or_running,
    batches::what_remains_beside_running_trials_is_proposed_and_no_more,
    repeatable::the_same_seed_gives_the_same_points_and_another_seed_others,
    repeatable::a_fresh_strategy_continues_where_another_stopped,
    repeatable::one_and_two_threads_give_the_same_points,
    rewards::ordinary_rewards_are_modelled,
    rewards::constant_rewards_are_modelled,
    rewards::huge_rewards_are_modelled_or_the_fallback_says_why,
    rewards::tiny_rewards_are_modelled,
    rewards::rewards_of_very_different_sizes_are_modelled,
    rewards::one_point_is_enough,
    rewards::repeated_points_are_modelled,
    rewards::a_told_nan_is_a_failed_trial_and_poisons_nothing,
    rewards::the_search_goes_on_when_every_trial_fails,
    spaces::one_dimension,
    spaces::a_hundred_dimensions,
    spaces::mixed_parameters,
    spaces::conditions_on_a_choice_are_respected,
    spaces::conditions_on_numbers_are_respected,
    spaces::values_of_every_type,
    spaces::ten_thousand_choices,
    spaces::a_tree_of_conditions_is_used_up_and_then_exhausted,
    spaces::three_choices_are_used_up_and_then_exhausted,
    spaces::a_grid_is_used_up_and_then_exhausted,
    spaces::a_pool_is_used_up_and_then_exhausted,
    spaces::fixed_values_make_one_point,
    spaces::rows_beyond_the_space_are_knowledge_only,
    constrained::a_thousandth_of_the_box_is_searched_inside,
    constrained::a_simplex_is_searched_on_its_surface,
    constrained::constraints_over_choices_and_ints_are_honoured,
    constrained::a_few_feasible_points_are_used_up_and_then_exhausted,
    constrained::results_that_violate_a_constraint_are_knowledge_only,
    objectives::several_objectives_are_searched_or_refused_by_name,
    objectives::objectives_of_every_kind_have_answers,
    objectives::several_objectives_in_spaces_of_every_kind,
    objectives::several_objectives_are_repeatable,
    objectives::several_objectives_under_outcome_constraints,
    outcome_constraints::a_method_without_outcome_constraints_refuses_by_name,
    outcome_constraints::a_border_through_the_space_is_searched,
    outcome_constraints::the_search_goes_on_where_nothing_is_feasible,
    outcome_constraints::constraints_that_always_hold_are_no_hindrance,
    outcome_constraints::constant_slacks_are_modelled,
    outcome_constraints::slacks_of_any_size_are_modelled,
    outcome_constraints::slacks_that_were_not_measured_are_left_out,
    outcome_constraints::mixed_conditional_and_finite_spaces_are_searched_under_outcome_constraints,
    outcome_constraints::failures_and_limits_go_together,
    outcome_constraints::a_fresh_strategy_continues_under_outcome_constraints,
);

/// Checks all promises of a method; panics with the names of those that are broken.
///
/// ```
/// use neuralbo::strategy::presets::Registry;
/// use neuralbo_testkit::method::conformance;
///
/// conformance(Registry::standard().find("random")?);
/// # Ok::<(), neuralbo::strategy::presets::MethodError>(())
/// ```
pub fn conformance(method: &Method) {
    let broken =
        |case: &&MethodCase| catch_unwind(AssertUnwindSafe(|| (case.check)(method))).is_err();
    let broken: Vec<&str> = CASES.iter().filter(broken).map(|case| case.name).collect();
    assert!(
        broken.is_empty(),
        "method `{}` breaks: {}",
        method.name,
        broken.join(", ")
    );
}

/// Checks one promise of many methods; panics with the names of those that break it.
pub fn check(case: &str, methods: &[Method]) {
    let Some(case) = CASES.iter().find(|known| known.name == case) else {
        panic!("there is no case `{case}`")
    };
    for_every(methods, case.check);
}

/// Checks every method; panics with the names of all that fail.
pub fn for_every(methods: &[Method], check: impl Fn(&Method)) {
    let fails = |method: &&Method| catch_unwind(AssertUnwindSafe(|| check(method))).is_err();
    let failed = methods.iter().filter(fails).map(|method| method.name);
    let failed: Vec<&str> = failed.collect();
    assert!(failed.is_empty(), "failed by: {}", failed.join(", "));
}
