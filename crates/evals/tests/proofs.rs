//! Every proof at its quick size; `cargo xtask prove engine`, `providers` and `service` run the full ones. The proofs of the
//! providers crate that are its own tests run with those.

use fathom_evals::proofs::{self, Proof, Setting, Size};
use fathom_evals::{providers, service};

/// The same each time, so that what has passed passes again; `cargo xtask prove` draws new ones.
const SEED: u64 = 7;

async fn prove(id: &str) {
    prove_one_of(proofs::engine().into_iter().chain(providers::proofs()), id).await;
}

async fn prove_service(id: &str) {
    prove_one_of(service::proofs().into_iter(), id).await;
}

async fn prove_one_of(mut all: impl Iterator<Item = Proof>, id: &str) {
    let proof = all
        .find(|proof| proof.id == id)
        .expect("a proof of that name is listed");
    let setting = Setting {
        size: Size::Quick,
        seed: SEED,
    };
    let (line, held) = proof.show(setting).await;
    assert!(held, "{line}");
    #[expect(clippy::print_stdout, reason = "the line is what a proof is for")]
    {
        println!("{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_process_loses_no_run_and_repeats_nothing_recorded() {
    prove("T1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_at_any_write_leaves_a_run_that_ends_as_if_nothing_had_happened() {
    prove("T2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_promise_holds_for_workflows_drawn_by_chance() {
    prove("T3").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_that_was_stopped_past_its_lease_writes_nothing() {
    prove("T4").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_timer_is_early_or_lost_when_the_clock_jumps() {
    prove("T11").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_takes_one_answer_and_a_deadline_fires_once() {
    prove("T12").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_is_seen_and_other_runs_go_on() {
    prove("T7").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_grow_with_steps_and_purge_leaves_nothing() {
    prove("T20").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_outlast_restarts_of_the_database() {
    prove("T8").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_share_few_connections_that_are_killed() {
    prove("T9").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_come_out_nowhere() {
    prove("T29").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_clients_receive_every_event_of_many_runs() {
    prove_service("T14").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_do_nothing_are_let_go() {
    prove_service("T15").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_of_the_service_comes_out() {
    prove_service("T29").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_string_leads_out_of_the_root() {
    prove_service("T30").await;
}
