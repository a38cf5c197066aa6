//! What a reasoner is given for each judgement: plain data, and nothing of a workflow's state.

mod passages;

use std::sync::Arc;

use fathom_evidence::Language;
use serde::{Deserialize, Serialize};

pub use passages::{
    AnswerTask, EarlierTurn, PassageRelevance, RelevanceTask, RephraseTask, Rephrased,
    SentenceKind, TaskPassage, WrittenAnswer, WrittenSentence,
};

use crate::analysis::{Analysis, Contradiction, Evidence};
use crate::citations::{CitationCheck, Judgement};
use crate::critique::ReviewRemark;
use crate::draft::Draft;
use crate::library::WordMention;
use crate::plan::{Plan, PlanFault, PlannedSection, Query, QueryId, SourceKind};
use crate::question::Question;
use crate::rob2::{Effect, SignalAnswer, SignallingQuestion};
use crate::settings::Caps;
use crate::skills::locate::excerpt::Excerpts;
use crate::source::Source;

/// What a plan is made from.
pub struct PlanTask<'a> {
    /// The question to be answered.
    pub question: &'a Question,
    /// What the whole run may spend.
    pub caps: Caps,
    /// The kinds of sources that can be searched at all.
    pub kinds: &'a [SourceKind],
    /// What a person said about the plan before.
    pub feedback: Option<&'a str>,
    /// What was wrong with the plan given before; empty at first.
    pub faults: &'a [PlanFault],
}

/// A query that found too little, and what was done about it so far.
pub struct RefineTask<'a> {
    /// The question of the whole run.
    pub question: &'a Question,
    /// The query as it was planned.
    pub query: &'a Query,
    /// The query's place among all of the run.
    pub place: QueryId,
    /// From 1.
    pub turn: u32,
    /// What the whole run may spend.
    pub caps: Caps,
    /// The words of the queries tried so far.
    pub tried: &'a [String],
    /// The kinds of sources that can be searched.
    pub kinds: &'a [SourceKind],
    /// What was found so far; its numbers count from 1 and stay.
    pub results: &'a [SeenResult],
    /// What was done in the turns before and what came of it, in sentences.
    pub history: &'a [String],
    /// Searches that may still be made for this query.
    pub searches_left: u32,
    /// Results that may still be read for this query.
    pub reads_left: u32,
}

/// A result of a search, as it is shown to the reasoner that refines a query: single words that code took out of it. Its
/// sentences are a stranger's, and never reach whoever chooses what is searched for and read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenResult {
    /// Where it was found.
    pub kind: SourceKind,
    /// Telling words of its title and of the search's own excerpt, in the order of the alphabet.
    pub terms: Vec<String>,
    /// Those of its text, where it was read.
    pub text_terms: Option<Vec<String>>,
}

/// What can be done about a query that found too little.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefineAction {
    /// Put the query in other words, or to another kind of source.
    Search(Query),
    /// Read a result.
    Read {
        /// Its number, from 1.
        result: usize,
    },
    /// Leave it at what was found.
    Stop,
}

/// Evidence to make findings of.
pub struct AnalyseTask<'a> {
    /// The question of the whole run.
    pub question: &'a Question,
    /// What the whole run may spend.
    pub caps: Caps,
    /// The plan, whose sub-questions the findings answer.
    pub plan: &'a Plan,
    /// Quotes from the sources; findings name them by their places here.
    pub evidence: &'a [Evidence],
    /// The evidence as a model is shown it, and which place each passage has in the list of evidence.
    pub passages: &'a [TaskPassage],
    /// Places in the list of evidence, by those of the passages.
    pub order: &'a [usize],
    /// Conflicts that code found among the evidence.
    pub contradictions: &'a [Contradiction],
    /// The sentences of the first pieces of evidence that answer best.
    pub(crate) excerpts: &'a Excerpts,
    /// How often the words of the question occur in the own documents; empty where none were searched.
    pub mentions: &'a [WordMention],
    /// The language of the question.
    pub language: Language,
}

/// A section to be quoted together.
#[derive(Clone, Copy)]
pub struct SectionTask<'a> {
    /// The question of the whole run.
    pub question: &'a Question,
    /// The plan that the section is of.
    pub plan: &'a Plan,
    /// Its title and the sub-questions that it answers.
    pub section: &'a PlannedSection,
    /// Every source of the run.
    pub sources: &'a [Arc<Source>],
    /// All evidence; the analysis names it by its places here.
    pub evidence: &'a [Evidence],
    /// What was found, over all sections.
    pub analysis: &'a Analysis,
    /// The length of the whole report in words.
    pub report_words: usize,
    /// The language to write in.
    pub language: Language,
}

/// A report that wants a title, an answer and a word on disagreements.
#[derive(Clone, Copy)]
pub struct FrameTask<'a> {
    /// The question of the whole run.
    pub question: &'a Question,
    /// What was found.
    pub analysis: &'a Analysis,
    /// The language to write in.
    pub language: Language,
    /// The length of the whole report in words.
    pub report_words: usize,
}

/// A draft to be reviewed.
pub struct ReviewTask<'a> {
    /// The question that the draft answers.
    pub question: &'a Question,
    /// The plan that the draft follows.
    pub plan: &'a Plan,
    /// What the whole run may spend.
    pub caps: Caps,
    /// Words that the whole report is to have.
    pub target_length: u32,
    /// The text, after the check of its citations.
    pub draft: &'a Draft,
    /// What the check found of every sentence that states a fact.
    pub check: &'a CitationCheck,
    /// What is known already: what code has proven, and what a judge of meaning has found.
    pub known: &'a [ReviewRemark],
    /// The language of the draft.
    pub language: Language,
}

/// Sentences to be held against the passages that they cite.
pub struct SupportTask<'a> {
    /// What the whole run may spend.
    pub caps: Caps,
    /// Names the part of the draft; the same whenever the step is run again, and no other in the step.
    pub part: &'a str,
    /// The sentences, in the order in which opinions are wanted.
    pub sentences: &'a [CitedSentence],
}

/// A sentence with the passages that it cites, and nothing else of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedSentence {
    /// The sentence without its citation marks.
    pub sentence: String,
    /// The texts of the passages; at least one.
    pub passages: Vec<String>,
}

/// An opinion on a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opinion {
    /// Whether the passages bear it out.
    pub judgement: Judgement,
    /// Why, in a few words.
    pub why: String,
}

/// The signalling questions of one domain of a trial's appraisal, with the passages that were found for them.
pub struct AppraiseTask<'a> {
    /// The same whenever the step is run again, and no other in the step.
    pub key: &'a str,
    /// The effect that is appraised.
    pub effect: Effect,
    /// The outcome that is appraised; the primary one where none was named.
    pub outcome: Option<&'a str>,
    /// The questions, in their order.
    pub questions: &'a [SignallingQuestion],
    /// Passages of the report.
    pub passages: &'a [String],
    /// What the run may spend.
    pub caps: &'a Caps,
}

/// An opinion on a signalling question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalOpinion {
    /// The question's id.
    pub id: String,
    /// The answer; "no information" where it was given without proof.
    pub answer: SignalAnswer,
    /// Why, in a sentence.
    pub why: String,
    /// Words of a passage that prove it.
    pub quote: Option<String>,
}
