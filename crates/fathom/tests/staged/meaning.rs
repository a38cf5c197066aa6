//! A model judges whether sentences say what their passages say; code decides what follows.

use fathom_testworld::{Call, Judgement, Page, Prompt, Reply, Script};
use serde_json::{Value, json};

use super::log::Log;
use super::world::{QUESTION, World, caveats, pages};

const GOOD: &str = "Young street trees need 120 litres of water a week in their first summer";
const BENT: &str =
    "Street trees in Halvern lowered the afternoon air temperature by 1.9 degrees everywhere";

/// A sentence of the writer's own for two of the sections, so near to its source that words alone bear it out. The same
/// passages are shown to every section.
fn written(prompt: &Prompt) -> Option<Reply> {
    let own = [
        ("The water", "120 litres", GOOD),
        ("The cooling", "1.9 degrees", BENT),
    ];
    let own = own.iter().find(|(title, ..)| {
        let task = format!("Write the section “{title}”");
        prompt.user.contains(&task)
    });
    let (_, words, text) = own?;
    let number = prompt.passage_with(words)?;
    Some(Reply::sentences(&[(&[number], text)]))
}

fn script(verdict: &'static str) -> Script {
    Script::sensible(pages()).answering(move |prompt, _| match prompt.judgement {
        Judgement::Section => written(prompt),
        Judgement::Support => Some(prompt.verdicts(|sentence| match sentence {
            bent if bent.contains("everywhere") => verdict,
            _ => "supported",
        })),
        _ => None,
    })
}

fn support_calls(world: &World) -> Vec<String> {
    let calls = world.stage.calls().into_iter();
    let calls = calls.filter(|call: &Call| call.key.starts_with("Support "));
    calls.map(|call| call.key).collect()
}

fn claims<'a>(report: &'a Value, words: &str) -> Vec<&'a Value> {
    let claims = report["claims"].as_array().unwrap().iter();
    let of = |claim: &&Value| claim["text"].as_str().unwrap().contains(words);
    claims.filter(of).collect()
}

#[test]
fn a_sentence_that_a_model_finds_supported_stays_and_the_report_says_who_judged() {
    let world = World::open(script("supported"));
    let report = world.report(&[]).complete();
    let opinions = &report["figures"]["claims"]["judged"];
    assert_eq!(opinions["supported"], 2, "{opinions}");
    assert_eq!(opinions["could_not_check"], 0, "{opinions}");
    for words in ["120 litres", "everywhere"] {
        let claims = claims(&report, words);
        assert!(!claims.is_empty());
        let own = claims.iter().filter(|claim| claim["judged"] == "supported");
        assert_eq!(own.count(), 1, "{claims:?}");
    }
    assert_eq!(report["caveats"], json!([]));
    for prompt in support_calls(&world) {
        assert!(!prompt.contains(QUESTION), "more than sentences: {prompt}");
        assert!(prompt.contains("<sentences>"), "{prompt}");
    }
}

#[test]
fn a_sentence_that_its_passages_contradict_goes() {
    let world = World::open(script("contradicted"));
    let report = world.report(&[]).result()["report"].clone();
    let text = report["sections"].to_string();
    assert!(!text.contains("everywhere"), "{text}");
    assert!(text.contains(GOOD), "{text}");
    assert_eq!(report["figures"]["claims"]["removed"], 1);
}

#[test]
fn a_sentence_that_its_passages_do_not_state_is_marked_and_not_counted_as_supported() {
    let world = World::open(script("not_supported"));
    let report = world.report(&[]).result()["report"].clone();
    let text = report["sections"].to_string();
    assert!(text.contains(&format!("{BENT} [")), "{text}");
    assert!(text.contains("*(not confirmed)*"), "{text}");
    let [claim] = claims(&report, "everywhere")[..] else {
        panic!("{report}")
    };
    assert_eq!(claim["judged"], "not_supported");
    assert_eq!(claim["verdict"], "not_supported");
    let counts = &report["figures"]["claims"];
    assert_eq!(counts["unsupported"], 1, "{counts}");
    assert_eq!(counts["judged"]["not_supported"], 1, "{counts}");
    let items = report["review"]["items"].to_string();
    assert!(items.contains("its passages do not state it"), "{items}");
}

#[test]
fn a_sentence_that_another_source_states_cites_that_one_before_it_is_judged() {
    let other = Page {
        title: "A second trial of street trees".to_owned(),
        text: "Street trees in Halvern lowered the afternoon air temperature by 1.9 degrees everywhere."
            .to_owned(),
    };
    let all = pages().into_iter().chain([other]).collect();
    let script = Script::sensible(all).answering(|prompt, _| match prompt.judgement {
        Judgement::Section => {
            let number = prompt.passage_with("in the trial of Halvern")?;
            Some(Reply::sentences(&[(&[number], BENT)]))
        }
        Judgement::Support => Some(prompt.verdicts(|_| "supported")),
        _ => None,
    });
    let world = World::open(script);
    let result = world.report(&[]).result();
    let report = &result["report"];
    let claims = claims(report, "everywhere");
    assert!(!claims.is_empty());
    let named = |claim: &Value| {
        let cited = claim["sources"][0].as_u64().unwrap() as usize;
        report["sources"][cited - 1]["title"].clone()
    };
    for claim in &claims {
        assert_eq!(named(claim), "A second trial of street trees");
    }
    let judged = claims.iter().filter(|claim| claim["judged"] == "supported");
    assert_ne!(judged.count(), 0, "{claims:?}");
    let text = report["sections"].to_string();
    assert!(!text.contains("*(not confirmed)*"), "{text}");
}

#[test]
fn a_sentence_that_stood_in_the_draft_before_is_not_judged_again() {
    let script = Script::sensible(pages()).answering(|prompt, before| match prompt.judgement {
        Judgement::Section => written(prompt),
        Judgement::Review if before == 0 => Some(Reply::review(6.0)),
        _ => None,
    });
    let world = World::open(script);
    let result = world.report(&[]).result();
    assert_eq!(result["report"]["method"]["drafts"], 2);
    let opinions = &result["report"]["figures"]["claims"]["judged"];
    assert_eq!(opinions["supported"], 2, "{opinions}");
    let recorded = Log::of(&world, result["run"].as_str().unwrap()).recorded();
    let judged = recorded
        .iter()
        .filter(|(_, key)| key.starts_with("support/"));
    let steps: std::collections::BTreeSet<u64> = judged.map(|(step, _)| *step).collect();
    assert_eq!(steps.len(), 1, "{recorded:?}");
}

#[test]
fn a_sentence_put_too_freely_for_words_loses_its_mark_where_a_model_confirms_it() {
    let free = "Thirsty saplings want weekly soaking through year one";
    for (verdict, marked) in [("supported", false), ("not_supported", true)] {
        let script = Script::sensible(pages()).answering(move |prompt, _| match prompt.judgement {
            Judgement::Section => {
                let number = prompt.passage_with("120 litres")?;
                Some(Reply::sentences(&[(&[number], free)]))
            }
            Judgement::Support => Some(prompt.verdicts(|_| verdict)),
            _ => None,
        });
        let world = World::open(script);
        let report = world.report(&[]).result()["report"].clone();
        let text = report["sections"].to_string();
        assert!(text.contains(free), "{text}");
        assert_eq!(text.contains("*(not confirmed)*"), marked, "{text}");
        let prompts = support_calls(&world).concat();
        assert!(
            prompts.contains("passage: “Young street trees"),
            "{prompts}"
        );
    }
}

#[test]
fn a_model_that_cannot_judge_leaves_a_report_that_says_so() {
    for reply in [
        Reply::Status(400, json!({ "error": { "message": "no" } })),
        Reply::Text("Everything is fine.".to_owned()),
        Reply::Json(json!({ "verdicts": [] })),
    ] {
        let script = Script::sensible(pages()).answering(move |prompt, _| match prompt.judgement {
            Judgement::Section => written(prompt),
            Judgement::Support => Some(reply.clone()),
            _ => None,
        });
        let world = World::open(script);
        let report = world.report(&[]).complete();
        let text = report["sections"].to_string();
        assert!(text.contains(BENT) && text.contains(GOOD), "{text}");
        let opinions = &report["figures"]["claims"]["judged"];
        assert_eq!(opinions["could_not_check"], 2, "{opinions}");
        let told = caveats(&report);
        assert!(told.contains("some sentences it could not judge"), "{told}");
    }
}

#[test]
fn without_the_setting_no_model_judges_and_the_figures_say_so() {
    let world = World::open(script("contradicted"));
    let off = [("FATHOM_REPORT_SEMANTIC_CHECK", "false")];
    let ran = world.run_with(&off, &["report", QUESTION, "-q", "--format", "md"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.contains("no model judged the meaning"),
        "{}",
        ran.out
    );
    assert!(support_calls(&world).is_empty());
}

#[test]
fn no_more_calls_are_made_than_the_setting_allows() {
    let world = World::open(script("contradicted"));
    let none = [("FATHOM_REPORT_MAX_SEMANTIC_CALLS", "1")];
    let ran = world.run_with(&none, &["report", QUESTION, "--json", "-q"]);
    let report = ran.result()["report"].clone();
    assert_eq!(support_calls(&world).len(), 1);
    let opinions = &report["figures"]["claims"]["judged"];
    assert_eq!(opinions["could_not_check"], 1, "{opinions}");
}

#[test]
fn judging_leaves_what_is_kept_for_writing() {
    let world = World::open(script("supported"));
    let whole = world.report(&[]).complete();
    let tokens = whole["figures"]["tokens"].as_u64().unwrap();
    // Nearly all is spent when the draft is written: the review is still paid for, the judging is not.
    let world = World::open(script("supported"));
    let cap = tokens.to_string();
    let caps = [
        ("FATHOM_REPORT_CAPS_TOKENS", cap.as_str()),
        ("FATHOM_REPORT_CAPS_WRITING_RESERVE", "0.6"),
    ];
    let ran = world.run_with(&caps, &["report", QUESTION, "--json", "-q"]);
    let report = ran.result()["report"].clone();
    assert!(support_calls(&world).is_empty());
    assert_eq!(world.judgements()[4], 1, "the review was paid for");
    let opinions = &report["figures"]["claims"]["judged"];
    assert_eq!(opinions["could_not_check"], 2, "{opinions}");
}
