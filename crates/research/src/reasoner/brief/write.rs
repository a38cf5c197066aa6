//! The brief itself: the best passages as the answer, where sources disagree, and what each source says, in its own words.
//!
//! The parts share the length that was asked for: first the answer, then the disagreements, and the passages get the rest.

use std::collections::BTreeSet;

use fathom_evidence::terms::Terms;
use fathom_evidence::{Language, Span, sentences};
use fathom_render::report::Answered;

use super::phrases::Phrases;
use crate::analysis::{Analysis, Contradiction, Evidence};
use crate::draft::Frame;
use crate::question::ReportStyle;
use crate::reasoner::{FrameTask, SectionTask};
use crate::skills::locate::excerpt;
use crate::source::{Source, SourceId};

/// A title beyond this many words is cut.
const TITLE_WORDS: usize = 16;

/// A longer passage is cut to the sentences around the one that has most of the question's words.
const PASSAGE_CHARS: usize = 700;

/// The same where a report is to be read at a glance.
const GLANCE_CHARS: usize = 300;

/// Passages that are shown where the documents do not mention the subject: they are near it and no more.
const NEAREST_PASSAGES: usize = 5;

/// Disagreements that are told.
pub(super) const DISAGREEMENTS_MOST: usize = 3;

/// Of twenty words of a report the answer has at most eight and the disagreements five.
const ANSWER_TWENTIETHS: usize = 8;
const DISAGREEMENT_TWENTIETHS: usize = 5;

/// Words for the title, the verdict and the headings.
const HEADING_WORDS: usize = 20;

/// With fewer words left no further passage is begun.
const PASSAGE_WORDS_LEAST: usize = 15;

/// Writes what each source says, the source of the best passage first.
pub fn write_section(task: &SectionTask<'_>) -> String {
    let frame = frame(task.analysis, task.language, task.report_words);
    let used = word_count(&frame.answer) + word_count(&frame.summary) + HEADING_WORDS;
    let sections = task.plan.sections.len().max(1);
    let words = task.report_words.saturating_sub(used) / sections;
    let blocks = chosen_passages(task, words);
    let name = |source: SourceId| {
        let named = task.sources.iter().find(|known| known.id == source);
        named.map_or_else(String::new, |source| escaped(Source::name(source)))
    };
    match task.question.style {
        ReportStyle::Academic => by_source(&blocks, name),
        ReportStyle::Technical => by_fit(&blocks, name),
        ReportStyle::Executive => at_a_glance(&blocks, name),
    }
}

/// Writes the answer, which is quoted, and where sources disagree.
pub fn write_frame(task: &FrameTask<'_>) -> Frame {
    Frame {
        title: title(task.question.text()),
        ..frame(task.analysis, task.language, task.report_words)
    }
}

/// Answer and disagreements within their shares of the report's words.
fn frame(analysis: &Analysis, language: Language, report_words: usize) -> Frame {
    let quotes = analysis.answer.iter().filter(|_| !is_unanswered(analysis));
    let quotes = quotes.map(|one| quote(&one.text, one.source)).collect();
    let told = analysis.contradictions.iter().take(DISAGREEMENTS_MOST);
    let phrases = Phrases::for_language(language);
    let told = told.map(|found| disagreement(found, phrases)).collect();
    let share = |twentieths: usize| report_words * twentieths / 20;
    Frame {
        title: String::new(),
        answer: within(quotes, share(ANSWER_TWENTIETHS), true),
        summary: within(told, share(DISAGREEMENT_TWENTIETHS), false),
        conclusion: String::new(),
    }
}

fn is_unanswered(analysis: &Analysis) -> bool {
    let verdict = analysis.answered.as_ref();
    verdict.is_some_and(|verdict| verdict.answered == Answered::No)
}

/// Two sides, and what one of their documents says on the difference.
fn disagreement(found: &Contradiction, phrases: &Phrases) -> String {
    let about = match found.about.trim() {
        "" => phrases.disagree,
        about => about,
    };
    let mut parts = vec![about.to_owned()];
    parts.extend([&found.left, &found.right].map(|side| quote(&side.quote, side.source)));
    if let Some(side) = &found.explained {
        parts.push(phrases.explains.to_owned());
        parts.push(quote(&side.quote, side.source));
    }
    parts.join("\n\n")
}

/// A passage as it is shown.
struct ShownPassage<'e> {
    piece: &'e Evidence,
    /// The heading above it and its page; empty where it has neither.
    place: String,
    text: String,
}

impl ShownPassage<'_> {
    fn quoted(&self) -> String {
        quote(&self.text, self.piece.source)
    }
}

/// The passages that fit into so many words, the best first. The best one is always there.
fn chosen_passages<'e>(task: &SectionTask<'e>, words: usize) -> Vec<ShownPassage<'e>> {
    let is_brief = task.question.style == ReportStyle::Executive;
    let chars = if is_brief {
        GLANCE_CHARS
    } else {
        PASSAGE_CHARS
    };
    let most = if is_unanswered(task.analysis) {
        NEAREST_PASSAGES
    } else {
        usize::MAX
    };
    let answers = &task.section.answers;
    let own = |piece: &&Evidence| answers.is_empty() || answers.contains(&piece.answers);
    let reader = PassageReader::new(task);
    let mut left = words;
    let mut sources = BTreeSet::new();
    let mut chosen: Vec<ShownPassage<'e>> = Vec::new();
    for piece in task.evidence.iter().filter(own).take(most) {
        let is_new = !sources.contains(&piece.source);
        if (is_brief && !is_new) || (left < PASSAGE_WORDS_LEAST && !chosen.is_empty()) {
            continue;
        }
        let shown = ShownPassage {
            place: place(piece),
            text: reader.shortened(piece, chars, left),
            piece,
        };
        let known = task.sources.iter().find(|known| known.id == piece.source);
        let heading = known.filter(|_| is_new).map_or("", |known| known.name());
        let more = word_count(&shown.quoted()) + word_count(&shown.place) + word_count(heading);
        if more <= left || chosen.is_empty() {
            left = left.saturating_sub(more);
            sources.insert(piece.source);
            chosen.push(shown);
        }
    }
    chosen
}

/// Every source with its passages in the order in which they stand there.
fn by_source(shown: &[ShownPassage<'_>], name: impl Fn(SourceId) -> String) -> String {
    let mut order: Vec<SourceId> = Vec::new();
    for one in shown {
        if !order.contains(&one.piece.source) {
            order.push(one.piece.source);
        }
    }
    let mut blocks = Vec::new();
    for source in order {
        let title = name(source);
        let mut own: Vec<_> = shown
            .iter()
            .filter(|one| one.piece.source == source)
            .collect();
        own.sort_by_key(|one| one.piece.span);
        let mut before = title.clone();
        blocks.push(format!("### {title}"));
        for one in own {
            if one.place != before && !one.place.is_empty() {
                blocks.push(format!("#### {}", one.place));
            }
            before.clone_from(&one.place);
            blocks.push(one.quoted());
        }
    }
    blocks.join("\n\n")
}

/// The passages as they fit, each under the place where it is looked up.
fn by_fit(shown: &[ShownPassage<'_>], name: impl Fn(SourceId) -> String) -> String {
    let blocks = shown.iter().map(|one| {
        let parts = [name(one.piece.source), one.place.clone()];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        let mut parts: Vec<String> = parts.collect();
        parts.dedup();
        format!("### {}\n\n{}", parts.join(" › "), one.quoted())
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}

/// One passage a source.
fn at_a_glance(shown: &[ShownPassage<'_>], name: impl Fn(SourceId) -> String) -> String {
    let blocks = shown.iter();
    let blocks = blocks.map(|one| format!("### {}\n\n{}", name(one.piece.source), one.quoted()));
    blocks.collect::<Vec<_>>().join("\n\n")
}

/// The texts that fit into so many words, in their order. The first can be kept whatever its length.
fn within(texts: Vec<String>, most: usize, keep_first: bool) -> String {
    let mut words = 0;
    let mut kept: Vec<String> = Vec::new();
    for text in texts {
        let more = word_count(&text);
        if words + more <= most || (keep_first && kept.is_empty()) {
            words += more;
            kept.push(text);
        }
    }
    kept.join("\n\n")
}

fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}

fn title(question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().collect();
    let cut = words.len() > TITLE_WORDS;
    let kept = words.get(..TITLE_WORDS).unwrap_or(&words).join(" ");
    let mut letters = kept.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    let more = if cut { "…" } else { "" };
    format!("{first}{}{more}", letters.as_str())
}

/// Finds the sentences of a passage that bear on the question.
struct PassageReader {
    terms: Terms,
    wanted: BTreeSet<String>,
    language: Language,
}

impl PassageReader {
    fn new(task: &SectionTask<'_>) -> Self {
        let terms = Terms::new(task.language);
        Self {
            wanted: excerpt::telling(&terms, task.question.text()),
            terms,
            language: task.language,
        }
    }

    /// A passage as it is shown: whole, or as many sentences around its best one as fit.
    fn shortened(&self, piece: &Evidence, most_chars: usize, most_words: usize) -> String {
        let fits = |text: &str| text.len() <= most_chars && word_count(text) <= most_words;
        if fits(&piece.quote) {
            return piece.quote.clone();
        }
        let spans = sentences(&piece.quote, self.language);
        let covered = |span: &Span| {
            let text = span.of(&piece.quote).unwrap_or_default();
            excerpt::coverage(&self.terms, &self.wanted, [text])
        };
        let ranked = spans.iter().enumerate();
        let best = ranked
            .max_by(|(a, one), (b, other)| covered(one).total_cmp(&covered(other)).then(b.cmp(a)));
        let text = |first: usize, last: usize| {
            let (from, to) = spans.get(first).zip(spans.get(last))?;
            Span::new(from.start, to.end).of(&piece.quote)
        };
        let Some((best, _)) = best else {
            return piece.quote.clone();
        };
        let (mut first, mut last) = (best, best);
        // What follows a sentence explains it more often than what stands before it.
        loop {
            if text(first, last + 1).is_some_and(fits) {
                last += 1;
            } else if first > 0 && text(first - 1, last).is_some_and(fits) {
                first -= 1;
            } else {
                break;
            }
        }
        text(first, last).unwrap_or(&piece.quote).to_owned()
    }
}

/// The heading above a passage and its page.
fn place(piece: &Evidence) -> String {
    let heading = piece.sections.last().map(|title| escaped(title));
    let page = piece.page.map(|page| format!("p. {page}"));
    let parts: Vec<String> = [heading, page].into_iter().flatten().collect();
    parts.join(", ")
}

/// Words of a source set apart, with their citation.
pub(crate) fn quote(words: &str, source: SourceId) -> String {
    format!("> {} [{}]", escaped(words), source.0)
}

/// Words of a source as they stand in Markdown: on one line, without numbers in brackets, which would be read as
/// citations of ours. A word with signs that mean something there is set as code, which shows it as it is.
fn escaped(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = without_notes(&line);
    // A note behind the last full stop would be taken for a sentence, and our citation for its own.
    let mut line = line.as_str();
    while let Some(before) = line.trim_end().strip_suffix("[…]") {
        line = before;
    }
    let words: Vec<String> = line.split(' ').map(shown).collect();
    words.join(" ")
}

fn shown(word: &str) -> String {
    if word.contains('`') {
        // Code cannot hold a backtick so simply, so each sign is escaped instead.
        let signs = word.chars().map(|c| match c {
            '\\' | '`' | '*' | '_' | '<' => format!("\\{c}"),
            _ => c.to_string(),
        });
        signs.collect()
    } else if word.contains(['*', '<', '\\']) || has_outer_underscore(word) {
        format!("`{word}`")
    } else {
        word.to_owned()
    }
}

/// Whether a word has an underscore that stands not between two letters or digits.
fn has_outer_underscore(word: &str) -> bool {
    word.match_indices('_').any(|(at, _)| {
        let before = word[..at].chars().next_back();
        let after = word[at + 1..].chars().next();
        let inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !(inner(before) && inner(after))
    })
}

fn without_notes(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        rest = match after.split_once(']') {
            Some((note, behind)) if is_note(note) => {
                out.push_str("[…]");
                behind
            }
            _ => {
                out.push('[');
                after
            }
        };
    }
    out.push_str(rest);
    out
}

/// Whether only digits and what joins them stand between brackets.
fn is_note(inner: &str) -> bool {
    let sign = |c: char| c.is_ascii_digit() || matches!(c, ',' | ' ' | '-' | '–' | ';' | '^');
    !inner.is_empty() && inner.chars().all(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_a_source_are_left_out_and_none_ends_a_quote() {
        let quoted = quote("Trees cool[2, 3] streets. They do.[4] [5]", SourceId(1));
        assert_eq!(quoted, "> Trees cool[…] streets. They do. [1]");
        assert_eq!(quote("Take trees[i]", SourceId(1)), "> Take trees[i] [1]");
    }

    #[test]
    fn signs_beside_a_backtick_are_escaped() {
        assert_eq!(escaped("a `Vec<T>` of"), r"a \`Vec\<T>\` of");
        assert_eq!(escaped(r"`*a*_b_\`"), r"\`\*a\*\_b\_\\\`");
        assert_eq!(escaped("Vec<T> snake_case"), "`Vec<T>` snake_case");
    }
}
