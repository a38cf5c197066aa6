//! A stretch of a text, by byte offsets.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Where something stands in a text: `text[span]` is what was meant, to the byte.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
/// A range of bytes in a text.
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
}

impl Span {
    /// A span from its first byte up to, but not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// How many bytes it holds.
    pub fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether it holds no byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As a range for slicing.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Whether all of `inner` lies inside it.
    pub fn holds(&self, inner: Span) -> bool {
        self.start <= inner.start && inner.end <= self.end
    }

    /// Whether the two have a byte in common.
    pub fn overlaps(&self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The same stretch, counted from `by` bytes further left.
    #[must_use]
    pub fn moved(&self, by: usize) -> Self {
        Self::new(self.start + by, self.end + by)
    }

    /// The text it means; nothing when it does not fit the text, as a span from elsewhere may.
    pub fn of<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(self.range())
    }

    /// Without white space at either end.
    #[must_use]
    pub fn trimmed(&self, text: &str) -> Self {
        let Some(inside) = self.of(text) else {
            return *self;
        };
        let start = self.start + (inside.len() - inside.trim_start().len());
        let kept = inside.trim().len();
        Self::new(start, start + kept)
    }
}

/// The stretches of a sentence that stand outside round brackets. A bracket that is never closed
/// opens nothing.
pub(crate) fn outside_brackets(text: &str) -> Vec<Span> {
    let mut outside = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find('(')) {
        let open = at + open;
        let Some(close) = text.get(open..).and_then(|rest| rest.find(')')) else {
            break;
        };
        outside.push(Span::new(from, open));
        from = open + close + 1;
        at = from;
    }
    outside.push(Span::new(from, text.len()));
    outside
}
