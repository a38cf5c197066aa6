//! Whatever a server answers, a call ends: no panic, three attempts at most, no wait beyond the bound.

use std::time::Duration;

use fathom_providers::Clock as _;
use fathom_providers::call::{
    AttemptError, CallAttempt, CallContext, CallKind, CallSettings, FailedResponse, ProviderName,
};
use proptest::prelude::*;

use crate::bench::{self, Luck, Seen, VirtualClock};

/// Two waits of two minutes, and what the limiter may add to the second.
const LONGEST: Duration = Duration::from_secs(2 * 120 + 120);

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,40}",
        "[0-9]{0,30}(\\.[0-9]{0,30})?",
        "[-+]?[0-9.e]{1,10}(ms|s|m|h|d)?[0-9.]{0,4}(ms|s)?",
        "[0-9]{1,12}(, ?[0-9]{1,12}){0,12}",
        "(Mon|Sun), [0-9]{1,2} (Nov|Feb) [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT",
        "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z",
        "true|false",
    ]
}

fn headers() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let name = prop::sample::select(vec![
        "retry-after",
        "retry-after-ms",
        "x-should-retry",
        "x-ratelimit-reset",
        "x-ratelimit-remaining",
        "x-ratelimit-reset-tokens",
        "x-ratelimit-remaining-tokens",
        "anthropic-ratelimit-requests-reset",
        "x-rate-limit-limit",
        "x-rate-limit-interval",
    ]);
    prop::collection::vec((name, value()), 0..6)
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    let error = (value(), any::<i64>(), value()).prop_map(|(code, number, delay)| {
        let details = [serde_json::json!({"retryDelay": delay, "reason": code})];
        serde_json::json!({"error": {"code": number, "type": code, "details": details}})
            .to_string()
            .into_bytes()
    });
    prop_oneof![
        error,
        prop::collection::vec(any::<u8>(), 0..200),
        Just(vec![b'['; 20_000]),
    ]
}

proptest! {
    #[test]
    fn a_call_ends_whatever_the_server_says(
        status in 0..1_000_u16,
        headers in headers(),
        body in body(),
        kind in prop::sample::select(vec![CallKind::Model, CallKind::Search, CallKind::Page]),
    ) {
        let answer = FailedResponse::new(status, headers.into_iter().collect(), &body);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let (attempts, took) = runtime.block_on(ask(kind, answer));
        prop_assert!((1..=3).contains(&attempts));
        prop_assert!(took <= LONGEST, "{took:?}");
    }
}

async fn ask(kind: CallKind, answer: FailedResponse) -> (usize, Duration) {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Most);
    let seen = Seen::default();
    let context = CallContext {
        kind,
        deadline: Duration::from_secs(3_600),
        sink: &seen,
    };
    let operation = |attempt: CallAttempt| {
        attempt.saw(answer.headers.clone());
        let fault = AttemptError::from(answer.clone());
        async { Err::<(), _>(fault) }
    };
    let failure = caller
        .call(&ProviderName::new("a"), &context, operation)
        .await
        .unwrap_err();
    assert!(!failure.to_string().is_empty());
    (seen.take().len(), clock.elapsed())
}
