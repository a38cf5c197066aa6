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
    /// The opening answer. Sections, and summary and conclusion, are asked for in the same form.
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
            judgement: match schema {
                Some("sentences") | None => by_words(&system, &user),
                Some(name) => by_schema(name),
            },
            system,
            user,
            body,
        }
    }

    /// The answer of a model that does its work.
    pub fn sensible(&self) -> Reply {
        match self.judgement {
            Judgement::Plan => Reply::Json(self.plan()),
            Judgement::Action => Reply::action("web_search", Some("cooling effect of trees"), None),
            Judgement::Analysis => Reply::Json(self.analysis()),
            Judgement::Section | Judgement::Frame | Judgement::Sentences => self.sentences(4),
            Judgement::Review => Reply::Json(review(8.6)),
            Judgement::Support => self.verdicts(|_| "supported"),
            Judgement::Rephrase => Reply::rephrased(&["street trees"], ""),
            Judgement::Relevance => self.relevance(|_| 10.0),
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

    /// A finding for each sub-question, in the words of a passage.
    pub fn analysis(&self) -> Value {
        let asked = self
            .user
            .lines()
            .skip_while(|line| !line.starts_with("Task:"));
        let count = asked
            .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
            .count();
        let findings: Vec<Value> = (1..=count)
            .zip(self.passages().into_iter().cycle())
            .map(|(sub_question, (number, text))| {
                json!({
                    "evidence": [number], "statement": text, "sub_question": sub_question,
                    "confidence": 0.9,
                })
            })
            .collect();
        json!({
            "findings": findings, "themes": [], "contradictions": [], "gaps": [],
            "sufficient": true, "reason": "Each sub-question has evidence.", "answered": "yes",
            "confidence": 0.9,
        })
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

    /// The number of the first passage with these words.
    pub fn passage_with(&self, words: &str) -> Option<u64> {
        let passages = self.passages().into_iter();
        let mut with = passages.filter(|(_, text)| text.contains(words));
        with.next().map(|(number, _)| number)
    }

    /// The first sentence of each of the first passages, quoted and resting on it.
    pub fn sentences(&self, most: usize) -> Reply {
        let first = |text: &str| {
            let sentence = text.split(". ").next().unwrap_or_default();
            format!("“{}”", sentence.trim_end_matches('.'))
        };
        let passages = self.passages().into_iter().take(most);
        let sentences: Vec<(u64, String)> = passages
            .map(|(number, text)| (number, first(text)))
            .collect();
        let sentences: Vec<(&[u64], &str)> = sentences
            .iter()
            .map(|(number, text)| (std::slice::from_ref(number), text.as_str()))
            .collect();
        Reply::sentences(&sentences)
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
}

fn by_schema(name: &str) -> Judgement {
    match name {
        "plan" => Judgement::Plan,
        "action" => Judgement::Action,
        "analysis" => Judgement::Analysis,
        "review" => Judgement::Review,
        "support" => Judgement::Support,
        "rephrased" => Judgement::Rephrase,
        "relevance" => Judgement::Relevance,
        _ => Judgement::Sentences,
    }
}

/// An endpoint that was seen to break its schema is asked without one, so the words must tell.
fn by_words(system: &str, user: &str) -> Judgement {
    let instructions = [
        ("You plan research", Judgement::Plan),
        ("A search found too little", Judgement::Action),
        ("You review a draft", Judgement::Review),
        ("You check whether sentences", Judgement::Support),
        ("You put a question", Judgement::Rephrase),
    ];
    let tasks = [
        ("Task: judge each passage", Judgement::Relevance),
        ("Task: say what the passages show", Judgement::Analysis),
        ("Task: Write the section", Judgement::Section),
        ("Task: Write the summary", Judgement::Frame),
        ("Task: Write the conclusion", Judgement::Frame),
    ];
    let mut found = instructions
        .iter()
        .filter(|(words, _)| system.starts_with(words));
    let mut asked = tasks.iter().filter(|(words, _)| user.contains(words));
    let found = found.next().or_else(|| asked.next());
    found.map_or(Judgement::Sentences, |(_, judgement)| *judgement)
}

/// A review with the same score throughout; a poor one names something that is wrong with the whole.
pub(crate) fn review(score: f64) -> Value {
    let item = json!({
        "category": "completeness", "severity": "major", "place": "whole",
        "description": "It leaves too much out.", "fix": "Say more.",
    });
    let items: Vec<Value> = (score < 7.5).then_some(item).into_iter().collect();
    json!({
        "accuracy": score, "completeness": score, "coherence": score, "citation": score,
        "methodology": score, "style": score, "items": items, "summary": "Read.",
    })
}

impl Reply {
    /// A question in other words, and a likely answer.
    pub fn rephrased(phrasings: &[&str], likely: &str) -> Self {
        Self::Json(json!({ "terms": [], "phrasings": phrasings, "likely": likely }))
    }

    /// Sentences, each resting on passages.
    pub fn sentences(sentences: &[(&[u64], &str)]) -> Self {
        let sentence = |(evidence, text): &(&[u64], &str)| json!({ "evidence": evidence, "text": text, "kind": "fact" });
        let sentences: Vec<Value> = sentences.iter().map(sentence).collect();
        Self::Json(json!({ "sentences": sentences, "answered": "yes", "missing": "" }))
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
