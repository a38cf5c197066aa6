//! The report workflow with a scripted model, search engine and web, all on loopback.

use std::sync::Arc;
use std::time::Duration;

use fathom_evidence::extract::InProcessReader;
use fathom_providers::call::Caller;
use fathom_providers::fetch::{AllowList, FetchLimits, FetchNetwork, Fetcher};
use fathom_providers::model::{self, ModelApi, ModelEndpoint, Models};
use fathom_providers::pages::{MemoryPageCache, PageDeps, PageSettings, Pages};
use fathom_providers::search::{self, SearchChains};
use fathom_providers::works::{WorkSettings, Works};
use fathom_providers::{BaseUrl, ClientSettings, Clock, HttpClient, SystemClock, call};
use fathom_render::Report;
use fathom_render::report::ReportStatus;
use fathom_research::reasoner::Reasoners;
use fathom_research::reasoner::model::ModelReasoner;
use fathom_research::workflows::report;
use fathom_research::{
    DocumentCache, Question, ReportState, ServiceFaults, Services, Settings, WebServices,
};
use fathom_testworld::{Judgement, Page, Reply, Script, Stage};
use fathom_workflow::event::EventKind;
use fathom_workflow::record::Status as RunStatus;
use fathom_workflow::{Engine, ManualClock, MemoryStore, NewRun, Store};
use futures::StreamExt;
use jiff::Timestamp;
use jiff::civil::date;
use rand::SeedableRng;
use rand::rngs::StdRng;

fn pages() -> Vec<Page> {
    let page = |title: &str, text: &str| Page {
        title: title.to_owned(),
        text: text.to_owned(),
    };
    vec![
        page(
            "Street trees and cooling",
            "Street trees lowered the afternoon air temperature by 1.9 degrees in the trial of Halvern. \
             The cooling was strongest in streets with closed canopy.",
        ),
        page(
            "Water for street trees",
            "Young street trees need 120 litres of water a week in their first summer. \
             Without that water, a third of the street trees died.",
        ),
        page(
            "What street trees cost",
            "The cost of one street tree over forty years was 2,100 euros in Dunmere. \
             Maintenance makes up most of the cost of street trees.",
        ),
    ]
}

fn services(stage: &Stage) -> Services {
    let client = HttpClient::new(ClientSettings::default()).unwrap();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let mut settings = call::CallSettings::default();
    settings.retry.backoff_base = std::time::Duration::from_millis(1);
    let rng = Box::new(StdRng::seed_from_u64(7));
    let caller = Arc::new(Caller::new(settings, Arc::clone(&clock), rng));
    let address = BaseUrl::parse(&stage.model_url()).unwrap();
    let endpoint = ModelEndpoint::new(ModelApi::OpenAi, address, None);
    let models = Models::new(
        &client,
        Arc::clone(&caller),
        model::ModelSettings::new(vec![endpoint]),
    );
    let searched = search::SearchSettings::from_lookup(|name| match name {
        "FATHOM_SEARXNG_URL" => Some(stage.search_url()),
        "FATHOM_SEARCH_WEB" => Some("searxng".to_owned()),
        _ => None,
    });
    let fetcher = Fetcher::new(
        FetchNetwork::system().unwrap(),
        AllowList::parse(&stage.fetch_allow()).unwrap(),
        FetchLimits::default(),
    );
    let read = PageDeps {
        fetcher,
        caller: Arc::clone(&caller),
        clock: Arc::clone(&clock),
        cache: Arc::new(MemoryPageCache::default()),
    };
    Services {
        reasoners: Reasoners::new(Some(ModelReasoner::new(
            Arc::new(models),
            Arc::clone(&clock),
            "scripted",
        ))),
        libraries: Arc::new(crate::folder::Examples::default()),
        web: Some(WebServices {
            works: Arc::new(works(stage, &client, Arc::clone(&caller))),
            search: Arc::new(SearchChains::new(&searched.unwrap(), &client, caller)),
            pages: Arc::new(Pages::new(read, PageSettings::default())),
            clock,
        }),
        reader: Arc::new(InProcessReader),
        encoder: None,
        documents: DocumentCache::default(),
        faults: ServiceFaults::default(),
    }
}

fn works(stage: &Stage, client: &HttpClient, caller: Arc<Caller>) -> Works {
    let settings = WorkSettings {
        crossref: BaseUrl::parse(&stage.crossref_url()).unwrap(),
        datacite: BaseUrl::parse(&stage.datacite_url()).unwrap(),
        ..WorkSettings::default()
    };
    Works::new(client.clone(), caller, settings)
}

async fn run(script: Script) -> (Arc<Report>, Stage) {
    run_with(script, Settings::default()).await
}

fn state(settings: Settings) -> ReportState {
    let question = "What is known about street trees?";
    let question = Question::parse(question, date(2026, 11, 16)).unwrap();
    ReportState::new(question, settings, Timestamp::now())
}

fn capped(tokens: u64) -> Settings {
    let mut settings = Settings::default();
    settings.caps.tokens = Some(tokens);
    settings
}

async fn run_with(script: Script, settings: Settings) -> (Arc<Report>, Stage) {
    let stage = Stage::open(script).await.unwrap();
    let services = Arc::new(services(&stage));
    let engine = Engine::new(
        report::graph().unwrap(),
        Arc::new(MemoryStore::default()),
        services,
    );
    let mut execution = engine
        .start(NewRun::titled("trees"), state(settings))
        .await
        .unwrap();
    execution.run().await.unwrap();
    let replayed = engine.replay(execution.id()).await.unwrap();
    assert!(replayed.steps > 0);
    (execution.state().report.clone().unwrap(), stage)
}

fn count(stage: &Stage, judgement: &str) -> usize {
    let calls = stage.calls();
    calls
        .iter()
        .filter(|call| call.key.starts_with(judgement))
        .count()
}

#[tokio::test]
async fn a_model_plans_weighs_writes_and_reviews_and_each_call_is_made_once() {
    let (report, stage) = run(Script::sensible(pages())).await;
    println!("{:#?}", report.method);
    assert_eq!(
        report.status,
        ReportStatus::Complete,
        "{:?}",
        report.caveats
    );
    assert_eq!(report.sources.len(), 3);
    assert_eq!(
        report.figures.claims.supported,
        report.figures.claims.claims
    );
    assert!(report.figures.tokens > 0);
    for (judgement, calls) in [
        ("Rephrase", 1),
        ("Plan", 1),
        ("Relevance", 1),
        ("Analysis", 1),
        ("Sentences", 1),
        ("Section", 3),
        ("Frame", 2),
        ("Review", 1),
    ] {
        assert_eq!(count(&stage, judgement), calls, "{judgement}");
    }
    let repeated: Vec<_> = stage
        .calls()
        .into_iter()
        .filter(|call| call.repeats > 0)
        .collect();
    assert!(repeated.is_empty(), "{repeated:?}");
}

#[tokio::test]
async fn a_draft_is_revised_once_and_then_approved() {
    let script = Script::sensible(pages()).answering(|prompt, before| {
        (prompt.judgement == Judgement::Review && before == 0).then(|| Reply::review(6.0))
    });
    let (report, stage) = run(script).await;
    assert_eq!(report.status, ReportStatus::Complete);
    assert_eq!(report.method.drafts, 2);
    assert_eq!((count(&stage, "Section"), count(&stage, "Review")), (6, 2));
}

#[tokio::test]
async fn a_draft_that_never_passes_ends_as_a_partial_report() {
    let script = Script::sensible(pages()).always(Judgement::Review, Reply::review(6.0));
    let (report, stage) = run(script).await;
    assert!(report.is_partial());
    assert_eq!((report.method.drafts, count(&stage, "Review")), (4, 4));
}

#[tokio::test]
async fn a_model_that_is_down_leaves_the_work_to_the_extractive_reasoner_and_the_report_says_so() {
    let down = Reply::Status(500, serde_json::json!({ "error": { "message": "down" } }));
    let script = Script::sensible(pages()).answering(move |_, _| Some(down.clone()));
    let (report, _) = run(script).await;
    assert!(!report.caveats.is_empty());
    assert!(
        report
            .caveats
            .iter()
            .any(|caveat| caveat.contains("extractive")),
        "{:?}",
        report.caveats
    );
    assert_eq!(
        report.figures.claims.supported,
        report.figures.claims.claims
    );
}

#[tokio::test]
async fn without_any_search_the_report_says_that_nothing_could_be_found() {
    let (report, _) = run(Script::sensible(pages()).without_search()).await;
    let ReportStatus::Partial { reason } = &report.status else {
        panic!("it cannot be complete")
    };
    assert_eq!(reason, "every search failed");
    assert!(
        report
            .caveats
            .iter()
            .any(|caveat| caveat.contains("Search capabilities were limited: some searches failed"))
    );
}

#[tokio::test]
async fn a_retracted_work_is_told_and_the_register_fills_in_its_reference() {
    let record = serde_json::json!({
        "DOI": "10.5555/trees",
        "title": ["Street trees and cooling"],
        "author": [{ "given": "Ada", "family": "Oak" }],
        "issued": { "date-parts": [[2019, 3]] },
        "container-title": ["Journal of Shade"],
        "updated-by": [{ "type": "retraction", "DOI": "10.5555/notice" }],
    });
    let script = Script::sensible(pages())
        .with_work(0, "10.5555/trees", Some(record))
        .with_work(1, "10.5555/unknown", None);
    let (report, stage) = run(script).await;
    assert_eq!(report.status, ReportStatus::Complete);
    let by_doi = |doi: &str| {
        let mut sources = report.sources.iter();
        sources.find(|source| source.doi.as_deref() == Some(doi))
    };
    let retracted = by_doi("10.5555/trees").unwrap();
    assert!(retracted.retracted);
    assert_eq!(retracted.authors, ["Ada Oak"]);
    assert_eq!(retracted.published.as_deref(), Some("2019-03"));
    assert_eq!(retracted.venue.as_deref(), Some("Journal of Shade"));
    let caveat = format!("One cited source was retracted [{}].", retracted.number.0);
    assert_eq!(report.caveats, [caveat]);
    let text = fathom_render::markdown::markdown(&report, &Default::default());
    assert!(text.contains("**Retracted.**"), "{text}");
    // The register refuses the other work, which costs nothing but what it would have said.
    assert!(!by_doi("10.5555/unknown").unwrap().retracted);
    let asked = |call: &&fathom_testworld::Call| call.kind == "work";
    assert_eq!(stage.calls().iter().filter(asked).count(), 2);
}

#[tokio::test]
async fn no_work_is_looked_up_where_settings_allow_none() {
    let settings = Settings {
        max_work_lookups: 0,
        ..Settings::default()
    };
    let script = Script::sensible(pages()).with_work(0, "10.5555/trees", None);
    let (_, stage) = run_with(script, settings).await;
    assert!(stage.calls().iter().all(|call| call.kind != "work"));
}

#[tokio::test]
async fn a_prompt_too_long_for_the_model_is_cut_and_asked_again() {
    let long = serde_json::json!({ "error": { "code": "context_length_exceeded", "message": "too long" } });
    let script = Script::sensible(pages()).answering(move |prompt, before| {
        let first = prompt.judgement == Judgement::Analysis && before == 0;
        first.then(|| Reply::Status(400, long.clone()))
    });
    let (report, stage) = run(script).await;
    assert_eq!(report.status, ReportStatus::Complete);
    assert_eq!(count(&stage, "Analysis"), 2);
}

#[tokio::test]
async fn a_model_that_lies_about_its_sources_does_not_get_its_lies_printed() {
    let lie = "Street trees lowered the afternoon air temperature by 9.9 degrees in the trial of Halvern.";
    let other = "Elephants plant most street trees in Dunmere and water them at night [44].";
    let lies = Reply::sentences(&[(&[1], lie), (&[44], other)]);
    let script = Script::sensible(pages()).always(Judgement::Section, lies);
    let (report, _) = run(script).await;
    for section in &report.sections {
        assert!(!section.text.contains("9.9"), "{}", section.text);
        assert!(!section.text.contains("Elephants"), "{}", section.text);
    }
}

#[tokio::test]
async fn calls_that_fit_under_a_cap_run_together() {
    let script = Script::sensible(pages()).taking(Duration::from_millis(50));
    let (report, stage) = run_with(script, capped(1_000_000)).await;
    assert_eq!(report.status, ReportStatus::Complete);
    let calls = stage.calls();
    let sections: Vec<_> = calls
        .iter()
        .filter(|call| call.key.starts_with("Section"))
        .collect();
    let last_began = sections.iter().map(|call| call.began).max().unwrap();
    let first_ended = sections.iter().filter_map(|call| call.answered).min();
    assert!(last_began < first_ended.unwrap(), "{sections:?}");
}

#[tokio::test]
async fn a_cap_is_passed_by_one_call_at_most() {
    const CAP: u64 = 1_000;
    let long = "Street trees cool the air. ".repeat(100);
    let costs = 160 + long.len() as u64 / 4;
    let long = Reply::sentences(&[(&[1], &long)]);
    let script = Script::sensible(pages()).always(Judgement::Section, long);
    let (report, _) = run_with(script, capped(CAP)).await;
    assert!(report.figures.tokens >= CAP, "{}", report.figures.tokens);
    assert!(
        report.figures.tokens <= CAP + costs,
        "{}",
        report.figures.tokens
    );
}

#[tokio::test]
async fn what_a_crashed_step_has_spent_counts_under_the_cap() {
    let long = "word ".repeat(14_000);
    let script = Script::sensible(pages()).answering(move |prompt, before| {
        match (prompt.judgement, before) {
            (Judgement::Section, 0) => Some(Reply::sentences(&[(&[1], &long)])),
            (Judgement::Section, 1 | 2) => Some(Reply::Hangs),
            _ => None,
        }
    });
    let stage = Stage::open(script).await.unwrap();
    let clock = Arc::new(ManualClock::at(Timestamp::now()));
    let store = Arc::new(MemoryStore::with_clock(clock.clone()));
    let engine = || {
        Engine::with(
            report::graph().unwrap(),
            store.clone() as Arc<dyn Store>,
            Arc::new(services(&stage)),
            clock.clone(),
            fathom_workflow::RuntimeSettings::default(),
        )
    };
    let before = engine();
    let new = NewRun::titled("trees");
    let mut execution = before.start(new, state(capped(16_000))).await.unwrap();
    let run = execution.id();
    let mut events = Box::pin(before.runtime().events(run, 0));
    let paid = async {
        while let Some(event) = events.next().await {
            if let EventKind::EffectFinished { key, .. } = &event.unwrap().kind
                && key.starts_with("section/")
            {
                break;
            }
        }
    };
    tokio::select! {
        _ = execution.run() => panic!("a section hangs"),
        () = paid => {}
    }
    let made = count(&stage, "Section");
    drop((execution, before));
    clock.advance(Duration::from_secs(60));
    let after = engine();
    after.open(run).await.unwrap().run().await.unwrap();
    assert_eq!(
        count(&stage, "Section"),
        made,
        "the cap was reached before the crash"
    );
}

fn pages_read(stage: &Stage) -> usize {
    let calls = stage.calls();
    calls.iter().filter(|call| call.kind == "page").count()
}

fn searches(stage: &Stage) -> usize {
    let calls = stage.calls();
    calls.iter().filter(|call| call.kind == "search").count()
}

#[tokio::test]
async fn two_runs_at_once_read_each_page_once() {
    let script = Script::sensible(pages()).taking(Duration::from_millis(20));
    let stage = Stage::open(script).await.unwrap();
    let store = Arc::new(MemoryStore::default());
    let engine = Engine::new(report::graph().unwrap(), store, Arc::new(services(&stage)));
    let run = || async {
        let new = NewRun::titled("trees");
        let started = engine.start(new, state(Settings::default())).await;
        let mut execution = started.unwrap();
        execution.run().await.unwrap();
        execution.state().report.clone().unwrap()
    };
    let (one, other) = tokio::join!(run(), run());
    assert_eq!(one.status, ReportStatus::Complete, "{:?}", one.caveats);
    assert_eq!(other.status, ReportStatus::Complete, "{:?}", other.caveats);
    assert_eq!((one.sources.len(), other.sources.len()), (3, 3));
    assert_eq!(pages_read(&stage), 3, "{:?}", stage.calls());
}

#[tokio::test]
async fn a_breaker_that_one_run_has_opened_spares_the_other_its_calls() {
    let stage = Stage::open(Script::sensible(pages()).without_search())
        .await
        .unwrap();
    let store = Arc::new(MemoryStore::default());
    let engine = Engine::new(report::graph().unwrap(), store, Arc::new(services(&stage)));
    let mut made = Vec::new();
    for _ in 0..2 {
        let new = NewRun::titled("trees");
        let started = engine.start(new, state(Settings::default())).await;
        let mut execution = started.unwrap();
        execution.run().await.unwrap();
        assert!(execution.state().report.as_ref().unwrap().is_partial());
        made.push(searches(&stage));
    }
    assert!(made[0] > 0);
    assert_eq!(made[0], made[1], "the second run made no search");
}

#[tokio::test]
async fn a_model_that_asks_for_five_minutes_parks_the_run_until_then() {
    let script = Script::sensible(pages()).answering(|prompt, before| {
        (prompt.judgement == Judgement::Analysis && before == 0).then_some(Reply::Later(300))
    });
    let stage = Stage::open(script).await.unwrap();
    let clock = Arc::new(ManualClock::at(Timestamp::now()));
    let store = Arc::new(MemoryStore::with_clock(clock.clone()));
    let engine = || {
        Engine::with(
            report::graph().unwrap(),
            store.clone() as Arc<dyn Store>,
            Arc::new(services(&stage)),
            clock.clone(),
            fathom_workflow::RuntimeSettings::default(),
        )
    };
    let new = NewRun {
        time_limit: Some(Duration::from_secs(1800)),
        ..NewRun::titled("trees")
    };
    let id = new.id;
    let before = engine();
    let mut execution = before.start(new, state(Settings::default())).await.unwrap();
    let outcome = execution.run().await.unwrap();
    assert_eq!(outcome.status, RunStatus::Waiting);
    drop((execution, before));
    clock.advance(Duration::from_secs(310));
    // Another process, so that nothing but the log remembers.
    let after = engine();
    assert_eq!(
        after.open(id).await.unwrap().run().await.unwrap().status,
        RunStatus::Completed
    );
    let report = after.view(id, None).await.unwrap().state.report.unwrap();
    assert_eq!(
        report.status,
        ReportStatus::Complete,
        "{:?}",
        report.caveats
    );
    assert_eq!(count(&stage, "Analysis"), 2);
    assert_eq!(report.method.reasoners, ["scripted"]);
}
