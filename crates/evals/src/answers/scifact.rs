//! SciFact as questions over its 5,183 abstracts: a claim is answered by a sentence that an annotator marked.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::Result;
use serde::Deserialize;

use super::questions::{TestQuestion, of_kind, tellable};
use super::score::plain;
use crate::evidence::sets::read as read_set;

/// The name of the set, and of the folder that its abstracts are laid out in.
pub(super) const NAME: &str = "scifact";

#[derive(Deserialize)]
struct ClaimLine {
    id: u64,
    claim: String,
    evidence: HashMap<String, Vec<RationaleLine>>,
}

#[derive(Deserialize)]
struct RationaleLine {
    sentences: Vec<usize>,
}

#[derive(Deserialize)]
struct AbstractLine {
    doc_id: u64,
    title: String,
    #[serde(rename = "abstract")]
    sentences: Vec<String>,
}

/// The claims with evidence, and their abstracts as files in a folder of the set's name.
pub(super) fn lay_out(data: &Path, libraries: &Path) -> Result<Vec<TestQuestion>> {
    let folder = libraries.join(NAME);
    fs::create_dir(&folder)?;
    let mut abstracts = HashMap::new();
    for one in read_set::<AbstractLine>(data, "scifact_claims/corpus.jsonl")? {
        let text = format!("# {}\n\n{}\n", one.title, one.sentences.join(" "));
        fs::write(folder.join(file(&one.doc_id.to_string())), text)?;
        abstracts.insert(one.doc_id.to_string(), one.sentences);
    }
    let mut all = Vec::new();
    for line in read_set::<ClaimLine>(data, "scifact_claims/claims_train.jsonl")? {
        let mut evidence: Vec<_> = line.evidence.iter().collect();
        evidence.sort_unstable_by_key(|(document, _)| *document);
        let mut gold = Vec::new();
        for (document, rationales) in &evidence {
            let Some(sentences) = abstracts.get(*document) else {
                continue;
            };
            let marked = rationales.iter().flat_map(|one| &one.sentences);
            for sentence in marked.filter_map(|at| sentences.get(*at)) {
                gold.push(fancy_regex::escape(plain(sentence).trim_end_matches('.')).into_owned());
            }
        }
        let Some((document, _)) = evidence.first() else {
            continue;
        };
        all.push(TestQuestion {
            id: format!("claim-{}", line.id),
            question: line.claim,
            gold,
            evidence_file: file(document),
            ..of_kind(NAME)
        });
    }
    tellable(all)
}

fn file(document: &str) -> String {
    format!("{document}.md")
}
