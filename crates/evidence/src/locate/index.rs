//! Passages of several documents, indexed once, asked many questions.

use std::sync::Arc;

use super::context::ContextLocator;
use super::lexical::FeedbackLocator;
use super::rules::RuleLocator;
use super::{
    LocateQuestion, LocateReason, LocateSettings, LocatedPassages, Locator, LocatorRules,
    PassageCandidate, PassageKey,
};
use crate::bm25::{self, Bm25};
use crate::diversity::cover;
use crate::fusion::{Fused, Ranking, fuse};
use crate::ngrams::{self, Ngrams};
use crate::passage::Passage;
use crate::terms::TermId;
use crate::{Document, Language};

/// Passages that are shorter than this on average are weighed as sentences.
const SENTENCE_CHARS: usize = 250;

/// One passage of an index. Passages of one source stand together, in their order.
#[derive(Clone, Debug)]
pub struct PassageEntry {
    /// Names the passage among those of all sources.
    pub key: PassageKey,
    /// Which passage of its document it is, counted from 0. Places in the index count otherwise, since lists of
    /// references are left out of it.
    pub passage: usize,
    /// The title of its document; empty where there is none.
    pub title: Arc<str>,
    /// The titles of the sections around it, outermost first.
    pub sections: Vec<String>,
    /// Its words.
    pub text: String,
    /// The language of its document; nothing where that cannot be told.
    pub language: Option<Language>,
}

impl PassageEntry {
    /// The passages of one document, without its lists of references: they name everything and say nothing. A passage
    /// whose span lies outside the document is left out too. [`PassageEntry::passage`] tells which ones are kept.
    pub fn from_document(source: &str, document: &Document, passages: &[Passage]) -> Vec<Self> {
        let title: Arc<str> = document.about.title.as_deref().unwrap_or_default().into();
        let entry = |(number, passage): (usize, &Passage)| {
            Some(Self {
                passage: number,
                key: PassageKey {
                    source: source.to_owned(),
                    passage: passage.id.clone(),
                },
                title: Arc::clone(&title),
                sections: passage.sections.clone(),
                text: document.at(passage.span)?.to_owned(),
                language: document.about.language,
            })
        };
        let numbered = passages.iter().enumerate();
        let said = numbered.filter(|(_, passage)| !passage.references);
        said.filter_map(entry).collect()
    }
}

/// Indexes over passages. Settings that shape the indexes are taken when it is built.
pub struct PassageIndex {
    entries: Vec<PassageEntry>,
    sources: Vec<usize>,
    words: Bm25,
    pieces: Ngrams,
    pieces_share: f32,
    cover_decay: f32,
    sequences: Vec<Vec<TermId>>,
    rules: LocatorRules,
}

impl PassageIndex {
    /// Indexes the entries in their order; none is left out.
    pub fn new(entries: Vec<PassageEntry>, language: Language, settings: &LocateSettings) -> Self {
        let sources = numbered(&entries);
        let title_weight = match sources.last() {
            Some(last) if *last > 0 && settings.use_structure => settings.title_weight,
            _ => 0.0,
        };
        let section_weight = if settings.use_structure {
            settings.section_weight
        } else {
            0.0
        };
        let fields = |entry: &'_ PassageEntry| {
            let sections: Arc<str> = entry.sections.join(" ").into();
            let text: Arc<str> = entry.text.as_str().into();
            let around = [
                (Arc::clone(&entry.title), title_weight),
                (sections, section_weight),
            ];
            let around = around.into_iter().filter(|(_, weight)| *weight > 0.0);
            around.chain([(text, 1.0)])
        };
        let fit = LengthFit::new(&entries, settings);
        let language_of = |entry: &PassageEntry| entry.language.unwrap_or(language);
        let texts = entries
            .iter()
            .map(|entry| (language_of(entry), fields(entry)));
        let words = Bm25::build_languages(texts, language, &fit.words);
        let pieces = Ngrams::build_fields(entries.iter().map(fields), language, &fit.pieces);
        let vocabulary = words.vocabulary();
        let sequence = |entry: &PassageEntry| vocabulary.find_in(language_of(entry), &entry.text);
        let sequences = entries.iter().map(sequence).collect();
        Self {
            sources,
            words,
            pieces,
            pieces_share: fit.pieces_share,
            cover_decay: fit.cover_decay,
            sequences,
            rules: LocatorRules::for_research(),
            entries,
        }
    }

    /// With other rules than those for questions of research.
    #[must_use]
    pub fn with_rules(mut self, rules: LocatorRules) -> Self {
        self.rules = rules;
        self
    }

    /// The entries as they were given. A candidate's place counts them from 0.
    pub fn entries(&self) -> &[PassageEntry] {
        &self.entries
    }

    /// The index of words alone.
    pub fn words(&self) -> &Bm25 {
        &self.words
    }

    /// The candidates for a question, best first.
    pub fn locate<'q>(
        &self,
        question: impl Into<LocateQuestion<'q>>,
        settings: &LocateSettings,
    ) -> LocatedPassages {
        self.locate_with(question, settings, &[])
    }

    /// As [`PassageIndex::locate`], with further locators and their weights. One that fails is named in
    /// what was lost, and the others answer.
    pub fn locate_with<'q>(
        &self,
        question: impl Into<LocateQuestion<'q>>,
        settings: &LocateSettings,
        further: &[(&dyn Locator, f32)],
    ) -> LocatedPassages {
        let question = question.into();
        let mut lost = Vec::new();
        let sections: Vec<&[String]> = self
            .entries
            .iter()
            .map(|entry| entry.sections.as_slice())
            .collect();
        let (feedback, context, rules) = self.own(settings, &sections);
        let weights = settings.weights;
        let structure = f32::from(u8::from(settings.use_structure));
        let own: [(&dyn Locator, f32); 5] = [
            (&context, weights.context),
            (&self.words, weights.bm25),
            (&self.pieces, weights.ngrams),
            (&feedback, weights.feedback),
            (&rules, weights.rules * structure),
        ];
        let rankings = own
            .iter()
            .chain(further)
            .filter(|(_, weight)| *weight > 0.0);
        let rankings: Vec<Ranking<usize, LocateReason>> = rankings
            .filter_map(|(locator, weight)| {
                let found = locator.locate(question, settings.per_query_top_n);
                let found = found.map_err(|error| lost.push(error.to_string())).ok()?;
                Some(Ranking {
                    locator: locator.name().to_owned(),
                    weight: *weight,
                    found: found
                        .into_iter()
                        .filter(|one| one.place < self.entries.len())
                        .map(|one| (one.place, one.score, one.why))
                        .collect(),
                })
            })
            .collect();
        let candidates = self.chosen(question, fuse(rankings), settings);
        LocatedPassages { candidates, lost }
    }

    fn own<'p>(
        &'p self,
        settings: &LocateSettings,
        sections: &'p [&'p [String]],
    ) -> (FeedbackLocator<'p>, ContextLocator<'p>, RuleLocator<'p>) {
        let feedback = FeedbackLocator {
            words: &self.words,
            settings: settings.feedback,
        };
        let context = ContextLocator {
            words: &self.words,
            pieces: &self.pieces,
            pieces_share: self.pieces_share,
            sources: &self.sources,
            share: if settings.use_structure {
                settings.neighbour_share
            } else {
                0.0
            },
        };
        let rules = RuleLocator {
            rules: &self.rules,
            words: &self.words,
            sequences: &self.sequences,
            sections,
        };
        (feedback, context, rules)
    }

    /// The best, or those that together answer all parts of the question, in the order of choice.
    fn chosen(
        &self,
        question: LocateQuestion<'_>,
        fused: Vec<Fused<usize, LocateReason>>,
        settings: &LocateSettings,
    ) -> Vec<PassageCandidate> {
        let decay = settings.cover_decay.unwrap_or(self.cover_decay);
        let order = if decay < 1.0 {
            self.covering(question, &fused, settings.top_k, decay)
        } else {
            (0..fused.len().min(settings.top_k)).collect()
        };
        let mut fused: Vec<Option<Fused<usize, LocateReason>>> =
            fused.into_iter().map(Some).collect();
        order
            .into_iter()
            .filter_map(|place| fused.get_mut(place)?.take())
            .filter_map(|one| {
                Some(PassageCandidate {
                    key: self.entries.get(one.item)?.key.clone(),
                    place: one.item,
                    score: one.score,
                    support: one.support,
                })
            })
            .collect()
    }

    fn covering(
        &self,
        question: LocateQuestion<'_>,
        fused: &[Fused<usize, LocateReason>],
        top_k: usize,
        decay: f32,
    ) -> Vec<usize> {
        let query = self.words.query(question.text);
        let scores: Vec<f32> = fused.iter().map(|one| one.score).collect();
        let answers = |one: &Fused<usize, LocateReason>| {
            let weights = query
                .iter()
                .map(|(term, _)| self.words.weight(*term, one.item));
            weights.collect()
        };
        let parts: Vec<Vec<f32>> = fused.iter().map(answers).collect();
        cover(&scores, &parts, top_k, decay)
    }
}

/// Of each entry, the number of its source: from 0, one more where another source begins.
fn numbered(entries: &[PassageEntry]) -> Vec<usize> {
    let mut number = 0;
    let mut before: Option<&str> = None;
    let mut numbers = Vec::with_capacity(entries.len());
    for entry in entries {
        let source = entry.key.source.as_str();
        if before.is_some_and(|before| before != source) {
            number += 1;
        }
        before = Some(source);
        numbers.push(number);
    }
    numbers
}

/// How words and pieces are weighed in passages of some length.
struct LengthFit {
    words: bm25::Bm25Settings,
    pieces: ngrams::NgramSettings,
    /// What pieces count beside words: in a long passage almost any piece stands somewhere.
    pieces_share: f32,
    cover_decay: f32,
}

impl LengthFit {
    fn new(entries: &[PassageEntry], settings: &LocateSettings) -> Self {
        let chars: usize = entries.iter().map(|entry| entry.text.len()).sum();
        let fit = if chars / entries.len().max(1) < SENTENCE_CHARS {
            Self {
                words: bm25::Bm25Settings::SENTENCES,
                pieces: ngrams::NgramSettings::SENTENCES,
                pieces_share: 1.0,
                cover_decay: 0.8,
            }
        } else {
            Self {
                words: bm25::Bm25Settings::default(),
                pieces: ngrams::NgramSettings::default(),
                pieces_share: 0.6,
                cover_decay: 1.0,
            }
        };
        Self {
            words: settings.words.unwrap_or(fit.words),
            pieces: settings.pieces.unwrap_or(fit.pieces),
            ..fit
        }
    }
}
