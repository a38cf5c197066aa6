//! Citations numbered in the order in which a reader meets them.

use std::collections::BTreeMap;

use crate::draft::Draft;
use crate::source::SourceId;

/// Old numbers and the new ones they get.
pub(super) struct Numbers {
    known: usize,
    order: Vec<SourceId>,
    new: BTreeMap<SourceId, SourceId>,
}

impl Numbers {
    /// There are so many sources; a number beyond them is not met.
    pub(super) fn new(known: usize) -> Self {
        Self {
            known,
            order: Vec::new(),
            new: BTreeMap::new(),
        }
    }

    pub(super) fn meet(&mut self, old: SourceId) {
        let exists = old.0 > 0 && old.0 as usize <= self.known;
        if exists && !self.new.contains_key(&old) {
            self.order.push(old);
            let next = u32::try_from(self.order.len()).unwrap_or(u32::MAX);
            self.new.insert(old, SourceId(next));
        }
    }

    pub(super) fn meet_draft(&mut self, draft: &Draft) {
        let texts: Vec<&str> = draft.texts().map(|(_, text)| text).collect();
        texts.iter().for_each(|text| self.meet_text(text));
    }

    pub(super) fn meet_text(&mut self, text: &str) {
        for (_, ids) in brackets(text) {
            ids.into_iter().for_each(|id| self.meet(SourceId(id)));
        }
    }

    pub(super) fn old_in_order(&self) -> impl Iterator<Item = SourceId> {
        self.order.iter().copied()
    }

    pub(super) fn new_of(&self, old: SourceId) -> Option<SourceId> {
        self.new.get(&old).copied()
    }

    /// Writes the new numbers into a draft. A citation that leads nowhere goes.
    pub(super) fn draft(&self, draft: &mut Draft) {
        draft.title = self.text(&draft.title);
        for section in &mut draft.sections {
            section.title = self.text(&section.title);
        }
        let places: Vec<_> = draft.texts().map(|(place, _)| place).collect();
        for place in places {
            if let Some(text) = draft.text_mut(&place) {
                *text = self.text(text);
            }
        }
    }

    pub(super) fn text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for (range, ids) in brackets(text) {
            out.push_str(&text[from..range.start]);
            for id in ids.into_iter().filter_map(|id| self.new_of(SourceId(id))) {
                out.push_str(&format!("[{}]", id.0));
            }
            from = range.end;
        }
        out.push_str(&text[from..]);
        out
    }
}

/// The sources that a text cites, in reading order, each once.
pub(super) fn cited(text: &str) -> Vec<SourceId> {
    let mut order = Vec::new();
    for id in brackets(text).into_iter().flat_map(|(_, ids)| ids) {
        if !order.contains(&SourceId(id)) {
            order.push(SourceId(id));
        }
    }
    order
}

/// Every bracket of numbers, such as `[3]` or `[3, 7]`, with where it stands.
fn brackets(text: &str) -> Vec<(std::ops::Range<usize>, Vec<u32>)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find('[').map(|at| from + at) {
        from = open + 1;
        let Some(close) = text[from..].find(']').map(|at| from + at) else {
            break;
        };
        let ids: Option<Vec<u32>> = text[from..close]
            .split([',', ';'])
            .map(|id| id.trim().parse().ok())
            .collect();
        // `[3](https://…)` is a link, not a citation.
        let link = text[close + 1..].starts_with('(');
        if let (Some(ids), false) = (ids, link) {
            found.push((open..close + 1, ids));
            from = close + 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(summary: &str, conclusion: &str) -> Draft {
        Draft {
            summary: summary.into(),
            conclusion: conclusion.into(),
            ..Draft::default()
        }
    }

    #[test]
    fn numbers_follow_the_reader_and_leave_no_hole() {
        let mut draft = draft(
            "One [7]. Two [2, 7]. A list[a] and a [link](x).",
            "Three [4][2].",
        );
        let mut numbers = Numbers::new(9);
        numbers.meet_draft(&draft);
        numbers.draft(&mut draft);
        assert_eq!(
            draft.summary,
            "One [1]. Two [2][1]. A list[a] and a [link](x)."
        );
        assert_eq!(draft.conclusion, "Three [3][2].");
        let order: Vec<u32> = numbers.old_in_order().map(|id| id.0).collect();
        assert_eq!(order, [7, 2, 4]);
    }

    #[test]
    fn a_number_without_a_source_goes() {
        let mut draft = draft("One [1][12]. [0] and [3", "");
        let mut numbers = Numbers::new(9);
        numbers.meet_draft(&draft);
        numbers.draft(&mut draft);
        assert_eq!(draft.summary, "One [1].  and [3");
    }
}
