//! From a question to a report, in its smallest form: plan → [plan review] → search → [final review] → output.
//!
//! It quotes what a search of the library finds and judges nothing.

use std::sync::Arc;
use std::time::Duration;

use fathom_workflow::interrupt::{Answer, Ask, Decision, Verdict};
use fathom_workflow::{END, Graph, GraphError, NodeError, NodeResult};
use serde_json::Value;

use crate::citations::Counts;
use crate::deps::Deps;
use crate::draft::{Draft, Section};
use crate::plan::{self, Kind, Plan, Query, QueryId, SubQuestion, SubQuestionId};
use crate::reasoner::Ctx;
use crate::report::{Confidence, Figures, Provenance, Report, Status};
use crate::source::{Source, SourceId, Work};
use crate::state::{Asked, Change, Decided, Gate, SearchOutcome, Searched, State, Update};

pub const NAME: &str = "report";

pub const PLAN: &str = "plan";
pub const PLAN_REVIEW: &str = "plan_review";
pub const SEARCH: &str = "search";
pub const WRITE: &str = "write";
pub const FINAL_REVIEW: &str = "final_review";
pub const OUTPUT: &str = "output";

pub fn graph() -> Result<Graph<State, Deps>, GraphError> {
    Graph::new(NAME)
        .node(PLAN, plan)
        .node(PLAN_REVIEW, plan_review)
        .node(SEARCH, search)
        .node(WRITE, write)
        .node(FINAL_REVIEW, final_review)
        .node(OUTPUT, output)
        .start(PLAN)
        .route(PLAN, [PLAN_REVIEW, SEARCH], |state| {
            if state.settings.people.hitl_after_planning {
                PLAN_REVIEW
            } else {
                SEARCH
            }
        })
        .route(PLAN_REVIEW, [SEARCH, END], |state| {
            if rejected(state) { END } else { SEARCH }
        })
        .edge(SEARCH, WRITE)
        .route(WRITE, [FINAL_REVIEW, OUTPUT], |state| {
            if state.settings.people.hitl_before_output {
                FINAL_REVIEW
            } else {
                OUTPUT
            }
        })
        .route(FINAL_REVIEW, [OUTPUT, END], |state| {
            if rejected(state) { END } else { OUTPUT }
        })
        .edge(OUTPUT, END)
        .phase(PLAN, |_| "planning")
        .phase(PLAN_REVIEW, |_| "planning")
        .phase(SEARCH, |_| "searching")
        .phase(WRITE, |_| "writing")
        .phase(FINAL_REVIEW, |_| "reviewing")
        .phase(OUTPUT, |_| "writing")
        .build()
}

fn rejected(state: &State) -> bool {
    state
        .decisions
        .last()
        .is_some_and(|last| last.verdict == Verdict::Reject)
}

fn update(change: Change) -> Update {
    Update {
        change,
        errors: Vec::new(),
        degraded: Vec::new(),
    }
}

async fn plan(state: &State, _: &Ctx) -> NodeResult<State> {
    let sub = |text: String| SubQuestion {
        text,
        needs: Vec::new(),
    };
    let text = state.question.text().trim_end_matches('?');
    let query = |text: String, nth| Query {
        intent: text.clone(),
        text,
        kind: Kind::Local,
        priority: 1,
        serves: SubQuestionId(nth),
    };
    let plan = Plan {
        sub_questions: vec![
            sub(format!("{text}?")),
            sub(format!("What speaks against it: {text}?")),
        ],
        queries: vec![
            query(text.to_owned(), 0),
            query(format!("doubts about {text}"), 1),
        ],
        sections: vec![plan::Section {
            title: "What the documents say".to_owned(),
            answers: vec![SubQuestionId(0), SubQuestionId(1)],
        }],
        ..Plan::default()
    };
    Ok(update(Change::Planned(Arc::new(plan))))
}

async fn plan_review(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let show = serde_json::to_value(&state.plan)?;
    let (decided, edits) = ask(ctx, Gate::Plan, show, state.settings.people.plan_review_s).await?;
    let plan = edits
        .map(serde_json::from_value::<Plan>)
        .transpose()?
        .map(Arc::new);
    Ok(update(Change::Decided {
        decided,
        plan,
        draft: None,
    }))
}

async fn final_review(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let show = serde_json::to_value(&state.draft)?;
    let (decided, edits) =
        ask(ctx, Gate::Final, show, state.settings.people.final_review_s).await?;
    let draft = edits
        .map(serde_json::from_value::<Draft>)
        .transpose()?
        .map(Arc::new);
    Ok(update(Change::Decided {
        decided,
        plan: None,
        draft,
    }))
}

/// The decision, and what is shown with the edits put in where there are any.
async fn ask(
    ctx: &Ctx,
    gate: Gate,
    mut show: Value,
    within_s: u64,
) -> Result<(Decided, Option<Value>), NodeError> {
    let ask = Ask {
        reason: "look at it before the run goes on".to_owned(),
        show: show.clone(),
        within: Some(Duration::from_secs(within_s)),
    };
    let (decision, by, at) = match ctx.ask("decision/1", ask).await? {
        Answer::Decided { decision, at } => (decision.clone(), Some(decision.by), at),
        Answer::TimedOut { at } => (Decision::new(Verdict::Reject, "deadline"), None, at),
    };
    let edits = decision
        .edits
        .filter(|_| decision.verdict == Verdict::Modify);
    let edited = edits.is_some();
    if let Some(Value::Object(edits)) = edits {
        for (name, value) in edits {
            show[name] = value;
        }
    }
    let decided = Decided {
        gate,
        verdict: decision.verdict,
        feedback: decision.feedback,
        edited,
        by,
        at,
    };
    Ok((decided, edited.then_some(show)))
}

async fn search(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let mut searched = Searched::default();
    for (id, query) in state.pending() {
        let Some(library) = &ctx.deps().library else {
            continue;
        };
        let limit = state.settings.max_results_per_query;
        let key = format!("search/{}", id.0);
        let hits = ctx
            .effect(key, |_| library.search(&query.text, limit))
            .await?;
        let outcome = match hits {
            Ok(hits) => {
                let outcome = SearchOutcome::Found {
                    provider: "library".to_owned(),
                    hits: hits.len(),
                    useful: hits.len(),
                };
                for hit in hits {
                    if searched
                        .sources
                        .iter()
                        .all(|known: &Arc<Source>| known.location != hit.name)
                    {
                        let number = u32::try_from(searched.sources.len()).unwrap_or(u32::MAX);
                        searched.sources.push(Arc::new(source(number + 1, id, hit)));
                    }
                }
                outcome
            }
            Err(fault) => SearchOutcome::Failed {
                why: fault.to_string(),
            },
        };
        searched.outcomes.push((id, outcome));
    }
    Ok(update(Change::Searched(searched)))
}

fn source(number: u32, found_by: QueryId, hit: crate::library::LocalHit) -> Source {
    Source {
        id: SourceId(number),
        kind: Kind::Local,
        location: hit.name,
        about: Work {
            title: hit.title,
            ..Work::default()
        },
        found_by: vec![found_by],
        relevance: hit.relevance,
        quality: 0.5,
        snapshot: None,
        snippet: hit.snippet,
        unread: None,
    }
}

async fn write(state: &State, _: &Ctx) -> NodeResult<State> {
    let quotes = state
        .sources
        .iter()
        .map(|source| format!("“{}” [{}]", source.snippet, source.id.0));
    Ok(update(Change::Written(Arc::new(Draft {
        version: 1,
        title: state.question.text().to_owned(),
        summary: format!("{} documents bear on the question.", state.sources.len()),
        sections: vec![Section {
            title: "What the documents say".to_owned(),
            answers: Vec::new(),
            text: quotes.collect::<Vec<_>>().join("\n\n"),
        }],
        conclusion: "Nothing was judged.".to_owned(),
        notes: Vec::new(),
    }))))
}

async fn output(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let draft = state
        .draft
        .as_deref()
        .ok_or_else(|| NodeError::new("there is no draft"))?;
    let asked = |asked: &Asked| asked.query.text.clone();
    let report = Report {
        question: state.question.clone(),
        status: match state.sources.is_empty() {
            true => Status::Partial {
                reason: "nothing was found".to_owned(),
            },
            false => Status::Complete,
        },
        confidence: Confidence::Low,
        title: draft.title.clone(),
        summary: draft.summary.clone(),
        sections: draft.sections.clone(),
        conclusion: draft.conclusion.clone(),
        sources: state
            .sources
            .iter()
            .map(|source| Source::clone(source))
            .collect(),
        citation_style: state.settings.citation_style,
        claims: Vec::new(),
        contradictions: Vec::new(),
        gaps: Vec::new(),
        figures: Figures {
            claims: Counts::default(),
            sources_found: state.sources.len(),
            words: draft.words(),
            ..Figures::default()
        },
        caveats: vec!["Nothing was judged.".to_owned()],
        critique: None,
        provenance: Provenance {
            queries: state.queries.iter().map(asked).collect(),
            steps: ctx.step(),
            drafts: 1,
            ..Provenance::default()
        },
        finished_at: ctx.now(),
    };
    Ok(update(Change::Reported(Arc::new(report))))
}
