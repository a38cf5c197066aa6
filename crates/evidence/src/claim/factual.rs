//! Which sentences state something that a source must bear out.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::block::BlockKind;
use super::lexicon::lines;

/// A sentence of fewer words, without a number, states nothing.
const WORDS_MIN: usize = 4;

static REFERENCE_TITLES: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| lines(include_str!("reference_titles.txt")).collect());

/// Whether a sentence needs a citation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stated {
    /// It needs one.
    Fact,
    /// It needs none.
    Nothing {
        /// The reason.
        why: NotFactual,
    },
}

/// Why a sentence needs none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotFactual {
    /// It is a title.
    Heading,
    /// It asks.
    Question,
    /// It speaks about the report, or leads over.
    AboutReport,
    /// It ends in a colon: what follows states something.
    LeadIn,
    /// It has a few words and no number.
    TooShort,
}

pub(super) fn stated(sentence: &str, place: BlockKind) -> Stated {
    match why_not(sentence, place) {
        Some(why) => Stated::Nothing { why },
        None => Stated::Fact,
    }
}

fn why_not(sentence: &str, place: BlockKind) -> Option<NotFactual> {
    let lower = sentence.trim().to_lowercase();
    let about = || lines(include_str!("about_report.txt")).any(|start| begins(&lower, start));
    if place == BlockKind::Heading {
        Some(NotFactual::Heading)
    } else if lower
        .trim_end_matches(['"', '”', ')'])
        .ends_with(['?', '？'])
    {
        Some(NotFactual::Question)
    } else if about() {
        Some(NotFactual::AboutReport)
    } else if lower.ends_with(':') {
        Some(NotFactual::LeadIn)
    } else if is_short(&lower) {
        Some(NotFactual::TooShort)
    } else {
        None
    }
}

fn begins(lower: &str, start: &str) -> bool {
    let rest = lower.strip_prefix(start);
    rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Scripts without spaces are measured by their letters.
fn is_short(lower: &str) -> bool {
    let letters = lower.chars().filter(|c| c.is_alphanumeric()).count();
    lower.split_whitespace().count() < WORDS_MIN
        && letters < 30
        && lower.is_ascii()
        && !lower.contains(|c: char| c.is_ascii_digit())
}

pub(super) fn lists_sources(heading: &str) -> bool {
    let lower = heading.trim().trim_end_matches(':').to_lowercase();
    let bare = lower.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ');
    REFERENCE_TITLES.contains(bare)
}
