//! Who is asked next when a provider cannot answer, and what is said about it.

use std::collections::HashMap;
use std::time::Duration;

use fathom_providers::FailureCause;
use fathom_providers::call::{
    AttemptError, CallAttempt, CallContext, CallKind, CallSettings, Caller, ChainAnswer,
    ChainExhausted, FailedResponse, ProviderName, TransportError,
};

use crate::bench::{self, Luck, Seen, VirtualClock};

const HOUR: Duration = Duration::from_secs(3_600);

fn answer(status: u16, headers: &str, body: &str) -> AttemptError {
    FailedResponse::new(status, bench::headers(headers), body.as_bytes()).into()
}

/// Asks a, b and c in order; those named meet their fault, the others answer with their name.
async fn ask(
    caller: &Caller,
    faults: &[(&str, AttemptError)],
) -> Result<ChainAnswer<String>, ChainExhausted> {
    let seen = Seen::default();
    let context = CallContext {
        kind: CallKind::Model,
        deadline: HOUR,
        sink: &seen,
    };
    let faults: HashMap<&str, &AttemptError> =
        faults.iter().map(|(name, fault)| (*name, fault)).collect();
    let operation = |attempt: CallAttempt| {
        let name = attempt.provider.as_str().to_owned();
        let fault = faults.get(name.as_str()).copied().cloned();
        async move { fault.map_or(Ok(name), Err) }
    };
    let providers = ["a", "b", "c"].map(ProviderName::new);
    caller.chain(&providers, &context, operation).await
}

fn causes(exhausted: &ChainExhausted) -> Vec<(&str, FailureCause)> {
    let tried = exhausted.tried.iter();
    tried
        .map(|failure| (failure.provider.as_str(), failure.cause))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn the_first_choice_answers_when_all_is_well() {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Least);
    let served = ask(&caller, &[]).await.unwrap();
    assert_eq!((served.value.as_str(), served.tried.len()), ("a", 0));
}

#[tokio::test(start_paused = true)]
async fn a_refused_key_a_used_up_quota_or_a_long_wait_lead_to_the_next() {
    for (fault, cause) in [
        (answer(401, "", ""), FailureCause::KeyRefused),
        (answer(402, "", ""), FailureCause::QuotaUsedUp),
        (
            answer(429, "retry-after: 300", ""),
            FailureCause::RateLimited,
        ),
        (answer(503, "", ""), FailureCause::ServerFailed),
        (answer(400, "", ""), FailureCause::RequestRefused),
        (TransportError::DnsUnknown.into(), FailureCause::NoSuchHost),
    ] {
        let clock = VirtualClock::start();
        let caller = bench::caller(CallSettings::default(), &clock, Luck::Least);
        let served = ask(&caller, &[("a", fault)]).await.unwrap();
        assert_eq!((served.by.as_str(), served.tried.len()), ("b", 1));
        assert_eq!(served.tried[0].cause, cause);
    }
}

#[tokio::test(start_paused = true)]
async fn what_no_other_provider_can_mend_ends_the_chain() {
    for (fault, cause) in [
        (answer(413, "", ""), FailureCause::ContextTooLong),
        (AttemptError::Bug, FailureCause::Bug),
    ] {
        let clock = VirtualClock::start();
        let caller = bench::caller(CallSettings::default(), &clock, Luck::Least);
        let exhausted = ask(&caller, &[("a", fault)]).await.unwrap_err();
        assert_eq!(causes(&exhausted), [("a", cause)]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_open_breaker_is_passed_over() {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Least);
    for _ in 0..3 {
        ask(&caller, &[("a", TransportError::TlsRefused.into())])
            .await
            .unwrap();
    }
    let served = ask(&caller, &[]).await.unwrap();
    assert_eq!(
        (served.by.as_str(), served.tried[0].cause),
        ("b", FailureCause::BreakerOpen)
    );
    assert_eq!(served.tried[0].attempts, 0);
}

#[tokio::test(start_paused = true)]
async fn a_provider_passed_over_gets_a_last_chance_when_nobody_else_answers() {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Least);
    let down = || AttemptError::from(TransportError::TlsRefused);
    for pause in [0, 0, 0, 30] {
        tokio::time::sleep(Duration::from_secs(pause)).await;
        ask(&caller, &[("a", down())]).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(30)).await;
    let refused = || answer(402, "", "");
    let served = ask(&caller, &[]).await.unwrap();
    assert_eq!(
        served.by.as_str(),
        "b",
        "it stays open for a minute where others answer"
    );
    let served = ask(&caller, &[("b", refused()), ("c", refused())])
        .await
        .unwrap();
    assert_eq!(served.by.as_str(), "a", "but not when nobody else does");
    let tried: Vec<&str> = served
        .tried
        .iter()
        .map(|failure| failure.provider.as_str())
        .collect();
    assert_eq!(tried, ["b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn when_all_fail_each_is_named_with_its_reason() {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Least);
    let faults = [
        (
            "a",
            answer(401, "", r#"{"error": {"code": "invalid_api_key"}}"#),
        ),
        ("b", answer(429, "retry-after: 300", "")),
        ("c", answer(503, "", "")),
    ];
    let exhausted = ask(&caller, &faults).await.unwrap_err();
    assert_eq!(
        exhausted.to_string(),
        "no provider could answer: \
         a refused the key; set a valid one, then it is tried again (status 401, invalid_api_key); \
         b asks for fewer calls; wait, or lower the concurrency (status 429, not before 2026-11-16T02:05:00Z); \
         c failed on its side; try again later or set another provider (status 503, 3 attempts)"
    );
    assert_eq!(
        exhausted.wake_at().unwrap().to_string(),
        "2026-11-16T02:05:00Z"
    );
    let none = ChainExhausted::default().to_string();
    assert_eq!(
        none,
        "no provider is configured for this; set a key or an address for one"
    );
}
