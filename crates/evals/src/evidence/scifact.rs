//! SciFact's 5,183 abstracts: is the abstract that a claim rests on among the first?

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use fathom_evidence::encode::SentenceEncoder;
use fathom_evidence::locate::{ENCODER_WEIGHT, LocateSettings, ModelScores, PassageIndex};

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

/// Ranks all abstracts by the encoder in this folder, alone and joined with the words; and, as the program does without an
/// index of vectors, only the words' first hundred.
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
        let cosines = |question: &str, places: &[usize]| -> Vec<(usize, f32)> {
            let at = asked
                .iter()
                .position(|one| one.question == question)
                .unwrap_or_default();
            let dot = |&place: &usize| {
                let pairs = questions[at].iter().zip(&vectors[place]);
                (place, pairs.map(|(a, b)| a * b).sum())
            };
            places.iter().map(dot).collect()
        };
        let joined = |question: &str, places: &[usize]| {
            let scores = cosines(question, places);
            let model = ModelScores {
                model: "encoder",
                scores: &scores,
            };
            let found = pool.locate_with(question, &settings, &[(&model, ENCODER_WEIGHT)]);
            found.candidates.iter().map(|one| one.place).collect()
        };
        let all: Vec<usize> = (0..texts.len()).collect();
        report("encoder", split, asked, |question| {
            let mut ranked = cosines(question, &all);
            ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
            ranked
                .into_iter()
                .map(|(place, _)| place)
                .take(100)
                .collect()
        });
        report("fusion and encoder", split, asked, |question| {
            joined(question, &all)
        });
        report("fusion, first 100 by encoder", split, asked, |question| {
            joined(question, &located(&pool, question, &settings))
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
