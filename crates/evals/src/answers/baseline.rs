//! What plain retrieval gives: BM25 over passages of about 90 words of the text that the program itself reads.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use fathom_evidence::bm25::{Bm25, Bm25Settings};
use fathom_evidence::extract::{self, DocumentReader, ExtractLimits, FormatHint};
use fathom_evidence::{Document, Error, Language};
use fathom_store::library::{DocumentLibrary, LibraryLimits, ReadProgress};

use super::questions::TestQuestion;

/// How many of the best passages are read for the answer.
pub(super) const TOPS: [usize; 3] = [1, 3, 20];

const PASSAGE_WORDS: usize = 90;

/// A last paragraph shorter than this also opens the next passage.
const OVERLAP_WORDS: usize = 40;

/// Every document's text by its name, as a library is walked and read by the program.
pub(super) fn texts(folder: &Path) -> Result<BTreeMap<String, String>> {
    let collector = TextCollector::default();
    let index = tempfile::tempdir()?;
    let library = DocumentLibrary::open(index.path(), LibraryLimits::default())?;
    let (progress, go) = (ReadProgress::default(), AtomicBool::new(false));
    library.update(&[folder.to_owned()], &collector, &progress, &go)?;
    Ok(collector
        .0
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner))
}

/// Keeps the texts and hands none on, so that the library builds no index of them.
#[derive(Default)]
struct TextCollector(Mutex<BTreeMap<String, String>>);

impl DocumentReader for TextCollector {
    fn read(
        &self,
        bytes: &[u8],
        hint: &FormatHint<'_>,
        limits: &ExtractLimits,
    ) -> Result<Document, Error> {
        let document = extract::read_within(bytes, hint, limits)?;
        let name = hint.file_name.unwrap_or_default().to_owned();
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.insert(name, document.text);
        Err(Error::Empty)
    }
}

/// The best passages for each question, by its id, best first.
pub(super) fn best_passages<'t>(
    texts: impl Iterator<Item = &'t str>,
    asked: &[&TestQuestion],
) -> Vec<(String, Vec<String>)> {
    let pool: Vec<String> = texts.flat_map(passages).collect();
    let index = Bm25::build(&pool, Language::ENGLISH, &Bm25Settings::default());
    let most = TOPS.into_iter().max().unwrap_or_default();
    let best = |question: &&TestQuestion| {
        let hits = index.search(&question.question, most);
        let found = hits.iter().filter_map(|hit| pool.get(hit.doc).cloned());
        (question.id.clone(), found.collect())
    };
    asked.iter().map(best).collect()
}

/// Paragraphs put together up to 90 words; a longer one stays whole.
fn passages(text: &str) -> Vec<String> {
    let words = |text: &str| text.split_whitespace().count();
    let (mut all, mut current): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    for paragraph in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let together: usize = current.iter().map(|one| words(one)).sum();
        if let Some(last) = current.last().copied()
            && together + words(paragraph) > PASSAGE_WORDS
        {
            all.push(current.join(" "));
            current.clear();
            if words(last) < OVERLAP_WORDS {
                current.push(last);
            }
        }
        current.push(paragraph);
    }
    if !current.is_empty() {
        all.push(current.join(" "));
    }
    all
}
