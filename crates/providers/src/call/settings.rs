//! Every number of the call layer, by name.

use std::collections::BTreeMap;
use std::time::Duration;

use super::attempt_error::CallKind;
use super::provider::ProviderName;

/// Providers that publish how fast they may be asked: the pause in milliseconds between two calls, and how many may be
/// under way at once.
///
/// - arXiv: one request every three seconds over one connection, https://info.arxiv.org/help/api/tou.html.
/// - GDELT: "Please limit requests to one every 5 seconds", which it says instead of an answer to whoever comes sooner.
/// - Semantic Scholar: one request a second, with a key too, https://www.semanticscholar.org/product/api.
/// - PubMed: three requests a second without a key; a search is two, https://www.ncbi.nlm.nih.gov/books/NBK25497.
/// - Crossref: five a second for anybody, ten for those who name a contact, https://www.crossref.org/documentation/retrieve-metadata/rest-api.
const PUBLISHED: [(&str, u64, usize); 5] = [
    ("arxiv", 3_000, 1),
    ("gdelt", 5_000, 1),
    ("semantic_scholar", 1_000, 1),
    ("pubmed", 667, 2),
    ("crossref", 200, 3),
];

/// How fast a provider may be asked by its own terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedPace {
    /// Between the starts of two calls.
    pub apart: Duration,
    /// Calls under way at once.
    pub at_once: usize,
}

/// All numbers of the call layer. The defaults are the product's rules.
#[derive(Clone, Debug)]
pub struct CallSettings {
    /// For calls of models and embedders.
    pub model: CallKindSettings,
    /// For calls of search engines and registers.
    pub search: CallKindSettings,
    /// For web pages, by host.
    pub page: CallKindSettings,
    /// When to try again.
    pub retry: RetrySettings,
    /// When to stop asking a provider.
    pub breaker: BreakerSettings,
    /// How fast a provider is asked.
    pub limit: RateLimitSettings,
    /// Providers that ask for a pause between requests, whatever they answer.
    pub pace: BTreeMap<ProviderName, PublishedPace>,
    /// Providers and hosts remembered at once; beyond that the one idle for longest is forgotten.
    pub lanes_max: usize,
}

impl CallSettings {
    /// The numbers for this kind of call.
    pub(crate) fn for_kind(&self, kind: CallKind) -> &CallKindSettings {
        match kind {
            CallKind::Model => &self.model,
            CallKind::Search => &self.search,
            CallKind::Page => &self.page,
        }
    }
}

/// What differs between models, search and pages.
#[derive(Clone, Debug)]
pub struct CallKindSettings {
    /// At most, with the first one.
    pub attempts: u32,
    /// The longest wait before another attempt when the server gives no hint.
    pub backoff_cap: Duration,
    /// An attempt is ended after this time.
    pub attempt_limit: Duration,
    /// An attempt is not begun when less than this is left.
    pub attempt_least: Duration,
    /// From here on an answer counts as slow.
    pub slow_after: Duration,
    /// Attempts under way at once, per provider or host.
    pub in_flight_max: usize,
}

/// How long to wait before another attempt, and how many retries a provider may cost.
#[derive(Clone, Debug)]
pub struct RetrySettings {
    /// The upper bound of the first random wait; it doubles each time.
    pub backoff_base: Duration,
    /// The first wait after a 429 without a hint; the next ones double.
    pub rate_base: Duration,
    /// Up to this share is added to such a wait, so that callers don't return together.
    pub rate_jitter: f64,
    /// A longer wait is handed back as a time to wake up, and the next provider is asked.
    pub wait_max: Duration,
    /// What each call earns for retries of its provider: 0.1 lets every tenth call be a retry.
    pub bucket_per_call: f64,
    /// What a provider earns with time, so that rare calls can be retried too.
    pub bucket_per_second: f64,
    /// Retries that can be saved up.
    pub bucket_max: f64,
}

/// When a provider is left alone, and for how long.
#[derive(Clone, Debug)]
pub struct BreakerSettings {
    /// Failed calls in a row that open the breaker.
    pub consecutive: u32,
    /// The last calls that are looked at for the share of failures.
    pub window: usize,
    /// Fewer calls than this say nothing about a share.
    pub window_least: usize,
    /// The first time that it stays open; it doubles while the provider keeps failing.
    pub open: Duration,
    /// It never stays open for longer.
    pub open_max: Duration,
    /// A call that has no other provider may probe after this time, however long the breaker is to stay open.
    pub last_resort: Option<Duration>,
}

/// How the rate of a provider is learnt from its refusals.
#[derive(Clone, Debug)]
pub struct RateLimitSettings {
    /// The share of the present rate that is kept after a 429.
    pub cut: f64,
    /// What a second without a 429 adds at least, in calls a second.
    pub raise_per_second: f64,
    /// The share of the rate that a second without a 429 adds, if that is more.
    pub raise_share_per_second: f64,
    /// Calls a second that are kept, however often it says 429.
    pub rate_least: f64,
    /// The time over which the present rate is measured.
    pub measured_over: Duration,
    /// A limit is forgotten when no 429 came for this long.
    pub forgotten_after: Duration,
    /// A provider is not left alone for longer than this on the word of one header.
    pub pause_max: Duration,
    /// Calls that may wait for room at once.
    pub queue_max: usize,
}

impl Default for CallSettings {
    fn default() -> Self {
        Self {
            model: CallKindSettings {
                attempts: 3,
                backoff_cap: Duration::from_secs(30),
                attempt_limit: Duration::from_secs(600),
                attempt_least: Duration::from_secs(2),
                slow_after: Duration::from_secs(180),
                in_flight_max: 32,
            },
            search: CallKindSettings {
                attempts: 3,
                backoff_cap: Duration::from_secs(10),
                attempt_limit: Duration::from_secs(30),
                attempt_least: Duration::from_secs(1),
                slow_after: Duration::from_secs(10),
                in_flight_max: 16,
            },
            page: CallKindSettings {
                attempts: 2,
                backoff_cap: Duration::from_secs(10),
                attempt_limit: Duration::from_secs(45),
                attempt_least: Duration::from_secs(1),
                slow_after: Duration::from_secs(30),
                in_flight_max: 2,
            },
            retry: RetrySettings::default(),
            breaker: BreakerSettings::default(),
            limit: RateLimitSettings::default(),
            pace: PUBLISHED
                .iter()
                .map(|(name, apart_ms, at_once)| {
                    let apart = Duration::from_millis(*apart_ms);
                    let at_once = *at_once;
                    (ProviderName::new(name), PublishedPace { apart, at_once })
                })
                .collect(),
            lanes_max: 4_096,
        }
    }
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self {
            backoff_base: Duration::from_secs(1),
            rate_base: Duration::from_secs(10),
            rate_jitter: 0.25,
            wait_max: Duration::from_secs(120),
            bucket_per_call: 0.1,
            bucket_per_second: 0.1,
            bucket_max: 10.0,
        }
    }
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self {
            consecutive: 3,
            window: 20,
            window_least: 6,
            open: Duration::from_secs(30),
            open_max: Duration::from_secs(300),
            last_resort: Some(Duration::from_secs(30)),
        }
    }
}

impl Default for RateLimitSettings {
    fn default() -> Self {
        Self {
            cut: 0.5,
            raise_per_second: 0.1,
            raise_share_per_second: 0.06,
            rate_least: 0.5,
            measured_over: Duration::from_secs(10),
            forgotten_after: Duration::from_secs(300),
            pause_max: Duration::from_secs(900),
            queue_max: 256,
        }
    }
}
