//! The file around the text: its parts, their relations, its styles and lists, packed so that the same report gives
//! the same bytes.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipWriter};

use super::body::{BULLETS, DocxBody, INDENT, LEVELS};
use crate::clean;

const CONTENT_TYPES: &str = include_str!("content_types.xml");
const PACKAGE_RELATIONS: &str = include_str!("relations.xml");
const STYLES: &str = include_str!("styles.xml");

const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const MAIN: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A document that cannot be packed, such as one over the size that a ZIP file may have.
#[derive(Debug, thiserror::Error)]
#[error("the document cannot be packed: {0}")]
pub struct DocxError(#[from] ZipError);

pub(crate) fn pack(title: &str, body: DocxBody<'_>) -> Result<Vec<u8>, DocxError> {
    // The library would take the clock's time where another crate asks it to keep time.
    let options = SimpleFileOptions::default().last_modified_time(DateTime::DEFAULT);
    let mut package = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in [
        ("[Content_Types].xml", CONTENT_TYPES.to_owned()),
        ("_rels/.rels", PACKAGE_RELATIONS.to_owned()),
        ("docProps/core.xml", core(title)),
        ("word/document.xml", document(&body)),
        ("word/_rels/document.xml.rels", relations(&body)),
        ("word/styles.xml", STYLES.to_owned()),
        ("word/numbering.xml", numbering(&body)),
    ] {
        package.start_file(name, options)?;
        package
            .write_all(content.as_bytes())
            .map_err(ZipError::Io)?;
    }
    Ok(package.finish()?.into_inner())
}

fn core(title: &str) -> String {
    let title = clean::xml(title);
    format!(
        "{XML}<cp:coreProperties xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>{title}</dc:title><dc:creator>Fathom</dc:creator>\
         </cp:coreProperties>"
    )
}

fn document(body: &DocxBody<'_>) -> String {
    let text = &body.xml;
    format!(
        "{XML}<w:document xmlns:w=\"{MAIN}\" xmlns:r=\"{RELATIONS}\"><w:body>\n{text}<w:sectPr>\
         <w:pgSz w:w=\"11906\" w:h=\"16838\"/><w:pgMar w:top=\"1418\" w:right=\"1418\" w:bottom=\"1418\" \
         w:left=\"1418\" w:header=\"709\" w:footer=\"709\" w:gutter=\"0\"/></w:sectPr></w:body></w:document>"
    )
}

fn relations(body: &DocxBody<'_>) -> String {
    let mut all = String::new();
    for (name, part) in [("styles", "styles.xml"), ("numbering", "numbering.xml")] {
        relation(&mut all, name, name, part, "");
    }
    for (at, to) in body.links.iter().enumerate() {
        let id = format!("link{at}");
        relation(&mut all, &id, "hyperlink", to, " TargetMode=\"External\"");
    }
    format!(
        "{XML}<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{all}</Relationships>"
    )
}

fn relation(all: &mut String, id: &str, kind: &str, to: &str, mode: &str) {
    let to = clean::xml(to);
    // A string takes all that is written to it.
    let _ = write!(
        all,
        "<Relationship Id=\"{id}\" Type=\"{RELATIONS}/{kind}\" Target=\"{to}\"{mode}/>"
    );
}

/// One list with bullets, and each numbered list with its own beginning.
fn numbering(body: &DocxBody<'_>) -> String {
    let bullets = levels(0, "bullet", |_| "•".to_owned());
    let numbers = levels(1, "decimal", |level| format!("%{}.", level + 1));
    let mut lists = format!("<w:num w:numId=\"{BULLETS}\"><w:abstractNumId w:val=\"0\"/></w:num>");
    for (at, start) in body.starts.iter().enumerate() {
        let id = BULLETS + 1 + at;
        let mut starts = String::new();
        for level in 0..LEVELS {
            let _ = write!(
                starts,
                "<w:lvlOverride w:ilvl=\"{level}\"><w:startOverride w:val=\"{start}\"/></w:lvlOverride>"
            );
        }
        let _ = write!(
            lists,
            "<w:num w:numId=\"{id}\"><w:abstractNumId w:val=\"1\"/>{starts}</w:num>"
        );
    }
    format!("{XML}<w:numbering xmlns:w=\"{MAIN}\">{bullets}{numbers}{lists}</w:numbering>")
}

fn levels(id: usize, form: &str, mark: impl Fn(usize) -> String) -> String {
    let mut all = String::new();
    for level in 0..LEVELS {
        let (mark, left) = (mark(level), INDENT * (level + 1));
        let _ = write!(
            all,
            "<w:lvl w:ilvl=\"{level}\"><w:start w:val=\"1\"/><w:numFmt w:val=\"{form}\"/><w:lvlText w:val=\"{mark}\"/>\
             <w:pPr><w:ind w:left=\"{left}\" w:hanging=\"{INDENT}\"/></w:pPr></w:lvl>"
        );
    }
    format!(
        "<w:abstractNum w:abstractNumId=\"{id}\"><w:multiLevelType w:val=\"multilevel\"/>{all}</w:abstractNum>"
    )
}
