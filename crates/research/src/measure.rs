//! What a question wants measured, such as "air temperature", and whether a sentence measures something else of
//! the same name, such as "felt temperature".
//!
//! Takes the words as they stand; no list of measures is kept.

use crate::words;

/// A word of fewer letters neither names a measure nor says which.
const SHORT: usize = 3;

/// Pairs of neighbouring words behind what the question says of its subject, as in "lower the …" or "effect of … on
/// …": which measure, and its name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measure(Vec<(String, String)>);

impl Measure {
    pub(crate) fn parse(asked: &str) -> Self {
        let said = split(&asked.to_lowercase());
        let leads = |word: &String| word == "on" || words::all("directions").any(|one| one == word);
        let Some(lead) = said.iter().rposition(leads) else {
            return Self::default();
        };
        let names = |word: &String| word.chars().count() >= SHORT && !is_joint(word);
        let behind = said.get(lead + 1..).unwrap_or_default();
        let pairs = behind.windows(2).filter_map(|pair| match pair {
            [which, name] if names(which) && names(name) => Some((which.clone(), name.clone())),
            _ => None,
        });
        Self(pairs.collect())
    }

    /// Whether a sentence in small letters names the measure, but with another word before it each time.
    pub(crate) fn is_other(&self, lower: &str) -> bool {
        let said = split(lower);
        self.0.iter().any(|(which, name)| {
            let mut before = said
                .windows(2)
                .filter_map(|pair| match pair {
                    [before, found] if found == name => Some(before),
                    _ => None,
                })
                .peekable();
            let found = before.peek().is_some();
            found && before.all(|word| word != which && word.chars().count() > SHORT)
        })
    }
}

fn split(lower: &str) -> Vec<String> {
    let bare = lower.split(|c: char| !c.is_alphanumeric());
    bare.filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Words that stand before names without telling which.
fn is_joint(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "how"
            | "much"
            | "many"
            | "does"
            | "what"
            | "which"
            | "and"
            | "for"
            | "with"
            | "from"
            | "that"
            | "are"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn felt_temperature_is_another_measure_than_that_of_the_air() {
        let asked = Measure::parse("How much do street trees lower the air temperature in summer?");
        assert!(asked.is_other("tree shade lowers felt temperature by 9 °c."));
        assert!(!asked.is_other("trees lowered afternoon air temperature by 1.9 °c."));
        assert!(!asked.is_other("the temperature fell by 1.9 °c."));
        assert!(!asked.is_other("the air was 1.9 °c cooler."));
        let open = Measure::parse("Why do young trees die?");
        assert!(!open.is_other("young trees die of drought."));
    }
}
