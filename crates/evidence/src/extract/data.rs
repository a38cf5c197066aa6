//! JSON and CSV as text: one row for each record, every value with its name beside it.
//!
//! A row is quoted alone, far from the head of its table, so it must say what its values are.

use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};

use super::pieces::Pieces;
use super::{DocumentFormat, Error, ExtractLimits, plain};
use crate::Document;
use crate::document::{DocumentMetadata, ParagraphRole};

/// Rows that are looked at to find out what separates the values.
const LOOK_AT_ROWS: usize = 20;

pub(super) fn json(text: &str, limits: &ExtractLimits) -> Result<Document, Error> {
    let mut pieces = Pieces::new(DocumentMetadata::default(), limits);
    let stream = serde_json::Deserializer::from_str(text).into_iter::<Node>();
    let mut broken = None;
    // One value, or one a line: both are a stream of values.
    for value in stream {
        match value {
            Ok(value) => write(&value, &mut pieces),
            Err(error) => {
                broken = Some(error.to_string());
                break;
            }
        }
    }
    let Some(why) = broken else {
        return pieces.build(DocumentFormat::Json, "only brackets");
    };
    // Too deep or cut off: its words can still be read.
    let mut document = plain::read(text, limits)?;
    document.lost.push(format!(
        "It is no valid JSON ({why}); it was read as plain text."
    ));
    Ok(document)
}

pub(super) fn csv(text: &str, limits: &ExtractLimits) -> Result<Document, Error> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator(text))
        .flexible(true)
        .has_headers(false)
        .from_reader(text.as_bytes());
    let mut pieces = Pieces::new(DocumentMetadata::default(), limits);
    let mut names: Option<Vec<String>> = None;
    let mut unreadable = 0_usize;
    for record in reader.records() {
        let Ok(record) = record else {
            unreadable += 1;
            continue;
        };
        let cells: Vec<String> = record.iter().map(str::to_owned).collect();
        match &names {
            None if is_head(&cells) => {
                pieces.row(&cells);
                names = Some(cells);
            }
            None => {
                names = Some(Vec::new());
                pieces.row(&cells);
            }
            Some(names) => pieces.piece(ParagraphRole::TableRow, &named(names, &cells)),
        }
        if pieces.is_full() {
            break;
        }
    }
    if unreadable > 0 {
        pieces.lost(format!("{unreadable} rows could not be read."));
    }
    pieces.build(DocumentFormat::Csv, "only separators")
}

/// What separates the values: the mark that stands in the first rows equally often.
fn separator(text: &str) -> u8 {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .take(LOOK_AT_ROWS)
        .collect();
    let fewest = |mark: u8| {
        let counts = lines
            .iter()
            .map(|line| line.bytes().filter(|byte| *byte == mark).count());
        counts.min().unwrap_or_default()
    };
    // The first of the best wins, so a comma does where nothing speaks for another.
    let mut best = (b',', fewest(b','));
    for mark in [b'\t', b';', b'|'] {
        if fewest(mark) > best.1 {
            best = (mark, fewest(mark));
        }
    }
    best.0
}

/// A head has a name for each column, and names are no numbers.
fn is_head(cells: &[String]) -> bool {
    let is_name = |cell: &String| !cell.trim().is_empty() && cell.trim().parse::<f64>().is_err();
    cells.len() > 1 && cells.iter().all(is_name)
}

fn named(names: &[String], cells: &[String]) -> String {
    let mut row = Vec::new();
    for (at, cell) in cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| !cell.trim().is_empty())
    {
        match names.get(at).map(|name| name.trim()) {
            Some(name) if !name.is_empty() => row.push(format!("{name}: {}", cell.trim())),
            _ => row.push(cell.trim().to_owned()),
        }
    }
    row.join("; ")
}

/// A value of JSON with its members in the order in which they were written.
enum Node {
    Text(String),
    List(Vec<Node>),
    Record(Vec<(String, Node)>),
}

/// Writes a value; its depth is bounded by the parser, which goes no deeper than 128.
fn write(node: &Node, pieces: &mut Pieces) {
    match node {
        Node::Text(text) => pieces.piece(ParagraphRole::Body, text),
        Node::List(items) => {
            for item in items {
                if pieces.is_full() {
                    return;
                }
                write(item, pieces);
            }
        }
        Node::Record(members) => {
            let simple: Vec<String> = members.iter().filter_map(said).collect();
            pieces.piece(ParagraphRole::TableRow, &simple.join("; "));
            for (name, node) in members.iter().filter(|member| said(member).is_none()) {
                if matches!(node, Node::List(_) | Node::Record(_)) {
                    pieces.piece(ParagraphRole::Body, &format!("{name}:"));
                    write(node, pieces);
                }
            }
        }
    }
}

/// A member as `name: value`, when its value is one text or a list of short ones.
fn said((name, node): &(String, Node)) -> Option<String> {
    match node {
        Node::Text(text) => Some(format!("{name}: {text}")),
        Node::List(items) => {
            let text = |item: &Node| match item {
                Node::Text(text) => Some(text.clone()),
                Node::List(_) | Node::Record(_) => None,
            };
            let texts: Option<Vec<String>> = items.iter().map(text).collect();
            texts.map(|texts| format!("{name}: {}", texts.join(", ")))
        }
        Node::Record(_) => None,
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: serde::Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Text("null".to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Node::Record(members))
    }
}
