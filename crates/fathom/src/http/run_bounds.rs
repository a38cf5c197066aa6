//! What one run may spend: where its bounds stand in an input and in a state, and how an owner's caps tighten them.

use fathom_research::skills::budget::{COST_PICOS, TOKENS};
use fathom_research::workflows::{answer, appraise};
use fathom_workflow::RunView;
use serde_json::{Value, json};

const PICOS_PER_MICRO: u64 = 1_000_000;

/// What may be spent; what is not set is not bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Tokens of all model calls, both ways.
    pub tokens: Option<u64>,
    /// In millionths of a dollar.
    pub cost_micros: Option<u64>,
}

/// The fields of a workflow that bound a run.
struct BoundFields {
    /// The tables that lead to them, from the outermost.
    tables: &'static [&'static str],
    tokens: &'static str,
    cost: &'static str,
}

impl BoundFields {
    fn of_input(workflow: &str) -> Self {
        match workflow {
            appraise::NAME => Self::caps(&["caps"]),
            _ => Self::of_state(workflow),
        }
    }

    fn of_state(workflow: &str) -> Self {
        match workflow {
            answer::NAME => Self {
                tables: &["settings"],
                tokens: "token_budget",
                cost: "max_cost_micros",
            },
            appraise::NAME => Self::caps(&["input", "caps"]),
            _ => Self::caps(&["settings", "caps"]),
        }
    }

    fn caps(tables: &'static [&'static str]) -> Self {
        Self {
            tables,
            tokens: "tokens",
            cost: "cost_micros",
        }
    }

    /// The table that holds the fields, in a state or an input.
    fn find<'v>(&self, whole: &'v Value) -> Option<&'v Value> {
        let mut tables = self.tables.iter();
        tables.try_fold(whole, |at, name| at.get(name))
    }

    /// The same to be changed, made where it is missing; nothing where something else stands in its place.
    fn make<'v>(&self, whole: &'v mut Value) -> Option<&'v mut Value> {
        let mut tables = self.tables.iter();
        let table = tables.try_fold(whole, |at, name| {
            let fields = at.as_object_mut()?;
            Some(fields.entry(*name).or_insert_with(|| json!({})))
        });
        table.filter(|table| table.is_object())
    }

    fn read(&self, table: &Value) -> Bounds {
        Bounds {
            tokens: table[self.tokens].as_u64(),
            cost_micros: table[self.cost].as_u64(),
        }
    }
}

impl Bounds {
    /// Bounds what a new run may spend, whatever its input says.
    pub fn limit_input(self, workflow: &str, input: &mut Value) {
        let fields = BoundFields::of_input(workflow);
        if fields.find(input).is_some() {
            self.limit(&fields, input, Self::default());
        }
    }

    /// Bounds what a fork may spend, whatever its origin or its edits say. It goes on counting from what its origin had
    /// spent at that step.
    pub fn limit_fork(self, origin: &RunView<Value>, edits: &mut Option<Value>) {
        let fields = BoundFields::of_state(&origin.run.about.workflow);
        let Some(table) = fields.find(&origin.state) else {
            return;
        };
        let counted = counted(origin);
        let most = |left: Option<u64>, counted: u64| left.map(|left| left.saturating_add(counted));
        let allowed = Self {
            tokens: most(self.tokens, counted.0),
            cost_micros: most(self.cost_micros, counted.1),
        };
        if allowed != Self::default() {
            let edits = edits.get_or_insert_with(|| json!({}));
            allowed.limit(&fields, edits, fields.read(table));
        }
    }

    /// Puts these bounds where looser ones stand. What is not said there is as it was before.
    fn limit(self, fields: &BoundFields, whole: &mut Value, before: Self) {
        // Where something else stands in their place, the workflow says what is wrong.
        let Some(table) = fields.make(whole) else {
            return;
        };
        for (name, most, before) in [
            (fields.tokens, self.tokens, before.tokens),
            (fields.cost, self.cost_micros, before.cost_micros),
        ] {
            if let Some(most) = most {
                let set = table.get(name).map_or(before, Value::as_u64);
                table[name] = json!(set.map_or(most, |set| set.min(most)));
            }
        }
    }
}

/// What a run may still spend, as tokens and millionths of a dollar; nothing of what is not bounded.
pub fn unspent(view: &RunView<Value>) -> (u64, u64) {
    let fields = BoundFields::of_state(&view.run.about.workflow);
    let table = fields.find(&view.state);
    let set = table.map(|table| fields.read(table)).unwrap_or_default();
    let (tokens, cost_micros) = counted(view);
    let left = |set: Option<u64>, counted: u64| set.unwrap_or_default().saturating_sub(counted);
    (left(set.tokens, tokens), left(set.cost_micros, cost_micros))
}

/// The tokens and millionths of a dollar that a run's bounds are compared with.
fn counted(view: &RunView<Value>) -> (u64, u64) {
    let meter = |name: &str| view.tally.meters.get(name).copied().unwrap_or_default();
    (meter(TOKENS), meter(COST_PICOS) / PICOS_PER_MICRO)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: Bounds = Bounds {
        tokens: Some(50),
        cost_micros: None,
    };

    #[test]
    fn a_run_gets_no_more_than_is_left() {
        let mut input = json!({ "settings": { "token_budget": 200, "max_cost_micros": null } });
        LEFT.limit_input("answer", &mut input);
        assert_eq!(
            input["settings"],
            json!({ "token_budget": 50, "max_cost_micros": null })
        );
        let mut input = json!({ "settings": { "caps": { "tokens": null } } });
        LEFT.limit_input("report", &mut input);
        assert_eq!(input["settings"]["caps"]["tokens"], 50);
        let mut input = json!({ "caps": { "tokens": 40 } });
        LEFT.limit_input("appraise", &mut input);
        assert_eq!(input, json!({ "caps": { "tokens": 40 } }));
        let mut input = json!({ "caps": { "tokens": null } });
        LEFT.limit_input("appraise", &mut input);
        assert_eq!(input, json!({ "caps": { "tokens": 50 } }));
        let mut input = json!({ "query": "trees" });
        LEFT.limit_input("search", &mut input);
        assert_eq!(input, json!({ "query": "trees" }));
    }

    #[test]
    fn edits_do_not_loosen_what_is_left() {
        let fields = BoundFields::of_state("report");
        let before = Bounds {
            tokens: Some(20),
            cost_micros: None,
        };
        let limited = |mut edits: Value| {
            LEFT.limit(&fields, &mut edits, before);
            edits["settings"]["caps"]["tokens"].clone()
        };
        assert_eq!(limited(json!({})), 20);
        assert_eq!(
            limited(json!({ "settings": { "caps": { "tokens": 30 } } })),
            30
        );
        assert_eq!(
            limited(json!({ "settings": { "caps": { "tokens": 90 } } })),
            50
        );
        assert_eq!(
            limited(json!({ "settings": { "caps": { "tokens": null } } })),
            50
        );
        let mut wrong = json!({ "settings": 1 });
        LEFT.limit(&fields, &mut wrong, before);
        assert_eq!(wrong, json!({ "settings": 1 }));
    }
}
