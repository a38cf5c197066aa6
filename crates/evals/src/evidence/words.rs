//! How well sentences are cut and copies found.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use fathom_evidence::{Language, duplicate, sentences};
use serde_json::Value;

use crate::figure::Figure;

/// Abstracts that copies are made of.
const COPIED: usize = 2_000;

pub(super) fn measure(data: &Path) -> Result<()> {
    let claims = data.join("scifact_claims");
    if claims.is_dir() {
        let abstracts = abstracts(&claims)?;
        splitting(&abstracts);
        copies(&abstracts);
    } else {
        Figure::named("sentences")
            .with("not_measured", "scifact_claims is not there")
            .print();
    }
    Ok(())
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

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}
