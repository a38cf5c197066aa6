//! SciFact's 5,183 abstracts: is the abstract that a claim rests on among the first?

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use fathom_evidence::encode::SentenceEncoder;
use fathom_evidence::locate::{LocateSettings, PassageCandidate, PassageIndex, rerank};

use super::sets::{Asked, SciFact, located, mean, ndcg_at_10, pool, recall};
use crate::figure::{Figure, median, ms, rate};

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
    long_questions(&set, &pool);
    query_time(&set)
}

/// Asks with a whole abstract for the others that were judged on the same claim: a question of 200 words. Beside it what
/// BM25 finds that counts a term as often as the question says it, and once.
fn long_questions(set: &SciFact, pool: &PassageIndex) {
    let settings = LocateSettings {
        per_query_top_n: 11,
        top_k: 11,
        ..LocateSettings::default()
    };
    let (mut fused, mut repeated, mut once) = (Vec::new(), Vec::new(), Vec::new());
    for one in set.train.iter().chain(&set.test) {
        for asked in one.relevant.iter().filter(|_| one.relevant.len() > 1) {
            let others: Vec<usize> = one
                .relevant
                .iter()
                .copied()
                .filter(|o| o != asked)
                .collect();
            let question = &set.texts[*asked].1;
            let reached = |mut found: Vec<usize>| {
                found.retain(|place| place != asked);
                ndcg_at_10(&found, &others)
            };
            let words = pool.words();
            let ranked = |query: &[(u32, f32)]| {
                let scores = words.scores_query(query);
                let mut places: Vec<usize> = (0..scores.len()).collect();
                places.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
                places.truncate(11);
                places
            };
            let terms = words.vocabulary().find(question);
            let mut query: Vec<(u32, f32)> = terms.into_iter().map(|term| (term, 1.0)).collect();
            repeated.push(reached(ranked(&query)));
            query.sort_by_key(|(term, _)| *term);
            query.dedup();
            once.push(reached(ranked(&query)));
            fused.push(reached(located(pool, question.as_str(), &settings)));
        }
    }
    Figure::named("scifact_long_questions")
        .with("questions", fused.len())
        .number("bm25_ndcg_at_10", mean(repeated))
        .number("bm25_terms_once_ndcg_at_10", mean(once))
        .number("fusion_ndcg_at_10", mean(fused))
        .print();
}

/// How long one question takes over 50,000 passages of about 90 words, cut from the abstracts again and again.
fn query_time(set: &SciFact) -> Result<()> {
    const PASSAGES: usize = 50_000;
    const PASSAGE_WORDS: usize = 90;
    let mut passages = Vec::new();
    for (_, text) in &set.texts {
        let words: Vec<&str> = text.split_whitespace().collect();
        passages.extend(words.chunks(PASSAGE_WORDS).map(|part| part.join(" ")));
    }
    let texts = passages.iter().map(|text| ("", text.as_str()));
    let pool = pool(texts.cycle().take(PASSAGES), false)?;
    let settings = LocateSettings {
        top_k: 50,
        ..LocateSettings::default()
    };
    let (mut words, mut fused) = (Vec::new(), Vec::new());
    for one in &set.test {
        let begun = Instant::now();
        black_box(pool.words().search(&one.question, 50));
        words.push(ms(begun.elapsed()));
        let begun = Instant::now();
        black_box(pool.locate(one.question.as_str(), &settings));
        fused.push(ms(begun.elapsed()));
    }
    let (words, fused) = (median(words), median(fused));
    Figure::named("query_time")
        .with("passages", PASSAGES)
        .number("bm25_ms", words)
        .number("fusion_ms", fused)
        .number("times_bm25", fused / words)
        .print();
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
            let found = pool.locate(question, &settings);
            let places: Vec<usize> = found.iter().map(|one| one.place).collect();
            let words: Vec<f32> = found.iter().map(PassageCandidate::by_words).collect();
            let order = rerank(&words, &cosines(question, &places));
            order.into_iter().map(|nth| places[nth]).collect()
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
    Ok((pool(texts, false)?, settings))
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
