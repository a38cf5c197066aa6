//! SciFact's 5,183 abstracts: is the abstract that a claim rests on among the first?

use std::path::Path;

use anyhow::Result;
use fathom_evidence::locate::LocateSettings;

use super::sets::{Asked, SciFact, located, mean, ndcg_at_10, pool, recall};
use crate::figure::Figure;

pub(super) fn measure(data: &Path) -> Result<()> {
    let set = SciFact::read(data)?;
    let settings = LocateSettings {
        per_query_top_n: 200,
        top_k: 100,
        ..LocateSettings::default()
    };
    let texts = set
        .texts
        .iter()
        .map(|(title, text)| (title.as_str(), text.as_str()));
    let pool = pool(texts, false, &settings)?;
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
