//! The brief itself: the best passages as the answer, then what each source says, in its own words.

use std::collections::BTreeSet;

use fathom_evidence::terms::Terms;
use fathom_evidence::{Language, Span, sentences};
use fathom_render::report::Answered;

use crate::analysis::{Contradiction, Evidence};
use crate::draft::Frame;
use crate::reasoner::{FrameTask, SectionTask};
use crate::skills::locate::excerpt;
use crate::source::{Source, SourceId};

/// A title beyond this many words is cut.
const TITLE_WORDS: usize = 16;

/// A longer passage is cut to the sentences around the one that has most of the question's words.
const PASSAGE_CHARS: usize = 700;

/// Passages that are shown where the documents do not mention the subject: they are near it and no more.
const NEAREST_PASSAGES: usize = 5;

/// Disagreements that are told, and the share of the question's words that each side must have.
const DISAGREEMENTS_MOST: usize = 3;
const DISAGREEMENT_COVERS: f64 = 0.3;

/// Words by which a source says why it differs from another, and the share of a side's words that such a sentence has.
const EXPLAINS: &[&str] = &[
    "conflict",
    "taken into account",
    "explain",
    "differ",
    "unlike",
    "whereas",
    "accounts for",
    "not comparable",
    "does not contradict",
    "the other study",
    "correction",
    "replace",
    "holds for",
];
const EXPLANATION_COVERS: f64 = 0.3;

/// Writes what each source says, the source of the best passage first.
pub fn write_section(task: &SectionTask<'_>) -> String {
    let unanswered = task
        .analysis
        .answered
        .as_ref()
        .is_some_and(|verdict| verdict.answered == Answered::No);
    let most = if unanswered {
        NEAREST_PASSAGES
    } else {
        usize::MAX
    };
    let (terms, text) = (Terms::new(task.language), task.question.text());
    let wanted = excerpt::telling(&terms, text);
    let mut words = 0;
    let mut groups: Vec<(SourceId, Vec<String>)> = Vec::new();
    for piece in task.evidence.iter().take(most) {
        let shown = passage(piece, &terms, &wanted, task.language);
        let quoted = format!("{}{}", place(piece), quote(&shown, piece.source));
        let more = word_count(&quoted);
        if words > 0 && words + more > task.words {
            continue;
        }
        words += more;
        match groups
            .iter_mut()
            .find(|(source, _)| *source == piece.source)
        {
            Some((_, quotes)) => quotes.push(quoted),
            None => groups.push((piece.source, vec![quoted])),
        }
    }
    let group = |(source, quotes): &(SourceId, Vec<String>)| {
        let named = task.sources.iter().find(|known| known.id == *source);
        let name = named.map_or_else(String::new, |source| escaped(Source::name(source)));
        format!("### {name}\n\n{}", quotes.join("\n\n"))
    };
    groups.iter().map(group).collect::<Vec<_>>().join("\n\n")
}

/// Writes the answer, which is quoted, and where sources disagree.
pub fn write_frame(task: &FrameTask<'_>) -> Frame {
    let answered = task.analysis.answered.as_ref();
    let unanswered = answered.is_some_and(|verdict| verdict.answered == Answered::No);
    let quotes = task.analysis.answer.iter().filter(|_| !unanswered);
    let quotes = quotes.map(|one| quote(&one.text, one.source)).collect();
    let answer = within(quotes, task.words, true);
    let left = task.words.saturating_sub(word_count(&answer));
    Frame {
        title: title(task.question.text()),
        summary: within(disagreements(task), left, false),
        answer,
        conclusion: String::new(),
    }
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

/// A passage as it is shown: whole, or the sentences around the best one.
fn passage(
    piece: &Evidence,
    terms: &Terms,
    wanted: &BTreeSet<String>,
    language: Language,
) -> String {
    if piece.quote.len() <= PASSAGE_CHARS {
        return piece.quote.clone();
    }
    let spans = sentences(&piece.quote, language);
    let covered = |span: &Span| {
        let text = span.of(&piece.quote).unwrap_or_default();
        excerpt::coverage(terms, wanted, [text])
    };
    let ranked = spans.iter().enumerate();
    let best = ranked
        .max_by(|(a, one), (b, other)| covered(one).total_cmp(&covered(other)).then(b.cmp(a)));
    let Some((best, _)) = best else {
        return piece.quote.clone();
    };
    let (mut first, mut last) = (best, best);
    let length = |first: usize, last: usize| match (spans.get(first), spans.get(last)) {
        (Some(from), Some(to)) => to.end.saturating_sub(from.start),
        _ => usize::MAX,
    };
    // What follows a sentence explains it more often than what stands before it.
    loop {
        if length(first, last + 1) <= PASSAGE_CHARS {
            last += 1;
        } else if first > 0 && length(first - 1, last) <= PASSAGE_CHARS {
            first -= 1;
        } else {
            break;
        }
    }
    let whole = spans.get(first).zip(spans.get(last));
    let whole = whole.and_then(|(from, to)| Span::new(from.start, to.end).of(&piece.quote));
    whole.unwrap_or(&piece.quote).to_owned()
}

/// The heading above a passage and its page.
fn place(piece: &Evidence) -> String {
    let heading = piece.sections.last().map(|title| escaped(title));
    let page = piece.page.map(|page| format!("p. {page}"));
    let parts: Vec<String> = [heading, page].into_iter().flatten().collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!("#### {}\n\n", parts.join(", "))
    }
}

/// Words of a source set apart, with their citation.
fn quote(words: &str, source: SourceId) -> String {
    format!("> {} [{}]", escaped(words), source.0)
}

/// Words of a source as they stand in Markdown: on one line, without numbers in brackets, which would be read as
/// citations of ours, and without signs that mean something there.
fn escaped(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = without_notes(&line);
    let mut out = String::with_capacity(line.len());
    let mut before = ' ';
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied().unwrap_or(' ');
        let within = before.is_alphanumeric() && next.is_alphanumeric();
        if matches!(letter, '*' | '`' | '<' | '\\') || (letter == '_' && !within) {
            out.push('\\');
        }
        out.push(letter);
        before = letter;
    }
    out
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

/// The conflicts that bear on the question, both sides quoted.
fn disagreements(task: &FrameTask<'_>) -> Vec<String> {
    let terms = Terms::new(task.language);
    let wanted = excerpt::telling(&terms, task.question.text());
    let bears = |found: &&Contradiction| {
        let sides = [&found.left, &found.right];
        let mut shares = sides
            .iter()
            .map(|side| excerpt::coverage(&terms, &wanted, [&side.quote]));
        shares.all(|share| share >= DISAGREEMENT_COVERS)
    };
    let told = task
        .analysis
        .contradictions
        .iter()
        .filter(bears)
        .take(DISAGREEMENTS_MOST);
    let blocks = told.map(|found| {
        let sides = [&found.left, &found.right].map(|side| quote(&side.quote, side.source));
        let explained = explanation(task, found);
        let parts = [found.about.as_str(), &sides[0], &sides[1]].into_iter();
        let why = explained.as_deref().or(found.weighed.as_deref());
        parts.chain(why).collect::<Vec<_>>().join("\n\n")
    });
    blocks.collect()
}

/// What one of the two sources says on why they differ, quoted.
fn explanation(task: &FrameTask<'_>, found: &Contradiction) -> Option<String> {
    let terms = Terms::new(task.language);
    let shared = excerpt::telling(&terms, &found.left.quote);
    let sides = [&found.left, &found.right];
    let near = |source: SourceId| sides.iter().any(|side| side.source == source);
    let pieces = task.evidence.iter().filter(|piece| near(piece.source));
    let mut said = pieces.flat_map(|piece| {
        let spans = sentences(&piece.quote, task.language).into_iter();
        spans.filter_map(move |span| Some((piece.source, span.of(&piece.quote)?)))
    });
    let explains = |(_, text): &(SourceId, &str)| {
        let lower = text.to_lowercase();
        EXPLAINS.iter().any(|word| lower.contains(word))
            && excerpt::coverage(&terms, &shared, [text]) >= EXPLANATION_COVERS
            && sides.iter().all(|side| side.quote != *text)
    };
    let (source, text) = said.find(explains)?;
    Some(quote(text, source))
}
