use proptest::prelude::*;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

impl CircuitBreaker {
    /// Whether calls are kept back, and until when as far as that is known.
    fn shut(&self) -> Option<BreakerRefusal> {
        match self.state {
            BreakerState::Closed(_) => None,
            BreakerState::Open(opened) | BreakerState::Probing(opened) => {
                Some(BreakerRefusal::Until(opened.until))
            }
            BreakerState::KeyRefused => Some(BreakerRefusal::KeyRefused),
        }
    }
}

/// A breaker, its settings and a clock that tests move by hand.
struct BreakerBench {
    breaker: CircuitBreaker,
    settings: BreakerSettings,
    now: Duration,
}

impl BreakerBench {
    fn new() -> Self {
        Self {
            breaker: CircuitBreaker::default(),
            settings: BreakerSettings {
                last_resort: None,
                ..BreakerSettings::default()
            },
            now: Duration::ZERO,
        }
    }

    fn admit(&mut self) -> Result<BreakerPass, BreakerRefusal> {
        self.breaker.admit(&self.settings, self.now, false)
    }

    fn settle(&mut self, pass: BreakerPass, outcome: CallOutcome) {
        self.breaker.settle(&self.settings, pass, outcome, self.now);
    }

    fn calls(&mut self, outcomes: &[CallOutcome]) {
        for outcome in outcomes {
            let pass = self.admit().unwrap();
            self.settle(pass, *outcome);
        }
    }

    fn is_open(&self) -> bool {
        self.breaker.shut().is_some()
    }
}

const OK: CallOutcome = CallOutcome::Answered { slow: false };
const SLOW: CallOutcome = CallOutcome::Answered { slow: true };
use CallOutcome::{Declined, Failed, KeyRefused, Unknown};

#[test]
fn three_failed_calls_in_a_row_open_it() {
    let mut bench = BreakerBench::new();
    bench.calls(&[OK; 6]);
    bench.calls(&[Failed, Failed, OK, Failed, Declined, Failed]);
    assert!(
        !bench.is_open(),
        "a decline neither counts nor ends the row"
    );
    bench.calls(&[Failed]);
    assert_eq!(bench.admit(), Err(BreakerRefusal::Until(30 * SECOND)));
}

#[test]
fn half_of_the_last_twenty_open_it_once_six_are_seen() {
    let mut bench = BreakerBench::new();
    bench.calls(&[Failed, OK, Failed, OK, Failed]);
    assert!(!bench.is_open(), "three of five, but only five are seen");
    bench.calls(&[OK]);
    assert!(bench.is_open(), "three of six");

    let mut bench = BreakerBench::new();
    bench.calls(&[OK; 30]);
    bench.calls(&[Failed, Failed, OK].repeat(4));
    assert!(!bench.is_open(), "eight of the last twenty");
    bench.calls(&[Failed, OK]);
    assert!(!bench.is_open(), "nine of the last twenty");
    bench.calls(&[Failed]);
    assert!(bench.is_open(), "ten of the last twenty");
}

#[test]
fn mostly_slow_answers_open_it() {
    let mut bench = BreakerBench::new();
    bench.calls(&[SLOW, OK, SLOW, OK, SLOW, OK]);
    assert!(!bench.is_open(), "half is not most");
    bench.calls(&[SLOW]);
    assert!(bench.is_open());
}

#[test]
fn it_stays_open_twice_as_long_each_time_up_to_five_minutes() {
    let mut bench = BreakerBench::new();
    bench.calls(&[Failed; 3]);
    for open in [30, 60, 120, 240, 300, 300] {
        bench.now += Duration::from_secs(open) - SECOND;
        assert_eq!(
            bench.admit(),
            Err(BreakerRefusal::Until(bench.now + SECOND))
        );
        bench.now += SECOND;
        let probe = bench.admit().unwrap();
        assert!(probe.probe);
        assert!(bench.admit().is_err(), "one probe at a time");
        bench.settle(probe, Failed);
    }
    bench.now += 300 * SECOND;
    let probe = bench.admit().unwrap();
    bench.settle(probe, OK);
    bench.calls(&[Failed, Failed]);
    assert!(!bench.is_open(), "what was before is forgotten");
    bench.calls(&[Failed]);
    assert_eq!(
        bench.admit(),
        Err(BreakerRefusal::Until(bench.now + 30 * SECOND))
    );
}

#[test]
fn a_probe_that_is_declined_shows_life_and_one_that_is_dropped_makes_room() {
    let mut bench = BreakerBench::new();
    bench.calls(&[Failed; 3]);
    bench.now += 30 * SECOND;
    let probe = bench.admit().unwrap();
    bench.settle(probe, Unknown);
    let probe = bench.admit().expect("the next call probes at once");
    bench.settle(probe, Declined);
    assert!(!bench.is_open());
}

#[test]
fn a_refused_key_shuts_it_for_good() {
    let mut bench = BreakerBench::new();
    bench.calls(&[KeyRefused]);
    bench.now += 10_000 * SECOND;
    assert_eq!(bench.admit(), Err(BreakerRefusal::KeyRefused));
}

#[test]
fn who_has_nobody_else_to_ask_may_probe_early() {
    let mut bench = BreakerBench::new();
    bench.settings.last_resort = Some(45 * SECOND);
    bench.calls(&[Failed; 3]);
    for open in [30, 45, 45, 45] {
        let mut last_resort = || bench.breaker.admit(&bench.settings, bench.now, true);
        assert_eq!(
            last_resort(),
            Err(BreakerRefusal::Until(bench.now + Duration::from_secs(open)))
        );
        bench.now += Duration::from_secs(open);
        let probe = bench
            .breaker
            .admit(&bench.settings, bench.now, true)
            .unwrap();
        bench.settle(probe, Failed);
    }
}

#[derive(Clone, Copy, Debug)]
enum BreakerAct {
    Admit,
    Settle(usize, CallOutcome),
    Wait(u16),
}

fn acts() -> impl Strategy<Value = Vec<BreakerAct>> {
    let outcome = prop_oneof![
        3 => Just(OK),
        1 => Just(SLOW),
        4 => Just(Failed),
        1 => Just(Declined),
        1 => Just(Unknown),
    ];
    let act = prop_oneof![
        Just(BreakerAct::Admit),
        (any::<usize>(), outcome).prop_map(|(which, outcome)| BreakerAct::Settle(which, outcome)),
        (0..400_u16).prop_map(BreakerAct::Wait),
    ];
    prop::collection::vec(act, 1..200)
}

proptest! {
    /// Whatever calls overlap and however they end: at most one probe is under way, the breaker is never open for
    /// more than five minutes, fewer than three failures never open it, and it always lets somebody in again.
    #[test]
    fn it_keeps_its_rules_under_any_order_of_calls(acts in acts()) {
        let mut bench = BreakerBench::new();
        let mut held: Vec<BreakerPass> = Vec::new();
        let mut bad = 0;
        for act in acts {
            match act {
                BreakerAct::Admit => held.extend(bench.admit()),
                BreakerAct::Wait(seconds) => bench.now += Duration::from_secs(seconds.into()),
                BreakerAct::Settle(_, _) if held.is_empty() => {}
                BreakerAct::Settle(which, outcome) => {
                    let pass = held.swap_remove(which % held.len());
                    bad += u32::from(matches!(outcome, Failed | SLOW));
                    bench.settle(pass, outcome);
                }
            }
            let probes = held.iter().filter(|pass| pass.probe && bench.breaker.holds(**pass)).count();
            prop_assert!(probes <= 1);
            prop_assert!(bad >= 3 || !bench.is_open());
            if let Some(BreakerRefusal::Until(until)) = bench.breaker.shut() {
                prop_assert!(until <= bench.now + bench.settings.open_max);
            }
        }
        for pass in held {
            bench.settle(pass, Unknown);
        }
        bench.now += bench.settings.open_max;
        prop_assert!(bench.admit().is_ok());
    }
}
