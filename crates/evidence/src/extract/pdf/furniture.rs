//! Drops what is on every page and belongs to none: running heads, feet and page numbers.

use super::items::PageItem;
use crate::fixed_hash::{FixedMap, FixedSet};

/// Items from the top and the bottom of a page that may be such lines.
const FROM_TOP: usize = 2;
const FROM_BOTTOM: usize = 3;

/// Longer ones are text.
const LINE_MAX_CHARS: usize = 150;

/// A line is a running one from this many pages on, and if it is on one page in so many.
const PAGES_MIN: usize = 3;
const ONE_PAGE_IN: usize = 4;

pub(super) fn drop_running_lines(items: &mut Vec<PageItem>, pages: usize) {
    if pages < 2 {
        return;
    }
    let edges = edges(items);
    let mut on: FixedMap<String, FixedSet<u32>> = FixedMap::default();
    for item in edges.iter().filter_map(|at| items.get(*at)) {
        on.entry(pattern(&item.text)).or_default().insert(item.page);
    }
    let is_running = |item: &PageItem| {
        let count = on.get(&pattern(&item.text)).map_or(0, FixedSet::len);
        let repeats = count >= PAGES_MIN && count * ONE_PAGE_IN >= pages;
        item.text.chars().count() <= LINE_MAX_CHARS && (repeats || is_page_number(&item.text))
    };
    let mut at = 0;
    items.retain(|item| {
        let dropped = edges.contains(&at) && is_running(item);
        at += 1;
        !dropped
    });
}

/// Indices of the items at the top and at the bottom of their pages.
fn edges(items: &[PageItem]) -> FixedSet<usize> {
    let mut edges = FixedSet::default();
    let mut start = 0;
    for page in items.chunk_by(|one, next| one.page == next.page) {
        let end = start + page.len();
        // A line that is all its page says is no frame around anything.
        if page.len() == 1 {
            start = end;
            continue;
        }
        edges.extend(start..end.min(start + FROM_TOP));
        edges.extend(end.saturating_sub(FROM_BOTTOM).max(start)..end);
        start = end;
    }
    edges
}

/// A line without what changes from page to page: its numbers and its spaces.
fn pattern(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars().filter(|c| c.is_alphanumeric()) {
        if !c.is_ascii_digit() {
            pattern.extend(c.to_lowercase());
        } else if !pattern.ends_with('#') {
            pattern.push('#');
        }
    }
    pattern
}

/// `12`, `– 12 –`, `xii`, `Page 3 of 9`, `3/9`.
fn is_page_number(text: &str) -> bool {
    let text = text.to_lowercase();
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_number = |word: &&str| word.len() <= 4 && word.chars().all(|c| c.is_ascii_digit());
    let is_roman = |word: &&str| word.len() <= 6 && word.chars().all(|c| "ivxl".contains(c));
    match words.as_slice() {
        [one] => is_number(one) || is_roman(one),
        [page, one] if ["page", "seite", "p"].contains(page) => is_number(one),
        [one, of, all] if ["of", "von"].contains(of) => is_number(one) && is_number(all),
        [page, one, _, all] if *page == "page" => is_number(one) && is_number(all),
        [one, all] => text.contains('/') && is_number(one) && is_number(all),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::items::{ItemKind, PageItem};
    use super::drop_running_lines;

    fn item(page: u32, text: &str) -> PageItem {
        PageItem {
            page,
            kind: ItemKind::Body,
            text: text.to_owned(),
        }
    }

    #[test]
    fn running_heads_and_page_numbers_are_dropped_and_text_stays() {
        let mut items = Vec::new();
        for page in 1..=4 {
            items.push(item(page, &format!("Journal of Tests {page}")));
            items.push(item(
                page,
                &format!(
                    "What page {page} says about words that differ: {}.",
                    "abcd".repeat(page as usize)
                ),
            ));
            items.push(item(page, "More of it in this place."));
            items.push(item(page, "And more."));
            items.push(item(page, &format!("– {page} –")));
        }
        items.push(item(4, "5"));
        drop_running_lines(&mut items, 4);
        assert!(
            !items
                .iter()
                .any(|item| item.text.starts_with("Journal") || item.text.contains('–'))
        );
        assert_eq!(
            items
                .iter()
                .filter(|item| item.text.starts_with("What page"))
                .count(),
            4
        );
    }

    #[test]
    fn a_line_that_is_all_its_page_says_stays() {
        let mut items = vec![item(1, "1"), item(2, "2")];
        drop_running_lines(&mut items, 2);
        assert_eq!(items.len(), 2);
    }

    #[test]
    fn a_single_page_keeps_all_its_lines() {
        let mut items = vec![item(1, "Head"), item(1, "Text."), item(1, "1")];
        drop_running_lines(&mut items, 1);
        assert_eq!(items.len(), 3);
    }
}
