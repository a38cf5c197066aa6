//! Reports of trials: is a sentence that answers among the first?

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;

use anyhow::Result;
use fathom_evidence::locate::{LocateQuestion, LocateSettings, LocatorRules, PassageIndex};
use fathom_evidence::{Language, Span, sentences};
use fathom_research::workflows::appraise::LOCATOR_RULES;
use serde::Deserialize;

use super::sets::{lines, located, mean, pool, read};
use crate::figure::Figure;

/// Evidence Inference: the effect of an intervention on an outcome, within one report.
pub(super) fn evidence_inference(data: &Path) -> Result<()> {
    #[derive(Deserialize)]
    struct Article {
        pmcid: String,
        text: String,
    }
    let mut text = String::new();
    let file = std::fs::File::open(data.join("evidence_inference/articles.jsonl.gz"))?;
    flate2::read::GzDecoder::new(file).read_to_string(&mut text)?;
    let settings = LocateSettings {
        per_query_top_n: 100,
        top_k: 10,
        cover: true,
        ..LocateSettings::default()
    };
    let mut reports = HashMap::new();
    for article in lines::<Article>(&text)? {
        let spans = sentences(&article.text, Language::ENGLISH);
        let texts = spans.iter().filter_map(|span| span.of(&article.text));
        let pool = pool(texts.map(|text| ("", text)), true)?;
        reports.insert(article.pmcid, (pool, in_characters(&article.text, &spans)));
    }
    let prompts: Vec<Prompt> = read(data, "evidence_inference/prompts.jsonl")?;
    for split in ["train", "validation", "test"] {
        let asked: Vec<&Prompt> = prompts.iter().filter(|one| one.split == split).collect();
        let reached = |answer: &dyn Fn(&PassageIndex, &str) -> Vec<usize>| {
            mean(asked.iter().filter_map(|prompt| {
                let (pool, spans) = reports.get(&prompt.pmcid)?;
                let gold = prompt.evidence()?;
                let found = answer(pool, &prompt.question());
                let hit = |place: &usize| {
                    spans
                        .get(*place)
                        .is_some_and(|span| gold.iter().any(|one| span.overlaps(*one)))
                };
                Some(f64::from(u8::from(found.iter().any(hit))))
            }))
        };
        Figure::named("evidence_inference")
            .with("split", split)
            .with("questions", asked.len())
            .number(
                "bm25_in_top_10",
                reached(&|pool, question| {
                    pool.words()
                        .search(question, 10)
                        .iter()
                        .map(|hit| hit.doc)
                        .collect()
                }),
            )
            .number(
                "fusion_in_top_10",
                reached(&|pool, question| located(pool, question, &settings)),
            )
            .print();
    }
    Ok(())
}

#[derive(Deserialize)]
struct Prompt {
    pmcid: String,
    split: String,
    outcome: String,
    intervention: String,
    comparator: String,
    annotations: Vec<Annotation>,
}

#[derive(Deserialize)]
struct Annotation {
    start: i64,
    end: i64,
}

impl Prompt {
    fn question(&self) -> String {
        let Self {
            outcome,
            intervention,
            comparator,
            ..
        } = self;
        format!("effect of {intervention} on {outcome} compared with {comparator}")
    }

    /// Where the evidence stands; nothing when nobody marked a place.
    fn evidence(&self) -> Option<Vec<Span>> {
        let placed = self.annotations.iter().filter_map(|one| {
            let span = Span::new(one.start.try_into().ok()?, one.end.try_into().ok()?);
            (!span.is_empty()).then_some(span)
        });
        Some(placed.collect::<Vec<_>>()).filter(|spans| !spans.is_empty())
    }
}

/// Spans by bytes as spans by characters, which the annotations use.
fn in_characters(text: &str, spans: &[Span]) -> Vec<Span> {
    let (mut byte, mut character) = (0, 0);
    let mut to = |target: usize| {
        character += text
            .get(byte..target)
            .map_or(0, |part| part.chars().count());
        byte = target;
        character
    };
    spans
        .iter()
        .map(|span| Span::new(to(span.start), to(span.end)))
        .collect()
}

/// RoBBR: what a review says of a trial's risk of bias, aspect by aspect.
pub(super) fn robbr(data: &Path) -> Result<()> {
    #[derive(Deserialize)]
    struct RobbrItem {
        bias: String,
        bias_definition: String,
        paper_as_candidate_pool: Vec<String>,
        aspect2sentence_indices: BTreeMap<String, Vec<usize>>,
    }
    let text = std::fs::read_to_string(data.join("robbr/task2_small_test_set.json"))?;
    let items: BTreeMap<String, RobbrItem> = serde_json::from_str(&text)?;
    let rules = LocatorRules::parse(LOCATOR_RULES)?;
    let settings = LocateSettings {
        per_query_top_n: 100,
        top_k: 20,
        ..LocateSettings::default()
    };
    let mut shares = Vec::new();
    for item in items.values() {
        let texts = item
            .paper_as_candidate_pool
            .iter()
            .map(|text| ("", text.as_str()));
        let pool = pool(texts, true)?.with_rules(rules.clone());
        let defined = item.bias_definition.lines().next().unwrap_or_default();
        let text = format!("{} {defined}", item.bias);
        let kind = rules
            .rule(item.bias.as_str().into())
            .map(|rule| rule.name.as_str());
        let found = located(&pool, LocateQuestion { text: &text, kind }, &settings);
        for sentences in item
            .aspect2sentence_indices
            .values()
            .filter(|all| !all.is_empty())
        {
            shares.push(f64::from(u8::from(
                sentences.iter().any(|one| found.contains(one)),
            )));
        }
    }
    Figure::named("robbr")
        .with("aspects", shares.len())
        .number("fusion_in_top_20", mean(shares))
        .print();
    Ok(())
}
