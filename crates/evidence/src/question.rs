//! What a question asks: its language, the kind of answer it wants, the words in it that ask nothing, and the
//! words that documents have for others.

mod abbreviation;
mod amount;
mod answer_kind;
mod definition;
mod everyday;
mod fillers;
mod light_verbs;

use crate::Language;

pub use abbreviation::other_names;
pub use amount::AskedAmount;
pub use answer_kind::{AnswerKind, names_review, pools_studies};
pub use definition::AskedThing;
pub use everyday::document_words;
pub use fillers::without_fillers;
pub use light_verbs::light_verb_weights;

/// The language a question is asked in; English where that cannot be told.
pub fn language(question: &str) -> Language {
    Language::detect(question).unwrap_or(Language::ENGLISH)
}
