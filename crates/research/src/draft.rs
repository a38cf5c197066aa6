//! A draft of a report: prose that cites sources by number, and nothing that is not written yet.

use fathom_render::report::Answered;
use serde::{Deserialize, Serialize};

use crate::plan::SubQuestionId;

/// A whole text, as it was written or as a check or a person left it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// From 1; each revision adds one.
    pub version: u32,
    /// Plain text.
    pub title: String,
    /// The question answered in one to three sentences or passages. Markdown, like every text here; sources are cited
    /// as `[3]`. Empty in drafts of versions that did not write it.
    #[serde(default)]
    pub answer: String,
    /// What the report says, in short.
    pub summary: String,
    /// The body, in the order of the plan.
    pub sections: Vec<DraftSection>,
    /// What can be said in the end, and what stays open.
    pub conclusion: String,
    /// What this revision and those before it changed, in sentences of code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<String>,
    /// Whether a model wrote some of it; else all of it is quoted.
    #[serde(default)]
    pub by_model: bool,
    /// Sentences of a model that were left out, because they rest on no passage or could not be checked.
    #[serde(default)]
    pub dropped: usize,
    /// Whether its answer answers the question, in the opinion of the model that wrote it.
    #[serde(default)]
    pub answered: Option<Answered>,
    /// What that model misses, in the question's own words.
    #[serde(default)]
    pub missing: Option<String>,
}

/// A section that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftSection {
    /// Its heading.
    pub title: String,
    /// The sub-questions that it answers.
    pub answers: Vec<SubQuestionId>,
    /// Markdown without the heading.
    pub text: String,
}

/// What stands at the top and the end of a report, written when its sections are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Plain text.
    pub title: String,
    /// The question answered in one to three sentences or passages; empty where nothing answers it.
    pub answer: String,
    /// What the sections say, in short.
    pub summary: String,
    /// What can be said in the end, and what stays open.
    pub conclusion: String,
}

/// A part of a draft, by the words a reader would use for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DraftPlace {
    /// The title.
    Title,
    /// The answer that the report opens with.
    Answer,
    /// The summary.
    Summary,
    /// A section, by its place from 0.
    Section(usize),
    /// The conclusion.
    Conclusion,
    /// No part in particular.
    Whole,
}

impl Draft {
    /// An answer and nothing else.
    pub fn of_answer(answer: String) -> Self {
        Self {
            version: 1,
            answer,
            ..Self::default()
        }
    }

    /// Every text with its place, in reading order. The title is not prose and is left out.
    pub fn texts(&self) -> impl Iterator<Item = (DraftPlace, &str)> {
        let sections = self.sections.iter().enumerate();
        let sections =
            sections.map(|(at, section)| (DraftPlace::Section(at), section.text.as_str()));
        let opening = [
            (DraftPlace::Answer, self.answer.as_str()),
            (DraftPlace::Summary, self.summary.as_str()),
        ];
        opening.into_iter().chain(sections).chain(std::iter::once((
            DraftPlace::Conclusion,
            self.conclusion.as_str(),
        )))
    }

    /// The text at a place, to be changed; the title and the whole have none.
    pub fn text_mut(&mut self, place: &DraftPlace) -> Option<&mut String> {
        match place {
            DraftPlace::Answer => Some(&mut self.answer),
            DraftPlace::Summary => Some(&mut self.summary),
            DraftPlace::Section(at) => self.sections.get_mut(*at).map(|section| &mut section.text),
            DraftPlace::Conclusion => Some(&mut self.conclusion),
            DraftPlace::Title | DraftPlace::Whole => None,
        }
    }

    /// What a reader calls a place.
    pub fn name(&self, place: &DraftPlace) -> String {
        match place {
            DraftPlace::Title => "title".to_owned(),
            DraftPlace::Answer => "answer".to_owned(),
            DraftPlace::Summary => "summary".to_owned(),
            DraftPlace::Conclusion => "conclusion".to_owned(),
            DraftPlace::Whole => "the whole report".to_owned(),
            DraftPlace::Section(at) => match self.sections.get(*at) {
                Some(section) if !section.title.is_empty() => {
                    format!("section “{}”", section.title)
                }
                _ => format!("section {}", at + 1),
            },
        }
    }

    /// Words of all texts; the title is not counted.
    pub fn words(&self) -> usize {
        self.texts()
            .map(|(_, text)| text.split_whitespace().count())
            .sum()
    }
}
