//! The suite that every store passes: what [`fathom_workflow::journal::Store`] promises, one check a promise.
//!
//! A check takes a fresh, empty store and panics with the broken promise. [`store_conformance!`]
//! makes a test of each, so that a test runner shows them by name.
//! Checks use only the trait, so they can't see into a store: what it must have forgotten they look
//! for by every call that could bring it back.
//!
//! [`store_conformance!`]: crate::store_conformance

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "a suite for tests: a broken promise panics, and a check is named for its promise"
)]

pub mod appends;
pub mod blobs;
pub mod clock;
pub mod due;
pub mod events;
pub mod expiry;
pub mod fixtures;
pub mod leases;
pub mod listing;
pub mod loading;
pub mod runs;
pub mod values;

/// Makes a test of every check. Takes a function or closure whose future gives a fresh, empty `Arc<dyn Store>`. The crate
/// that uses it needs tokio with `macros` and `rt-multi-thread`.
#[macro_export]
macro_rules! store_conformance {
    ($open:expr) => {
        $crate::store_conformance! { $open;
            runs::a_created_run_comes_back_whole,
            runs::a_run_is_created_once,
            runs::a_missing_run_is_named_by_every_call,
            runs::a_run_can_be_deleted_unless_held,
            runs::a_cancel_request_reaches_the_holder,
            runs::marks_leave_the_writer_undisturbed,
            appends::an_append_with_a_stale_fence_is_refused,
            appends::an_append_with_a_stale_rev_is_refused,
            appends::a_repeated_append_is_taken_once,
            appends::a_repeated_append_succeeds_after_the_run_changed_hands,
            appends::an_append_is_all_or_nothing,
            appends::an_append_that_contradicts_itself_is_refused,
            appends::a_creation_that_contradicts_itself_is_refused,
            appends::a_journal_entry_is_never_written_twice,
            appends::of_many_writers_one_wins,
            leases::the_fence_rises_when_a_run_changes_hands,
            leases::a_live_lease_keeps_others_out,
            leases::a_lapsed_lease_can_be_taken,
            leases::of_many_claimers_one_wins,
            leases::a_stale_owner_cannot_write,
            leases::renewing_keeps_a_run,
            leases::an_append_prolongs_the_lease,
            leases::a_released_run_can_be_taken,
            leases::an_append_can_release_the_run,
            due::due_runs_are_unfinished_and_unheld,
            due::due_runs_come_oldest_first,
            due::waiting_runs_are_due_at_their_time,
            loading::steps_come_back_in_order_and_whole,
            loading::a_journal_comes_back_in_order_and_whole,
            loading::loading_at_a_step_gives_that_step,
            loading::a_step_out_of_range_is_named,
            loading::a_snapshot_shortens_loading,
            loading::a_reopened_base_starts_the_fold,
            values::large_bodies_survive,
            values::odd_text_survives,
            values::fine_times_and_large_numbers_survive,
            values::an_append_tells_what_it_wrote,
            events::events_continue_from_any_number_without_gap_or_repeat,
            events::every_kind_of_event_survives,
            listing::lists_filter_by_status_workflow_time_and_text,
            listing::pages_hold_every_run_once,
            blobs::blobs_are_stored_once_and_leave_with_their_last_run,
            blobs::a_blob_is_never_other_than_its_name_says,
            blobs::a_fork_keeps_the_blobs_of_its_origin,
            expiry::kept_unfinished_and_cancelled_runs_never_expire,
            expiry::a_held_run_does_not_expire,
            expiry::purge_leaves_nothing_behind,
        }
    };
    ($open:expr; $($subject:ident::$check:ident,)*) => {
        $(
            #[::tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $check() {
                $crate::conformance::$subject::$check(($open)().await).await;
            }
        )*
    };
}
