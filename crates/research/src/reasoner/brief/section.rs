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
use crate::words;

/// Quotes that show the agreement behind one finding, the first included.
const QUOTES_PER_FINDING: usize = 4;

/// Quotes in the list of what single sources say.
const SINGLE_MOST: usize = 4;

/// A section may go beyond its words by this share rather than break off a finding.
const OVER: f64 = 1.15;

/// Key phrases of a person's wish that are looked for.
const WISHES: usize = 6;

/// A sentence that explains a conflict shares so many words of more letters with its sides.
const SHARED_WORDS: usize = 2;
const SHORT_WORD: usize = 4;

const EACH_ALONE: &str = "Each of these comes from a single source:";
const LEFT_OPEN: &str = "This report does not decide between them.";
const SAID_ALREADY: &str = "The sources read add nothing to what other sections quote.";
const NOT_SETTLED: &str = "None of the sources read settles this.";

/// Writes a section.
pub fn write_section(task: &SectionTask<'_>) -> String {
    let mut writer = SectionWriter::new(task);
    writer.ask();
    writer.agreed();
    writer.disputed();
    writer.single();
    writer.open();
    writer.blocks.join("\n\n")
}

struct SectionWriter<'t> {
    task: &'t SectionTask<'t>,
    blocks: Vec<String>,
    words: usize,
    /// What was quoted, so that nothing is said twice.
    said: BTreeSet<(SourceId, Span)>,
    quotes: usize,
    /// Whether single sources have had their say, which tells that nothing is settled.
    alone: bool,
}

impl<'t> SectionWriter<'t> {
    fn new(task: &'t SectionTask<'t>) -> Self {
        Self {
            task,
            blocks: Vec::new(),
            words: 0,
            said: elsewhere(task),
            quotes: 0,
            alone: false,
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
        let members = finding.evidence.iter();
        let members = members.filter_map(|at| task.evidence.get(*at));
        let mut seen = BTreeSet::new();
        let shown: Vec<&Evidence> = members
            .filter(|one| {
                !self.is_said(one) && !refused(task, &one.quote) && seen.insert(one.source)
            })
            .take(QUOTES_PER_FINDING)
            .collect();
        // What is left of an agreement may be one quote, which is then no agreement.
        if shown.len() < 2 {
            return;
        }
        let quotes: Vec<String> = shown
            .iter()
            .map(|one| prose::quote(&one.quote, &[one.source]))
            .collect();
        let text = format!(
            "{} sources agree:\n\n{}",
            prose::count(shown.len()),
            prose::list(&quotes)
        );
        if self.has_room(prose::words_in(&text)) {
            self.said
                .extend(shown.iter().map(|one| (one.source, one.span)));
            self.quotes += shown.len();
            self.push(text);
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
            let explained = self.explanation(found);
            let why = match (&found.weighed, explained) {
                (Some(weighed), _) => weighed.clone(),
                (None, Some(one)) => format!(
                    "One explains why. {}",
                    prose::quote(&one.quote, &[one.source])
                ),
                (None, None) => LEFT_OPEN.to_owned(),
            };
            let block = format!(
                "{}\n\n- {}\n- {}\n\n{why}",
                found.about, quotes[0], quotes[1]
            );
            if !self.has_room(prose::words_in(&block)) {
                continue;
            }
            self.said.extend(sides.map(|side| (side.source, side.span)));
            if found.weighed.is_none() {
                self.said
                    .extend(explained.map(|one| (one.source, one.span)));
            }
            self.quotes += 2;
            self.push(block);
        }
    }

    /// What one of the two sources says on why they differ.
    fn explanation(&self, found: &Contradiction) -> Option<&'t Evidence> {
        let sides = [&found.left, &found.right];
        self.task.evidence.iter().find(|one| {
            let lower = one.quote.to_lowercase();
            let of_either = sides.iter().any(|side| side.source == one.source);
            let other = !sides.iter().any(|side| is(side, one));
            let explains = || words::all("explains").any(|word| words::holds(&lower, word));
            let near = || shares_words(&lower, &found.left.quote.to_lowercase());
            of_either && other && explains() && near() && !self.is_said(one)
        })
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
        self.alone = !items.is_empty();
        match items.as_slice() {
            [] => {}
            [only] => self.push(format!("One source only. {only}")),
            several => self.push(format!("{EACH_ALONE}\n\n{}", prose::list(several))),
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
        let found = task.evidence.iter().any(|one| answers(task, one.answers));
        if self.quotes == 0 && found {
            self.push(SAID_ALREADY.to_owned());
        } else if self.quotes == 0 {
            self.push("No source read answers this.".to_owned());
        } else if gap && !self.alone {
            self.push(NOT_SETTLED.to_owned());
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

/// What other sections quote: sections are written side by side, so it is told by rule. What several sources
/// say together stands in the section of that finding; all else in the first section that it answers.
fn elsewhere(task: &SectionTask<'_>) -> BTreeSet<(SourceId, Span)> {
    let before = task.plan.sections.get(..task.place).unwrap_or_default();
    let earlier: BTreeSet<SubQuestionId> = before
        .iter()
        .flat_map(|section| section.answers.iter().copied())
        .collect();
    let agreed = task.analysis.findings.iter();
    let agreed = agreed.filter(|finding| finding.strength >= Strength::Moderate);
    let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
    for finding in agreed {
        if answers(task, finding.answers) && !earlier.contains(&finding.answers) {
            own.extend(finding.evidence.iter().copied())
        } else {
            others.extend(finding.evidence.iter().copied())
        }
    }
    let numbered = task.evidence.iter().enumerate();
    let taken = numbered.filter(|(at, one)| {
        others.contains(at) || (earlier.contains(&one.answers) && !own.contains(at))
    });
    let mut taken: BTreeSet<(SourceId, Span)> =
        taken.map(|(_, one)| (one.source, one.span)).collect();
    let disputed = task.analysis.contradictions.iter();
    for found in disputed.filter(|found| !belongs(task, found)) {
        taken.extend([&found.left, &found.right].map(|side| (side.source, side.span)));
    }
    taken
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

fn is(side: &Side, one: &Evidence) -> bool {
    side.source == one.source && side.span.overlaps(one.span)
}

/// Whether two sentences in small letters share so many longer words.
fn shares_words(one: &str, other: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let bare = text.split(|c: char| !c.is_alphanumeric());
        bare.filter(|word| word.len() > SHORT_WORD)
            .map(str::to_owned)
            .collect()
    };
    words(one).intersection(&words(other)).count() >= SHARED_WORDS
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
    let Some(wish) = task.feedback else {
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
