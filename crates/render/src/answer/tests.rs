use super::*;

fn source(number: u32, location: &str, passage: &str) -> AnswerSource {
    AnswerSource {
        number: SourceId(number),
        kind: SourceKind::Local,
        location: location.to_owned(),
        title: "Street trees".to_owned(),
        section: Some("Nights".to_owned()),
        page: None,
        line: None,
        passage: passage.to_owned(),
        relevance: 0.8,
    }
}

fn assessment(quality: f64, below: Vec<Shortfall>) -> Assessment {
    Assessment {
        quality,
        coverage: 0.9,
        relevance: 0.8,
        results: 7,
        below,
    }
}

/// An answer of one quote and one written sentence, found at the first attempt.
fn sample() -> Answer {
    Answer {
        question: "How much do trees cool at night?".to_owned(),
        understood_as: None,
        language: Language::ENGLISH,
        status: AnswerStatus::Answer,
        answered: Answered::Yes,
        reason: "the words of the question stand together in the passages quoted".to_owned(),
        sentences: vec![
            AnswerSentence {
                text: "At night trees cool by 0.3 °C <b>only</b>.".to_owned(),
                quoted: true,
                confirmed: true,
                sources: vec![SourceId(1)],
            },
            AnswerSentence {
                text: "Two towns were measured.".to_owned(),
                quoted: false,
                confirmed: true,
                sources: vec![SourceId(1), SourceId(2)],
            },
        ],
        sources: vec![
            AnswerSource {
                page: Some(4),
                ..source(
                    1,
                    "night.pdf",
                    "At night trees cool by 0.3 °C <b>only</b>. See [3].",
                )
            },
            AnswerSource {
                line: Some(12),
                section: None,
                ..source(2, "towns/two.md", "# Two towns\nwere measured.")
            },
            source(3, "further.docx", "Something near."),
        ],
        confidence: 0.85,
        assessments: vec![assessment(0.8, Vec::new())],
        stages: ["analyse", "retrieve", "rerank", "assess", "generate"]
            .map(|stage| StageTime {
                stage: stage.to_owned(),
                ms: 3,
            })
            .into(),
        caveats: Vec::new(),
        reasoner: EXTRACTIVE.to_owned(),
        finished_at: Timestamp::UNIX_EPOCH,
    }
}

/// Searched twice, and poor both times.
fn poor() -> Answer {
    let below = |value| {
        vec![
            Shortfall {
                measure: Measure::Quality,
                value,
                wanted: 0.7,
            },
            Shortfall {
                measure: Measure::Results,
                value: 2.0,
                wanted: 5.0,
            },
        ]
    };
    Answer {
        question: "und nachts?".to_owned(),
        understood_as: Some("Wie stark kühlen Bäume, und nachts?".to_owned()),
        language: "de".parse().unwrap(),
        answered: Answered::No,
        reason: "Die Dokumente sagen nichts über „Bäume“.".to_owned(),
        sentences: Vec::new(),
        assessments: vec![assessment(0.3, below(0.3)), assessment(0.4, below(0.4))],
        ..sample()
    }
}

#[test]
fn the_answer_comes_first_and_every_passage_says_where_it_stands() {
    insta::assert_snapshot!(markdown(&sample()));
}

#[test]
fn a_refusal_comes_before_what_is_near_and_warns_in_the_question_s_language() {
    insta::assert_snapshot!(markdown(&poor()));
}

#[test]
fn a_timeout_names_its_stage_and_keeps_the_times_of_those_before() {
    let timeout = Answer {
        status: AnswerStatus::Timeout {
            stage: "rerank".to_owned(),
        },
        answered: Answered::No,
        reason: String::new(),
        sentences: Vec::new(),
        sources: Vec::new(),
        assessments: Vec::new(),
        ..sample()
    };
    let text = markdown(&timeout);
    assert!(text.contains("“rerank”"), "{text}");
    assert!(text.contains("retrieve 3 ms"), "{text}");
    let told = value(&timeout);
    assert_eq!(told["status"], "timeout");
    assert_eq!(told["stage"], "rerank");
}

#[test]
fn a_page_has_no_markup_from_documents_and_leads_from_each_mark_to_its_passage() {
    let page = html(&sample());
    let tree = scraper::Html::parse_document(&page);
    let select = |words: &str| scraper::Selector::parse(words).expect("a selector");
    assert_eq!(tree.select(&select(".answer b, li b")).count(), 0);
    for link in tree.select(&select(".answer a")) {
        let to = link.value().attr("href").expect("an address");
        assert_eq!(tree.select(&select(to)).count(), 1, "{to}");
    }
    assert!(page.contains("night.pdf, page 4"), "{page}");
}

#[test]
fn json_is_read_back_as_the_same_answer_and_has_its_text() {
    for answer in [sample(), poor()] {
        let told = value(&answer);
        assert_eq!(told["text"], answer.text());
        assert_eq!(serde_json::from_value::<Answer>(told).unwrap(), answer);
    }
    assert_eq!(
        sample().text(),
        "At night trees cool by 0.3 °C <b>only</b>. [1]\n\nTwo towns were measured. [1] [2]"
    );
    assert_eq!(sample().cited().count(), 2);
    let mut doubtful = sample();
    doubtful.sentences[1].confirmed = false;
    assert!(doubtful.text().ends_with("[2] (not confirmed)"));
    assert!(markdown(&doubtful).contains("[2] *(not confirmed)*"));
    assert!(html(&doubtful).contains("<em>(not confirmed)</em>"));
    assert_eq!(value(&poor())["warnings"].as_array().map(Vec::len), Some(1));
}
