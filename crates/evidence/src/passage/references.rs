//! Which paragraphs only list what the document cites.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::document::{Paragraph, ParagraphRole};
use crate::{Document, lists};

static TITLES: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| lists::set(include_str!("references.txt"), "titles"));

/// So many in a row are a list; fewer may be a paragraph that speaks of one work.
const ENOUGH_IN_A_ROW: usize = 3;

/// Signs of a reference in one paragraph, of which this many tell.
const ENOUGH_SIGNS: usize = 3;

/// Works are named in few words; a longer paragraph says something about them.
const MAX_CHARS: usize = 600;

/// For each paragraph of the document, whether it stands in a list of references.
pub(super) fn marked(document: &Document) -> Vec<bool> {
    let listed = document.sections.iter().filter(|s| is_title(&s.title));
    let mut listed = listed.map(|section| section.span).peekable();
    // Sections and paragraphs are in reading order, so one walk over both is enough.
    let mut listed_until = 0;
    let mut marks = Vec::with_capacity(document.paragraphs.len());
    for paragraph in &document.paragraphs {
        while let Some(span) = listed.next_if(|span| span.start <= paragraph.span.start) {
            listed_until = listed_until.max(span.end);
        }
        marks.push(paragraph.span.end <= listed_until);
    }
    mark_runs(document, &mut marks);
    marks
}

/// Lists that stand under no title, as at the end of many PDFs.
fn mark_runs(document: &Document, marks: &mut [bool]) {
    let like: Vec<bool> = document
        .paragraphs
        .iter()
        .map(|p| is_reference(document, p))
        .collect();
    let mut at = 0;
    while at < like.len() {
        let run = like[at..].iter().take_while(|like| **like).count();
        if run >= ENOUGH_IN_A_ROW {
            marks[at..at + run].fill(true);
        }
        at += run.max(1);
    }
}

/// "7. References", "Bibliography:"
pub(super) fn is_title(title: &str) -> bool {
    let name = title.trim_matches(|c: char| !c.is_alphabetic());
    TITLES.contains(name.to_lowercase().as_str())
}

fn is_reference(document: &Document, paragraph: &Paragraph) -> bool {
    let text = document.at(paragraph.span).unwrap_or_default();
    let listed = matches!(
        paragraph.role,
        ParagraphRole::Body | ParagraphRole::ListItem
    );
    if !listed || text.len() > MAX_CHARS {
        return false;
    }
    // Other words than these show no sign, and most are others.
    let marked = |word: &&str| {
        word.ends_with(['.', ',', ';']) || word.bytes().any(|byte| byte.is_ascii_digit())
    };
    let words: Vec<&str> = text.split_whitespace().filter(marked).collect();
    let numbered = text.split_whitespace().next().is_some_and(is_number);
    let initials = words.iter().filter(|word| is_initials(word)).count() >= 2;
    let year = words.iter().any(|word| is_year(word));
    let lower = text.to_lowercase();
    let and_others = lower.contains("et al");
    let signs = [numbered, initials, year, and_others];
    let signs = signs.into_iter().filter(|sign| *sign).count();
    // The two that take longest to look for would not be enough.
    if signs + 2 < ENOUGH_SIGNS {
        return false;
    }
    let link = ["doi", "http", "arxiv", "pmid", "isbn"]
        .iter()
        .any(|sign| lower.contains(sign));
    let pages = words.iter().any(|word| is_pages(word)) || lower.contains("pp. ");
    signs + usize::from(link) + usize::from(pages) >= ENOUGH_SIGNS
}

fn is_number(word: &str) -> bool {
    let inside = word.trim_matches(['[', ']', '(', ')', '.']);
    let marked = inside.len() < word.len();
    marked && (1..=3).contains(&inside.len()) && inside.chars().all(|c| c.is_ascii_digit())
}

/// "J.", "JR," or "J.-P."
fn is_initials(word: &str) -> bool {
    let marked = word.ends_with(['.', ',', ';']);
    let mut letters = word.chars().filter(|c| c.is_alphabetic());
    marked && (1..=3).contains(&letters.clone().count()) && letters.all(char::is_uppercase)
}

fn is_year(word: &str) -> bool {
    let digits = word.trim_matches(|c: char| !c.is_ascii_digit());
    let digits = digits.get(..4).unwrap_or_default();
    (digits.starts_with("19") || digits.starts_with("20"))
        && digits.chars().all(|c| c.is_ascii_digit())
}

/// "12(3):45–67", "285:2486-2497", "45–67."
fn is_pages(word: &str) -> bool {
    let inside = word.trim_end_matches(['.', ',', ';']);
    let Some((before, after)) = inside.split_once(['-', '–', ':']) else {
        return false;
    };
    let number = |part: &str| {
        part.chars().any(|c| c.is_ascii_digit()) && !part.chars().any(char::is_alphabetic)
    };
    number(before) && number(after)
}
