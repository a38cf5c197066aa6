//! A language model as judge of what code could not check: one token, yes or no, and how sure it is.
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

/// Pairs of each set.
const PAIRS: usize = 200;

/// Sentences of a source that the judge sees.
const SENTENCES_SHOWN: usize = 4;

const TASK: &str = "You check whether a sentence says what a passage says. Answer Yes if the passage states the \
    sentence, or if it follows from it for any careful reader. Answer No if the passage says less, something else or the \
    opposite: another subject, number, place or time, a cause for a mere link, all for some, a certainty for a doubt.";

/// A sentence, what it is held against, and whether the source bears it out.
struct Pair {
    set: &'static str,
    label: &'static str,
    claim: String,
    passage: String,
    /// What code says of it.
    by_code: Support,
}

/// Asks the model at `url` about pairs of each set and prints how often it says yes, by what is true; beside it, how often
/// code alone says so.
pub(in crate::evidence) fn measure(data: &Path, url: &str) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut tallies: BTreeMap<(&str, &str), JudgeTally> = BTreeMap::new();
    let client = loopback::client()?;
    for pair in pairs(data)? {
        let sure = runtime.block_on(asked(&client, url, &pair))?;
        let tally = tallies.entry((pair.set, pair.label)).or_default();
        let code = matches!(pair.by_code, Support::Supported { .. });
        tally.pairs += 1;
        tally.yes += usize::from(sure >= 0.5);
        tally.code += usize::from(code);
        tally.sure += sure;
    }
    for ((set, label), tally) in tallies {
        let share = |part: f64| part / tally.pairs.max(1) as f64;
        Figure::named("model_as_judge")
            .with("set", set)
            .with("people_say", label)
            .with("pairs", tally.pairs)
            .number("model_supported", share(tally.yes as f64))
            .number("mean_probability", share(tally.sure))
            .number("code_supported", share(tally.code as f64))
            .print();
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

/// Pairs of each set, spread evenly over it.
fn pairs(data: &Path) -> Result<Vec<Pair>> {
    let mut all = Vec::new();
    for set in [judged::scifact(data)?, judged::wice(data)?] {
        let set = set.half(SetPart::Report);
        for one in spread(&set.judged) {
            let source = set.sources.get(one.source).context("no such source")?;
            all.push(Pair::new(set.name, one.label.name(), &one.claim, source));
        }
    }
    let sets = judged::sources(data, SetPart::Report)?;
    let near: Vec<Neighbours> = sets
        .iter()
        .map(|set| Neighbours::new(&set.sources))
        .collect();
    let made = Maker::new(&sets, &near, SEED).all();
    for one in spread(&made) {
        let source = sets
            .get(one.set)
            .and_then(|set| set.sources.get(one.source));
        let source = source.context("no such source")?;
        let label = if one.kind.is_true() {
            "supported"
        } else {
            "planted"
        };
        all.push(Pair::new("t31", label, &one.text, source));
    }
    Ok(all)
}

/// So many of a list, from its beginning to its end.
fn spread<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().step_by((all.len() / PAIRS).max(1)).take(PAIRS)
}

impl Pair {
    fn new(set: &'static str, label: &'static str, claim: &str, source: &JudgedSource) -> Self {
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
            set,
            label,
            claim: claim.to_owned(),
            passage: shown.join(" "),
            by_code: held(claim, source).support,
        }
    }
}

/// How sure the model is that the passage bears the sentence out, 0 to 1.
async fn asked(client: &reqwest::Client, url: &str, pair: &Pair) -> Result<f64> {
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
    Ok(if yes + no > 0.0 {
        yes / (yes + no)
    } else {
        0.5
    })
}
