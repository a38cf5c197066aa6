//! What is kept of searches, for how long, and what is not.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use fathom_providers::Clock;
use fathom_providers::call::{CallContext, CallEvent, CallKind, ChainAnswer, ChainExhausted};
use fathom_providers::search::{
    CachedAnswer, FolderSearchCache, SearchAnswer, SearchCaching, SearchChains, SearchEngine,
    SearchKind, SearchQuery,
};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use crate::world::{Answer, SearchServer, TODAY, chains, client, search, settings};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const ANSWER: &str = r#"{"searchParameters": {}, "organic": [
    {"title": "Kelp", "link": "https://example.org/kelp", "snippet": "Kelp grows."}]}"#;
const EMPTY: &str = r#"{"searchParameters": {}, "organic": []}"#;
/// The same of the second provider.
const SECOND: &str = r#"{"query": "kelp", "results": [
    {"title": "Kelp", "url": "https://example.org/kelp", "content": "Kelp grows."}]}"#;

fn json(status: u16, body: &str) -> Answer {
    Answer::new(status, "application/json", body)
}

/// A calendar that goes on when it is told to.
struct Calendar(Mutex<Timestamp>);

impl Calendar {
    fn pass(&self, hours: i64) {
        *self.0.lock().unwrap() += SignedDuration::from_hours(hours);
    }
}

#[async_trait]
impl Clock for Calendar {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    async fn sleep(&self, _time: Duration) {}
}

struct CachedSearch {
    server: SearchServer,
    calendar: Arc<Calendar>,
    folder: TempDir,
}

impl CachedSearch {
    async fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self {
            server: SearchServer::start(answers).await,
            calendar: Arc::new(Calendar(Mutex::new(Timestamp::UNIX_EPOCH))),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// Chains of a process of its own, which ask these for the web.
    fn chains(&self, engines: &[SearchEngine]) -> SearchChains {
        let mut settings = settings(self.server.port);
        settings.chains = [(SearchKind::Web, engines.to_vec())].into();
        chains(&settings, &client()).keeping(SearchCaching {
            cache: Arc::new(FolderSearchCache::new(self.folder.path().to_owned())),
            clock: self.calendar.clone(),
            kept: DAY,
        })
    }

    fn asked(&self) -> usize {
        self.server.asked().len()
    }
}

fn kelp() -> SearchQuery {
    SearchQuery::parse(SearchKind::Web, "kelp forests", TODAY).unwrap()
}

async fn anew(
    chains: &SearchChains,
    query: &SearchQuery,
) -> Result<ChainAnswer<SearchAnswer>, ChainExhausted> {
    let context = CallContext {
        kind: CallKind::Search,
        deadline: Duration::from_secs(600),
        sink: &|event: CallEvent| drop(event),
    };
    chains.search_anew(query, &context).await
}

#[tokio::test]
async fn an_answer_is_asked_for_once_within_its_time_and_again_after_it() {
    let world = CachedSearch::new([json(200, ANSWER)]).await;
    let (first, _) = search(&world.chains(&[SearchEngine::Serper]), &kelp()).await;
    let first = first.unwrap();
    assert!(!first.value.from_cache);
    world.calendar.pass(23);
    let chains = world.chains(&[SearchEngine::Serper]);
    let (kept, events) = search(&chains, &kelp()).await;
    let kept = kept.unwrap();
    assert!(kept.value.from_cache && events.is_empty());
    assert_eq!((&kept.by, kept.tried.len()), (&first.by, 0));
    assert_eq!(kept.value.hits, first.value.hits);
    assert_eq!(world.asked(), 1);
    assert!(!anew(&chains, &kelp()).await.unwrap().value.from_cache);
    world.calendar.pass(23);
    let (kept, _) = search(&chains, &kelp()).await;
    assert!(kept.unwrap().value.from_cache, "the fresh one was kept");
    world.calendar.pass(1);
    let (again, _) = search(&chains, &kelp()).await;
    assert!(!again.unwrap().value.from_cache);
    assert_eq!(world.asked(), 3);
}

#[tokio::test]
async fn blanks_make_no_other_question_but_words_and_bounds_do() {
    let world = CachedSearch::new([json(200, ANSWER)]).await;
    let chains = world.chains(&[SearchEngine::Serper]);
    search(&chains, &kelp()).await.0.unwrap();
    let same = SearchQuery::parse(
        SearchKind::Web,
        "  kelp   forests ",
        TODAY.tomorrow().unwrap(),
    )
    .unwrap();
    assert!(search(&chains, &same).await.0.unwrap().value.from_cache);
    for other in [
        SearchQuery::parse(SearchKind::Web, "kelp forest", TODAY).unwrap(),
        SearchQuery::parse(SearchKind::Web, "kelp OR forests", TODAY).unwrap(),
        kelp().with_max_results(9).unwrap(),
        kelp().with_language("de").unwrap(),
        kelp().with_years(Some(2_020), None).unwrap(),
        kelp().with_since(TODAY),
    ] {
        let (answer, _) = search(&chains, &other).await;
        assert!(!answer.unwrap().value.from_cache, "{other:?}");
    }
    assert_eq!(world.asked(), 7);
}

#[tokio::test]
async fn a_failure_is_not_remembered() {
    let world = CachedSearch::new([json(403, "{}"), json(200, ANSWER)]).await;
    assert!(
        search(&world.chains(&[SearchEngine::Serper]), &kelp())
            .await
            .0
            .is_err()
    );
    let (answer, _) = search(&world.chains(&[SearchEngine::Serper]), &kelp()).await;
    assert!(!answer.unwrap().value.from_cache);
}

#[tokio::test]
async fn an_empty_answer_or_one_of_the_second_choice_is_kept_for_an_hour_at_most() {
    let both = [SearchEngine::Serper, SearchEngine::Tavily];
    for answers in [
        vec![json(200, EMPTY)],
        vec![json(403, "{}"), json(200, SECOND), json(200, ANSWER)],
    ] {
        let asked = answers.len().min(2);
        let world = CachedSearch::new(answers).await;
        search(&world.chains(&both), &kelp()).await.0.unwrap();
        assert_eq!(world.asked(), asked);
        let (soon, _) = search(&world.chains(&both), &kelp()).await;
        assert!(soon.unwrap().value.from_cache);
        world.calendar.pass(1);
        let (later, _) = search(&world.chains(&both), &kelp()).await;
        assert!(!later.unwrap().value.from_cache);
        assert_eq!(world.asked(), asked + 1);
    }
}

#[tokio::test]
async fn a_better_provider_that_is_set_up_is_asked_at_once() {
    let world = CachedSearch::new([json(200, SECOND), json(200, ANSWER)]).await;
    let alone = world.chains(&[SearchEngine::Tavily]);
    search(&alone, &kelp()).await.0.unwrap();
    let (answer, _) = search(
        &world.chains(&[SearchEngine::Serper, SearchEngine::Tavily]),
        &kelp(),
    )
    .await;
    let answer = answer.unwrap();
    assert_eq!(
        (answer.by.as_str(), answer.value.from_cache),
        ("serper", false)
    );
}

#[tokio::test]
async fn a_damaged_file_is_as_good_as_none() {
    let world = CachedSearch::new([json(200, ANSWER)]).await;
    let chains = world.chains(&[SearchEngine::Serper]);
    search(&chains, &kelp()).await.0.unwrap();
    for file in std::fs::read_dir(world.folder.path()).unwrap() {
        std::fs::write(file.unwrap().path(), "{\"found\": {\"hits\"").unwrap();
    }
    let (answer, _) = search(&chains, &kelp()).await;
    assert!(!answer.unwrap().value.from_cache);
    let (answer, _) = search(&chains, &kelp()).await;
    assert!(answer.unwrap().value.from_cache, "it was written anew");
}

fn held(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap();
    files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum()
}

#[tokio::test]
async fn the_folder_keeps_its_bound_and_what_came_last_stays() {
    let world = CachedSearch::new([json(200, ANSWER)]).await;
    let served = search(&world.chains(&[SearchEngine::Serper]), &kelp())
        .await
        .0
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let cache = FolderSearchCache::new(folder.path().to_owned()).with_max_bytes(16_000);
    let answer = |snippet: usize| {
        let mut found = served.value.clone();
        found.hits[0].snippet = "a".repeat(snippet);
        CachedAnswer {
            found,
            by: served.by.clone(),
            first: served.by.clone(),
            kept_at: Timestamp::UNIX_EPOCH,
        }
    };
    for n in 0..100 {
        cache.put(&n.to_string(), answer(500)).await;
        assert!(held(folder.path()) <= 16_000);
    }
    assert_eq!(cache.get("99").await, Some(answer(500)));
    assert_eq!(cache.get("0").await, None);
    cache.put("large", answer(2_000)).await;
    assert_eq!(
        cache.get("large").await,
        None,
        "it would drive out the others"
    );
}
