use proptest::prelude::*;

use super::*;

const SECOND: Duration = Duration::from_secs(1);
const FAR: Duration = Duration::from_secs(100_000);

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// Lines up so many callers and says when each of them goes.
fn turns(limiter: &mut RateLimiter, now: Duration, callers: usize) -> Vec<f64> {
    let settings = RateLimitSettings::default();
    let mut gone = Vec::new();
    let mut line = Vec::new();
    for _ in 0..callers {
        match limiter.reserve(&settings, now, FAR) {
            QueueTurn::Now => gone.push(now.as_secs_f64()),
            QueueTurn::Wait(ticket) => line.push(ticket),
            QueueTurn::Full { until } => panic!("there is time until {until:?}"),
        }
    }
    while !line.is_empty() {
        line.sort_by_key(|ticket| ticket.look_at);
        let ticket = line.remove(0);
        let now = ticket.look_at;
        match limiter.redeem(&settings, ticket, now, FAR) {
            QueueTurn::Now => gone.push(now.as_secs_f64()),
            QueueTurn::Wait(ticket) => line.push(ticket),
            QueueTurn::Full { until } => panic!("there is time until {until:?}"),
        }
    }
    gone
}

#[test]
fn without_a_word_from_the_provider_there_is_no_limit() {
    let mut limiter = RateLimiter::default();
    assert_eq!(turns(&mut limiter, SECOND, 1_000), [1.0; 1_000]);
}

#[test]
fn a_pause_by_the_providers_terms_is_kept_from_the_first_call_on() {
    let mut limiter = RateLimiter::keeping_apart(Some(3 * SECOND));
    assert_eq!(turns(&mut limiter, SECOND, 4), [1.0, 4.0, 7.0, 10.0]);
    assert_eq!(turns(&mut limiter, seconds(11.0), 2), [13.0, 16.0]);
    assert_eq!(turns(&mut limiter, seconds(60.0), 1), [60.0]);
}

#[test]
fn a_learnt_limit_lengthens_the_pause_and_never_shortens_it() {
    let settings = RateLimitSettings::default();
    let mut limiter = RateLimiter::keeping_apart(Some(3 * SECOND));
    turns(&mut limiter, SECOND, 1);
    limiter.keep_to(&settings, 100.0);
    assert_eq!(turns(&mut limiter, SECOND, 1), [4.0]);
    limiter.slow_down(&settings, seconds(4.0), seconds(4.0), Some(20 * SECOND));
    let later = turns(&mut limiter, seconds(4.0), 3);
    assert_eq!(later, [24.0, 27.0, 30.0]);
    assert_eq!(
        turns(&mut limiter, seconds(1_000.0), 2),
        [1_000.0, 1_003.0],
        "it outlives the limit that was learnt"
    );
}

#[test]
fn a_429_halves_the_rate_holds_everyone_back_and_spreads_them() {
    let settings = RateLimitSettings::default();
    let mut limiter = RateLimiter::default();
    let now = 10 * SECOND;
    for call in 0..40 {
        turns(&mut limiter, seconds(f64::from(call) * 0.25), 1);
    }
    limiter.slow_down(&settings, now, now, Some(7 * SECOND));
    assert_eq!(limiter.rate(), Some(2.0), "half of four calls a second");
    let turns = turns(&mut limiter, now, 5);
    assert_eq!(turns[0], 17.0);
    let apart: Vec<f64> = turns.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(
        apart.iter().all(|apart| (0.35..=0.51).contains(apart)),
        "{apart:?}"
    );
    assert!(apart[3] < apart[0], "faster as it is raised: {apart:?}");
}

#[test]
fn calls_that_were_under_way_together_cut_the_rate_once() {
    let settings = RateLimitSettings::default();
    let mut limiter = RateLimiter::default();
    turns(&mut limiter, SECOND, 100);
    for _ in 0..100 {
        limiter.slow_down(&settings, SECOND, 2 * SECOND, None);
    }
    assert_eq!(limiter.rate(), Some(5.0));
}

#[test]
fn calm_raises_the_limit_and_at_last_lifts_it() {
    let settings = RateLimitSettings::default();
    let mut limiter = RateLimiter::default();
    turns(&mut limiter, SECOND, 1);
    limiter.slow_down(&settings, SECOND, SECOND, None);
    assert_eq!(limiter.rate(), Some(settings.rate_least));
    turns(&mut limiter, 11 * SECOND, 1);
    assert_eq!(limiter.rate(), Some(settings.rate_least + 1.0));
    turns(&mut limiter, 301 * SECOND, 1);
    assert_eq!(limiter.rate(), None);
}

#[test]
fn calls_that_are_left_are_counted_down_until_the_reset() {
    let settings = RateLimitSettings::default();
    let mut limiter = RateLimiter::default();
    let room = RemainingCalls {
        remaining: 2,
        resets_in: 20 * SECOND,
    };
    limiter.heed(&settings, room, SECOND);
    assert_eq!(turns(&mut limiter, SECOND, 3), [1.0, 1.0, 21.0]);
}

#[test]
fn a_pace_that_the_provider_names_is_kept() {
    let mut limiter = RateLimiter::default();
    limiter.keep_to(&RateLimitSettings::default(), 5.0);
    let turns = turns(&mut limiter, SECOND, 11);
    assert_eq!((turns[0], turns[10]), (1.0, 3.0));
}

#[test]
fn nobody_queues_beyond_the_deadline_or_the_queue() {
    let settings = RateLimitSettings {
        queue_max: 2,
        ..RateLimitSettings::default()
    };
    let mut limiter = RateLimiter::default();
    limiter.slow_down(&settings, SECOND, SECOND, Some(30 * SECOND));
    let until = 31 * SECOND;
    let full = limiter.reserve(&settings, SECOND, 30 * SECOND);
    assert_eq!(
        full,
        QueueTurn::Full { until },
        "and no place is lost by asking"
    );
    let QueueTurn::Wait(first) = limiter.reserve(&settings, SECOND, FAR) else {
        panic!("the first may wait");
    };
    assert_eq!(first.look_at, until);
    assert!(matches!(
        limiter.reserve(&settings, SECOND, FAR),
        QueueTurn::Wait(_)
    ));
    assert!(matches!(
        limiter.reserve(&settings, SECOND, FAR),
        QueueTurn::Full { .. }
    ));
    limiter.abandon(&first);
    assert!(matches!(
        limiter.reserve(&settings, SECOND, FAR),
        QueueTurn::Wait(_)
    ));
}

#[test]
fn a_limit_that_keeps_being_hit_keeps_callers_apart() {
    let settings = RateLimitSettings::default();
    let mut limiter = RateLimiter::default();
    let mut now = SECOND;
    let mut calls = 0;
    while now < 61 * SECOND {
        now = seconds(turns(&mut limiter, now, 1)[0]);
        limiter.slow_down(&settings, now, now, None);
        calls += 1;
    }
    // Half a call a second, raised a little while each of them waits.
    assert!(calls <= 40, "{calls} calls in a minute");
}

#[derive(Clone, Copy, Debug)]
enum LimiterAct {
    Reserve,
    Drop(usize),
    Advance(u16),
    SlowDown(Option<u8>),
    Heed(u8, u8),
}

fn acts() -> impl Strategy<Value = Vec<LimiterAct>> {
    let act = prop_oneof![
        4 => Just(LimiterAct::Reserve),
        1 => any::<usize>().prop_map(LimiterAct::Drop),
        2 => (0..5_000_u16).prop_map(LimiterAct::Advance),
        1 => prop::option::of(0..100_u8).prop_map(LimiterAct::SlowDown),
        1 => (0..5_u8, 0..60_u8).prop_map(|(left, resets)| LimiterAct::Heed(left, resets)),
    ];
    prop::collection::vec(act, 1..150)
}

proptest! {
    /// Whatever happens: nobody goes while the provider has asked to be left alone, no ticket lies beyond the
    /// caller's time, the line is bounded, and it is empty when all have gone.
    #[test]
    fn it_keeps_its_rules_in_any_order(acts in acts()) {
        let settings = RateLimitSettings { queue_max: 8, ..RateLimitSettings::default() };
        let mut limiter = RateLimiter::default();
        let mut now = Duration::ZERO;
        let mut line: Vec<QueueTicket> = Vec::new();
        for act in acts {
            match act {
                LimiterAct::Reserve => {
                    let latest = now + 120 * SECOND;
                    match limiter.reserve(&settings, now, latest) {
                        QueueTurn::Now => prop_assert!(now >= limiter.paused_until),
                        QueueTurn::Wait(ticket) => {
                            prop_assert!(ticket.look_at > now && ticket.look_at <= latest);
                            line.push(ticket);
                        }
                        QueueTurn::Full { until } => prop_assert!(until > latest || line.len() >= 8),
                    }
                }
                LimiterAct::Drop(_) if line.is_empty() => {}
                LimiterAct::Drop(which) => limiter.abandon(&line.swap_remove(which % line.len())),
                LimiterAct::Advance(ms) => {
                    now += Duration::from_millis(ms.into());
                    let (due, later) = line.into_iter().partition(|ticket: &QueueTicket| ticket.look_at <= now);
                    line = later;
                    for ticket in due {
                        match limiter.redeem(&settings, ticket, now, now + 120 * SECOND) {
                            QueueTurn::Now => prop_assert!(now >= limiter.paused_until),
                            QueueTurn::Wait(ticket) => {
                                prop_assert!(ticket.look_at > now);
                                line.push(ticket);
                            }
                            QueueTurn::Full { .. } => {}
                        }
                    }
                }
                LimiterAct::SlowDown(wait) => {
                    let wait = wait.map(|wait| Duration::from_secs(wait.into()));
                    limiter.slow_down(&settings, now, now, wait);
                }
                LimiterAct::Heed(left, resets) => {
                    let resets_in = Duration::from_secs(resets.into());
                    limiter.heed(&settings, RemainingCalls { remaining: left.into(), resets_in }, now);
                }
            }
            prop_assert_eq!(limiter.line.len(), line.len());
            prop_assert!(line.len() <= 8);
            prop_assert!(limiter.rate().is_none_or(|rate| rate >= settings.rate_least));
        }
    }
}
