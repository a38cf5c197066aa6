//! Citation styles: our own plain one, the CSL styles that hayagriva brings along, and any other CSL file.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use hayagriva::archive::ArchivedStyle;
use hayagriva::citationberg::taxonomy::{OtherTerm, Term};
use hayagriva::citationberg::{
    CslMacro, IndependentStyle, LayoutRenderingElement, Style, TextTarget,
};
use serde::{Deserialize, Serialize};

/// So many names are offered in place of one that is not known.
const OFFERED: usize = 3;

/// Elements and macros inside each other; more could exhaust the stack.
const NESTING_MAX: usize = 64;

/// Elements of a style with those of every macro at each of its calls; a few macros that call each other twice and
/// again could otherwise take forever.
const ELEMENTS_MAX: usize = 1_000_000;

const PLAIN: &str = "numeric";

/// How the list of references is set: `numeric`, a bundled CSL style such as `apa`, or any other one by its XML text.
///
/// The text cites by numbers in every style, and the list keeps them.
#[derive(Clone)]
pub struct CitationStyle {
    /// What [`str::parse`] makes the same style of again: a name, or the XML text.
    text: Arc<str>,
    pub(super) csl: Option<Arc<IndependentStyle>>,
}

/// Why something is not a citation style.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StyleError {
    /// No style has this name.
    #[error("there is no citation style \"{name}\"; the nearest names are {nearest}")]
    Unknown {
        /// What was asked for, cut after 80 characters.
        name: String,
        /// The names that look most like it, with commas between them.
        nearest: String,
    },
    /// The text is XML of another kind, or broken.
    #[error("this is not a CSL style: {0}")]
    Invalid(String),
    /// The style only names another one that holds the rules.
    #[error("this CSL style only refers to another one; give the file of {0} instead")]
    Dependent(String),
    /// The style has rules for citations in the text only.
    #[error("this CSL style has no rules for a list of references")]
    NoBibliography,
    /// The text is longer than any style in use.
    #[error("a CSL style may have at most 512 KB")]
    TooLong,
    /// Elements stand too deep in each other, or a macro calls itself.
    #[error("this CSL style is nested too deeply, or one of its macros calls itself")]
    TooDeep,
}

impl CitationStyle {
    /// The longest text of a CSL file that is taken.
    pub const MAX_BYTES: usize = 512 * 1024;

    /// Every name that [`str::parse`] takes, in alphabetical order.
    pub fn names() -> Vec<&'static str> {
        let bundled = ArchivedStyle::all().iter();
        let bundled = bundled.flat_map(|style| style.names().iter().copied());
        let mut names: Vec<_> = bundled.chain([PLAIN]).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Its name, or the title that a style of the reader's own gives itself.
    pub fn name(&self) -> &str {
        match &self.csl {
            Some(own) if is_xml(&self.text) => &own.info.title.value,
            _ => &self.text,
        }
    }

    /// Whether it is a style that is known here.
    pub fn check(&self) -> Result<(), StyleError> {
        match self.csl {
            Some(_) => Ok(()),
            None => self.text.parse::<Self>().map(drop),
        }
    }

    /// A style from the text of a CSL file.
    fn from_xml(text: &str) -> Result<Self, StyleError> {
        if text.len() > Self::MAX_BYTES {
            return Err(StyleError::TooLong);
        }
        if nesting(text) > NESTING_MAX {
            return Err(StyleError::TooDeep);
        }
        let style = match Style::from_xml(text) {
            Ok(Style::Independent(style)) => style,
            Ok(Style::Dependent(style)) => {
                return Err(StyleError::Dependent(style.parent_link.href));
            }
            Err(error) => return Err(StyleError::Invalid(error.source.to_string())),
        };
        let Some(bibliography) = &style.bibliography else {
            return Err(StyleError::NoBibliography);
        };
        let mut left = ELEMENTS_MAX;
        let elements = &bibliography.layout.elements;
        if !ends(elements, &style.macros, NESTING_MAX, &mut left) {
            return Err(StyleError::TooDeep);
        }
        Ok(Self {
            text: text.into(),
            csl: Some(Arc::new(without_guesses(style))),
        })
    }

    fn bundled(name: &str) -> Self {
        let style = ArchivedStyle::by_name(name).map(|style| with_authors(style).get());
        let style = style.and_then(|style| match style {
            Style::Independent(style) if style.bibliography.is_some() => Some(style),
            _ => None,
        });
        Self {
            text: name.into(),
            csl: style.map(without_guesses).map(Arc::new),
        }
    }
}

impl Default for CitationStyle {
    fn default() -> Self {
        Self::bundled(PLAIN)
    }
}

impl PartialEq for CitationStyle {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for CitationStyle {}

impl FromStr for CitationStyle {
    type Err = StyleError;

    /// Takes a name, or the text of a CSL file.
    fn from_str(text: &str) -> Result<Self, StyleError> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if is_xml(text) {
            return Self::from_xml(text);
        }
        let wanted = text.to_lowercase();
        let names = Self::names();
        if names.contains(&wanted.as_str()) {
            return Ok(Self::bundled(&wanted));
        }
        Err(StyleError::Unknown {
            name: text.chars().take(80).collect(),
            nearest: nearest(&wanted, names),
        })
    }
}

fn is_xml(text: &str) -> bool {
    text.starts_with('<')
}

/// How deep the elements of a well-formed text stand in each other.
fn nesting(xml: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for tag in xml.split('<').skip(1) {
        let content = tag.split('>').next().unwrap_or_default();
        if tag.starts_with('/') {
            depth = depth.saturating_sub(1);
        } else if !tag.starts_with(['?', '!']) && !content.ends_with('/') {
            depth += 1;
            deepest = deepest.max(depth);
        }
    }
    deepest
}

/// Whether the rules come to an end within so many levels and elements, with every macro that they call.
fn ends(
    elements: &[LayoutRenderingElement],
    macros: &[CslMacro],
    depth: usize,
    left: &mut usize,
) -> bool {
    let fewer = left.checked_sub(elements.len());
    let (Some(depth), Some(fewer)) = (depth.checked_sub(1), fewer) else {
        return false;
    };
    *left = fewer;
    elements.iter().all(|element| match element {
        LayoutRenderingElement::Text(text) => match &text.target {
            TextTarget::Macro { name } => {
                let mut called = macros.iter().filter(|one| one.name == *name);
                called.all(|called| ends(&called.children, macros, depth, left))
            }
            _ => true,
        },
        LayoutRenderingElement::Group(group) => ends(&group.children, macros, depth, left),
        LayoutRenderingElement::Names(names) => match names.substitute() {
            Some(substitute) => ends(&substitute.children, macros, depth, left),
            None => true,
        },
        LayoutRenderingElement::Choose(choose) => {
            let branches = choose.branches().map(|branch| &branch.children);
            let otherwise = choose.otherwise.iter().map(|branch| &branch.children);
            let mut all = branches.chain(otherwise);
            all.all(|children| ends(children, macros, depth, left))
        }
        _ => true,
    })
}

/// Takes out what styles say of every article without a volume: that it was published ahead of print or is in press.
/// Whether it was is not known.
fn without_guesses(mut style: IndependentStyle) -> IndependentStyle {
    for called in &mut style.macros {
        drop_guesses(&mut called.children);
    }
    if let Some(bibliography) = &mut style.bibliography {
        drop_guesses(&mut bibliography.layout.elements);
    }
    style
}

fn drop_guesses(elements: &mut Vec<LayoutRenderingElement>) {
    elements.retain(|element| match element {
        LayoutRenderingElement::Text(text) => match &text.target {
            TextTarget::Term { term, .. } => !matches!(
                term,
                Term::Other(OtherTerm::AdvanceOnlinePublication | OtherTerm::InPress)
            ),
            TextTarget::Value { val } => !guesses(val),
            TextTarget::Variable { .. } | TextTarget::Macro { .. } => true,
        },
        _ => true,
    });
    for element in elements {
        match element {
            LayoutRenderingElement::Date(date) => {
                date.affixes.prefix.take_if(|prefix| guesses(prefix));
            }
            LayoutRenderingElement::Group(group) => drop_guesses(&mut group.children),
            LayoutRenderingElement::Choose(choose) => {
                drop_guesses(&mut choose.if_.children);
                for branch in &mut choose.else_if {
                    drop_guesses(&mut branch.children);
                }
                if let Some(branch) = &mut choose.otherwise {
                    drop_guesses(&mut branch.children);
                }
            }
            _ => {}
        }
    }
}

fn guesses(words: &str) -> bool {
    words.to_lowercase().contains("ahead of print")
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
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for CitationStyle {
    /// Takes every text, since stored reports must still open when a style has gone; one that is not known sets the list
    /// as `numeric` does. Where a person writes it, [`CitationStyle::check`] refuses it.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Ok(text.parse().unwrap_or_else(|_| Self {
            text: text.as_ref().into(),
            csl: None,
        }))
    }
}

impl fmt::Display for CitationStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for CitationStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CitationStyle({})", self.name())
    }
}
