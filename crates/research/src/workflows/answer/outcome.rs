//! Puts the answer together: sentences, the sources they rest on in reading order, and what a reader must know.

use fathom_evidence::Language;
use fathom_evidence::terms::Terms;
use fathom_render::answer::{Answer, AnswerSentence, AnswerSource, AnswerStatus, Answered};
use fathom_render::phrases::Phrases;
use fathom_render::report::EXTRACTIVE;
use fathom_workflow::NodeError;
use jiff::Timestamp;

use super::state::AnswerState;
use crate::analysis::{AnsweredVerdict, Evidence};
use crate::degradation::{self, Degradation};
use crate::library::WordMention;
use crate::reasoner::{AnalyseTask, brief};
use crate::skills::compose::Composed;
use crate::skills::locate::Located;
use crate::skills::locate::excerpt::{Excerpts, QuestionWords, coverage};
use crate::skills::mentions;
use crate::source::{Source, SourceId};

/// Sources that are shown where an answer cites none.
const NEAREST_SOURCES: usize = 3;

/// Characters of a passage that is shown.
const PASSAGE_CHARS: usize = 600;

/// What was written or chosen, before its sources are numbered for the reader.
pub(super) struct AnswerDraft {
    pub(super) status: AnswerStatus,
    pub(super) sentences: Vec<DraftSentence>,
    pub(super) verdict: AnsweredVerdict,
    pub(super) reasoner: String,
}

/// What a brief is made of besides the passages.
pub(super) struct BriefParts<'a> {
    pub(super) excerpts: &'a Excerpts,
    pub(super) mentions: &'a [WordMention],
    pub(super) words: &'a QuestionWords,
}

/// A sentence and the run's numbers of the sources that it cites.
pub(super) struct DraftSentence {
    pub(super) text: String,
    pub(super) quoted: bool,
    pub(super) cites: Vec<SourceId>,
}

impl AnswerDraft {
    /// No answer: nothing was found.
    pub(super) fn empty(state: &AnswerState) -> Self {
        Self {
            status: AnswerStatus::Answer,
            sentences: Vec::new(),
            verdict: AnsweredVerdict {
                answered: Answered::No,
                reason: Phrases::new(state.language())
                    .reasons
                    .nothing_found
                    .to_owned(),
            },
            reasoner: EXTRACTIVE.to_owned(),
        }
    }

    /// What a model wrote, as the check left it. Nothing where nothing of it is left.
    pub(super) fn from_composed(composed: Composed, state: &AnswerState) -> Option<Self> {
        let claims = composed.claims.iter();
        // A sentence that neither code nor a judge of meaning could confirm does not leave.
        let held = claims.filter(|claim| claim.is_confirmed());
        let sentences: Vec<DraftSentence> = held
            .filter(|claim| !claim.cites.is_empty())
            .map(|claim| DraftSentence {
                text: claim.text.clone(),
                quoted: false,
                cites: claim.cites.clone(),
            })
            .collect();
        if sentences.is_empty() {
            return None;
        }
        let told = state.analysis.as_ref().and_then(|one| one.answered.clone());
        let reason = composed.missing.map(|missing| {
            let words = words(state.language()).missing;
            words.replace("{missing}", &missing)
        });
        Some(Self {
            status: AnswerStatus::Answer,
            sentences,
            verdict: AnsweredVerdict {
                answered: composed.answered,
                reason: reason.or(told.map(|told| told.reason)).unwrap_or_default(),
            },
            reasoner: composed.by,
        })
    }

    /// The sentences that answer best, in the sources' words, and whether they answer, by the rule of the brief.
    pub(super) fn from_quotes(
        state: &AnswerState,
        located: &Located,
        parts: &BriefParts<'_>,
    ) -> Result<Self, NodeError> {
        if located.evidence.is_empty() && parts.mentions.is_empty() {
            return Ok(Self::empty(state));
        }
        let plan = super::nodes::planned(state)?;
        let mut analysis = brief::analyse(&AnalyseTask {
            question: &state.task,
            caps: state.settings.caps(),
            plan,
            evidence: &located.evidence,
            passages: &[],
            order: &[],
            contradictions: &located.contradictions,
            excerpts: parts.excerpts,
            mentions: parts.mentions,
            language: state.language(),
        });
        mentions::tell_spelling(
            &mut analysis,
            state.task.text(),
            state.language(),
            parts.mentions,
        );
        let sentences = brief::quotes_shown(&analysis, parts.words).map(|quote| DraftSentence {
            text: quote.text.clone(),
            quoted: true,
            cites: vec![quote.source],
        });
        Ok(Self {
            sentences: sentences.collect(),
            verdict: analysis.answered.clone().unwrap_or(AnsweredVerdict {
                answered: Answered::Partly,
                reason: String::new(),
            }),
            ..Self::empty(state)
        })
    }
}

/// What an answer is put together from.
pub(super) struct AnswerParts<'a> {
    pub(super) state: &'a AnswerState,
    pub(super) evidence: &'a [Evidence],
    /// What the last node could not do as well as intended.
    pub(super) degraded: &'a [Degradation],
    pub(super) now: Timestamp,
}

impl AnswerParts<'_> {
    /// The answer, and the run's numbers of the sources that it cites. A number that leads to no source never passes.
    pub(super) fn answer(&self, draft: AnswerDraft) -> (Answer, Vec<SourceId>) {
        let mut cited: Vec<SourceId> = Vec::new();
        for id in draft.sentences.iter().flat_map(|sentence| &sentence.cites) {
            if !cited.contains(id) && self.source(*id).is_some() {
                cited.push(*id);
            }
        }
        let mut shown = cited.clone();
        // Where nothing is cited, the nearest passages are what there is to see.
        for piece in self.evidence.iter().filter(|_| cited.is_empty()) {
            if shown.len() < NEAREST_SOURCES && !shown.contains(&piece.source) {
                shown.push(piece.source);
            }
        }
        let number = |id: &SourceId| {
            let at = shown.iter().position(|shown| shown == id)?;
            Some(SourceId(u32::try_from(at).ok()? + 1))
        };
        let sentences = draft.sentences.iter().map(|sentence| AnswerSentence {
            text: sentence.text.clone(),
            quoted: sentence.quoted,
            confirmed: true,
            sources: sentence.cites.iter().filter_map(number).collect(),
        });
        let sentences = sentences.filter(|sentence| !sentence.sources.is_empty());
        let sources = shown
            .iter()
            .filter_map(|id| self.shown(*id, number(id)?, &draft.sentences));
        let answer = Answer {
            question: self.state.task.text().to_owned(),
            understood_as: None,
            language: self.state.language(),
            status: draft.status,
            answered: draft.verdict.answered,
            reason: draft.verdict.reason,
            sentences: sentences.collect(),
            sources: sources.collect(),
            confidence: self.state.confidence,
            assessments: Vec::new(),
            stages: self.state.stages.clone(),
            caveats: self.caveats(),
            reasoner: draft.reasoner,
            finished_at: self.now,
        };
        (answer, cited)
    }

    fn source(&self, id: SourceId) -> Option<&Source> {
        let place = (id.0 as usize).checked_sub(1)?;
        self.state.search_results.get(place).map(AsRef::as_ref)
    }

    /// A source with the passage that has most words of the sentences that cite it.
    fn shown(
        &self,
        id: SourceId,
        number: SourceId,
        sentences: &[DraftSentence],
    ) -> Option<AnswerSource> {
        let source = self.source(id)?;
        let terms = Terms::new(self.state.language());
        let citing = sentences.iter().filter(|one| one.cites.contains(&id));
        let said = citing.flat_map(|one| terms.telling(&one.text)).collect();
        let share = |piece: &Evidence| coverage(&terms, &said, [&piece.quote]);
        let pieces = self.evidence.iter().filter(|piece| piece.source == id);
        // Of equal ones the first, which ranks best.
        let piece = pieces.rev().max_by(|a, b| share(a).total_cmp(&share(b)));
        let passage = piece.map_or(source.snippet.as_str(), |piece| &piece.quote);
        Some(AnswerSource {
            number,
            kind: source.kind,
            location: source.location.clone(),
            title: source.about.title.clone(),
            section: piece.and_then(|piece| piece.sections.last().cloned()),
            page: piece.and_then(|piece| piece.page),
            line: None,
            passage: passage.chars().take(PASSAGE_CHARS).collect(),
            relevance: piece.map_or(source.relevance, |piece| piece.confidence),
        })
    }

    /// What a reader must know: what was limited, and what was cut short.
    fn caveats(&self) -> Vec<String> {
        let all = [&self.state.degraded, self.degraded].concat();
        let mut told = degradation::sentences(&all, self.state.language());
        if self.state.insufficient_termination {
            let words = words(self.state.language()).cut_short;
            let gaps = self.state.gaps.join(" ");
            told.push(format!("{words} {gaps}").trim().to_owned());
        }
        told
    }
}

/// The sentences around an answer, by language.
struct OutcomeWords {
    missing: &'static str,
    cut_short: &'static str,
}

fn words(language: Language) -> OutcomeWords {
    let (missing, cut_short) = match language.code() {
        "de" => (
            "Offen bleibt: {missing}.",
            "Die Suche endete, bevor alles gefunden war.",
        ),
        "fr" => (
            "Reste ouvert : {missing}.",
            "La recherche s’est arrêtée avant d’avoir tout trouvé.",
        ),
        "es" => (
            "Queda abierto: {missing}.",
            "La búsqueda terminó antes de encontrarlo todo.",
        ),
        "it" => (
            "Resta aperto: {missing}.",
            "La ricerca è finita prima di trovare tutto.",
        ),
        "pt" => (
            "Fica em aberto: {missing}.",
            "A pesquisa terminou antes de encontrar tudo.",
        ),
        "nl" => (
            "Open blijft: {missing}.",
            "De zoektocht eindigde voordat alles gevonden was.",
        ),
        _ => (
            "Left open: {missing}.",
            "The search ended before everything was found.",
        ),
    };
    OutcomeWords { missing, cut_short }
}
