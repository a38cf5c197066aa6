//! What a run of `answer` knows, and the only ways it changes.

use std::sync::Arc;

use fathom_evidence::{Language, question};
use fathom_providers::FailureCategory;
use fathom_render::answer::{Answer, StageTime};
use fathom_render::report::method::StopReason;
use fathom_workflow::InvalidUpdate;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::compact::Compaction;
use super::input::AnswerSettings;
use crate::analysis::{Analysis, Evidence};
use crate::degradation::Degradation;
use crate::plan::{Plan, Query, QueryId};
use crate::question::{Depth, Question};
use crate::skills::search::{Asked, SearchOutcome};
use crate::source::{Source, SourceId};

/// The fold of all updates of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerState {
    /// What is asked.
    pub task: Question,
    /// As the run was started with them.
    pub settings: Arc<AnswerSettings>,
    /// Time limits count from here.
    pub started_at: Timestamp,
    /// What the task was taken apart into; nothing before it was planned.
    pub plan: Option<Arc<Plan>>,
    /// Every query with what became of it. None is ever removed.
    pub plan_queries: Vec<Asked>,
    /// Every source by its number. None is ever removed; its text lies in the store.
    pub search_results: Vec<Arc<Source>>,
    /// The passages that bear on the task; those of older rounds may be summaries.
    pub evidence: Arc<Vec<Evidence>>,
    /// What was made of the evidence.
    pub analysis: Option<Arc<Analysis>>,
    /// Rounds that were searched.
    pub iteration: u32,
    /// Rounds that may be searched.
    pub max_iters: u32,
    /// Whether what was found suffices.
    pub sufficient: bool,
    /// How sure the last reflection is, 0 to 1.
    pub confidence: f64,
    /// What is not known yet, in sentences.
    pub gaps: Vec<String>,
    /// Queries that nobody answered, or that found too little.
    pub failed_queries: Vec<String>,
    /// What each round was thought of.
    pub reflections: Vec<Reflection>,
    /// When older results were made summaries.
    pub compactions: Vec<Compaction>,
    /// Sources that the answer cites and that bear it out. None is ever removed.
    pub citations: Vec<SourceId>,
    /// Tokens that are left.
    pub token_budget: u64,
    /// Whether the run stopped although more means might have found what is missing.
    pub insufficient_termination: bool,
    /// What could not be done as well as intended.
    pub degraded: Vec<Degradation>,
    /// Failures that the run lived through.
    pub error_log: Vec<AnswerError>,
    /// The stages that were passed.
    pub stages: Vec<StageTime>,
    /// What the run ends in.
    pub answer: Option<Arc<Answer>>,
}

/// What a round was thought of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reflection {
    /// Whether what was found suffices.
    pub sufficient: bool,
    /// How sure the reasoner is, 0 to 1.
    pub confidence: f64,
    /// What is missing, in sentences.
    pub gaps: Vec<String>,
    /// What to search for next.
    pub new_queries: Vec<Query>,
    /// Pieces of evidence that were not known before.
    pub new_evidence: usize,
    /// Sources that were known by then.
    pub results: usize,
    /// Queries that were put by then.
    pub queries: usize,
    /// Why no further round follows; nothing where one does.
    pub stop: Option<StopReason>,
    /// Who reflected: a model's name, or `extractive`.
    pub model: String,
    /// Tokens that the run had spent by then.
    pub token_count: u64,
    /// When.
    pub timestamp: Timestamp,
}

/// A failure that the run lived through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerError {
    /// The node that was at work.
    pub node: String,
    /// How often the call was tried, over all providers.
    pub attempt: u32,
    /// What kind of failure it was.
    pub category: FailureCategory,
    /// What happened, in a sentence.
    pub message: String,
    /// When.
    pub at: Timestamp,
}

/// What a node brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerUpdate {
    /// The stage and its time.
    pub stage: StageTime,
    /// What became of the state.
    pub change: AnswerChange,
    /// Tokens that are left after it.
    pub token_budget: u64,
    /// Failures that it lived through.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<AnswerError>,
    /// What it could not do as well as intended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<Degradation>,
}

/// The main change of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerChange {
    /// A plan with its queries.
    Planned {
        /// The plan.
        plan: Arc<Plan>,
        /// Rounds that its tier allows.
        max_iters: u32,
    },
    /// What a round of searching brought.
    Searched {
        /// What came of each query that was put.
        outcomes: Vec<(QueryId, SearchOutcome)>,
        /// Queries that were put in other words, with their outcomes.
        refined: Vec<Asked>,
        /// New sources, and old ones that were found again or read since.
        sources: Vec<Arc<Source>>,
    },
    /// What the round was thought of.
    Reflected {
        /// All evidence, in the place of what was there before.
        evidence: Arc<Vec<Evidence>>,
        /// What was made of it.
        analysis: Arc<Analysis>,
        /// Whether it suffices.
        reflection: Reflection,
        /// How older results were shortened, where they were.
        compaction: Option<Compaction>,
    },
    /// The answer, which ends the run.
    Answered {
        /// The answer.
        answer: Arc<Answer>,
        /// The sources that it cites.
        citations: Vec<SourceId>,
        /// How older results were shortened for it, where they were.
        compaction: Option<Compaction>,
    },
}

impl AnswerState {
    /// A run that has done nothing yet.
    pub fn new(task: Question, settings: AnswerSettings, started_at: Timestamp) -> Self {
        let token_budget = settings.token_budget;
        Self {
            max_iters: rounds(&settings, task.depth.or(None)),
            task,
            settings: Arc::new(settings),
            started_at,
            plan: None,
            plan_queries: Vec::new(),
            search_results: Vec::new(),
            evidence: Arc::default(),
            analysis: None,
            iteration: 0,
            sufficient: false,
            confidence: 0.0,
            gaps: Vec::new(),
            failed_queries: Vec::new(),
            reflections: Vec::new(),
            compactions: Vec::new(),
            citations: Vec::new(),
            token_budget,
            insufficient_termination: false,
            degraded: Vec::new(),
            error_log: Vec::new(),
            stages: Vec::new(),
            answer: None,
        }
    }

    /// How far the run goes: as asked, or as the planner chose.
    pub fn depth(&self) -> Depth {
        let chosen = self.plan.as_ref().and_then(|plan| plan.depth);
        self.task.depth.or(chosen)
    }

    /// The language of the task, and of its answer.
    pub fn language(&self) -> Language {
        question::language(self.task.text())
    }

    /// Sources that the run may have in all.
    pub fn max_sources(&self) -> usize {
        let usual = self.depth().bounds().sources;
        self.settings.max_sources.unwrap_or(usual)
    }

    fn outcome_of(&mut self, id: QueryId, outcome: &SearchOutcome) -> Result<(), InvalidUpdate> {
        let asked = self.plan_queries.get_mut(id.0 as usize);
        let asked =
            asked.ok_or_else(|| InvalidUpdate::new(format!("there is no query {}", id.0)))?;
        asked.outcome = Some(outcome.clone());
        Ok(())
    }

    /// Notes the queries that failed or found too little, each once.
    fn note_failed(&mut self) {
        let least = self.settings.min_useful_results;
        let failed = |asked: &&Asked| match &asked.outcome {
            Some(SearchOutcome::Failed { .. }) => true,
            Some(SearchOutcome::Found { useful, .. }) => *useful < least,
            None => false,
        };
        let failed = self.plan_queries.iter().filter(failed);
        for text in failed.map(|asked| asked.query.text.clone()) {
            if !self.failed_queries.contains(&text) {
                self.failed_queries.push(text);
            }
        }
    }
}

/// Rounds that a tier allows, or that were asked for.
pub(super) fn rounds(settings: &AnswerSettings, depth: Depth) -> u32 {
    settings.max_iters.unwrap_or(depth.bounds().iterations)
}

impl fathom_workflow::State for AnswerState {
    type Update = AnswerUpdate;

    fn apply(&mut self, update: &AnswerUpdate) -> Result<(), InvalidUpdate> {
        match &update.change {
            AnswerChange::Planned { plan, max_iters } => {
                self.max_iters = *max_iters;
                self.plan_queries = pending(&plan.queries);
                self.plan = Some(Arc::clone(plan));
            }
            AnswerChange::Searched {
                outcomes,
                refined,
                sources,
            } => {
                for (id, outcome) in outcomes {
                    self.outcome_of(*id, outcome)?;
                }
                self.plan_queries.extend(refined.iter().cloned());
                for source in sources {
                    put(&mut self.search_results, source)?;
                }
                self.iteration += 1;
                self.note_failed();
            }
            AnswerChange::Reflected {
                evidence,
                analysis,
                reflection,
                compaction,
            } => {
                self.evidence = Arc::clone(evidence);
                self.analysis = Some(Arc::clone(analysis));
                self.sufficient = reflection.sufficient;
                self.confidence = reflection.confidence;
                self.gaps.clone_from(&reflection.gaps);
                let cut_short = reflection.stop.is_some_and(StopReason::is_cut_short);
                self.insufficient_termination = cut_short;
                self.plan_queries.extend(pending(&reflection.new_queries));
                self.reflections.push(reflection.clone());
                self.compactions.extend(compaction.clone());
            }
            AnswerChange::Answered {
                answer,
                citations,
                compaction,
            } => {
                self.citations.extend(citations);
                self.insufficient_termination |= !answer.is_answer();
                self.answer = Some(Arc::clone(answer));
                self.compactions.extend(compaction.clone());
            }
        }
        self.token_budget = update.token_budget;
        self.degraded.extend(update.degraded.iter().cloned());
        self.error_log.extend(update.errors.iter().cloned());
        self.stages.push(update.stage.clone());
        Ok(())
    }
}

fn pending(queries: &[Query]) -> Vec<Asked> {
    let asked = |query: &Query| Asked {
        query: query.clone(),
        outcome: None,
    };
    queries.iter().map(asked).collect()
}

/// Puts a source in its place: its number is one of those there are, or the next.
fn put(sources: &mut Vec<Arc<Source>>, source: &Arc<Source>) -> Result<(), InvalidUpdate> {
    let place = (source.id.0 as usize).wrapping_sub(1);
    if place > sources.len() {
        let number = source.id.0;
        return Err(InvalidUpdate::new(format!("source {number} leaves a gap")));
    }
    match sources.get_mut(place) {
        Some(known) => *known = Arc::clone(source),
        None => sources.push(Arc::clone(source)),
    }
    Ok(())
}
