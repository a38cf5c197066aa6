//! SciFact's 5,183 abstracts: is the abstract that a claim rests on among the first?

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use fathom_evidence::encode::SentenceEncoder;
use fathom_evidence::locate::{LocateSettings, PassageIndex, rerank};

use super::sets::{Asked, SciFact, located, mean, ndcg_at_10, pool, recall};
use crate::figure::{Figure, rate};

pub(super) fn measure(data: &Path) -> Result<()> {
    let set = SciFact::read(data)?;
    let (pool, settings) = abstracts(&set)?;
    for (split, asked) in [("train", &set.train), ("test", &set.test)] {
        report("bm25", split, asked, |question| {
            let hits = pool.words().search(question, 100);
            hits.iter().map(|hit| hit.doc).collect()
        });
        report("fusion", split, asked, |question| {
            located(&pool, question, &settings)
        });
    }
    Ok(())
}

/// Ranks all abstracts by the encoder in this folder, and the words' first hundred by words and encoder together, as the program does.
pub(super) fn measure_encoder(data: &Path, folder: &Path) -> Result<()> {
    let set = SciFact::read(data)?;
    let (pool, settings) = abstracts(&set)?;
    let model = std::fs::read(folder.join("model.onnx")).context("model.onnx cannot be read")?;
    let vocabulary =
        std::fs::read_to_string(folder.join("vocab.txt")).context("vocab.txt cannot be read")?;
    let cores = std::thread::available_parallelism()?.get();
    let encoder = SentenceEncoder::load(model, &vocabulary, cores)?;
    let texts: Vec<String> = set
        .texts
        .iter()
        .map(|(title, text)| format!("{title}\n{text}"))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let begun = Instant::now();
    let vectors = encoder.encode_all(&texts)?;
    Figure::named("encoder")
        .with("threads", cores)
        .number("abstracts_a_second", rate(texts.len(), begun.elapsed()))
        .print();
    for (split, asked) in [("train", &set.train), ("test", &set.test)] {
        let questions: Vec<&str> = asked.iter().map(|one| one.question.as_str()).collect();
        let questions = encoder.encode_all(&questions)?;
        let cosines = |question: &str, places: &[usize]| -> Vec<f32> {
            let at = asked.iter().position(|one| one.question == question);
            let question = &questions[at.unwrap_or_default()];
            let dot = |&place: &usize| {
                question
                    .iter()
                    .zip(&vectors[place])
                    .map(|(a, b)| a * b)
                    .sum()
            };
            places.iter().map(dot).collect()
        };
        let all: Vec<usize> = (0..texts.len()).collect();
        report("encoder", split, asked, |question| {
            let mut ranked: Vec<(f32, usize)> =
                cosines(question, &all).into_iter().zip(0..).collect();
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
            ranked
                .into_iter()
                .map(|(_, place)| place)
                .take(100)
                .collect()
        });
        report("fusion and encoder", split, asked, |question| {
            let found = pool.locate(question, &settings).candidates;
            let places: Vec<usize> = found.iter().map(|one| one.place).collect();
            let ranked = rerank(found, "encoder", &cosines(question, &places));
            ranked.iter().map(|one| one.place).collect()
        });
    }
    Ok(())
}

fn abstracts(set: &SciFact) -> Result<(PassageIndex, LocateSettings)> {
    let settings = LocateSettings {
        per_query_top_n: 200,
        top_k: 100,
        ..LocateSettings::default()
    };
    let texts = set
        .texts
        .iter()
        .map(|(title, text)| (title.as_str(), text.as_str()));
    Ok((pool(texts, false, &settings)?, settings))
}

fn report(by: &str, split: &str, asked: &[Asked], answer: impl Fn(&str) -> Vec<usize>) {
    let found: Vec<Vec<usize>> = asked.iter().map(|one| answer(&one.question)).collect();
    let over = |measure: fn(&[usize], &[usize]) -> f64| {
        mean(
            found
                .iter()
                .zip(asked)
                .map(|(found, one)| measure(found, &one.relevant)),
        )
    };
    Figure::named("scifact")
        .with("by", by)
        .with("split", split)
        .with("questions", asked.len())
        .number("ndcg_at_10", over(ndcg_at_10))
        .number(
            "recall_at_100",
            over(|found, relevant| recall(found, relevant, 100)),
        )
        .print();
}
