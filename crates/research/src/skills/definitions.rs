//! Passages of a library for a question, those first that tell what the thing is that it asks for.
//!
//! A passage that defines a thing names it once; others name it oftener and rank before it. So where a question asks what
//! something is, further passages are looked through for its definition.

use std::sync::Arc;

use fathom_evidence::question::{self, AskedThing};
use fathom_evidence::{Language, sentences};

use crate::library::{Library, LibraryFault, LocalPassage};

/// Passages that one query brings.
const PASSAGES_MOST: usize = 100;

/// Passages that are looked through for a definition.
const LOOKED_THROUGH: usize = 400;

/// Passages that are put first because they tell what something is.
const DEFINITIONS_MOST: usize = 3;

/// The passages that fit a question, or the terms that documents may have for it, best, best first.
pub(crate) async fn search(
    library: &Arc<dyn Library>,
    question: &str,
    terms: &str,
) -> Result<Vec<LocalPassage>, LibraryFault> {
    let language = question::language(question);
    let Some(thing) = AskedThing::read(question, language) else {
        return library.search(question, terms, PASSAGES_MOST).await;
    };
    let found = library.search(question, terms, LOOKED_THROUGH).await?;
    let mut found = telling_first(&thing, language, found);
    found.truncate(PASSAGES_MOST);
    Ok(found)
}

/// Puts the first passages that tell what the thing is that a question asks for before the others; where none does, those that
/// stand under its name.
pub(crate) fn definitions_first(question: &str, passages: Vec<LocalPassage>) -> Vec<LocalPassage> {
    let language = question::language(question);
    match AskedThing::read(question, language) {
        Some(thing) => telling_first(&thing, language, passages),
        None => passages,
    }
}

fn telling_first(
    thing: &AskedThing,
    language: Language,
    passages: Vec<LocalPassage>,
) -> Vec<LocalPassage> {
    let tells = |passage: &LocalPassage| {
        let text = passage.text.as_str();
        let mut spans = sentences(text, language).into_iter();
        spans.any(|span| span.of(text).is_some_and(|one| thing.is_told_in(one)))
    };
    let is_under_name = |passage: &LocalPassage| {
        passage
            .sections
            .last()
            .is_some_and(|one| thing.is_name(one))
    };
    let told: Vec<bool> = passages.iter().map(tells).collect();
    let first: Vec<bool> = if told.contains(&true) {
        told
    } else {
        passages.iter().map(is_under_name).collect()
    };
    let (mut before, mut behind) = (Vec::new(), Vec::new());
    for (passage, is_first) in passages.into_iter().zip(first) {
        if is_first && before.len() < DEFINITIONS_MOST {
            before.push(passage);
        } else {
            behind.push(passage);
        }
    }
    before.append(&mut behind);
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_evidence::passage::PassageId;

    fn passage(heading: &str, text: &str) -> LocalPassage {
        LocalPassage {
            name: "orchard.md".to_owned(),
            title: "Orchards".to_owned(),
            sections: vec![heading.to_owned()],
            passage: PassageId::from_saved(text),
            text: text.to_owned(),
            page: None,
            score: 1.0,
            similarity: None,
        }
    }

    fn texts(question: &str, passages: &[LocalPassage]) -> Vec<String> {
        let ordered = definitions_first(question, passages.to_vec()).into_iter();
        ordered.map(|one| one.text).collect()
    }

    #[test]
    fn the_passage_that_defines_comes_first_and_the_others_keep_their_order() {
        let passages = [
            passage("Care", "Water a graft. A graft needs sun."),
            passage("Grafts", "Cut them in March."),
            passage("Words", "Sun matters. A graft is a shoot on another plant."),
        ];
        let [care, named, defines] = passages.each_ref().map(|one| one.text.clone());
        let asked = texts("what is a graft?", &passages);
        assert_eq!(asked, [defines.clone(), care.clone(), named.clone()]);
        let others = texts("when do I water a graft?", &passages);
        assert_eq!(others, [care.clone(), named.clone(), defines]);
        // Where no sentence tells it, what stands under its name is nearest.
        let asked = texts("what is a graft?", &passages[..2]);
        assert_eq!(asked, [named, care]);
    }
}
