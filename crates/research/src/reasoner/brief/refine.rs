//! A poor query in other words, by rules: fewer words, words that mean the same, broader words, another kind.

use std::collections::BTreeSet;

use fathom_evidence::phrases::phrases;
use fathom_evidence::question;

use crate::plan::Query;
use crate::reasoner::RefineTask;
use crate::words;

/// A broad query has so many words.
const BROAD_WORDS: usize = 3;

/// Key phrases that are tried as queries of their own.
const PHRASES_MOST: usize = 3;

/// The first wording that was not tried; nothing where all were.
pub(crate) fn refine_query(task: &RefineTask<'_>) -> Option<Query> {
    let tried: BTreeSet<String> = task
        .tried
        .iter()
        .chain([&task.query.text])
        .map(|text| folded(text))
        .collect();
    let mut wordings = wordings(&task.query.text);
    let reading = question::read(task.question.text());
    wordings.extend([reading.outcome, reading.subject].into_iter().flatten());
    let fresh = wordings
        .into_iter()
        .find(|text| !text.trim().is_empty() && !tried.contains(&folded(text)));
    if let Some(text) = fresh {
        return Some(Query {
            text,
            ..task.query.clone()
        });
    }
    // All words are used up: the first of them again, in another kind of source, unless it was put there.
    let other = task.kinds.iter().find(|kind| **kind != task.query.kind)?;
    let text = format!("{} {}", core(&task.query.text).join(" "), kind_word(*other));
    (!tried.contains(&folded(&text))).then(|| Query {
        text,
        kind: *other,
        ..task.query.clone()
    })
}

fn kind_word(kind: crate::plan::SourceKind) -> &'static str {
    use crate::plan::SourceKind;
    match kind {
        SourceKind::Web => "overview",
        SourceKind::Academic => "study",
        SourceKind::News => "news",
        SourceKind::Code => "code",
        SourceKind::Local => "notes",
    }
}

/// Other wordings of a query, the nearest first.
fn wordings(text: &str) -> Vec<String> {
    let core = core(text);
    let mut all = plain_wordings(text);
    all.splice(1..1, with_synonyms(&core));
    all
}

/// Other wordings of a query in no words but its own, as a reader may be shown them.
pub(super) fn plain_wordings(text: &str) -> Vec<String> {
    let core = core(text);
    let mut all = vec![core.join(" ")];
    let found = phrases(&[text], PHRASES_MOST);
    all.extend(found.into_iter().map(|phrase| phrase.text));
    if core.len() > BROAD_WORDS {
        all.extend(
            core.last_chunk::<BROAD_WORDS>()
                .map(|words| words.join(" ")),
        );
        all.extend(
            core.first_chunk::<BROAD_WORDS>()
                .map(|words| words.join(" ")),
        );
    }
    all
}

/// The words that say what is looked for, without those that only say what sort of text.
fn core(text: &str) -> Vec<&str> {
    let generic: BTreeSet<&str> = words::all("generic").collect();
    let said: Vec<&str> = text.split_whitespace().collect();
    let kept: Vec<&str> = said
        .iter()
        .copied()
        .filter(|word| !generic.contains(word.to_lowercase().as_str()))
        .collect();
    if kept.is_empty() { said } else { kept }
}

/// The words with each one in turn replaced by the first other word of its group.
fn with_synonyms(core: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    for (nth, word) in core.iter().enumerate() {
        let lower = word.to_lowercase();
        let group = words::lists("synonyms").find(|group| group.contains(&lower.as_str()));
        let other = group.and_then(|group| {
            group
                .iter()
                .find(|other| !core.iter().any(|known| same_root(known, other)))
        });
        if let Some(other) = other {
            let mut said = core.to_vec();
            if let Some(place) = said.get_mut(nth) {
                *place = other;
            }
            all.push(said.join(" "));
        }
    }
    all
}

/// Forms of one word begin alike.
fn same_root(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    one.starts_with(&other) || other.starts_with(&one)
}

fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}
