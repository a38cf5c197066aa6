//! Answers by phrases: what a sentence of the report proves, word for word.

use std::sync::LazyLock;

use crate::rob2::{Effect, SignalAnswer};

use super::article::Article;
use super::blinding::{TrialParty, knew};
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

/// An answer that code can prove; "no information" where two places of the report contradict each other.
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
    let told = party(id).is_some_and(|(party, _)| knew(party, plain).is_some());
    told || RULES
        .iter()
        .any(|(line, _)| line.group == group && line.is_in(plain))
}

/// The people whose knowledge a question asks about, as reasons name them.
fn party(id: &str) -> Option<(TrialParty, &'static str)> {
    match id {
        "2.1" => Some((TrialParty::Participants, "participants")),
        "2.2" => Some((TrialParty::Carers, "those who delivered the interventions")),
        "4.3" => Some((TrialParty::Assessors, "those who assessed the outcome")),
        _ => None,
    }
}

/// Questions that stay open where the report seems to answer them both ways. For the others the rule that comes first is
/// the more telling one.
const OPEN_IF_DISPUTED: [&str; 7] = ["1.3", "2.1", "2.2", "2.6", "3.1", "4.1", "4.3"];

const DISPUTED: &str =
    "Two places of the report seem to say opposite things; a person must decide.";

/// The answer of the first rule that finds a sentence: among the validated ones first, then in the whole report. What a
/// sentence says of the very people whom a question asks about comes before names of the whole trial.
pub(super) fn prove(
    id: &str,
    effect: Effect,
    article: &Article,
    validated: &[usize],
) -> Option<ProvenAnswer> {
    let search = SentenceSearch { article, validated };
    if let Some(told) = told_of_people(id, &search) {
        return Some(told);
    }
    let group = group(id, effect);
    let rules = || RULES.iter().filter(|(line, _)| line.group == group);
    let find = |line: &PatternLine| search.first(|plain| line.is_in(plain));
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
        proven.sentences.push(other);
        if OPEN_IF_DISPUTED.contains(&id) {
            proven.answer = SignalAnswer::NoInformation;
            proven.why = DISPUTED.to_owned();
        } else {
            proven
                .why
                .push_str(" Another place seems to say otherwise; see the second quote.");
        }
    }
    Some(proven)
}

/// What sentences say of the knowledge of the people whom a question asks about.
fn told_of_people(id: &str, search: &SentenceSearch<'_>) -> Option<ProvenAnswer> {
    let (party, people) = party(id)?;
    let told = |knew_it: bool| {
        search.first(|plain| {
            knew(party, plain) == Some(knew_it) && (knew_it || !is_collected(party, plain))
        })
    };
    let (answer, why, sentences) = match (told(false), told(true)) {
        (Some(blind), None) => (
            SignalAnswer::No,
            format!("The report says that {people} did not know the assignment."),
            vec![blind],
        ),
        (None, Some(aware)) => (
            SignalAnswer::Yes,
            format!("The report says that {people} knew the assignment."),
            vec![aware],
        ),
        (Some(blind), Some(aware)) => (
            SignalAnswer::NoInformation,
            DISPUTED.to_owned(),
            vec![blind, aware],
        ),
        (None, None) => return None,
    };
    Some(ProvenAnswer {
        answer,
        why,
        sentences,
    })
}

/// Whether a sentence has somebody only collect what participants report, who are the assessors then.
fn is_collected(party: TrialParty, plain: &str) -> bool {
    let collected = ["self-report", "self report", "interviewer", "telephone"];
    party == TrialParty::Assessors && collected.iter().any(|word| plain.contains(word))
}

/// Fewer words are a heading or a cell of a table.
const SENTENCE_WORDS_LEAST: usize = 4;

/// How the headings of plain texts of articles begin.
const BODY_HEADING: &str = "body.";

/// The sentences of a report, those that were validated for a question first.
struct SentenceSearch<'a> {
    article: &'a Article,
    validated: &'a [usize],
}

impl SentenceSearch<'_> {
    fn first(&self, fits: impl Fn(&str) -> bool) -> Option<usize> {
        let fits = |at: &usize| {
            let sentence = self.article.sentences.get(*at);
            let said = sentence.filter(|one| {
                one.is_on_this_trial()
                    && one.plain.split(' ').count() >= SENTENCE_WORDS_LEAST
                    && !one.plain.starts_with(BODY_HEADING)
            });
            said.is_some_and(|one| fits(&one.plain))
        };
        let first = self.validated.iter().copied().find(fits);
        first.or_else(|| (0..self.article.sentences.len()).find(fits))
    }
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
