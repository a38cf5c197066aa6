//! The search for evidence: passages for each sub-question, their sentences, and what passed the validators.

use std::collections::BTreeSet;

use fathom_evidence::Language;
use fathom_evidence::locate::{Entry, Pool, Settings};
use fathom_evidence::validate::completeness::completeness;
use fathom_evidence::validate::retry::RetrySettings;
use fathom_evidence::validate::{Candidate, Validated, Validation, validate};

use super::Reading;
use super::choose::{Rated, rate};
use super::conflict::{Dispute, disputes};
use super::focus::Focus;
use super::said::Gathered;

/// Sentences of one passage that are put forward for one sub-question.
const QUOTES_PER_PASSAGE: usize = 3;

/// Passages that are looked at for one sub-question.
const PASSAGES_MOST: usize = 30;

/// A sentence that passed the validators for a sub-question.
pub(super) struct Piece {
    /// Places of the sub-question and of the sentence.
    pub(super) focus: usize,
    pub(super) said: usize,
    pub(super) rank: f64,
    pub(super) validated: Validated,
}

pub(super) struct Hunt<'r> {
    pub(super) readings: Vec<&'r Reading>,
    pub(super) focuses: Vec<Focus>,
    pub(super) gathered: Gathered<'r>,
    pub(super) pieces: Vec<Piece>,
    pub(super) language: Language,
    /// The source of each reading as the validators name it.
    names: Vec<String>,
    pool: Pool,
    /// Of each entry of the pool: its reading and its passage there.
    spots: Vec<(usize, usize)>,
    /// Of each sub-question: the passages that were looked at.
    passages: Vec<BTreeSet<(usize, usize)>>,
}

impl<'r> Hunt<'r> {
    pub(super) fn new(
        readings: Vec<&'r Reading>,
        focuses: Vec<Focus>,
        language: Language,
        settings: &RetrySettings,
    ) -> Self {
        let names: Vec<String> = readings.iter().map(|r| r.source.0.to_string()).collect();
        let mut entries = Vec::new();
        let mut spots = Vec::new();
        for (nth, reading) in readings.iter().enumerate() {
            let shown = reading.passages.iter().enumerate();
            let shown = shown.filter(|(_, passage)| !passage.references);
            spots.extend(shown.map(|(at, _)| (nth, at)));
            let name = reading.source.0.to_string();
            entries.extend(Entry::of(&name, &reading.document, &reading.passages));
        }
        Self {
            pool: Pool::new(entries, language, &pool_settings(settings)),
            gathered: Gathered::new(language),
            passages: vec![BTreeSet::new(); focuses.len()],
            pieces: Vec::new(),
            readings,
            focuses,
            language,
            names,
            spots,
        }
    }

    pub(super) fn questions(&self) -> Vec<String> {
        self.focuses
            .iter()
            .map(|focus| focus.text.clone())
            .collect()
    }

    /// Looks for evidence on these sub-questions under the settings that now hold.
    pub(super) fn look(&mut self, questions: &[String], settings: &RetrySettings) {
        let wanted = self.focuses.iter().enumerate();
        let wanted: Vec<usize> = wanted
            .filter(|(_, focus)| questions.contains(&focus.text))
            .map(|(nth, _)| nth)
            .collect();
        for &nth in &wanted {
            let found = self.located(nth, settings);
            if let Some(passages) = self.passages.get_mut(nth) {
                passages.extend(found);
            }
        }
        let all: BTreeSet<_> = self.passages.iter().flatten().copied().collect();
        self.gathered.add(&self.readings, &all);
        for nth in wanted {
            self.put_forward(nth, settings);
        }
    }

    fn located(&self, nth: usize, settings: &RetrySettings) -> Vec<(usize, usize)> {
        let settings = pool_settings(settings);
        let asks = self.focuses.get(nth).map_or(&[][..], |focus| &focus.asks);
        let mut found = Vec::new();
        for ask in asks {
            let located = self.pool.locate(ask.as_str(), &settings);
            let spots = located.candidates.iter();
            let spots = spots.filter_map(|candidate| self.spots.get(candidate.place));
            found.extend(spots.copied());
        }
        found.truncate(PASSAGES_MOST);
        found
    }

    /// Puts the best sentences of each passage to the validators, and keeps what they accept.
    fn put_forward(&mut self, nth: usize, settings: &RetrySettings) {
        let (Some(focus), Some(passages)) = (self.focuses.get(nth), self.passages.get(nth)) else {
            return;
        };
        let known: BTreeSet<usize> = self
            .pieces
            .iter()
            .filter(|piece| piece.focus == nth)
            .map(|piece| piece.said)
            .collect();
        let mut rated: Vec<Rated> = Vec::new();
        for spot in passages {
            rated.extend(self.best_of(focus, *spot));
        }
        rated.retain(|one| !known.contains(&one.said));
        let candidates: Vec<Candidate> = rated
            .iter()
            .filter_map(|one| self.candidate(focus, one))
            .collect();
        let text = |id: &str| {
            let at = self.names.iter().position(|name| name == id)?;
            Some(self.readings.get(at)?.document.text.as_str())
        };
        let questions = [focus.text.clone()];
        let found = validate(
            &questions,
            &candidates,
            text,
            self.language,
            &settings.rules,
        );
        let judged = rated.into_iter().zip(found.evidence);
        let accepted = judged.filter(|(_, validated)| validated.accepted);
        let pieces: Vec<Piece> = accepted
            .map(|(one, validated)| Piece {
                focus: nth,
                said: one.said,
                rank: one.rank,
                validated,
            })
            .collect();
        self.pieces.extend(pieces);
    }

    fn best_of(&self, focus: &Focus, spot: (usize, usize)) -> Vec<Rated> {
        let foreign = self.readings.get(spot.0).is_some_and(|reading| {
            reading
                .document
                .about
                .language
                .is_some_and(|l| l != self.language)
        });
        let inside = self.gathered.of(spot);
        let mut rated: Vec<Rated> = inside
            .filter_map(|nth| rate(nth, focus, &self.gathered, foreign))
            .collect();
        rated.sort_by(|a, b| b.rank.total_cmp(&a.rank).then(a.said.cmp(&b.said)));
        rated.truncate(QUOTES_PER_PASSAGE);
        rated
    }

    fn candidate(&self, focus: &Focus, rated: &Rated) -> Option<Candidate> {
        let said = self.gathered.said.get(rated.said)?;
        let reading = self.readings.get(said.reading)?;
        let passage = reading.passages.get(said.passage)?;
        Some(Candidate {
            question: focus.text.clone(),
            source: self.names.get(said.reading)?.clone(),
            span: passage.span,
            passage: passage.text(&reading.document)?.to_owned(),
            verdict: rated.verdict.clone(),
        })
    }

    /// All that was accepted so far, as the rule for retries sees it.
    pub(super) fn validation(&self, settings: &RetrySettings) -> Validation {
        let evidence: Vec<Validated> = self
            .pieces
            .iter()
            .map(|piece| piece.validated.clone())
            .collect();
        let disputes = self.disputes().into_iter();
        Validation {
            conflicts: disputes.map(|dispute| dispute.conflict).collect(),
            completeness: completeness(&self.questions(), &evidence, &settings.rules),
            evidence,
        }
    }

    pub(super) fn disputes(&self) -> Vec<Dispute> {
        disputes(&self.gathered.said, &self.names, self.language)
    }
}

fn pool_settings(settings: &RetrySettings) -> Settings {
    Settings {
        per_query_top_n: settings.per_query_top_n,
        top_k: settings.top_k,
        use_structure: settings.use_structure,
        ..Settings::default()
    }
}
