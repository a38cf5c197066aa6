//! Finding runs again: by what they are about, and page by page.

use std::collections::HashSet;
use std::sync::Arc;

use super::fixtures::{HOUR, Writer, creation, moment};
use fathom_workflow::journal::{ListCursor, RunFilter};
use fathom_workflow::record::{Creation, RunHeader, Status};
use fathom_workflow::{Owner, Store};

const RUNS: u64 = 250;
const PAGE: usize = 40;

fn made(title: &str, workflow: &'static str, second: u64, status: Status) -> Creation {
    let mut creation = creation(title);
    creation.run.about.workflow = workflow.into();
    creation.run.about.created_at = moment(second);
    creation.run.head.status = status;
    creation
}

/// Filters, each with the titles it should find, newest first.
fn cases() -> Vec<(RunFilter, &'static [&'static str])> {
    let any = RunFilter::default;
    let status = |names: &[&str]| RunFilter {
        statuses: names.iter().map(|name| (*name).to_owned()).collect(),
        ..any()
    };
    let workflow = |name: &str| RunFilter {
        workflow: Some(name.to_owned()),
        ..any()
    };
    let text = |text: &str| RunFilter {
        text: Some(text.to_owned()),
        ..any()
    };
    let time = |from: Option<u64>, before: Option<u64>| RunFilter {
        created_from: from.map(moment),
        created_before: before.map(moment),
        ..any()
    };
    let both = RunFilter {
        text: Some("SKY".to_owned()),
        created_before: Some(moment(400)),
        statuses: vec!["pending".to_owned(), "failed".to_owned()],
        ..workflow("report")
    };
    let all: &[&str] = &["sky_high", "sky high", "100% Öl", "Why is the Sky blue?"];
    vec![
        (any(), all),
        (status(&["searching"]), &["100% Öl"]),
        (
            status(&["failed", "pending"]),
            &["sky_high", "Why is the Sky blue?"],
        ),
        (status(&["waiting"]), &[]),
        (status(&["running"]), &[]),
        (workflow("ask"), &["sky_high", "sky high"]),
        (workflow("as"), &[]),
        (time(Some(200), None), &["sky_high", "sky high", "100% Öl"]),
        (time(None, Some(200)), &["Why is the Sky blue?"]),
        (time(Some(200), Some(400)), &["sky high", "100% Öl"]),
        (
            text("sKy"),
            &["sky_high", "sky high", "Why is the Sky blue?"],
        ),
        (text("ÖL"), &["100% Öl"]),
        (text("öl"), &["100% Öl"]),
        (text("y_h"), &["sky_high"]),
        (text("0%"), &["100% Öl"]),
        (text("%"), &["100% Öl"]),
        (text(""), all),
        (text("cloud"), &[]),
        (both, &["Why is the Sky blue?"]),
    ]
}

pub async fn lists_filter_by_status_workflow_time_and_text(store: Arc<dyn Store>) {
    let mut searching = Writer::begin_with(
        &store,
        made("100% Öl", "report", 200, Status::Pending),
        HOUR,
    )
    .await;
    for creation in [
        made("sky_high", "ask", 400, Status::Failed),
        made("Why is the Sky blue?", "report", 100, Status::Pending),
        made("sky high", "ask", 300, Status::Completed),
    ] {
        Writer::begin_with(&store, creation, HOUR).await;
    }
    // Its status is the one of its last append.
    searching.take_steps(1).await;

    for (filter, wanted) in cases() {
        let page = store.list(&filter).await.unwrap();
        let titles: Vec<&str> = page.runs.iter().map(|r| r.about.title.as_str()).collect();
        assert_eq!(titles, wanted, "{filter:?}");
        assert_eq!(page.next, None, "{filter:?}");
        assert!(page.damaged.is_empty(), "{filter:?}");
    }
    let filter = RunFilter {
        workflow: Some("report".to_owned()),
        limit: 1,
        ..RunFilter::default()
    };
    let page = store.list(&filter).await.unwrap();
    let (header, _) = store.head(searching.run).await.unwrap();
    assert_eq!(page.runs, [header], "a listed header is the whole header");
}

/// Reads all pages of `filter`, each of which must be full but the last.
async fn pages(store: &Arc<dyn Store>, mut filter: RunFilter) -> Vec<RunHeader> {
    let mut runs: Vec<RunHeader> = Vec::new();
    loop {
        let page = store.list(&filter).await.unwrap();
        runs.extend(page.runs.clone());
        let Some(next) = page.next else { return runs };
        assert_eq!(page.runs.len(), filter.page_size(), "a full page");
        let last = page.runs.last().map(|run| ListCursor {
            created_at: run.about.created_at,
            id: run.id(),
        });
        assert_eq!(Some(next), last, "the next page begins after the last run");
        filter.after = Some(next);
    }
}

pub async fn pages_hold_every_run_once(store: Arc<dyn Store>) {
    let owner = Owner::unique();
    for number in 0..RUNS {
        // Several runs share a moment, and they are not created in the order of their moments.
        let second = (number * 7 % RUNS) / 4;
        let workflow = if number < PAGE as u64 {
            "report"
        } else {
            "ask"
        };
        let creation = made("one of many", workflow, second, Status::Pending);
        store.create(creation, &owner, HOUR).await.unwrap();
    }
    let all = RunFilter {
        limit: PAGE,
        ..RunFilter::default()
    };
    let runs = pages(&store, all.clone()).await;
    assert_eq!(runs.len() as u64, RUNS, "every run");
    let ids: HashSet<_> = runs.iter().map(RunHeader::id).collect();
    assert_eq!(ids.len() as u64, RUNS, "once");
    let newest_first = runs.is_sorted_by_key(|r| std::cmp::Reverse((r.about.created_at, r.id())));
    assert!(newest_first, "the newest first, equal moments by id");

    let exact = RunFilter {
        workflow: Some("report".to_owned()),
        ..all
    };
    let page = store.list(&exact).await.unwrap();
    assert_eq!((page.runs.len(), page.next), (PAGE, None), "no empty page");
    let filtered = RunFilter { limit: 7, ..exact };
    assert_eq!(
        pages(&store, filtered).await,
        page.runs,
        "with a filter too"
    );
    let page = store.list(&RunFilter::default()).await.unwrap();
    assert_eq!(page.runs, runs[..RunFilter::DEFAULT_LIMIT]);
}
