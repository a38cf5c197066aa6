//! T17: the waits that servers ask for, in all the forms they use. `hints.md` holds them.

use std::time::Duration;

use fathom_providers::Clock as _;
use fathom_providers::call::{
    AttemptError, CallAttempt, CallContext, CallKind, CallSettings, FailedResponse, NextAction,
    ProviderName,
};

use crate::bench::{self, Luck, Seen, VirtualClock};

#[tokio::test(start_paused = true)]
async fn waits_are_as_long_as_the_server_asks() {
    let mut forms = 0;
    for line in include_str!("hints.md")
        .lines()
        .filter(|line| line.starts_with("| `"))
    {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let headers = cells[1].trim_matches('`').replace("; ", "\n");
        assert_eq!(waited(&headers).await, cells[2], "{}", cells[1]);
        forms += 1;
    }
    assert!(forms >= 30, "{forms} forms");
    println!("T17: {forms} forms of a wait, each exact");
}

/// What the layer does about a 429 with these headers, in the words of the table.
async fn waited(headers: &str) -> String {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Most);
    let seen = Seen::default();
    let context = CallContext {
        kind: CallKind::Model,
        deadline: Duration::from_secs(1_800),
        sink: &seen,
    };
    let answer = FailedResponse::new(429, bench::headers(headers), b"");
    let operation = |attempt: CallAttempt| {
        let answer = answer.clone();
        async move {
            if attempt.number == 1 {
                Err(AttemptError::from(answer))
            } else {
                Ok(())
            }
        }
    };
    let result = caller
        .call(&ProviderName::new("provider"), &context, operation)
        .await;
    let seconds = |ms: u64| (ms as f64 / 1_000.0).to_string();
    match seen.take()[0].then {
        // What we wait by ourselves: 10 s and all of the jitter.
        NextAction::Retry { wait_ms: 12_500 } => "none".to_owned(),
        NextAction::Retry { wait_ms } => {
            assert_eq!(
                clock.elapsed(),
                Duration::from_millis(wait_ms),
                "it really waits"
            );
            seconds(wait_ms)
        }
        NextAction::WakeLater { wait_ms } => {
            let wake_at = result.unwrap_err().wake_at.unwrap();
            let ahead = wake_at.duration_since(clock.now()).as_millis();
            assert_eq!(
                (ahead, clock.elapsed()),
                (i128::from(wait_ms), Duration::ZERO)
            );
            format!("wake {}", seconds(wait_ms))
        }
        NextAction::Return | NextAction::Stop { .. } => panic!("a 429 is tried again"),
    }
}
