//! Models that lie wherever they can, that are honest, that hang and that are slow: whatever they do, there is a report, and
//! no sentence of theirs reaches the reader unchecked.

use std::time::Duration;

use fathom_testworld::{Judgement, Page, Prompt, Reply, Script};
use serde_json::{Value, json};

use super::world::{QUESTION, World, caveats, pages};

/// Stands in every lie, and in no page.
const LIE: &str = "mercury";

/// What a reader sees behind a sentence that nobody could confirm.
const MARK: &str = "not confirmed";

fn lying(prompt: &Prompt) -> Reply {
    let lie =
        |place: &str| format!("Street trees give off mercury in every {place} of Halvern [99].");
    match prompt.judgement {
        Judgement::Rephrase => {
            Reply::rephrased(&["street trees mercury poisoning"], &lie("document"))
        }
        Judgement::Plan => {
            let mut plan = prompt.plan();
            for field in [
                "understanding",
                "decomposition",
                "strategy",
                "outline",
                "risks",
                "methodology",
            ] {
                plan[field] = json!(lie(field));
            }
            plan["warnings"] = json!([lie("warning")]);
            plan["sub_questions"][0]["text"] =
                json!("How many people did the mercury of street trees kill?");
            plan["sections"][0]["title"] = json!("Mercury of street trees kills 40 people [99]");
            plan["queries"][0]["intent"] = json!(lie("intent"));
            Reply::Json(plan)
        }
        Judgement::Analysis => Reply::Json(json!({
            "findings": [{ "evidence": [1], "statement": lie("finding"), "sub_question": 1, "confidence": 1.0 },
                { "evidence": [2], "statement": lie("finding"), "sub_question": 2, "confidence": 1.0 }],
            "themes": [{ "label": lie("theme"), "findings": [1] }],
            "contradictions": [{ "left_evidence": 1, "right_evidence": 2, "about": lie("disagreement"),
                "weighed": lie("weighing") }],
            "gaps": [{ "sub_question": 1, "missing": lie("gap"), "query": "mercury of street trees" }],
            "sufficient": true, "reason": lie("reason"), "answered": "yes", "confidence": 1.0,
        })),
        Judgement::Section | Judgement::Frame | Judgement::Sentences => lies(&lie),
        Judgement::Review => {
            let mut review = Reply::review(10.0);
            if let Reply::Json(review) = &mut review {
                review["summary"] = json!(lie("summary"));
                review["items"] = json!([{ "category": "style", "severity": "major", "place": "whole",
                    "description": lie("remark"), "fix": lie("fix") }]);
            }
            review
        }
        Judgement::Support => prompt.verdicts(|_| "not_supported"),
        Judgement::Relevance => prompt.relevance(|_| 10.0),
        Judgement::Action => Reply::action("web_search", Some("street trees mercury"), None),
    }
}

/// Lies of every form that a check might not look at.
fn lies(lie: &dyn Fn(&str) -> String) -> Reply {
    let texts = [
        lie("street"),
        format!("This report finds that {}", lie("town")),
        format!("Note: {}", lie("note")),
        "Why does the mercury of street trees kill 40 people?".to_owned(),
        format!("# {}", lie("heading")),
        format!("```\n{}\n```", lie("code")),
        "The mercury of street trees has these effects on every person of Halvern:".to_owned(),
        "| town | mercury |\n| --- | --- |\n| Halvern | 40 |".to_owned(),
        "See [the mercury study](https://mercury.example/street-trees) of every town.".to_owned(),
        "Street trees lowered the afternoon air temperature by 9.9 degrees in the trial of Halvern"
            .to_owned(),
        "Young street trees need 210 litres of water a week in their first summer".to_owned(),
    ];
    let sentence = |text: &String| json!({ "evidence": [1, 2, 99], "text": text, "kind": "fact" });
    let sentences: Vec<Value> = texts.iter().map(sentence).collect();
    Reply::Json(json!({ "sentences": sentences, "answered": "yes", "missing": lie("hole") }))
}

/// Every line of a text with a lie that does not say it is unconfirmed.
fn unmarked(text: &str) -> Vec<&str> {
    let false_words = [LIE, "Mercury", "9.9", "210 litres", "[99]"];
    let lies = |line: &&str| false_words.iter().any(|words| line.contains(words));
    let left = text.lines().filter(lies);
    left.filter(|line| line.contains("[99]") || !line.contains(MARK))
        .collect()
}

#[test]
fn a_model_that_lies_everywhere_gets_no_lie_past_the_check() {
    let script = Script::sensible(pages()).answering(|prompt, _| Some(lying(prompt)));
    let world = World::open(script);
    let ran = world.run(&["report", QUESTION, "-q", "--format", "md"]);
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
    let left = unmarked(&ran.out);
    println!(
        "{} lines, {} lies unmarked",
        ran.out.lines().count(),
        left.len()
    );
    assert!(left.is_empty(), "{left:#?}\n{}", ran.out);
    assert!(
        ran.out.contains("1.9 degrees"),
        "the sources speak: {}",
        ran.out
    );
    let report = world.report(&[]).result()["report"].clone();
    let removed = report["figures"]["claims"]["removed"].as_u64().unwrap();
    println!("{removed} sentences removed");
    assert!(removed >= 10, "the figures count what went: {removed}");
    assert_ne!(report["answer"]["answered"], "yes", "{}", report["answer"]);
    assert_ne!(report["confidence"], "high");
}

#[test]
fn an_honest_model_is_cited_rightly_everywhere() {
    let honest = |prompt: &Prompt, _: usize| {
        let told = [
            (
                "1.9 degrees",
                "Street trees lowered the afternoon air temperature by 1.9 degrees in the trial of Halvern",
            ),
            (
                "120 litres",
                "Young street trees need 120 litres of water a week in their first summer",
            ),
            (
                "2,100 euros",
                "The cost of one street tree over forty years was 2,100 euros in Dunmere",
            ),
        ];
        match prompt.judgement {
            Judgement::Section | Judgement::Frame | Judgement::Sentences => {
                let sentences: Vec<(u64, &str)> = told
                    .iter()
                    .filter_map(|(words, text)| Some((prompt.passage_with(words)?, *text)))
                    .collect();
                let sentences: Vec<(&[u64], &str)> = sentences
                    .iter()
                    .map(|(number, text)| (std::slice::from_ref(number), *text))
                    .collect();
                Some(Reply::sentences(&sentences))
            }
            _ => None,
        }
    };
    let world = World::open(Script::sensible(pages()).answering(honest));
    let report = world.report(&[]).complete();
    let claims = report["claims"].as_array().unwrap();
    assert!(claims.len() >= 9, "{claims:#?}");
    let titles = [("1.9", "cooling"), ("120", "Water"), ("2,100", "cost")];
    let mut wrong = 0;
    for claim in claims {
        let text = claim["text"].as_str().unwrap();
        let (_, title) = titles
            .iter()
            .find(|(words, _)| text.contains(words))
            .unwrap();
        let cited = claim["sources"].as_array().unwrap();
        let named = |number: &Value| {
            let source = &report["sources"][number.as_u64().unwrap() as usize - 1];
            source["title"].as_str().unwrap().contains(title)
        };
        wrong += usize::from(cited.len() != 1 || !cited.iter().all(named));
    }
    println!("{} claims, {wrong} cited wrongly", claims.len());
    assert_eq!(wrong, 0, "{claims:#?}");
    let sections = report["sections"].to_string();
    for text in [
        &report["answer"]["text"],
        &report["summary"],
        &report["conclusion"],
    ] {
        assert!(
            !text.to_string().contains(MARK) && !sections.contains(MARK),
            "{report}"
        );
    }
    assert_eq!(report["answer"]["answered"], "yes");
}

#[test]
fn the_numbers_in_gaps_and_disagreements_are_those_of_the_report() {
    // More pages than are cited, so that numbers change between the run and the report.
    let page = |number: usize| Page {
        title: format!("Street trees of town {number}"),
        text: format!("Street trees of town {number} need {number}0 litres of water."),
    };
    let script = Script::sensible((1..=9).map(page).collect()).answering(|prompt, _| {
        (prompt.judgement == Judgement::Sentences).then(|| {
            let number = prompt.passage_with("90 litres").unwrap();
            Reply::sentences(&[(&[number], "Street trees of town 9 need 90 litres of water")])
        })
    });
    let report = World::open(script).report(&[]).result()["report"].clone();
    let sources = report["sources"].as_array().unwrap().len();
    let text = report.to_string();
    let cited = text
        .split('[')
        .filter_map(|part| part.split(']').next()?.parse::<usize>().ok());
    assert!(cited.clone().count() > 0);
    assert!(cited.clone().all(|number| number <= sources), "{text}");
}

#[test]
fn a_model_that_hangs_leaves_the_brief() {
    let script = Script::sensible(pages()).answering(|_, _| Some(Reply::Hangs));
    let world = World::open(script);
    let ran = world.report(&["--max-time", "8"]);
    let report = ran.result()["report"].clone();
    let text = report["answer"]["text"].as_str().unwrap();
    assert!(text.contains("street trees"), "{report}");
    assert!(!report["sections"].as_array().unwrap().is_empty());
    assert!(
        caveats(&report).contains("extractive"),
        "{}",
        caveats(&report)
    );
}

#[test]
fn a_slow_model_writes_the_answer_and_no_more() {
    // An answer takes as long as a model of a few tokens a second, for the time that the run has.
    let own =
        "Street trees lowered the afternoon air temperature by 1.9 degrees in the trial of Halvern";
    let script = Script::sensible(pages())
        .taking(Duration::from_millis(400))
        .answering(move |prompt, _| {
            let number = prompt.passage_with("1.9 degrees")?;
            (prompt.judgement == Judgement::Sentences)
                .then(|| Reply::sentences(&[(&[number], own)]))
        });
    let world = World::open(script);
    let ran = world.report(&["--max-time", "20"]);
    let report = ran.complete();
    assert_eq!(world.judgements(), [0, 0, 0, 1, 0]);
    let text = report["answer"]["text"].as_str().unwrap();
    assert!(text.starts_with(own), "the model's sentence first: {text}");
    assert!(
        text.contains("> "),
        "and the sources' words under it: {text}"
    );
    assert!(caveats(&report).contains("is slow"), "{}", caveats(&report));
}

type Manner = Box<dyn Fn(&Prompt, usize) -> Option<Reply> + Send + Sync>;

/// Endpoints that are hard to work with, and what the reader is told where one could not be used.
fn manners() -> Vec<(&'static str, Manner, &'static str)> {
    let no_schema = json!({ "error": { "param": "response_format", "message": "not supported" } });
    let no_system = json!({ "error": { "message": "roles must be user or assistant" } });
    let is_written = |prompt: &Prompt| {
        let written = [Judgement::Section, Judgement::Frame, Judgement::Sentences];
        written.contains(&prompt.judgement)
    };
    let unused = "because the language model could not be used.";
    let cut = |prompt: &Prompt| {
        let Reply::Json(answer) = prompt.sensible() else {
            return None;
        };
        Some(Reply::Cut(answer.to_string().chars().take(60).collect()))
    };
    vec![
        (
            "refuses schemas",
            Box::new(move |prompt, _| {
                let asked = prompt.body.contains("\"response_format\"");
                asked.then(|| Reply::Status(400, no_schema.clone()))
            }),
            "",
        ),
        (
            "knows no system role",
            Box::new(move |prompt, _| {
                (!prompt.system.is_empty()).then(|| Reply::Status(400, no_system.clone()))
            }),
            "",
        ),
        (
            "answers nothing",
            Box::new(|_, _| Some(Reply::Text(String::new()))),
            unused,
        ),
        (
            "returns no choices",
            Box::new(|_, _| Some(Reply::NoChoices)),
            unused,
        ),
        (
            "cuts every answer",
            Box::new(move |prompt, _| cut(prompt)),
            unused,
        ),
        (
            "answers in another language",
            Box::new(move |prompt, _| {
                let german =
                    "Straßenbäume senken die Temperatur der Luft am Nachmittag um 1,9 Grad";
                is_written(prompt).then(|| Reply::sentences(&[(&[1], german)]))
            }),
            "",
        ),
        (
            "streams nothing but signs of life",
            Box::new(|_, _| Some(Reply::Pings)),
            unused,
        ),
    ]
}

#[test]
fn endpoints_with_manners_of_their_own_end_in_a_report() {
    for (name, manner, told) in manners() {
        let world = World::open(
            Script::sensible(pages()).answering(move |prompt, before| manner(prompt, before)),
        );
        let time = if name.starts_with("streams") {
            "8"
        } else {
            "60"
        };
        let ran = world.report(&["--max-time", time]);
        let report = ran.result()["report"].clone();
        let text = format!("{} {}", report["answer"]["text"], report["sections"]);
        println!(
            "{name}: exit {}, {}: {}",
            ran.code,
            report["answer"]["answered"],
            caveats(&report)
        );
        let words = ["street trees", "straßenbäume"];
        let text = text.to_lowercase();
        assert!(
            words.iter().any(|words| text.contains(words)),
            "{name}: {report}"
        );
        let telling = caveats(&report);
        let telling = telling
            .lines()
            .filter(|line| !told.is_empty() && line.ends_with(told));
        assert_eq!(
            telling.count(),
            usize::from(!told.is_empty()),
            "{name}: one sentence tells it: {}",
            caveats(&report)
        );
    }
}

#[test]
fn keys_go_out_in_the_order_in_which_they_are_to_be_thought() {
    let seen = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let noted = std::sync::Arc::clone(&seen);
    let script = Script::sensible(pages()).answering(move |prompt, _| {
        if prompt.judgement == Judgement::Sentences {
            noted.lock().unwrap().clone_from(&prompt.body);
        }
        None
    });
    World::open(script).report(&[]).complete();
    let body = seen.lock().unwrap().clone();
    let schema = body.split_once("\"json_schema\"").unwrap().1;
    let place = |key: &str| {
        schema
            .find(key)
            .unwrap_or_else(|| panic!("{key}: {schema}"))
    };
    let order = [
        "\"sentences\":{",
        "\"evidence\":{",
        "\"text\":{",
        "\"kind\":{",
        "\"answered\":{",
        "\"missing\":{",
    ];
    let places: Vec<usize> = order.iter().map(|key| place(key)).collect();
    assert!(places.is_sorted(), "{schema}");
}
