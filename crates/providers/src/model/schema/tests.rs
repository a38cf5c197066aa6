use serde::Deserialize;

use super::*;

/// A plan.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct NestedPlan {
    /// What it is about.
    title: String,
    kind: Kind,
    #[serde(default)]
    queries: Vec<Query>,
    note: Option<String>,
    step: Step,
    #[schemars(length(max = 120))]
    short: String,
}

#[derive(Deserialize, JsonSchema)]
enum Kind {
    Web,
    News,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is looked at")]
enum Step {
    Search { query: String },
    Stop,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Query {
    text: String,
    #[schemars(range(min = 1, max = 5))]
    priority: u8,
    parent: Option<Box<Query>>,
}

#[test]
fn a_strict_schema_requires_everything_in_the_order_of_the_type_and_ends_every_text() {
    let schema = strict::<NestedPlan>();
    let schema = serde_json::to_string_pretty(&OrderedJson::new(&schema)).unwrap();
    let expected = include_str!("plan.json").trim_end();
    assert_eq!(schema, expected, "the schema is now:\n{schema}");
    assert_eq!(name::<NestedPlan>(), "NestedPlan");
}

#[test]
fn limits_can_be_left_out() {
    let schema = without_lengths(&strict::<NestedPlan>()).to_string();
    assert!(
        LIMITS.split(' ').all(|limit| !schema.contains(limit)),
        "{schema}"
    );
}

#[test]
fn an_answer_that_misses_what_is_required_did_not_keep_to_the_schema() {
    let schema = json!({"required": ["a", "b"]});
    assert!(keeps_to(&schema, &json!({"a": 1, "b": null, "c": 2})));
    assert!(!keeps_to(&schema, &json!({"a": 1})));
    assert!(!keeps_to(&schema, &json!([1])));
}

#[test]
fn a_limit_that_a_grammar_cannot_hold_is_not_sent() {
    #[derive(JsonSchema)]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Long {
        #[schemars(length(max = 2_000))]
        fits: String,
        #[schemars(length(max = 6_000))]
        beyond: String,
    }
    let schema = strict::<Long>();
    assert_eq!(schema["properties"]["fits"]["maxLength"], 2_000);
    assert_eq!(schema["properties"]["beyond"].get("maxLength"), None);
}
