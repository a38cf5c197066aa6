use proptest::prelude::*;

use super::*;

fn english() -> Terms {
    Terms::new(Language::ENGLISH)
}

fn in_language(code: &str) -> Terms {
    Terms::new(code.parse().unwrap())
}

#[test]
fn forms_of_one_word_are_one_term() {
    let terms = english();
    assert_eq!(terms.of("Infections INFECTION"), ["infect", "infect"]);
    assert_eq!(
        in_language("de").term("Häuser"),
        in_language("de").term("hauser")
    );
    assert_eq!(
        in_language("fr").term("café"),
        in_language("fr").term("cafe")
    );
}

#[test]
fn numbers_stay_whole_and_have_one_spelling() {
    let terms = english();
    assert_eq!(
        terms.of("2.5 mg, 1,000 and 2,5."),
        ["2.5", "mg", "1000", "and", "2.5"]
    );
    assert_eq!(terms.of("p53 in 2020."), ["p53", "in", "2020"]);
}

#[test]
fn a_name_with_a_digit_is_found_with_and_without_its_hyphen() {
    let terms = english();
    assert_eq!(terms.of("COVID-19"), ["covid", "19", "covid19"]);
    assert!(terms.of("IL‑6 rose").contains(&terms.term("IL6")));
    assert_eq!(terms.of("10-20"), ["10", "20"]);
    assert_eq!(terms.of("well-known").len(), 2);
}

#[test]
fn text_without_spaces_is_cut_into_pairs() {
    assert_eq!(
        in_language("zh").of("研究方法 A"),
        ["研究", "究方", "方法", "a"]
    );
    assert_eq!(in_language("ja").of("猫"), ["猫"]);
}

#[test]
fn stop_words_are_left_out_only_where_asked() {
    let terms = english();
    assert_eq!(terms.of("the cell").len(), 2);
    assert_eq!(terms.telling("The cell and THE virus"), ["cell", "virus"]);
    for (code, text) in [
        ("de", "Die Zelle"),
        ("fr", "la cellule"),
        ("es", "la célula"),
        ("it", "la cellula"),
    ] {
        assert_eq!(in_language(code).telling(text).len(), 1, "{code}");
    }
}

#[test]
fn words_and_telling_terms_keep_their_places() {
    let text = "Élan of 2.5 %";
    let at: Vec<&str> = words(text).filter_map(|span| span.of(text)).collect();
    assert_eq!(at, ["Élan", "of", "2.5"]);
    let telling = english().telling_at(text);
    assert_eq!(telling[1].1.of(text), Some("2.5"));
}

#[test]
fn a_vocabulary_finds_what_it_learnt_in_any_form() {
    let mut vocabulary = Vocabulary::new(Language::ENGLISH);
    let mut learnt = Vec::new();
    vocabulary.learn("Cells divide. The cell divided", |id| learnt.push(id));
    assert_eq!(learnt, [0, 1, 0, 1]);
    assert_eq!(vocabulary.find("dividing viruses of the CELL"), [1, 0]);
    assert_eq!(vocabulary.name(0), Some("cell"));
}

proptest! {
    #[test]
    fn any_text_has_words_in_order_and_within_it(text in any::<String>()) {
        let mut end = 0;
        for span in words(&text) {
            prop_assert!(span.start >= end && !span.is_empty());
            prop_assert!(span.of(&text).is_some());
            end = span.end;
        }
        prop_assert!(english().telling(&text).len() <= english().of(&text).len());
    }

    #[test]
    fn a_vocabulary_gives_the_telling_terms(text in "[A-Za-z0-9 .,é\\-研究]{0,80}") {
        let mut vocabulary = Vocabulary::new(Language::ENGLISH);
        let mut ids = Vec::new();
        vocabulary.learn(&text, |id| ids.push(id));
        let named: Vec<&str> = ids.iter().filter_map(|id| vocabulary.name(*id)).collect();
        prop_assert_eq!(named, english().telling(&text));
        prop_assert_eq!(vocabulary.find(&text), ids);
    }
}
