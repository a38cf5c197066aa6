//! Web pages: the main content without what surrounds it, and what the page says about itself.
//!
//! Nesting is limited first, so that no page can make the parser nest or grow without bound. Of a
//! page of a web site a library finds the main content, and its blocks become paragraphs with their
//! roles. Pages of manuals, and those in which no main content is found, are read as a whole.

mod blocks;
mod hidden;
mod limit_nesting;
mod metadata;
mod site;
mod whole;

use std::panic::catch_unwind;

use scraper::{Html, Selector};

use super::pieces::Pieces;
use super::{DocumentFormat, Error, ExtractLimits};
use crate::Document;
use crate::fixed_hash::FixedSet;
use blocks::LeftOut;

/// What nobody sees on the page, and what is never content.
const UNSEEN: &str = "[hidden]:not([hidden='until-found']), [aria-hidden='true' i], \
    [style*='display:none' i], [style*='display: none' i], [style*='visibility:hidden' i], \
    [style*='visibility: hidden' i], nav, dialog, [role='navigation' i], [role='banner' i], \
    [role='contentinfo' i], [role='search' i], [role='dialog' i]";

/// The search for main content asks at every element for the text in it, so its cost grows with
/// depth. Pages that people write nest less than half of this; deeper ones are read as a whole.
const SEARCHED_MAX_DEPTH: usize = 128;

/// Elements that stand apart from what is before and after them.
const BLOCKS: &str = "h1, h2, h3, h4, h5, h6, p, li, dt, dd, td, th, blockquote";

/// Main content shorter than this share of the whole page's text was probably missed.
const MISSED_SHARE: usize = 50;

pub(super) fn read(text: &str, limits: &ExtractLimits) -> Result<Document, Error> {
    if text.len() > limits.html_max_bytes {
        let size = text.len() as u64;
        return Err(Error::too_large(
            size,
            limits.html_max_bytes,
            "html_max_bytes",
        ));
    }
    let limited = limit_nesting::limit_nesting(text, limits.html_max_depth);
    let (page, html) = without_hidden(text, limited.html);
    let mut pieces = Pieces::new(metadata::read_metadata(&page), limits);
    if limited.flattened > 0 {
        pieces.lost(format!(
            "{} elements stood deeper than {} and were flattened (\"html_max_depth\").",
            limited.flattened, limits.html_max_depth
        ));
    }
    let main = if !site::is_web_site(&page, limited.foreign_scripts) {
        None
    } else if limited.deepest > SEARCHED_MAX_DEPTH {
        pieces.lost("Its elements nest too deep; its main content was not looked for.");
        None
    } else if limited.tags.max(limited.ends) <= limits.html_max_tags {
        main_content(&html)
    } else {
        pieces.lost(format!(
            "The page has {} tags; its main content was not looked for (\"html_max_tags\").",
            limited.tags.max(limited.ends)
        ));
        None
    };
    match main.filter(|main| is_enough(main, &page) && !is_run_together(main, &page)) {
        Some(main) => blocks::write(main.tree.root(), &LeftOut::default(), &mut pieces),
        None => whole::write(&page, &mut pieces),
    }
    pieces.build(DocumentFormat::Html, "only markup or scripts")
}

/// Writes a chapter of a book, which is a page without anything around its content.
pub(super) fn write_chapter(text: &str, limits: &ExtractLimits, pieces: &mut Pieces) {
    let limited = limit_nesting::limit_nesting(text, limits.html_max_depth);
    let (page, _) = without_hidden(text, limited.html);
    whole::write(&page, pieces);
}

/// The page without what nobody sees on it, parsed and as markup.
fn without_hidden(text: &str, html: String) -> (Html, String) {
    let mut page = Html::parse_document(&html);
    let unseen = hidden::hidden(&page, text);
    if unseen.is_empty() {
        return (page, html);
    }
    for id in unseen {
        if let Some(mut node) = page.tree.get_mut(id) {
            node.detach();
        }
    }
    let html = page.html();
    (page, html)
}

/// The main content as markup, if the library finds any.
fn main_content(html: &str) -> Option<Html> {
    extracted(html, Some(UNSEEN))
        // Some pages hide all their text until a script shows it.
        .or_else(|| extracted(html, None))
        .map(|content| Html::parse_fragment(&content))
}

fn extracted(html: &str, unseen: Option<&str>) -> Option<String> {
    let mut options = trafilatura::Options::default()
        .with_fallback(true)
        .with_exclude_comments(true)
        .with_html_date_mode(trafilatura::HtmlDateMode::Disabled);
    options.prune_selector = unseen.map(str::to_owned);
    // The library states invariants by panicking; a page that breaks one is still a page.
    let result = catch_unwind(|| trafilatura::extract(html, &options))
        .ok()?
        .ok()?;
    let content = result.content_html;
    result
        .content_text
        .chars()
        .any(char::is_alphanumeric)
        .then_some(content)
}

fn is_enough(main: &Html, page: &Html) -> bool {
    let length = |html: &Html| -> usize {
        let texts = html.root_element().text();
        texts.map(|text| text.trim().len()).sum()
    };
    length(main) >= length(page) / MISSED_SHARE
}

/// Of very short pages the library gives all text in one block, the last word of a heading grown together with the
/// first of what follows. Such a sentence stands nowhere on the page.
fn is_run_together(main: &Html, page: &Html) -> bool {
    let Ok(blocks) = Selector::parse(BLOCKS) else {
        return false;
    };
    if main.select(&blocks).count() > 1 {
        return false;
    }
    let texts = main.root_element().text();
    let words: FixedSet<&str> = texts.flat_map(str::split_whitespace).collect();
    let blocks: Vec<String> = page
        .select(&blocks)
        .map(|block| block.text().collect())
        .collect();
    blocks.windows(2).any(|pair| {
        let last = pair[0].split_whitespace().next_back();
        let first = pair[1].split_whitespace().next();
        last.zip(first)
            .is_some_and(|(last, first)| words.contains(format!("{last}{first}").as_str()))
    })
}
