//! What is said in a question, as a statement: "does creatine improve memory" asks whether
//! "creatine improves memory".

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::pattern::{QuestionWord, phrase};
use crate::lists;

/// Base forms and their past; nothing where the past is made by the rule.
type Verbs = LazyLock<BTreeMap<&'static str, Option<&'static str>>>;

static VERBS: Verbs = LazyLock::new(|| verbs("verbs"));
static NOUNS_TOO: Verbs = LazyLock::new(|| verbs("verbs that are nouns too"));
static NOT_BEFORE_A_VERB: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| lists::set(super::WORDS, "not before a verb"));
static PREDICATES: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| lists::set(super::WORDS, "predicates"));

fn verbs(section: &str) -> BTreeMap<&'static str, Option<&'static str>> {
    let entries = lists::entries(super::WORDS, section);
    let split = |entry: &'static str| match entry.split_once(' ') {
        Some((base, past)) => (base, Some(past)),
        None => (entry, None),
    };
    entries.into_iter().map(split).collect()
}

/// A clause that was taken apart.
pub(super) struct QuestionClause {
    pub(super) subject: String,
    /// The verb's base form and what follows it: "improve memory".
    pub(super) act: Option<String>,
    /// What follows the verb.
    pub(super) object: Option<String>,
    /// As a statement: "creatine improves memory".
    pub(super) statement: String,
}

/// Takes apart "creatine improve memory", which followed "does".
pub(super) fn act(words: &[QuestionWord<'_>], aux: &str) -> Option<QuestionClause> {
    let at = match aux {
        "has" | "have" | "had" => participle(words)?,
        _ => verb(words)?,
    };
    let (before, after) = words.split_at(at);
    let (verb, rest) = after.split_first()?;
    let subject = phrase(before);
    let object = phrase(rest);
    let said = match aux {
        "do" | "to" => verb.plain.clone(),
        "does" => third_person(&verb.plain),
        "did" => past(&verb.plain),
        modal => format!("{modal} {}", verb.plain),
    };
    let joined = |parts: &[&str]| parts.join(" ").trim().to_owned();
    Some(QuestionClause {
        statement: joined(&[&subject, &said, &object]),
        act: Some(joined(&[&verb.plain, &object])),
        object: Some(object).filter(|object| !object.is_empty()),
        subject,
    })
}

/// Takes apart "eggs bad for you", which followed "are".
pub(super) fn state(words: &[QuestionWord<'_>], aux: &str) -> Option<QuestionClause> {
    let after_first = words.iter().enumerate().skip(1);
    let (at, _) = after_first.into_iter().find(|(at, word)| {
        let two = words
            .get(at + 1)
            .map(|next| format!("{} {}", word.plain, next.plain));
        PREDICATES.contains(word.plain.as_str())
            || two.is_some_and(|two| PREDICATES.contains(two.as_str()))
    })?;
    // "the use of masks in schools effective": what follows a preposition is still the subject.
    let at = match words[at].plain.as_str() {
        "in" | "on" | "at" | "a" | "an" => later(words, at).unwrap_or(at),
        _ => at,
    };
    let (before, after) = words.split_at(at);
    let subject = phrase(before);
    Some(QuestionClause {
        statement: format!("{subject} {aux} {}", phrase(after)),
        subject,
        act: None,
        object: None,
    })
}

/// A predicate after the one found that no small word hides.
fn later(words: &[QuestionWord<'_>], from: usize) -> Option<usize> {
    let clear = |word: &QuestionWord<'_>| {
        let plain = word.plain.as_str();
        PREDICATES.contains(plain) && !matches!(plain, "in" | "on" | "at" | "a" | "an" | "so")
    };
    let adjective = words[from].plain != "a" && words[from].plain != "an";
    let found = words.iter().skip(from + 1).position(clear)?;
    adjective.then_some(from + 1 + found)
}

/// Where the verb stands: the first that is nothing else, else the last that may be a noun.
fn verb(words: &[QuestionWord<'_>]) -> Option<usize> {
    let free = |at: &usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        before.is_some_and(|before| !NOT_BEFORE_A_VERB.contains(before.plain.as_str()))
    };
    let places = || (1..words.len()).filter(free);
    let sure = |at: &usize| VERBS.contains_key(words[*at].plain.as_str());
    let maybe = |at: &usize| NOUNS_TOO.contains_key(words[*at].plain.as_str());
    places().find(sure).or_else(|| places().find(maybe))
}

fn participle(words: &[QuestionWord<'_>]) -> Option<usize> {
    let past = |word: &QuestionWord<'_>| {
        let plain = word.plain.as_str();
        plain.ends_with("ed") || plain == "been" || VERBS.values().any(|past| *past == Some(plain))
    };
    let found = words.iter().skip(1).position(past)?;
    Some(found + 1)
}

fn third_person(base: &str) -> String {
    let vowel_before_y = base.trim_end_matches('y').ends_with(['a', 'e', 'o', 'u']);
    match base {
        "have" => "has".to_owned(),
        _ if base.ends_with('y') && !vowel_before_y => format!("{}ies", base.trim_end_matches('y')),
        _ if base.ends_with(['s', 'x', 'z', 'o'])
            || base.ends_with("ch")
            || base.ends_with("sh") =>
        {
            format!("{base}es")
        }
        _ => format!("{base}s"),
    }
}

fn past(base: &str) -> String {
    let odd = VERBS
        .get(base)
        .or_else(|| NOUNS_TOO.get(base))
        .copied()
        .flatten();
    let vowel_before_y = base.trim_end_matches('y').ends_with(['a', 'e', 'o', 'u']);
    match odd {
        Some(past) => past.to_owned(),
        None if base.ends_with('e') => format!("{base}d"),
        None if base.ends_with('y') && !vowel_before_y => {
            format!("{}ied", base.trim_end_matches('y'))
        }
        None => format!("{base}ed"),
    }
}
