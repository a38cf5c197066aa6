//! Other words to search with, where the first search found too little.
//!
//! Takes a question, how often its words occur, and what the first search found; gives queries, each once, at most
//! [`QUERIES_MOST`]. Plain functions: the same input gives the same queries.

use std::collections::BTreeMap;

use fathom_evidence::Language;
use fathom_evidence::question::without_fillers;
use fathom_evidence::terms::Terms;

use crate::library::{LocalPassage, WordMention};
use crate::reasoner::brief;

/// Queries of an expanded search.
pub(super) const QUERIES_MOST: usize = 4;

/// Passages whose words are added to the question, and how many words.
const PASSAGES_READ: usize = 3;
const WORDS_ADDED: usize = 6;

/// The question in other words: without its fillers, its subject alone, as the documents spell it, and with the words
/// that the first passages share.
pub(super) fn expanded(
    question: &str,
    language: Language,
    mentions: &[WordMention],
    found: &[LocalPassage],
) -> Vec<String> {
    let terms = Terms::new(language);
    let telling = terms.telling_at(question);
    let telling: Vec<&str> = telling
        .iter()
        .filter_map(|(_, span)| span.of(question))
        .collect();
    let candidates = [
        respelled(question, mentions),
        format!("{question} {}", shared_words(&terms, question, found)),
        brief::subject_words(question, language).join(" "),
        without_fillers(question, language),
        telling.join(" "),
    ];
    let mut queries: Vec<String> = Vec::new();
    for candidate in candidates {
        let candidate = candidate.trim().to_owned();
        let is_new = candidate != question && !queries.contains(&candidate);
        if !candidate.is_empty() && is_new && queries.len() < QUERIES_MOST {
            queries.push(candidate);
        }
    }
    queries
}

/// The question with each word that occurs nowhere replaced by the one that is spelled most like it.
fn respelled(question: &str, mentions: &[WordMention]) -> String {
    let mut respelled = question.to_owned();
    for mention in mentions {
        if let Some(nearest) = &mention.nearest {
            respelled = respelled.replace(&mention.word, nearest);
        }
    }
    respelled
}

/// Words that most of the first passages have and the question has not, the most frequent first.
fn shared_words(terms: &Terms, question: &str, found: &[LocalPassage]) -> String {
    let asked = terms.telling(question);
    let mut counts: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    for passage in found.iter().take(PASSAGES_READ) {
        let mut here: BTreeMap<String, &str> = BTreeMap::new();
        for (term, span) in terms.telling_at(&passage.text) {
            if let Some(word) = span.of(&passage.text).filter(|_| !asked.contains(&term)) {
                here.entry(term).or_insert(word);
            }
        }
        for (term, word) in here {
            counts.entry(term).or_insert((0, word)).0 += 1;
        }
    }
    let mut shared: Vec<(usize, &str)> = counts.into_values().filter(|(n, _)| *n > 1).collect();
    shared.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let words: Vec<&str> = shared
        .iter()
        .take(WORDS_ADDED)
        .map(|(_, word)| *word)
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflows::ask::tests::passage;

    #[test]
    fn an_expanded_search_respells_adds_shared_words_and_names_the_subject() {
        let mention = WordMention {
            word: "coproces".to_owned(),
            passages: 0,
            of: 9,
            as_written: false,
            nearest: Some("coprocess".to_owned()),
        };
        let found = [
            passage("a.md", "A pipe joins the shell and the command."),
            passage("b.md", "The pipe is two-way between shell and job."),
        ];
        let question = "How do I end the coproces?";
        let queries = expanded(question, Language::ENGLISH, &[mention], &found);
        assert_eq!(queries[0], "How do I end the coprocess?");
        assert!(
            queries[1].contains("pipe") && queries[1].contains("shell"),
            "{queries:?}"
        );
        assert!(queries.contains(&"coproces".to_owned()), "{queries:?}");
        assert!(queries.len() <= QUERIES_MOST);
        assert!(!queries.contains(&question.to_owned()));
    }
}
