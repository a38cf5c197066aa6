use std::fmt::Write;

use super::{PlanHints, QuestionKind, plan, read};

const QUESTIONS: &[&str] = &[
    "How does intermittent fasting affect insulin sensitivity in adults with type 2 diabetes?",
    "What is retrieval-augmented generation?",
    "Why did the Roman Empire fall?",
    "How do vaccines produce long-term immunity?",
    "What are the effects of remote work on productivity since 2020?",
    "Is nuclear power safer than coal?",
    "Python vs Rust for data engineering",
    "How many people died in the 1918 flu pandemic?",
    "When was the printing press invented?",
    "Does creatine improve memory in older adults?",
    "What are the best treatments for migraine?",
    "How strong is the evidence that screen time harms sleep in teenagers?",
    "What caused the 2008 financial crisis?",
    "Should cities ban cars from their centres?",
    "What is the difference between TCP and UDP?",
    "What options exist for storing renewable energy?",
    "Compare electric cars and hydrogen cars on cost and range.",
    "Please tell me about the history of the bicycle.",
    "Impact of climate change on coffee production since 1990",
    "Who invented the telephone?",
    "Which countries have a wealth tax?",
    "What is known about long COVID in children?",
    "How effective are masks at preventing influenza?",
    "How is cement made?",
    "How can teachers reduce bullying in primary schools?",
    "Are eggs bad for you?",
    "What role does the gut microbiota play in depression?",
    "How has the price of solar panels changed since 2010?",
    "Is it true that vaccines cause autism?",
    "What are the advantages and disadvantages of microservices?",
    "What happens when a bank fails?",
    "How much does a heat pump cost to run?",
    "Why is the sky blue?",
    "Vitamin D and falls",
];

#[test]
fn plans_read_as_a_person_would_write_them() {
    let mut shown = String::new();
    for question in QUESTIONS {
        let reading = read(question);
        let plan = plan(&reading, &PlanHints::default());
        writeln!(shown, "{question}\n  {:?}", reading.kind).unwrap();
        for (nth, sub) in plan.sub_questions.iter().enumerate() {
            writeln!(shown, "  {nth} {} {:?}", sub.text, sub.needs).unwrap();
            writeln!(
                shown,
                "      {} | {}",
                plan.sections[nth].title,
                sub.queries.join(" / ")
            )
            .unwrap();
        }
        assert!((3..=7).contains(&plan.sub_questions.len()), "{question}");
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_sub_question_builds_only_on_earlier_ones() {
    for question in QUESTIONS {
        for (nth, sub) in plan(&read(question), &PlanHints::default())
            .sub_questions
            .iter()
            .enumerate()
        {
            assert!(sub.needs.iter().all(|needed| *needed < nth), "{question}");
            assert!(!sub.queries.is_empty() && sub.queries.iter().all(|query| !query.is_empty()));
            assert!(!sub.text.contains(['{', '[']), "{}", sub.text);
        }
    }
}

#[test]
fn for_whom_and_when_are_found() {
    let reading = read(QUESTIONS[0]);
    assert_eq!(reading.kind, QuestionKind::Effect);
    assert_eq!(reading.subject.as_deref(), Some("intermittent fasting"));
    assert_eq!(reading.outcome.as_deref(), Some("insulin sensitivity"));
    assert_eq!(
        reading.population.as_deref(),
        Some("adults with type 2 diabetes")
    );
    assert_eq!(read(QUESTIONS[18]).period.as_deref(), Some("since 1990"));
}

#[test]
fn a_domain_is_added_to_the_queries() {
    let hints = PlanHints {
        domain: vec!["cardiology".into()],
        ..PlanHints::default()
    };
    let plan = plan(&read("What is a stent?"), &hints);
    assert!(
        plan.sub_questions
            .iter()
            .all(|sub| sub.queries[0].ends_with("cardiology"))
    );
}

#[test]
fn the_context_narrows_queries_and_never_the_broad_one() {
    let hints = PlanHints {
        context: "We are a small hospital in Norway and plan for the next year of work.".into(),
        ..PlanHints::default()
    };
    let plan = plan(&read("What is a stent?"), &hints);
    for sub in &plan.sub_questions {
        assert!(!sub.queries[0].contains("hospital"));
        assert!(
            sub.queries[1].ends_with("small hospital Norway plan"),
            "{:?}",
            sub.queries
        );
    }
}

#[test]
fn a_question_in_another_language_is_quoted_and_searched_by_its_own_words() {
    for (question, language, query) in [
        (
            "Warum ist der Himmel blau und nicht grün?",
            "de",
            "Himmel blau grün",
        ),
        (
            "¿Cuáles son los efectos del cambio climático en la producción de café?",
            "es",
            "efectos cambio climático producción café",
        ),
        (
            "Почему вымерли динозавры и что об этом известно?",
            "ru",
            "Почему вымерли динозавры и что об этом известно",
        ),
        ("为什么天空是蓝色的？", "zh", "为什么天空是蓝色的"),
    ] {
        let reading = read(question);
        assert_eq!(reading.language.code(), language, "{question}");
        let plan = plan(&reading, &PlanHints::default());
        assert!((3..=7).contains(&plan.sub_questions.len()));
        for sub in plan.sub_questions {
            assert!(sub.text.contains(question), "{}", sub.text);
            assert_eq!(sub.queries, [query]);
        }
    }
}

#[test]
fn any_text_is_read_without_harm() {
    let long = "why ".repeat(3_000);
    for text in [
        "",
        "?",
        "how",
        "vs",
        "ß vs ß",
        "为什么天空是蓝色的？",
        "is a",
        "{subject} [x",
        &long,
    ] {
        let plan = plan(&read(text), &PlanHints::default());
        assert!(plan.sub_questions.len() >= 3, "{text}");
    }
}

#[test]
fn a_question_in_another_language_is_not_read_as_english() {
    let reading = super::read("was ist eigentlich ein Metapaket?");
    assert_eq!(reading.language.code(), "de");
    assert_eq!(reading.kind, super::QuestionKind::Other);
}
