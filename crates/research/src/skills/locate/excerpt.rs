//! The sentences of the best passages that are likeliest to answer, few enough to be read at a glance.
//!
//! A passage that ranks well has the answer in it more often than in its first lines. So sentences are weighed one by
//! one: by the rank of their passage, the question's words, an encoder's opinion where there is one, and whether they
//! look like the kind of answer that is asked for. Neighbours that are both chosen are quoted together.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use fathom_evidence::document::ParagraphRole;
use fathom_evidence::question::{
    AnswerKind, AskedThing, document_words, names_review, natural_weights, pools_studies,
};
use fathom_evidence::terms::{Terms, words};
use fathom_evidence::{Language, Span, leans_on_the_one_before, sentences, states_an_aim};

use super::Reading;
use crate::analysis::Evidence;
use crate::library::WordMention;

/// Characters of all excerpts of an answer together. A single sentence may be longer.
const ANSWER_CHARS: usize = 680;

/// Passages that an answer quotes from.
const ANSWER_PASSAGES: usize = 3;

/// Sentences are taken from so many of the first passages.
const PASSAGES_LOOKED_AT: usize = 20;

/// Sentences of fewer words say little alone; so many characters say enough in a script without spaces.
const WORDS_LEAST: usize = 4;
const SPACELESS_LEAST: usize = 40;

/// So many fields with names make a row of a table.
const ROW_FIELDS: usize = 3;

/// Sentences of more characters say too much for a first look.
const LONG_CHARS: usize = 300;

/// What counts for a sentence beside an encoder's opinion: the share of the question's words and of what documents say
/// for them, and looking like the kind
/// of answer asked for, all the more where a review on the subject pools several studies or a sentence tells what the thing
/// asked for is. Against it: each rank of its
/// passage, program text and questions, an aim where a result is wanted, its length, few words, no full stop.
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
const LONG_LOSS: f64 = 0.1;
const FEW_WORDS_LOSS: f64 = 0.1;
const UNENDED_LOSS: f64 = 0.1;

/// A sentence of fewer words is hardly understood alone.
const FEW_WORDS: usize = 7;

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

/// Between two neighbours there is a blank, a line end or the space between two paragraphs.
const GAP_CHARS: usize = 2;

/// A sentence of a piece of evidence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sentence {
    /// The place of the evidence.
    pub(crate) evidence: usize,
    /// Within the source's text.
    pub(crate) span: Span,
    pub(crate) text: String,
    /// The headings above it, outermost first.
    headings: Vec<String>,
    /// Whether its passage begins with it.
    first: bool,
    /// Whether it is running text and no question.
    prose: bool,
    /// The title of the review in which it tells what several studies found together.
    review: Option<String>,
}

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

/// The words of a question that tell what it is about, as terms, each once.
pub(crate) fn telling(terms: &Terms, question: &str) -> BTreeSet<String> {
    terms.telling(question).into_iter().collect()
}

/// The share of some terms that texts have, 0 to 1.
pub(crate) fn coverage<const N: usize>(
    terms: &Terms,
    wanted: &BTreeSet<String>,
    texts: [&str; N],
) -> f64 {
    let held: BTreeSet<String> = texts.iter().flat_map(|text| terms.telling(text)).collect();
    wanted.intersection(&held).count() as f64 / wanted.len().max(1) as f64
}

/// The telling words of a question and what each counts: the more, the fewer passages have it.
pub(crate) struct QuestionWords {
    terms: Terms,
    weighed: Vec<(String, f64)>,
    /// What documents say for everyday words of the question.
    meant: BTreeSet<String>,
    /// The thing of a question that asks what it is.
    thing: Option<AskedThing>,
}

impl QuestionWords {
    /// Where the documents were not counted, all words count the same.
    pub(crate) fn new(question: &str, language: Language, mentions: &[WordMention]) -> Self {
        let terms = Terms::new(language);
        let weight = |term: &String| {
            let mut mentions = mentions.iter();
            let mention = mentions.find(|one| terms.term(&one.word) == *term);
            mention.map_or(1.0, |one| {
                (1.0 + one.of as f64 / (one.passages as f64 + 0.5)).ln()
            })
        };
        let wanted: Vec<String> = telling(&terms, question).into_iter().collect();
        let names: Vec<&str> = wanted.iter().map(String::as_str).collect();
        let natural = natural_weights(&names, language);
        let weighed = wanted.into_iter().zip(natural).map(|(term, natural)| {
            let weight = weight(&term) * f64::from(natural);
            (term, weight)
        });
        Self {
            weighed: weighed.collect(),
            meant: telling(&terms, &document_words(question, language).join(" ")),
            thing: AskedThing::read(question, language),
            terms,
        }
    }

    /// With the words of a part of the question counting so much more.
    #[must_use]
    pub(crate) fn stressing(mut self, part: &str, factor: f64) -> Self {
        let stressed = telling(&self.terms, part);
        for (term, weight) in &mut self.weighed {
            if stressed.contains(term) {
                *weight *= factor;
            }
        }
        self
    }

    /// Whether a sentence tells what the thing is that is asked for.
    fn defined_in(&self, sentence: &str) -> bool {
        let thing = self.thing.as_ref();
        thing.is_some_and(|thing| thing.is_told_in(sentence))
    }

    /// Whether a sentence is the first under the name of the thing that is asked for.
    fn named_above(&self, sentence: &Sentence) -> bool {
        let heading = sentence.headings.last().filter(|_| sentence.first);
        let both = self.thing.as_ref().zip(heading);
        both.is_some_and(|(thing, heading)| thing.is_name(heading))
    }

    /// The share of what documents say for them that a text has, 0 to 1.
    fn meant(&self, text: &str) -> f64 {
        coverage(&self.terms, &self.meant, [text])
    }

    /// The share of them that a text has, all counting alike.
    fn share(&self, text: &str) -> f64 {
        let wanted = self.weighed.iter().map(|(term, _)| term.clone()).collect();
        coverage(&self.terms, &wanted, [text])
    }

    /// The weighed share of them that texts have, 0 to 1.
    pub(crate) fn covered<const N: usize>(&self, texts: [&str; N]) -> f64 {
        let held: BTreeSet<String> = texts
            .iter()
            .flat_map(|text| self.terms.telling(text))
            .collect();
        let all: f64 = self.weighed.iter().map(|(_, weight)| weight).sum();
        let has = self.weighed.iter().filter(|(term, _)| held.contains(term));
        has.map(|(_, weight)| weight).sum::<f64>() / all.max(f64::MIN_POSITIVE)
    }
}

/// The sentences of the first passages, in their order, where nothing is known of their documents but the titles.
pub(crate) fn of_passages(
    evidence: &[Evidence],
    titles: &[&str],
    language: Language,
) -> Vec<Sentence> {
    let mut found = Vec::new();
    let titled = evidence.iter().zip(titles).enumerate();
    for (at, (piece, title)) in titled.take(PASSAGES_LOOKED_AT) {
        let review = Some(*title).filter(|title| names_review(title, language));
        found.extend(of_piece(at, piece, review, |_| false, language));
    }
    found
}

/// The sentences of the first passages, in their order.
pub(super) fn of_evidence(
    evidence: &[Evidence],
    readings: &[&Reading],
    language: Language,
) -> Vec<Sentence> {
    let mut found = Vec::new();
    for (at, piece) in evidence.iter().enumerate().take(PASSAGES_LOOKED_AT) {
        let reading = readings.iter().find(|one| one.source == piece.source);
        let title = reading.and_then(|one| one.document.about.title.as_deref());
        let review = title.filter(|title| names_review(title, language));
        let is_code = |span: Span| {
            let mut paragraphs = reading.iter().flat_map(|one| &one.document.paragraphs);
            paragraphs.any(|one| one.role == ParagraphRole::Code && one.span.overlaps(span))
        };
        found.extend(of_piece(at, piece, review, is_code, language));
    }
    found
}

/// The sentences of one passage that say enough alone. `is_code` tells whether a span of its source is program text.
fn of_piece(
    at: usize,
    piece: &Evidence,
    review: Option<&str>,
    is_code: impl Fn(Span) -> bool,
    language: Language,
) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut term: Option<Span> = None;
    for within in sentences(&piece.quote, language) {
        let Some(text) = within.of(&piece.quote) else {
            continue;
        };
        if words_of(text) < WORDS_LEAST && text.chars().count() < SPACELESS_LEAST {
            term = (!text.ends_with(['.', '!', '?'])).then_some(within);
            continue;
        }
        // What a list explains stands before the explanation: "-u", "100-999".
        let near = |term: &Span| within.start.saturating_sub(term.end) <= GAP_CHARS;
        let begins = term
            .take()
            .filter(near)
            .map_or(within.start, |term| term.start);
        let within = Span::new(begins, within.end);
        let text = within.of(&piece.quote).unwrap_or(text);
        let span = within.moved(piece.span.start);
        found.push(Sentence {
            evidence: at,
            span,
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            headings: piece.sections.clone(),
            first: within.start == 0,
            prose: reads_as_prose(text) && !is_code(span),
            review: review
                .filter(|_| pools_studies(text, language))
                .map(str::to_owned),
        });
    }
    found
}

/// Running text, as far as its signs tell, and no question.
fn reads_as_prose(text: &str) -> bool {
    !text.ends_with('?')
        && !looks_like_code(text)
        && !looks_like_row(text)
        && !looks_like_titles(text)
}

/// Titles one after another, as in a table of contents: no full stop, and nearly all words begin large.
fn looks_like_titles(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let large = words
        .iter()
        .filter(|word| word.starts_with(char::is_uppercase))
        .count();
    words.len() >= FEW_WORDS && !text.ends_with(['.', '!', ':']) && large * 10 >= words.len() * 7
}

/// A row of a table as it is read, such as "street: Mill Lane; trees: 14; °C: 1.9" or "Mill Lane | 14 | 1.9".
fn looks_like_row(text: &str) -> bool {
    let fields = text.split("; ");
    let named = fields.filter(|field| field.contains(": ")).count();
    named >= ROW_FIELDS || text.split(" | ").count() >= ROW_FIELDS
}

/// Program text that a document does not mark as such.
fn looks_like_code(text: &str) -> bool {
    [">>>", "=>", "->", "::", "{", "}", "&mut", "();"]
        .iter()
        .any(|sign| text.contains(sign))
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
        let enough_words = words.weighed.len() >= ANSWERS_WORDS;
        let fits_kind = if words.thing.is_some() {
            words.defined_in(text)
        } else if kind.has_signs() {
            kind.shows_in(text, language) && (enough_words || words.share(opening(text)) > 0.0)
        } else {
            enough_words
        };
        fits_kind && one.covered >= ANSWERS_COVERED && words.share(text) >= ANSWERS_SHARE
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
        let on_subject = encoded || one.covered > 0.0 || words.meant(&one.text) > 0.0;
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
        let covered = words.covered([text]);
        let when = |holds: bool, counts: f64| if holds { counts } else { 0.0 };
        let shown = kind.shows_in(text, language);
        let on_subject = |title: &String| words.covered([text, title]) >= REVIEW_COVERED;
        let on_subject = sentence.review.as_ref().is_some_and(on_subject);
        let pooled = on_subject && shown && kind == AnswerKind::HowMuch;
        let ended = text.ends_with(['.', '!', ')', '”', '"', '。']);
        let score = WORDS_SHARE * covered
            + HEADINGS_SHARE * (words.covered([text, &sentence.headings.join(" ")]) - covered)
            + MEANT_SHARE * words.meant(text)
            + near
            + when(shown, KIND_GAIN)
            + when(pooled, POOLED_GAIN)
            + when(words.defined_in(text), DEFINES_GAIN)
            + when(words.named_above(sentence), NAMED_ABOVE_GAIN)
            - when(!pooled, RANK_LOSS * sentence.evidence as f64)
            - when(!sentence.prose, NO_PROSE_LOSS)
            - when(states_an_aim(text, language), AIM_LOSS)
            - when(text.len() > LONG_CHARS, LONG_LOSS)
            - when(
                words_of(text) < FEW_WORDS && text.len() < SPACELESS_LEAST,
                FEW_WORDS_LOSS,
            )
            - when(!ended, UNENDED_LOSS);
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

fn words_of(text: &str) -> usize {
    words(text).count()
}

fn beginning(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters
        .flat_map(char::to_lowercase)
        .take(COPY_CHARS)
        .collect()
}
