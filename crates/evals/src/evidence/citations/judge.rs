//! A language model as judge of citations beside code: one token, yes or no, and how sure it is.
//!
//! The endpoint speaks OpenAI's protocol with log-probabilities, as llama.cpp's server does. The model sees a sentence and
//! the sentences of its source that have most words of it, and nothing else.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use fathom_evidence::Language;
use fathom_evidence::citation::Support;
use fathom_evidence::terms::Terms;
use serde_json::{Value, json};

use super::make::Maker;
use super::neighbours::Neighbours;
use super::{SEED, held};
use crate::evidence::judged::{self, JudgedSource, SetPart};
use crate::figure::Figure;
use crate::loopback;

/// Pairs of each set, at most.
const PAIRS: usize = 200;

/// Sentences of a source that the judge sees.
const SENTENCES_SHOWN: usize = 4;

const TASK: &str = "You check whether a sentence says what a passage says. Answer Yes if the passage states the \
    sentence, or if it follows from it for any careful reader. Answer No if the passage says less, something else or the \
    opposite: another subject, number, place or time, a cause for a mere link, all for some, a certainty for a doubt.";

/// A sentence, what it is held against, and whether the source bears it out.
struct Pair {
    label: &'static str,
    claim: String,
    passage: String,
    /// What code says of it.
    by_code: Support,
}

/// Asks the model at `url` about pairs of each set and prints how often it says yes, by what is true; beside it, how often
/// code alone says so.
pub(in crate::evidence) async fn measure(data: &Path, url: &str) -> Result<()> {
    let client = loopback::client()?;
    for (set, pairs) in sets(data)? {
        let mut tallies: BTreeMap<&str, JudgeTally> = BTreeMap::new();
        for pair in pairs {
            let sure = asked(&client, url, &pair).await?;
            let code = matches!(pair.by_code, Support::Supported { .. });
            let tally = tallies.entry(pair.label).or_default();
            tally.pairs += 1;
            tally.yes += usize::from(sure.is_some_and(|sure| sure >= 0.5));
            tally.code += usize::from(code);
            tally.sure += sure.unwrap_or_default();
        }
        for (label, tally) in tallies {
            tally.print(set, label);
        }
    }
    Ok(())
}

#[derive(Default)]
struct JudgeTally {
    pairs: usize,
    yes: usize,
    code: usize,
    sure: f64,
}

impl JudgeTally {
    fn print(&self, set: &str, label: &str) {
        let share = |part: f64| part / self.pairs.max(1) as f64;
        Figure::named("model_as_judge")
            .with("set", set)
            .with("truth", label)
            .with("pairs", self.pairs)
            .number("model_supported", share(self.yes as f64))
            .number("mean_probability", share(self.sure))
            .number("code_supported", share(self.code as f64))
            .print();
    }
}

/// The sets by their names, with pairs spread evenly over each.
fn sets(data: &Path) -> Result<Vec<(&'static str, Vec<Pair>)>> {
    let mut all = Vec::new();
    for set in [judged::scifact(data)?, judged::wice(data)?] {
        let set = set.half(SetPart::Report);
        let pairs = spread(&set.judged).map(|one| {
            let source = set.sources.get(one.source).context("no such source")?;
            Ok(Pair::new(one.label.name(), &one.claim, source))
        });
        all.push((set.name, pairs.collect::<Result<_>>()?));
    }
    let sources = judged::sources(data, SetPart::Report)?;
    let near: Vec<Neighbours> = sources
        .iter()
        .map(|set| Neighbours::new(&set.sources))
        .collect();
    let made = Maker::new(&sources, &near, SEED).all();
    let pairs = spread(&made).map(|one| {
        let set = sources.get(one.set).context("no such set")?;
        let source = set.sources.get(one.source).context("no such source")?;
        let label = if one.kind.is_true() {
            "supported"
        } else {
            "planted"
        };
        Ok(Pair::new(label, &one.text, source))
    });
    all.push(("t31", pairs.collect::<Result<_>>()?));
    Ok(all)
}

/// So many of a list, from its beginning to its end.
fn spread<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter()
        .step_by(all.len().div_ceil(PAIRS).max(1))
        .take(PAIRS)
}

impl Pair {
    fn new(label: &'static str, claim: &str, source: &JudgedSource) -> Self {
        let terms = Terms::new(Language::ENGLISH);
        let wanted = terms.telling(claim);
        let shared = |at: &usize| {
            let own = terms.telling(source.sentence(*at));
            wanted.iter().filter(|term| own.contains(term)).count()
        };
        let mut places: Vec<usize> = (0..source.sentences.len()).collect();
        places.sort_by_cached_key(|at| std::cmp::Reverse(shared(at)));
        places.truncate(SENTENCES_SHOWN);
        places.sort_unstable();
        let shown: Vec<&str> = places.iter().map(|at| source.sentence(*at)).collect();
        Self {
            label,
            claim: claim.to_owned(),
            passage: shown.join(" "),
            by_code: held(claim, source).support,
        }
    }
}

/// How sure the model is that the passage bears the sentence out, 0 to 1; nothing where it says neither yes nor no.
async fn asked(client: &reqwest::Client, url: &str, pair: &Pair) -> Result<Option<f64>> {
    let user = format!(
        "Passage: {}\n\nSentence: {}\n\nDoes the passage state the sentence? Yes or No.",
        pair.passage, pair.claim
    );
    let body = json!({
        "model": "judge",
        "messages": [{"role": "system", "content": TASK}, {"role": "user", "content": user}],
        "max_tokens": 1,
        "temperature": 0,
        "logprobs": true,
        "top_logprobs": 20,
    });
    let url = format!("{}/chat/completions", url.trim_end_matches('/'));
    let reply = client.post(url).json(&body).send().await?;
    let reply: Value = reply.error_for_status()?.json().await?;
    let tokens = reply.pointer("/choices/0/logprobs/content/0/top_logprobs");
    let tokens = tokens
        .and_then(Value::as_array)
        .context("the endpoint gives no log-probabilities")?;
    let share = |wanted: &str| -> f64 {
        let said = tokens.iter().filter(|token| {
            let text = token["token"].as_str().unwrap_or_default();
            text.trim().eq_ignore_ascii_case(wanted)
        });
        said.filter_map(|token| token["logprob"].as_f64())
            .map(f64::exp)
            .sum()
    };
    let (yes, no) = (share("yes"), share("no"));
    Ok((yes + no > 0.0).then(|| yes / (yes + no)))
}
