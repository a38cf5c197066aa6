//! Whether a sentence says what a thing is.

use std::collections::BTreeSet;

use fathom_evidence::terms::Terms;

/// What stands between a thing and what it is.
const JOINTS: [&str; 11] = [
    " is a ",
    " is an ",
    " is the ",
    " is any ",
    " is what ",
    " are the ",
    " means ",
    " refers to ",
    " stands for ",
    " is defined as ",
    " describes ",
];

/// Whether a sentence begins with the thing, given by its terms, and goes on with what it is. A part of a longer name
/// may stand for it.
pub(crate) fn defines(sentence: &str, subject: &BTreeSet<String>, terms: &Terms) -> bool {
    let joint = JOINTS.iter().filter_map(|joint| sentence.find(joint)).min();
    let head = joint.and_then(|at| sentence.get(..at)).unwrap_or_default();
    let head: BTreeSet<String> = terms.telling(head).into_iter().collect();
    !head.is_empty() && head.is_subset(subject) && 2 * head.len() >= subject.len()
}

#[cfg(test)]
mod tests {
    use fathom_evidence::Language;

    use super::*;

    #[test]
    fn only_a_sentence_that_says_what_the_thing_is_defines_it() {
        let terms = Terms::new(Language::ENGLISH);
        let subject = terms.telling("heat index").into_iter().collect();
        let defines = |text: &str| super::defines(text, &subject, &terms);
        assert!(defines(
            "The heat index is the warmth that a person feels in moist air."
        ));
        assert!(defines("A heat index means how warm it feels."));
        assert!(!defines("The heat index was 3 °C lower in the shade."));
        assert!(!defines(
            "The heat index of the town is the highest of all."
        ));
        assert!(!defines("Moist air is the cause of a high heat index."));
    }
}
