//! How well sentences are cut and chosen, copies found and questions taken apart.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use fathom_evidence::question::{PlanHints, plan, read};
use fathom_evidence::summarise::{SummarySentence, scores};
use fathom_evidence::terms::Terms;
use fathom_evidence::{Language, Span, duplicate, sentences};
use serde_json::Value;

use crate::figure::Figure;

/// Sentences of a claim's abstract that are looked at.
const TOP_SENTENCES: usize = 3;
/// Paragraphs of a question that are looked at.
const TOP_PARAGRAPHS: usize = 5;
/// Abstracts that copies are made of.
const COPIED: usize = 2_000;

pub(super) fn measure(data: &Path) -> Result<()> {
    let claims = data.join("scifact_claims");
    if claims.is_dir() {
        let abstracts = abstracts(&claims)?;
        splitting(&abstracts);
        choosing(&claims, &abstracts)?;
        copies(&abstracts);
    } else {
        Figure::named("sentences")
            .with("not_measured", "scifact_claims is not there")
            .print();
    }
    let hops = data.join("musique100/musique_train100.jsonl");
    if hops.is_file() {
        taking_apart(&hops)
    } else {
        Figure::named("sub_questions")
            .with("not_measured", "musique100 is not there")
            .print();
        Ok(())
    }
}

type Abstracts = BTreeMap<u64, Vec<String>>;

fn abstracts(folder: &Path) -> Result<Abstracts> {
    let lines = lines(&folder.join("corpus.jsonl"))?;
    let one = |line: Value| {
        let sentences = line["abstract"].as_array()?.iter();
        let sentences = sentences.filter_map(|s| Some(s.as_str()?.trim().to_owned()));
        Some((
            line["doc_id"].as_u64()?,
            sentences.filter(|s| !s.is_empty()).collect(),
        ))
    };
    Ok(lines.into_iter().filter_map(one).collect())
}

fn lines(file: &Path) -> Result<Vec<Value>> {
    let text =
        fs::read_to_string(file).with_context(|| format!("{} can't be read", file.display()))?;
    let parsed = text.lines().map(serde_json::from_str);
    parsed
        .collect::<Result<_, _>>()
        .with_context(|| format!("{} is damaged", file.display()))
}

/// Where sentences begin, against the sentences that the abstracts were given in. Those were cut by
/// a program too, with faults of its own, so 1 is out of reach.
fn splitting(abstracts: &Abstracts) {
    let (mut right, mut found, mut wanted) = (0_usize, 0_usize, 0_usize);
    for given in abstracts.values() {
        let mut text = String::new();
        let mut begins = BTreeSet::new();
        for sentence in given {
            begins.insert(text.len());
            text.push_str(sentence);
            text.push(' ');
        }
        let cut: BTreeSet<usize> = sentences(&text, Language::ENGLISH)
            .iter()
            .map(|s| s.start)
            .collect();
        // The first sentence begins at 0 whatever is done.
        right += cut.intersection(&begins).count().saturating_sub(1);
        found += cut.len().saturating_sub(1);
        wanted += begins.len().saturating_sub(1);
    }
    let (precision, recall) = (share(right, found), share(right, wanted));
    Figure::named("sentences")
        .with("set", "scifact_claims")
        .with("abstracts", abstracts.len())
        .number("precision", precision)
        .number("recall", recall)
        .number("f1", 2.0 * precision * recall / (precision + recall))
        .print();
}

/// The share of rationale sentences among those that score best for their claim.
fn choosing(folder: &Path, abstracts: &Abstracts) -> Result<()> {
    let (mut kept, mut wanted, mut whole, mut pairs) = (0, 0, 0, 0);
    for claim in lines(&folder.join("claims_train.jsonl"))? {
        let text = claim["claim"].as_str().unwrap_or_default();
        let Some(evidence) = claim["evidence"].as_object() else {
            continue;
        };
        for (id, rationales) in evidence {
            let Some(given) = id.parse().ok().and_then(|id: u64| abstracts.get(&id)) else {
                continue;
            };
            let sets = rationales.as_array().into_iter().flatten().map(places);
            let sets: Vec<Vec<usize>> = sets.collect();
            let top = best(text, given);
            let all: BTreeSet<usize> = sets.iter().flatten().copied().collect();
            kept += all.iter().filter(|at| top.contains(at)).count();
            wanted += all.len();
            whole += usize::from(sets.iter().any(|set| set.iter().all(|at| top.contains(at))));
            pairs += 1;
        }
    }
    Figure::named("chosen_sentences")
        .with("set", "scifact_claims train")
        .with("pairs", pairs)
        .number("rationale_sentences_in_top_3", share(kept, wanted))
        .number("whole_rationale_in_top_3", share(whole, pairs))
        .print();
    Ok(())
}

fn places(rationale: &Value) -> Vec<usize> {
    let places = rationale["sentences"].as_array().into_iter().flatten();
    places
        .filter_map(|at| Some(at.as_u64()? as usize))
        .collect()
}

fn best(claim: &str, given: &[String]) -> Vec<usize> {
    let count = given.len().max(1) as f64;
    let sentence = |(at, text): (usize, &'_ String)| (at as f64 / count, text.clone());
    let texts: Vec<(f64, String)> = given.iter().enumerate().map(sentence).collect();
    let all: Vec<SummarySentence<'_>> = texts
        .iter()
        .map(|(place, text)| SummarySentence {
            source: 0,
            passage: 0,
            span: Span::new(0, text.len()),
            text,
            place: *place,
            sections: &[],
        })
        .collect();
    let scores = scores(claim, &all, Language::ENGLISH);
    let mut order: Vec<usize> = (0..given.len()).collect();
    order.sort_by(|a, b| scores[*b].total.total_cmp(&scores[*a].total).then(a.cmp(b)));
    order.truncate(TOP_SENTENCES);
    order
}

/// Copies of abstracts that were disturbed, each to be found with its original and no other. Every
/// fifth to twentieth word is changed or dropped, by rule.
fn copies(abstracts: &Abstracts) {
    for every in [20_usize, 10, 5] {
        let originals = abstracts.values().take(COPIED).map(|given| given.join(" "));
        let originals: Vec<String> = originals.collect();
        let disturbed = originals.iter().map(|text| {
            let words = text.split_whitespace().enumerate();
            let words = words.map(|(nth, word)| match nth % every {
                3 if nth % (2 * every) == 3 => "",
                3 => "otherwise",
                _ => word,
            });
            words.collect::<Vec<_>>().join(" ")
        });
        let copies: Vec<String> = disturbed.collect();
        let all: Vec<&str> = originals
            .iter()
            .chain(&copies)
            .map(String::as_str)
            .collect();
        let begun = std::time::Instant::now();
        let groups = duplicate::documents(&all);
        let took = begun.elapsed();
        let (mut right, mut pairs) = (0, 0);
        for group in &groups {
            let count = group.len();
            pairs += count * (count - 1) / 2;
            let own =
                |at: &&usize| **at < originals.len() && group.contains(&(**at + originals.len()));
            right += group.iter().filter(own).count();
        }
        Figure::named("copies")
            .with("set", "scifact_claims")
            .with("texts", all.len())
            .with("one_word_changed_in", every)
            .number("precision", share(right, pairs))
            .number("recall", share(right, originals.len()))
            .number("seconds", took.as_secs_f64())
            .print();
    }
}

/// Whether the queries of sub-questions find more of the paragraphs that an answer needs than the
/// question by itself.
fn taking_apart(file: &Path) -> Result<()> {
    let (mut alone, mut apart, mut gold) = (0, 0, 0);
    let questions = lines(file)?;
    for item in &questions {
        let question = item["question"].as_str().unwrap_or_default();
        let paragraphs: Vec<&Value> = item["paragraphs"]
            .as_array()
            .into_iter()
            .flatten()
            .collect();
        let text = |p: &&Value| {
            format!(
                "{} {}",
                p["title"].as_str().unwrap_or(""),
                p["paragraph_text"].as_str().unwrap_or("")
            )
        };
        let texts: Vec<String> = paragraphs.iter().map(text).collect();
        let needed = |at: &usize| paragraphs[*at]["is_supporting"].as_bool() == Some(true);
        gold += (0..paragraphs.len()).filter(needed).count();
        alone += ranked(&[question.to_owned()], &texts)
            .iter()
            .filter(|at| needed(at))
            .count();
        let plan = plan(&read(question), &PlanHints::default());
        let queries = plan.sub_questions.into_iter().flat_map(|sub| sub.queries);
        let queries: Vec<String> = queries.chain([question.to_owned()]).collect();
        apart += ranked(&queries, &texts)
            .iter()
            .filter(|at| needed(at))
            .count();
    }
    Figure::named("sub_questions")
        .with("set", "musique100")
        .with("questions", questions.len())
        .number("gold_in_top_5_by_question", share(alone, gold))
        .number(
            "gold_in_top_5_by_question_and_sub_questions",
            share(apart, gold),
        )
        .print();
    Ok(())
}

/// The best paragraphs over all queries, by the sum of 1 ÷ (60 + rank) of a plain BM25.
fn ranked(queries: &[String], texts: &[String]) -> Vec<usize> {
    let terms = Terms::new(Language::ENGLISH);
    let said: Vec<Vec<String>> = texts.iter().map(|text| terms.of(text)).collect();
    let mean = said.iter().map(Vec::len).sum::<usize>() as f64 / said.len().max(1) as f64;
    let mut fused = vec![0.0; texts.len()];
    for query in queries {
        let asked: BTreeSet<String> = terms.of(query).into_iter().collect();
        let score = |said: &Vec<String>, term: &String| {
            let times = said.iter().filter(|word| *word == term).count() as f64;
            times * 1.9 / (times + 0.9 * (0.6 + 0.4 * said.len() as f64 / mean))
        };
        let rarity = |term: &String| {
            let held = said.iter().filter(|said| said.contains(term)).count() as f64;
            (1.0 + (texts.len() as f64 - held + 0.5) / (held + 0.5)).ln()
        };
        let weights: Vec<(&String, f64)> = asked.iter().map(|term| (term, rarity(term))).collect();
        let total = |said| {
            weights
                .iter()
                .map(|(term, weight)| weight * score(said, term))
                .sum::<f64>()
        };
        let totals: Vec<f64> = said.iter().map(total).collect();
        for (rank, at) in order(&totals).into_iter().enumerate() {
            fused[at] += 1.0 / (60.0 + rank as f64 + 1.0);
        }
    }
    order(&fused).into_iter().take(TOP_PARAGRAPHS).collect()
}

fn order(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]).then(a.cmp(b)));
    order
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}
