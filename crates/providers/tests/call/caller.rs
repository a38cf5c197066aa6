//! What a call and a chain promise, beyond the single fault.

use std::future::pending;
use std::sync::Mutex;
use std::time::Duration;

use fathom_providers::call::{
    AttemptError, CallAttempt, CallContext, CallKind, CallSettings, Caller, FailedResponse,
    NextAction, ProviderName, ResponseHeaders, StopReason, TransportError, classify,
};
use fathom_providers::{CallFailure, Clock as _, FailureCause};

use crate::bench::{self, Luck, Seen, VirtualClock};

const HOUR: Duration = Duration::from_secs(3_600);

fn status(status: u16) -> AttemptError {
    FailedResponse::new(status, ResponseHeaders::default(), b"").into()
}

fn context(seen: &Seen, kind: CallKind, deadline: Duration) -> CallContext<'_> {
    CallContext {
        kind,
        deadline,
        sink: seen,
    }
}

/// One call that meets the same fault at each attempt.
async fn meet(caller: &Caller, name: &str, fault: &AttemptError) -> (CallFailure, Vec<NextAction>) {
    let seen = Seen::default();
    let context = context(&seen, CallKind::Search, 100 * HOUR);
    let operation = |_: CallAttempt| async { Err::<(), _>(fault.clone()) };
    let failure = caller
        .call(&ProviderName::new(name), &context, operation)
        .await
        .unwrap_err();
    (
        failure,
        seen.take().iter().map(|event| event.then).collect(),
    )
}

#[test]
fn the_statuses_tried_again_are_those_of_the_specification() {
    let retried = |kind: CallKind| -> Vec<u16> {
        (400..600)
            .filter(|code| classify(kind, &status(*code)).retry)
            .collect()
    };
    let always = [
        408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529,
    ];
    assert_eq!(retried(CallKind::Search), always);
    assert_eq!(retried(CallKind::Page), always);
    let with_conflict = [&[408, 409], &always[1..]].concat();
    assert_eq!(retried(CallKind::Model), with_conflict);
}

#[tokio::test(start_paused = true)]
async fn one_bad_call_never_opens_the_breaker_and_three_do() {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Most);
    for _ in 0..3 {
        let (failure, attempts) = meet(&caller, "a", &status(503)).await;
        assert_eq!(
            (failure.cause, attempts.len()),
            (FailureCause::ServerFailed, 3)
        );
    }
    let (failure, attempts) = meet(&caller, "a", &status(503)).await;
    assert_eq!(
        (failure.cause, attempts.len()),
        (FailureCause::BreakerOpen, 0)
    );
    assert_eq!(
        failure
            .wake_at
            .unwrap()
            .duration_since(clock.now())
            .as_secs(),
        30
    );
    tokio::time::sleep(Duration::from_secs(30)).await;
    let (_, attempts) = meet(&caller, "a", &status(503)).await;
    assert_eq!(
        attempts,
        [NextAction::Stop {
            why: StopReason::Probe
        }],
        "a probe is one attempt"
    );
}

#[tokio::test(start_paused = true)]
async fn what_a_provider_declines_never_opens_the_breaker() {
    let faults = [400, 402, 404, 408, 413, 422, 425, 429].map(status);
    for fault in faults
        .into_iter()
        .chain([TransportError::Decode.into(), AttemptError::Bug])
    {
        let clock = VirtualClock::start();
        let caller = bench::caller(CallSettings::default(), &clock, Luck::Most);
        for _ in 0..25 {
            let (failure, _) = meet(&caller, "a", &fault).await;
            assert_ne!(failure.cause, FailureCause::BreakerOpen, "{fault:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_key_is_tried_once_until_the_settings_change() {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Most);
    assert_eq!(meet(&caller, "a", &status(401)).await.1.len(), 1);
    tokio::time::sleep(10 * HOUR).await;
    let (failure, attempts) = meet(&caller, "a", &status(401)).await;
    assert_eq!(
        (failure.cause, attempts.len()),
        (FailureCause::KeyRefused, 0)
    );
    // Other settings come with another caller.
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Most);
    assert_eq!(meet(&caller, "a", &status(401)).await.1.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn no_retry_begins_that_cannot_end_before_the_deadline() {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Most);
    let seen = Seen::default();
    let fault = AttemptError::from(FailedResponse::new(
        503,
        bench::headers("retry-after: 20"),
        b"",
    ));
    let operation = |_: CallAttempt| async { Err::<(), _>(fault.clone()) };
    let context = context(&seen, CallKind::Search, Duration::from_secs(20));
    let failure = caller
        .call(&ProviderName::new("a"), &context, operation)
        .await
        .unwrap_err();
    assert_eq!(
        (failure.cause, failure.attempts),
        (FailureCause::ServerFailed, 1)
    );
    assert_eq!(
        seen.take()[0].then,
        NextAction::Stop {
            why: StopReason::Deadline
        }
    );
    assert_eq!(clock.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn the_deadline_ends_an_attempt_and_nobody_is_blamed() {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Most);
    let seen = Seen::default();
    for _ in 0..5 {
        let deadline = clock.elapsed() + Duration::from_secs(5);
        let context = context(&seen, CallKind::Search, deadline);
        let operation = |_: CallAttempt| pending::<Result<(), AttemptError>>();
        let failure = caller
            .call(&ProviderName::new("a"), &context, operation)
            .await
            .unwrap_err();
        assert_eq!(
            (failure.cause, failure.attempts),
            (FailureCause::OutOfTime, 1)
        );
        assert_eq!(clock.elapsed(), deadline);
    }
    assert_eq!(seen.take().len(), 5, "the breaker stayed closed");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_ends_at_its_own_limit_and_counts_as_failed() {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Most);
    let seen = Seen::default();
    let operation = |_: CallAttempt| pending::<Result<(), AttemptError>>();
    let context = context(&seen, CallKind::Model, HOUR);
    let failure = caller
        .call(&ProviderName::new("a"), &context, operation)
        .await
        .unwrap_err();
    assert_eq!(
        (failure.cause, failure.attempts),
        (FailureCause::TimedOut, 1)
    );
    assert_eq!(clock.elapsed(), Duration::from_secs(600));
}

#[tokio::test(start_paused = true)]
async fn a_provider_earns_one_retry_with_ten_calls() {
    let clock = VirtualClock::start();
    let mut settings = CallSettings::default();
    settings.breaker.consecutive = u32::MAX;
    settings.breaker.window_least = usize::MAX;
    settings.retry.bucket_per_second = 0.0;
    let caller = bench::caller(settings, &clock, Luck::Least);
    let mut attempts = 0;
    for _ in 0..200 {
        attempts += meet(&caller, "a", &status(503)).await.1.len();
    }
    // 200 first attempts, the ten retries saved up, and a tenth of the calls.
    assert!((228..=230).contains(&attempts), "{attempts}");
    let (_, last) = meet(&caller, "a", &status(503)).await;
    assert_eq!(
        last.last(),
        Some(&NextAction::Stop {
            why: StopReason::Bucket
        })
    );
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_gives_back_its_probe_and_its_place() {
    let clock = VirtualClock::start();
    let mut settings = CallSettings::default();
    settings.search.in_flight_max = 1;
    let caller = bench::caller(settings, &clock, Luck::Most);
    for _ in 0..3 {
        meet(&caller, "a", &TransportError::DnsUnknown.into()).await;
    }
    tokio::time::sleep(Duration::from_secs(30)).await;
    let seen = Seen::default();
    let provider = ProviderName::new("a");
    let context = context(&seen, CallKind::Search, HOUR);
    let hanging = caller.call(&provider, &context, |_| {
        pending::<Result<(), AttemptError>>()
    });
    let second = Duration::from_secs(1);
    assert!(
        tokio::time::timeout(second, hanging).await.is_err(),
        "it is dropped while it probes"
    );
    let answer = caller.call(&provider, &context, |_| async { Ok(7) }).await;
    assert_eq!(
        answer,
        Ok(7),
        "the next one probes at once, in the only place there is"
    );
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_leaves_the_limiters_line() {
    let clock = VirtualClock::start();
    let mut settings = CallSettings::default();
    settings.limit.queue_max = 1;
    settings.search.attempts = 1;
    let caller = bench::caller(settings, &clock, Luck::Most);
    let fault = FailedResponse::new(429, bench::headers("retry-after: 60"), b"").into();
    meet(&caller, "a", &fault).await;
    let seen = Seen::default();
    let provider = ProviderName::new("a");
    let context = context(&seen, CallKind::Search, HOUR);
    let call = || caller.call(&provider, &context, |_| async { Ok(7) });
    let second = Duration::from_secs(1);
    assert!(
        tokio::time::timeout(second, call()).await.is_err(),
        "it is dropped in the line"
    );
    let (first, other) = tokio::join!(call(), call());
    assert_eq!((first, clock.elapsed().as_secs()), (Ok(7), 60));
    assert_eq!(
        other.unwrap_err().cause,
        FailureCause::QueueFull,
        "the line holds one"
    );
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_place_waits_until_the_deadline_at_most() {
    let clock = VirtualClock::start();
    let mut settings = CallSettings::default();
    settings.page.in_flight_max = 1;
    let caller = bench::caller(settings, &clock, Luck::Most);
    let seen = Seen::default();
    let provider = ProviderName::new("host");
    let long = context(&seen, CallKind::Page, HOUR);
    let short = context(&seen, CallKind::Page, Duration::from_secs(10));
    let slow = caller.call(&provider, &long, |_| async {
        clock.sleep(Duration::from_secs(40)).await;
        Ok(())
    });
    let impatient = caller.call(&provider, &short, |_| async { Ok(()) });
    let (slow, impatient) = tokio::join!(slow, impatient);
    assert_eq!(
        (slow, impatient.unwrap_err().cause),
        (Ok(()), FailureCause::QueueFull)
    );
}

#[tokio::test(start_paused = true)]
async fn the_limiter_learns_from_the_headers_of_a_success() {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Most);
    let seen = Seen::default();
    let context = context(&seen, CallKind::Search, HOUR);
    let mut times = Vec::new();
    for _ in 0..3 {
        let operation = |attempt: CallAttempt| async move {
            attempt.saw(bench::headers(
                "x-ratelimit-remaining: 0\nx-ratelimit-reset: 15",
            ));
            Ok(())
        };
        caller
            .call(&ProviderName::new("a"), &context, operation)
            .await
            .unwrap();
        times.push(clock.elapsed().as_secs());
    }
    assert_eq!(times, [0, 15, 30]);
}

#[tokio::test(start_paused = true)]
async fn providers_are_asked_no_faster_than_their_terms_allow() {
    for (name, apart_ms) in [
        ("arxiv", 3_000),
        ("gdelt", 5_000),
        ("semantic_scholar", 1_000),
        ("pubmed", 667),
        ("crossref", 200),
    ] {
        let clock = VirtualClock::start();
        let caller = bench::caller(CallSettings::default(), &clock, Luck::Least);
        let seen = Seen::default();
        let context = context(&seen, CallKind::Search, Duration::from_secs(600));
        let provider = ProviderName::new(name);
        let begun = Mutex::new(Vec::new());
        let call = || {
            caller.call(&provider, &context, |attempt| {
                begun.lock().unwrap().push(clock.elapsed().as_millis());
                // The second attempt to begin fails, and its repetition keeps the pause too.
                let fails = begun.lock().unwrap().len() == 2;
                async move {
                    if fails {
                        Err(status(503))
                    } else {
                        Ok(attempt.number)
                    }
                }
            })
        };
        let (one, two, three, four) = tokio::join!(call(), call(), call(), call());
        assert!(one.is_ok() && two.is_ok() && three.is_ok() && four.is_ok());
        let begun = begun.into_inner().unwrap();
        assert_eq!(
            begun,
            [0, 1, 2, 3, 4].map(|place| place * apart_ms),
            "{name}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_asks_for_pauses_is_asked_one_call_at_a_time() {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Least);
    let seen = Seen::default();
    let context = context(&seen, CallKind::Search, Duration::from_secs(600));
    let provider = ProviderName::new("arxiv");
    let begun = Mutex::new(Vec::new());
    let (clock, begun) = (&clock, &begun);
    let call = |takes: u64| {
        caller.call(&provider, &context, move |_| {
            begun.lock().unwrap().push(clock.elapsed().as_secs());
            async move {
                clock.sleep(Duration::from_secs(takes)).await;
                Ok::<_, AttemptError>(())
            }
        })
    };
    let ended = tokio::join!(call(10), call(1), call(1));
    assert_eq!(ended, (Ok(()), Ok(()), Ok(())));
    assert_eq!(*begun.lock().unwrap(), [0, 10, 13]);
}

#[tokio::test(start_paused = true)]
async fn a_long_wait_holds_back_all_callers_without_a_sleep() {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Most);
    let fault = FailedResponse::new(429, bench::headers("retry-after: 600"), b"").into();
    assert_eq!(
        meet(&caller, "a", &fault).await.0.cause,
        FailureCause::RateLimited
    );
    let (failure, attempts) = meet(&caller, "a", &fault).await;
    assert_eq!(
        (failure.cause, attempts.len()),
        (FailureCause::QueueFull, 0)
    );
    assert_eq!(
        failure
            .wake_at
            .unwrap()
            .duration_since(clock.now())
            .as_secs(),
        600
    );
    assert_eq!(clock.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_call_can_be_spawned() {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, Luck::Least);
    let task = tokio::spawn(async move {
        let seen = Seen::default();
        let context = context(&seen, CallKind::Model, HOUR);
        let provider = ProviderName::model("openai", "gpt-4o");
        caller.call(&provider, &context, |_| async { Ok(1) }).await
    });
    assert_eq!(task.await.unwrap(), Ok(1));
}
