use proptest::prelude::*;

use super::*;

fn place(text: &str, quote: &str) -> Option<(String, MatchKind)> {
    let found = find(text, quote, &QuoteSettings::default())?;
    let words = found.span.of(text).expect("a span fits its text");
    Some((words.to_owned(), found.matched))
}

fn exact(words: &str) -> Option<(String, MatchKind)> {
    Some((words.to_owned(), MatchKind::Exact))
}

fn normalised(words: &str) -> Option<(String, MatchKind)> {
    Some((words.to_owned(), MatchKind::Normalised))
}

#[test]
fn a_quote_as_written_is_found_to_the_byte() {
    let text = "Zürich: the drug lowered mortality by 12%.";
    assert_eq!(place(text, "lowered mortality"), exact("lowered mortality"));
}

#[test]
fn typography_is_left_out_of_account() {
    let text =
        "He said \u{201C}it\u{2019}s the ﬁrst\u{201D} \u{2013} with p\u{00A0}=\u{2009}0.05 of CO₂.";
    let quote = "\"it's the first\" - with p = 0.05 of CO2";
    let stored = "\u{201C}it\u{2019}s the ﬁrst\u{201D} \u{2013} with p\u{00A0}=\u{2009}0.05 of CO₂";
    assert_eq!(place(text, quote), normalised(stored));
}

#[test]
fn a_word_broken_at_a_line_end_is_one_word() {
    let text = "a random-\nised trial of long-\nterm care and well-known drugs";
    assert_eq!(
        place(text, "randomised trial of long-term care"),
        normalised("random-\nised trial of long-\nterm care")
    );
    assert_eq!(
        place("a randomised trial", "random-\nised trial"),
        normalised("randomised trial")
    );
    assert_eq!(place(text, "wellknown drugs"), None);
}

#[test]
fn marks_that_are_not_seen_do_not_matter() {
    let text = "the out\u{200B}come\u{202E} was im\u{00AD}proved\u{FEFF} here";
    assert_eq!(
        place(text, "outcome was improved here").map(|found| found.1),
        Some(MatchKind::Normalised)
    );
}

#[test]
fn composed_and_decomposed_letters_are_the_same() {
    let text = "the cafe\u{0301} in Zu\u{0308}rich";
    assert_eq!(
        place(text, "café in Zürich"),
        normalised("cafe\u{0301} in Zu\u{0308}rich")
    );
    assert_eq!(place(text, "the cafe in"), None);
}

#[test]
fn numbers_are_never_cut_or_joined() {
    for (text, quote) in [
        ("took 15 mg daily", "5 mg daily"),
        ("took 1.5 mg daily", "5 mg daily"),
        ("rose by 1,500", "rose by 1"),
        ("at \u{2212}5 degrees", "5 degrees"),
        ("about 10² cells", "about 102 cells"),
        ("in group 5. 3 patients", "in group 5.3 patients"),
        ("between 5 and 3 \u{2013}2", "3\u{2013}2 more"),
        ("needs 1½ cups", "needs 11/2 cups"),
    ] {
        assert_eq!(place(text, quote), None, "{quote:?} in {text:?}");
    }
}

#[test]
fn words_may_be_left_out_only_in_order_and_nearby() {
    let text = "The drug, given twice a day, lowered the risk. Nothing else changed at all.";
    let found = find(
        text,
        "The drug … lowered the risk",
        &QuoteSettings::default(),
    )
    .expect("found");
    assert_eq!(
        found.span.of(text),
        Some("The drug, given twice a day, lowered the risk")
    );
    assert_eq!(found.parts.len(), 2);
    assert_eq!(place(text, "lowered the risk [...] the drug"), None);
    assert_eq!(place(text, "The drug ... raised the risk"), None);
    let near = QuoteSettings {
        quote_gap_max: 5,
        ..QuoteSettings::default()
    };
    assert_eq!(find(text, "The drug … lowered the risk", &near), None);
    assert_eq!(
        place(text, "drug … risk"),
        None,
        "single words stand anywhere"
    );
}

#[test]
fn a_note_that_was_left_out_at_the_end_or_beside_a_single_word_is_overlooked() {
    let text = "Pain raised the risk of falls [3]. Studies [4] agree that it can be treated well.";
    assert!(place(text, "Pain raised the risk of falls […].").is_some());
    let inner = "Studies […] agree that it can be treated well.";
    assert!(place(text, inner).is_some());
    assert!(place(text, "Studies […] disagree that it can be treated well.").is_none());
}

#[test]
fn a_quote_fitted_into_a_sentence_is_found() {
    let text = "Treatment was effective in most patients. DNA was intact.";
    assert_eq!(
        place(text, "treatment was effective,"),
        normalised("Treatment was effective")
    );
    assert_eq!(
        place(text, "[t]reatment was effective"),
        normalised("Treatment was effective")
    );
    assert_eq!(place(text, "dNA was intact"), None);
}

#[test]
fn case_matters_unless_told_otherwise() {
    let text = "The WHO recommends it";
    assert_eq!(place(text, "The who recommends"), None);
    let settings = QuoteSettings {
        quote_ignore_case: true,
        ..QuoteSettings::default()
    };
    assert!(find(text, "The who recommends", &settings).is_some());
}

#[test]
fn only_exact_words_where_exact_words_are_asked_for() {
    let settings = QuoteSettings {
        quote_exact: true,
        ..QuoteSettings::default()
    };
    assert_eq!(find("it\u{2019}s so", "it's so", &settings), None);
    assert!(find("it's so", "it's so", &settings).is_some());
}

#[test]
fn an_empty_quote_is_nowhere() {
    for quote in ["", "  ", "…", "\"\"", "---", "\u{200B}"] {
        assert_eq!(place("some text … \"\" ---", quote), None, "{quote:?}");
    }
}

#[test]
fn scripts_without_spaces_are_searched_too() {
    assert_eq!(place("研究表明该药有效。", "该药有效"), exact("该药有效"));
}

/// Words and marks that make a text with something to disturb.
fn token() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z]{2,9}",
        1 => "[A-Z][a-z]{2,7}",
        1 => "[1-9][0-9]{0,3}",
        1 => "[1-9]\\.[0-9]{1,2}%",
        1 => "[a-z]{3,6}-[a-z]{3,6}",
        1 => Just("ﬁnal".to_owned()),
        1 => Just("Zürich".to_owned()),
        1 => Just("it's".to_owned()),
    ]
}

/// The same words in other typography.
fn disturb(words: &[String], seed: u64) -> String {
    let mut out = String::new();
    for (i, word) in words.iter().enumerate() {
        let dice = seed.rotate_left(7 * i as u32 % 64) ^ (i as u64).wrapping_mul(0x9E37_79B9);
        if i > 0 {
            out.push_str(match dice % 5 {
                0 => "\u{00A0}",
                1 => "\n",
                2 => "  ",
                3 => " \u{200B}",
                _ => " ",
            });
        }
        let word = match (dice >> 8) % 4 {
            0 => word.replace('-', "\u{2010}").replace('\'', "\u{2019}"),
            1 => word.replace("ﬁ", "fi").replace('ü', "u\u{0308}"),
            2 if word.len() > 5 && word.chars().all(|c| c.is_ascii_lowercase()) => {
                let (head, tail) = word.split_at(3);
                format!("{head}-\n{tail}")
            }
            _ => word.clone(),
        };
        out.push_str(&word);
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_was_taken_and_disturbed_is_found_where_it_stood(
        words in proptest::collection::vec(token(), 12..40),
        from in 0_usize..8, length in 3_usize..10, seed in any::<u64>(),
    ) {
        let text = words.join(" ");
        let taken = &words[from..(from + length).min(words.len())];
        let start = words[..from].iter().map(|w| w.len() + 1).sum();
        let span = Span::new(start, start + taken.join(" ").len());
        let quote = disturb(taken, seed);
        let found = find(&text, &quote, &QuoteSettings::default());
        prop_assert!(found.is_some(), "{quote:?} in {text:?}");
        let found = found.unwrap();
        if text.matches(&taken.join(" ")).count() == 1 {
            prop_assert_eq!(found.span, span);
        }
    }

    #[test]
    fn a_changed_word_or_digit_is_refused(
        words in proptest::collection::vec(token(), 12..30),
        length in 4_usize..10, at in 0_usize..10, seed in any::<u64>(),
    ) {
        let text = words.join(" ");
        let mut taken = words[..length].to_vec();
        let at = at % length;
        taken[at] = match taken[at].find(|c: char| c.is_ascii_digit()) {
            Some(digit) => {
                let old = taken[at].as_bytes()[digit];
                let new = b'0' + (old - b'0' + 1 + (seed % 8) as u8) % 10;
                let mut changed = taken[at].clone();
                changed.replace_range(digit..=digit, &char::from(new).to_string());
                changed
            }
            None => format!("qq{}", taken[at]),
        };
        prop_assert_eq!(find(&text, &disturb(&taken, seed), &QuoteSettings::default()), None);
    }

    #[test]
    fn no_text_and_no_quote_make_it_fail(text in ".{0,200}", quote in ".{0,40}") {
        if let Some(found) = find(&text, &quote, &QuoteSettings::default()) {
            prop_assert!(found.span.of(&text).is_some());
            prop_assert!(found.parts.iter().all(|part| found.span.holds(*part)));
        }
        let _ = find(&text, &text, &QuoteSettings::default());
    }
}
