//! Reads an answer from the program's output and scores it by a question's patterns.
//!
//! The rules are those of `score-answers.py`, which scores the same from outside; rows are written in its form, so that
//! either can score what the other kept. A pattern is a floor: it sees that a fact was said, not what else was said.

use std::sync::LazyLock;

use anyhow::{Context, Result};
use fancy_regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

use super::baseline::TOPS;
use super::questions::TestQuestion;

/// Sentences that say plainly that the documents do not answer, in English, German, Spanish and French.
const REFUSALS: [&str; 16] = [
    r"(documents?|sources?|library|files?|passages?|texts?|pages?|reports?|trials?)( \w+){0,3} (do|does|did) not (say|state|mention|tell|answer|contain|cover|give|address|discuss|include)",
    r"(documents?|sources?|library|files?|passages?|texts?|pages?|reports?|trials?)( \w+){0,3} say(s)? nothing",
    r"\b(no|none of the|neither) (document|source|file|passage|text|page|report|trial|sentence)s?( (here|there|read|found|in the library|in these documents)){0,3} (answer|say|state|mention|tell|give|cover|contain|address)s?\b",
    r"nothing (was found |is said |is stated )?(in|about|on) .{0,60}(documents?|sources?|library|files)",
    r"(is|are|was|were) not (answered|stated|mentioned|covered|said|given|found|discussed) (in|by|anywhere)",
    r"(could|can) ?not (be answered|find|answer)",
    r"\bno answer\b",
    r"(dokumente|quellen|bibliothek|unterlagen|texte)( \w+){0,4} (sagen|nennen|enthalten|geben|beantworten|erwähnen)( \w+){0,6} (nicht|nichts|keine)",
    r"(keine|keines|nichts)( \w+){0,4} (dokumente?|quellen?|unterlagen|passagen?|bibliothek)( \w+){0,4} (beantwortet|sagt|nennt|enthält|gefunden)",
    r"keine antwort",
    r"(documentos|fuentes|biblioteca|textos) no (dicen|dice|mencionan|menciona|responden|contienen|contiene|indican)",
    r"(ningún|ninguna|ninguno)( \w+){0,4} (documentos?|fuentes?|textos?)( \w+){0,4} (responde|dice|menciona|indica|contiene)",
    r"sin respuesta|no (hay|se encontró|se encuentra) (una )?respuesta",
    r"(documents?|sources?|bibliothèque|textes?) ne (disent|dit|mentionnent|répondent|contiennent|contient|précisent)",
    r"(aucun|aucune)( \w+){0,4} (documents?|sources?|textes?|passages?)( \w+){0,4} (ne|n')",
    r"(pas de|aucune) réponse",
];

/// Fields that are false where nothing is answered.
const ANSWERED_FIELDS: [&str; 3] = ["answered", "answerable", "found"];

/// A `status` that means the same.
const UNANSWERED_STATUSES: [&str; 4] = ["no_answer", "unanswered", "not_found", "insufficient"];

/// What came of one question, as it is kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct AnswerRow {
    pub(super) id: String,
    pub(super) question: String,
    /// The exit code; -1 where a signal ended the program.
    pub(super) exit: i32,
    pub(super) seconds: f64,
    pub(super) cpu_s: f64,
    pub(super) peak_mb: u64,
    /// The text that should answer at once.
    pub(super) lead: String,
    /// All text in reading order, the lead first.
    pub(super) whole: String,
    /// What the fields beside the text say of it.
    pub(super) said: Vec<String>,
    pub(super) sources: Vec<String>,
    /// The words of the sources, where they are shown.
    #[serde(default)]
    pub(super) passages: Vec<String>,
    pub(super) errors: String,
    /// `yes`, `partly` or `no`, where the report says.
    #[serde(default)]
    pub(super) answered: Option<String>,
    /// The best passages of plain BM25, best first.
    #[serde(default)]
    pub(super) bm25: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerVerdict {
    Right,
    Wrong,
    /// It was said plainly that the documents do not say, though they do.
    Refused,
}

impl AnswerVerdict {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Refused => "refused",
        }
    }
}

pub(super) struct ScoredAnswer<'r> {
    pub(super) question: &'r TestQuestion,
    pub(super) row: &'r AnswerRow,
    pub(super) at_once: AnswerVerdict,
    pub(super) anywhere: AnswerVerdict,
    /// Whether the file with the answer is among the sources.
    pub(super) found: bool,
    /// Whether the answer stands in the best passages of BM25, for each of [`TOPS`].
    pub(super) bm25: [bool; TOPS.len()],
}

/// What a report says, ready to be scored.
pub(super) struct ReadAnswer {
    pub(super) lead: String,
    pub(super) whole: String,
    pub(super) said: Vec<String>,
    pub(super) sources: Vec<String>,
    pub(super) passages: Vec<String>,
    pub(super) answered: Option<String>,
}

pub(super) struct Scorer {
    refusals: Vec<Regex>,
    first: usize,
}

impl Scorer {
    /// `first` is how many characters count as answered at once.
    pub(super) fn new(first: usize) -> Result<Self> {
        let refusals = REFUSALS.into_iter().map(pattern).collect::<Result<_>>()?;
        Ok(Self { refusals, first })
    }

    pub(super) fn score<'r>(
        &self,
        question: &'r TestQuestion,
        row: &'r AnswerRow,
    ) -> Result<ScoredAnswer<'r>> {
        let mut bm25 = [false; TOPS.len()];
        for (hit, top) in bm25.iter_mut().zip(TOPS) {
            let best = row.bm25.get(..top.min(row.bm25.len())).unwrap_or_default();
            *hit = question.answerable && tells(question, &plain(&best.join("\n")))?;
        }
        let from_evidence = |source: &String| source.ends_with(&question.evidence_file);
        Ok(ScoredAnswer {
            question,
            row,
            at_once: self.judge(question, row, Some(self.first))?,
            anywhere: self.judge(question, row, None)?,
            found: question.answerable && row.sources.iter().any(from_evidence),
            bm25,
        })
    }

    /// Looks at so many characters of an answer, or at the whole of it.
    fn judge(
        &self,
        question: &TestQuestion,
        row: &AnswerRow,
        first: Option<usize>,
    ) -> Result<AnswerVerdict> {
        let (text, head) = (head(&row.whole, first), head(&row.lead, first));
        let refused = row
            .said
            .iter()
            .any(|said| said.contains('=') || self.refuses(said))
            || self.refuses(head);
        if !question.answerable {
            return Ok(if refused {
                AnswerVerdict::Right
            } else {
                AnswerVerdict::Wrong
            });
        }
        if !text.is_empty() && tells(question, text)? {
            return Ok(AnswerVerdict::Right);
        }
        Ok(if refused || text.is_empty() {
            AnswerVerdict::Refused
        } else {
            AnswerVerdict::Wrong
        })
    }

    fn refuses(&self, text: &str) -> bool {
        let refuses = |refusal: &Regex| refusal.is_match(text).unwrap_or(false);
        self.refusals.iter().any(refuses)
    }
}

/// Whether a text has what answers the question.
pub(super) fn tells(question: &TestQuestion, text: &str) -> Result<bool> {
    let mut any = question.gold.is_empty();
    for gold in &question.gold {
        any = any || matches(gold, text)?;
    }
    for gold in &question.gold_all {
        any = any && matches(gold, text)?;
    }
    Ok(any)
}

/// Whether a pattern occurs in a text, without regard to case.
pub(super) fn matches(gold: &str, text: &str) -> Result<bool> {
    let found = pattern(gold)?.is_match(text);
    found.with_context(|| format!("the pattern {gold} cannot be tried"))
}

fn pattern(text: &str) -> Result<Regex> {
    let pattern = Regex::new(&format!("(?i){text}"));
    pattern.with_context(|| format!("{text} is no pattern"))
}

pub(super) fn head(text: &str, first: Option<usize>) -> &str {
    let end = first.and_then(|first| text.char_indices().nth(first));
    end.map_or(text, |(end, _)| &text[..end])
}

/// What is taken out of a text before patterns look at it, and what comes in its place.
static CHANGES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let changes = [
        // Numbers of references.
        (r"\[(\d+(, ?\d+)*)\](\([^)]*\))?", " "),
        (r"(?m)\*\*|__|`|^#+ |^> ", ""),
        (r"(?<![\w*])\*(\w[^*\n]*[\w.!?])\*(?![\w*])", "$1"),
        (r"\s+", " "),
        (r"\s+([,.;:!?])(?=\s|$)", "$1"),
    ];
    let compile = |(from, to)| (Regex::new(from).expect("the patterns are fixed"), to);
    changes.into_iter().map(compile).collect()
});

/// Evens out typography, Markdown marks and white space, so that patterns need not know of them.
pub(super) fn plain(text: &str) -> String {
    let sign = |c: char| match c {
        '‘' | '’' | '‚' => '\'',
        '“' | '”' | '„' => '"',
        '–' | '—' | '−' | '‑' => '-',
        other => other,
    };
    let mut text: String = text.nfkc().map(sign).collect();
    for (from, to) in CHANGES.iter() {
        text = from.replace_all(&text, *to).into_owned();
    }
    text.trim().to_owned()
}

/// Reads the result from what the program printed: the whole as JSON, or its last line that is, or plain text.
pub(super) fn parse_output(output: &str) -> ReadAnswer {
    let result = result(output);
    let report = ["report", "result", "output"];
    let report = report.iter().map(|key| &result[*key]);
    let report = report.into_iter().find(|value| value.is_object());
    let report = report.unwrap_or(&Value::Null);
    let (mut lead, mut rest, mut said) = (vec![], vec![], vec![]);
    let (mut sources, mut passages) = (vec![], vec![]);
    for place in [&result, report] {
        for key in ["answer", "short_answer", "summary", "abstract"] {
            strings(&place[key], &mut lead);
        }
    }
    for place in [&result, report] {
        for key in [
            "findings",
            "sections",
            "body",
            "conclusion",
            "report",
            "markdown",
            "text",
        ] {
            if !place[key].is_object() {
                strings(&place[key], &mut rest);
            }
        }
    }
    for place in [&result, report, &report["answer"], &result["answer"]] {
        said_beside(place, &mut said);
    }
    for place in [&result, report, &result["answer"]] {
        for key in ["sources", "citations"] {
            let listed = place[key].as_array().into_iter().flatten();
            sources.extend(listed.clone().map(location));
            let shown = listed.filter_map(|one| one["passage"].as_str());
            passages.extend(shown.map(str::to_owned));
        }
    }
    let lead = plain(&distinct(lead).join("\n"));
    let mut whole = vec![lead.clone()];
    whole.extend(distinct(rest));
    let answered = [&report["answer"]["answered"], &result["answer"]["answered"]];
    let answered = answered.into_iter().find_map(Value::as_str);
    ReadAnswer {
        whole: plain(&whole.join("\n")),
        lead,
        said,
        sources,
        passages,
        answered: answered.map(str::to_owned),
    }
}

/// The last JSON object, by preference the one marked as the result.
fn result(output: &str) -> Value {
    let as_text = || serde_json::json!({ "answer": output });
    if output.trim().is_empty() {
        return Value::Null;
    }
    match serde_json::from_str::<Value>(output) {
        Ok(whole) if whole.is_object() => return whole,
        Ok(_) => return as_text(),
        Err(_) => {}
    }
    let objects = output.lines().filter(|line| line.starts_with('{'));
    let objects = objects.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let is_result = |value: &Value| value["event"] == "result";
    let last = objects.reduce(|last, next| {
        if is_result(&next) || !is_result(&last) {
            next
        } else {
            last
        }
    });
    last.unwrap_or_else(as_text)
}

/// The readable text in a field.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|one| strings(one, found)),
        Value::Object(_) => {
            for key in [
                "title", "heading", "text", "answer", "markdown", "body", "content",
            ] {
                strings(&value[key], found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What fields say of an answer: that there is none, or a reason.
fn said_beside(place: &Value, said: &mut Vec<String>) {
    for name in ANSWERED_FIELDS {
        if place[name] == false || place[name] == 0 {
            said.push(format!("{name}={}", place[name]));
        }
    }
    let status = &place["status"];
    if let Some(word) = status.as_str()
        && UNANSWERED_STATUSES.contains(&word)
    {
        said.push(format!("status={word}"));
    }
    for inner in status.as_object().into_iter().flat_map(|all| all.values()) {
        let told = if inner.is_object() {
            &inner["reason"]
        } else {
            inner
        };
        strings(told, said);
    }
    strings(&place["reason"], said);
}

/// Where a source lies, as far as it says.
fn location(source: &Value) -> String {
    let named = ["location", "path", "file", "key", "url"];
    let named = named.iter().find_map(|name| source[*name].as_str());
    let place = source.as_str().or(named);
    place.unwrap_or_default().to_owned()
}

fn distinct(mut texts: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    texts
}
