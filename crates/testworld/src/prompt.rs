//! What the model is asked, read back out of the prompt, and the answers that a sensible model would give.

use serde_json::{Value, json};

use crate::script::Reply;

/// What a prompt asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Judgement {
    Plan,
    Action,
    Analysis,
    Section,
    Frame,
    Review,
    Support,
    Rephrase,
    Relevance,
    Sentences,
}

#[derive(Clone, Debug)]
pub struct Prompt {
    pub judgement: Judgement,
    pub system: String,
    pub user: String,
    /// The request as it came over the wire.
    pub body: String,
}

impl Prompt {
    /// Reads a request for a chat completion.
    pub(crate) fn read(request: &Value, body: String) -> Self {
        let message = |role: &str| {
            let messages = request["messages"].as_array();
            let of_role = messages
                .into_iter()
                .flatten()
                .filter(|message| message["role"] == role);
            let texts: Vec<&str> = of_role
                .filter_map(|message| message["content"].as_str())
                .collect();
            texts.join("\n")
        };
        let schema = request["response_format"]["json_schema"]["name"].as_str();
        let (system, user) = (message("system"), message("user"));
        Self {
            judgement: schema.map_or_else(|| by_words(&system, &user), by_schema),
            system,
            user,
            body,
        }
    }

    pub(crate) fn sensible(&self) -> Reply {
        match self.judgement {
            Judgement::Plan => Reply::Json(self.plan()),
            Judgement::Action => Reply::action("web_search", Some("cooling effect of trees"), None),
            Judgement::Analysis => Reply::Json(self.analysis()),
            Judgement::Section => Reply::Text(self.section()),
            Judgement::Frame => Reply::Json(self.frame()),
            Judgement::Review => Reply::Json(review(8.6)),
            Judgement::Support => self.verdicts(|_| "supported"),
            Judgement::Rephrase => Reply::rephrased(&["street trees"], ""),
            Judgement::Relevance => self.relevance(|_| 10.0),
            Judgement::Sentences => self.sentences(3),
        }
    }

    /// A plan of three aspects, each with a query and a section.
    pub fn plan(&self) -> Value {
        let kind = if self.system.contains("one of: local)") {
            "local"
        } else {
            "web"
        };
        let aspects = ["cooling", "water", "cost"];
        let sub_questions: Vec<Value> = aspects
            .iter()
            .map(|aspect| json!({ "text": format!("What is known about the {aspect} of street trees?"), "needs": [] }))
            .collect();
        let queries: Vec<Value> = (1..)
            .zip(aspects)
            .map(|(number, aspect)| {
                json!({
                    "text": format!("street trees {aspect}"), "intent": aspect, "kind": kind,
                    "priority": number, "serves": number,
                })
            })
            .collect();
        let sections: Vec<Value> = (1..)
            .zip(aspects)
            .map(
                |(number, aspect)| json!({ "title": format!("The {aspect}"), "answers": [number] }),
            )
            .collect();
        json!({
            "understanding": "It asks for facts.", "decomposition": "By aspect.", "strategy": "Search each.",
            "outline": "A section each.", "risks": "None seen.", "sub_questions": sub_questions,
            "queries": queries, "sections": sections, "methodology": "Read and compare.",
            "confidence": 0.8, "warnings": [], "depth": null,
        })
    }

    /// A finding for each sub-question that has evidence, in the words of its first piece.
    pub fn analysis(&self) -> Value {
        let mut findings: Vec<Value> = Vec::new();
        let mut seen = Vec::new();
        for piece in self.user.lines().filter_map(piece) {
            if !seen.contains(&piece.answers) {
                seen.push(piece.answers);
                findings.push(json!({
                    "statement": piece.quote, "sub_question": piece.answers,
                    "evidence": [piece.number], "confidence": 0.9,
                }));
            }
        }
        json!({
            "findings": findings, "themes": [], "contradictions": [], "gaps": [],
            "sufficient": true, "reason": "Each sub-question has evidence.", "answered": "yes",
            "confidence": 0.9,
        })
    }

    /// Every piece of evidence, quoted and cited.
    fn section(&self) -> String {
        let cited = self.user.lines().filter_map(|line| {
            let (id, quote) = line.strip_prefix('[')?.split_once("] “")?;
            Some(format!("“{}” [{id}].", quote.strip_suffix('”')?))
        });
        let cited: Vec<String> = cited.take(4).collect();
        match cited.is_empty() {
            true => "The sources say nothing on this.".to_owned(),
            false => cited.join(" "),
        }
    }

    /// A verdict on each sentence that is to be held against its passages, with a quote from them.
    pub fn verdicts(&self, verdict: impl Fn(&str) -> &'static str) -> Reply {
        let mut verdicts: Vec<Value> = Vec::new();
        for line in self.user.lines() {
            let passage = line.trim_start().strip_prefix("passage: “");
            if let (Some(passage), Some(last)) = (passage, verdicts.last_mut()) {
                // The words that a careful reader would give: the beginning of the last passage.
                let words: Vec<&str> = passage.trim_end_matches('”').split(' ').take(8).collect();
                last["quote"] = json!(words.join(" "));
            }
            let numbered = line
                .strip_prefix('(')
                .and_then(|rest| rest.split_once(") "));
            if let Some((number, sentence)) = numbered
                && let Ok(number) = number.parse::<u64>()
            {
                let verdict = verdict(sentence);
                verdicts.push(json!({ "number": number, "quote": "", "because": "as scripted", "verdict": verdict }));
            }
        }
        Reply::Json(json!({ "verdicts": verdicts }))
    }

    /// The passages of a task over passages: the number and the words of each.
    pub fn passages(&self) -> Vec<(u64, &str)> {
        let passage = |line: &'_ str| -> Option<(u64, usize)> {
            let (number, rest) = line.strip_prefix('(')?.split_once(") ")?;
            let (_, text) = rest.split_once(": ")?;
            Some((number.parse().ok()?, line.len() - text.len()))
        };
        let lines = self.user.lines();
        lines
            .filter_map(|line| passage(line).map(|(number, from)| (number, &line[from..])))
            .collect()
    }

    /// The first sentence of each of the first passages, resting on it.
    pub fn sentences(&self, most: usize) -> Reply {
        let first = |text: &str| {
            format!(
                "{}.",
                text.split(". ")
                    .next()
                    .unwrap_or_default()
                    .trim_end_matches('.')
            )
        };
        let passages = self.passages().into_iter().take(most);
        let sentences: Vec<Value> = passages
            .map(|(number, text)| json!({ "evidence": [number], "text": first(text), "kind": "fact" }))
            .collect();
        Reply::Json(json!({ "sentences": sentences, "answered": "yes", "missing": "" }))
    }

    /// A score for each passage, with its first words.
    pub fn relevance(&self, score: impl Fn(&str) -> f64) -> Reply {
        let words = |text: &str| text.split(' ').take(6).collect::<Vec<_>>().join(" ");
        let passages = self.passages().into_iter();
        let judged: Vec<Value> = passages
            .map(|(number, text)| json!({ "number": number, "quote": words(text), "score": score(text) }))
            .collect();
        Reply::Json(json!({ "passages": judged }))
    }

    /// The first cited sentence of each section.
    fn frame(&self) -> Value {
        let sentences: Vec<&str> = self
            .user
            .lines()
            .filter(|line| line.starts_with('“'))
            .filter_map(|line| line.split_inclusive("].").next())
            .collect();
        json!({
            "answer": sentences.first().copied().unwrap_or_default(),
            "title": "What is known about street trees",
            "summary": sentences.join(" "),
            "conclusion": sentences.first().copied().unwrap_or("The sources say nothing on this."),
        })
    }
}

fn by_schema(name: &str) -> Judgement {
    match name {
        "plan" => Judgement::Plan,
        "action" => Judgement::Action,
        "analysis" => Judgement::Analysis,
        "frame" => Judgement::Frame,
        "review" => Judgement::Review,
        "support" => Judgement::Support,
        "rephrased" => Judgement::Rephrase,
        "relevance" => Judgement::Relevance,
        "sentences" => Judgement::Sentences,
        _ => Judgement::Section,
    }
}

/// An endpoint that was seen to break its schema is asked without one, so the words must tell.
fn by_words(system: &str, user: &str) -> Judgement {
    let begins = [
        ("You plan research", Judgement::Plan),
        ("A search found too little", Judgement::Action),
        ("You weigh evidence", Judgement::Analysis),
        ("You write what stands before", Judgement::Frame),
        ("You review a draft", Judgement::Review),
        ("You check whether sentences", Judgement::Support),
        ("You put a question", Judgement::Rephrase),
    ];
    if system.starts_with("You help to answer") {
        return match user.contains("Task: judge each passage") {
            true => Judgement::Relevance,
            false => Judgement::Sentences,
        };
    }
    let found = begins.iter().find(|(words, _)| system.starts_with(words));
    found.map_or(Judgement::Section, |(_, judgement)| *judgement)
}

/// A review with the same score throughout.
pub(crate) fn review(score: f64) -> Value {
    json!({
        "accuracy": score, "completeness": score, "coherence": score, "citation": score,
        "methodology": score, "style": score, "items": [], "summary": "Read.",
    })
}

impl Reply {
    /// A question in other words, and a likely answer.
    pub fn rephrased(phrasings: &[&str], likely: &str) -> Self {
        Self::Json(json!({ "terms": [], "phrasings": phrasings, "likely": likely }))
    }

    /// A review with the same score throughout.
    pub fn review(score: f64) -> Self {
        Self::Json(review(score))
    }

    /// What to do next about a query that found too little.
    pub fn action(action: &str, query: Option<&str>, result: Option<u32>) -> Self {
        Self::Json(json!({
            "why": "as scripted", "action": action, "query": query, "result": result,
        }))
    }
}

struct Piece<'a> {
    number: u64,
    answers: u64,
    quote: &'a str,
}

/// `(3) for sub-question 2, source [7]: “…”`
fn piece(line: &str) -> Option<Piece<'_>> {
    let (number, rest) = line.strip_prefix('(')?.split_once(") for sub-question ")?;
    let (answers, rest) = rest.split_once(", source [")?;
    let (_, quote) = rest.split_once("]: “")?;
    Some(Piece {
        number: number.parse().ok()?,
        answers: answers.parse().ok()?,
        quote: quote.strip_suffix('”')?,
    })
}
