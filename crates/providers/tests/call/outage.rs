//! T18: a provider is down for ten minutes while fifty runs work, in virtual time.
//!
//! Each run makes a call, works for a while, makes the next; a call that fails is given up and the run goes on.
//! The provider's ledger is the judge.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use fathom_providers::Clock as _;
use fathom_providers::call::{
    AttemptError, CallAttempt, CallContext, CallEvent, CallKind, CallSettings, Caller,
    FailedResponse, ProviderName, ResponseHeaders, TransportError,
};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::bench::VirtualClock;

const RUNS: u64 = 50;
const DOWN_FROM: Duration = Duration::from_secs(180);
/// How long it is down: ten minutes, and a little more, so that its end meets other phases of the breaker.
const DOWN_FOR_S: [u64; 3] = [600, 611, 622];
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
    fn kind(self) -> CallKind {
        match self {
            Self::ModelHangs => CallKind::Model,
            _ => CallKind::Search,
        }
    }

    /// How long the first byte is waited for.
    fn patience(self) -> Duration {
        match self.kind() {
            CallKind::Model => Duration::from_secs(30),
            CallKind::Search | CallKind::Page => Duration::from_secs(10),
        }
    }
}

/// What the provider saw: when each attempt arrived, and whether it was served.
type Ledger = Vec<(Duration, bool)>;

#[derive(Default)]
struct Figures {
    healthy_per_minute: f64,
    outage_per_minute: f64,
    worst_minute: f64,
    recovery: Duration,
}

impl Figures {
    fn worst(self, other: Self) -> Self {
        Self {
            healthy_per_minute: other.healthy_per_minute,
            outage_per_minute: self.outage_per_minute.max(other.outage_per_minute),
            worst_minute: self.worst_minute.max(other.worst_minute),
            recovery: self.recovery.max(other.recovery),
        }
    }
}

/// What one simulation is about.
#[derive(Clone)]
struct OutageWorld {
    outage: Outage,
    down_to: Duration,
    caller: Arc<Caller>,
    clock: Arc<VirtualClock>,
    ledger: Arc<Mutex<Ledger>>,
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
        let mut figures = Figures::default();
        for seconds in DOWN_FOR_S {
            let down_to = DOWN_FROM + Duration::from_secs(seconds);
            figures = figures.worst(simulate(outage, CallSettings::default(), down_to).await);
        }
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
    let mut settings = CallSettings::default();
    settings.breaker.last_resort = None;
    let down_to = DOWN_FROM + Duration::from_secs(600);
    let figures = simulate(Outage::Unavailable, settings, down_to).await;
    print(Outage::Unavailable, &figures);
    assert!(figures.recovery > MINUTE);
}

/// The same each time, unless another is given: `FATHOM_SEED`.
fn seed() -> u64 {
    let given = std::env::var("FATHOM_SEED").ok();
    given.map_or(18, |seed| seed.parse().unwrap())
}

fn print(outage: Outage, figures: &Figures) {
    println!(
        "T18 {outage:?} (seed {}): healthy {:.0} calls a minute, in the outage {:.1} ({:.2} x), worst minute {:.0} ({:.2} x), recovered after {:.1} s",
        seed(),
        figures.healthy_per_minute,
        figures.outage_per_minute,
        figures.outage_per_minute / figures.healthy_per_minute,
        figures.worst_minute,
        figures.worst_minute / figures.healthy_per_minute,
        figures.recovery.as_secs_f64(),
    );
}

async fn simulate(outage: Outage, settings: CallSettings, down_to: Duration) -> Figures {
    let clock = VirtualClock::start();
    let rng = Box::new(StdRng::seed_from_u64(seed()));
    let world = OutageWorld {
        outage,
        down_to,
        caller: Arc::new(Caller::new(settings, clock.clone(), rng)),
        clock,
        ledger: Arc::default(),
    };
    let mut runs = tokio::task::JoinSet::new();
    for run in 0..RUNS {
        runs.spawn(work(run, world.clone()));
    }
    runs.join_all().await;
    let ledger = std::mem::take(&mut *world.ledger.lock().unwrap());
    figures(&ledger, down_to)
}

/// One run: call, work for three to nine seconds, and so on until three minutes after the outage.
async fn work(run: u64, world: OutageWorld) {
    let mut rng = StdRng::seed_from_u64(seed().wrapping_add(run));
    let provider = ProviderName::new("provider");
    while world.clock.elapsed() < world.down_to + 3 * MINUTE {
        let pause = Duration::from_millis(rng.random_range(3_000..9_000));
        world.clock.sleep(pause).await;
        let sink = |_: CallEvent| {};
        let context = CallContext {
            kind: world.outage.kind(),
            deadline: world.clock.elapsed() + 2 * MINUTE,
            sink: &sink,
        };
        // A call that fails is given up; the run goes on degraded.
        let _ = world
            .caller
            .call(&provider, &context, |_: CallAttempt| answer(&world))
            .await;
    }
}

/// The provider's side of an attempt.
async fn answer(world: &OutageWorld) -> Result<(), AttemptError> {
    let now = world.clock.elapsed();
    let number = {
        let mut ledger = world.ledger.lock().unwrap();
        ledger.push((now, false));
        ledger.len() - 1
    };
    if (DOWN_FROM..world.down_to).contains(&now) {
        let status = |status| {
            AttemptError::from(FailedResponse::new(status, ResponseHeaders::default(), b""))
        };
        match world.outage {
            Outage::Refused => return Err(TransportError::Refused.into()),
            Outage::Unavailable => return Err(status(503)),
            Outage::RateLimited => return Err(status(429)),
            Outage::Flaky if number % 2 == 0 => return Err(status(500)),
            Outage::Flaky => {}
            Outage::SearchHangs | Outage::ModelHangs => {
                world.clock.sleep(world.outage.patience()).await;
                return Err(TransportError::FirstByte.into());
            }
        }
    }
    world.clock.sleep(Duration::from_millis(400)).await;
    world.ledger.lock().unwrap()[number].1 = true;
    Ok(())
}

fn figures(ledger: &Ledger, down_to: Duration) -> Figures {
    let arrived = |from: Duration, to: Duration| {
        let from = ledger.partition_point(|(at, _)| *at < from);
        let to = ledger.partition_point(|(at, _)| *at < to);
        &ledger[from..to]
    };
    let per_minute = |from: Duration, to: Duration| {
        arrived(from, to).len() as f64 * 60.0 / (to - from).as_secs_f64()
    };
    let healthy_per_minute = per_minute(MINUTE, DOWN_FROM);
    let minutes = (DOWN_FROM.as_secs()..=(down_to - MINUTE).as_secs()).map(Duration::from_secs);
    // Back is who serves half of what is usual, over two seconds.
    let two = Duration::from_secs(2);
    let is_back = |at: &Duration| {
        let served = arrived(*at, *at + two)
            .iter()
            .filter(|(_, served)| *served)
            .count();
        served as f64 >= healthy_per_minute / 30.0 / 2.0
    };
    let after = (0..180).map(|seconds| down_to + Duration::from_secs(seconds));
    Figures {
        healthy_per_minute,
        outage_per_minute: per_minute(DOWN_FROM, down_to),
        worst_minute: minutes
            .map(|from| per_minute(from, from + MINUTE))
            .fold(0.0, f64::max),
        recovery: after
            .into_iter()
            .find(is_back)
            .map_or(Duration::MAX, |at| at - down_to),
    }
}
