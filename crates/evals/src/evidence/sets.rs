//! Reads the public sets of questions and passages, and counts how well they are answered.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use fathom_evidence::Language;
use fathom_evidence::locate::{
    LocateQuestion, LocateSettings, PassageEntry, PassageIndex, PassageKey,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Every line of a file as one value.
pub(crate) fn lines<T: DeserializeOwned>(text: &str) -> Result<Vec<T>> {
    let parse = |(nth, line)| {
        serde_json::from_str(line).with_context(|| format!("line {nth} is not as expected"))
    };
    (1..).zip(text.lines()).map(parse).collect()
}

pub(crate) fn read<T: DeserializeOwned>(data: &Path, file: &str) -> Result<Vec<T>> {
    let path = data.join(file);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    lines(&text).with_context(|| file.to_owned())
}

/// Texts of one source each, or all of one, as a pool.
pub(super) fn pool<'t>(
    texts: impl IntoIterator<Item = (&'t str, &'t str)>,
    one_source: bool,
) -> Result<PassageIndex> {
    let mut entries = Vec::new();
    for (nth, (title, text)) in texts.into_iter().enumerate() {
        entries.push(PassageEntry {
            language: None,
            key: PassageKey {
                source: if one_source {
                    "0".into()
                } else {
                    nth.to_string()
                },
                passage: serde_json::from_value(Value::String(nth.to_string()))?,
            },
            passage: nth,
            title: Arc::from(title),
            sections: Vec::new(),
            text: text.to_owned(),
        });
    }
    Ok(PassageIndex::new(entries, Language::ENGLISH))
}

/// The places of a pool's candidates, best first.
pub(super) fn located<'q>(
    pool: &PassageIndex,
    question: impl Into<LocateQuestion<'q>>,
    settings: &LocateSettings,
) -> Vec<usize> {
    let candidates = pool.locate(question, settings);
    candidates.iter().map(|candidate| candidate.place).collect()
}

/// Discounted gain of the first ten over the best that was possible.
pub(super) fn ndcg_at_10(found: &[usize], relevant: &[usize]) -> f64 {
    let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let hits = found.iter().take(10).enumerate();
    let reached: f64 = hits
        .filter(|(_, doc)| relevant.contains(doc))
        .map(|(rank, _)| gain(rank))
        .sum();
    reached / (0..relevant.len().min(10)).map(gain).sum::<f64>()
}

pub(super) fn recall(found: &[usize], relevant: &[usize], top: usize) -> f64 {
    let found: Vec<&usize> = found.iter().take(top).collect();
    let hits = relevant.iter().filter(|doc| found.contains(doc)).count();
    hits as f64 / relevant.len().max(1) as f64
}

pub(super) fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.into_iter().collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// SciFact as BEIR has it.
pub(super) struct SciFact {
    /// Title and text.
    pub(super) texts: Vec<(String, String)>,
    pub(super) train: Vec<Asked>,
    pub(super) test: Vec<Asked>,
}

pub(super) struct Asked {
    pub(super) question: String,
    pub(super) relevant: Vec<usize>,
}

impl SciFact {
    pub(super) fn read(data: &Path) -> Result<Self> {
        let (mut texts, mut places) = (Vec::new(), HashMap::new());
        for text in read::<Value>(data, "scifact_beir/corpus.jsonl")? {
            places.insert(string(&text["_id"]), texts.len());
            texts.push((string(&text["title"]), string(&text["text"])));
        }
        let questions: HashMap<String, String> = read::<Value>(data, "scifact_beir/queries.jsonl")?
            .iter()
            .map(|query| (string(&query["_id"]), string(&query["text"])))
            .collect();
        let asked = |split: &str| -> Result<Vec<Asked>> {
            let path = data.join(format!("scifact_beir/qrels/{split}.tsv"));
            let table = std::fs::read_to_string(path)?;
            Ok(judged(&table, &questions, &places))
        };
        Ok(Self {
            train: asked("train")?,
            test: asked("test")?,
            texts,
        })
    }
}

fn judged(
    table: &str,
    questions: &HashMap<String, String>,
    places: &HashMap<String, usize>,
) -> Vec<Asked> {
    let mut all: Vec<Asked> = Vec::new();
    let mut last = "";
    for line in table.lines().skip(1) {
        let [query, doc, score] = line.split('\t').collect::<Vec<_>>()[..] else {
            continue;
        };
        let (Some(question), Some(place)) = (questions.get(query), places.get(doc)) else {
            continue;
        };
        if score.trim() == "0" {
            continue;
        }
        match all.last_mut().filter(|_| query == last) {
            Some(asked) => asked.relevant.push(*place),
            None => all.push(Asked {
                question: question.clone(),
                relevant: vec![*place],
            }),
        }
        last = query;
    }
    all
}

pub(super) fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
