//! A plan from the question's own words: its kind tells what to ask, in which order, under which titles.

use std::collections::BTreeSet;

use fathom_evidence::phrases::phrases;
use fathom_evidence::question::{self, PlanHints, QuestionKind as Asks, QuestionReading};

use crate::plan::{
    Plan, PlanTrace, PlannedSection, Query, SUB_QUESTIONS_MOST, SourceKind, SubQuestion,
    SubQuestionId,
};
use crate::question::{AskedDepth, Depth};
use crate::reasoner::PlanTask;

/// A plan has so many queries, as far as the depth allows.
const QUERIES_MOST: usize = 15;

/// A question of fewer telling words is broad.
const NARROW_FROM_WORDS: usize = 3;

/// Key phrases of a person's feedback that join its query.
const FEEDBACK_PHRASES: usize = 4;

/// How sure a plan is whose question was understood, and one whose kind is not known.
const CONFIDENCE: f64 = 0.8;
const CONFIDENCE_UNKNOWN: f64 = 0.5;
const WARNING_COST: f64 = 0.1;

/// Plans how a question is answered. The same task gives the same plan.
pub fn plan(task: &PlanTask<'_>) -> Plan {
    let question = task.question;
    let reading = question::read(question.text());
    let hints = PlanHints {
        domain: question.domain.clone(),
        context: question.context.clone().unwrap_or_default(),
    };
    let outline = question::plan(&reading, &hints);
    let mut plan = Plan::default();
    for sub in &outline.sub_questions {
        plan.sub_questions.push(SubQuestion {
            text: sub.text.clone(),
            needs: sub.needs.iter().map(|at| id(*at)).collect(),
        });
    }
    for section in &outline.sections {
        plan.sections.push(PlannedSection {
            title: section.title.clone(),
            answers: section.answers.iter().map(|at| id(*at)).collect(),
        });
    }
    let mut asks: Vec<Vec<String>> = outline
        .sub_questions
        .iter()
        .map(|sub| sub.queries.clone())
        .collect();
    let besides = task
        .feedback
        .and_then(|said| take_feedback(said, &mut plan));
    if let Some(query) = besides {
        asks.truncate(plan.sub_questions.len() - 1);
        asks.push(vec![query]);
    }
    if question.depth == AskedDepth::Auto {
        plan.depth = Some(super::depth(question.text()));
    }
    let depth = question.depth.or(plan.depth);
    let kinds = kinds(depth, task.kinds);
    plan.queries = queries(&plan, &asks, &kinds, depth);
    plan.warnings = warnings(&reading);
    let sure = match reading.kind {
        Asks::Other => CONFIDENCE_UNKNOWN,
        _ => CONFIDENCE,
    };
    plan.confidence = (sure - WARNING_COST * plan.warnings.len() as f64).max(0.1);
    plan.methodology = methodology(&kinds);
    plan.trace = trace(&reading, &plan, &kinds);
    plan
}

fn id(at: usize) -> SubQuestionId {
    SubQuestionId(u32::try_from(at).unwrap_or(u32::MAX))
}

/// What a person asked for in plain words becomes the last sub-question, and its key phrases a query.
fn take_feedback(said: &str, plan: &mut Plan) -> Option<String> {
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = phrases(&[&said], FEEDBACK_PHRASES);
    let keys: Vec<&str> = found.iter().map(|phrase| phrase.text.as_str()).collect();
    if keys.is_empty() {
        return None;
    }
    plan.sub_questions.truncate(SUB_QUESTIONS_MOST - 1);
    let kept = plan.sub_questions.len();
    plan.sections
        .retain(|section| section.answers.iter().all(|at| (at.0 as usize) < kept));
    let text = if said.ends_with('?') {
        said.clone()
    } else {
        format!("What do the sources say on {}?", keys.join(", "))
    };
    plan.sub_questions.push(SubQuestion {
        text,
        needs: Vec::new(),
    });
    plan.sections.push(PlannedSection {
        title: "What was asked for besides".to_owned(),
        answers: vec![id(kept)],
    });
    Some(keys.join(" "))
}

/// Where to search: by depth as far as there is anything to search there; else wherever there is.
fn kinds(depth: Depth, available: &[SourceKind]) -> Vec<SourceKind> {
    let wanted: &[SourceKind] = match depth {
        Depth::Quick => &[SourceKind::Local, SourceKind::Web],
        Depth::Standard => &[SourceKind::Local, SourceKind::Web, SourceKind::Academic],
        Depth::Comprehensive => &[
            SourceKind::Local,
            SourceKind::Web,
            SourceKind::Academic,
            SourceKind::News,
        ],
    };
    let fit: Vec<SourceKind> = wanted
        .iter()
        .copied()
        .filter(|kind| available.contains(kind))
        .collect();
    match (fit.is_empty(), available.is_empty()) {
        (false, _) => fit,
        (true, false) => available.to_vec(),
        (true, true) => vec![SourceKind::Web],
    }
}

/// Queries in turns: first one for each sub-question, then a second kind or wording for each, as
/// far as the depth allows.
fn queries(plan: &Plan, asks: &[Vec<String>], kinds: &[SourceKind], depth: Depth) -> Vec<Query> {
    let most = depth.bounds().queries.min(QUERIES_MOST);
    let rounds = asks.iter().map(Vec::len).max().unwrap_or(0);
    let mut seen = BTreeSet::new();
    let mut queries = Vec::new();
    let turns = (0..rounds).flat_map(|wording| kinds.iter().map(move |kind| (wording, *kind)));
    for (wording, kind) in turns {
        for (nth, own) in asks.iter().enumerate() {
            let Some(text) = own.get(wording).filter(|text| !text.is_empty()) else {
                continue;
            };
            let intent = plan.sub_questions.get(nth).map(|sub| sub.text.clone());
            if queries.len() < most && seen.insert((kind, text.to_lowercase())) {
                queries.push(Query {
                    text: text.clone(),
                    intent: intent.unwrap_or_default(),
                    kind,
                    priority: u8::try_from(nth + 1).unwrap_or(5).clamp(1, 5),
                    serves: id(nth),
                });
            }
        }
    }
    queries
}

fn warnings(reading: &QuestionReading) -> Vec<String> {
    let mut warnings = Vec::new();
    let text = reading.question.trim_end_matches(['?', ' ']);
    let words = text
        .split_whitespace()
        .filter(|word| word.len() > 3)
        .count();
    if words < NARROW_FROM_WORDS {
        warnings
            .push("The question is very broad; the report can only give an overview.".to_owned());
    }
    let several = text.contains('?')
        || [
            ", and how",
            ", and why",
            ", and what",
            ", and which",
            " and how ",
            " and why ",
        ]
        .iter()
        .any(|joint| text.to_lowercase().contains(joint));
    if several {
        warnings.push("The question holds several questions; they are answered together, with most room for the first.".to_owned());
    }
    if reading.kind == Asks::Other {
        warnings.push("The wording does not tell what kind of answer is wanted, so a general outline is used.".to_owned());
    }
    warnings
}

fn methodology(kinds: &[SourceKind]) -> String {
    format!(
        "Each sub-question is searched for in {}. Sentences that bear on it are quoted word for word and compared across sources; copies count once.",
        spelt(kinds)
    )
}

fn spelt(kinds: &[SourceKind]) -> String {
    let names: Vec<&str> = kinds
        .iter()
        .map(|kind| match kind {
            SourceKind::Web => "web pages",
            SourceKind::Academic => "academic works",
            SourceKind::News => "news",
            SourceKind::Code => "code",
            SourceKind::Local => "the local library",
        })
        .collect();
    match names.as_slice() {
        [] => "no source".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn trace(reading: &QuestionReading, plan: &Plan, kinds: &[SourceKind]) -> PlanTrace {
    let parts = [
        ("about", &reading.subject),
        ("with regard to", &reading.outcome),
        ("among", &reading.population),
        ("for the time", &reading.period),
    ];
    let mut understanding = format!("The question asks for {}", asks_for(reading.kind));
    for (joint, part) in parts {
        if let Some(part) = part {
            understanding.push_str(&format!(", {joint} {part}"));
        }
    }
    if let [one, other] = reading.compared.as_slice() {
        understanding.push_str(&format!(", between {one} and {other}"));
    }
    understanding.push('.');
    let titles: Vec<&str> = plan.sections.iter().map(|s| s.title.as_str()).collect();
    let risks = if plan.warnings.is_empty() {
        "Sources may copy each other, disagree or be silent; the report shows where they do."
            .to_owned()
    } else {
        plan.warnings.join(" ")
    };
    PlanTrace {
        understanding,
        decomposition: format!(
            "It is split into {} sub-questions, as is usual for this kind; {} of them build on others.",
            plan.sub_questions.len(),
            plan.sub_questions
                .iter()
                .filter(|sub| !sub.needs.is_empty())
                .count()
        ),
        strategy: format!(
            "{} queries in {}; a query that finds little is refined with other, fewer or broader terms.",
            plan.queries.len(),
            spelt(kinds)
        ),
        outline: format!("One section for each: {}.", titles.join("; ")),
        risks,
    }
}

fn asks_for(kind: Asks) -> &'static str {
    match kind {
        Asks::Comparison => "a comparison",
        Asks::Quantity => "figures",
        Asks::Time => "dates and a course of events",
        Asks::Definition => "what a thing is",
        Asks::Evaluation => "what the evidence is worth",
        Asks::Why => "reasons",
        Asks::Effect => "an effect",
        Asks::How => "how something works",
        Asks::HowTo => "how something is done",
        Asks::List => "a list",
        Asks::YesNo => "a yes or no with its evidence",
        Asks::Who => "a person",
        Asks::Other => "what is known",
    }
}
