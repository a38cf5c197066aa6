//! A page read as a whole: all that is seen, without the frame and without lists of links.

use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{Html, Node, Selector};

use super::super::pieces::Pieces;
use super::blocks::{self, LeftOut};
use crate::fixed_hash::FixedSet;

const FRAME: &[&str] = &[
    "head", "nav", "footer", "button", "dialog", "script", "style", "menu",
];

const FRAME_ROLES: &[&str] = &[
    "navigation",
    "banner",
    "contentinfo",
    "search",
    "dialog",
    "menu",
    "menubar",
];

/// What a page calls its main part holds at least this share of the page's text, in hundredths.
const MAIN_MIN_PERCENT: usize = 20;

/// A list in which so much of the text is links, in hundredths, leads elsewhere and says nothing itself.
const LINKS_MIN_PERCENT: usize = 80;

/// Fewer links are no list of links.
const LINKS_MIN: usize = 5;

/// A page of which more is lists of links, in hundredths, is an index: they are what it says.
const INDEX_MIN_PERCENT: usize = 80;

/// Text in a form is labels of its fields, unless it is longer: then the form holds the page.
const FORM_MAX_CHARS: usize = 200;

pub(super) fn write(page: &Html, pieces: &mut Pieces) {
    let root = root(page);
    blocks::write(root, &left_out(root), pieces);
}

/// Where the content is by the page's own word.
fn root(page: &Html) -> NodeRef<'_, Node> {
    let selector = Selector::parse("main, [role='main' i]").ok();
    let main = selector.and_then(|selector| page.select(&selector).next());
    let length = |node: NodeRef<'_, Node>| -> usize {
        let texts = node.descendants().filter_map(|node| node.value().as_text());
        texts.map(|text| text.trim().len()).sum()
    };
    let all = page.tree.root();
    let filled = main.filter(|main| length(**main) * 100 >= length(all) * MAIN_MIN_PERCENT);
    filled.map_or(all, |main| *main)
}

/// The frame and, unless the page is an index, what only leads elsewhere.
fn left_out(root: NodeRef<'_, Node>) -> LeftOut {
    let mut scan = FrameScan::default();
    for edge in root.traverse() {
        match edge {
            Edge::Open(node) => scan.open(node),
            Edge::Close(node) => scan.close(node),
        }
    }
    let mut elements = scan.frame;
    let is_index = scan.listed * 100 >= scan.seen * INDEX_MIN_PERCENT;
    if !is_index {
        elements.extend(scan.link_lists);
    }
    LeftOut {
        elements,
        bars: !is_index,
    }
}

/// What is found in one walk over the page.
#[derive(Default)]
struct FrameScan {
    frame: FixedSet<NodeId>,
    link_lists: Vec<NodeId>,
    /// Characters of text that are seen, and those of them in lists of links.
    seen: usize,
    listed: usize,
    /// How many elements of the frame and how many links are open.
    in_frame: usize,
    in_link: usize,
    /// The lists and forms that are open, innermost last.
    open: Vec<TextCount>,
}

/// How much text stands in an element.
#[derive(Default)]
struct TextCount {
    chars: usize,
    link_chars: usize,
    links: usize,
    /// Those of the characters that a list of links inside has counted already.
    listed: usize,
}

impl FrameScan {
    fn open(&mut self, node: NodeRef<'_, Node>) {
        match node.value() {
            Node::Element(element) if self.in_frame > 0 || is_frame(element) => {
                self.in_frame += 1;
                if self.in_frame == 1 {
                    self.frame.insert(node.id());
                }
            }
            Node::Element(element) if is_weighed(element) => self.open.push(TextCount::default()),
            Node::Element(element) if is_link(element) => {
                self.in_link += 1;
                if let Some(around) = self.open.last_mut() {
                    around.links += 1;
                }
            }
            Node::Text(text) if self.in_frame == 0 => {
                let chars = text.trim().len();
                self.seen += chars;
                if let Some(around) = self.open.last_mut() {
                    around.chars += chars;
                    around.link_chars += if self.in_link > 0 { chars } else { 0 };
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, node: NodeRef<'_, Node>) {
        let Node::Element(element) = node.value() else {
            return;
        };
        if self.in_frame > 0 {
            self.in_frame -= 1;
        } else if is_weighed(element) {
            let mut count = self.open.pop().unwrap_or_default();
            self.judge(node.id(), element, &mut count);
            if let Some(around) = self.open.last_mut() {
                around.chars += count.chars;
                around.link_chars += count.link_chars;
                around.links += count.links;
                around.listed += count.listed;
            }
        } else if is_link(element) {
            self.in_link = self.in_link.saturating_sub(1);
        }
    }

    fn judge(&mut self, id: NodeId, element: &Element, count: &mut TextCount) {
        let links = count.link_chars * 100 >= count.chars * LINKS_MIN_PERCENT;
        if element.name() == "form" {
            if count.chars < FORM_MAX_CHARS {
                self.frame.insert(id);
            }
        } else if is_aside(element) {
            if count.link_chars * 2 >= count.chars {
                self.frame.insert(id);
            }
        } else if links && count.links >= LINKS_MIN {
            self.link_lists.push(id);
            self.listed += count.chars - count.listed;
            count.listed = count.chars;
        }
    }
}

fn is_link(element: &Element) -> bool {
    element.name() == "a" && element.attr("href").is_some()
}

/// Elements of which it depends on the text in them whether they are left out.
fn is_weighed(element: &Element) -> bool {
    matches!(element.name(), "ul" | "ol" | "dl" | "table" | "form") || is_aside(element)
}

fn is_aside(element: &Element) -> bool {
    element.name() == "aside" || has_role(element, "complementary")
}

fn is_frame(element: &Element) -> bool {
    let has_frame_role = || FRAME_ROLES.iter().any(|frame| has_role(element, frame));
    FRAME.contains(&element.name()) || has_frame_role() || is_hidden(element)
}

fn has_role(element: &Element, role: &str) -> bool {
    let told = element.attr("role");
    told.is_some_and(|told| told.eq_ignore_ascii_case(role))
}

fn is_hidden(element: &Element) -> bool {
    let hides = |style: &str| {
        let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
        let style = style.to_ascii_lowercase();
        style.contains("display:none") || style.contains("visibility:hidden")
    };
    let is_true = |value: &str| value.eq_ignore_ascii_case("true");
    // Shown only while the pointer rests on something.
    let is_tooltip = |class: &str| class.contains("tooltip");
    element
        .attr("hidden")
        .is_some_and(|value| value != "until-found")
        || element.attr("style").is_some_and(hides)
        || element.attr("aria-hidden").is_some_and(is_true)
        || element.attr("class").is_some_and(is_tooltip)
}
