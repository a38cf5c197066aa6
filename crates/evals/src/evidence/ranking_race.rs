//! BM25 beside tantivy's: the same texts, one thread each, in turns within one run.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fathom_evidence::Language;
use fathom_evidence::bm25::{Bm25, Bm25Settings};
use tantivy::collector::TopDocs;
use tantivy::directory::RamDirectory;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{
    Language as TantivyLanguage, LowerCaser, SimpleTokenizer, Stemmer, StopWordFilter,
    TextAnalyzer, TokenizerManager,
};
use tantivy::{Index, Searcher, TantivyDocument, Term};

use super::sets::{Asked, SciFact, mean, ndcg_at_10};
use crate::figure::{Figure, median, ms, rate};

const TURNS: usize = 7;
const WRITER_BYTES: usize = 256 << 20;

pub(super) fn race(data: &Path) -> Result<()> {
    let set = SciFact::read(data)?;
    let texts: Vec<String> = set
        .texts
        .iter()
        .map(|(title, text)| format!("{title}\n{text}"))
        .collect();
    let (mut ours_built, mut theirs_built) = (Vec::new(), Vec::new());
    let (mut ours_asked, mut theirs_asked) = (Vec::new(), Vec::new());
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let (index, took) = timed(|| {
            Ok(Bm25::build(
                &texts,
                Language::ENGLISH,
                &Bm25Settings::default(),
            ))
        })?;
        ours_built.push(ms(took));
        let (peer, took) = timed(|| Peer::build(&texts))?;
        theirs_built.push(ms(took));
        let found = |question: &str| {
            Ok(index
                .search(question, 10)
                .iter()
                .map(|hit| hit.doc)
                .collect())
        };
        let (answers, took) = timed(|| all(&set.test, found))?;
        ours_asked.push(rate(set.test.len(), took));
        ours = answers;
        let (answers, took) = timed(|| all(&set.test, |question| peer.search(question)))?;
        theirs_asked.push(rate(set.test.len(), took));
        theirs = answers;
    }
    let quality = |found: &[Vec<usize>]| {
        mean(
            found
                .iter()
                .zip(&set.test)
                .map(|(found, one)| ndcg_at_10(found, &one.relevant)),
        )
    };
    let built = (median(ours_built), median(theirs_built));
    let asked = (median(ours_asked), median(theirs_asked));
    Figure::named("bm25_build")
        .with("texts", texts.len())
        .number("ms", built.0)
        .number("tantivy_ms", built.1)
        .number("times_as_fast", built.1 / built.0)
        .print();
    Figure::named("bm25_query_top_10")
        .with("questions", set.test.len())
        .number("per_second", asked.0)
        .number("tantivy_per_second", asked.1)
        .number("times_as_fast", asked.0 / asked.1)
        .number("ndcg_at_10", quality(&ours))
        .number("tantivy_ndcg_at_10", quality(&theirs))
        .print();
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let begun = Instant::now();
    let value = black_box(work()?);
    Ok((value, begun.elapsed()))
}

fn all(asked: &[Asked], answer: impl Fn(&str) -> Result<Vec<usize>>) -> Result<Vec<Vec<usize>>> {
    asked.iter().map(|one| answer(&one.question)).collect()
}

/// Tantivy's index in memory, written by the thread that asks for it.
struct Peer {
    searcher: Searcher,
    analyzer: TextAnalyzer,
    field: Field,
}

impl Peer {
    fn build(texts: &[String]) -> Result<Self> {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("english")
            .set_index_option(IndexRecordOption::WithFreqs);
        let field = schema.add_text_field(
            "text",
            TextOptions::default().set_indexing_options(indexing),
        );
        let stop = StopWordFilter::new(TantivyLanguage::English)
            .context("tantivy has no stop words for English")?;
        let analyzer = TextAnalyzer::builder(SimpleTokenizer::default())
            .filter(LowerCaser)
            .filter(stop)
            .filter(Stemmer::new(TantivyLanguage::English))
            .build();
        let tokenizers = TokenizerManager::default();
        tokenizers.register("english", analyzer.clone());
        // This writer works in the calling thread; the usual one starts threads of its own.
        let mut writer = Index::builder()
            .schema(schema.build())
            .tokenizers(tokenizers)
            .single_segment_index_writer(RamDirectory::create(), WRITER_BYTES)?;
        for text in texts {
            let mut document = TantivyDocument::default();
            document.add_text(field, text);
            writer.add_document(document)?;
        }
        let searcher = writer.finalize()?.reader()?.searcher();
        Ok(Self {
            searcher,
            analyzer,
            field,
        })
    }

    fn search(&self, question: &str) -> Result<Vec<usize>> {
        let mut terms: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut analyzer = self.analyzer.clone();
        let mut stream = analyzer.token_stream(question);
        stream.process(&mut |token| {
            let term = Term::from_field_text(self.field, &token.text);
            let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
            terms.push((Occur::Should, Box::new(query)));
        });
        let query = BooleanQuery::new(terms);
        let top = self
            .searcher
            .search(&query, &TopDocs::with_limit(10).order_by_score())?;
        Ok(top
            .iter()
            .map(|(_, address)| address.doc_id as usize)
            .collect())
    }
}
