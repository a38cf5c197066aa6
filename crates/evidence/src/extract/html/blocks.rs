//! Turns a tree of elements into paragraphs with their roles.
//!
//! The walk keeps no call stack: a deep tree costs memory on the heap only.

use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::Node;
use scraper::node::Element;

use super::super::pieces::Pieces;
use crate::document::ParagraphRole;
use crate::fixed_hash::FixedSet;

/// A longer cell is a column of the page's layout, not a cell of data.
const CELL_MAX_CHARS: usize = 400;

/// Stands for a line break until the paragraph is written; no page can hold it, since control
/// characters are taken out of every text.
const BREAK: char = '\u{1}';

/// A paragraph that is one link of so few words is a button.
const BUTTON_MAX_WORDS: usize = 4;

/// A paragraph with so many links that are so much of it, in hundredths, is a bar of links.
const BAR_MIN_LINKS: usize = 3;
const BAR_MIN_PERCENT: usize = 60;

/// What is not written.
#[derive(Default)]
pub(super) struct LeftOut {
    /// Elements that are left out with all in them.
    pub(super) elements: FixedSet<NodeId>,
    /// Whether paragraphs are left out that only lead elsewhere.
    pub(super) bars: bool,
}

/// Writes all blocks under a node, but for what is left out.
pub(super) fn write(root: NodeRef<'_, Node>, left_out: &LeftOut, pieces: &mut Pieces) {
    let mut walk = HtmlWalk {
        pieces,
        text: String::new(),
        around: Vec::new(),
        rows: Vec::new(),
        links: Vec::new(),
        linked: LinkCount::default(),
        bars: left_out.bars,
        skipped: 0,
    };
    for edge in root.traverse() {
        match edge {
            Edge::Open(node) if left_out.elements.contains(&node.id()) => walk.skipped += 1,
            Edge::Close(node) if left_out.elements.contains(&node.id()) => walk.skipped -= 1,
            Edge::Open(node) if walk.skipped == 0 => walk.open(node.value()),
            Edge::Close(node) if walk.skipped == 0 => walk.close(node.value()),
            Edge::Open(_) | Edge::Close(_) => {}
        }
        if walk.pieces.is_full() {
            break;
        }
    }
    walk.flush();
}

struct HtmlWalk<'p> {
    pieces: &'p mut Pieces,
    /// What was read since the last block began or ended.
    text: String,
    /// The roles of the elements around, innermost last.
    around: Vec<ParagraphRole>,
    /// The cells of the rows around, innermost last.
    rows: Vec<Vec<String>>,
    /// Where the text of the open links begins.
    links: Vec<usize>,
    /// The links of the paragraph that is being read.
    linked: LinkCount,
    /// Whether bars of links are left out.
    bars: bool,
    /// How many elements around are left out.
    skipped: usize,
}

#[derive(Default)]
struct LinkCount {
    links: usize,
    letters: usize,
}

/// What an element means for the text in it.
enum Meaning {
    Inline,
    Link,
    Raised,
    Break,
    Block,
    Part(ParagraphRole),
    Heading(u8),
    Row,
    Cell,
}

fn meaning(element: &Element) -> Meaning {
    match element.name() {
        // Without an address it only names a place, and may enclose all that follows.
        "a" if element.attr("href").is_some() => Meaning::Link,
        "sup" => Meaning::Raised,
        "br" => Meaning::Break,
        name @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => {
            let level = name.as_bytes().get(1).map_or(1, |digit| digit - b'0');
            Meaning::Heading(level)
        }
        "li" | "dd" => Meaning::Part(ParagraphRole::ListItem),
        "dt" => Meaning::Part(ParagraphRole::Term),
        "blockquote" => Meaning::Part(ParagraphRole::Quote),
        "pre" | "listing" => Meaning::Part(ParagraphRole::Code),
        "figcaption" | "caption" => Meaning::Part(ParagraphRole::Caption),
        "tr" => Meaning::Row,
        "td" | "th" => Meaning::Cell,
        "p" | "div" | "section" | "article" | "main" | "header" | "footer" | "aside" | "nav"
        | "ul" | "ol" | "dl" | "table" | "tbody" | "thead" | "tfoot" | "figure" | "hr" | "form"
        | "fieldset" | "address" | "center" | "details" | "summary" | "body" | "html" | "menu"
        | "hgroup" | "legend" | "video" | "audio" => Meaning::Block,
        _ => Meaning::Inline,
    }
}

impl HtmlWalk<'_> {
    fn open(&mut self, node: &Node) {
        match node {
            Node::Text(text) => self.text.push_str(text),
            Node::Element(element) => self.begin(element),
            _ => {}
        }
    }

    fn close(&mut self, node: &Node) {
        if let Node::Element(element) = node {
            self.end(element);
        }
    }

    fn begin(&mut self, element: &Element) {
        let name = element.name();
        match meaning(element) {
            Meaning::Inline => {}
            Meaning::Link => self.links.push(self.text.len()),
            // 2 to the power of 32 is not 232.
            Meaning::Raised if self.text.ends_with(|c: char| c.is_ascii_digit()) => {
                self.text.push('^');
            }
            Meaning::Raised => {}
            Meaning::Break => self.text.push(BREAK),
            Meaning::Block if self.in_cell() && name != "table" => self.text.push(' '),
            Meaning::Block | Meaning::Heading(_) | Meaning::Cell => self.flush(),
            Meaning::Part(role) => {
                self.flush();
                self.around.push(role);
            }
            Meaning::Row => {
                self.flush();
                self.rows.push(Vec::new());
            }
        }
    }

    fn end(&mut self, element: &Element) {
        let name = element.name();
        match meaning(element) {
            Meaning::Inline | Meaning::Break | Meaning::Raised => {}
            Meaning::Link => self.end_link(),
            Meaning::Block if self.in_cell() && name != "table" => self.text.push(' '),
            Meaning::Block => self.flush(),
            Meaning::Heading(level) => {
                let title = std::mem::take(&mut self.text).replace(BREAK, " ");
                self.pieces.heading(level, &title);
            }
            Meaning::Part(_) => {
                self.flush();
                self.around.pop();
            }
            Meaning::Cell => {
                let cell = std::mem::take(&mut self.text).replace(BREAK, " ");
                match self.rows.last_mut() {
                    Some(row) => row.push(cell),
                    None => self.pieces.piece(ParagraphRole::Body, &cell),
                }
            }
            Meaning::Row => self.end_row(),
        }
    }

    /// A mark such as `¶` or `§` leads to the place where it stands and is no text.
    fn end_link(&mut self) {
        let start = self.links.pop().unwrap_or_default();
        // A paragraph may have ended within the link: what is left of it begins elsewhere.
        let Some(text) = self.text.get(start..) else {
            return;
        };
        match letters(text) {
            0 => self.text.truncate(start),
            letters => {
                self.linked.links += 1;
                self.linked.letters += letters;
            }
        }
    }

    /// "Next: Variables, Up: Parameters [Contents]" leads elsewhere and says nothing.
    fn is_bar(&self, links: &LinkCount) -> bool {
        let letters = letters(&self.text);
        let all = links.links == 1 && links.letters >= letters;
        let button = all && self.text.split_whitespace().count() <= BUTTON_MAX_WORDS;
        let dense = links.letters * 100 >= letters * BAR_MIN_PERCENT;
        self.bars && (button || links.links >= BAR_MIN_LINKS && dense)
    }

    fn in_cell(&self) -> bool {
        !self.rows.is_empty()
    }

    fn end_row(&mut self) {
        self.flush();
        let row = self.rows.pop().unwrap_or_default();
        let long = |cell: &String| cell.trim().chars().count() > CELL_MAX_CHARS;
        if row.iter().any(long) {
            for cell in &row {
                self.pieces.piece(ParagraphRole::Body, cell);
            }
        } else {
            self.pieces.row(&row);
        }
    }

    /// Writes what was read as one paragraph, or as several where an empty line stands between.
    fn flush(&mut self) {
        let role = self.role();
        let links = std::mem::take(&mut self.linked);
        if role == ParagraphRole::Body && self.is_bar(&links) {
            self.text.clear();
            return;
        }
        let text = std::mem::take(&mut self.text);
        if role == ParagraphRole::Code {
            return self.pieces.piece(role, &text.replace(BREAK, "\n"));
        }
        let mut paragraph = String::new();
        for line in text.split(BREAK) {
            if line.trim().is_empty() {
                self.pieces.piece(role, &std::mem::take(&mut paragraph));
            } else {
                paragraph.push(' ');
                paragraph.push_str(line);
            }
        }
        self.pieces.piece(role, &paragraph);
    }

    /// A list in a quote is a list; a paragraph in either is what is around it.
    fn role(&self) -> ParagraphRole {
        self.around.last().copied().unwrap_or(ParagraphRole::Body)
    }
}

/// How many letters and digits a text has.
fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}
