//! What every method promises, whatever it does inside.
//!
//! Slow methods are made quick by their own options ([`search::quick`]), never by leaving cases out.

mod constrained;
pub mod contest;
mod objectives;
mod outcome_constraints;
mod repeatable;
mod rewards;
pub mod search;
mod spaces;

use std::panic::{AssertUnwindSafe, catch_unwind};

use neuralbo::strategy::presets::Method;
use outcome_constraints::limited;
use rewards::after;
use search::{branches, cube, grid, layers, many_choices, mixed, parse, pool, values};
use spaces::{searched, used_up};

/// One promise and its check, which panics where it is broken.
#[derive(Clone, Copy)]
pub struct MethodCase {
    /// What is promised.
    pub name: &'static str,
    /// Checks a method.
    pub check: fn(&Method),
}

/// Lists the cases by the names of their functions or with their checks, and makes the macro that tests them; the first argument
/// is `$`.
macro_rules! cases {
    ($dollar:tt $($module:ident::$case:ident),*; $($short:ident: $check:expr),* $(,)?) => {
        /// All promises.
        pub const CASES: &[MethodCase] = &[
            $(MethodCase { name: stringify!($case), check: $module::$case },)*
            $(MethodCase { name: stringify!($short), check: $check },)*
        ];

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
                $(
                    #[test]
                    fn $short() {
                        $dollar crate::method::check(stringify!($short), $dollar methods);
                    }
                )*
            };
        }
    };
}

cases!($
    repeatable::eight_suggestions_differ_from_each_other_and_from_all_that_is_known_or_running,
    repeatable::what_remains_beside_running_trials_is_proposed_and_no_more,
    repeatable::the_same_seed_gives_the_same_points_and_another_seed_others,
    repeatable::a_fresh_strategy_continues_where_another_stopped,
    repeatable::one_and_two_threads_give_the_same_points,
    rewards::huge_rewards_are_modelled_or_the_fallback_says_why,
    rewards::one_point_is_enough,
    rewards::repeated_points_are_modelled,
    rewards::a_told_nan_is_a_failed_trial_and_poisons_nothing,
    rewards::the_search_goes_on_when_every_trial_fails,
    spaces::a_tree_of_conditions_is_used_up_and_then_exhausted,
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
    outcome_constraints::slacks_of_any_size_are_modelled,
    outcome_constraints::slacks_that_were_not_measured_are_left_out,
    outcome_constraints::mixed_conditional_and_finite_spaces_are_searched_under_outcome_constraints,
    outcome_constraints::failures_and_limits_go_together,
    outcome_constraints::a_fresh_strategy_continues_under_outcome_constraints;
    ordinary_rewards_are_modelled: |method| after(method, |i| (i as f64).sin()),
    constant_rewards_are_modelled:
        |method| [0.0, 0.1, -1e6].into_iter().for_each(|reward| after(method, |_| reward)),
    tiny_rewards_are_modelled: |method| after(method, |i| 1e-300 * (i as f64 - 3.0)),
    rewards_of_very_different_sizes_are_modelled:
        |method| after(method, |i| if i == 4 { -1e12 } else { i as f64 }),
    one_dimension: |method| searched(method, &cube(1), 10),
    a_hundred_dimensions: |method| searched(method, &cube(100), 6),
    mixed_parameters: |method| searched(method, &mixed(), 12),
    conditions_on_a_choice_are_respected: |method| searched(method, &branches(), 16),
    conditions_on_numbers_are_respected: |method| searched(method, &layers(), 16),
    values_of_every_type: |method| searched(method, &values(), 12),
    ten_thousand_choices: |method| searched(method, &many_choices(), 6),
    three_choices_are_used_up_and_then_exhausted: |method| {
        used_up(method, &parse(&["c=choice(a,b,c)"]), 1);
        used_up(method, &parse(&["c=choice(a,b,c)"]), 8);
    },
    a_grid_is_used_up_and_then_exhausted: |method| used_up(method, &grid(), 7),
    a_pool_is_used_up_and_then_exhausted: |method| used_up(method, &pool(), 7),
    fixed_values_make_one_point: |method| used_up(method, &parse(&["seed=4"]), 3),
    a_border_through_the_space_is_searched:
        |method| limited(method, &cube(3), |x| [0.2 - x[0], x[1] + 0.9]),
    the_search_goes_on_where_nothing_is_feasible:
        |method| limited(method, &cube(2), |x| [-1.0 - x[0] * x[0], 1.0]),
    constraints_that_always_hold_are_no_hindrance:
        |method| limited(method, &cube(2), |x| [5.0 + x[0], 1.0 - 0.1 * x[1]]),
    constant_slacks_are_modelled: |method| limited(method, &cube(2), |_| [0.0, -3.0]),
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
    let (name, texts) = (method.name, broken.join(", "));
    assert!(broken.is_empty(), "method `{name}` breaks: {texts}");
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

/// From the method's heading to the next one.
fn section<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let heading = format!("\n## {name}\n");
    let start = page.find(&heading)? + heading.len();
    let rest = &page[start..];
    Some(&rest[..rest.find("\n## ").unwrap_or(rest.len())])
}

/// Panics unless `page` has an entry and a section of the method with all its options.
pub fn documented(page: &str, method: &Method) {
    let name = method.name;
    let text = section(page, name).unwrap();
    for part in ["**Idea.**", "**Cost.**", "**When.**", "**Reference.**"] {
        assert!(text.contains(part), "{name}: {part}");
    }
    let missing = |key: &&str| !text.contains(&format!("`{key}`"));
    let keys = || method.options.iter().map(|option| option.key);
    assert_eq!(keys().find(missing), None, "{name}");
    let none = text.contains("It has no options.");
    assert_eq!(keys().count() == 0, none, "{name}");
    assert!(page.contains(&format!("| [`{name}`](#{name}) |")), "{name}");
}
