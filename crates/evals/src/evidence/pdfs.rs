//! Text of PDFs, against what two other programs read from them.
//!
//! For each document: F1 of the words, counted with their repeats, and how well their order is kept
//! (the longest common run of words in order, as a share of the shorter text). Neither program is
//! the truth: where they differ from each other, no reading can agree with both.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use fathom_evidence::extract::{self, FormatHint};
use fathom_evidence::{Document, Error};

use crate::figure::{Figure, ms};

/// The programs, by the endings of their texts.
const REFERENCES: [&str; 2] = ["pdfium", "pymupdf"];

/// Words looked at for their order: the comparison takes their square.
const ORDER_WORDS: usize = 6_000;

pub(super) fn measure(data: &Path) -> Result<()> {
    let folder = data.join("pdfs");
    if !folder.is_dir() {
        Figure::named("pdf_text")
            .with("not_measured", "pdfs is not there")
            .print();
        return Ok(());
    }
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "pdf") {
            files.push(path);
        }
    }
    files.sort();
    let mut tally = PdfTally::default();
    for file in &files {
        one(file, &mut tally).with_context(|| format!("{} was not measured", file.display()))?;
    }
    tally.print();
    Ok(())
}

#[derive(Default)]
struct PdfTally {
    files: usize,
    read: usize,
    encrypted: usize,
    no_text: usize,
    broken: usize,
    /// Errors for files that another program read.
    missed: usize,
    scores: HashMap<&'static str, (Vec<f64>, Vec<f64>)>,
}

fn one(file: &Path, tally: &mut PdfTally) -> Result<()> {
    let bytes = fs::read(file)?;
    let begun = Instant::now();
    let document = extract::read(&bytes, &FormatHint::default());
    let took = begun.elapsed();
    let name = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut figure = Figure::named("pdf_text").with("file", name.as_str());
    let references = references(file)?;
    tally.files += 1;
    match document {
        Ok(document) => {
            tally.read += 1;
            figure = scored(&document, &references, figure, tally);
            figure = figure.with("pages", document.pages.len());
        }
        Err(error) => {
            let had_words = references.iter().any(|(_, text)| !words(text).is_empty());
            tally.missed += usize::from(had_words);
            match &error {
                Error::Encrypted { .. } => tally.encrypted += 1,
                Error::NoText { .. } => tally.no_text += 1,
                _ => tally.broken += 1,
            }
            figure = figure.with("error", error.to_string());
        }
    }
    figure.number("ms", ms(took)).print();
    Ok(())
}

fn references(file: &Path) -> Result<Vec<(&'static str, String)>> {
    let mut found = Vec::new();
    for program in REFERENCES {
        let text = file.with_extension(format!("{program}.txt"));
        if text.is_file() {
            found.push((program, fs::read_to_string(text)?));
        }
    }
    Ok(found)
}

fn scored(
    document: &Document,
    references: &[(&'static str, String)],
    mut figure: Figure,
    tally: &mut PdfTally,
) -> Figure {
    let ours = words(&document.text);
    for (program, text) in references {
        let theirs = words(text);
        if theirs.is_empty() {
            continue;
        }
        let (f1, order) = (word_f1(&ours, &theirs), order(&ours, &theirs));
        let (f1s, orders) = tally.scores.entry(program).or_default();
        f1s.push(f1);
        orders.push(order);
        figure = figure.number(&format!("{program}_f1"), f1);
        figure = figure.number(&format!("{program}_order"), order);
    }
    figure
}

impl PdfTally {
    fn print(self) {
        let mut figure = Figure::named("pdf_text_mean")
            .with("files", self.files)
            .with("read", self.read)
            .with("encrypted", self.encrypted)
            .with("no_text", self.no_text)
            .with("broken", self.broken)
            .with("missed", self.missed);
        for program in REFERENCES {
            let Some((f1s, orders)) = self.scores.get(program) else {
                continue;
            };
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
            figure = figure.number(&format!("{program}_f1"), mean(f1s));
            figure = figure.number(&format!("{program}_order"), mean(orders));
        }
        figure.print();
    }
}

/// Lower-case words. Hyphens are taken out on both sides: we put broken words together, the others
/// do not, and neither is to be marked down for it.
fn words(text: &str) -> Vec<String> {
    let mut whole = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '-' | '\u{2010}' | '\u{ad}' | '\u{2}' | '\u{fffe}' => {
                while letters.next_if(|next| next.is_whitespace()).is_some() {}
            }
            'ﬁ' => whole.push_str("fi"),
            'ﬂ' => whole.push_str("fl"),
            'ﬀ' => whole.push_str("ff"),
            'ﬃ' => whole.push_str("ffi"),
            'ﬄ' => whole.push_str("ffl"),
            c => whole.extend(c.to_lowercase()),
        }
    }
    let split = whole.split(|c: char| !c.is_alphanumeric());
    split
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn word_f1(ours: &[String], theirs: &[String]) -> f64 {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in theirs {
        *left.entry(word).or_insert(0) += 1;
    }
    let mut common = 0_usize;
    for word in ours {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    2.0 * common as f64 / (ours.len() + theirs.len()).max(1) as f64
}

/// The longest sequence of words that both have in the same order, as a share of the shorter.
fn order(ours: &[String], theirs: &[String]) -> f64 {
    let ours = &ours[..ours.len().min(ORDER_WORDS)];
    let theirs = &theirs[..theirs.len().min(ORDER_WORDS)];
    let mut row = vec![0_u32; theirs.len() + 1];
    for word in ours {
        let mut diagonal = 0;
        for (at, other) in theirs.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if word == other {
                diagonal + 1
            } else {
                above.max(row[at])
            };
            diagonal = above;
        }
    }
    let longest = row.last().copied().unwrap_or_default();
    f64::from(longest) / ours.len().min(theirs.len()).max(1) as f64
}
