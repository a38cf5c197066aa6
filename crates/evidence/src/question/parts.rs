//! For whom and for which time a question asks, and how its parts are named inside a sentence.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::pattern::{QuestionWord, phrase};
use crate::capital::small;
use crate::lists;

static OPENINGS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| lists::entries(super::WORDS, "opening"));
static POPULATIONS: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| lists::set(super::WORDS, "population"));

/// A population or a period is named in so many words at most.
const MAX_TAIL_WORDS: usize = 9;

/// The question without "Please tell me" and the like.
pub(super) fn without_opening(question: &str) -> &str {
    let rest = OPENINGS.iter().find_map(|opening| {
        let head = question.get(..opening.len())?;
        let rest = question.get(opening.len()..)?;
        let whole = rest.starts_with([' ', ',', ':']);
        (whole && head.eq_ignore_ascii_case(opening)).then_some(rest)
    });
    let rest = rest.map(|rest| rest.trim_start_matches([' ', ',', ':']));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(question)
}

/// Cuts "in adults with type 2 diabetes" off the end.
pub(super) fn population<'w, 'q>(
    words: &'w [QuestionWord<'q>],
) -> (&'w [QuestionWord<'q>], Option<String>) {
    tail(words, |word, after| {
        let begins = matches!(word.plain.as_str(), "in" | "among" | "for" | "amongst");
        // A place may follow the preposition too: one of the first words must name people or animals.
        let who = |word: &QuestionWord<'_>| POPULATIONS.contains(word.plain.as_str());
        begins && after.iter().take(3).any(who)
    })
    .map_or((words, None), |(rest, tail)| {
        (rest, Some(phrase(&tail[1..])))
    })
}

/// Cuts "since 2010" or "in the 1990s" off the end.
pub(super) fn period<'w, 'q>(
    words: &'w [QuestionWord<'q>],
) -> (&'w [QuestionWord<'q>], Option<String>) {
    tail(words, |word, after| {
        let first = after.first().map_or("", |word| word.plain.as_str());
        let begins = [
            "since", "between", "during", "over", "from", "in", "by", "before", "after", "until",
        ];
        let span = ["the last", "the past", "the next", "recent years"];
        let text = phrase(after).to_lowercase();
        let ends_in_year = after.last().is_some_and(|word| is_year(&word.plain));
        let years = ends_in_year && (is_year(first) || first == "the" || after.len() <= 2);
        begins.contains(&word.plain.as_str())
            && (years || span.iter().any(|span| text.starts_with(span)))
    })
    .map_or((words, None), |(rest, tail)| (rest, Some(phrase(tail))))
}

fn is_year(word: &str) -> bool {
    let digits = word.trim_end_matches('s');
    digits.len() == 4 && digits.chars().all(|c| c.is_ascii_digit())
}

/// The longest tail that fits and leaves something before it.
fn tail<'w, 'q>(
    words: &'w [QuestionWord<'q>],
    fits: impl Fn(&QuestionWord<'q>, &[QuestionWord<'q>]) -> bool,
) -> Option<(&'w [QuestionWord<'q>], &'w [QuestionWord<'q>])> {
    let from = words.len().saturating_sub(MAX_TAIL_WORDS).max(3);
    let at = (from..words.len()).find(|at| {
        let (word, after) = (&words[*at], &words[at + 1..]);
        !after.is_empty() && fits(word, after)
    })?;
    Some(words.split_at(at))
}

/// A part as it stands inside a sentence: "Intermittent fasting" with a small letter, "Rust" and
/// "DNA repair" as they are.
pub(super) fn named(part: &str) -> String {
    let part = part.trim();
    let mut words = part.split_whitespace();
    let first = words.next().unwrap_or_default();
    let title = first.chars().skip(1).all(char::is_lowercase) && first.len() > 1;
    let rest_small =
        words.clone().count() > 0 && words.all(|word| !word.starts_with(char::is_uppercase));
    if title && rest_small {
        return small(part);
    }
    part.to_owned()
}
