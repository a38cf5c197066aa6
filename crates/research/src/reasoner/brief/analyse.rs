//! What the evidence says: what several sources say together, what one says alone, what nobody says.

use std::collections::{BTreeMap, BTreeSet};

use fathom_evidence::themes;

use super::groups::groups;
use super::refine;
use crate::analysis::{Analysis, Evidence, Finding, Gap, Strength, Theme};
use crate::plan::SubQuestionId;
use crate::reasoner::AnalyseTask;
use crate::source::SourceId;
use crate::strength::StrengthScale;
use crate::words;

/// Findings beyond this are not told apart; the evidence behind them stays.
const FINDINGS_MOST: usize = 10;

/// A finding from this confidence on covers its sub-question.
const COVERS_FROM: f64 = 0.7;

/// Confidence by strength, before the judge's word: a single source that measured for itself gains
/// `PRIMARY_GAIN`, and `COMPANY_GAIN` for each of two other sources that bear on the same sub-question, but
/// stays under `SINGLE_CAP` and so covers nothing. One source is enough only where it sums up many, or where no
/// more is asked than what a word means. The judge moves each by `JUDGE_SHARE` of how far it is from undecided.
const STRONG: f64 = 0.88;
const MODERATE: f64 = 0.76;
const SINGLE: f64 = 0.54;
const IN_CONFLICT: f64 = 0.45;
const PRIMARY_GAIN: f64 = 0.08;
const COMPANY_GAIN: f64 = 0.05;
const COMPANY_MOST: usize = 2;
const SYNTHESIS: f64 = 0.72;
const SINGLE_CAP: f64 = 0.69;
const SYNTHESIS_CAP: f64 = 0.78;
const JUDGE_SHARE: f64 = 0.15;

/// Analyses evidence. The same task gives the same analysis.
pub fn analyse(task: &AnalyseTask<'_>) -> Analysis {
    let weigh = EvidenceScale::new(task);
    let groups = groups(task.evidence, task.contradictions, task.language);
    let mut findings: Vec<Finding> = groups
        .into_iter()
        .filter_map(|group| weigh.finding(group))
        .collect();
    // The strongest first; what is equal stays in the order of the evidence.
    findings.sort_by(|a, b| {
        let strength = b.strength.cmp(&a.strength);
        strength
            .then(b.confidence.total_cmp(&a.confidence))
            .then(a.evidence.cmp(&b.evidence))
    });
    let findings = kept(findings);
    let gaps = gaps(task, &findings);
    Analysis {
        themes: themes_of(&findings, task),
        contradictions: task.contradictions.to_vec(),
        confidence: confidence(task, &findings),
        sufficient: gaps.is_empty(),
        answered: None,
        gaps,
        findings,
    }
}

/// What findings are weighed by.
struct EvidenceScale<'t> {
    evidence: &'t [Evidence],
    strength: StrengthScale<'t>,
    /// Sources that sum up many others.
    syntheses: BTreeSet<SourceId>,
    /// Sub-questions that ask what a word means.
    definitions: BTreeSet<SubQuestionId>,
    /// The sources that bear on each sub-question.
    company: BTreeMap<SubQuestionId, BTreeSet<SourceId>>,
}

impl<'t> EvidenceScale<'t> {
    fn new(task: &'t AnalyseTask<'_>) -> Self {
        let mut company: BTreeMap<SubQuestionId, BTreeSet<SourceId>> = BTreeMap::new();
        for one in task.evidence {
            company.entry(one.answers).or_default().insert(one.source);
        }
        Self {
            evidence: task.evidence,
            strength: StrengthScale::new(task.evidence, task.contradictions),
            syntheses: syntheses(task),
            definitions: definitions(task),
            company,
        }
    }

    /// A finding whose statement is the words of the group's first member.
    fn finding(&self, group: Vec<usize>) -> Option<Finding> {
        let members: Vec<&Evidence> = group
            .iter()
            .filter_map(|at| self.evidence.get(*at))
            .collect();
        let lead = *members.first()?;
        let disputed = members.iter().any(|one| self.strength.is_disputed(one));
        let strength = self.strength.strength(&group);
        let primary = self.strength.primary(&group);
        let judged = members.iter().map(|one| one.confidence).sum::<f64>() / members.len() as f64;
        let company = self.company.get(&lead.answers).map_or(0, BTreeSet::len);
        let enough = !disputed
            && (self.syntheses.contains(&lead.source) || self.definitions.contains(&lead.answers));
        let base = match strength {
            Strength::Strong => STRONG,
            Strength::Moderate => MODERATE,
            _ if disputed => IN_CONFLICT,
            _ if enough => SYNTHESIS,
            _ => {
                let others = company.saturating_sub(1).min(COMPANY_MOST) as f64;
                SINGLE + COMPANY_GAIN * others + if primary > 0 { PRIMARY_GAIN } else { 0.0 }
            }
        };
        let sure = base + JUDGE_SHARE * (judged - 0.5);
        let cap = match strength {
            Strength::Weak if enough => SYNTHESIS_CAP,
            Strength::Weak => SINGLE_CAP,
            _ => 1.0,
        };
        Some(Finding {
            statement: lead.quote.clone(),
            answers: lead.answers,
            evidence: group,
            strength,
            confidence: sure.clamp(0.0, cap),
        })
    }
}

fn syntheses(task: &AnalyseTask<'_>) -> BTreeSet<SourceId> {
    let sums_up = |title: &str| {
        let lower = title.to_lowercase();
        words::list("controlled", "review")
            .iter()
            .any(|word| words::holds(&lower, word))
    };
    let sources = task.sources.iter();
    let sources = sources.filter(|source| sums_up(&source.about.title));
    sources.map(|source| source.id).collect()
}

fn definitions(task: &AnalyseTask<'_>) -> BTreeSet<SubQuestionId> {
    let asks = |id: &SubQuestionId| {
        let sub = task
            .plan
            .sub_question(*id)
            .map(|sub| sub.text.to_lowercase());
        let cues = words::list("aspects", "definition");
        sub.is_some_and(|text| cues.iter().any(|word| words::holds(&text, word)))
    };
    task.plan.ids().filter(asks).collect()
}

/// The best of each sub-question first, then the best of all.
fn kept(findings: Vec<Finding>) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let (first, rest): (Vec<Finding>, Vec<Finding>) = findings
        .into_iter()
        .partition(|finding| seen.insert(finding.answers));
    let room = FINDINGS_MOST.saturating_sub(first.len());
    let mut all: Vec<Finding> = first
        .into_iter()
        .chain(rest.into_iter().take(room))
        .collect();
    all.sort_by(|a, b| {
        let strength = b.strength.cmp(&a.strength);
        strength
            .then(b.confidence.total_cmp(&a.confidence))
            .then(a.evidence.cmp(&b.evidence))
    });
    all
}

/// Sub-questions that no finding covers.
fn gaps(task: &AnalyseTask<'_>, findings: &[Finding]) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = Vec::new();
    let known = task.plan.queries.iter().map(|query| query.text.clone());
    let mut put: BTreeSet<String> = known.chain([task.question.text().to_owned()]).collect();
    for id in task.plan.ids() {
        let own = || findings.iter().filter(|finding| finding.answers == id);
        if own().any(|finding| finding.confidence >= COVERS_FROM) {
            continue;
        }
        let Some(sub) = task.plan.sub_question(id) else {
            continue;
        };
        let missing = match own().next() {
            None => format!("No source read answers “{}”", sub.text),
            Some(_) => format!("No two sources give the same answer to “{}”", sub.text),
        };
        let mut queries = task.plan.queries.iter().filter(|query| query.serves == id);
        let asked = queries
            .next()
            .map_or(sub.text.as_str(), |query| &query.text);
        let mut wordings = refine::plain_wordings(asked).into_iter();
        // What was searched for, also for another gap, finds nothing new.
        let query = wordings.find(|text| !text.is_empty() && !put.contains(text));
        let query = query.unwrap_or_else(|| asked.to_owned());
        put.insert(query.clone());
        gaps.push(Gap {
            answers: id,
            missing,
            query,
        });
    }
    gaps
}

/// What several findings of at least two sources have in common.
fn themes_of(findings: &[Finding], task: &AnalyseTask<'_>) -> Vec<Theme> {
    let texts: Vec<&str> = findings.iter().map(|one| one.statement.as_str()).collect();
    let sources = |members: &[usize]| {
        let evidence = members.iter().filter_map(|at| findings.get(*at));
        let places = evidence.flat_map(|finding| &finding.evidence);
        let sources: BTreeSet<SourceId> = places
            .filter_map(|at| Some(task.evidence.get(*at)?.source))
            .collect();
        sources.len()
    };
    let found = themes::themes(&texts, task.language).into_iter();
    found
        .filter(|theme| sources(&theme.members) >= 2)
        .map(|theme| Theme {
            label: theme.label,
            findings: theme.members,
        })
        .collect()
}

/// The mean over the sub-questions of the best confidence in each.
fn confidence(task: &AnalyseTask<'_>, findings: &[Finding]) -> f64 {
    let best = |id: SubQuestionId| {
        let own = findings.iter().filter(|finding| finding.answers == id);
        own.map(|finding| finding.confidence).fold(0.0, f64::max)
    };
    let sum: f64 = task.plan.ids().map(best).sum();
    sum / task.plan.sub_questions.len().max(1) as f64
}
