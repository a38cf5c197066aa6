//! What a question asks: its language, the kind of answer it wants, and the words in it that ask nothing.

mod answer_kind;
mod fillers;

use crate::Language;

pub use answer_kind::{AnswerKind, names_review, pools_studies};
pub use fillers::without_fillers;

/// The language a question is asked in; English where that cannot be told.
pub fn language(question: &str) -> Language {
    Language::detect(question).unwrap_or(Language::ENGLISH)
}
