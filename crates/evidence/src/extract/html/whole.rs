//! A page in which no main content was found, read as a whole: all that is seen, without the frame.

use ego_tree::NodeRef;
use scraper::node::Element;
use scraper::{Html, Node, Selector};

use super::super::pieces::Pieces;
use super::blocks;

const FRAME: &[&str] = &[
    "head", "nav", "footer", "aside", "form", "button", "dialog", "script", "style", "menu",
];

const FRAME_ROLES: &[&str] = &[
    "navigation",
    "banner",
    "contentinfo",
    "search",
    "complementary",
    "dialog",
    "menu",
    "menubar",
];

pub(super) fn write(page: &Html, pieces: &mut Pieces) {
    blocks::write(root(page), &is_frame, pieces);
}

/// Where the content is by the page's own word.
fn root(page: &Html) -> NodeRef<'_, Node> {
    let selector = Selector::parse("main, [role='main' i]").ok();
    let main = selector.and_then(|selector| page.select(&selector).next());
    let filled = main.filter(|main| main.text().any(|text| !text.trim().is_empty()));
    filled.map_or(page.tree.root(), |main| *main)
}

fn is_frame(element: &Element) -> bool {
    FRAME.contains(&element.name()) || has_frame_role(element) || is_hidden(element)
}

fn has_frame_role(element: &Element) -> bool {
    let role = element
        .attr("role")
        .unwrap_or_default()
        .to_ascii_lowercase();
    FRAME_ROLES.contains(&role.as_str())
}

fn is_hidden(element: &Element) -> bool {
    let style = element.attr("style").unwrap_or_default();
    let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
    let style = style.to_ascii_lowercase();
    element.attr("hidden").is_some()
        || style.contains("display:none")
        || style.contains("visibility:hidden")
        || element
            .attr("aria-hidden")
            .is_some_and(|value| value.eq_ignore_ascii_case("true"))
}
