//! A review by measure: each score is counted from the draft, the check of its citations and the analysis.

use std::collections::BTreeSet;

use fathom_evidence::citation::Support;
use fathom_evidence::claim::{Stated, claims};
use fathom_evidence::{banned, duplicate};

use crate::analysis::Strength;
use crate::critique::{ReviewCategory, ReviewOpinion, ReviewRemark, ReviewScores, Severity};
use crate::draft::DraftPlace;
use crate::reasoner::ReviewTask;
use crate::source::SourceId;

/// A section of fewer words says nothing.
const SECTION_WORDS: usize = 25;

/// So many cited sources are enough.
const SOURCES_WANTED: usize = 5;

/// A finding from this confidence on covers its sub-question; one that is less sure counts this share.
const COVERS_FROM: f64 = 0.7;
const UNSURE_SHARE: f64 = 0.4;

/// A sentence of more words is hard to follow, quotes included.
const LONG_SENTENCE: usize = 60;

/// Reviews a draft.
pub fn review(task: &ReviewTask<'_>) -> ReviewOpinion {
    let measured = DraftMeasures::new(task);
    let scores = ReviewScores {
        accuracy: measured.accuracy(),
        completeness: measured.completeness(),
        coherence: measured.coherence(),
        citation: measured.citation(),
        methodology: measured.methodology(),
        style: measured.style(),
    };
    let items = items(task, &measured);
    let summary = format!(
        "DraftMeasures by rules, without a model: {} of {} claims are supported by the sources they cite, {} of {} sub-questions are covered, {} sources are cited.",
        measured.supported,
        measured.claims,
        measured.covered,
        measured.asked,
        measured.cited.len()
    );
    ReviewOpinion {
        scores,
        items,
        summary,
    }
}

/// What is counted.
struct DraftMeasures {
    claims: usize,
    supported: usize,
    contradicted: usize,
    /// Sentences that state a fact, and those of them that cite something.
    stated: usize,
    with_citation: usize,
    cited: BTreeSet<SourceId>,
    asked: usize,
    /// Sub-questions with a finding, and those of them with one that is sure.
    answered: usize,
    covered: usize,
    /// Of each planned section: its words in the draft.
    sections: Vec<usize>,
    sentences: usize,
    repeated: usize,
    long: usize,
    banned: usize,
    words: usize,
    wanted: usize,
    findings: usize,
    agreed: usize,
    conflicts: usize,
    conflicts_shown: usize,
    gaps: usize,
    limits_said: bool,
}

impl DraftMeasures {
    fn new(task: &ReviewTask<'_>) -> Self {
        let supports = |wanted: fn(&Support) -> bool| {
            let all = task.check.claims.iter();
            all.filter(|claim| wanted(&claim.support)).count()
        };
        let analysis = task.analysis;
        let answered: BTreeSet<_> = analysis.findings.iter().map(|one| one.answers).collect();
        let sure = analysis.findings.iter();
        let sure = sure.filter(|one| one.confidence >= COVERS_FROM);
        let covered: BTreeSet<_> = sure.map(|one| one.answers).collect();
        let whole: String = task
            .draft
            .texts()
            .map(|(_, text)| format!("{text}\n\n"))
            .collect();
        let lower = whole.to_lowercase();
        let sentences = claims(&whole, task.language);
        let facts = || sentences.iter().filter(|one| one.stated == Stated::Fact);
        let words = |title: &str| {
            let found = task
                .draft
                .sections
                .iter()
                .find(|section| section.title == title);
            found.map_or(0, |section| section.text.split_whitespace().count())
        };
        Self {
            claims: task.check.claims.len(),
            supported: supports(|one| matches!(one, Support::Supported { .. })),
            contradicted: supports(|one| matches!(one, Support::Contradicted { .. })),
            stated: facts().count(),
            with_citation: facts().filter(|one| !one.citations.is_empty()).count(),
            cited: task
                .check
                .claims
                .iter()
                .flat_map(|one| one.cites.iter().copied())
                .collect(),
            asked: task.plan.sub_questions.len(),
            answered: answered.len(),
            covered: covered.len(),
            sections: task
                .plan
                .sections
                .iter()
                .map(|section| words(&section.title))
                .collect(),
            sentences: sentences.len(),
            repeated: repeated(task),
            long: sentences
                .iter()
                .filter(|one| one.text.split_whitespace().count() > LONG_SENTENCE)
                .count(),
            banned: banned::banned(&whole, task.banned_words, task.language).len(),
            words: task.draft.words(),
            wanted: task.target_length as usize,
            findings: analysis.findings.len(),
            agreed: analysis
                .findings
                .iter()
                .filter(|one| one.strength >= Strength::Moderate)
                .count(),
            conflicts: analysis.contradictions.len(),
            conflicts_shown: shown(task, &whole),
            gaps: analysis.gaps.len(),
            limits_said: [
                "no source",
                "none of the sources",
                "left open",
                "unknown",
                "limit",
            ]
            .iter()
            .any(|said| lower.contains(said)),
        }
    }

    /// 10 × the share of claims that are supported, less 5 × the share that is contradicted.
    fn accuracy(&self) -> f64 {
        let all = self.claims.max(1) as f64;
        let share = if self.claims == 0 {
            0.0
        } else {
            self.supported as f64 / all
        };
        score(10.0 * share - 5.0 * self.contradicted as f64 / all)
    }

    /// 10 × the share of sub-questions that are covered; one that has only unsure findings counts less. Nothing
    /// where the draft has none of its sections.
    fn completeness(&self) -> f64 {
        let full = self.sections.iter();
        let full = full.filter(|words| **words >= SECTION_WORDS).count();
        let unsure = self.answered.saturating_sub(self.covered) as f64;
        let told = (self.covered as f64 + UNSURE_SHARE * unsure) / self.asked.max(1) as f64;
        score(10.0 * told.min(share(full, self.sections.len())))
    }

    /// 10 × (0.5 × what is not said twice, 0.2 × how even the sections are: 1 from a third of the mean on, 0.3 × the
    /// share of findings that several sources bear out: quotes that stand alone make no whole).
    fn coherence(&self) -> f64 {
        if self.sentences == 0 || self.sections.is_empty() {
            return 0.0;
        }
        let once = 1.0 - share(self.repeated, self.sentences);
        let mean = self.sections.iter().sum::<usize>() as f64 / self.sections.len() as f64;
        let least = self.sections.iter().copied().min().unwrap_or(0) as f64;
        let even = if mean > 0.0 {
            (3.0 * least / mean).min(1.0)
        } else {
            0.0
        };
        score(10.0 * (0.5 * once * once + 0.2 * even + 0.3 * self.borne_out()))
    }

    /// 10 × (0.7 × the share of stated facts that cite something, 0.3 × sources cited of those wanted).
    fn citation(&self) -> f64 {
        let several = (self.cited.len() as f64 / SOURCES_WANTED as f64).min(1.0);
        let cited = if self.stated == 0 {
            0.0
        } else {
            share(self.with_citation, self.stated)
        };
        score(10.0 * (0.7 * cited + 0.3 * several))
    }

    /// The share of findings that several sources bear out, full from a half on.
    fn borne_out(&self) -> f64 {
        match self.findings {
            0 => 0.0,
            all => (2.0 * share(self.agreed, all)).min(1.0),
        }
    }

    /// 10 × (0.4 × findings that several sources bear out; 0.3 × conflicts that are shown; 0.3 where limits
    /// are said or there are none).
    fn methodology(&self) -> f64 {
        let agreed = self.borne_out();
        let shown = if self.conflicts == 0 {
            1.0
        } else {
            share(self.conflicts_shown, self.conflicts)
        };
        let said = f64::from(u8::from(self.limits_said || self.gaps == 0));
        score(10.0 * (0.4 * agreed + 0.3 * shown + 0.3 * said))
    }

    /// 10 less 1 a banned word, less 10 × the share of long sentences, less up to 3 for a length far from what is wanted.
    fn style(&self) -> f64 {
        let long = 10.0 * share(self.long, self.sentences);
        score(10.0 - self.banned as f64 - long - self.length_cost())
    }

    /// Short is no fault where little was found: it costs half of what long does.
    fn length_cost(&self) -> f64 {
        let ratio = self.words as f64 / self.wanted.max(1) as f64;
        let off = if ratio > 1.0 {
            ratio - 1.0
        } else {
            (1.0 - ratio) / 2.0
        };
        (3.0 * (off - 0.1)).clamp(0.0, 3.0)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

fn score(raw: f64) -> f64 {
    raw.clamp(0.0, 10.0)
}

/// Sentences of sections that stand in another place of a section too.
fn repeated(task: &ReviewTask<'_>) -> usize {
    let mut texts = Vec::new();
    for section in &task.draft.sections {
        let found = claims(&section.text, task.language).into_iter();
        texts.extend(
            found
                .filter(|one| one.stated == Stated::Fact)
                .map(|one| one.text),
        );
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    texts.len() - duplicate::sentences(&texts).len()
}

/// Conflicts of which both sides are cited somewhere.
fn shown(task: &ReviewTask<'_>, whole: &str) -> usize {
    let all = task.analysis.contradictions.iter();
    all.filter(|found| {
        [&found.left, &found.right].into_iter().all(|side| {
            let head: String = side
                .quote
                .split_whitespace()
                .take(6)
                .collect::<Vec<_>>()
                .join(" ");
            whole.contains(&head)
        })
    })
    .count()
}

/// What a writer might do better; nothing here is proven, so none of it is grave.
fn items(task: &ReviewTask<'_>, measured: &DraftMeasures) -> Vec<ReviewRemark> {
    let mut items = Vec::new();
    let mut add = |category, severity, place, description: String, fix: &str| {
        items.push(ReviewRemark {
            category,
            severity,
            place,
            description,
            fix: Some(fix.to_owned()),
            proven: false,
        });
    };
    for (at, words) in measured.sections.iter().enumerate() {
        if *words < SECTION_WORDS {
            let title = task
                .plan
                .sections
                .get(at)
                .map_or("", |section| &section.title);
            add(
                ReviewCategory::Completeness,
                Severity::Minor,
                DraftPlace::Section(at),
                format!("The section “{title}” has {words} words."),
                "Search for more on its sub-question.",
            );
        }
    }
    if measured.repeated > 0 {
        add(
            ReviewCategory::Coherence,
            Severity::Minor,
            DraftPlace::Whole,
            format!(
                "{} sentences say what another says in nearly the same words.",
                measured.repeated
            ),
            "Leave out the repeats.",
        );
    }
    if measured.conflicts_shown < measured.conflicts {
        add(
            ReviewCategory::Methodology,
            Severity::Minor,
            DraftPlace::Whole,
            format!(
                "{} of {} conflicts are shown with both sides.",
                measured.conflicts_shown, measured.conflicts
            ),
            "Quote both sides of each.",
        );
    }
    if measured.findings > 0 && measured.agreed == 0 {
        add(
            ReviewCategory::Methodology,
            Severity::Suggestion,
            DraftPlace::Whole,
            "No finding is borne out by more than one source.".to_owned(),
            "Search for independent sources.",
        );
    }
    items
}
