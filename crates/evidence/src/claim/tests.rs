use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Vec<(String, Vec<u32>)> {
    let ids = |claim: &Claim| claim.citations.iter().map(|c| c.id).collect();
    let all = claims(text, Language::ENGLISH);
    all.iter()
        .map(|claim| (claim.text.clone(), ids(claim)))
        .collect()
}

#[test]
fn each_sentence_keeps_its_own_citations() {
    let text = "Aspirin lowers fever [1, 3]. It was made in 1897.[2] It is cheap. [4][5] Nobody knows why [6–8].";
    let expected: [(&str, &[u32]); 4] = [
        ("Aspirin lowers fever .", &[1, 3]),
        ("It was made in 1897.", &[2]),
        ("It is cheap.", &[4, 5]),
        ("Nobody knows why .", &[6, 7, 8]),
    ];
    let read = read(text);
    assert_eq!(read.len(), expected.len(), "{read:?}");
    for ((words, ids), (expected, wanted)) in read.iter().zip(expected) {
        assert_eq!(words.replace(" .", "."), expected.replace(" .", "."));
        assert_eq!(ids, wanted);
    }
}

#[test]
fn spans_give_back_what_was_written() {
    let text = "# Title\n\nThe **drug** works well [1]. It &amp; others help.\n";
    let all = claims(text, Language::ENGLISH);
    let at = |i: usize| all[i].span.of(text).expect("a span fits");
    assert_eq!(at(0), "Title");
    assert!(at(1).starts_with("The **drug** works well"), "{}", at(1));
    assert_eq!(at(2), "It &amp; others help.");
    assert_eq!(all[1].citations[0].span.of(text), Some("[1]"));
}

#[test]
fn a_quote_is_read_with_its_code_and_prose_without() {
    let text = "> A backslash `\\` or `$x` keeps its meaning here. [1]\n\nThe option `-r` does this. [2]\n";
    let all = claims(text, Language::ENGLISH);
    assert_eq!(
        all[0].quotes[0],
        "A backslash \\ or $x keeps its meaning here."
    );
    assert_eq!(all[1].text, "The option _ does this.");
}

#[test]
fn lists_tables_quotes_and_code_are_told_apart() {
    let text = "- one item says this [1]\n- another item says that\n\n> A quote set apart here [2].\n\n```\ncode [3]. More.\n```\n\n| a | b |\n|---|---|\n| rate of death | 5% [4] |\n";
    let all = claims(text, Language::ENGLISH);
    let places: Vec<BlockKind> = all.iter().map(|claim| claim.place).collect();
    assert_eq!(
        places,
        [
            BlockKind::ListItem,
            BlockKind::ListItem,
            BlockKind::Quote,
            BlockKind::Heading,
            BlockKind::Table
        ]
    );
    assert_eq!(all[2].quotes.len(), 1);
    assert!(
        all.iter()
            .all(|claim| claim.citations.iter().all(|c| c.id != 3))
    );
}

#[test]
fn only_sentences_that_state_something_need_a_citation() {
    let needs = |text: &str| Claim::alone(text, &[]).stated == Stated::Fact;
    for text in [
        "Does aspirin help people?",
        "This report looks at aspirin.",
        "The drugs are:",
        "In short.",
    ] {
        assert!(!needs(text), "{text}");
    }
    for text in [
        "Aspirin lowers the risk of stroke.",
        "Deaths fell 5%.",
        "This drug lowers fever quickly.",
    ] {
        assert!(needs(text), "{text}");
    }
}

#[test]
fn the_list_of_sources_holds_no_claims() {
    let text =
        "Aspirin is an old drug [1].\n\n## References\n\n1. Smith wrote a book about aspirin.\n";
    assert_eq!(read(text).len(), 1);
}

#[test]
fn a_citation_with_its_address_below_is_a_citation() {
    let text = "Aspirin is an old drug [1].\n\n[1]: https://example.org\n";
    assert_eq!(read(text)[0].1, [1]);
}

#[test]
fn items_of_a_list_rest_on_the_citation_of_their_lead_in() {
    let text = "The trial found three things [2]:\n\n- fewer people had a stroke\n- more people bled [3]\n\nNobody knows why that is so.\n\n- a list with no lead-in at all\n";
    let ids: Vec<Vec<u32>> = read(text).into_iter().map(|(_, ids)| ids).collect();
    assert_eq!(ids, [vec![2], vec![2], vec![3], vec![], vec![]]);
}

#[test]
fn years_and_words_in_brackets_are_no_citations() {
    assert_eq!(
        read("It was found [2019] by [sic] them [a1].")[0].1,
        Vec::<u32>::new()
    );
}

#[test]
fn quoted_phrases_are_taken_without_their_marks() {
    assert_eq!(
        quoted("He said “it is so” and \"no more\" of «cela», 12\" long"),
        ["it is so", "no more", "cela"]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_span_fits_any_text(text in "[\\[\\]a-zA-Zé0-9 .,!?*_`>|#\"“”\n-]{0,200}") {
        for claim in claims(&text, Language::ENGLISH) {
            prop_assert!(claim.span.of(&text).is_some());
            prop_assert!(claim.citations.iter().all(|c| c.span.of(&text).is_some()));
        }
    }
}
