//! The report workflow over the example library, without a model and without a network.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests may panic and print what they saw"
)]

mod folder;
mod ranking;
mod waiting;
mod world;

use std::sync::Arc;
use std::time::Instant;

use fathom_evidence::extract::InProcessReader;
use fathom_render::Report;
use fathom_render::report::ReportStatus;
use fathom_research::reasoner::Reasoners;
use fathom_research::workflows::report;
use fathom_research::{DocumentCache, Question, ReportState, ServiceFaults, Services, Settings};
use fathom_workflow::{BlobHash, Engine, MemoryStore, NewRun, Store};
use jiff::Timestamp;
use jiff::civil::date;

use folder::Examples;

struct Ran {
    report: Arc<Report>,
    store: Arc<MemoryStore>,
}

async fn run(question: &str) -> Ran {
    let services = Services {
        reasoners: Reasoners::new(None),
        libraries: Arc::new(Examples::default()),
        web: None,
        reader: Arc::new(InProcessReader),
        encoder: None,
        documents: DocumentCache::default(),
        faults: ServiceFaults::default(),
    };
    let store = Arc::new(MemoryStore::default());
    let engine = Engine::new(
        report::graph().unwrap(),
        store.clone() as Arc<dyn Store>,
        Arc::new(services),
    );
    let question = Question::parse(question, date(2026, 11, 16)).unwrap();
    let state = ReportState::new(
        question.clone(),
        folder::on_examples(Settings::default()),
        Timestamp::now(),
    );
    let mut execution = engine
        .start(NewRun::titled(question.text()), state)
        .await
        .unwrap();
    let begun = Instant::now();
    let outcome = execution.run().await.unwrap();
    println!("{} in {:?}", outcome.status, begun.elapsed());
    let replayed = engine.replay(execution.id()).await.unwrap();
    println!(
        "replayed {} steps and {} answers",
        replayed.steps, replayed.answers
    );
    let report = execution.state().report.clone().unwrap();
    Ran { report, store }
}

async fn text(store: &MemoryStore, hash: BlobHash) -> String {
    let bytes = store.blob(hash).await.unwrap().unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test]
async fn a_question_over_a_folder_ends_in_a_complete_report_whose_every_quote_is_in_its_file() {
    let ran = run("How much do street trees lower the air temperature in summer?").await;
    let report = &ran.report;
    println!(
        "{:#?}\n{:#?}\n{}\n\n{}",
        report.figures,
        report.review.as_ref().map(|c| (c.score, &c.items)),
        report.title,
        report.summary
    );
    for section in &report.sections {
        println!("\n## {}\n\n{}", section.title, section.text);
    }
    println!("\n## Conclusion\n\n{}", report.conclusion);
    assert_eq!(report.status, ReportStatus::Complete);
    assert!(report.figures.claims.supported > 5);
    assert_eq!(
        report.figures.claims.supported,
        report.figures.claims.claims
    );
    let shown = fathom_render::markdown::markdown(report, &Default::default());
    assert!(shown.contains("no model judged the meaning"));
    let mut quotes = 0;
    for proof in report.claims.iter().flat_map(|claim| &claim.proofs) {
        let hash = proof.snapshot.as_ref().unwrap().parse().unwrap();
        let stored = text(&ran.store, hash).await;
        assert_eq!(&stored[proof.start..proof.end], proof.quote);
        quotes += 1;
    }
    assert!(quotes > 5);
}
