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
            // In words of the plan, which a query is held to; "zebras" is not one of them.
            let aspect = ["water", "cooling", "cost"][nth - 1];
            let round = ["known", "about"][before.min(1)];
            let query = format!("zebras {aspect} trees {round}");
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
        let word = ["known", "about"][round];
        let of_round = |query: &&String| query.ends_with(&format!("trees {word}"));
        assert_eq!(searches.iter().filter(of_round).count(), 3, "{searches:?}");
    }
    assert_eq!(searches.len(), 3 + 6, "{searches:?}");
    // The web here has no more than three pages, so the second search for gaps brings nothing new either.
    assert_eq!(stops, [&json!(null), &json!(null), &json!("nothing_new")]);
    assert_eq!(report["gaps"].as_array().unwrap().len(), 3);
}

#[test]
fn one_round_is_not_two_and_a_gap_that_was_searched_for_is_told_so() {
    let script = Script::sensible(pages()).answering(|prompt, _| {
        (prompt.judgement == Judgement::Analysis).then(|| {
            let mut analysis = prompt.analysis();
            let gap = json!({ "sub_question": 1, "missing": "how much", "query": "street trees cooling" });
            analysis["gaps"] = json!([gap, gap, gap]);
            analysis["sufficient"] = json!(false);
            analysis["findings"][0]["confidence"] = json!(0.3);
            Reply::Json(analysis)
        })
    });
    let world = World::open(script);
    let report = world.report(&[]).result()["report"].clone();
    let rounds = report["method"]["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), 1, "{rounds:?}");
    assert_eq!(rounds[0]["stop"], "already_asked");
    assert!(rounds[0]["new_evidence"].as_u64().unwrap() > 0);
}

#[test]
fn a_report_holds_the_plan_the_results_of_each_sub_question_and_what_cut_it_short() {
    let script = Script::sensible(pages()).answering(|prompt, _| match prompt.judgement {
        Judgement::Plan => {
            let mut plan = prompt.plan();
            plan["warnings"] = json!(["A tree may be a shrub."]);
            Some(Reply::Json(plan))
        }
        _ => None,
    });
    let world = World::open(script);
    let ran = world.report(&[]);
    let report = ran.complete();
    let method = &report["method"];
    assert_eq!(method["trace"][0]["part"], "understanding");
    // A model's sentence is marked where it says more than the question.
    let marked = "A tree may be a shrub. *(not confirmed)*";
    assert_eq!(
        method["trace"][0]["text"],
        "It asks for facts. *(not confirmed)*"
    );
    assert_eq!(method["warnings"], json!([marked]));
    assert_eq!(method["coverage"], json!([3, 3, 3]));
    assert_eq!(method.get("insufficient_termination"), None);
    let run = ran.result()["run"].as_str().unwrap().to_owned();
    for format in ["md", "html"] {
        let told = world.run(&["runs", "export", &run, "--format", format]).out;
        let plain = told.replace("<em>", "*").replace("</em>", "*");
        assert!(plain.contains(marked), "{told}");
        assert!(told.contains("(3 results)"), "{told}");
    }

    let gaps = Script::sensible(pages()).answering(|prompt, _| {
        (prompt.judgement == Judgement::Analysis).then(|| {
            let mut analysis = prompt.analysis();
            let gap =
                |query: &str| json!({ "sub_question": 1, "missing": "how much", "query": query });
            analysis["gaps"] = json!([gap("cost known"), gap("water known"), gap("trees known")]);
            analysis["sufficient"] = json!(false);
            analysis["findings"][0]["confidence"] = json!(0.3);
            Reply::Json(analysis)
        })
    });
    let world = World::open(gaps);
    let caps = [("FATHOM_REPORT_CAPS_QUERIES", "3")];
    let ran = world.run_with(&caps, &["report", QUESTION, "--json", "-q"]);
    let method = &ran.result()["report"]["method"];
    let cut = &method["insufficient_termination"];
    assert_eq!(cut["reason"], "queries", "{method}");
    assert_eq!(cut["missing"][0], "how much");
}

#[test]
fn a_reason_for_a_partial_report_is_true() {
    let script = Script::sensible(pages()).answering(|prompt, _| {
        (prompt.judgement == Judgement::Review).then(|| {
            let item = json!({
                "severity": "critical", "category": "accuracy", "section": 1, "place": "section",
                "description": "The number is another.", "fix": "Give the number of the source.",
            });
            let scores = [
                "accuracy",
                "completeness",
                "coherence",
                "citation",
                "methodology",
                "style",
            ];
            let mut review = json!({ "items": [item], "summary": "Read." });
            for score in scores {
                review[score] = json!(10.0);
            }
            Reply::Json(review)
        })
    });
    let world = World::open(script);
    let (_, reason) = world.report(&[]).partial();
    assert!(!reason.contains("10.0 of 10"), "{reason}");
    assert!(reason.contains("1 critical and 0 major faults"), "{reason}");
}

#[test]
fn an_answer_from_one_source_where_most_pages_cannot_be_read_says_so_first() {
    let world = World::open(Script::sensible(pages()).readable_until(1));
    let ran = world.report(&["--depth", "quick"]);
    let report = ran.result()["report"].clone();
    let first = report["caveats"][0].as_str().unwrap_or_default();
    assert!(
        first.starts_with("2 of 3 pages could not be read"),
        "{report}"
    );
}

#[test]
fn the_free_copy_of_a_work_is_read_before_its_page() {
    let world = World::open(Script::sensible(pages()).with_copy(0, 1).with_copy(1, 9));
    let openalex = world.stage.openalex_url();
    let settings = [
        ("FATHOM_SEARCH_WEB", "openalex"),
        ("FATHOM_OPENALEX_URL", &openalex),
    ];
    let ran = world.run_with(&settings, &["report", QUESTION, "--json", "-q"]);
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
    let calls = world.stage.calls().into_iter();
    let read: Vec<String> = calls
        .filter(|call| call.kind == "page")
        .map(|call| call.key)
        .collect();
    assert!(
        !read.contains(&"0".to_owned()),
        "its copy is read instead: {read:?}"
    );
    assert!(read.contains(&"9".to_owned()), "{read:?}");
    assert!(
        read.contains(&"1".to_owned()),
        "a copy that is not there costs the page nothing: {read:?}"
    );
    let locations = ran.result()["report"]["sources"].to_string();
    assert!(
        !locations.contains("/pages/9"),
        "a work is cited by its own page: {locations}"
    );
}
