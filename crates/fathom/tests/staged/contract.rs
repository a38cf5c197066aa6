//! Lines of the contract that a reader sees in the report: revisions, relaxed evidence, searches for gaps.

use std::sync::{Arc, Mutex};

use fathom_testworld::{Judgement, Page, Prompt, Reply, Script};
use serde_json::{Value, json};

use super::world::{QUESTION, World, pages};

/// A review with a critical remark on the first section, a major one on the summary and a minor one on the second section.
fn strict_review() -> Reply {
    let item = |severity: &str, place: &str, description: &str, fix: &str| {
        json!({
            "category": "accuracy", "severity": severity, "place": place,
            "description": description, "fix": fix,
        })
    };
    let Reply::Json(mut review) = Reply::review(9.0) else {
        panic!("a review is JSON")
    };
    review["items"] = json!([
        item("minor", "2", "A word too many.", ""),
        item(
            "major",
            "summary",
            "It leaves the cost out.",
            "Name the cost."
        ),
        item(
            "critical",
            "1",
            "The number is another.",
            "Give the number of the source."
        ),
    ]);
    Reply::Json(review)
}

/// The prompts for one part of the second draft.
fn second<'a>(prompts: &'a [Prompt], task: &str) -> Vec<&'a Prompt> {
    let again = prompts.iter().filter(|prompt| {
        prompt
            .user
            .contains("A reviewer of the last version found:")
    });
    again.filter(|prompt| prompt.user.contains(task)).collect()
}

#[test]
fn a_revision_gets_the_last_version_and_every_grave_remark_and_says_what_it_changed() {
    let asked = Arc::<Mutex<Vec<Prompt>>>::default();
    let seen = Arc::clone(&asked);
    let script = Script::sensible(pages()).answering(move |prompt, before| {
        seen.lock().unwrap().push(prompt.clone());
        let is_revision = prompt
            .user
            .contains("A reviewer of the last version found:");
        match prompt.judgement {
            Judgement::Review if before == 0 => Some(strict_review()),
            _ if is_revision => Some(prompt.sentences(1)),
            _ => None,
        }
    });
    let world = World::open(script);
    let ran = world.report(&[]);
    let report = ran.complete();
    let asked = asked.lock().unwrap();
    let critical =
        "- critical: The number is another. To put it right: Give the number of the source.";
    let major = "- major: It leaves the cost out. To put it right: Name the cost.";

    let section = second(&asked, "Task: Write the section “The cooling”");
    assert_eq!(section.len(), 1);
    assert!(section[0].user.contains(critical), "{}", section[0].user);
    assert!(!section[0].user.contains(major), "{}", section[0].user);
    let last = "The last version was:\n<draft>\n“Street trees";
    assert!(section[0].user.contains(last), "{}", section[0].user);
    // Who says again what the sections say is told what must not go out.
    let summary = second(&asked, "Task: Write the summary");
    assert_eq!(summary.len(), 1);
    assert!(summary[0].user.contains(critical) && summary[0].user.contains(major));
    assert_eq!(second(&asked, "Task: Write the conclusion").len(), 1);
    assert_eq!(
        second(&asked, "Task: Write the section “The water”").len(),
        0
    );
    assert_eq!(world.judgements(), [1, 1, 4, 2, 2]);

    let revisions = report["method"]["revisions"].as_array().unwrap();
    let told: Vec<&str> = revisions
        .iter()
        .map(|note| note.as_str().unwrap())
        .collect();
    let of = |part: &str| told.iter().find(|note| note.contains(part));
    let summary = of("Draft 2, summary: 0 new sentences, ").unwrap_or_else(|| panic!("{told:?}"));
    assert!(summary.ends_with("removed, for 1 critical remark and 1 major remark."));
    assert!(
        of("“The cooling”").is_some() && of("“The water”").is_none(),
        "{told:?}"
    );
    let run = ran.result()["run"].as_str().unwrap().to_owned();
    for format in ["md", "html"] {
        let shown = world.run(&["runs", "export", &run, "--format", format]).out;
        assert!(
            shown.contains("Draft 2, summary: 0 new sentences"),
            "{shown}"
        );
        assert!(
            !shown.contains("The number is another"),
            "a remark is not part of the text"
        );
    }
}

/// A plan with one more sub-question, which only a page that hardly fits it is found for.
fn plan_with_garages(prompt: &Prompt) -> Reply {
    let mut plan = prompt.plan();
    let question = "Which insurers paid when hailstorms broke the windows of garages?";
    let add = |list: &mut Value, one: Value| list.as_array_mut().unwrap().push(one);
    add(
        &mut plan["sub_questions"],
        json!({ "text": question, "needs": [] }),
    );
    add(
        &mut plan["queries"],
        json!({ "text": "garages", "intent": "insurers", "kind": "web", "priority": 4, "serves": 4 }),
    );
    add(
        &mut plan["sections"],
        json!({ "title": "The garages", "answers": [4] }),
    );
    Reply::Json(plan)
}

#[test]
fn evidence_that_relaxed_rules_accepted_is_marked_where_it_is_quoted() {
    let mut web = pages();
    web.push(Page {
        title: "Garages of Dunmere".to_owned(),
        text: "A night in one of the garages of Dunmere costs four euros since last autumn."
            .to_owned(),
    });
    let script = Script::sensible(web).answering(|prompt, _| match prompt.judgement {
        Judgement::Plan => Some(plan_with_garages(prompt)),
        _ => None,
    });
    let world = World::open(script);
    let ran = world.report(&[]);
    let report = ran.result()["report"].clone();
    let log = report["method"]["validation_retry_log"].to_string();
    assert!(log.contains("insurers"), "{log}");
    let claims = report["claims"].as_array().unwrap();
    let is_of_garages = |claim: &&Value| claim["text"].to_string().contains("garages");
    let (garages, others): (Vec<&Value>, Vec<&Value>) = claims.iter().partition(is_of_garages);
    assert!(!garages.is_empty() && !others.is_empty(), "{report}");
    assert!(
        garages
            .iter()
            .all(|claim| claim["proofs"][0]["relaxed"] == true),
        "{garages:?}"
    );
    assert!(
        others
            .iter()
            .all(|claim| claim["proofs"][0].get("relaxed").is_none()),
        "{others:?}"
    );
    let run = ran.result()["run"].as_str().unwrap().to_owned();
    for (format, mark) in [("md", "*(weak match)*"), ("html", "<em>(weak match)</em>")] {
        let words = ["runs", "export", &run, "--format", format, "--proofs"];
        let shown = world.run(&words).out;
        let quoted = shown
            .lines()
            .filter(|line| line.contains("costs four euros"));
        let marked = quoted.filter(|line| line.contains(mark)).count();
        assert!(marked > 0, "{shown}");
        assert_eq!(
            shown.matches(mark).count(),
            marked,
            "nothing else is marked: {shown}"
        );
        assert!(shown.contains("accepted under relaxed rules"), "{shown}");
        assert!(
            shown.contains("Second looks under relaxed rules"),
            "{shown}"
        );
    }
}

#[test]
fn gaps_of_a_scholarly_question_are_searched_for_among_works() {
    for (kind, among_works) in [("academic", true), ("web", false)] {
        let scholar = World::open(Script::sensible(pages()));
        let script = Script::sensible(pages()).answering(move |prompt, _| match prompt.judgement {
            Judgement::Plan => {
                let mut plan = prompt.plan();
                for query in plan["queries"].as_array_mut().unwrap() {
                    query["kind"] = json!(kind);
                }
                Some(Reply::Json(plan))
            }
            Judgement::Analysis => {
                let mut analysis = prompt.analysis();
                let gap = |query: &str| json!({ "sub_question": 1, "missing": "how much", "query": query });
                analysis["gaps"] = json!([gap("cost known"), gap("water known"), gap("trees known")]);
                analysis["sufficient"] = json!(false);
                analysis["findings"][0]["confidence"] = json!(0.3);
                Some(Reply::Json(analysis))
            }
            _ => None,
        });
        let world = World::open(script);
        let openalex = scholar.stage.openalex_url();
        let allowed = format!(
            "{},{}",
            world.stage.fetch_allow(),
            scholar.stage.fetch_allow()
        );
        let settings = [
            ("FATHOM_SEARCH_ACADEMIC", "openalex"),
            ("FATHOM_OPENALEX_URL", openalex.as_str()),
            ("FATHOM_FETCH_ALLOW", allowed.as_str()),
        ];
        let ran = world.run_with(&settings, &["report", QUESTION, "--json", "-q"]);
        assert!([0, 3].contains(&ran.code), "{}", ran.err);
        let has_gap = |searches: Vec<String>| searches.iter().any(|query| query.contains("known"));
        assert_eq!(
            has_gap(scholar.searches()),
            among_works,
            "{:?}",
            scholar.searches()
        );
        assert_eq!(
            has_gap(world.searches()),
            !among_works,
            "{:?}",
            world.searches()
        );
    }
}
