//! Tells a page of a web site from a page of a manual.
//!
//! Around an article on a web site stand teasers, comments and advertisements, which only a library with years of rules
//! takes apart; it loses definitions, captions and code as it does so. A page of a manual has a plain frame, and every
//! word in it counts.

use scraper::{Html, Selector};

/// Programs that make manuals, as they name themselves in the pages they make.
const MANUALS: &[&str] = &[
    "asciidoc",
    "docbook",
    "docusaurus",
    "docutils",
    "doxygen",
    "javadoc",
    "makeinfo",
    "mdbook",
    "mkdocs",
    "publican",
    "rustdoc",
    "sphinx",
    "vitepress",
];

/// Advertisements and counters come from other hosts; a formula or a highlighter may too.
const FOREIGN_SCRIPTS_MIN: usize = 3;

/// Said to search engines and social networks.
const SAID_TO_OTHERS: &str =
    "meta[property^='og:'], meta[name^='twitter:'], script[type*='ld+json' i]";

/// Whether the page belongs to a web site and is framed by what is not its own. `foreign_scripts` are those that it
/// loads from other hosts.
pub(super) fn is_web_site(page: &Html, foreign_scripts: usize) -> bool {
    let head = "head > meta[name='generator' i]";
    let generator = first(page, head).and_then(|meta| meta.attr("content"));
    let generator = generator.unwrap_or_default().to_ascii_lowercase();
    if MANUALS.iter().any(|manual| generator.contains(manual)) {
        return false;
    }
    foreign_scripts >= FOREIGN_SCRIPTS_MIN || first(page, SAID_TO_OTHERS).is_some()
}

fn first<'h>(page: &'h Html, selector: &str) -> Option<scraper::ElementRef<'h>> {
    page.select(&Selector::parse(selector).ok()?).next()
}
