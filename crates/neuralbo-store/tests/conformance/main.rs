//! One list of tests for every store. The PostgreSQL part needs a server: `scripts/with-postgres.sh cargo test -p neuralbo-store`.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod backend;
mod hostile;
mod leases;
mod studies;
mod suggesting;
mod trials;

/// Makes one test per store of each function.
macro_rules! conformance {
    ($($module:ident::$case:ident),* $(,)?) => {
        mod memory { $(#[test] fn $case() { crate::$module::$case(&crate::backend::memory()); })* }
        mod sqlite { $(#[test] fn $case() { crate::$module::$case(&crate::backend::sqlite()); })* }
        mod postgres {
            $(#[test] fn $case() {
                if let Some(backend) = crate::backend::postgres() { crate::$module::$case(&backend); }
            })*
        }
    };
}

conformance!(
    studies::a_study_is_read_back_as_it_was_made,
    studies::names_are_unique_and_unknown_ones_are_answered_with_the_known,
    studies::limits_and_definitions_can_be_changed,
    studies::a_deleted_study_is_gone_with_its_trials,
    trials::a_trial_is_claimed_proposed_and_told,
    trials::numbers_have_no_gaps_and_the_limit_is_never_passed,
    trials::many_claimers_at_once_never_pass_the_limit,
    trials::a_result_is_told_once,
    trials::the_finished_trials_are_numbered_in_order,
    trials::the_best_is_the_earliest_of_equals,
    trials::reports_are_kept_and_the_last_counts,
    trials::a_nonfinite_value_is_a_failure,
    trials::imported_trials_keep_their_numbers_and_order,
    leases::an_expired_trial_is_taken_over_by_exactly_one,
    leases::a_late_worker_may_tell_until_somebody_takes_over,
    leases::a_renewed_lease_holds,
    leases::hopeless_trials_fail_exactly_once,
    leases::a_released_trial_waits_and_costs_no_attempt,
    leases::a_released_trial_without_a_point_disappears,
    leases::failures_are_retried_by_kind,
    leases::a_claim_repeated_with_its_token_is_the_same_claim,
    leases::a_point_that_is_running_is_refused_once,
    hostile::study_names,
    hostile::texts_of_any_kind_are_stored,
    hostile::ten_megabytes_are_stored,
    suggesting::workers_see_the_same_order_and_pending_trials,
    suggesting::a_finite_space_ends_the_study,
    suggesting::a_study_is_replayed,
    suggesting::a_study_survives_export_and_import,
    suggesting::stop_rules_end_the_study,
    suggesting::a_lucky_or_pruned_trial_is_not_recommended,
);
