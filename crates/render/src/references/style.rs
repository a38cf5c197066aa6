//! Citation styles by name: our own plain one, and the CSL styles that hayagriva brings along.

use std::fmt;
use std::str::FromStr;

use hayagriva::archive::ArchivedStyle;
use serde::{Deserialize, Serialize};

/// So many names are offered in place of one that is not known.
const OFFERED: usize = 3;

const PLAIN: &str = "numeric";

/// How the list of references is set: `numeric`, or a bundled CSL style such as `apa`, `ieee`, `vancouver` or `mla`.
///
/// The text cites by numbers in every style, and the list keeps them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CitationStyle {
    name: &'static str,
    pub(super) csl: Option<ArchivedStyle>,
}

/// A name that no style has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no citation style \"{name}\"; the nearest names are {nearest}")]
pub struct UnknownStyle {
    name: String,
    nearest: String,
}

impl CitationStyle {
    /// Every name that [`str::parse`] takes, in alphabetical order.
    pub fn names() -> Vec<&'static str> {
        let bundled = ArchivedStyle::all().iter();
        let bundled = bundled.flat_map(|style| style.names().iter().copied());
        let mut names: Vec<_> = bundled.chain([PLAIN]).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The name that it was asked for by.
    pub fn name(self) -> &'static str {
        self.name
    }
}

impl Default for CitationStyle {
    fn default() -> Self {
        Self {
            name: PLAIN,
            csl: None,
        }
    }
}

impl FromStr for CitationStyle {
    type Err = UnknownStyle;

    fn from_str(word: &str) -> Result<Self, UnknownStyle> {
        let wanted = word.trim().to_lowercase();
        let names = Self::names();
        let Some(name) = names.iter().find(|name| **name == wanted) else {
            return Err(UnknownStyle {
                name: word.chars().take(80).collect(),
                nearest: nearest(&wanted, names),
            });
        };
        Ok(Self {
            name,
            csl: ArchivedStyle::by_name(name).map(with_authors),
        })
    }
}

/// Hayagriva 0.10 leaves the authors out of NLM's two styles; Sage's form of Vancouver has them.
fn with_authors(style: ArchivedStyle) -> ArchivedStyle {
    match style {
        ArchivedStyle::NlmCitationSequence | ArchivedStyle::NlmCitationSequenceSuperscript => {
            ArchivedStyle::SageVancouver
        }
        other => other,
    }
}

fn nearest(wanted: &str, mut names: Vec<&'static str>) -> String {
    let likeness = |name: &str| {
        let whole = strsim::jaro_winkler(name, wanted);
        let words = name
            .split('-')
            .map(|word| strsim::jaro_winkler(word, wanted));
        words.fold(whole, f64::max)
    };
    names.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    names.truncate(OFFERED);
    names.join(", ")
}

impl Serialize for CitationStyle {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for CitationStyle {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = std::borrow::Cow::<str>::deserialize(deserializer)?;
        word.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for CitationStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Debug for CitationStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CitationStyle({})", self.name)
    }
}
