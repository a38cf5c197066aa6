//! A world that fails: no search, prompts too long, answers that cannot be read, answers that never come.

use fathom_testworld::{Judgement, Reply, Script};
use serde_json::json;

use super::world::{QUESTION, World, caveats, pages};

#[test]
fn when_every_search_fails_the_report_says_so() {
    let world = World::open(Script::sensible(pages()).without_search());
    let (report, reason) = world.report(&[]).partial();
    assert_eq!(reason, "every search failed");
    assert!(caveats(&report).contains(
        "Search capabilities were limited: some searches failed, and the answer rests on partial information."
    ));
    assert_eq!(world.judgements(), [1, 0, 0, 0, 0]);
    assert_eq!(world.count("page", |_| true), 0);
}

#[test]
fn a_prompt_too_long_for_the_model_is_cut_and_put_again() {
    let long = json!({ "error": { "code": "context_length_exceeded", "message": "too long" } });
    let script = Script::sensible(pages()).answering(move |prompt, before| {
        let first = prompt.judgement == Judgement::Analysis && before == 0;
        first.then(|| Reply::Status(400, long.clone()))
    });
    let world = World::open(script);
    let report = world.report(&[]).complete();
    assert_eq!(report["caveats"], json!([]));
    assert_eq!(world.judgements(), [1, 2, 3, 1, 1]);
}

#[test]
fn a_prompt_that_no_cut_makes_short_enough_is_left_to_the_extractive_reasoner() {
    let long = json!({ "error": { "code": "context_length_exceeded", "message": "too long" } });
    let script = Script::sensible(pages()).always(Judgement::Analysis, Reply::Status(400, long));
    let world = World::open(script);
    let report = world.report(&[]).result()["report"].clone();
    let rounds = report["method"]["rounds"].as_array().unwrap().len();
    let [_, analyses, ..] = world.judgements();
    assert_eq!(
        analyses,
        4 * rounds,
        "whole, and with three cuts, in every round"
    );
    let told = "The analysis was made by the extractive reasoner";
    assert!(caveats(&report).contains(told), "{}", caveats(&report));
}

#[test]
fn answers_that_are_no_json_are_asked_for_again_and_then_the_extractive_reasoner_takes_over() {
    let prose = Reply::Text("I would rather talk about something else.".to_owned());
    let script = Script::sensible(pages()).always(Judgement::Plan, prose);
    let world = World::open(script);
    let ran = world.report(&[]);
    let report = ran.result()["report"].clone();
    let [plans, ..] = world.judgements();
    assert!((2..=5).contains(&plans), "asked for {plans} times");
    let told = "The plan was made by the extractive reasoner";
    assert!(caveats(&report).contains(told), "{}", caveats(&report));
    let reasoners = report["method"]["reasoners"].to_string();
    assert!(reasoners.contains("extractive"), "{reasoners}");
}

#[test]
fn a_model_that_refuses_or_breaks_off_stops_no_report() {
    let script = Script::sensible(pages()).answering(|prompt, _| match prompt.judgement {
        Judgement::Section => Some(Reply::BreaksOff("Street trees".to_owned())),
        _ => None,
    });
    let world = World::open(script);
    let report = world.report(&[]).result()["report"].clone();
    let told = caveats(&report);
    let made: Vec<&str> = told
        .lines()
        .filter(|line| line.contains("made by the extractive reasoner"))
        .collect();
    assert!(
        matches!(made.as_slice(), [one] if one.starts_with("The text")),
        "{told}"
    );
    for section in report["sections"].as_array().unwrap() {
        assert_ne!(section["text"], "Street trees");
    }
}

#[test]
fn sections_that_come_too_late_are_quoted() {
    let script = Script::sensible(pages()).always(Judgement::Section, Reply::Hangs);
    let world = World::open(script);
    let ran = world.report(&["--max-time", "10"]);
    let report = ran.result()["report"].clone();
    let text = report["sections"].to_string();
    assert!(text.contains("120 litres"), "{text}");
}

#[test]
fn a_prompt_that_is_too_long_is_cut_and_told_in_the_error_log() {
    // As Anthropic and vLLM say it, without a code, and as a proxy does.
    let refusals = [
        (400, "prompt is too long: 208310 tokens > 200000 maximum"),
        (
            400,
            "This model's maximum context length is 4096 tokens. However, you requested 5121 tokens.",
        ),
        (
            400,
            "You passed 8193 input tokens and requested 0 output tokens. However, the model's context length is only 8192.",
        ),
        (
            400,
            "'max_tokens' or 'max_completion_tokens' is too large: 2048. This model's maximum context length is 4096.",
        ),
        (413, "Request Entity Too Large"),
    ];
    for (status, message) in refusals {
        let script = Script::sensible(pages()).answering(move |prompt, before| {
            let refused = prompt.judgement == Judgement::Analysis && before == 0;
            let error = json!({ "error": { "type": "invalid_request_error", "message": message } });
            refused.then_some(Reply::Status(status, error))
        });
        let world = World::open(script);
        let ran = world.report(&[]);
        let report = ran.complete();
        let analyses = world.count("model", |call| call.key.starts_with("Analysis "));
        assert_eq!(analyses, 2, "{message}: cut once, and put in no other form");
        assert_eq!(report["caveats"], json!([]), "the model did it after all");
        let errors = report["method"]["errors"].as_array().unwrap();
        assert_eq!(errors.len(), 1, "{message}: {errors:?}");
        assert_eq!(errors[0]["node"], "analyse");
        assert_eq!(errors[0]["category"], "context_overflow");
        assert_eq!(errors[0]["severity"], "recoverable");
        assert_eq!(errors[0]["attempts"], 1);
        let told = errors[0]["message"].as_str().unwrap();
        assert!(told.contains("cannot take so much text"), "{told}");
        assert!(told.ends_with("(cut and asked again, 1 of 3)"), "{told}");
        let live = ran.out.lines().filter(|line| {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            event["event"] != "result" && line.contains("cannot take so much text")
        });
        assert_eq!(live.count(), 1, "{}", ran.out);
    }
}

#[test]
fn an_answer_keeps_a_prompt_that_had_to_be_cut_in_its_error_log() {
    let script = Script::sensible(pages()).answering(|prompt, before| {
        let refused = prompt.judgement == Judgement::Analysis && before == 0;
        let error =
            json!({ "error": { "message": "prompt is too long: 9000 tokens > 8192 maximum" } });
        refused.then_some(Reply::Status(400, error))
    });
    let world = World::open(script);
    let ran = world.run(&["answer", QUESTION, "--json", "-q"]);
    let run = ran.result()["run"].as_str().unwrap().to_owned();
    let log = world.run(&["runs", "export", &run, "--log"]).out;
    let errors: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter_map(|line| line["step"]["content"]["errors"].as_array().cloned())
        .flatten()
        .collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0]["category"], "context_overflow");
    let told = errors[0]["message"].as_str().unwrap();
    assert!(told.ends_with("(cut and asked again, 1 of 3)"), "{told}");
}
