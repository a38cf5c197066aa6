//! One section: the question it answers, what sources say together, what one says alone, where they
//! disagree, and what they leave open. Every sentence on the matter itself is a quote.

use std::collections::BTreeSet;

use fathom_evidence::Span;
use fathom_evidence::phrases::phrases;

use super::prose;
use crate::analysis::{Contradiction, Evidence, Finding, Side, Strength};
use crate::critique::Severity;
use crate::plan::SubQuestionId;
use crate::reasoner::SectionTask;
use crate::source::SourceId;

/// Quotes that show the agreement behind one finding, the first included.
const QUOTES_PER_FINDING: usize = 4;

/// Quotes in the list of what single sources say.
const SINGLE_MOST: usize = 8;

/// A section may go beyond its words by this share rather than break off a finding.
const OVER: f64 = 1.15;

/// Key phrases of a person's wish that are looked for.
const WISHES: usize = 6;

/// How the second and further quotes of a paragraph are led in.
const LIKEWISE: [&str; 4] = ["Likewise: ", "In another source: ", "Elsewhere: ", "Also: "];

/// Writes a section.
pub fn write_section(task: &SectionTask<'_>) -> String {
    let mut writer = Writer::new(task);
    writer.ask();
    writer.agreed();
    writer.disputed();
    writer.single();
    writer.open();
    writer.blocks.join("\n\n")
}

struct Writer<'t> {
    task: &'t SectionTask<'t>,
    blocks: Vec<String>,
    words: usize,
    /// What was quoted, so that nothing is said twice.
    said: BTreeSet<(SourceId, Span)>,
    quotes: usize,
}

impl<'t> Writer<'t> {
    fn new(task: &'t SectionTask<'t>) -> Self {
        Self {
            task,
            blocks: Vec::new(),
            words: 0,
            said: earlier(task),
            quotes: 0,
        }
    }

    fn push(&mut self, block: String) {
        self.words += prose::words_in(&block);
        self.blocks.push(block);
    }

    fn has_room(&self, more: usize) -> bool {
        let most = (self.task.words as f64 * OVER) as usize;
        self.quotes == 0 || self.words + more <= most
    }

    /// The question that the section answers.
    fn ask(&mut self) {
        let subs = self.task.section.answers.iter();
        let texts: Vec<&str> = subs
            .filter_map(|id| Some(self.task.plan.sub_question(*id)?.text.as_str()))
            .collect();
        if !texts.is_empty() {
            self.push(format!("*{}*", texts.join(" ")));
        }
    }

    /// What several sources say, each in its own words.
    fn agreed(&mut self) {
        let findings: Vec<&Finding> = self
            .findings()
            .filter(|finding| finding.strength >= Strength::Moderate)
            .collect();
        for finding in findings {
            self.finding(finding);
        }
    }

    fn finding(&mut self, finding: &Finding) {
        let task = self.task;
        let members: Vec<&Evidence> = finding
            .evidence
            .iter()
            .filter_map(|at| task.evidence.get(*at))
            .collect();
        let mut seen = BTreeSet::new();
        let shown: Vec<&Evidence> = members
            .into_iter()
            .filter(|one| {
                !self.is_said(one) && !refused(task, &one.quote) && seen.insert(one.source)
            })
            .take(QUOTES_PER_FINDING)
            .collect();
        let total = sources(task, finding);
        let mut text = String::new();
        for (nth, one) in shown.iter().enumerate() {
            let quote = prose::quote(&one.quote, &[one.source]);
            if nth == 1 && total >= 2 {
                text.push_str(&format!(" {}", prose::agree(total)));
            }
            let lead = match nth {
                0 => String::new(),
                _ => format!(" {}", self.lead(one, nth)),
            };
            let more = prose::words_in(&text) + prose::words_in(&quote);
            if nth > 0 && !self.has_room(more) {
                break;
            }
            text.push_str(&lead);
            text.push_str(&quote);
        }
        if !text.is_empty() && self.has_room(prose::words_in(&text)) {
            for one in shown {
                self.said.insert((one.source, one.span));
                self.quotes += 1;
            }
            self.push(text);
        }
    }

    /// The words before a quote that says the same as the one before.
    fn lead(&self, one: &Evidence, nth: usize) -> String {
        let source = self
            .task
            .sources
            .iter()
            .find(|source| source.id == one.source);
        let kind = source.and_then(|source| prose::kind_of_work(source));
        match kind {
            Some(kind) if nth % 2 == 1 => format!("From {kind}: "),
            _ => LIKEWISE[(self.quotes + nth) % LIKEWISE.len()].to_owned(),
        }
    }

    /// Conflicts, both sides quoted.
    fn disputed(&mut self) {
        let task = self.task;
        let own: Vec<&Contradiction> = task
            .analysis
            .contradictions
            .iter()
            .filter(|found| belongs(task, found))
            .collect();
        for found in own {
            let sides = [&found.left, &found.right];
            let quotes = sides.map(|side| prose::quote(&side.quote, &[side.source]));
            let weighed = match &found.weighed {
                Some(weighed) => weighed.clone(),
                None => "This report leaves it open which of them holds.".to_owned(),
            };
            let block = format!(
                "The sources disagree here:\n\n- {}\n- {}\n\n{weighed}",
                quotes[0], quotes[1]
            );
            if !self.has_room(prose::words_in(&block)) {
                continue;
            }
            self.said.extend(sides.map(|side| (side.source, side.span)));
            self.quotes += 2;
            self.push(block);
        }
    }

    /// What one source says alone.
    fn single(&mut self) {
        let task = self.task;
        let mut items = Vec::new();
        let mut words = 0;
        let mut own: Vec<&Evidence> = self.single_evidence();
        prefer(task, &mut own);
        for one in own {
            let quote = prose::quote(&one.quote, &[one.source]);
            let more = prose::words_in(&quote);
            if items.len() >= SINGLE_MOST
                || self.is_said(one)
                || refused(task, &one.quote)
                || !self.has_room(words + more)
            {
                continue;
            }
            words += more;
            self.said.insert((one.source, one.span));
            self.quotes += 1;
            items.push(quote);
        }
        match items.as_slice() {
            [] => {}
            [only] => self.push(format!("One source only. {only}")),
            several => {
                let list: Vec<String> = several.iter().map(|item| format!("- {item}")).collect();
                self.push(format!(
                    "Each of these is said by one source alone:\n\n{}",
                    list.join("\n")
                ));
            }
        }
    }

    /// Evidence on the section's questions: that of weak findings first, then the rest in its order.
    fn single_evidence(&self) -> Vec<&'t Evidence> {
        let task = self.task;
        let weak = task
            .analysis
            .findings
            .iter()
            .filter(|f| answers(task, f.answers));
        let leads = weak.filter_map(|finding| finding.evidence.first());
        let leads = leads.filter_map(|at| task.evidence.get(*at));
        let rest = task
            .evidence
            .iter()
            .filter(|one| answers(task, one.answers));
        leads.chain(rest).collect()
    }

    /// What is missing, in a sentence about the sources.
    fn open(&mut self) {
        let task = self.task;
        let gap = task
            .analysis
            .gaps
            .iter()
            .any(|gap| answers(task, gap.answers));
        if self.quotes == 0 {
            self.push("No source read here answers this.".to_owned());
        } else if gap {
            self.push("None of the sources read settles this alone, and none is borne out by enough others.".to_owned());
        }
    }

    fn findings(&self) -> impl Iterator<Item = &'t Finding> {
        let task = self.task;
        let all = task.analysis.findings.iter();
        all.filter(move |finding| answers(task, finding.answers))
    }

    fn is_said(&self, one: &Evidence) -> bool {
        let mut said = self.said.iter();
        said.any(|(source, span)| *source == one.source && span.overlaps(one.span))
    }
}

fn answers(task: &SectionTask<'_>, id: SubQuestionId) -> bool {
    task.section.answers.contains(&id)
}

/// What sections before this one quote: sections are written side by side, so it is told by rule.
fn earlier(task: &SectionTask<'_>) -> BTreeSet<(SourceId, Span)> {
    let before = task.plan.sections.get(..task.place).unwrap_or_default();
    let ids: BTreeSet<SubQuestionId> = before
        .iter()
        .flat_map(|s| s.answers.iter().copied())
        .collect();
    let own = |one: &&Evidence| ids.contains(&one.answers);
    task.evidence
        .iter()
        .filter(own)
        .map(|one| (one.source, one.span))
        .collect()
}

/// A contradiction belongs to the first sub-question that has one of its sides.
fn belongs(task: &SectionTask<'_>, found: &Contradiction) -> bool {
    let is =
        |side: &Side, one: &Evidence| side.source == one.source && side.span.overlaps(one.span);
    let touching = task
        .evidence
        .iter()
        .filter(|one| is(&found.left, one) || is(&found.right, one));
    let first = touching.map(|one| one.answers).min();
    first.is_some_and(|id| answers(task, id))
}

fn sources(task: &SectionTask<'_>, finding: &Finding) -> usize {
    let evidence = finding
        .evidence
        .iter()
        .filter_map(|at| task.evidence.get(*at));
    prose::sources_of(evidence).len()
}

/// Whether a reviewer found these words wanting in the text that is revised.
fn refused(task: &SectionTask<'_>, quote: &str) -> bool {
    let Some(revision) = &task.revision else {
        return false;
    };
    let grave = revision
        .items
        .iter()
        .filter(|item| item.severity >= Severity::Major);
    let head: String = quote.chars().take(60).collect();
    grave
        .into_iter()
        .any(|item| item.description.contains(&head))
}

/// Evidence that holds what a person asked for comes first.
fn prefer(task: &SectionTask<'_>, evidence: &mut [&Evidence]) {
    let Some(wish) = task
        .revision
        .as_ref()
        .and_then(|revision| revision.feedback)
    else {
        return;
    };
    let wanted: Vec<String> = phrases(&[wish], WISHES)
        .into_iter()
        .map(|phrase| phrase.text.to_lowercase())
        .collect();
    evidence.sort_by_key(|one| {
        let lower = one.quote.to_lowercase();
        let held = wanted
            .iter()
            .filter(|phrase| lower.contains(phrase.as_str()))
            .count();
        std::cmp::Reverse(held)
    });
}
