//! What a run of `ask` knows, and the only ways it changes.

use std::sync::Arc;

use fathom_evidence::Language;
use fathom_evidence::question::{self, AnswerKind};
use fathom_render::answer::{Answer, Assessment, StageTime};
use fathom_workflow::InvalidUpdate;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::input::{AskSettings, AskedTurn};
use crate::library::{LibraryStock, LocalPassage, WordMention};
use crate::question::Question;
use crate::skills::locate::excerpt::QuestionWords;

/// What the words of a follow-up count more than those of the question before it.
const OWN_WORDS_FACTOR: f64 = 3.0;

/// The fold of all updates of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskState {
    /// As it was asked.
    pub question: Question,
    /// What was asked and answered before it.
    pub earlier: Vec<AskedTurn>,
    /// As the run was started with them.
    pub settings: Arc<AskSettings>,
    /// Time limits count from here.
    pub started_at: Timestamp,
    /// What the question means; nothing before it was analysed.
    pub understood: Option<UnderstoodQuestion>,
    /// What each search brought, one or two.
    pub retrievals: Vec<Arc<Retrieval>>,
    /// The best passages of all searches, best first.
    pub ranked: Arc<Vec<LocalPassage>>,
    /// What was thought of them, once for each search.
    pub assessments: Vec<Assessment>,
    /// The stages that were passed.
    pub stages: Vec<StageTime>,
    /// What could not be done as well as intended, in sentences.
    pub caveats: Vec<String>,
    /// What the run ends in.
    pub answer: Option<Arc<Answer>>,
}

/// A question as it is searched for and answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnderstoodQuestion {
    /// The question in full.
    pub text: String,
    /// Whether it leans on an earlier one.
    pub follow_up: bool,
    /// Other words to search with from the start, where a model gave some.
    #[serde(default)]
    pub searches: Vec<String>,
}

/// What one search brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Retrieval {
    /// What was searched for, the question first.
    pub queries: Vec<String>,
    /// What each query found, in their order, best first.
    pub found: Vec<Vec<LocalPassage>>,
    /// How often the words of the question occur; only the first search counts them.
    #[serde(default)]
    pub mentions: Vec<WordMention>,
    /// How much of the library could be read; only the first search asks.
    #[serde(default)]
    pub stock: Option<LibraryStock>,
}

/// What a stage brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskUpdate {
    /// The stage and its time.
    pub stage: StageTime,
    /// What became of the state.
    pub change: AskChange,
    /// What the stage could not do as well as intended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<String>,
}

/// The main change of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskChange {
    /// The question is understood.
    Analysed(UnderstoodQuestion),
    /// The documents were searched.
    Retrieved(Arc<Retrieval>),
    /// The passages are in order.
    Reranked(Arc<Vec<LocalPassage>>),
    /// The passages are measured.
    Assessed(Assessment),
    /// The answer, or why there is none. Its stages are filled in when it is taken into the state.
    Answered(Arc<Answer>),
}

impl AskState {
    /// A run that has done nothing yet.
    pub fn new(
        question: Question,
        earlier: Vec<AskedTurn>,
        settings: AskSettings,
        started_at: Timestamp,
    ) -> Self {
        Self {
            question,
            earlier,
            settings: Arc::new(settings),
            started_at,
            understood: None,
            retrievals: Vec::new(),
            ranked: Arc::default(),
            assessments: Vec::new(),
            stages: Vec::new(),
            caveats: Vec::new(),
            answer: None,
        }
    }

    /// The question in full, as far as it is understood.
    pub fn text(&self) -> &str {
        let understood = self.understood.as_ref();
        understood.map_or(self.question.text(), |understood| &understood.text)
    }

    /// The language of the question.
    pub fn language(&self) -> Language {
        question::language(self.text())
    }

    /// The kind of answer that is asked for: by the question's own words, where they tell.
    pub fn kind(&self) -> AnswerKind {
        let own = AnswerKind::read(self.question.text(), self.language());
        if own.has_signs() {
            own
        } else {
            AnswerKind::read(self.text(), self.language())
        }
    }

    /// The words of the question with what each counts. Of a follow-up its own words count more than those of the
    /// question that it leans on.
    pub(crate) fn words(&self) -> QuestionWords {
        let words = QuestionWords::new(self.text(), self.language(), self.mentions());
        match &self.understood {
            Some(understood) if understood.follow_up => {
                words.stressing(self.question.text(), OWN_WORDS_FACTOR)
            }
            _ => words,
        }
    }

    /// How often the words of the question occur in the documents.
    pub fn mentions(&self) -> &[WordMention] {
        self.retrievals.first().map_or(&[], |first| &first.mentions)
    }

    /// The turn that this run adds to its talk; nothing before it has answered.
    pub fn turn(&self) -> Option<AskedTurn> {
        let understood = self.understood.as_ref().filter(|one| one.follow_up);
        Some(AskedTurn {
            question: self.question.text().to_owned(),
            in_full: understood.map(|understood| understood.text.clone()),
            answer: self.answer.as_ref()?.text(),
        })
    }
}

impl fathom_workflow::State for AskState {
    type Update = AskUpdate;

    fn apply(&mut self, update: &AskUpdate) -> Result<(), InvalidUpdate> {
        self.stages.push(update.stage.clone());
        for caveat in &update.caveats {
            if !self.caveats.contains(caveat) {
                self.caveats.push(caveat.clone());
            }
        }
        match &update.change {
            AskChange::Analysed(understood) => self.understood = Some(understood.clone()),
            AskChange::Retrieved(retrieval) => self.retrievals.push(Arc::clone(retrieval)),
            AskChange::Reranked(ranked) => self.ranked = Arc::clone(ranked),
            AskChange::Assessed(assessment) => self.assessments.push(assessment.clone()),
            AskChange::Answered(answer) => {
                let mut answer = Answer::clone(answer);
                answer.stages.clone_from(&self.stages);
                answer.caveats.clone_from(&self.caveats);
                self.answer = Some(Arc::new(answer));
            }
        }
        Ok(())
    }
}
