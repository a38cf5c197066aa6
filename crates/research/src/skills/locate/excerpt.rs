//! The sentences of the best passages that are likeliest to answer, few enough to be read at a glance.
//!
//! A passage that ranks well has the answer in it more often than in its first lines. So sentences are weighed one by
//! one: by the rank of their passage, the question's words, an encoder's opinion where there is one, and whether they
//! look like the kind of answer that is asked for. Neighbours that are both chosen are quoted together.

mod question_words;
mod sentence;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use fathom_evidence::question::AnswerKind;
use fathom_evidence::{Language, Span, leans_on_the_one_before, states_an_aim};

use self::sentence::{FEW_WORDS, GAP_CHARS, SPACELESS_LEAST, words_of};

pub(crate) use self::question_words::{QuestionWords, coverage, telling};
pub(crate) use self::sentence::{Sentence, of_evidence, of_passages};

/// Characters of all excerpts of an answer together. A single sentence may be longer.
const ANSWER_CHARS: usize = 680;

/// Passages that an answer quotes from.
const ANSWER_PASSAGES: usize = 3;

/// What counts for a sentence beside an encoder's opinion: the share of the question's words that it and the headings above it
/// have, what documents say for them, and looking like the kind of answer asked for, all the more where a review on the subject
/// pools several studies, or where it tells what the thing asked for is. Against it: each rank of its passage, text that is no
/// prose, an aim where a result is wanted, few words.
const WORDS_SHARE: f64 = 0.4;
const HEADINGS_SHARE: f64 = 0.2;
const MEANT_SHARE: f64 = 0.1;
const KIND_GAIN: f64 = 0.15;
const POOLED_GAIN: f64 = 0.5;
const DEFINES_GAIN: f64 = 0.5;
const NAMED_ABOVE_GAIN: f64 = 0.2;
const REVIEW_COVERED: f64 = 0.2;
const RANK_LOSS: f64 = 0.03;
const NO_PROSE_LOSS: f64 = 0.3;
const AIM_LOSS: f64 = 0.15;
const FEW_WORDS_LOSS: f64 = 0.1;

/// A sentence that has so large a share of the question's words, rare ones counting most, is taken to answer it, where it
/// looks like the kind of answer asked for. Words spread over several sentences say little.
const ANSWERS_COVERED: f64 = 0.65;

/// The same share with all words counting alike: two rare words of four are not the question. Where a question has fewer words
/// than these, they say too little, unless the sentence looks like the kind of answer and opens with one of them.
const ANSWERS_SHARE: f64 = 0.75;
const ANSWERS_WORDS: usize = 3;

/// A sentence that tells what something is has the thing among so many first words.
const OPENING_WORDS: usize = 4;

/// Two sentences that begin with the same letters and digits, so many of them, say the same.
const COPY_CHARS: usize = 80;

/// A sentence of a piece of evidence, or several that follow each other there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Excerpt {
    /// The place of the evidence.
    pub(crate) evidence: usize,
    /// Within the source's text.
    pub(crate) span: Span,
    pub(crate) text: String,
    /// The largest share of the question's words that one of its sentences has, 0 to 1.
    pub(crate) covered: f64,
    score: f64,
}

/// The excerpts that answer best, and the best sentence of each other passage, both best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Excerpts {
    pub(crate) answer: Vec<Excerpt>,
    pub(crate) further: Vec<Excerpt>,
    /// Whether they fit the question so well that they are taken to answer it.
    pub(crate) answers: bool,
}

/// Chooses among sentences. `meaning` is an encoder's opinion of each, where there is one.
pub(crate) fn best(
    all: &[Sentence],
    meaning: Option<&[f32]>,
    words: &QuestionWords,
    kind: AnswerKind,
    language: Language,
) -> Excerpts {
    // Cosines are taken as they are; scores of another scale count 1 at most.
    let scale = meaning.map_or(1.0, |all| all.iter().copied().fold(1.0, f32::max));
    let weigh = |(at, sentence)| {
        let near = meaning.and_then(|all: &[f32]| all.get(at)).copied();
        let near = f64::from(near.unwrap_or_default() / scale);
        Weighed::new(sentence, near, words, kind, language)
    };
    let weighed: Vec<Weighed<'_>> = all.iter().enumerate().map(weigh).collect();
    let mut ranked: Vec<usize> = (0..weighed.len()).collect();
    let score = |at: &usize| weighed.get(*at).map_or(f64::MIN, |one| one.score);
    // Of equal ones the earlier.
    ranked.sort_by(|a, b| score(b).total_cmp(&score(a)));
    let mut chosen: BTreeMap<usize, Vec<Weighed<'_>>> = BTreeMap::new();
    let mut said = BTreeSet::new();
    let mut chars = 0;
    for at in ranked.iter().copied() {
        for one in with_the_one_before(&weighed, at, language) {
            let Sentence { evidence, text, .. } = one.sentence;
            let room = chosen.contains_key(evidence) || chosen.len() < ANSWER_PASSAGES;
            let fits = chars == 0 || chars + text.len() <= ANSWER_CHARS;
            if room && fits && said.insert(beginning(text)) {
                chosen.entry(*evidence).or_default().push(*one);
                chars += text.len();
            }
        }
    }
    let mut seen: BTreeSet<usize> = chosen.keys().copied().collect();
    let further = ranked.into_iter().filter_map(|at| weighed.get(at).copied());
    let further = further.filter(|one| seen.insert(one.sentence.evidence));
    let answers = chosen.values().flatten().any(|one| {
        let text = one.sentence.text.as_str();
        let enough_words = words.count() >= ANSWERS_WORDS;
        let fits_kind = if words.ask_for_thing() {
            words.defined_in(text)
        } else if kind.has_signs() {
            kind.shows_in(text, language) && (enough_words || words.share(opening(text)) > 0.0)
        } else {
            enough_words
        };
        let has_words = one.covered >= ANSWERS_COVERED && words.share(text) >= ANSWERS_SHARE;
        one.sentence.prose && fits_kind && has_words
    });
    let mut answer: Vec<Excerpt> = chosen.into_values().flat_map(joined).collect();
    answer.sort_by(|a, b| b.score.total_cmp(&a.score));
    drop_strangers(&mut answer, words, meaning.is_some());
    Excerpts {
        answer,
        further: further.flat_map(|one| joined(vec![one])).collect(),
        answers,
    }
}

/// Takes out what merely filled the room: excerpts after the first without a word of the question, where no encoder found them near it.
fn drop_strangers(answer: &mut Vec<Excerpt>, words: &QuestionWords, encoded: bool) {
    let mut first = true;
    answer.retain(|one| {
        let on_subject =
            encoded || one.covered > 0.0 || words.meant(&words.terms_of(&one.text)) > 0.0;
        std::mem::take(&mut first) || on_subject
    });
}

/// A sentence, and after it the one before it where it is not understood without.
fn with_the_one_before<'w, 's>(
    all: &'w [Weighed<'s>],
    at: usize,
    language: Language,
) -> impl Iterator<Item = &'w Weighed<'s>> {
    let this = all.get(at);
    let before = at.checked_sub(1).and_then(|before| all.get(before));
    let before = before.zip(this).filter(|(before, this)| {
        let gap = this
            .sentence
            .span
            .start
            .saturating_sub(before.sentence.span.end);
        before.sentence.evidence == this.sentence.evidence
            && gap <= GAP_CHARS
            && leans_on_the_one_before(&this.sentence.text, language)
    });
    this.into_iter().chain(before.map(|(before, _)| before))
}

/// A sentence and how likely it answers.
#[derive(Clone, Copy)]
struct Weighed<'s> {
    sentence: &'s Sentence,
    covered: f64,
    score: f64,
}

impl<'s> Weighed<'s> {
    fn new(
        sentence: &'s Sentence,
        near: f64,
        words: &QuestionWords,
        kind: AnswerKind,
        language: Language,
    ) -> Self {
        let text = sentence.text.as_str();
        let held = words.terms_of(text);
        let covered = words.covered_by(&[&held]);
        let covered_with = |more: &str| words.covered_by(&[&held, &words.terms_of(more)]);
        let when = |holds: bool, counts: f64| if holds { counts } else { 0.0 };
        let shown = kind.shows_in(text, language);
        let on_subject = |title: &String| covered_with(title) >= REVIEW_COVERED;
        let on_subject = sentence.review.as_ref().is_some_and(on_subject);
        let pooled = on_subject && shown && kind == AnswerKind::HowMuch;
        let score = WORDS_SHARE * covered
            + HEADINGS_SHARE * (covered_with(&sentence.headings.join(" ")) - covered)
            + MEANT_SHARE * words.meant(&held)
            + near
            + when(shown, KIND_GAIN)
            + when(pooled, POOLED_GAIN)
            + when(words.defined_in(text), DEFINES_GAIN)
            + when(words.named_above(sentence), NAMED_ABOVE_GAIN)
            - when(!pooled, RANK_LOSS * sentence.evidence as f64)
            - when(!sentence.prose, NO_PROSE_LOSS)
            - when(states_an_aim(text, language), AIM_LOSS)
            - when(
                words_of(text) < FEW_WORDS && text.len() < SPACELESS_LEAST,
                FEW_WORDS_LOSS,
            );
        Self {
            sentence,
            covered,
            score,
        }
    }
}

/// Sentences of one passage as excerpts: neighbours stay together.
fn joined(mut chosen: Vec<Weighed<'_>>) -> Vec<Excerpt> {
    chosen.sort_by_key(|one| one.sentence.span.start);
    let mut excerpts: Vec<Excerpt> = Vec::new();
    for one in chosen {
        let Weighed {
            sentence,
            covered,
            score,
            ..
        } = one;
        match excerpts.last_mut() {
            Some(last) if sentence.span.start.saturating_sub(last.span.end) <= GAP_CHARS => {
                last.text.push(' ');
                last.text.push_str(&sentence.text);
                last.span = Span::new(last.span.start, sentence.span.end);
                last.covered = last.covered.max(covered);
                last.score = last.score.max(score);
            }
            _ => excerpts.push(Excerpt {
                evidence: sentence.evidence,
                span: sentence.span,
                text: sentence.text.clone(),
                covered,
                score,
            }),
        }
    }
    excerpts
}

/// The first words of a sentence.
fn opening(text: &str) -> &str {
    let mut blanks = text.match_indices(' ').map(|(at, _)| at);
    let end = blanks.nth(OPENING_WORDS - 1).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

fn beginning(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters
        .flat_map(char::to_lowercase)
        .take(COPY_CHARS)
        .collect()
}
