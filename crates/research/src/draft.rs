//! A draft of a report: prose that cites sources by number, and nothing that is not written yet.

use serde::{Deserialize, Serialize};

use crate::plan::SubQuestionId;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// From 1; each revision adds one.
    pub version: u32,
    pub title: String,
    /// Markdown, like every text here; sources are cited as `[3]`.
    pub summary: String,
    pub sections: Vec<Section>,
    pub conclusion: String,
    /// What a revision changed, in sentences.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    pub title: String,
    pub answers: Vec<SubQuestionId>,
    pub text: String,
}

/// What stands at the top and the end of a report, written when its sections are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    pub title: String,
    pub summary: String,
    pub conclusion: String,
}

/// A part of a draft, by the words a reader would use for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    Title,
    Summary,
    Section(usize),
    Conclusion,
    Whole,
}

impl Draft {
    /// Every text with its place, in reading order. The title is not prose and is left out.
    pub fn texts(&self) -> impl Iterator<Item = (Place, &str)> {
        let sections = self.sections.iter().enumerate();
        let sections = sections.map(|(at, section)| (Place::Section(at), section.text.as_str()));
        std::iter::once((Place::Summary, self.summary.as_str()))
            .chain(sections)
            .chain(std::iter::once((
                Place::Conclusion,
                self.conclusion.as_str(),
            )))
    }

    /// The text at a place, to be changed; the title and the whole have none.
    pub fn text_mut(&mut self, place: &Place) -> Option<&mut String> {
        match place {
            Place::Summary => Some(&mut self.summary),
            Place::Section(at) => self.sections.get_mut(*at).map(|section| &mut section.text),
            Place::Conclusion => Some(&mut self.conclusion),
            Place::Title | Place::Whole => None,
        }
    }

    /// What a reader calls a place.
    pub fn name(&self, place: &Place) -> String {
        match place {
            Place::Title => "title".to_owned(),
            Place::Summary => "summary".to_owned(),
            Place::Conclusion => "conclusion".to_owned(),
            Place::Whole => "the whole report".to_owned(),
            Place::Section(at) => match self.sections.get(*at) {
                Some(section) => format!("section “{}”", section.title),
                None => format!("section {}", at + 1),
            },
        }
    }

    pub fn words(&self) -> usize {
        self.texts()
            .map(|(_, text)| text.split_whitespace().count())
            .sum()
    }
}
