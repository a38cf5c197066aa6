//! Has sentences written from passages, sets their citations, and checks each against the stored text of what it cites.
//!
//! Takes a task for a writer and what a draft is held against; gives Markdown in which every sentence cites a source that
//! bears it out, or is marked. A sentence without a passage goes, and so does one that a check could not see as a claim: a
//! question, a heading, a word about the report. The numbers in brackets are set here and by nobody else.

use std::collections::BTreeSet;

use fathom_evidence::claim::{Claim, Stated};
use fathom_evidence::terms::Terms;
use fathom_evidence::{Language, sentences};
use fathom_render::report::Answered;
use fathom_workflow::NodeError;

use super::cite::{self, CitationTask};
use super::locate::excerpt::coverage;
use crate::calls::RecordedFailure;
use crate::citations::CheckedClaim;
use crate::draft::Draft;
use crate::reasoner::{
    AnswerTask, Ctx, Judged, SentenceKind, TaskPassage, WrittenAnswer, judge_if_able,
};

/// An answer whose every sentence was checked.
pub(crate) struct Composed {
    /// Markdown: the sentences with their citations; those that nobody could confirm are marked.
    pub(crate) text: String,
    /// The same sentences, each with its sources, the verdict and the proof.
    pub(crate) claims: Vec<CheckedClaim>,
    /// Whether they answer the question, in the model's opinion; never yes where most of them could not be confirmed.
    pub(crate) answered: Answered,
    /// What is missing, where it is told in the question's own words.
    pub(crate) missing: Option<String>,
    /// The model that wrote.
    pub(crate) by: String,
    /// Calls that failed on the way.
    pub(crate) failures: Vec<RecordedFailure>,
}

/// Has an answer written and checked; gives the failures where nobody can write.
pub(crate) async fn compose(
    ctx: &Ctx,
    task: &AnswerTask<'_>,
    check: &CitationTask<'_>,
) -> Result<Result<Composed, Vec<RecordedFailure>>, NodeError> {
    let writers = &ctx.deps().reasoners.answer_writers;
    let written = judge_if_able(writers, |writer| writer.write_sentences(ctx, task)).await?;
    let Judged {
        value: written,
        by,
        mut failures,
    } = match written {
        Ok(judged) => judged,
        Err(failures) => return Ok(Err(failures)),
    };
    let cited = CitedText::new(&written, task.passages, task.language);
    let checked = cite::check(check, ctx, Draft::of_answer(cited.sentences.join(" "))).await?;
    failures.extend(checked.failures);
    let (text, claims) = (checked.draft.answer, checked.check.claims);
    Ok(Ok(Composed {
        answered: if text.trim().is_empty() {
            Answered::No
        } else if CheckedClaim::most_confirmed(claims.iter()) {
            written.answered
        } else {
            written.answered.min(Answered::Partly)
        },
        claims,
        missing: Some(written.missing)
            .filter(|missing| !missing.is_empty())
            .filter(|missing| says_no_more(missing, task.question, task.language)),
        text,
        by,
        failures,
    }))
}

/// What a model wrote, with citations set by code. Not checked yet.
pub(crate) struct CitedText {
    /// Sentences with their citations.
    pub(crate) sentences: Vec<String>,
    /// Sentences that rest on nothing, or that no check would look at.
    pub(crate) dropped: usize,
}

impl CitedText {
    /// Sets the citations.
    pub(crate) fn new(
        written: &WrittenAnswer,
        passages: &[TaskPassage],
        language: Language,
    ) -> Self {
        let (mut kept, mut dropped) = (Vec::new(), 0);
        let terms = Terms::new(language);
        for sentence in &written.sentences {
            if sentence.kind == SentenceKind::Unknown {
                continue;
            }
            let rests_on = sentence.passages.iter();
            let rests_on: Vec<&TaskPassage> = rests_on.filter_map(|at| passages.get(*at)).collect();
            let text = without_lead_in(&without_markup(&sentence.text));
            for span in sentences(&text, language) {
                let one = span.of(&text).unwrap_or_default();
                match cited(one, &bearing(one, &rests_on, &terms)) {
                    // A small model says the same twice.
                    Some(one) if kept.contains(&one) => dropped += 1,
                    Some(one) => kept.push(one),
                    None => dropped += 1,
                }
            }
        }
        Self {
            sentences: kept,
            dropped,
        }
    }

    /// Takes out the sentences that stand word for word in the first of the quotes below them: a small model copies what it is
    /// shown. One from a later quote stays, since it brings that up.
    pub(crate) fn leave_to_quotes(&mut self, quotes: &str) {
        let first = letters(quotes.split("\n\n").next().unwrap_or_default());
        self.sentences.retain(|sentence| {
            let words = sentence
                .rfind(" [")
                .map_or(sentence.as_str(), |at| &sentence[..at]);
            !first.contains(&letters(words))
        });
    }
}

/// The letters and digits of a text, small, as copies are compared by them.
fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// A sentence without words that only say where it is from.
fn without_lead_in(sentence: &str) -> String {
    let said = LEAD_INS.iter().find_map(|lead| sentence.strip_prefix(lead));
    let Some(said) = said else {
        return sentence.to_owned();
    };
    let mut letters = said.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Of the passages that a model names those that can bear a sentence out: a small one names all it was shown. They have all
/// numbers of the sentence, where any of them has, and at least half as many of its words as the best.
fn bearing<'p>(
    sentence: &str,
    passages: &[&'p TaskPassage],
    terms: &Terms,
) -> Vec<&'p TaskPassage> {
    let said: BTreeSet<String> = terms.telling(sentence).into_iter().collect();
    let figures = numbers(sentence);
    let has_figures = |passage: &&TaskPassage| {
        let told = numbers(&passage.text);
        figures.iter().all(|number| told.contains(number))
    };
    let any_has_figures = passages.iter().any(has_figures);
    let able = passages
        .iter()
        .filter(|one| !any_has_figures || has_figures(one));
    let able: Vec<(&TaskPassage, f64)> = able
        .map(|one| (*one, coverage(terms, &said, [&one.text, &one.section])))
        .collect();
    let best = able.iter().map(|(_, share)| *share).fold(0.0, f64::max);
    let kept = able.into_iter().filter(|(_, share)| *share * 2.0 >= best);
    kept.map(|(one, _)| one).collect()
}

/// The numbers of a text as they are written, such as `1.8`.
fn numbers(text: &str) -> Vec<&str> {
    let parts = text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    let parts = parts.map(|part| part.trim_matches(['.', ',']));
    parts.filter(|part| !part.is_empty()).collect()
}

/// A sentence with its citations; nothing where it has none, or where a check would not take it for a claim.
fn cited(sentence: &str, passages: &[&TaskPassage]) -> Option<String> {
    let mut ids: Vec<u32> = passages.iter().map(|one| one.source.0).collect();
    ids.sort_unstable();
    ids.dedup();
    let claim = Claim::alone(sentence, &ids);
    let invented = sentence.contains("://") && !passages.iter().any(|one| one.text.contains("://"));
    if ids.is_empty() || claim.stated != Stated::Fact || invented {
        return None;
    }
    let body = sentence.trim_end_matches(['.', '!', '?', ' ']);
    let ids: String = ids.iter().map(|id| format!("[{id}]")).collect();
    Some(format!("{body} {ids}."))
}

/// A model's sentence as plain words: no brackets that could be read as citations or links, no marks of Markdown.
pub(crate) fn without_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Each turn takes a bracket off, so this ends.
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        rest = match after.split_once(']') {
            Some((inner, behind)) if inner.chars().all(|c| !c.is_alphabetic()) => behind,
            Some((inner, behind)) => {
                out.push_str(inner);
                behind
            }
            None => after,
        };
    }
    out.push_str(rest);
    let plain: String = out
        .chars()
        .filter(|c| !matches!(c, '`' | '*' | '|' | '[' | ']'))
        .collect();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_start_matches(['#', '>', '-', '+', ' ']);
    line.replace('<', "‹").replace('>', "›")
}

/// How small models begin a sentence that they have from a passage.
const LEAD_INS: [&str; 6] = [
    "The passage states that ",
    "The passage says that ",
    "The passages state that ",
    "According to the passage, ",
    "According to the passages, ",
    "The text states that ",
];

/// Words that state nothing by themselves, beside those of the question.
const PLAIN_WORDS: &str = "answer available cause compare comparison conclusion cost data detail difference document \
    effect evidence exact exactly example explain finding found give given information kind known limit mention method \
    missing name number part passage reason report result say said source specific specify state stated study summary \
    text tell value overview background question topic section open further other";

/// Words that turn a statement round, and those that turn it into one about the documents.
const TURNING: [&str; 8] = [
    "not", "no", "never", "none", "nothing", "without", "neither", "nor",
];
const ON_DOCUMENTS: &str = "answer available data detail document evidence exact found given information known mention missing \
    passage report said say source specify state stated tell";

/// Whether words say nothing that the question does not say itself: no other telling word, no other number, and no other
/// denial, unless of what the documents have.
pub(crate) fn says_no_more(words: &str, question: &str, language: Language) -> bool {
    let terms = Terms::new(language);
    let asked = terms.of(question);
    let plain = terms.of(PLAIN_WORDS);
    let known = |term: &String| asked.contains(term) || plain.contains(term);
    let own = numbers(question);
    let turns = |text: &str| {
        let text = text.to_lowercase();
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’');
        words.any(|word| TURNING.contains(&word) || word.ends_with("n't") || word.ends_with("n’t"))
    };
    let on_documents = terms.of(ON_DOCUMENTS);
    let denies = turns(words)
        && !turns(question)
        && !terms
            .of(words)
            .iter()
            .any(|term| on_documents.contains(term));
    !denies
        && terms.telling(words).iter().all(known)
        && numbers(words).iter().all(|number| own.contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reasoner::WrittenSentence;
    use crate::source::SourceId;

    const QUESTION: &str = "How much do street trees cool the air at noon?";

    fn passage(source: u32) -> TaskPassage {
        TaskPassage {
            source: SourceId(source),
            about: String::new(),
            section: String::new(),
            text: "Street trees cooled the afternoon air by 1.9 °C.".to_owned(),
        }
    }

    fn cited(texts: &[(&str, &[usize])]) -> CitedText {
        let sentence = |(text, passages): &(&str, &[usize])| WrittenSentence {
            passages: passages.to_vec(),
            text: (*text).to_owned(),
            kind: SentenceKind::Fact,
        };
        let written = WrittenAnswer {
            sentences: texts.iter().map(sentence).collect(),
            answered: Answered::Yes,
            missing: String::new(),
        };
        CitedText::new(&written, &[passage(7), passage(3)], Language::ENGLISH)
    }

    #[test]
    fn code_sets_the_citations_and_takes_those_of_the_model_away() {
        let cited = cited(&[
            (
                "Street trees cooled the air by 1.9 °C in the afternoon [99].",
                &[0, 1],
            ),
            (
                "## **Shade** lowers the surface temperature of asphalt [see](http://x.y)",
                &[1],
            ),
        ]);
        assert_eq!(
            cited.sentences.join(" "),
            "Street trees cooled the air by 1.9 °C in the afternoon [3][7]."
        );
        assert_eq!(cited.dropped, 1, "the link leads where no passage leads");
    }

    #[test]
    fn what_is_quoted_anyway_is_not_said_twice_and_lead_ins_go() {
        let mut cited = cited(&[
            ("The passage states that the air was cooled by trees.", &[0]),
            ("Street trees cooled the afternoon air by 1.9 °C.", &[0]),
            ("The road was in the shade.", &[0]),
        ]);
        cited.leave_to_quotes(
            "> Street trees cooled the afternoon air by 1.9 °C. [7]\n\n> The road was in the shade. [3]",
        );
        assert_eq!(
            cited.sentences,
            [
                "The air was cooled by trees [7].",
                "The road was in the shade [7]."
            ]
        );
    }

    #[test]
    fn of_all_passages_that_a_small_model_names_those_are_cited_that_can_bear_the_sentence_out() {
        let mut passages = [passage(7), passage(3), passage(5)];
        passages[1].text = "Street trees cooled the afternoon air by 0.5 °C.".to_owned();
        passages[2].text = "The road was paved in 1.9 days.".to_owned();
        let cited = |text: &str| {
            let named: Vec<&TaskPassage> = passages.iter().collect();
            let bearing = bearing(text, &named, &Terms::new(Language::ENGLISH));
            let ids: Vec<u32> = bearing.iter().map(|one| one.source.0).collect();
            ids
        };
        assert_eq!(cited("Street trees cooled the air by 1.9 °C."), [7]);
        assert_eq!(cited("Street trees cooled the afternoon air."), [7, 3]);
        assert_eq!(cited("Street trees cooled the air by 2.7 °C."), [7, 3]);
    }

    #[test]
    fn what_rests_on_nothing_or_would_not_be_checked_is_dropped() {
        let cited = cited(&[
            ("Street trees cure the gout of nine in ten dogs.", &[]),
            ("Why did the trees of Halvern kill 40 people?", &[0]),
            ("This report shows that trees cure the gout of dogs.", &[0]),
            (
                "The gout of dogs is cured by these trees in all towns:",
                &[0],
            ),
            (
                "Street trees cooled the afternoon air by 1.9 °C. It was measured in the shade.",
                &[0],
            ),
        ]);
        assert_eq!(cited.dropped, 4);
        assert_eq!(
            cited.sentences.join(" "),
            "Street trees cooled the afternoon air by 1.9 °C [7]. It was measured in the shade [7]."
        );
    }

    #[test]
    fn words_of_the_question_say_no_more_than_it_and_others_do() {
        let english = Language::ENGLISH;
        assert!(says_no_more(
            "how much the air is cooled at noon",
            QUESTION,
            english
        ));
        assert!(says_no_more(
            "No exact number for noon is given.",
            QUESTION,
            english
        ));
        assert!(!says_no_more(
            "the 40 deaths by street trees",
            QUESTION,
            english
        ));
        assert!(!says_no_more("the effect on gout", QUESTION, english));
        assert!(!says_no_more(
            "Street trees do not cool the air.",
            QUESTION,
            english
        ));
    }
}
