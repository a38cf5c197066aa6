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

/// What a run of an owner may spend, by the owner's caps. What is not capped is not bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnerRoom {
    /// What is left of the caps.
    pub left: Bounds,
    /// What a run without a budget of its own gets of it, so that it does not hold all.
    pub usual: Bounds,
}

impl OwnerRoom {
    /// Whether nothing is capped.
    pub fn is_unbounded(&self) -> bool {
        self.left == Bounds::default()
    }

    /// Bounds what a new run may spend, whatever its input says.
    pub fn limit_input(self, workflow: &str, input: &mut Value) {
        let fields = BoundFields::of_input(workflow);
        if fields.find(input).is_some() {
            self.limit(&fields, input, Bounds::default());
        }
    }

    /// Bounds what a fork may spend, whatever its origin or its edits say. It goes on counting from what its origin had
    /// spent at that step.
    pub fn limit_fork(self, origin: &RunView<Value>, edits: &mut Option<Value>) {
        let fields = BoundFields::of_state(&origin.run.about.workflow);
        let Some(table) = fields.find(&origin.state) else {
            return;
        };
        if !self.is_unbounded() {
            let counted = counted(origin);
            let allowed = Self {
                left: self.left.plus_spent(counted),
                usual: self.usual.plus_spent(counted),
            };
            let edits = edits.get_or_insert_with(|| json!({}));
            allowed.limit(&fields, edits, fields.read(table));
        }
    }

    /// Puts these bounds where looser ones stand. What is not said there is as it was before.
    fn limit(self, fields: &BoundFields, whole: &mut Value, before: Bounds) {
        // Where something else stands in their place, the workflow says what is wrong.
        let Some(table) = fields.make(whole) else {
            return;
        };
        let Self { left, usual } = self;
        for (name, left, usual, before) in [
            (fields.tokens, left.tokens, usual.tokens, before.tokens),
            (
                fields.cost,
                left.cost_micros,
                usual.cost_micros,
                before.cost_micros,
            ),
        ] {
            if let Some(left) = left {
                let set = table.get(name).map_or(before, Value::as_u64);
                table[name] = json!(set.or(usual).map_or(left, |set| set.min(left)));
            }
        }
    }
}

impl Bounds {
    /// The same above what was spent before.
    fn plus_spent(self, (tokens, cost_micros): (u64, u64)) -> Self {
        let more = |bound: Option<u64>, spent: u64| bound.map(|bound| bound.saturating_add(spent));
        Self {
            tokens: more(self.tokens, tokens),
            cost_micros: more(self.cost_micros, cost_micros),
        }
    }
}

/// What a run may still spend. One that has no place for bounds spends nothing.
pub fn unspent(view: &RunView<Value>) -> Bounds {
    let fields = BoundFields::of_state(&view.run.about.workflow);
    let Some(table) = fields.find(&view.state) else {
        return Bounds {
            tokens: Some(0),
            cost_micros: Some(0),
        };
    };
    let (set, (tokens, cost_micros)) = (fields.read(table), counted(view));
    let left = |set: Option<u64>, counted: u64| set.map(|set| set.saturating_sub(counted));
    Bounds {
        tokens: left(set.tokens, tokens),
        cost_micros: left(set.cost_micros, cost_micros),
    }
}

/// The tokens and millionths of a dollar that a run's bounds are compared with.
fn counted(view: &RunView<Value>) -> (u64, u64) {
    let meter = |name: &str| view.tally.meters.get(name).copied().unwrap_or_default();
    (meter(TOKENS), meter(COST_PICOS) / PICOS_PER_MICRO)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn tokens(tokens: u64) -> Bounds {
        Bounds {
            tokens: Some(tokens),
            cost_micros: None,
        }
    }

    const fn room(left: u64, usual: u64) -> OwnerRoom {
        OwnerRoom {
            left: tokens(left),
            usual: tokens(usual),
        }
    }

    const LEFT: OwnerRoom = room(50, 100);

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
    fn a_run_without_a_budget_does_not_hold_all_that_is_left() {
        let bounded = |mut input: Value| {
            room(1_000, 100).limit_input("report", &mut input);
            input["settings"]["caps"]["tokens"].clone()
        };
        let caps = |tokens: Value| json!({ "settings": { "caps": { "tokens": tokens } } });
        assert_eq!(bounded(caps(Value::Null)), 100);
        assert_eq!(bounded(caps(json!(700))), 700);
        assert_eq!(bounded(caps(json!(7_000))), 1_000);
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
