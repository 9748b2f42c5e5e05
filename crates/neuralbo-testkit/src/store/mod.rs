//! What every store promises: the contract of [`Store`](neuralbo::store::Store) as tests.
//!
//! [`store_conformance!`](crate::store_conformance) makes one test of each case; [`agreement`] compares stores with each other
//! through random studies, and [`Faulty`] makes any store fail in ways that drivers must survive.

pub mod agreement;
mod backend;
mod changes;
mod events;
mod faulty;
mod hostile;
mod leases;
mod limits;
mod studies;
mod suggesting;
mod trials;

pub use backend::Backend;
pub(crate) use backend::fresh;
pub use faulty::{Faults, Faulty};

/// Makes the check of a case by the name of its function, and the macro that tests all of them; the first argument is `$`.
macro_rules! cases {
    ($dollar:tt $($module:ident::$case:ident),* $(,)?) => {
        /// Checks one promise by its name; panics where it is broken.
        pub fn check(case: &str, backend: &Backend) {
            $(
                if case == stringify!($case) {
                    return $module::$case(backend);
                }
            )*
            panic!("there is no case `{case}`");
        }

        /// Makes one test of each promise of a store. Takes an expression of a [`Backend`](crate::store::Backend) or of
        /// an `Option` of one; each test evaluates it anew, and passes when there is none.
        ///
        /// ```
        /// mod memory {
        ///     use std::sync::Arc;
        ///     use neuralbo::store::MemoryStore;
        ///     use neuralbo_testkit::store::Backend;
        ///
        ///     fn backend() -> Backend {
        ///         let store = Arc::new(MemoryStore::new());
        ///         Backend::new(move || store.clone())
        ///     }
        ///
        ///     neuralbo_testkit::store_conformance!(backend());
        /// }
        /// ```
        #[macro_export]
        macro_rules! store_conformance {
            ($dollar backend:expr) => {
                $(
                    #[test]
                    fn $case() {
                        let backend: Option<$dollar crate::store::Backend> = $dollar backend.into();
                        if let Some(backend) = backend {
                            $dollar crate::store::check(stringify!($case), &backend);
                        }
                    }
                )*
            };
        }
    };
}

cases!($
    studies::a_study_is_read_back_as_it_was_made,
    studies::names_are_unique_and_unknown_ones_are_answered_with_the_known,
    studies::limits_can_be_changed,
    studies::a_renamed_study_keeps_its_identifier_and_its_workers,
    studies::attributes_of_a_study_are_added_and_replaced,
    studies::a_deleted_study_is_gone_with_its_trials,
    studies::a_study_is_made_with_its_trials,
    studies::a_study_with_a_bad_trial_is_not_made,
    changes::definitions_are_added_and_none_is_replaced,
    changes::a_change_of_an_old_version_is_refused,
    changes::of_many_changes_at_once_one_succeeds,
    changes::names_and_aliases_are_kept,
    changes::the_best_follows_the_definition,
    changes::a_trial_without_a_point_gets_the_newest_version,
    trials::a_trial_is_claimed_proposed_and_told,
    trials::numbers_have_no_gaps_and_the_limit_is_never_passed,
    trials::many_claimers_at_once_never_pass_the_limit,
    trials::a_result_is_told_once,
    trials::the_finished_trials_are_numbered_in_order,
    trials::the_best_is_the_earliest_of_equals,
    trials::the_best_is_feasible,
    trials::several_values_are_kept,
    trials::absent_parameters_are_absent,
    trials::parameters_met_while_running_are_stored,
    trials::attributes_are_added_and_replaced,
    trials::times_are_kept_in_order,
    trials::reports_are_kept_and_the_last_counts,
    suggesting::all_trials_that_came_to_a_step_are_known_there,
    suggesting::curves_come_with_the_finished_trials,
    suggesting::a_stopped_trial_is_resumed_by_one_other,
    trials::added_trials_get_the_next_numbers,
    trials::a_bad_trial_adds_none,
    leases::an_expired_trial_is_taken_over_by_exactly_one,
    leases::a_late_worker_may_tell_until_somebody_takes_over,
    leases::a_renewed_lease_holds,
    leases::an_ended_lease_is_over_at_once,
    leases::trials_without_attempts_left_fail_exactly_once,
    leases::a_released_trial_waits_and_costs_no_attempt,
    leases::a_released_trial_without_a_point_disappears,
    leases::failures_are_retried_by_kind,
    leases::a_failure_told_twice_costs_one_attempt,
    leases::a_claim_repeated_with_its_token_is_the_same_claim,
    leases::a_point_that_is_running_is_refused_once,
    hostile::study_names,
    hostile::texts_of_any_kind_are_stored,
    hostile::ten_megabytes_are_stored,
    limits::attributes_have_limits,
    limits::definitions_have_limits,
    limits::trials_from_elsewhere_have_limits,
    suggesting::workers_see_the_same_order_and_pending_trials,
    suggesting::a_finite_space_ends_the_study,
    suggesting::a_study_is_replayed,
    suggesting::stop_rules_end_the_study,
);
