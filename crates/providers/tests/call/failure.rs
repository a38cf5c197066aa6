//! What is stored and shown of a failure.

use std::time::Duration;

use fathom_providers::call::{
    CallAttempt, CallContext, CallKind, CallSettings, Caller, FailedResponse, ProviderName,
};
use fathom_providers::{CallFailure, Secret};

use crate::bench::{self, Luck, Seen, VirtualClock};

#[tokio::test(start_paused = true)]
async fn nothing_that_is_stored_or_shown_holds_the_key() {
    let secret = Secret::parse("canary-7f3a").unwrap();
    let body =
        br#"{"error": {"code": "canary-7f3a", "type": "canary-7f3a", "message": "canary-7f3a"}}"#;
    let headers = bench::headers("x-request-id: canary-7f3a\nretry-after: canary-7f3a");
    let answer = FailedResponse::new(401, headers, body).strike(&secret);
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Most);
    let failure = fail(&caller, "a", &answer).await;
    let shown = format!(
        "{failure} {failure:?} {} {answer:?} {secret:?}",
        serde_json::to_string(&failure).unwrap(),
    );
    assert!(!shown.contains("canary"), "{shown}");
}

#[test]
fn an_answer_is_shown_without_what_it_says() {
    let answer = FailedResponse::new(500, bench::headers("set-cookie: canary"), b"canary");
    assert_eq!(
        format!("{answer:?}"),
        "FailedResponse { status: 500, headers: 1, body_bytes: 6 }"
    );
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_kept_in_a_log_and_read_back() {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Least);
    let fault = FailedResponse::new(
        429,
        bench::headers("retry-after: 600"),
        br#"{"error": {"type": "rate_limit_error"}}"#,
    );
    let failure = fail(&caller, "serper", &fault).await;
    let stored = serde_json::to_value(&failure).unwrap();
    let should = serde_json::json!({
        "provider": "serper",
        "category": "rate_limit",
        "severity": "recoverable",
        "cause": "rate_limited",
        "status": 429,
        "code": "rate_limit_error",
        "attempts": 1,
        "wake_at": "2026-11-16T02:10:00Z",
        "message": "serper asks for fewer calls; wait, or lower the concurrency",
    });
    assert_eq!(stored, should);
    assert_eq!(
        serde_json::from_value::<CallFailure>(stored).unwrap(),
        failure
    );
    assert_eq!(
        failure.to_string(),
        "serper asks for fewer calls; wait, or lower the concurrency \
         (status 429, rate_limit_error, not before 2026-11-16T02:10:00Z)"
    );
}

/// The failure of a call that always gets this answer.
async fn fail(caller: &Caller, name: &str, answer: &FailedResponse) -> CallFailure {
    let seen = Seen::default();
    let context = CallContext {
        kind: CallKind::Model,
        deadline: Duration::from_secs(3_600),
        sink: &seen,
    };
    let operation = |_: CallAttempt| async { Err::<(), _>(answer.clone().into()) };
    let failure = caller
        .call(&ProviderName::new(name), &context, operation)
        .await
        .unwrap_err();
    let events = serde_json::to_string(&seen.take()).unwrap();
    assert!(!events.contains("canary"), "{events}");
    failure
}
