//! Sources that copy another: mirrors agree by copying, so only one of them is a witness.

use fathom_evidence::duplicate;

use super::Reading;
use crate::source::SourceId;

/// A source that was left out because it copies another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The one that was left out.
    pub copy: SourceId,
    /// The one that it copies.
    pub of: SourceId,
}

/// Splits readings into those that stand for themselves and those that copy one of them.
pub(super) fn split(readings: &[Reading]) -> (Vec<&Reading>, Vec<Copied>) {
    let texts: Vec<&str> = readings
        .iter()
        .map(|reading| reading.document.text.as_str())
        .collect();
    let mut kept = Vec::new();
    let mut copies = Vec::new();
    for group in duplicate::documents(&texts) {
        let members: Vec<&Reading> = group.iter().filter_map(|at| readings.get(*at)).collect();
        let Some(original) = members.iter().copied().min_by_key(|one| standing(one)) else {
            continue;
        };
        kept.push(original);
        let others = members.iter().filter(|one| one.source != original.source);
        copies.extend(others.map(|one| Copied {
            copy: one.source,
            of: original.source,
        }));
    }
    kept.sort_by_key(|reading| reading.source);
    (kept, copies)
}

/// The oldest stands first, then the longest: a reprint comes later and leaves things out.
fn standing(reading: &Reading) -> (bool, &str, std::cmp::Reverse<usize>, SourceId) {
    let published = reading.document.about.published.as_deref();
    let length = std::cmp::Reverse(reading.document.text.len());
    (
        published.is_none(),
        published.unwrap_or_default(),
        length,
        reading.source,
    )
}
