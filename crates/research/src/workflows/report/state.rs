//! What a run of the report workflow knows, and the only ways it changes.

use std::sync::Arc;

use fathom_evidence::validate::retry::RetryEntry;
use fathom_providers::{FailureCategory, FailureSeverity};
use fathom_render::Report;
pub use fathom_render::report::method::SearchRound;
use fathom_workflow::InvalidUpdate;
use fathom_workflow::interrupt::Verdict;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::analysis::{Analysis, Evidence};
use crate::citations::CitationCheck;
use crate::critique::Critique;
use crate::degradation::Degradation;
use crate::draft::Draft;
use crate::plan::{Plan, Query, QueryId};
use crate::question::{Depth, Question};
use crate::settings::Settings;
pub use crate::skills::search::{Asked, SearchOutcome};
use crate::source::Source;
use crate::workflows::report::breakpoint::{Step, StopPlace};

/// The fold of all updates of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportState {
    /// As it was asked.
    pub question: Question,
    /// As the run was started with them.
    pub settings: Arc<Settings>,
    /// Time limits count from here.
    pub started_at: Timestamp,
    /// The plan at work, with a person's edits.
    pub plan: Option<Arc<Plan>>,
    /// Every query of the run, by its [`QueryId`].
    pub queries: Vec<Asked>,
    /// Every source found, by its number less one.
    pub sources: Vec<Arc<Source>>,
    /// Quotes of the last analysis; it names them by their places here.
    pub evidence: Arc<Vec<Evidence>>,
    /// The last analysis.
    pub analysis: Option<Arc<Analysis>>,
    /// One for each time the evidence was analysed.
    pub rounds: Vec<SearchRound>,
    /// The last draft.
    pub draft: Option<Arc<Draft>>,
    /// The last check; it may be of the draft before.
    pub check: Option<Arc<CitationCheck>>,
    /// The last review; it may be of the draft before.
    pub critique: Option<Arc<Critique>>,
    /// The draft with the best score so far, with its check and its critique.
    pub best: Option<Arc<Reviewed>>,
    /// What people decided, in order.
    pub decisions: Vec<Decided>,
    /// The step that was taken last, a person's decisions and the fallback not counted.
    #[serde(default)]
    pub done: Option<Step>,
    /// What the next plan or draft is to take into account.
    pub feedback: Option<String>,
    /// What could not be done as well as intended, each once.
    pub degraded: Vec<Degradation>,
    /// Who judged something, each once.
    pub reasoners: Vec<String>,
    /// Failures that the run lived through, in order.
    pub errors: Vec<ErrorEntry>,
    /// What second looks under relaxed rules changed, in order.
    pub validation_retry_log: Vec<RetryEntry>,
    /// The report, once it was handed over.
    pub report: Option<Arc<Report>>,
}

/// A draft with what was found about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reviewed {
    /// The draft.
    pub draft: Arc<Draft>,
    /// The check of its citations.
    pub check: Arc<CitationCheck>,
    /// Its review.
    pub critique: Arc<Critique>,
}

/// A person's decision, as the run took it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    /// Where it was decided.
    pub gate: Gate,
    /// What was decided.
    pub verdict: Verdict,
    /// What the person said besides.
    pub feedback: Option<String>,
    /// Whether fields were edited.
    pub edited: bool,
    /// Nobody, where a deadline decided.
    pub by: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// Where a run asks a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Before the first search.
    Plan,
    /// When a draft has a critical fault.
    Critical,
    /// Before the report is handed over.
    Final,
    /// A breakpoint of a person's own.
    Own(StopPlace),
}

/// A failure that the run lived through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorEntry {
    /// The node that was at work.
    pub node: String,
    /// When, by the clock of the run.
    pub at: Timestamp,
    /// What kind of failure it was.
    pub category: FailureCategory,
    /// What it meant for the run.
    #[serde(default)]
    pub severity: FailureSeverity,
    /// How often the call was tried, over all providers.
    pub attempts: u32,
    /// What happened, in a sentence.
    pub message: String,
}

/// What a step brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportUpdate {
    /// What a person decided at a breakpoint of their own before the change was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Ruling>,
    /// What became of the state.
    pub change: StateChange,
    /// The step that made the change, if it is one that can be stopped before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
    /// Failures that the step lived through.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorEntry>,
    /// What the step could not do as well as intended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<Degradation>,
    /// Who judged in this step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasoners: Vec<String>,
}

/// The main change of a step, by the kind of step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateChange {
    /// A plan, in the place of the one before.
    Planned(Arc<Plan>),
    /// Outcomes of queries, and sources.
    Searched(Searched),
    /// Evidence and findings.
    Analysed(Analysed),
    /// A draft, not yet checked.
    Written(Arc<Draft>),
    /// The draft as the check left it.
    Checked {
        /// The draft with its sentences repaired.
        draft: Arc<Draft>,
        /// What was found and what was changed.
        check: Arc<CitationCheck>,
    },
    /// A review of the draft at hand.
    Reviewed(Arc<Critique>),
    /// A person's word at a gate.
    Decided(Ruling),
    /// The report, which ends the run.
    Reported(Arc<Report>),
    /// Nothing, because the step was not taken.
    Nothing,
}

/// A decision with what it changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ruling {
    /// The decision.
    pub decided: Decided,
    /// The plan or draft with the person's edits, and the draft's check after them.
    pub plan: Option<Arc<Plan>>,
    /// The edited draft; nothing where it was not edited.
    pub draft: Option<Arc<Draft>>,
    /// The check of the edited draft.
    pub check: Option<Arc<CitationCheck>>,
}

/// What a search round brought.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Searched {
    /// What came of each query that was put.
    pub outcomes: Vec<(QueryId, SearchOutcome)>,
    /// Queries that were put in other words, with their outcomes.
    pub reformulated: Vec<Asked>,
    /// New sources, and old ones that were found again or read since; by their number.
    pub sources: Vec<Arc<Source>>,
}

/// What an analysis brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysed {
    /// All evidence, in the place of what was there before.
    pub evidence: Arc<Vec<Evidence>>,
    /// What was made of it.
    pub analysis: Arc<Analysis>,
    /// How complete the answer is now, and why it stops or goes on.
    pub round: SearchRound,
    /// What to search for next, if it goes on.
    pub queries: Vec<Query>,
    /// What a second look under relaxed rules changed.
    pub retry_log: Vec<RetryEntry>,
}

impl ReportState {
    /// A run that has done nothing yet.
    pub fn new(question: Question, settings: Settings, started_at: Timestamp) -> Self {
        Self {
            question,
            settings: Arc::new(settings),
            started_at,
            plan: None,
            queries: Vec::new(),
            sources: Vec::new(),
            evidence: Arc::default(),
            analysis: None,
            rounds: Vec::new(),
            draft: None,
            check: None,
            critique: None,
            best: None,
            decisions: Vec::new(),
            done: None,
            feedback: None,
            degraded: Vec::new(),
            reasoners: Vec::new(),
            errors: Vec::new(),
            validation_retry_log: Vec::new(),
            report: None,
        }
    }

    /// Queries that have not been put yet.
    pub fn pending(&self) -> impl Iterator<Item = (QueryId, &Query)> {
        let numbered = (0..).map(QueryId).zip(&self.queries);
        numbered
            .filter(|(_, asked)| asked.outcome.is_none())
            .map(|(id, asked)| (id, &asked.query))
    }

    /// How far the run goes: as asked, or as the planner chose.
    pub fn depth(&self) -> Depth {
        let chosen = self.plan.as_ref().and_then(|plan| plan.depth);
        self.question.depth.or(chosen)
    }

    /// The check of the draft at hand; that of the draft before says nothing of this one.
    pub fn check_of_draft(&self) -> Option<&CitationCheck> {
        let check = self.check.as_deref();
        check.filter(|_| self.done != Some(Step::Write))
    }

    /// The review of the draft at hand.
    pub fn review_of_draft(&self) -> Option<&Critique> {
        let version = self.draft.as_ref().map(|draft| draft.version);
        let critique = self.critique.as_deref();
        critique.filter(|critique| Some(critique.version) == version)
    }

    /// Whether a person, or a deadline in their place, has just ended the run at a stop of their own.
    pub fn is_stopped(&self) -> bool {
        let last = self.decisions.last();
        last.is_some_and(|decided| {
            matches!(decided.gate, Gate::Own(_)) && decided.verdict == Verdict::Reject
        })
    }

    /// Whether the questions stand because they were searched for.
    pub fn is_searched(&self) -> bool {
        self.queries.iter().any(|asked| asked.outcome.is_some())
    }

    /// How often the draft was reviewed and sent back.
    pub fn revisions(&self) -> u32 {
        self.draft
            .as_ref()
            .map_or(0, |draft| draft.version.saturating_sub(1))
    }

    /// Takes a plan in the place of the one before it. Of its queries those stay that were put already.
    fn take_plan(&mut self, plan: &Arc<Plan>) {
        let old = self.plan.replace(Arc::clone(plan));
        let old: &[Query] = old.as_ref().map_or(&[], |old| &old.queries);
        self.queries
            .retain(|asked| asked.outcome.is_some() || !old.contains(&asked.query));
        let known = |query: &Query| self.queries.iter().any(|asked| asked.query == *query);
        let fresh = plan.queries.iter().filter(|query| !known(query)).cloned();
        let fresh: Vec<Query> = fresh.collect();
        self.ask(&fresh);
    }

    fn ask(&mut self, queries: &[Query]) {
        let fresh = queries.iter().cloned();
        self.queries.extend(fresh.map(|query| Asked {
            query,
            outcome: None,
        }));
    }

    fn take_search(&mut self, searched: &Searched) -> Result<(), InvalidUpdate> {
        for (id, outcome) in &searched.outcomes {
            let asked = self.queries.get_mut(id.0 as usize);
            let asked =
                asked.ok_or_else(|| InvalidUpdate::new("an outcome of an unknown query"))?;
            asked.outcome = Some(outcome.clone());
        }
        self.queries.extend_from_slice(&searched.reformulated);
        for source in &searched.sources {
            let at = (source.id.0 as usize).wrapping_sub(1);
            if at == self.sources.len() {
                self.sources.push(Arc::clone(source));
                continue;
            }
            let known = self.sources.get_mut(at);
            let known =
                known.ok_or_else(|| InvalidUpdate::new("a source whose number leaves a hole"))?;
            *known = Arc::clone(source);
        }
        Ok(())
    }

    fn take_analysis(&mut self, analysed: &Analysed) {
        self.evidence = Arc::clone(&analysed.evidence);
        self.analysis = Some(Arc::clone(&analysed.analysis));
        self.rounds.push(analysed.round.clone());
        self.validation_retry_log
            .extend_from_slice(&analysed.retry_log);
        self.ask(&analysed.queries);
    }

    fn take_review(&mut self, critique: &Arc<Critique>) -> Result<(), InvalidUpdate> {
        let (Some(draft), Some(check)) = (&self.draft, &self.check) else {
            return Err(InvalidUpdate::new("a review without a checked draft"));
        };
        let better = self
            .best
            .as_ref()
            .is_none_or(|best| critique.score >= best.critique.score);
        if better {
            self.best = Some(Arc::new(Reviewed {
                draft: Arc::clone(draft),
                check: Arc::clone(check),
                critique: Arc::clone(critique),
            }));
        }
        self.critique = Some(Arc::clone(critique));
        Ok(())
    }

    /// Takes a person's decision, with their edits.
    pub(crate) fn take_ruling(&mut self, ruling: &Ruling) {
        let decided = &ruling.decided;
        self.decisions.push(decided.clone());
        // What was asked for before and not yet heard stays. A remark on an approval asks for nothing.
        if let (Verdict::Modify, Some(more)) = (decided.verdict, &decided.feedback) {
            self.feedback = Some(match &self.feedback {
                Some(before) => format!("{before}\n{more}"),
                None => more.clone(),
            });
        }
        if let Some(plan) = &ruling.plan {
            self.take_plan(plan);
        }
        self.draft = ruling.draft.clone().or(self.draft.take());
        self.check = ruling.check.clone().or(self.check.take());
    }
}

impl fathom_workflow::State for ReportState {
    type Update = ReportUpdate;

    fn apply(&mut self, update: &ReportUpdate) -> Result<(), InvalidUpdate> {
        if let Some(ruling) = &update.before {
            self.take_ruling(ruling);
        }
        match &update.change {
            StateChange::Planned(plan) => {
                self.take_plan(plan);
                self.feedback = None;
            }
            StateChange::Searched(searched) => self.take_search(searched)?,
            StateChange::Analysed(analysed) => self.take_analysis(analysed),
            StateChange::Written(draft) => {
                self.draft = Some(Arc::clone(draft));
                self.feedback = None;
            }
            StateChange::Checked { draft, check } => {
                self.draft = Some(Arc::clone(draft));
                self.check = Some(Arc::clone(check));
            }
            StateChange::Reviewed(critique) => self.take_review(critique)?,
            StateChange::Decided(ruling) => self.take_ruling(ruling),
            StateChange::Reported(report) => self.report = Some(Arc::clone(report)),
            StateChange::Nothing => self.done = None,
        }
        self.done = update.step.or(self.done);
        self.errors.extend_from_slice(&update.errors);
        add_new(&mut self.degraded, &update.degraded);
        add_new(&mut self.reasoners, &update.reasoners);
        Ok(())
    }
}

/// Adds what is not there yet.
fn add_new<T: Clone + PartialEq>(all: &mut Vec<T>, more: &[T]) {
    for one in more {
        if !all.contains(one) {
            all.push(one.clone());
        }
    }
}
