//! The quick sizes of the proofs about damage, restarts, clocks, gates and growth.

use fathom_evals::proofs::{self, Setting, Size};

/// Another seed each time; the line names it.
async fn prove(id: &str) {
    let proof = proofs::engine()
        .into_iter()
        .find(|proof| proof.id == id)
        .expect("a proof of that name is listed");
    let setting = Setting {
        size: Size::Quick,
        seed: rand::random(),
    };
    let (line, held) = proof.show(setting).await;
    assert!(held, "{line}");
    #[expect(clippy::print_stdout, reason = "the line is what a proof is for")]
    {
        println!("{line}");
    }
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
