//! The sentences of located passages, each with its terms and what speaks for and against it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fathom_evidence::document::ParagraphRole;
use fathom_evidence::summarise::{self, SentenceScore, SummarySentence};
use fathom_evidence::terms::Terms;
use fathom_evidence::{Language, Span};

use super::Reading;
use crate::words;

/// A quote is one or two sentences of together so many words.
pub(super) const QUOTE_WORDS: std::ops::RangeInclusive<usize> = 5..=60;

/// What speaks against a sentence so much that it is never quoted: a question, boilerplate.
const NOT_QUOTED: f64 = 0.6;

/// A pronoun among so many first words may stand for the subject.
const PRONOUN_WITHIN: usize = 7;

/// One sentence that may be quoted.
pub(super) struct QuotableSentence<'d> {
    /// The place of its reading among those that are kept.
    pub(super) reading: usize,
    pub(super) passage: usize,
    /// From the sentence before it where it hangs on that one.
    pub(super) span: Span,
    pub(super) quote: &'d str,
    pub(super) lower: String,
    /// The numbers of its terms.
    pub(super) terms: BTreeSet<usize>,
    pub(super) sections: &'d [String],
    pub(super) score: SentenceScore,
    /// It begins with a word that points back, and what it points to could not be taken along.
    pub(super) hangs: bool,
}

/// Everything that may be quoted from the passages at hand.
pub(super) struct Gathered<'d> {
    pub(super) said: Vec<QuotableSentence<'d>>,
    /// Of each passage: the terms of its title, its sections and its own text.
    around: BTreeMap<(usize, usize), BTreeSet<usize>>,
    numbers: HashMap<String, usize>,
    /// Of each term, by its number: in how many sentences it stands.
    held: Vec<f64>,
    terms: Terms,
    language: Language,
}

impl<'d> Gathered<'d> {
    pub(super) fn new(language: Language) -> Self {
        Self {
            said: Vec::new(),
            around: BTreeMap::new(),
            numbers: HashMap::new(),
            held: Vec::new(),
            terms: Terms::new(language),
            language,
        }
    }

    /// Reads passages that were not read before, each given by its reading and its place in it.
    pub(super) fn add(&mut self, readings: &[&'d Reading], passages: &BTreeSet<(usize, usize)>) {
        let fresh = |s: &SummarySentence<'_>| {
            let key = (s.source, s.passage);
            passages.contains(&key) && !self.around.contains_key(&key)
        };
        let mut sentences: Vec<SummarySentence<'d>> = Vec::new();
        for (nth, reading) in readings.iter().enumerate() {
            let own = summarise::sentences_of(nth, &reading.document, &reading.passages);
            sentences.extend(own.into_iter().filter(fresh));
        }
        // Only what speaks for and against a sentence is taken, whatever is asked.
        let scores = summarise::scores("", &sentences, self.language);
        let mut before: Option<&SummarySentence<'d>> = None;
        for (sentence, score) in sentences.iter().zip(scores) {
            let Some(reading) = readings.get(sentence.source) else {
                continue;
            };
            let key = (sentence.source, sentence.passage);
            let own = self.numbered(sentence.text);
            for term in &own {
                self.held[*term] += 1.0;
            }
            if !self.around.contains_key(&key) {
                let titles = self.titles(reading, sentence);
                self.around.insert(key, titles);
            }
            if let Some(around) = self.around.get_mut(&key) {
                around.extend(own.iter().copied());
            }
            let earlier = before.filter(|b| (b.source, b.passage) == key);
            self.said
                .extend(said(reading, sentence, earlier, own, score));
            before = Some(sentence);
        }
    }

    /// The places of the sentences of one passage.
    pub(super) fn in_passage(&self, spot: (usize, usize)) -> impl Iterator<Item = usize> {
        let said = self.said.iter().enumerate();
        said.filter(move |(_, one)| (one.reading, one.passage) == spot)
            .map(|(nth, _)| nth)
    }

    pub(super) fn around(&self, said: &QuotableSentence<'_>) -> Option<&BTreeSet<usize>> {
        self.around.get(&(said.reading, said.passage))
    }

    /// The number of a term; nothing where no sentence has it.
    pub(super) fn number(&self, term: &str) -> Option<usize> {
        self.numbers.get(term).copied()
    }

    fn numbered(&mut self, text: &str) -> BTreeSet<usize> {
        let mut own = BTreeSet::new();
        for term in self.terms.telling(text) {
            let next = self.numbers.len();
            own.insert(*self.numbers.entry(term).or_insert(next));
        }
        self.held.resize(self.numbers.len(), 0.0);
        own
    }

    fn titles(&mut self, reading: &Reading, sentence: &SummarySentence<'_>) -> BTreeSet<usize> {
        let title = reading.document.about.title.iter();
        let titles: Vec<&String> = title.chain(sentence.sections).collect();
        let numbered = titles.into_iter().map(|title| self.numbered(title));
        numbered.flatten().collect()
    }

    /// By which texts are turned into terms.
    pub(super) fn terms(&self) -> &Terms {
        &self.terms
    }

    /// What a term counts: somewhat more the fewer sentences have it.
    pub(super) fn rarity(&self, term: &str) -> f64 {
        let all = self.said.len().max(1) as f64;
        let held = self.number(term).map_or(0.0, |number| self.held[number]);
        (1.0 + all / (held + 1.0)).ln().sqrt()
    }
}

fn said<'d>(
    reading: &'d Reading,
    sentence: &SummarySentence<'d>,
    before: Option<&SummarySentence<'d>>,
    terms: BTreeSet<usize>,
    score: SentenceScore,
) -> Option<QuotableSentence<'d>> {
    let lower = sentence.text.to_lowercase();
    if !may_be_quoted(reading, sentence, &lower) || score.against >= NOT_QUOTED {
        return None;
    }
    let hangs = hangs(&lower);
    let joined = before
        .filter(|_| hangs)
        .filter(|b| {
            let lower = b.text.to_lowercase();
            !self::hangs(&lower) && may_be_quoted(reading, b, &lower)
        })
        .map(|b| Span::new(b.span.start, sentence.span.end))
        .filter(|span| in_one_paragraph(reading, *span))
        .and_then(|span| Some((span, reading.document.at(span)?)))
        .filter(|(_, text)| QUOTE_WORDS.contains(&text.split_whitespace().count()));
    let (span, quote) = joined.unwrap_or((sentence.span, sentence.text));
    QUOTE_WORDS
        .contains(&quote.split_whitespace().count())
        .then(|| QuotableSentence {
            reading: sentence.source,
            passage: sentence.passage,
            span,
            quote,
            lower,
            terms,
            sections: sentence.sections,
            score,
            hangs: hangs && joined.is_none(),
        })
}

/// Prose that ends as sentences do and gives no orders. Rows of tables say nothing alone.
fn may_be_quoted(reading: &Reading, sentence: &SummarySentence<'_>, lower: &str) -> bool {
    let text = sentence.text;
    let role = paragraph_role(reading, sentence.span.start);
    let prose = matches!(
        role,
        Some(ParagraphRole::Body | ParagraphRole::ListItem | ParagraphRole::Quote)
    );
    let whole = text.ends_with(['.', '!', ')', '’', '。']);
    let begins = !text.starts_with(char::is_lowercase);
    // A quote inside a quote cannot be told from its end.
    let marked = text.contains(['“', '”', '„', '"', '«', '»']);
    prose && whole && begins && !marked && !is_order(lower)
}

fn paragraph_role(reading: &Reading, offset: usize) -> Option<ParagraphRole> {
    let paragraphs = &reading.document.paragraphs;
    let after = paragraphs.partition_point(|p| p.span.start <= offset);
    Some(paragraphs.get(after.checked_sub(1)?)?.role)
}

fn in_one_paragraph(reading: &Reading, span: Span) -> bool {
    let paragraphs = &reading.document.paragraphs;
    paragraphs.iter().any(|p| p.span.holds(span))
}

fn is_order(lower: &str) -> bool {
    words::all("orders").any(|order| words::holds(lower, order))
}

/// Whether a sentence begins with words that point back.
fn hangs(lower: &str) -> bool {
    let start = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    if counts_what_was_named_before(start)
        || tells_of_something_named_before(start)
        || has_a_pronoun_for_subject(start)
        || speaks_of_a_change_told_before(start)
    {
        return true;
    }
    words::all("hangs").any(|opening| {
        let rest = start.strip_prefix(opening);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
    })
}

/// "The warmth on it was …" and "the size of this rise is …" do not say on what and of which; "the two roads …" does not
/// say which two.
fn tells_of_something_named_before(start: &str) -> bool {
    let said: Vec<&str> = start.split_whitespace().take(PRONOUN_WITHIN).collect();
    let points = |pair: &[&str]| match pair {
        [tie, word] => {
            let ties = ["on", "in", "of", "with", "from", "under", "to", "for", "by"];
            let back = ["it", "them", "him", "her", "this", "these", "those"];
            ties.contains(tie) && back.contains(&word.trim_end_matches(','))
        }
        _ => false,
    };
    let few = match said.as_slice() {
        ["the", count, next, ..] => {
            let ranked = matches!(*next, "most" | "main" | "largest" | "best" | "least");
            !ranked && words::all("numerals").any(|word| word == *count)
        }
        _ => false,
    };
    few || said.windows(2).any(points)
}

/// "The drop followed …" does not say what dropped; "the drop in traffic …" does.
fn speaks_of_a_change_told_before(start: &str) -> bool {
    let Some(rest) = start.strip_prefix("the ") else {
        return false;
    };
    let mut said = rest.split_whitespace();
    let change = said.next().unwrap_or_default();
    let next = said.next().unwrap_or_default();
    let told = matches!(
        next,
        "of" | "in" | "between" | "from" | "on" | "that" | "to"
    );
    words::all("changes").any(|known| known == change) && !told
}

/// "Eleven of the 21 …" and "two of them …" do not say of what.
fn counts_what_was_named_before(start: &str) -> bool {
    let counts = |word: &str| {
        let digits = word.starts_with(|c: char| c.is_ascii_digit());
        digits || words::all("counts").any(|known| known == word)
    };
    let mut said = start.split_whitespace();
    let (first, joint) = (said.next().unwrap_or_default(), said.next());
    let (what, next) = (said.next().unwrap_or_default(), said.next());
    let known = matches!(what, "these" | "those" | "them" | "us");
    counts(first) && joint == Some("of") && (known || (what == "the" && next.is_some_and(counts)))
}

/// "On the ring road it fell …" does not say what fell: a pronoun among the first words, behind a preposition.
fn has_a_pronoun_for_subject(start: &str) -> bool {
    let mut opening = start.split_whitespace().take(PRONOUN_WITHIN);
    let ties = ["on", "in", "at", "after", "during", "by", "near", "for"];
    let tied = opening.next().is_some_and(|first| ties.contains(&first));
    tied && opening.any(|word| matches!(word, "it" | "they" | "he" | "she"))
}
