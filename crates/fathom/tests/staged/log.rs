//! A run's own log beside the stage's ledger: which calls were recorded when, under one name for both.
//!
//! The rule that kills and stops are judged by: whenever a process begins to work on a run, the log holds the answers
//! that earlier processes recorded. A call whose answer is in that log must not arrive at the stage again. A call that
//! was under way when a process died, or whose answer had come but was not yet recorded, may arrive once more. Within
//! one process no call arrives twice.

use std::collections::{BTreeMap, BTreeSet};

use fathom_testworld::Call;
use serde_json::Value;

use super::world::World;

/// Answers in the log: the step and the key of each.
pub type Recorded = BTreeSet<(u64, String)>;

pub struct Log {
    lines: Vec<Value>,
}

impl Log {
    pub fn of(world: &World, id: &str) -> Self {
        let ran = world.run(&["runs", "export", id, "--log"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let lines = ran.out.lines();
        Self {
            lines: lines
                .map(|line| serde_json::from_str(line).unwrap())
                .collect(),
        }
    }

    pub fn recorded(&self) -> Recorded {
        let entry = |entry: &Value| {
            let key = entry["key"].as_str().unwrap().to_owned();
            (entry["step"].as_u64().unwrap(), key)
        };
        self.entries().map(entry).collect()
    }

    /// What each recorded call spent of a meter, in the order in which they were recorded.
    pub fn spent(&self, meter: &str) -> Vec<u64> {
        let mut spent: Vec<(String, u64)> = Vec::new();
        for entry in self.entries() {
            if let Some(amount) = entry["meters"][meter].as_u64() {
                spent.push((entry["at"].as_str().unwrap().to_owned(), amount));
            }
        }
        spent.sort();
        spent.into_iter().map(|(_, amount)| amount).collect()
    }

    fn entries(&self) -> impl Iterator<Item = &Value> {
        let entries = self.lines.iter().map(|line| &line["journal"]);
        entries.filter(|entry| entry["kind"] == "call" && entry["part"] == "answered")
    }

    fn changes<'a>(&'a self, what: &'a str) -> impl Iterator<Item = &'a Value> {
        let changes = self
            .lines
            .iter()
            .map(move |line| &line["step"]["content"]["change"][what]);
        changes.filter(|change| !change.is_null())
    }

    /// The names of recorded calls, by what they asked of the stage.
    pub fn names(&self, recorded: &Recorded) -> BTreeSet<String> {
        let plan = self.changes("planned").last().unwrap();
        let searched = self.changes("searched");
        let again: Vec<&Value> = searched
            .flat_map(|change| change["reformulated"].as_array().unwrap())
            .collect();
        let mut pages = BTreeMap::new();
        for source in self
            .changes("searched")
            .flat_map(|change| change["sources"].as_array().unwrap())
        {
            let location = source["location"].as_str().unwrap();
            pages.insert(
                source["id"].to_string(),
                location.rsplit('/').next().unwrap().to_owned(),
            );
        }
        let name = |key: &str| match key.split_once('/') {
            Some(("search", rest)) => match rest.split('/').collect::<Vec<_>>()[..] {
                [nth] => {
                    let nth: usize = nth.parse().unwrap();
                    format!("search {}", plan["queries"][nth]["text"].as_str().unwrap())
                }
                // There is one poor query at most in the runs that are judged here.
                [_, "again", nth] => {
                    let nth: usize = nth.parse().unwrap();
                    format!(
                        "search {}",
                        again[nth - 1]["query"]["text"].as_str().unwrap()
                    )
                }
                [_, "read", .., page] => format!("page {page}"),
                _ => panic!("a search that no rule is known for: {rest}"),
            },
            Some(("seek", rest)) => format!("Action {}", rest.rsplit('/').next().unwrap()),
            Some(("work", doi)) => format!("work {doi}"),
            Some(("read", id)) => format!("page {}", pages[id]),
            Some(("section", nth)) => {
                let nth: usize = nth.parse().unwrap();
                format!(
                    "Section {}",
                    plan["sections"][nth]["title"].as_str().unwrap()
                )
            }
            Some(("support", part)) => format!("Support {part}"),
            Some(("relevance", _)) => "Relevance".to_owned(),
            _ => match key {
                "plan" => "Plan".to_owned(),
                "analyse" => "Analysis".to_owned(),
                "rephrase" => "Rephrase".to_owned(),
                "answer" => "Sentences".to_owned(),
                "summary" => "Frame summary".to_owned(),
                "conclusion" => "Frame conclusion".to_owned(),
                "review" => "Review".to_owned(),
                other => panic!("a call that no rule is known for: {other}"),
            },
        };
        // The same key in a later step is a later draft's.
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        let mut names = BTreeSet::new();
        // The order of passages and the pace of the model are recorded, and ask nothing of the stage.
        let asked = recorded
            .iter()
            .filter(|(_, key)| !key.starts_with("ranking/") && key != "pace");
        for (_, key) in asked {
            let nth = times.entry(key).or_default();
            names.insert(format!("{} #{nth}", name(key)));
            *nth += 1;
        }
        names
    }
}

/// The ledger's calls by the same names, in the order in which they arrived.
pub fn names(calls: &[Call]) -> Vec<String> {
    let mut seen: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let named = calls.iter().map(|call| {
        let plain = match call.kind {
            "model" => model_call(&call.key),
            kind => format!("{kind} {}", call.key),
        };
        let keys = seen.entry(plain.clone()).or_default();
        let nth = match keys.iter().position(|key| *key == call.key) {
            Some(nth) => nth,
            None => {
                keys.push(&call.key);
                keys.len() - 1
            }
        };
        format!("{plain} #{nth}")
    });
    named.collect()
}

fn model_call(key: &str) -> String {
    let (judgement, prompt) = key.split_once(' ').unwrap();
    let label = match judgement {
        "Section" => "Task: Write the section “",
        "Frame" => "Task: Write the ",
        "Support" => "Part: ",
        "Action" => "Turn: ",
        _ => return judgement.to_owned(),
    };
    let label = prompt.lines().find_map(|line| line.strip_prefix(label));
    let label = label.unwrap();
    let label = match judgement {
        "Section" => label.split('”').next().unwrap(),
        "Frame" => label.split(' ').next().unwrap(),
        _ => label,
    };
    format!("{judgement} {label}")
}

/// A process's share of the ledger, and what the log held when it began.
pub struct Life {
    /// The place of its first call.
    pub from: usize,
    pub recorded: Recorded,
}

/// Holds the ledger against the rule above; `log` is the one of the finished run.
#[track_caller]
pub fn judge(calls: &[Call], lives: &[Life], log: &Log) {
    let named = names(calls);
    for (nth, life) in lives.iter().enumerate() {
        let until = lives.get(nth + 1).map_or(calls.len(), |next| next.from);
        let known = log.names(&life.recorded);
        let mut made = BTreeSet::new();
        for name in &named[life.from..until] {
            assert!(
                !known.contains(name),
                "life {nth} made a recorded call again: {name}"
            );
            assert!(made.insert(name), "life {nth} made a call twice: {name}");
        }
    }
    let all: BTreeSet<String> = named.into_iter().collect();
    assert_eq!(
        all,
        log.names(&log.recorded()),
        "every call is recorded in the end"
    );
}

/// A report without what differs from run to run: times, and the stage's address.
pub fn timeless(world: &World, id: &str) -> String {
    let ran = world.run(&["runs", "export", id, "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = ran.out.replace(&world.stage.fetch_allow(), "STAGE");
    let mut report: Value = serde_json::from_str(&text).unwrap();
    blank(&mut report);
    serde_json::to_string_pretty(&report).unwrap()
}

fn blank(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match name.as_str() {
                    "time_ms" | "at" | "finished_at" | "taken_at" | "read_at" => {
                        *value = Value::Null
                    }
                    _ => blank(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(blank),
        _ => {}
    }
}
