//! A sentence read word by word: what it is about, what it denies, which way it points.

use crate::terms::Terms;
use crate::{Language, Span};

use super::lexicon::{Direction, LEXICON};

/// No sentence is read further: what is longer is a table or worse.
const WORDS_MAX: usize = 200;

/// One word of a sentence.
#[derive(Clone, Debug)]
pub(crate) struct SentenceWord {
    pub(crate) span: Span,
    pub(crate) term: String,
    /// It says what the sentence is about.
    pub(crate) content: bool,
    /// It belongs to words that turn the statement around.
    pub(crate) denies: bool,
    pub(crate) directions: &'static [Direction],
    /// Counts up where a comma, semicolon or "but" begins something new.
    pub(crate) clause: usize,
}

impl SentenceWord {
    pub(crate) fn is_number(&self) -> bool {
        let numeric = |c: char| c.is_numeric() || matches!(c, '.' | ',');
        self.term.chars().all(numeric) || LEXICON.numerals.contains_key(self.term.as_str())
    }
}

/// Reads sentences in one language.
pub(crate) struct SentenceReader {
    terms: Terms,
    english: bool,
}

impl SentenceReader {
    pub(crate) fn new(language: Language) -> Self {
        Self {
            terms: Terms::new(language),
            english: language == Language::ENGLISH,
        }
    }

    pub(crate) fn read(&self, text: &str) -> Vec<SentenceWord> {
        let spans: Vec<Span> = words(text).take(WORDS_MAX).collect();
        let lower: Vec<String> = spans.iter().map(|span| plain(span, text)).collect();
        let denying = if self.english {
            denials(&lower)
        } else {
            Vec::new()
        };
        let mut read = Vec::with_capacity(spans.len());
        let (mut clause, mut end) = (0, 0);
        for (i, (span, word)) in spans.iter().zip(&lower).enumerate() {
            let between = text.get(end..span.start).unwrap_or_default();
            if between.contains([',', ';', ':', '(', ')', '—']) || is_turn(word) {
                clause += 1;
            }
            end = span.end;
            let term = self.terms.term(word);
            read.push(SentenceWord {
                span: *span,
                content: self.is_content(word),
                denies: denying.get(i).copied().unwrap_or(false),
                directions: self.directions(&term),
                term,
                clause,
            });
        }
        read
    }

    fn is_content(&self, word: &str) -> bool {
        if self.english {
            let stem = word.split('\'').next().unwrap_or_default();
            !LEXICON.stop.contains(word) && !LEXICON.stop.contains(stem)
        } else {
            word.chars().count() > 3 || word.contains(char::is_numeric)
        }
    }

    fn directions(&self, term: &str) -> &'static [Direction] {
        match LEXICON.directions.get(term) {
            Some(held) if self.english => held,
            _ => &[],
        }
    }
}

/// Runs of letters and digits; an apostrophe inside stays, and so does a point or comma between
/// digits.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Span> {
    let mut rest = crate::terms::words(text).peekable();
    std::iter::from_fn(move || {
        let mut span = rest.next()?;
        while let Some(next) = rest.peek() {
            let joined = match text.get(span.end..next.start) {
                Some("'" | "\u{2019}") => true,
                Some("." | ",") => {
                    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
                    digit(text.get(..span.end).and_then(|t| t.chars().next_back()))
                        && digit(text.get(next.start..).and_then(|t| t.chars().next()))
                }
                _ => false,
            };
            if !joined {
                break;
            }
            span.end = next.end;
            rest.next();
        }
        Some(span)
    })
}

/// In lower case, with a plain apostrophe and without a genitive's s.
fn plain(span: &Span, text: &str) -> String {
    let word = span.of(text).unwrap_or_default().to_lowercase();
    let word = word.replace('\u{2019}', "'");
    match word.strip_suffix("'s") {
        Some(owner) => owner.to_owned(),
        None => word,
    }
}

fn is_turn(word: &str) -> bool {
    matches!(
        word,
        "but" | "however" | "although" | "whereas" | "while" | "though"
    )
}

/// Which words belong to phrases that turn a statement around.
pub(crate) fn denials(words: &[String]) -> Vec<bool> {
    let mut marks = vec![false; words.len()];
    let mut i = 0;
    while i < words.len() {
        let rest = words.get(i..).unwrap_or_default();
        let fits = |phrase: &[&str]| {
            phrase.len() <= rest.len() && phrase.iter().zip(rest).all(|(a, b)| a == b)
        };
        let Some(phrase) = LEXICON.negations.iter().find(|p| fits(&p.words)) else {
            i += 1;
            continue;
        };
        if phrase.turns {
            marks
                .iter_mut()
                .skip(i)
                .take(phrase.words.len())
                .for_each(|m| *m = true);
        }
        i += phrase.words.len();
    }
    marks
}
