//! What an analysis says of agreement, as far as the words bear it out.
//!
//! An analysis may be a model's, which puts sources together that speak of one matter. A text that quotes them as
//! saying the same must see it in their words.

use std::collections::BTreeMap;

use fathom_evidence::Language;

use super::groups::groups;
use crate::analysis::{Analysis, Evidence, Finding, Strength};

/// The analysis with findings that hold only such evidence as says the same, weak where one source is left.
pub(super) fn borne_out(
    analysis: &Analysis,
    evidence: &[Evidence],
    language: Language,
) -> Analysis {
    let groups = groups(evidence, &analysis.contradictions, language);
    let numbered = groups.into_iter().enumerate();
    let group: BTreeMap<usize, usize> = numbered
        .flat_map(|(number, places)| places.into_iter().map(move |place| (place, number)))
        .collect();
    let mut analysis = analysis.clone();
    for finding in &mut analysis.findings {
        let own = finding.evidence.first().and_then(|lead| group.get(lead));
        finding.evidence.retain(|place| group.get(place) == own);
        if sources(finding, evidence) < 2 {
            finding.strength = finding.strength.min(Strength::Weak);
        }
    }
    analysis
}

fn sources(finding: &Finding, evidence: &[Evidence]) -> usize {
    let members = finding.evidence.iter().filter_map(|at| evidence.get(*at));
    super::prose::sources_of(members).len()
}
