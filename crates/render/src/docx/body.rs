//! The text of a document: paragraphs of runs, links, lists and tables, as WordprocessingML.

use std::fmt::Write as _;

use super::address;
use crate::{CitedSource, clean};

/// How a paragraph is set. The names are those of `styles.xml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParagraphStyle {
    Title,
    Heading,
    Lead,
    Text,
    Quote,
    Code,
    Warning,
}

impl ParagraphStyle {
    fn id(self) -> &'static str {
        match self {
            Self::Title => "Title",
            Self::Heading => "Heading1",
            Self::Lead => "Heading2",
            Self::Text => "Normal",
            Self::Quote => "Quote",
            Self::Code => "Code",
            Self::Warning => "Warning",
        }
    }
}

/// How a run of words is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunFormat {
    pub(crate) strong: bool,
    pub(crate) slanted: bool,
    pub(crate) code: bool,
    pub(crate) link: bool,
}

impl RunFormat {
    pub(crate) const PLAIN: Self = Self {
        strong: false,
        slanted: false,
        code: false,
        link: false,
    };
    pub(crate) const STRONG: Self = Self {
        strong: true,
        ..Self::PLAIN
    };
    pub(crate) const SLANTED: Self = Self {
        slanted: true,
        ..Self::PLAIN
    };
}

/// Where a paragraph stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListPosition {
    /// In no list.
    Free,
    /// First in an item, with the mark of the list it belongs to.
    Marked {
        list: usize,
        depth: usize,
        /// Whether the list stands in a quote, and its marks with it.
        quoted: bool,
    },
    /// In an item, under the paragraph that has its mark.
    Under { depth: usize },
}

impl ListPosition {
    /// Where the next paragraph stands.
    pub(crate) fn after(self) -> Self {
        match self {
            Self::Marked { depth, .. } => Self::Under { depth },
            Self::Free | Self::Under { .. } => self,
        }
    }

    /// How deep the items of a list are that begins here.
    pub(crate) fn deeper(self) -> usize {
        match self {
            Self::Free => 0,
            Self::Marked { depth, .. } | Self::Under { depth } => depth + 1,
        }
    }

    /// How far the words stand from the margin.
    fn left(self) -> usize {
        INDENT * self.deeper().min(LEVELS)
    }
}

/// The list whose items have a bullet; numbered ones come after it.
pub(crate) const BULLETS: usize = 1;

/// Word knows so many levels of a list.
pub(crate) const LEVELS: usize = 9;

/// How far a level of a list, or a quote, stands in, in twentieths of a point. `styles.xml` has it for quotes as well.
pub(crate) const INDENT: usize = 360;

/// Word opens no table that is wider.
pub(crate) const COLUMNS_MAX: usize = 63;

/// Word counts no list from a higher number.
const START_MAX: u64 = 32_767;

/// The room between the margins, in twentieths of a point.
const TEXT_WIDTH: usize = 9_070;

#[derive(Default)]
pub(crate) struct DocxBody<'r> {
    /// What citations may lead to.
    pub(crate) sources: &'r [CitedSource],
    pub(crate) xml: String,
    /// Addresses outside the document, in the order of their relations.
    pub(crate) links: Vec<String>,
    /// The first number of each numbered list.
    pub(crate) starts: Vec<u64>,
    bookmarks: usize,
}

impl<'r> DocxBody<'r> {
    pub(crate) fn new(sources: &'r [CitedSource]) -> Self {
        Self {
            sources,
            ..Self::default()
        }
    }

    pub(crate) fn plain(&mut self, style: ParagraphStyle, words: &str) {
        self.open(style, ListPosition::Free);
        self.run(words, RunFormat::PLAIN);
        self.close();
    }

    pub(crate) fn open(&mut self, style: ParagraphStyle, position: ListPosition) {
        let id = style.id();
        self.push(format_args!("<w:p><w:pPr><w:pStyle w:val=\"{id}\"/>"));
        let own = if style == ParagraphStyle::Quote {
            INDENT
        } else {
            0
        };
        let left = position.left() + own;
        match position {
            ListPosition::Free => {}
            ListPosition::Marked {
                list,
                depth,
                quoted,
            } => {
                let depth = depth.min(LEVELS - 1);
                let hanging = if quoted { INDENT } else { INDENT + own };
                self.push(format_args!(
                    "<w:numPr><w:ilvl w:val=\"{depth}\"/><w:numId w:val=\"{list}\"/></w:numPr>\
                     <w:ind w:left=\"{left}\" w:hanging=\"{hanging}\"/>"
                ));
            }
            ListPosition::Under { .. } => self.push(format_args!("<w:ind w:left=\"{left}\"/>")),
        }
        self.xml.push_str("</w:pPr>");
    }

    pub(crate) fn close(&mut self) {
        self.xml.push_str("</w:p>\n");
    }

    pub(crate) fn run(&mut self, words: &str, format: RunFormat) {
        if words.is_empty() {
            return;
        }
        self.xml.push_str("<w:r><w:rPr>");
        for (wanted, tag) in [
            (format.link, "<w:rStyle w:val=\"Hyperlink\"/>"),
            (
                format.code,
                "<w:rFonts w:ascii=\"Consolas\" w:hAnsi=\"Consolas\" w:cs=\"Consolas\"/>",
            ),
            (format.strong, "<w:b/>"),
            (format.slanted, "<w:i/>"),
        ] {
            if wanted {
                self.xml.push_str(tag);
            }
        }
        self.xml.push_str("</w:rPr><w:t xml:space=\"preserve\">");
        self.xml.push_str(&clean::xml(words));
        self.xml.push_str("</w:t></w:r>");
    }

    pub(crate) fn line_break(&mut self) {
        self.xml.push_str("<w:r><w:br/></w:r>");
    }

    /// Words that lead to an address outside, or the words alone where Word would not take the address.
    pub(crate) fn link(&mut self, to: &str, words: &str, format: RunFormat) {
        let Some(to) = address::target(to) else {
            return self.run(words, format);
        };
        let known = self.links.iter().position(|known| *known == to);
        let at = known.unwrap_or_else(|| {
            self.links.push(to);
            self.links.len() - 1
        });
        self.hyperlink(format_args!("r:id=\"link{at}\""), words, format);
    }

    /// Words that lead to a bookmark of this document, with a hint for who points at them.
    pub(crate) fn leap(&mut self, bookmark: &str, hint: &str, words: &str, format: RunFormat) {
        let hint = clean::xml(hint);
        let to = format_args!("w:anchor=\"{bookmark}\" w:tooltip=\"{hint}\"");
        self.hyperlink(to, words, format);
    }

    fn hyperlink(&mut self, to: std::fmt::Arguments<'_>, words: &str, mut format: RunFormat) {
        self.push(format_args!("<w:hyperlink {to}>"));
        format.link = true;
        self.run(words, format);
        self.xml.push_str("</w:hyperlink>");
    }

    /// Marks this place as one that can be led to.
    pub(crate) fn bookmark(&mut self, name: &str) {
        self.bookmarks += 1;
        let id = self.bookmarks;
        self.push(format_args!(
            "<w:bookmarkStart w:id=\"{id}\" w:name=\"{name}\"/><w:bookmarkEnd w:id=\"{id}\"/>"
        ));
    }

    /// A new numbered list.
    pub(crate) fn numbered(&mut self, first: u64) -> usize {
        self.starts.push(first.min(START_MAX));
        BULLETS + self.starts.len()
    }

    /// Rows of at most [`COLUMNS_MAX`] cells, the first of them a head. `cell` writes what stands in a row's column.
    pub(crate) fn table(
        &mut self,
        position: ListPosition,
        rows: usize,
        columns: usize,
        mut cell: impl FnMut(&mut Self, usize, usize),
    ) {
        let left = position.left();
        let room = TEXT_WIDTH - left;
        self.push(format_args!(
            "<w:tbl><w:tblPr><w:tblStyle w:val=\"Rows\"/><w:tblW w:w=\"0\" w:type=\"auto\"/>\
             <w:tblInd w:w=\"{left}\" w:type=\"dxa\"/></w:tblPr><w:tblGrid>"
        ));
        for column in 0..columns {
            let width = share(room, column, columns);
            self.push(format_args!("<w:gridCol w:w=\"{width}\"/>"));
        }
        self.xml.push_str("</w:tblGrid>");
        for row in 0..rows {
            let head = if row == 0 { "<w:tblHeader/>" } else { "" };
            // A row that is cut by the end of a page reads as two.
            self.push(format_args!("<w:tr><w:trPr><w:cantSplit/>{head}</w:trPr>"));
            for column in 0..columns {
                let width = share(room, column, columns);
                self.push(format_args!(
                    "<w:tc><w:tcPr><w:tcW w:w=\"{width}\" w:type=\"dxa\"/></w:tcPr>"
                ));
                self.open(ParagraphStyle::Text, ListPosition::Free);
                cell(self, row, column);
                self.close();
                self.xml.push_str("</w:tc>");
            }
            self.xml.push_str("</w:tr>");
        }
        // Two tables without a paragraph between them would be one.
        self.xml.push_str("</w:tbl><w:p/>\n");
    }

    fn push(&mut self, words: std::fmt::Arguments<'_>) {
        // A string takes all that is written to it.
        let _ = self.xml.write_fmt(words);
    }
}

/// What a column gets of the room, so that all of them together fill it.
fn share(room: usize, column: usize, columns: usize) -> usize {
    room * (column + 1) / columns - room * column / columns
}
