//! Whether evidence that agrees is left in peace, and evidence that was made to disagree is found.
//!
//! The sentences of one abstract, report or page mostly agree: what is called a conflict among them
//! is an alarm for nothing, or nearly always. Conflicts are planted by a copy of a sentence with a
//! fault in it.

use std::path::Path;

use anyhow::Result;
use fathom_evidence::Language;
use fathom_evidence::validate::consistency::{Statement, conflicts};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::citations::faults;
use super::judged::{self, JudgedSource, Set, SetPart};
use crate::figure::Figure;

const SEED: u64 = 7;

/// How many sources of a set are looked at, and how many conflicts of each kind are planted.
const SOURCES_MAX: usize = 400;
const PLANTED: usize = 300;
const DRAWS_MAX: usize = 20_000;

type Fault = fn(&str, &mut StdRng) -> Option<String>;

pub(super) fn measure(data: &Path) -> Result<()> {
    let sets = judged::sources(data, SetPart::wanted()?)?;
    sets.iter().for_each(in_peace);
    let planted: [(&str, Fault); 2] = [
        ("changed_number", faults::change_number),
        ("negated", faults::negate),
    ];
    for (kind, fault) in planted {
        plant(&sets, kind, fault);
    }
    Ok(())
}

/// Alarms among the sentences of one source, by pairs of sentences.
fn in_peace(set: &Set) {
    let (mut pairs, mut alarms, mut sources) = (0, 0, 0);
    for source in set.sources.iter().take(SOURCES_MAX) {
        sources += 1;
        let sentences = source.sentences.len();
        pairs += sentences * sentences.saturating_sub(1) / 2;
        let statement = Statement {
            source: "a",
            start: 0,
            text: &source.text,
        };
        alarms += conflicts(&[statement], Language::ENGLISH).len();
    }
    Figure::named("conflicts_in_one_source")
        .with("set", set.name)
        .with("sources", sources)
        .with("pairs", pairs)
        .with("alarms", alarms)
        .number(
            "alarms_per_1000_pairs",
            1e3 * alarms as f64 / pairs.max(1) as f64,
        )
        .print();
}

/// A source and one spoilt sentence of it: is the sentence found to disagree?
fn plant(sets: &[Set], kind: &str, fault: Fault) {
    let mut rng = StdRng::seed_from_u64(SEED);
    let (mut planted, mut found) = (0, 0);
    for _ in 0..DRAWS_MAX {
        if planted == PLANTED {
            break;
        }
        let source = sets
            .choose(&mut rng)
            .and_then(|set| set.sources.choose(&mut rng));
        let Some((source, sentence)) = source.and_then(|one| Some((one, drawn(one, &mut rng)?)))
        else {
            continue;
        };
        let Some(spoilt) = fault(sentence, &mut rng) else {
            continue;
        };
        planted += 1;
        found += usize::from(disagree(source, &spoilt));
    }
    Figure::named("conflicts_planted")
        .with("kind", kind)
        .with("planted", planted)
        .number("found", found as f64 / planted.max(1) as f64)
        .with("seed", SEED)
        .print();
}

fn drawn<'a>(source: &'a JudgedSource, rng: &mut StdRng) -> Option<&'a str> {
    source.plain_sentence(rng.random_range(0..source.sentences.len().max(1)))
}

fn disagree(source: &JudgedSource, spoilt: &str) -> bool {
    let statements = [
        Statement {
            source: "a",
            start: 0,
            text: &source.text,
        },
        Statement {
            source: "b",
            start: 0,
            text: spoilt,
        },
    ];
    let found = conflicts(&statements, Language::ENGLISH);
    let between = |sides: [&str; 2]| sides.contains(&"b");
    found
        .iter()
        .any(|c| between([&c.left.source, &c.right.source]))
}
