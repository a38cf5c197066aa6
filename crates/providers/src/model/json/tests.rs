use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;

#[derive(Debug, PartialEq, Deserialize, Serialize)]
struct ReplyPlan {
    title: String,
    queries: Vec<ReplyQuery>,
    #[serde(default)]
    sure: Option<bool>,
}

#[derive(Debug, PartialEq, Deserialize, Serialize)]
struct ReplyQuery {
    text: String,
    priority: u8,
}

const WHOLE: &str = r#"{"title": "Kelp", "queries": [{"text": "kelp growth", "priority": 1}, {"text": "kelp \"forest\"", "priority": 2}], "sure": true}"#;

fn read<T: DeserializeOwned>(text: &str) -> Result<T, UnusableJson> {
    read_noting(text).map(|(value, _)| value)
}

fn whole() -> Value {
    serde_json::from_str(WHOLE).unwrap()
}

#[test]
fn talk_fences_and_thoughts_around_the_json_are_left_out() {
    for text in [
        WHOLE.to_owned(),
        format!("```json\n{WHOLE}\n```"),
        format!("<think>perhaps {{\"title\": \"draft\", \"queries\": []}}</think>\n{WHOLE}"),
        format!("a draft {{\"title\": \"draft\", \"queries\": []}}</think>{WHOLE}"),
        format!("Here you are [as asked]: {WHOLE} I hope {{this}} helps."),
        format!("{WHOLE}\n\n<think>was that right? {{"),
        format!("\u{feff}{WHOLE}"),
    ] {
        let (plan, mended) = read_noting::<ReplyPlan>(&text).unwrap();
        assert_eq!(serde_json::to_value(plan).unwrap(), whole(), "{text}");
        assert!(!mended, "{text}");
    }
}

#[test]
fn faults_of_writing_are_mended() {
    for (text, value) in [
        (
            r#"{"a": [1, 2,], "b": "x",}"#,
            json!({"a": [1, 2], "b": "x"}),
        ),
        ("{'a': 'it''}", json!(null)),
        (
            "{'a': 'it\\'s', 'b': 'don't'}",
            json!({"a": "it's", "b": "don't"}),
        ),
        ("{“a”: “b”, ‘c’: ‘d’}", json!({"a": "b", "c": "d"})),
        (
            "{a: True, b_1: None, c: False}",
            json!({"a": true, "b_1": null, "c": false}),
        ),
        (
            "{\"a\": 1\n \"b\": \"x\"\n \"c\": 2}",
            json!({"a": 1, "b": "x", "c": 2}),
        ),
        (
            r#"{"a": "he said "no" twice"}"#,
            json!({"a": "he said \"no\" twice"}),
        ),
        (
            "{\"a\": \"one\ntwo\tthree\"}",
            json!({"a": "one\ntwo\tthree"}),
        ),
        (
            r#"{"a": "\alpha and \(x\)"}"#,
            json!({"a": r"\alpha and \(x\)"}),
        ),
        (
            "{\"a\": 1, // one\n /* two */ \"b\": 2}",
            json!({"a": 1, "b": 2}),
        ),
        (r#"{"a": [1, 2}"#, json!({"a": [1, 2]})),
        (r#"{"a": {"b": [1"#, json!({"a": {"b": []}})),
        (r#"{"a": {"b": [1, 2"#, json!({"a": {"b": [1]}})),
        (r#"{"a": "x", "b": "half a sen"#, json!({"a": "x"})),
        (r#"{"a": "x", "b"#, json!({"a": "x"})),
        (r#"{"a": "x", "b": tru"#, json!({"a": "x"})),
        (r#"{"a": "x", "b": 12"#, json!({"a": "x"})),
    ] {
        let read = read_noting::<Value>(text).map(|(value, mended)| {
            assert!(mended, "{text}");
            value
        });
        assert_eq!(read.unwrap_or_default(), value, "{text}");
    }
}

#[test]
fn what_could_be_read_in_two_ways_is_not_mended() {
    for text in [
        r#"{"a": "x" "b": "y"}"#,
        r#"["a" "b", "c"]"#,
        r#"["he said "yes", "no""]"#,
        "[1,,2]",
        "[,1]",
        r#"{"a" 1}"#,
        r#"{"a": }"#,
        "[1 2]",
        "[NaN]",
        "[+1, .5]",
        "[0x10]",
        r#"{"a": undefined}"#,
        "{]",
    ] {
        assert!(
            read::<Value>(text).is_err(),
            "{text}: {:?}",
            read::<Value>(text)
        );
    }
}

#[test]
fn of_a_cut_answer_the_last_whole_item_is_kept_and_nothing_is_made_up() {
    let plan: ReplyPlan = serde_json::from_str(WHOLE).unwrap();
    let mut read_in_part = 0;
    for end in (0..WHOLE.len()).filter(|end| WHOLE.is_char_boundary(*end)) {
        let Ok((cut, mended)) = read_noting::<ReplyPlan>(&WHOLE[..end]) else {
            continue;
        };
        assert!(mended);
        assert_eq!(cut.title, plan.title);
        assert!(
            cut.queries
                .iter()
                .zip(&plan.queries)
                .all(|(one, other)| one == other)
        );
        assert!(cut.sure.is_none() || cut.sure == plan.sure);
        read_in_part += 1;
    }
    assert!(read_in_part > 50, "{read_in_part}");
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    for (text, words) in [
        (
            r#"{"title": "a", "queries": [{"text": "b", "priority": 1}, {"text": "c", "priority": 900}]}"#,
            "at queries[1].priority: invalid value: integer `900`, expected u8",
        ),
        (
            r#"Sure! {"title": 7, "queries": []}"#,
            "at title: invalid type: integer `7`, expected a string",
        ),
        (r#"{"title": "a"}"#, "missing field `queries`"),
        ("I cannot do that.", "there is no JSON in the answer"),
        ("", "there is no JSON in the answer"),
    ] {
        assert_eq!(read::<ReplyPlan>(text).unwrap_err().to_string(), words);
    }
}

#[test]
fn deep_nesting_and_long_texts_end_in_an_error() {
    for text in [
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        "[1,".repeat(50_000) + &"]".repeat(50_000),
    ] {
        assert!(read::<ReplyPlan>(&text).is_err());
    }
    assert!(read::<Value>(&" ".repeat(TEXT_MAX_BYTES + 1)).is_err());
    assert!(read::<Value>("[1e999999999]").is_err());
}

#[test]
fn sound_json_is_never_changed() {
    let numbers =
        json!([0, -1, 1.5, 1e300, u64::MAX, "\u{2028}\u{1f600}\\ \"'“”", {"": [[], {}, null]}]);
    let text = format!("so: {numbers}.");
    assert_eq!(read_noting::<Value>(&text), Ok((numbers, false)));
}
