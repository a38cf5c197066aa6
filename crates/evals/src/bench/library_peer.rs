//! tantivy alone on the same text: its index in memory, one thread, passages of the same cut.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use tantivy::collector::TopDocs;
use tantivy::directory::RamDirectory;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{
    Language, LowerCaser, SimpleTokenizer, Stemmer, StopWordFilter, TextAnalyzer, TokenizerManager,
};
use tantivy::{Index, IndexSettings, TantivyDocument, Term};

use super::library::{QueryTimes, cpu_time};
use crate::figure::Figure;

const ANALYZER: &str = "words";
const WRITER_BYTES: usize = 256 << 20;

pub(super) fn measure(texts: &Path, queries: &[String]) -> Result<()> {
    let tokenizer = SimpleTokenizer::default();
    let mut analyzer = TextAnalyzer::builder(tokenizer)
        .filter(LowerCaser)
        .filter(StopWordFilter::new(Language::English).expect("English has a list"))
        .filter(Stemmer::new(Language::English))
        .build();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(ANALYZER)
        .set_index_option(IndexRecordOption::WithFreqs);
    let mut schema = Schema::builder();
    let options = TextOptions::default().set_indexing_options(indexing) | STORED;
    let text = schema.add_text_field("text", options);
    let directory = RamDirectory::create();
    let tokenizers = TokenizerManager::new();
    tokenizers.register(ANALYZER, analyzer.clone());
    let mut index = Index::create(directory.clone(), schema.build(), IndexSettings::default())?;
    index.set_tokenizers(tokenizers);
    let (begun, cpu) = (Instant::now(), cpu_time()?);
    let mut writer = index.writer_with_num_threads::<TantivyDocument>(1, WRITER_BYTES)?;
    let (mut bytes, mut passages) = (0, 0);
    for folder in fs::read_dir(texts)? {
        for file in fs::read_dir(folder?.path())? {
            let read = fs::read_to_string(file?.path())?;
            bytes += read.len();
            for passage in read.split("\n\n") {
                let mut document = TantivyDocument::default();
                document.add_text(text, passage);
                writer.add_document(document)?;
                passages += 1;
            }
        }
    }
    writer.commit()?;
    writer.wait_merging_threads()?;
    let (built, cpu) = (begun.elapsed(), cpu_time()? - cpu);
    let megabytes = bytes as f64 / 1e6;
    Figure::named("tantivy_index")
        .with("passages", passages)
        .number("s", built.as_secs_f64())
        .number("megabytes_a_cpu_second", megabytes / cpu.as_secs_f64())
        .number(
            "bytes_of_text",
            directory.total_mem_usage() as f64 / bytes as f64,
        )
        .print();
    let searcher = index.reader()?.searcher();
    let mut times = QueryTimes::default();
    for query in queries {
        times.add(|| {
            let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
            analyzer.token_stream(query).process(&mut |token| {
                let term = Term::from_field_text(text, &token.text);
                let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
                clauses.push((Occur::Should, Box::new(query)));
            });
            let best = TopDocs::with_limit(10).order_by_score();
            for (_, address) in searcher.search(&BooleanQuery::new(clauses), &best)? {
                searcher.doc::<TantivyDocument>(address)?;
            }
            Ok(())
        })?;
    }
    times.figure("tantivy_query", passages).print();
    Ok(())
}
