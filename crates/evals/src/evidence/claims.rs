//! How the verdicts on claims agree with those of people, on claims written freely.

use std::path::Path;

use anyhow::Result;
use fathom_evidence::Language;
use fathom_evidence::citation::{CitationSettings, CitedSources, SourceText, Support, check};
use fathom_evidence::claim::Claim;

use super::judged::{self, Label, Set};
use crate::figure::Figure;

pub(super) fn measure(data: &Path) -> Result<()> {
    for set in [judged::scifact(data)?, judged::wice(data)?] {
        compare(&set);
    }
    Ok(())
}

/// Supported by people against not, by the score and by the verdict. Partly supported claims are
/// left out, as they are neither.
fn compare(set: &Set) {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    let (mut decided, mut right, mut contradicted, mut rightly) =
        (0_usize, 0_usize, 0_usize, 0_usize);
    for judged in set
        .judged
        .iter()
        .filter(|judged| judged.label != Label::Partly)
    {
        let Some(source) = set.sources.get(judged.source) else {
            continue;
        };
        let text =
            SourceText::with_sentences(&source.text, source.sentences.clone(), Language::ENGLISH);
        let claim = Claim::alone(&judged.claim, &[1]);
        let checked = check(
            &claim,
            &CitedSources::from([(1, text)]),
            &CitationSettings::default(),
        );
        let supported = judged.label == Label::Supported;
        if supported {
            good.push(checked.score)
        } else {
            bad.push(checked.score)
        }
        match checked.support {
            Support::Supported { .. } => {
                (decided, right) = (decided + 1, right + usize::from(supported))
            }
            Support::NotSupported => {
                (decided, right) = (decided + 1, right + usize::from(!supported))
            }
            Support::Contradicted { .. } => {
                (decided, right) = (decided + 1, right + usize::from(!supported));
                contradicted += 1;
                rightly += usize::from(judged.label == Label::Contradicted);
            }
            Support::NotChecked { .. } => {}
        }
    }
    let all = good.len() + bad.len();
    Figure::named("claims_agree_with_people")
        .with("set", set.name)
        .with("claims", all)
        .number("auc", auc(&good, &bad))
        .number("decided", decided as f64 / all.max(1) as f64)
        .number("accuracy_of_decided", right as f64 / decided.max(1) as f64)
        .with("contradictions_found", contradicted)
        .number(
            "contradictions_precision",
            rightly as f64 / contradicted.max(1) as f64,
        )
        .print();
}

/// How often a supported claim scores higher than one that is not.
fn auc(good: &[f64], bad: &[f64]) -> f64 {
    let beats = |g: &f64| -> f64 {
        let of = |b: &f64| {
            if g > b {
                1.0
            } else if g == b {
                0.5
            } else {
                0.0
            }
        };
        bad.iter().map(of).sum()
    };
    good.iter().map(beats).sum::<f64>() / (good.len() * bad.len()).max(1) as f64
}
