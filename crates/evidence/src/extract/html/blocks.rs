//! Turns a tree of elements into paragraphs with their roles.
//!
//! The walk keeps no call stack: a deep tree costs memory on the heap only.

use ego_tree::NodeRef;
use ego_tree::iter::Edge;
use scraper::Node;
use scraper::node::Element;

use super::super::pieces::Pieces;
use crate::document::ParagraphRole;

/// A longer cell is a column of the page's layout, not a cell of data.
const CELL_MAX_CHARS: usize = 400;

/// Stands for a line break until the paragraph is written; no page can hold it, since control
/// characters are taken out of every text.
const BREAK: char = '\u{1}';

/// Writes all blocks under a node. `skip` says which elements to leave out with all in them.
pub(super) fn write(root: NodeRef<'_, Node>, skip: &dyn Fn(&Element) -> bool, pieces: &mut Pieces) {
    let mut walk = HtmlWalk {
        pieces,
        text: String::new(),
        around: Vec::new(),
        rows: Vec::new(),
        skipped: 0,
    };
    for edge in root.traverse() {
        match edge {
            Edge::Open(node) => walk.open(node.value(), skip),
            Edge::Close(node) => walk.close(node.value(), skip),
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
    /// How many elements around are left out.
    skipped: usize,
}

/// What an element means for the text in it.
enum Meaning {
    Inline,
    Break,
    Block,
    Part(ParagraphRole),
    Heading(u8),
    Row,
    Cell,
}

fn meaning(name: &str) -> Meaning {
    match name {
        "br" => Meaning::Break,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
            let level = name.as_bytes().get(1).map_or(1, |digit| digit - b'0');
            Meaning::Heading(level)
        }
        "li" | "dd" | "dt" => Meaning::Part(ParagraphRole::ListItem),
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
    fn open(&mut self, node: &Node, skip: &dyn Fn(&Element) -> bool) {
        match node {
            Node::Text(text) if self.skipped == 0 => self.text.push_str(text),
            Node::Element(element) if skip(element) => self.skipped += 1,
            Node::Element(element) if self.skipped == 0 => self.begin(element.name()),
            _ => {}
        }
    }

    fn close(&mut self, node: &Node, skip: &dyn Fn(&Element) -> bool) {
        match node {
            Node::Element(element) if skip(element) => {
                self.skipped = self.skipped.saturating_sub(1)
            }
            Node::Element(element) if self.skipped == 0 => self.end(element.name()),
            _ => {}
        }
    }

    fn begin(&mut self, name: &str) {
        match meaning(name) {
            Meaning::Inline => {}
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

    fn end(&mut self, name: &str) {
        match meaning(name) {
            Meaning::Inline | Meaning::Break => {}
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
        let text = std::mem::take(&mut self.text);
        let role = self.role();
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
