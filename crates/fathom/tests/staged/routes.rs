//! Where a model's judgements lead: approved, revised, given up, rejected, searched again.

use fathom_testworld::{Judgement, Reply, Script};
use serde_json::json;

use super::world::{QUESTION, World, caveats, pages};

#[test]
fn a_good_draft_is_approved_at_once_and_no_call_is_made_twice() {
    let world = World::open(Script::sensible(pages()));
    let report = world.report(&[]).complete();
    assert_eq!(world.judgements(), [1, 1, 3, 1, 1]);
    assert_eq!(report["sources"].as_array().unwrap().len(), 3);
    let claims = &report["figures"]["claims"];
    assert_eq!(claims["supported"], claims["claims"]);
    assert_eq!(report["caveats"], json!([]));
    let calls = world.stage.calls();
    // Besides those above: other words, one batch of relevance, summary and conclusion; three searches, three pages.
    assert_eq!(calls.len(), 7 + 4 + 3 + 3, "{calls:?}");
    assert!(calls.iter().all(|call| call.repeats == 0), "{calls:?}");
}

#[test]
fn a_poor_draft_is_revised_and_then_approved() {
    let script = Script::sensible(pages()).answering(|prompt, before| {
        (prompt.judgement == Judgement::Review && before == 0).then(|| Reply::review(6.0))
    });
    let world = World::open(script);
    let report = world.report(&[]).complete();
    assert_eq!(report["method"]["drafts"], 2);
    assert_eq!(world.judgements(), [1, 1, 6, 2, 2]);
}

#[test]
fn a_review_that_names_nothing_to_put_right_has_no_draft_written_again() {
    let silent = Reply::review(9.0);
    let Reply::Json(mut review) = silent else {
        panic!("a review is JSON")
    };
    for respect in [
        "accuracy",
        "completeness",
        "coherence",
        "citation",
        "methodology",
        "style",
    ] {
        review[respect] = json!(6.0);
    }
    let world =
        World::open(Script::sensible(pages()).always(Judgement::Review, Reply::Json(review)));
    let (report, reason) = world.report(&[]).partial();
    assert!(reason.contains("named nothing to put right"), "{reason}");
    assert_eq!(report["method"]["drafts"], 1);
    assert_eq!(world.judgements(), [1, 1, 3, 1, 1]);
}

#[test]
fn after_three_revisions_the_best_draft_goes_out_as_partial() {
    // The second draft is the best of the four.
    let script = Script::sensible(pages()).answering(|prompt, before| {
        let score = if before == 1 { 6.4 } else { 6.0 };
        (prompt.judgement == Judgement::Review).then(|| Reply::review(score))
    });
    let world = World::open(script);
    let (report, reason) = world.report(&[]).partial();
    assert!(reason.contains("after the last revision"), "{reason}");
    assert_eq!(world.judgements(), [1, 1, 12, 4, 4]);
    assert_eq!(report["method"]["drafts"], 4);
    assert!(
        caveats(&report).contains("best draft, not an approved report"),
        "{}",
        caveats(&report)
    );
    let score = report["review"]["score"].as_f64().unwrap();
    assert!(score > 6.0, "the best draft's own review, not {score}");
}

#[test]
fn a_draft_that_stays_poor_is_rejected_once_its_revisions_are_used_up() {
    for (revisions, judgements) in [("0", [1, 1, 3, 1, 1]), ("1", [1, 1, 6, 2, 2])] {
        let script = Script::sensible(pages()).always(Judgement::Review, Reply::review(2.0));
        let world = World::open(script);
        let few = [("FATHOM_REPORT_MAX_ITERATIONS", revisions)];
        let ran = world.run_with(&few, &["report", QUESTION, "--json", "-q"]);
        let (_, reason) = ran.partial();
        assert!(reason.contains("beyond repair"), "{reason}");
        assert_eq!(world.judgements(), judgements);
    }
}

#[test]
fn gaps_are_searched_for_twice_and_then_named() {
    let script = Script::sensible(pages()).answering(|prompt, before| {
        if prompt.judgement != Judgement::Analysis {
            return None;
        }
        let gap = |nth: usize| {
            let query = format!("street trees gap {nth} of round {before}");
            json!({ "sub_question": 1, "missing": format!("number {nth}"), "query": query })
        };
        Some(Reply::Json(json!({
            "findings": [{
                "evidence": [1], "statement": "Street trees lowered the afternoon air temperature by 1.9 degrees.",
                "sub_question": 1, "confidence": 0.9,
            }],
            "themes": [], "contradictions": [], "gaps": [gap(1), gap(2), gap(3)],
            "sufficient": false, "reason": "Three points are open.", "answered": "partly",
            "confidence": 0.5,
        })))
    });
    let world = World::open(script);
    let ran = world.report(&[]);
    let report = ran.result()["report"].clone();
    let [plan, analysis, ..] = world.judgements();
    let rounds = report["method"]["rounds"].as_array().unwrap();
    let stops: Vec<_> = rounds.iter().map(|round| &round["stop"]).collect();
    println!("{:?} {stops:?} {}", world.judgements(), caveats(&report));
    assert_eq!((plan, analysis), (1, 3));
    let searches = world.searches();
    for round in 0..2 {
        let of_round = |query: &&String| query.ends_with(&format!("of round {round}"));
        assert_eq!(searches.iter().filter(of_round).count(), 3, "{searches:?}");
    }
    assert_eq!(searches.len(), 3 + 6, "{searches:?}");
    // The web here has no more than three pages, so the second search for gaps brings nothing new either.
    assert_eq!(stops, [&json!(null), &json!(null), &json!("nothing_new")]);
    assert_eq!(report["gaps"].as_array().unwrap().len(), 3);
}
