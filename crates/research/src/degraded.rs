//! What was done in a poorer way than meant, in sentences for readers.
//!
//! Makes the sentence for a part that the language model could not make, and puts the sentences of several such parts
//! into one. Which other things went less well is said by those who saw it.

const MADE: &str = " was made by the ";
const WHY: &str = " reasoner, because the language model could not be used.";

/// That a part was made by another reasoner than the first choice.
pub(crate) fn made_by(part: &str, reasoner: &str) -> String {
    format!("The {part}{MADE}{reasoner}{WHY}")
}

/// The sentences as a reader is told them: one for all parts that one reasoner made, in the place of the first of them.
pub(crate) fn told(sentences: &[String]) -> Vec<String> {
    let mut all: Vec<Told<'_>> = Vec::new();
    for sentence in sentences {
        let Some((part, by)) = parts(sentence) else {
            all.push(Told::Other(sentence));
            continue;
        };
        let same = all.iter_mut().find_map(|told| match told {
            Told::Made { parts, by: known } if *known == by => Some(parts),
            _ => None,
        });
        match same {
            Some(parts) if parts.contains(&part) => {}
            Some(parts) => parts.push(part),
            None => all.push(Told::Made {
                parts: vec![part],
                by,
            }),
        }
    }
    all.iter().map(Told::sentence).collect()
}

enum Told<'s> {
    /// Parts that one reasoner made.
    Made {
        parts: Vec<&'s str>,
        by: &'s str,
    },
    Other(&'s str),
}

impl Told<'_> {
    fn sentence(&self) -> String {
        match self {
            Self::Other(sentence) => (*sentence).to_owned(),
            Self::Made { parts, by } => match parts.as_slice() {
                [first @ .., second, last] => {
                    let first: String = first.iter().map(|part| format!("{part}, the ")).collect();
                    format!("The {first}{second} and the {last} were made by the {by}{WHY}")
                }
                rest => made_by(&rest.concat(), by),
            },
        }
    }
}

/// The part and the reasoner of a sentence that `made_by` made.
fn parts(sentence: &str) -> Option<(&str, &str)> {
    let inner = sentence.strip_prefix("The ")?.strip_suffix(WHY)?;
    inner.split_once(MADE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_one_reasoner_made_are_told_in_one_sentence() {
        let said = [
            made_by("plan", "extractive"),
            "One search failed.".to_owned(),
            made_by("text", "extractive"),
            made_by("plan", "extractive"),
            made_by("review", "extractive"),
        ];
        assert_eq!(
            told(&said),
            [
                "The plan, the text and the review were made by the extractive reasoner, because the language model could not be used.",
                "One search failed.",
            ]
        );
        assert_eq!(
            told(&said[..3])[0],
            "The plan and the text were made by the extractive reasoner, because the language model could not be used."
        );
    }

    #[test]
    fn a_part_alone_and_other_sentences_stay_as_they_are() {
        let said = [made_by("text", "extractive"), "A page was cut.".to_owned()];
        assert_eq!(told(&said), said);
        assert_eq!(told(&[]), Vec::<String>::new());
    }
}
