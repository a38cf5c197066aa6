//! T18: a provider is down for ten minutes while fifty runs work, in virtual time.
//!
//! Each run makes a call, works for a while, makes the next; a call that fails is given up and the run goes on.
//! The provider's ledger is the judge.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use fathom_providers::Clock as _;
use fathom_providers::call::{
    Answer, Attempt, Caller, Event, Fault, Headers, Kind, Provider, Settings, Terms, Transport,
};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::bench::VirtualClock;

const RUNS: u64 = 50;
const SEED: u64 = 18;
const DOWN_FROM: Duration = Duration::from_secs(180);
const DOWN_TO: Duration = Duration::from_secs(780);
const END: Duration = Duration::from_secs(1_020);
const MINUTE: Duration = Duration::from_secs(60);

/// How the provider is down.
#[derive(Clone, Copy, Debug)]
enum Outage {
    Refused,
    Unavailable,
    SearchHangs,
    ModelHangs,
    RateLimited,
    /// Every other attempt fails.
    Flaky,
}

impl Outage {
    fn kind(self) -> Kind {
        match self {
            Self::ModelHangs => Kind::Model,
            _ => Kind::Search,
        }
    }

    /// How long the first byte is waited for.
    fn patience(self) -> Duration {
        match self.kind() {
            Kind::Model => Duration::from_secs(30),
            Kind::Search | Kind::Page => Duration::from_secs(10),
        }
    }
}

/// What the provider saw: when each attempt arrived, and whether it was served.
type Ledger = Vec<(Duration, bool)>;

struct Figures {
    healthy_per_minute: f64,
    outage_per_minute: f64,
    worst_minute: f64,
    recovery: Duration,
}

#[tokio::test(start_paused = true)]
async fn an_outage_brings_no_storm_and_ends_soon_after_it_is_over() {
    for outage in [
        Outage::Refused,
        Outage::Unavailable,
        Outage::SearchHangs,
        Outage::ModelHangs,
        Outage::RateLimited,
        Outage::Flaky,
    ] {
        let figures = simulate(outage, Settings::default()).await;
        print(outage, &figures);
        let most = 1.2 * figures.healthy_per_minute;
        assert!(
            figures.outage_per_minute <= most,
            "{outage:?}: calls in all"
        );
        assert!(
            figures.worst_minute <= most,
            "{outage:?}: calls in the worst minute"
        );
        assert!(
            figures.recovery <= MINUTE,
            "{outage:?}: {:?}",
            figures.recovery
        );
    }
}

/// Why a last resort is needed: the doubling alone can leave a lone provider unasked for minutes after its return.
#[tokio::test(start_paused = true)]
async fn without_a_last_resort_recovery_takes_minutes() {
    let mut settings = Settings::default();
    settings.breaker.last_resort = None;
    let figures = simulate(Outage::Unavailable, settings).await;
    print(Outage::Unavailable, &figures);
    assert!(figures.recovery > MINUTE);
}

fn print(outage: Outage, figures: &Figures) {
    println!(
        "T18 {outage:?} (seed {SEED}): healthy {:.0} calls a minute, in the outage {:.1} ({:.2} x), worst minute {:.0} ({:.2} x), recovered after {:.1} s",
        figures.healthy_per_minute,
        figures.outage_per_minute,
        figures.outage_per_minute / figures.healthy_per_minute,
        figures.worst_minute,
        figures.worst_minute / figures.healthy_per_minute,
        figures.recovery.as_secs_f64(),
    );
}

async fn simulate(outage: Outage, settings: Settings) -> Figures {
    let clock = VirtualClock::start();
    let rng = Box::new(StdRng::seed_from_u64(SEED));
    let caller = Arc::new(Caller::new(settings, clock.clone(), rng));
    let ledger = Arc::new(Mutex::new(Ledger::new()));
    let mut runs = tokio::task::JoinSet::new();
    for run in 0..RUNS {
        runs.spawn(work(
            run,
            outage,
            caller.clone(),
            clock.clone(),
            ledger.clone(),
        ));
    }
    runs.join_all().await;
    let ledger = std::mem::take(&mut *ledger.lock().unwrap());
    figures(&ledger)
}

/// One run: call, work for one to three seconds, and so on until the end.
async fn work(
    run: u64,
    outage: Outage,
    caller: Arc<Caller>,
    clock: Arc<VirtualClock>,
    ledger: Arc<Mutex<Ledger>>,
) {
    let mut rng = StdRng::seed_from_u64(SEED + run);
    let provider = Provider::new("provider");
    while clock.elapsed() < END {
        clock
            .sleep(Duration::from_millis(rng.random_range(1_000..3_000)))
            .await;
        let sink = |_: Event| {};
        let terms = Terms {
            kind: outage.kind(),
            deadline: clock.elapsed() + Duration::from_secs(120),
            sink: &sink,
        };
        let operation = |_: Attempt| answer(outage, &clock, &ledger);
        // The run goes on degraded.
        let _ = caller.call(&provider, &terms, operation).await;
    }
}

/// The provider's side of an attempt.
async fn answer(outage: Outage, clock: &VirtualClock, ledger: &Mutex<Ledger>) -> Result<(), Fault> {
    let now = clock.elapsed();
    let number = {
        let mut ledger = ledger.lock().unwrap();
        ledger.push((now, false));
        ledger.len() - 1
    };
    let down = (DOWN_FROM..DOWN_TO).contains(&now);
    let status = |status| Fault::from(Answer::new(status, Headers::default(), b""));
    let fault = match outage {
        _ if !down => None,
        Outage::Refused => Some(Transport::Refused.into()),
        Outage::Unavailable => Some(status(503)),
        Outage::SearchHangs | Outage::ModelHangs => {
            clock.sleep(outage.patience()).await;
            Some(Transport::FirstByte.into())
        }
        Outage::RateLimited => Some(status(429)),
        Outage::Flaky => (number % 2 == 0).then(|| status(500)),
    };
    if let Some(fault) = fault {
        return Err(fault);
    }
    clock.sleep(Duration::from_millis(400)).await;
    ledger.lock().unwrap()[number].1 = true;
    Ok(())
}

fn figures(ledger: &Ledger) -> Figures {
    let count = |from: Duration, to: Duration| {
        let inside = ledger.iter().filter(|(at, _)| (from..to).contains(at));
        inside.count() as f64
    };
    let per_minute = |from: Duration, to: Duration| {
        count(from, to) * MINUTE.as_secs_f64() / (to - from).as_secs_f64()
    };
    let minutes = (DOWN_FROM.as_secs()..(DOWN_TO - MINUTE).as_secs()).map(Duration::from_secs);
    let worst_minute = minutes
        .map(|from| count(from, from + MINUTE))
        .fold(0.0, f64::max);
    let served = |from: Duration, to: Duration| {
        let inside = ledger
            .iter()
            .filter(|(at, served)| *served && (from..to).contains(at));
        inside.count() as f64
    };
    let healthy_per_minute = per_minute(MINUTE, DOWN_FROM);
    // Back is who serves half of what is usual, over ten seconds.
    let ten = Duration::from_secs(10);
    let is_back = |at: &Duration| served(*at, *at + ten) >= healthy_per_minute / 6.0 / 2.0;
    let back = (DOWN_TO.as_secs()..END.as_secs())
        .map(Duration::from_secs)
        .find(is_back);
    Figures {
        healthy_per_minute,
        outage_per_minute: per_minute(DOWN_FROM, DOWN_TO),
        worst_minute,
        recovery: back.map_or(Duration::MAX, |at| at - DOWN_TO),
    }
}
