//! Main content of web pages, against texts that people marked.
//!
//! The score of the set: runs of four words a page, counted with their repeats; precision and recall
//! averaged over pages; F1 of the two averages.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fathom_evidence::extract::{self, FormatHint};
use flate2::read::GzDecoder;
use serde::Deserialize;

use crate::figure::{Figure, median, ms};

const RUN: usize = 4;

#[derive(Deserialize)]
struct Truth {
    #[serde(rename = "articleBody")]
    body: String,
    #[serde(default)]
    headline: Option<String>,
}

pub(super) fn measure(data: &Path) -> Result<()> {
    let folder = data.join("article_extraction");
    let file = folder.join("ground-truth.json");
    if !file.is_file() {
        Figure::named("page_content")
            .with("not_measured", "article_extraction is not there")
            .print();
        return Ok(());
    }
    let truths: std::collections::BTreeMap<String, Truth> =
        serde_json::from_reader(File::open(&file)?).context("the marked texts are not readable")?;
    let mut tally = PageTally::default();
    for (name, truth) in &truths {
        let page = folder.join("html").join(format!("{name}.html.gz"));
        let mut html = Vec::new();
        GzDecoder::new(File::open(page)?).read_to_end(&mut html)?;
        tally.page(&html, truth);
    }
    tally.print();
    Ok(())
}

#[derive(Default)]
struct PageTally {
    precision: Vec<f64>,
    recall: Vec<f64>,
    exact: usize,
    errors: usize,
    headlines: usize,
    headlines_found: usize,
    titles: usize,
    authors: usize,
    dates: usize,
    took: Vec<Duration>,
}

impl PageTally {
    fn page(&mut self, html: &[u8], truth: &Truth) {
        let begun = Instant::now();
        let hint = FormatHint {
            content_type: Some("text/html"),
            ..FormatHint::default()
        };
        let document = extract::read(html, &hint);
        self.took.push(begun.elapsed());
        let wanted = runs(&truth.body);
        let all: usize = wanted.values().sum();
        let Ok(document) = document else {
            self.errors += 1;
            self.recall.push(0.0);
            return;
        };
        let found = runs(&document.text);
        let common = found
            .iter()
            .map(|(run, count)| (*count).min(wanted.get(run).copied().unwrap_or(0)));
        let common: usize = common.sum();
        let given: usize = found.values().sum();
        self.precision.push(common as f64 / given.max(1) as f64);
        self.recall.push(common as f64 / all.max(1) as f64);
        self.exact += usize::from(common == all && common == given);
        let about = &document.about;
        self.titles += usize::from(about.title.is_some());
        self.authors += usize::from(!about.authors.is_empty());
        self.dates += usize::from(about.published.is_some());
        if let Some(headline) = truth
            .headline
            .as_deref()
            .filter(|headline| !headline.is_empty())
        {
            self.headlines += 1;
            let title = about.title.as_deref().unwrap_or_default();
            self.headlines_found += usize::from(words(title) == words(headline));
        }
    }

    fn print(self) {
        let pages = self.recall.len();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let (precision, recall) = (mean(&self.precision), mean(&self.recall));
        let share = |count: usize| count as f64 / pages.max(1) as f64;
        let mut figure = Figure::named("page_content")
            .with("pages", pages)
            .number("precision", precision)
            .number("recall", recall)
            .number(
                "f1",
                2.0 * precision * recall / (precision + recall).max(f64::MIN_POSITIVE),
            )
            .number("exact", share(self.exact))
            .with("errors", self.errors)
            .number("with_title", share(self.titles))
            .number("with_author", share(self.authors))
            .number("with_date", share(self.dates));
        if self.headlines > 0 {
            let found = self.headlines_found as f64 / self.headlines as f64;
            figure = figure.number("title_found", found);
        }
        let took = self.took.into_iter().map(ms).collect();
        figure.number("median_ms", median(took)).print();
    }
}

fn words(text: &str) -> Vec<String> {
    let split = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    split
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Runs of four words, each with how often it occurs; a shorter text is one run.
fn runs(text: &str) -> HashMap<Vec<String>, usize> {
    let words = words(text);
    let mut runs = HashMap::new();
    if words.len() < RUN {
        if !words.is_empty() {
            runs.insert(words, 1);
        }
        return runs;
    }
    for run in words.windows(RUN) {
        *runs.entry(run.to_vec()).or_insert(0) += 1;
    }
    runs
}
