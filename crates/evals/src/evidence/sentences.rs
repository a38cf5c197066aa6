//! Sentences of a page and paragraphs of a set: are all that a claim needs among the first?

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};
use fathom_evidence::locate::{LocateSettings, PassageIndex};
use serde::Deserialize;

use super::sets::{located, pool, read};
use crate::figure::Figure;

/// One claim, the sentences it is asked of, and the sets of them that support it.
struct Item {
    question: String,
    sentences: Vec<String>,
    sets: Vec<Vec<usize>>,
}

pub(super) fn wice(data: &Path) -> Result<()> {
    #[derive(Deserialize)]
    struct WiceLine {
        claim: String,
        evidence: Vec<String>,
        supporting_sentences: Vec<Vec<usize>>,
    }
    let lines: Vec<WiceLine> = read(data, "wice/claim_dev.jsonl")?;
    let items = lines.into_iter().map(|line| Item {
        question: line.claim,
        sentences: line.evidence,
        sets: line
            .supporting_sentences
            .into_iter()
            .filter(|set| !set.is_empty())
            .collect(),
    });
    report(
        "wice_dev",
        items.filter(|item| !item.sets.is_empty()).collect(),
        true,
        10,
    )
}

pub(super) fn claims(data: &Path) -> Result<()> {
    #[derive(Deserialize)]
    struct Abstract {
        doc_id: u64,
        r#abstract: Vec<String>,
    }
    #[derive(Deserialize)]
    struct Claim {
        claim: String,
        evidence: std::collections::BTreeMap<u64, Vec<Rationale>>,
    }
    #[derive(Deserialize)]
    struct Rationale {
        sentences: Vec<usize>,
    }
    let abstracts: Vec<Abstract> = read(data, "scifact_claims/corpus.jsonl")?;
    let abstracts: HashMap<u64, Vec<String>> = abstracts
        .into_iter()
        .map(|one| (one.doc_id, one.r#abstract))
        .collect();
    let mut items = Vec::new();
    for claim in read::<Claim>(data, "scifact_claims/claims_train.jsonl")? {
        for (doc, rationales) in claim.evidence {
            items.push(Item {
                question: claim.claim.clone(),
                sentences: abstracts
                    .get(&doc)
                    .context("an abstract is missing")?
                    .clone(),
                sets: rationales.into_iter().map(|one| one.sentences).collect(),
            });
        }
    }
    report("scifact_claims_train", items, true, 3)
}

pub(super) fn musique(data: &Path) -> Result<()> {
    #[derive(Deserialize)]
    struct MusiqueLine {
        question: String,
        paragraphs: Vec<Paragraph>,
    }
    #[derive(Deserialize)]
    struct Paragraph {
        title: String,
        paragraph_text: String,
        is_supporting: bool,
    }
    let lines: Vec<MusiqueLine> = read(data, "musique100/musique_train100.jsonl")?;
    let items = lines.into_iter().map(|line| {
        let gold = line
            .paragraphs
            .iter()
            .enumerate()
            .filter(|(_, one)| one.is_supporting);
        Item {
            sets: vec![gold.map(|(place, _)| place).collect()],
            sentences: line
                .paragraphs
                .iter()
                .map(|one| format!("{}\n{}", one.title, one.paragraph_text))
                .collect(),
            question: line.question,
        }
    });
    report("musique_train", items.collect(), false, 5)
}

fn report(name: &str, items: Vec<Item>, one_source: bool, top: usize) -> Result<()> {
    let settings = LocateSettings {
        per_query_top_n: 100,
        top_k: top,
        // Sentences of one page answer together.
        cover: one_source,
        ..LocateSettings::default()
    };
    let pools: Vec<PassageIndex> = items
        .iter()
        .map(|item| {
            let texts = item
                .sentences
                .iter()
                .map(|sentence| ("", sentence.as_str()));
            pool(texts, one_source)
        })
        .collect::<Result<_>>()?;
    let by = |answer: &dyn Fn(&PassageIndex, &str) -> Vec<usize>| {
        let whole = items.iter().zip(&pools).filter(|(item, pool)| {
            let found = answer(pool, &item.question);
            item.sets
                .iter()
                .any(|set| set.iter().all(|place| found.contains(place)))
        });
        whole.count() as f64 / items.len().max(1) as f64
    };
    let words = by(&|pool, question| {
        let hits = pool.words().search(question, top);
        hits.iter().map(|hit| hit.doc).collect()
    });
    Figure::named(name)
        .with("questions", items.len())
        .with("top", top)
        .number("bm25_whole_set", words)
        .number(
            "fusion_whole_set",
            by(&|pool, question| located(pool, question, &settings)),
        )
        .print();
    Ok(())
}
