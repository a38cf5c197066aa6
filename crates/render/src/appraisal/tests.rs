use fathom_evidence::validate::retry::SettingChange;

use super::*;

/// An appraisal whose domains are settled as given; `None` hangs on an unanswered question.
fn appraisal(
    label: &str,
    domains: [Option<Judgement>; 5],
    overall: Option<Judgement>,
) -> Appraisal {
    let possible = |judgement: Option<Judgement>| match judgement {
        Some(judgement) => vec![judgement],
        None => vec![Judgement::Low, Judgement::High],
    };
    let quote = AppraisalQuote {
        text: "Sealed <opaque> envelopes were used.".to_owned(),
        span: Span::new(10, 46),
        page: Some(3),
        section: Some("Methods".to_owned()),
        from_protocol: false,
        relaxed: true,
    };
    let domain = |(domain, judgement): (Domain, Option<Judgement>)| DomainAppraisal {
        domain,
        judgement: judgement.unwrap_or(Judgement::High),
        path: RulePath {
            rules: vec![format!("{domain}.1")],
            answers: vec![(
                format!("{}.1", &domain.code()[1..]),
                SignalAnswer::NoInformation,
            )],
        },
        possible: possible(judgement),
        replaced: None,
        answers: vec![AnsweredQuestion {
            id: format!("{}.1", &domain.code()[1..]),
            question: "Was it so?".to_owned(),
            answer: if judgement.is_some() {
                SignalAnswer::Yes
            } else {
                SignalAnswer::NoInformation
            },
            by: if judgement.is_some() {
                AnsweredBy::Rules
            } else {
                AnsweredBy::Nobody
            },
            rationale: "It says so.".to_owned(),
            quotes: vec![quote.clone()],
            replaced: None,
        }],
    };
    Appraisal {
        study: Study {
            label: label.to_owned(),
            title: None,
            file: "trials/a b.pdf".to_owned(),
            protocol: None,
        },
        effect: Effect::Assignment,
        outcome: None,
        refused: None,
        is_plan: false,
        overall: Some(OverallAppraisal {
            judgement: overall.unwrap_or(Judgement::High),
            rule: "overall.low".to_owned(),
            possible: possible(overall),
            replaced: None,
        }),
        domains: Domain::ALL.into_iter().zip(domains).map(domain).collect(),
        facts: Vec::new(),
        notes: vec!["No model was used.".to_owned()],
        conflicts: Vec::new(),
        failed_questions: Vec::new(),
        validation_retry_log: vec![RetryEntry {
            attempt: 1,
            limit: 1,
            failed_questions: vec!["2.4".to_owned()],
            changes: vec![SettingChange {
                setting: "top_k".to_owned(),
                from: "5".to_owned(),
                to: "8".to_owned(),
            }],
        }],
        appraiser: "phrase rules".to_owned(),
        review: None,
        finished_at: Timestamp::UNIX_EPOCH,
    }
}

fn two() -> Vec<Appraisal> {
    use Judgement::{High, Low, SomeConcerns};
    vec![
        appraisal(
            "Abel, 2001",
            [
                Some(Low),
                Some(Low),
                Some(SomeConcerns),
                Some(Low),
                Some(Low),
            ],
            Some(SomeConcerns),
        ),
        appraisal(
            "Bell 2002",
            [Some(High), None, Some(Low), Some(Low), Some(Low)],
            Some(High),
        ),
    ]
}

#[test]
fn the_table_has_the_columns_and_words_that_robvis_reads() {
    let csv = csv(&two());
    assert_eq!(
        csv,
        "Study,D1,D2,D3,D4,D5,Overall\n\
         \"Abel, 2001\",Low,Low,Some concerns,Low,Low,Some concerns\n\
         Bell 2002,High,No information,Low,Low,Low,High\n"
    );
    let read = read_csv(&csv).unwrap();
    assert_eq!(read[0].0, "Abel, 2001");
    assert_eq!(read[1].1[1], None);
    assert_eq!(read[1].1[5], Some(Judgement::High));
    assert!(
        read_csv("Study,D1\nx,Low\n")
            .unwrap_err()
            .to_string()
            .contains("D2")
    );
    let wrong = read_csv("Study,D1,D2,D3,D4,D5,Overall\nx,Lowish,Low,Low,Low,Low,Low\n");
    assert!(wrong.unwrap_err().to_string().contains("Lowish"));
}

#[test]
fn a_trial_that_was_not_appraised_has_a_reason_and_no_row() {
    let mut refused = appraisal("Carr 2003", [None; 5], None);
    refused.refused = Some("it looks like a systematic review".to_owned());
    (refused.domains, refused.overall) = (Vec::new(), None);
    let all = [refused];
    assert_eq!(csv(&all).lines().count(), 1);
    assert!(table(&all, false).contains("not appraised: it looks like a systematic review"));
    assert!(html(&all).contains("Not appraised: it looks like a systematic review"));
    assert!(all[0].is_partial());
}

#[test]
fn the_terminal_table_and_details_show_what_is_settled_and_what_is_open() {
    let table = table(&two(), false);
    assert_eq!(
        table.lines().nth(2),
        Some("Bell 2002   X     ?     +     +     +     High"),
        "{table}"
    );
    assert!(super::table(&two(), true).contains("\u{1b}[31m"));
    let details = details(&two()[1], false);
    assert!(
        details.contains("not settled (Low or High possible; answer 2.1)"),
        "{details}"
    );
    assert!(
        details.contains("[Methods, page 3, relaxed rules]"),
        "{details}"
    );
}

#[test]
fn plots_are_well_formed_and_have_a_light_for_every_cell() {
    for picture in [
        traffic_lights(&two()),
        summary_plot(&two()),
        traffic_lights(&[]),
    ] {
        roxmltree::Document::parse(&picture.svg()).unwrap();
    }
    let lights = traffic_lights(&two()).svg();
    let legend = 4;
    assert_eq!(lights.matches("<circle").count(), 2 * 6 + legend);
    assert_eq!(lights.matches("#bf0000").count(), 2 + 1);
}

/// How many dots of a picture have each of some colours.
fn dots(png: &[u8], colours: [[u8; 3]; 4]) -> [usize; 4] {
    let read = tiny_skia::Pixmap::decode_png(png).unwrap();
    colours.map(|[red, green, blue]| {
        let same = |one: &&tiny_skia::PremultipliedColorU8| {
            (one.red(), one.green(), one.blue()) == (red, green, blue)
        };
        read.pixels().iter().filter(same).count()
    })
}

#[test]
fn a_png_has_the_lights_and_the_words_of_the_picture_without_any_font_installed() {
    let picture = traffic_lights(&two());
    let png = picture.png().unwrap();
    assert_eq!(
        png,
        picture.png().unwrap(),
        "the same picture, the same bytes"
    );
    let [low, some, high] = [[0x02, 0xc1, 0x00], [0xe2, 0xdf, 0x07], [0xbf, 0x00, 0x00]];
    let [lows, somes, highs, black] = dots(&png, [low, some, high, [0, 0, 0]]);
    assert!(
        lows > 2 * somes && somes > 0 && highs > 0,
        "{lows} {somes} {highs}"
    );
    assert!(black > 1_000, "the words are drawn: {black}");
    let mut wordless = picture;
    wordless
        .shapes
        .retain(|shape| !matches!(shape, picture::Shape::Text(_)));
    let [_, _, _, none] = dots(&wordless.png().unwrap(), [low, some, high, [0, 0, 0]]);
    assert_eq!(none, 0);
}

#[test]
fn a_picture_of_too_many_trials_is_no_png_but_an_svg() {
    let many: Vec<Appraisal> = two().into_iter().cycle().take(4_000).collect();
    let picture = traffic_lights(&many);
    assert_eq!(picture.png(), Err(PictureTooLarge));
    assert!(picture.svg().len() > 1_000_000);
}

#[test]
fn the_page_escapes_quotes_and_links_them_to_their_page() {
    let page = html(&two());
    assert!(page.contains("Sealed &lt;opaque&gt; envelopes"));
    assert!(page.contains("href=\"./trials/a%20b.pdf#page=3\""));
    assert!(page.contains("Second look 1 of 1 for 2.4: top_k 5 to 8."));
}

#[test]
fn the_word_document_is_a_package_with_a_table() {
    let bytes = docx(&two()).unwrap();
    assert!(bytes.starts_with(b"PK"));
    let read = fathom_evidence::extract::read(&bytes, &Default::default()).unwrap();
    assert!(read.text.contains("Some concerns"), "{}", read.text);
    assert!(read.text.contains("Sealed <opaque> envelopes"));
}

#[test]
fn kappa_is_what_the_textbook_gives() {
    use Judgement::{High, Low};
    // 20 and 15 agree, 5 and 10 differ: observed 0.70, by chance 0.50, kappa 0.40.
    let row = |nth: usize, judgement| (nth.to_string(), [Some(judgement); 6]);
    let pairs = [
        (20, Low, Low),
        (5, Low, High),
        (10, High, Low),
        (15, High, High),
    ];
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (count, one, two) in pairs {
        for _ in 0..count {
            left.push(row(left.len(), one));
            right.push(row(right.len(), two));
        }
    }
    left.push(row(99, Low));
    let compared = compare::compare(&left, &right);
    let overall = &compared.columns[5];
    assert_eq!((overall.trials, overall.agreed), (50, 35));
    assert!((overall.kappa.unwrap() - 0.4).abs() < 1e-9);
    assert_eq!(compared.unmatched, ["99"]);
    assert!(compared.lines().contains("0.40"));
    let alike = compare::compare(&left[..1], &right[..1]);
    assert_eq!(
        alike.columns[0].kappa, None,
        "chance alone gives full agreement"
    );
}
