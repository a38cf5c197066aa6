//! The search for evidence: passages for each sub-question, their sentences, and what passed the validators.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fathom_evidence::Language;
use fathom_evidence::locate::{LocateSettings, PassageEntry, PassageIndex, PassageKey};
use fathom_evidence::validate::completeness::completeness;
use fathom_evidence::validate::retry::RetrySettings;
use fathom_evidence::validate::{EvidenceCandidate, ValidatedEvidence, Validation, validate};

use super::Reading;
use super::choose::{Judge, Rated, rate};
use super::conflict::{Dispute, disputes};
use super::profile::QuestionProfile;
use super::sentence::Gathered;

/// Sentences of one passage that are put forward for one sub-question.
const QUOTES_PER_PASSAGE: usize = 3;

/// Passages that are looked at for one sub-question.
const PASSAGES_MOST: usize = 30;

/// Passages of one source among those that one way of asking finds.
const PASSAGES_PER_SOURCE: usize = 2;

/// A sentence that passed the validators for a sub-question.
pub(super) struct EvidencePiece {
    /// Places of the sub-question and of the sentence.
    pub(super) focus: usize,
    pub(super) said: usize,
    pub(super) rank: f64,
    pub(super) validated: ValidatedEvidence,
}

pub(super) struct EvidenceSearch<'r> {
    pub(super) readings: Vec<&'r Reading>,
    pub(super) focuses: Vec<QuestionProfile>,
    pub(super) gathered: Gathered<'r>,
    pub(super) pieces: Vec<EvidencePiece>,
    /// The conflicts among all sentences at hand.
    pub(super) disputes: Vec<Dispute>,
    pub(super) language: Language,
    /// The source of each reading as the validators name it.
    names: Vec<String>,
    pool: PassageIndex,
    /// The reading and the passage there that a key of the pool names. Kept by key and not by order, because the pool
    /// may leave passages out.
    spots: HashMap<PassageKey, (usize, usize)>,
    /// Of each sub-question: the passages that were looked at.
    passages: Vec<BTreeSet<(usize, usize)>>,
}

impl<'r> EvidenceSearch<'r> {
    pub(super) fn new(
        readings: Vec<&'r Reading>,
        focuses: Vec<QuestionProfile>,
        language: Language,
        settings: &RetrySettings,
    ) -> Self {
        let names: Vec<String> = readings.iter().map(|r| r.source.0.to_string()).collect();
        let mut entries = Vec::new();
        let mut spots = HashMap::new();
        for (nth, reading) in readings.iter().enumerate() {
            let name = reading.source.0.to_string();
            for (at, passage) in reading.passages.iter().enumerate() {
                let key = PassageKey {
                    source: name.clone(),
                    passage: passage.id.clone(),
                };
                spots.insert(key, (nth, at));
            }
            entries.extend(PassageEntry::from_document(
                &name,
                &reading.document,
                &reading.passages,
            ));
        }
        Self {
            pool: PassageIndex::new(entries, language, &pool_settings(settings)),
            gathered: Gathered::new(language),
            passages: vec![BTreeSet::new(); focuses.len()],
            pieces: Vec::new(),
            disputes: Vec::new(),
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
        self.disputes = disputes(&self.gathered.said, &self.names, self.language);
    }

    /// The best passages for each way of asking, few of them from one source.
    fn located(&self, nth: usize, settings: &RetrySettings) -> Vec<(usize, usize)> {
        let wide = LocateSettings {
            top_k: settings.per_query_top_n,
            ..pool_settings(settings)
        };
        let asks = self.focuses.get(nth).map_or(&[][..], |focus| &focus.asks);
        let mut found = Vec::new();
        for ask in asks {
            let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
            let located = self.pool.locate(ask.as_str(), &wide);
            let spots = located.candidates.iter();
            let spots = spots.filter_map(|candidate| self.spots.get(&candidate.key));
            let few = spots.filter(|(reading, _)| {
                let so_far = taken.entry(*reading).or_default();
                *so_far += 1;
                *so_far <= PASSAGES_PER_SOURCE
            });
            found.extend(few.take(settings.top_k).copied());
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
        let judge = Judge::new(focus, &self.gathered);
        for spot in passages {
            rated.extend(self.best_of(&judge, *spot));
        }
        rated.retain(|one| !known.contains(&one.said));
        // In pairs, so that each verdict stays with its sentence.
        let (rated, candidates): (Vec<Rated>, Vec<EvidenceCandidate>) = rated
            .into_iter()
            .filter_map(|one| {
                self.candidate(focus, &one)
                    .map(|candidate| (one, candidate))
            })
            .unzip();
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
        let pieces: Vec<EvidencePiece> = accepted
            .map(|(one, validated)| EvidencePiece {
                focus: nth,
                said: one.said,
                rank: one.rank,
                validated,
            })
            .collect();
        self.pieces.extend(pieces);
    }

    fn best_of(&self, judge: &Judge<'_>, spot: (usize, usize)) -> Vec<Rated> {
        let foreign = self.readings.get(spot.0).is_some_and(|reading| {
            reading
                .document
                .about
                .language
                .is_some_and(|l| l != self.language)
        });
        let inside = self.gathered.in_passage(spot);
        let mut rated: Vec<Rated> = inside
            .filter_map(|nth| rate(nth, judge, &self.gathered, foreign))
            .collect();
        rated.sort_by(|a, b| b.rank.total_cmp(&a.rank).then(a.said.cmp(&b.said)));
        rated.truncate(QUOTES_PER_PASSAGE);
        rated
    }

    fn candidate(&self, focus: &QuestionProfile, rated: &Rated) -> Option<EvidenceCandidate> {
        let said = self.gathered.said.get(rated.said)?;
        let reading = self.readings.get(said.reading)?;
        let passage = reading.passages.get(said.passage)?;
        Some(EvidenceCandidate {
            question: focus.text.clone(),
            source: self.names.get(said.reading)?.clone(),
            span: passage.span,
            passage: passage.text(&reading.document)?.to_owned(),
            verdict: rated.verdict.clone(),
        })
    }

    /// All that was accepted so far, as the rule for retries sees it.
    pub(super) fn validation(&self, settings: &RetrySettings) -> Validation {
        let evidence: Vec<ValidatedEvidence> = self
            .pieces
            .iter()
            .map(|piece| piece.validated.clone())
            .collect();
        let disputes = self.disputes.iter();
        Validation {
            conflicts: disputes.map(|dispute| dispute.conflict.clone()).collect(),
            completeness: completeness(&self.questions(), &evidence, &settings.rules),
            evidence,
        }
    }
}

fn pool_settings(settings: &RetrySettings) -> LocateSettings {
    LocateSettings {
        per_query_top_n: settings.per_query_top_n,
        top_k: settings.top_k,
        use_structure: settings.use_structure,
        ..LocateSettings::default()
    }
}

#[cfg(test)]
mod tests {
    use fathom_evidence::Span;
    use fathom_evidence::extract::{FormatHint, read};
    use fathom_evidence::terms::Terms;

    use super::*;
    use crate::plan::{Plan, SubQuestion};
    use crate::source::SourceId;

    #[test]
    fn a_passage_that_the_pool_leaves_out_shifts_no_other() {
        let text = "Rain fell on 12 days in May, and the river rose by 2 metres in the old town.";
        let other = "Street trees lowered the afternoon air temperature by 1.9 degrees in Halvern.";
        let document = read(
            format!("{text}\n\n{other}").as_bytes(),
            &FormatHint::default(),
        )
        .unwrap();
        let mut reading = Reading::new(SourceId(1), document.into());
        let whole = reading.passages.pop().unwrap();
        // One passage whose text is gone, then one for each sentence.
        let end = reading.document.text.len();
        let at = reading.document.text.find("Street").unwrap();
        for span in [(end + 1, end + 9), (0, text.len()), (at, end)] {
            let mut passage = whole.clone();
            passage.span = Span::new(span.0, span.1);
            passage.id = serde_json::from_value(serde_json::json!(format!("p{}", span.0))).unwrap();
            reading.passages.push(passage);
        }
        let language = Language::ENGLISH;
        let question = crate::Question::parse(
            "How much do street trees lower the air temperature?",
            jiff::civil::date(2026, 11, 16),
        )
        .unwrap();
        let plan = Plan {
            sub_questions: vec![SubQuestion {
                text: question.text().to_owned(),
                needs: Vec::new(),
            }],
            ..Plan::default()
        };
        let focus = plan
            .ids()
            .find_map(|id| QuestionProfile::new(id, &plan, &question, &Terms::new(language)));
        let settings = RetrySettings::default();
        let search = EvidenceSearch::new(vec![&reading], vec![focus.unwrap()], language, &settings);
        let found = search.located(0, &settings);
        assert_eq!(found.first(), Some(&(0, 2)));
    }
}
