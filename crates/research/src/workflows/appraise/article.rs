//! The report of a trial, taken apart: its sentences, and the part of the report that each stands in.

use std::sync::LazyLock;

use fathom_evidence::document::ParagraphRole;
use fathom_evidence::passage::{Passage, PassageSettings, passages};
use fathom_evidence::{Document, Span};
use fathom_render::appraisal::AppraisalQuote;
use regex::bytes::Regex;

use super::patterns::{compiled, plain};
use super::state::DocumentRole;

/// The parts that reports of trials have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportPart {
    /// Before the first heading that is known, or in a text without headings.
    Unknown,
    Abstract,
    Introduction,
    Methods,
    Results,
    Discussion,
    /// Funding, registration, competing interests and the like.
    Statements,
    References,
}

/// A report with its sentences in reading order; lists of references are left out.
pub(crate) struct Article {
    pub(crate) sentences: Vec<ArticleSentence>,
    pub(crate) passages: Vec<Passage>,
    /// The parts whose headings were found.
    pub(crate) parts: Vec<ReportPart>,
}

/// One sentence of a report.
pub(crate) struct ArticleSentence {
    pub(crate) span: Span,
    /// As patterns expect it.
    pub(crate) plain: String,
    pub(crate) part: ReportPart,
    pub(crate) page: Option<u32>,
    pub(crate) section: Option<String>,
}

impl Article {
    /// The part of the document that lies within the span.
    pub(crate) fn new(document: &Document, within: Span) -> Self {
        let marks = marks(document);
        let part_at = |offset: usize| {
            let after = marks.partition_point(|(at, _)| *at <= offset);
            let mark = after.checked_sub(1).and_then(|at| marks.get(at));
            mark.map_or(ReportPart::Unknown, |(_, part)| *part)
        };
        let mut cut = passages(document, &PassageSettings::default());
        cut.retain(|passage| {
            within.holds(passage.span)
                && !passage.references
                && part_at(passage.span.start) != ReportPart::References
        });
        let mut sentences = Vec::new();
        for passage in &cut {
            for span in passage
                .sentences
                .iter()
                .flat_map(|span| cut_long(document, *span))
            {
                let Some(text) = document.at(span) else {
                    continue;
                };
                sentences.push(ArticleSentence {
                    span,
                    plain: plain(text),
                    part: part_at(span.start),
                    page: document.page_at(span.start),
                    section: passage.sections.last().cloned(),
                });
            }
        }
        let inside = marks
            .iter()
            .filter(|(at, _)| within.holds(Span::new(*at, *at)));
        Self {
            sentences,
            passages: cut,
            parts: inside.map(|(_, part)| *part).collect(),
        }
    }

    /// The sentences that lie within a stretch of the document.
    pub(crate) fn within(&self, span: Span) -> std::ops::Range<usize> {
        let first = self
            .sentences
            .partition_point(|one| one.span.start < span.start);
        let last = self
            .sentences
            .partition_point(|one| one.span.end <= span.end);
        first..last.max(first)
    }

    /// A sentence as a quote.
    pub(crate) fn quote(
        &self,
        document: &Document,
        role: DocumentRole,
        sentence: usize,
    ) -> Option<AppraisalQuote> {
        let sentence = self.sentences.get(sentence)?;
        Some(AppraisalQuote {
            text: document.at(sentence.span)?.to_owned(),
            span: sentence.span,
            page: sentence.page,
            section: sentence.section.clone(),
            from_protocol: role == DocumentRole::Protocol,
            relaxed: false,
        })
    }
}

impl ArticleSentence {
    /// Whether it speaks of this trial: introductions and discussions mostly speak of others.
    pub(crate) fn is_on_this_trial(&self) -> bool {
        static OWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
            compiled(r"\b(our|this|the present|the current) (trial|study|randomi[sz]ed)|\bwe\b")
        });
        static OTHERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
            compiled(
                r"\bunlike\b|\b(these|those|other|previous|earlier|prior|most) (studies|trials|reports)\b",
            )
        });
        static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
            compiled(
                r"\b(previous|previously published|earlier)\b[^.]{0,60}\b(study|trial)\b|\bprior (published |randomi[sz]ed |clinical )?(study|trial)\b|\b(previous|earlier|prior) ([a-z-]+ ){0,2}(analysis|analyses) of\b",
            )
        });
        let has = |pattern: &LazyLock<Option<Regex>>| {
            let pattern = pattern.as_ref();
            pattern.is_some_and(|one| one.is_match(self.plain.as_bytes()))
        };
        match self.part {
            ReportPart::Abstract | ReportPart::Methods => !has(&BEFORE),
            // Results may be discussed where they are told.
            ReportPart::Results => !has(&BEFORE) && !has(&OTHERS),
            ReportPart::Unknown | ReportPart::Statements => true,
            ReportPart::Introduction | ReportPart::Discussion => has(&OWN) && !has(&OTHERS),
            ReportPart::References => false,
        }
    }
}

/// A sentence of more letters is probably several that the splitter could not tell apart, as after "1) … or 2) …".
const SENTENCE_MOST: usize = 400;

/// A long sentence, cut after each stop that a capital follows.
fn cut_long(document: &Document, span: Span) -> Vec<Span> {
    static STOP: LazyLock<Option<Regex>> =
        LazyLock::new(|| compiled(r"(?-i)[a-z)\]]{2}\. [A-Z][a-z]"));
    let text = document.at(span).unwrap_or_default();
    let stop = STOP.as_ref().filter(|_| text.len() > SENTENCE_MOST);
    let stops = stop
        .into_iter()
        .flat_map(|stop| stop.find_iter(text.as_bytes()));
    let mut starts = vec![0];
    // The match ends with the first two letters of the next sentence.
    starts.extend(stops.map(|found| found.end() - 2));
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let pieces = starts.iter().copied().zip(ends);
    pieces
        .map(|(start, end)| Span::new(span.start + start, span.start + end).trimmed(&document.text))
        .collect()
}

/// The articles that a file holds, each from its first to its last byte. A second one begins where an abstract or an
/// introduction follows a list of references and is itself followed by methods.
pub(crate) fn articles(document: &Document) -> Vec<Span> {
    let marks = marks(document);
    let mut starts = vec![0];
    for (nth, (at, part)) in marks.iter().enumerate() {
        let before = marks.get(..nth).unwrap_or_default();
        let since = before
            .iter()
            .rev()
            .take_while(|(at, _)| Some(at) > starts.last());
        let cited = since
            .into_iter()
            .any(|(_, part)| *part == ReportPart::References);
        let opens = matches!(part, ReportPart::Abstract | ReportPart::Introduction);
        let after = marks.get(nth..).unwrap_or_default();
        let methods = after
            .iter()
            .take(6)
            .any(|(_, part)| *part == ReportPart::Methods);
        if cited && opens && methods {
            starts.push(*at);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([document.text.len()]);
    let spans = starts.iter().copied().zip(ends);
    spans.map(|(start, end)| Span::new(start, end)).collect()
}

/// Where each part begins.
fn marks(document: &Document) -> Vec<(usize, ReportPart)> {
    let mut marks: Vec<(usize, ReportPart)> = Vec::new();
    let mut titled = false;
    for paragraph in &document.paragraphs {
        let Some(text) = document.at(paragraph.span) else {
            continue;
        };
        let first = text.lines().next().unwrap_or_default();
        let heading = paragraph.role == ParagraphRole::Heading;
        // The first heading of a report is its title, which may speak of randomisation and begins no methods.
        if heading && !titled {
            titled = true;
            if names_nothing(first) {
                continue;
            }
        }
        let current = marks.last().map_or(ReportPart::Unknown, |(_, part)| *part);
        if let Some(part) = named_part(first, heading, current)
            && part != current
        {
            marks.push((paragraph.span.start, part));
        }
    }
    marks
}

/// Whether a first heading is a title: it does not begin with the name of a part.
fn names_nothing(heading: &str) -> bool {
    let line = plain(heading);
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || ". ".contains(c));
    let few = line.split(' ').count() <= HEADING_WORDS_MOST;
    let named = NAMED.iter().any(|(name, _)| name.is_match(line.as_bytes()));
    !(few && named)
}

/// Words of headings that name a part wherever they stand.
const NAMES: [(&str, ReportPart); 8] = [
    (
        r"^(structured )?(abstract|summary|synopsis)\b",
        ReportPart::Abstract,
    ),
    (
        r"\b(references|bibliography|literature cited)$",
        ReportPart::References,
    ),
    (
        r"\b(funding|registration|acknowledge?ments?|competing|conflicts? of interest|declarations?|data (sharing|availability)|ethic)",
        ReportPart::Statements,
    ),
    (
        r"\bresults? (and|&) (discussion|conclusions?)\b",
        ReportPart::Results,
    ),
    (
        r"\b(discussion|conclusions?|comment|limitations|interpretation)\b",
        ReportPart::Discussion,
    ),
    (
        r"\b(methods?|methodology|materials?)\b",
        ReportPart::Methods,
    ),
    (
        r"\b(results?|findings)\b|\bbackground (data|characteristics|variables)\b",
        ReportPart::Results,
    ),
    (
        r"\b(introduction|background|objectives?|aims?|rationale)\b",
        ReportPart::Introduction,
    ),
];

/// Words of headings inside the methods.
const INSIDE_METHODS: &str = r"\b(design|participants|patients|subjects|volunteers|study population|recruitment|eligibility|setting|interventions?|allocation|blinding|masking|outcomes?|assessments?|measure(s|ments?)?|sample size|procedures?|analys[ie]s)\b|randomi[sz]|statistic";

/// A longer heading is the subject of a review: "Treatment of patients with unstable angina".
const INSIDE_WORDS_MOST: usize = 6;

static NAMED: LazyLock<Vec<(Regex, ReportPart)>> = LazyLock::new(|| {
    let known = NAMES.into_iter();
    known
        .filter_map(|(words, part)| Some((compiled(words)?, part)))
        .collect()
});
static METHODS: LazyLock<Option<Regex>> = LazyLock::new(|| compiled(INSIDE_METHODS));

/// A line that is no heading by its form names a part only if it is little more than the name.
pub(super) const HEADING_WORDS_MOST: usize = 4;

fn named_part(line: &str, heading: bool, current: ReportPart) -> Option<ReportPart> {
    let line = plain(line);
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || ". ".contains(c));
    // "BODY.METHODS:", as plain texts of articles have it.
    if line.starts_with("abstract.") {
        return Some(ReportPart::Abstract);
    }
    let (line, heading) = match line.strip_prefix("body.") {
        Some(line) => (line, true),
        None => (line, heading),
    };
    let title = line
        .split(':')
        .next()
        .unwrap_or_default()
        .trim_end_matches('.');
    let short = title.split(' ').count() <= HEADING_WORDS_MOST
        && title.len() == line.trim_end_matches([':', '.']).len();
    if title.is_empty() || !(heading || short) {
        return None;
    }
    let bytes = title.as_bytes();
    let mut known = NAMED.iter();
    if let Some((_, part)) = known.find(|(name, _)| name.is_match(bytes)) {
        // The methods of a trial have its objectives under a heading of their own.
        if *part == ReportPart::Introduction && current == ReportPart::Methods {
            return None;
        }
        // Abstracts have parts of their own, under lesser headings.
        let in_abstract = current == ReportPart::Abstract && !heading;
        return Some(if in_abstract && *part != ReportPart::Introduction {
            current
        } else {
            *part
        });
    }
    let before_results = matches!(
        current,
        ReportPart::Unknown | ReportPart::Abstract | ReportPart::Introduction | ReportPart::Methods
    );
    let inside = title.split(' ').count() <= INSIDE_WORDS_MOST
        && METHODS
            .as_ref()
            .is_some_and(|methods| methods.is_match(bytes));
    (heading && before_results && inside).then_some(ReportPart::Methods)
}
