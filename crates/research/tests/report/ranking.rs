//! Passages ranked by an encoder: recorded with the run, cached in the process, and never a reason to end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use fathom_evidence::Language;
use fathom_evidence::extract::InProcessReader;
use fathom_providers::SystemClock;
use fathom_research::reasoner::{Ctx, Reasoners};
use fathom_research::skills::rank::passage_scores;
use fathom_research::{DocumentCache, Encoder, EncoderKind, LocalEncoder, ServiceFaults, Services};
use fathom_workflow::{
    END, Engine, Graph, InvalidUpdate, MemoryStore, NewRun, NodeResult, RunId, State, Store,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::folder::Examples;

/// Counts letters, and what it was asked; fails where a text has an exclamation mark.
#[derive(Default)]
struct Letters {
    calls: AtomicUsize,
    texts: Mutex<Vec<String>>,
}

impl LocalEncoder for Letters {
    fn encode_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let mut asked = self.texts.lock().unwrap();
        asked.extend(texts.iter().map(|text| (*text).to_owned()));
        if texts.iter().any(|text| text.contains('!')) {
            return Err("it is loud".to_owned());
        }
        let count = |text: &str, c| text.chars().filter(|other| *other == c).count() as f32;
        Ok(texts
            .iter()
            .map(|text| vec![count(text, 'a'), count(text, 'b')])
            .collect())
    }

    fn reads(&self, language: Language) -> bool {
        language.code() != "de"
    }
}

#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct RankedAsking {
    questions: Vec<String>,
    answers: Vec<Value>,
}

impl State for RankedAsking {
    type Update = Vec<Value>;

    fn apply(&mut self, answers: &Vec<Value>) -> Result<(), InvalidUpdate> {
        self.answers.clone_from(answers);
        Ok(())
    }
}

const PASSAGES: [&str; 3] = ["ab", "b", "aaa"];

async fn ask(state: &RankedAsking, ctx: &Ctx) -> NodeResult<RankedAsking> {
    let mut answers = Vec::new();
    for question in &state.questions {
        answers.push(match passage_scores(ctx, 2, question, &PASSAGES).await? {
            Ok(scored) => json!(scored),
            Err(degradation) => json!(degradation),
        });
    }
    Ok(answers)
}

fn engine(
    store: &Arc<MemoryStore>,
    model: Option<&Arc<Letters>>,
) -> Engine<RankedAsking, Services> {
    let encoder = model.map(|model| {
        let kind = EncoderKind::Local(Arc::clone(model) as Arc<dyn LocalEncoder>);
        Arc::new(Encoder::new(
            "letters",
            kind,
            Arc::new(SystemClock::default()),
        ))
    });
    let services = Services {
        reasoners: Reasoners::new(None),
        libraries: Arc::new(Examples::default()),
        web: None,
        reader: Arc::new(InProcessReader),
        encoder,
        documents: DocumentCache::default(),
        faults: ServiceFaults::default(),
    };
    let graph = Graph::new("ranking").node("ask", ask).start("ask");
    let graph = graph.edge("ask", END).build().unwrap();
    Engine::new(
        graph,
        Arc::clone(store) as Arc<dyn Store>,
        Arc::new(services),
    )
}

async fn answers(
    engine: &Engine<RankedAsking, Services>,
    questions: &[&str],
) -> (RunId, Vec<Value>) {
    let state = RankedAsking {
        questions: questions.iter().map(|text| (*text).to_owned()).collect(),
        answers: Vec::new(),
    };
    let mut execution = engine
        .start(NewRun::titled("ranking"), state)
        .await
        .unwrap();
    execution.run().await.unwrap();
    (execution.id(), execution.state().answers.clone())
}

#[tokio::test]
async fn passages_are_scored_as_far_as_the_settings_allow_and_each_text_is_encoded_once() {
    let (store, model) = (Arc::default(), Arc::new(Letters::default()));
    let engine = engine(&store, Some(&model));
    let (_, given) = answers(&engine, &["a", "bb"]).await;
    let scores = |nth: usize| given[nth]["scores"].as_array().unwrap().clone();
    assert_eq!(given[0]["model"], "letters");
    assert!((scores(0)[0].as_f64().unwrap() - 0.5_f64.sqrt()).abs() < 1e-6);
    assert_eq!(scores(0)[1], 0.0);
    assert_eq!((scores(1).len(), &scores(1)[1]), (2, &json!(1.0)));
    assert_eq!(*model.texts.lock().unwrap(), ["a", "ab", "b", "bb"]);
}

#[tokio::test]
async fn a_replay_gives_the_recorded_scores_whatever_is_installed_by_then() {
    let (store, model) = (Arc::default(), Arc::new(Letters::default()));
    let (with, without) = (engine(&store, Some(&model)), engine(&store, None));
    let (scored, given) = answers(&with, &["a"]).await;
    let calls = model.calls.load(Ordering::Relaxed);
    for engine in [&with, &without] {
        let replayed = engine.replay(scored).await.unwrap();
        assert_eq!(replayed.state.answers, given);
    }
    let (unscored, given) = answers(&without, &["a"]).await;
    assert_eq!(given, [Value::Null]);
    let replayed = with.replay(unscored).await.unwrap();
    assert_eq!(replayed.state.answers, [Value::Null]);
    assert_eq!(model.calls.load(Ordering::Relaxed), calls);
}

#[tokio::test]
async fn an_encoder_that_fails_costs_its_opinion_and_not_the_run() {
    let (store, model) = (Arc::default(), Arc::new(Letters::default()));
    let engine = engine(&store, Some(&model));
    let (_, given) = answers(&engine, &["a!", "b"]).await;
    assert_eq!(given[0], json!({"encoder_failed": {"why": "it is loud"}}));
    assert_eq!(given[1]["model"], "letters");
}

#[tokio::test]
async fn an_encoder_is_not_asked_in_a_language_that_it_was_not_made_for() {
    let (store, model) = (Arc::default(), Arc::new(Letters::default()));
    let engine = engine(&store, Some(&model));
    let question = "Wie viele Festplatten dürfen in diesem Verbund ausfallen?";
    let (_, given) = answers(&engine, &[question]).await;
    assert_eq!(given, [Value::Null]);
    assert_eq!(model.calls.load(Ordering::Relaxed), 0);
}
