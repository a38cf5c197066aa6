//! Answers by phrases: what a sentence of the report proves, word for word.

use std::sync::LazyLock;

use crate::rob2::{Effect, SignalAnswer};

use super::article::Article;
use super::patterns::{self, PatternLine};

static RULES: LazyLock<Vec<(PatternLine, SignalAnswer)>> = LazyLock::new(|| {
    let lines = patterns::read(include_str!("phrases.txt")).into_iter();
    lines
        .filter_map(|line| {
            let answer = line.label.parse().ok()?;
            Some((line, answer))
        })
        .collect()
});

/// An answer that code can prove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProvenAnswer {
    pub(super) answer: SignalAnswer,
    pub(super) why: String,
    /// The sentences that prove it.
    pub(super) sentences: Vec<usize>,
}

/// The name of the group of rules for a question.
fn group(id: &str, effect: Effect) -> String {
    match effect {
        Effect::Adherence if id.starts_with('2') && !matches!(id, "2.1" | "2.2") => {
            format!("{id} adherence")
        }
        Effect::Adherence | Effect::Assignment => id.to_owned(),
    }
}

/// Whether a rule of the question finds its words in the sentence.
pub(super) fn answers(id: &str, effect: Effect, plain: &str) -> bool {
    let group = group(id, effect);
    RULES
        .iter()
        .any(|(line, _)| line.group == group && line.is_in(plain))
}

/// The answer of the first rule that finds a sentence: among the validated ones first, then in the whole report. A rule
/// with the opposite answer that finds another sentence is told, and changes nothing.
pub(super) fn prove(
    id: &str,
    effect: Effect,
    article: &Article,
    validated: &[usize],
) -> Option<ProvenAnswer> {
    let group = group(id, effect);
    let rules = || RULES.iter().filter(|(line, _)| line.group == group);
    let find = |line: &PatternLine| {
        let fits = |at: &usize| {
            let sentence = article.sentences.get(*at);
            sentence.is_some_and(|one| one.is_on_this_trial() && line.is_in(&one.plain))
        };
        let first = validated.iter().copied().find(fits);
        first.or_else(|| (0..article.sentences.len()).find(fits))
    };
    let (line, answer, sentence) =
        rules().find_map(|(line, answer)| Some((line, *answer, find(line)?)))?;
    let mut proven = ProvenAnswer {
        answer,
        why: line.words.clone(),
        sentences: vec![sentence],
    };
    let against = rules().filter(|(_, other)| opposes(answer, *other));
    let against = against
        .filter_map(|(line, _)| find(line))
        .find(|at| *at != sentence);
    if let Some(other) = against {
        proven
            .why
            .push_str(" Another place seems to say otherwise; see the second quote.");
        proven.sentences.push(other);
    }
    Some(proven)
}

fn opposes(one: SignalAnswer, other: SignalAnswer) -> bool {
    let positive = |answer| matches!(answer, SignalAnswer::Yes | SignalAnswer::ProbablyYes);
    positive(one) != positive(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rob2::{Domain, questions};

    #[test]
    fn every_line_of_the_rules_can_be_read_and_answers_a_question_in_its_own_terms() {
        let text = include_str!("phrases.txt");
        let lines = patterns::meant(text).filter(|line| !line.starts_with('['));
        assert_eq!(lines.count(), RULES.len());
        for (line, answer) in RULES.iter() {
            let (id, effect) = match line.group.split_once(' ') {
                Some((id, "adherence")) => (id, Effect::Adherence),
                _ => (line.group.as_str(), Effect::Assignment),
            };
            let domains = Domain::ALL.into_iter();
            let mut all = domains.flat_map(|domain| questions(domain, effect));
            let question = all.find(|one| one.id == id).unwrap();
            assert!(question.options.contains(answer), "{id} {answer}");
            assert!(line.words.ends_with('.'), "{}", line.words);
        }
        for other in ["design.txt", "facts.txt"] {
            let text = match other {
                "design.txt" => include_str!("design.txt"),
                _ => include_str!("facts.txt"),
            };
            let lines = patterns::meant(text).filter(|line| !line.starts_with('['));
            assert_eq!(lines.count(), patterns::read(text).len(), "{other}");
        }
    }
}
