//! An answer as Markdown: the answer first, then the passages with their places, then how it was found.
//!
//! Words from documents are escaped, so no passage or title can add a heading, a link or raw HTML.

use super::words::AnswerWords;
use super::{Answer, AnswerSentence, AnswerSource, Answered, notes};
use crate::markdown::escape::{code, opening as block_opening, text};
use crate::phrases::Phrases;
use crate::{SourceId, clean};

/// The whole text.
pub fn markdown(answer: &Answer) -> String {
    let mut out = format!("# {}\n\n", text(&clean::line(&answer.question)));
    out.push_str(&opening(answer));
    if !answer.sources.is_empty() {
        let sources = Phrases::new(answer.language).sources;
        out.push_str(&format!("\n## {sources}\n"));
    }
    for source in &answer.sources {
        out.push_str(&format!("\n{}", one_source(answer, source)));
    }
    out.push_str("\n---\n");
    for line in notes::footnotes(answer) {
        out.push_str(&format!("\n*{}*\n", text(&line)));
    }
    out
}

/// What a reader came for: the answer, whether it is one, and what to be wary of.
pub fn opening(answer: &Answer) -> String {
    let mut blocks = Vec::new();
    if let Some(understood) = &answer.understood_as {
        let words = AnswerWords::new(answer.language).understood_as;
        blocks.push(format!("*{words} {}*", text(&clean::line(understood))));
    }
    let verdict = bold_beginning(&text(&notes::verdict(answer)));
    // That there is no answer is said before what merely comes near.
    if answer.answered == Answered::No || !answer.is_answer() {
        blocks.push(verdict);
        blocks.extend(sentences(answer));
    } else {
        blocks.extend(sentences(answer));
        blocks.push(verdict);
    }
    for warning in notes::warnings(answer) {
        blocks.push(format!("> ⚠ {}", text(&warning)));
    }
    format!("{}\n", blocks.join("\n\n"))
}

/// Quotes each in a block of their own, written sentences together in one.
fn sentences(answer: &Answer) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut written: Vec<String> = Vec::new();
    for sentence in &answer.sentences {
        let cited = cited(sentence, AnswerWords::new(answer.language).unconfirmed);
        if sentence.quoted {
            blocks.extend(paragraph(&mut written));
            blocks.push(format!("> {cited}"));
        } else {
            written.push(cited);
        }
    }
    blocks.extend(paragraph(&mut written));
    blocks
}

fn paragraph(written: &mut Vec<String>) -> Option<String> {
    let sentences = std::mem::take(written);
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn cited(sentence: &AnswerSentence, unconfirmed: &str) -> String {
    let words = block_opening(&text(&clean::line(&sentence.text)));
    let marks = sentence.sources.iter();
    let marks: String = marks
        .map(|SourceId(number)| format!(" [{number}]"))
        .collect();
    if sentence.confirmed {
        format!("{words}{marks}")
    } else {
        format!("{words}{marks} *({unconfirmed})*")
    }
}

fn one_source(answer: &Answer, source: &AnswerSource) -> String {
    let title = clean::name(&source.title);
    let title = if title.is_empty() || title == source.location {
        String::new()
    } else {
        format!("**{}** · ", text(&title))
    };
    let place = notes::place(source, answer.language);
    let location = clean::line(&source.location);
    let rest = place.strip_prefix(&location).unwrap_or_default();
    let passage = text(&clean::line(&source.passage));
    format!(
        "[{}] {title}{}{}\n\n> {}\n",
        source.number.0,
        code(&location),
        text(rest),
        block_opening(&passage)
    )
}

/// The first sentence of a verdict set off from its reason.
fn bold_beginning(verdict: &str) -> String {
    match verdict.split_once(". ") {
        Some((first, rest)) => format!("**{first}.** {rest}"),
        None => format!("**{verdict}**"),
    }
}
