//! What was put into the example library on purpose, as its own list tells it.

use std::collections::BTreeMap;

/// One entry of the list: its kind, its plain values, and its values in braces or brackets.
pub struct Entry {
    pub kind: String,
    pub values: BTreeMap<String, String>,
    pub lists: BTreeMap<String, Vec<String>>,
}

impl Entry {
    pub fn value(&self, key: &str) -> &str {
        self.values.get(key).map_or("", String::as_str)
    }

    pub fn list(&self, key: &str) -> &[String] {
        self.lists.get(key).map_or(&[], Vec::as_slice)
    }
}

/// The entries of one kind. The list keeps to one value a line, or one string a line between brackets.
pub fn entries(kind: &str) -> Vec<Entry> {
    let text = std::fs::read_to_string(super::run::folder().join("street-trees.toml"))
        .expect("the example library is there and sound");
    let mut all: Vec<Entry> = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("[[").and_then(|l| l.strip_suffix("]]")) {
            all.push(Entry {
                kind: name.to_owned(),
                values: BTreeMap::new(),
                lists: BTreeMap::new(),
            });
            continue;
        }
        let Some(entry) = all.last_mut() else {
            continue;
        };
        if line == "]" {
            open = None;
        } else if let Some(key) = &open {
            entry
                .lists
                .entry(key.clone())
                .or_default()
                .extend(strings(line));
        } else if let Some((key, value)) = line.split_once(" = ") {
            match value {
                "[" => open = Some(key.to_owned()),
                _ if value.starts_with('{') => {
                    entry.lists.insert(key.to_owned(), strings(value));
                }
                _ => {
                    entry.values.insert(key.to_owned(), strings(value).concat());
                }
            }
        }
    }
    all.retain(|entry| entry.kind == kind);
    all
}

fn strings(line: &str) -> Vec<String> {
    line.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}
