//! The public sets of claims, as far as the check of citations needs them.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use fathom_evidence::{Language, Span, sentences};
use serde_json::Value;

use super::sets::{lines, read};

/// Which part of the sets is read: what rules are made from is never what they are measured on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetPart {
    Tune,
    Report,
}

impl SetPart {
    /// What is reported, unless the environment asks for the other part.
    pub(super) fn wanted() -> Result<Self> {
        match std::env::var("FATHOM_PART").as_deref() {
            Err(_) | Ok("report") => Ok(Self::Report),
            Ok("tune") => Ok(Self::Tune),
            Ok(other) => bail!("FATHOM_PART is report or tune, not {other}"),
        }
    }
}

/// A source as a text with the sentences that its set gives.
pub(super) struct JudgedSource {
    pub(super) text: String,
    pub(super) sentences: Vec<Span>,
}

impl JudgedSource {
    fn from_sentences(parts: Vec<String>) -> Self {
        let mut text = String::new();
        let mut sentences = Vec::new();
        for part in parts {
            let start = text.len();
            text.push_str(&part);
            sentences.push(Span::new(start, text.len()));
            text.push('\n');
        }
        Self { text, sentences }
    }

    pub(super) fn sentence(&self, at: usize) -> &str {
        let span = self.sentences.get(at);
        span.and_then(|span| span.of(&self.text))
            .unwrap_or_default()
    }

    /// A sentence, when it looks like one: some words, a capital, a full stop.
    pub(super) fn plain_sentence(&self, at: usize) -> Option<&str> {
        let sentence = self.sentence(at);
        let whole = sentence.starts_with(char::is_uppercase) && sentence.ends_with('.');
        let plain = !sentence.contains(['"', '“', '”', '[', '|', '?', '\n']);
        let fits = WORDS.contains(&sentence.split_whitespace().count());
        (fits && whole && plain).then_some(sentence)
    }
}

/// How many words a sentence has that citations are made from.
const WORDS: std::ops::RangeInclusive<usize> = 8..=40;

/// What people said of a claim and a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Supported,
    Partly,
    Contradicted,
    /// The source does not say.
    Unsaid,
}

impl Label {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Partly => "partly",
            Self::Contradicted => "contradicted",
            Self::Unsaid => "unsaid",
        }
    }
}

pub(super) struct Judged {
    pub(super) claim: String,
    /// Index into the sources of its set.
    pub(super) source: usize,
    pub(super) label: Label,
}

pub(super) struct Set {
    pub(super) name: &'static str,
    pub(super) sources: Vec<JudgedSource>,
    pub(super) judged: Vec<Judged>,
}

impl Set {
    /// Every second claim: rules are made on one half and reported on the other.
    pub(super) fn half(mut self, part: SetPart) -> Self {
        let mut at = 0;
        self.judged.retain(|_| {
            at += 1;
            (at % 2 == 0) == (part == SetPart::Tune)
        });
        self
    }
}

/// The sources that citations are made from: half of SciFact's abstracts each, the trial reports of
/// train or of the other splits, and for the report WiCE's pages.
pub(super) fn sources(data: &Path, part: SetPart) -> Result<Vec<Set>> {
    let tune = part == SetPart::Tune;
    let mut abstracts = scifact(data)?;
    let mut at = 0;
    abstracts.sources.retain(|_| {
        at += 1;
        (at % 2 == 0) == tune
    });
    abstracts.judged.clear();
    let mut sets = vec![abstracts, trials(data, part)?];
    if !tune {
        sets.push(wice(data)?);
    }
    Ok(sets)
}

/// The trial reports of Evidence Inference.
fn trials(data: &Path, part: SetPart) -> Result<Set> {
    let mut text = String::new();
    let file = std::fs::File::open(data.join("evidence_inference/articles.jsonl.gz"))?;
    flate2::read::GzDecoder::new(file).read_to_string(&mut text)?;
    let mut sources = Vec::new();
    for article in lines::<Value>(&text)? {
        let train = article["split"] == "train";
        if train == (part == SetPart::Tune) {
            let text = string(&article["text"]);
            let sentences = sentences(&text, Language::ENGLISH);
            sources.push(JudgedSource { text, sentences });
        }
    }
    Ok(Set {
        name: "evidence_inference",
        sources,
        judged: Vec::new(),
    })
}

/// SciFact's claims (train) with the abstracts they cite.
pub(super) fn scifact(data: &Path) -> Result<Set> {
    let (mut sources, mut places) = (Vec::new(), BTreeMap::new());
    for line in read::<Value>(data, "scifact_claims/corpus.jsonl")? {
        let id = line["doc_id"]
            .as_u64()
            .context("a document without an id")?;
        let mut parts = vec![string(&line["title"])];
        parts.extend(strings(&line["abstract"]));
        places.insert(id, sources.len());
        sources.push(JudgedSource::from_sentences(parts));
    }
    let mut judged = Vec::new();
    for line in read::<Value>(data, "scifact_claims/claims_train.jsonl")? {
        for id in line["cited_doc_ids"].as_array().into_iter().flatten() {
            let Some(source) = id.as_u64().and_then(|id| places.get(&id)) else {
                continue;
            };
            let said = &line["evidence"][id.to_string()][0]["label"];
            let label = match said.as_str() {
                Some("SUPPORT") => Label::Supported,
                Some("CONTRADICT") => Label::Contradicted,
                _ => Label::Unsaid,
            };
            judged.push(Judged {
                claim: string(&line["claim"]),
                source: *source,
                label,
            });
        }
    }
    Ok(Set {
        name: "scifact_claims_train",
        sources,
        judged,
    })
}

/// WiCE's claims (dev) with the pages they cite.
pub(super) fn wice(data: &Path) -> Result<Set> {
    let (mut sources, mut judged) = (Vec::new(), Vec::new());
    for line in read::<Value>(data, "wice/claim_dev.jsonl")? {
        let label = match line["label"].as_str() {
            Some("supported") => Label::Supported,
            Some("partially_supported") => Label::Partly,
            _ => Label::Unsaid,
        };
        judged.push(Judged {
            claim: string(&line["claim"]),
            source: sources.len(),
            label,
        });
        sources.push(JudgedSource::from_sentences(strings(&line["evidence"])));
    }
    Ok(Set {
        name: "wice_dev",
        sources,
        judged,
    })
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().trim().to_owned()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(string).collect()
}
