//! `fathom ask` with a model: sentences that rest on passages, and passages where the model fails.

use fathom_testworld::{Judgement, Reply, Script};
use serde_json::Value;

use super::world::{Ran, World, pages};

const ASKED: &str = "How much water do young street trees need?";
const GOOD: &str = "Young street trees need 120 litres of water a week in their first summer.";

/// Asks over the pages as files of a library.
fn ask(world: &World, environment: &[(&str, &str)]) -> Ran {
    for (nth, page) in pages().iter().enumerate() {
        let file = world.path(&format!("library/{nth}.md"));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, format!("# {}\n\n{}\n", page.title, page.text)).unwrap();
    }
    let words = ["ask", ASKED, "--library", "library", "--json", "-q"];
    world.run_with(environment, &words)
}

fn answer(ran: &Ran) -> Value {
    assert_eq!(ran.code, 0, "{}", ran.err);
    ran.result()["answer"].clone()
}

#[test]
fn a_model_answers_with_sentences_that_name_their_passages() {
    let script = Script::sensible(pages()).answering(|prompt, _| match prompt.judgement {
        Judgement::Sentences => {
            let number = prompt.passage_with("120 litres")?;
            Some(Reply::sentences(&[(&[number], GOOD)]))
        }
        _ => None,
    });
    let world = World::open(script);
    let answer = answer(&ask(&world, &[]));
    assert_eq!(answer["answered"], "yes", "{answer}");
    let sentences = answer["sentences"].as_array().unwrap();
    assert_eq!(sentences.len(), 1, "{answer}");
    assert_eq!(
        (&sentences[0]["text"], &sentences[0]["quoted"]),
        (&GOOD.into(), &false.into())
    );
    assert_eq!(sentences[0]["sources"], serde_json::json!([1]));
    let passage = answer["sources"][0]["passage"].as_str().unwrap();
    assert!(passage.contains("120 litres"), "{answer}");
    assert_eq!(answer["sources"][0]["location"], "1.md", "{answer}");
}

#[test]
fn a_number_that_leads_to_no_passage_never_reaches_the_reader() {
    let script = Script::sensible(pages()).answering(|prompt, _| match prompt.judgement {
        Judgement::Sentences => {
            let number = prompt.passage_with("120 litres")?;
            let own = "Street trees are planted by robots in the year 2050.";
            Some(Reply::sentences(&[(&[number, 77], GOOD), (&[99], own)]))
        }
        _ => None,
    });
    let world = World::open(script);
    let answer = answer(&ask(&world, &[]));
    assert!(!answer.to_string().contains("robots"), "{answer}");
    // Times and ids may have any digits.
    let shown = format!("{} {}", answer["text"], answer["sentences"]);
    assert!(!shown.contains("77") && !shown.contains("99"), "{shown}");
    assert!(shown.contains(GOOD), "{shown}");
    let sources = answer["sources"].as_array().unwrap().len() as u64;
    for sentence in answer["sentences"].as_array().unwrap() {
        let cited = sentence["sources"].as_array().unwrap();
        let known = |number: &Value| (1..=sources).contains(&number.as_u64().unwrap());
        assert!(!cited.is_empty() && cited.iter().all(known), "{sentence}");
    }
}

#[test]
fn a_model_that_hangs_or_fails_gives_the_passages_and_says_so() {
    for reply in [Reply::Hangs, Reply::Text("I would rather not.".to_owned())] {
        let script = Script::sensible(pages()).answering(move |_, _| Some(reply.clone()));
        let world = World::open(script);
        let answer = answer(&ask(&world, &[("FATHOM_ASK_MAX_EXECUTION_TIME_S", "6")]));
        assert_eq!(answer["status"], "answer", "{answer}");
        assert!(
            answer["text"].as_str().unwrap().contains("120 litres"),
            "{answer}"
        );
        let quoted = |sentence: &Value| sentence["quoted"] == true;
        assert!(
            answer["sentences"].as_array().unwrap().iter().all(quoted),
            "{answer}"
        );
        assert_ne!(answer["caveats"], serde_json::json!([]), "{answer}");
    }
}
