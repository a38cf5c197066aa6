//! Numbers the terms of many texts, and remembers which word became which term.

use super::{Terms, tokens};
use crate::Language;
use crate::fixed_hash::FixedMap;

/// Names a term within one vocabulary. Numbers are given in the order in which terms are met.
pub type TermId = u32;

/// What stands for a word that is left out.
const STOP: TermId = TermId::MAX;

type TermIds = FixedMap<Box<str>, TermId>;

/// The terms met so far. Stop words have no number.
pub struct Vocabulary {
    terms: Terms,
    of_token: TermIds,
    of_term: TermIds,
    names: Vec<Box<str>>,
}

impl Vocabulary {
    /// Of stemmed words.
    pub fn new(language: Language) -> Self {
        Self::from_terms(Terms::new(language))
    }

    /// Of words as they are, in lower case and without accents, but with their endings.
    pub fn unstemmed(language: Language) -> Self {
        Self::from_terms(Terms {
            stemmer: None,
            ..Terms::new(language)
        })
    }

    fn from_terms(terms: Terms) -> Self {
        Self {
            terms,
            of_token: TermIds::default(),
            of_term: TermIds::default(),
            names: Vec::new(),
        }
    }

    /// How many terms were met.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no term was met.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The term that has this number.
    pub fn name(&self, id: TermId) -> Option<&str> {
        self.names.get(id as usize).map(AsRef::as_ref)
    }

    /// The number of a term, given as [`Terms`] gives it.
    pub fn id(&self, term: &str) -> Option<TermId> {
        self.of_term.get(term).copied()
    }

    /// How words become terms here.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Hands over the numbers of a text's telling terms in order; new terms get a number.
    pub fn learn(&mut self, text: &str, mut take: impl FnMut(TermId)) {
        tokens::each(text, |token, _| {
            let id = match self.of_token.get(token) {
                Some(id) => *id,
                None => self.learn_token(token),
            };
            if id != STOP {
                take(id);
            }
        });
    }

    /// The numbers of a text's telling terms in order, without those that were never met.
    pub fn find(&self, text: &str) -> Vec<TermId> {
        let mut found = Vec::new();
        tokens::each(text, |token, _| found.extend(self.find_token(token)));
        found
    }

    fn learn_token(&mut self, token: &str) -> TermId {
        let id = if self.terms.stop.has(token) {
            STOP
        } else {
            self.number(self.terms.finished(token))
        };
        self.of_token.insert(token.into(), id);
        id
    }

    fn number(&mut self, term: String) -> TermId {
        if let Some(id) = self.of_term.get(term.as_str()) {
            return *id;
        }
        // A text has fewer than 2^32 bytes long before it has as many terms.
        let id = self.names.len() as TermId;
        self.names.push(term.as_str().into());
        self.of_term.insert(term.into(), id);
        id
    }

    fn find_token(&self, token: &str) -> Option<TermId> {
        if let Some(id) = self.of_token.get(token) {
            return Some(*id).filter(|id| *id != STOP);
        }
        // Another form of a word that was met.
        let term = self.terms.finished(token);
        self.of_term.get(term.as_str()).copied()
    }
}
