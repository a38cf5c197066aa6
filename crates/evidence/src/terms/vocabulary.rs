//! Numbers the terms of many texts, and remembers which word became which term.

use super::{Terms, tokens};
use crate::Language;
use crate::fixed_hash::FixedMap;
use crate::interner::Interner;

/// Names a term within one vocabulary. Numbers are given in the order in which terms are met.
pub type TermId = u32;

/// What stands for a word that is left out.
const STOP: TermId = TermId::MAX;

type TermIds = FixedMap<Box<str>, TermId>;

/// The terms met so far. Stop words have no number. Each text is stemmed in its own language; words of several
/// languages that have the same stem are one term.
pub struct Vocabulary {
    /// The main language first, then the others in the order in which they were met.
    languages: Vec<LanguageWords>,
    stemmed: bool,
    names: Interner,
}

/// The words of one language that were met.
struct LanguageWords {
    language: Language,
    terms: Terms,
    of_token: TermIds,
}

impl LanguageWords {
    fn new(language: Language, stemmed: bool) -> Self {
        let mut terms = Terms::new(language);
        if !stemmed {
            terms.stemmer = None;
        }
        Self {
            language,
            terms,
            of_token: TermIds::default(),
        }
    }
}

impl Vocabulary {
    /// Of stemmed words.
    pub fn new(language: Language) -> Self {
        Self::in_language(language, true)
    }

    /// Of words as they are, in lower case and without accents, but with their endings.
    pub fn unstemmed(language: Language) -> Self {
        Self::in_language(language, false)
    }

    fn in_language(language: Language, stemmed: bool) -> Self {
        Self {
            languages: vec![LanguageWords::new(language, stemmed)],
            stemmed,
            names: Interner::default(),
        }
    }

    /// How many terms were met.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no term was met.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The term that has this number.
    pub fn name(&self, id: TermId) -> Option<&str> {
        self.names.get(id)
    }

    /// All terms in the order of their numbers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter()
    }

    /// The words that were met and tell something, in lower case, in no order that means anything.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let all = self.languages.iter().flat_map(|words| &words.of_token);
        let telling = all.filter(|(_, id)| **id != STOP);
        telling.map(|(word, _)| word.as_ref())
    }

    /// The number of a term, given as [`Terms`] gives it.
    pub fn id(&self, term: &str) -> Option<TermId> {
        self.names.find(term)
    }

    /// How words of the main language become terms here.
    pub fn terms(&self) -> &Terms {
        &self.languages[0].terms
    }

    /// Hands over the numbers of a text's telling terms in order; new terms get a number. The text is in the main
    /// language.
    pub fn learn(&mut self, text: &str, take: impl FnMut(TermId)) {
        self.learn_at(0, text, take);
    }

    /// As [`Vocabulary::learn`], of a text in any language.
    pub fn learn_in(&mut self, language: Language, text: &str, take: impl FnMut(TermId)) {
        let known = self.place(language).unwrap_or_else(|| {
            let words = LanguageWords::new(language, self.stemmed);
            self.languages.push(words);
            self.languages.len() - 1
        });
        self.learn_at(known, text, take);
    }

    fn learn_at(&mut self, place: usize, text: &str, mut take: impl FnMut(TermId)) {
        tokens::each(text, |token, _| {
            let id = match self.languages[place].of_token.get(token) {
                Some(id) => *id,
                None => self.learn_token(place, token),
            };
            if id != STOP {
                take(id);
            }
        });
    }

    /// The numbers of a question's telling terms in order, without those that were never met. A word is looked for in
    /// every language that was met, since a document in another language may hold it; what is a stop word in the
    /// question's own language is left out.
    pub fn find(&self, question: &str) -> Vec<TermId> {
        let asked = self.language_of(question);
        let mut found = Vec::new();
        tokens::each(question, |token, _| {
            if self
                .terms_of(asked)
                .is_some_and(|terms| terms.stop.has(token))
            {
                return;
            }
            let begun = found.len();
            for words in &self.languages {
                if let Some(id) = self.find_token(words, token)
                    && !found[begun..].contains(&id)
                {
                    found.push(id);
                }
            }
        });
        found
    }

    /// The numbers of a text's telling terms in order, of a text whose language is known.
    pub fn find_in(&self, language: Language, text: &str) -> Vec<TermId> {
        let mut found = Vec::new();
        let place = self.place(language).unwrap_or_default();
        let words = &self.languages[place];
        tokens::each(text, |token, _| found.extend(self.find_token(words, token)));
        found
    }

    /// The language of a question, if texts of it were met; else the main one.
    pub fn language_of(&self, question: &str) -> Language {
        let main = self.languages[0].language;
        match self.languages.len() {
            1 => main,
            _ => Language::detect(question)
                .filter(|language| self.place(*language).is_some())
                .unwrap_or(main),
        }
    }

    pub(super) fn terms_of(&self, language: Language) -> Option<&Terms> {
        Some(&self.languages[self.place(language)?].terms)
    }

    fn place(&self, language: Language) -> Option<usize> {
        let mut languages = self.languages.iter();
        languages.position(|words| words.language == language)
    }

    fn learn_token(&mut self, place: usize, token: &str) -> TermId {
        let terms = &self.languages[place].terms;
        let id = if terms.stop.has(token) {
            STOP
        } else {
            self.names.number(&terms.finished(token))
        };
        self.languages[place].of_token.insert(token.into(), id);
        id
    }

    fn find_token(&self, words: &LanguageWords, token: &str) -> Option<TermId> {
        if let Some(id) = words.of_token.get(token) {
            return Some(*id).filter(|id| *id != STOP);
        }
        // Another form of a word that was met.
        self.names.find(&words.terms.finished(token))
    }
}
