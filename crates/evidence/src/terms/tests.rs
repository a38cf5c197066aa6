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

#[test]
fn each_text_is_stemmed_in_its_own_language_and_found_in_any() {
    let (english, german) = (Language::ENGLISH, "de".parse().unwrap());
    let mut vocabulary = Vocabulary::new(english);
    let mut learnt = Vec::new();
    vocabulary.learn("the installed packages", |id| learnt.push(id));
    vocabulary.learn_in(german, "die installierten Pakete", |id| learnt.push(id));
    let names: Vec<&str> = learnt
        .iter()
        .filter_map(|id| vocabulary.name(*id))
        .collect();
    assert_eq!(names, ["instal", "packag", "installiert", "paket"]);
    // Each question is understood in its own language, and a name is found in texts of all.
    assert_eq!(vocabulary.find("Welches Paket ist installiert?"), [3, 2]);
    assert_eq!(vocabulary.find("which package is installed?"), [1, 0]);
    assert_eq!(vocabulary.find_in(german, "ein Paket"), [3]);
}

#[test]
fn a_stop_word_of_the_question_is_not_looked_for_in_other_languages() {
    let german = "de".parse().unwrap();
    let mut vocabulary = Vocabulary::new(Language::ENGLISH);
    vocabulary.learn("stars die after a war", |_| ());
    vocabulary.learn_in(german, "Die Sterne sind alt", |_| ());
    let found = vocabulary.find("Wann war der Stern noch jung, und wie heiß sind die anderen?");
    let names: Vec<&str> = found.iter().filter_map(|id| vocabulary.name(*id)).collect();
    assert!(
        !names.contains(&"die") && !names.contains(&"war"),
        "{names:?}"
    );
    assert!(names.contains(&"stern"), "{names:?}");
}

#[test]
fn compounds_and_their_parts_are_found_in_german_and_dutch() {
    let mut german = Vocabulary::new("de".parse().unwrap());
    german.learn(
        "Festplatten, Plattengröße, Plattformen und Sicherheitsaktualisierung, Sicherheit der Aktualisierungen",
        |_| (),
    );
    let names = |vocabulary: &Vocabulary, question: &str| -> Vec<String> {
        let found = vocabulary.compounds(question).into_iter();
        let found = found.filter_map(|(id, _)| vocabulary.name(id));
        found.map(str::to_owned).collect()
    };
    assert_eq!(
        names(&german, "Was kostet eine Platte?"),
        ["festplatt", "plattengross"]
    );
    let mut garden = Vocabulary::new("de".parse().unwrap());
    garden.learn("Die Bewässerung der Strategie", |_| ());
    assert_eq!(names(&garden, "Wasser"), ["bewasser"]);
    assert!(names(&garden, "Rate").is_empty());
    let parts = names(&german, "Sicherheitsaktualisierungen");
    assert!(
        parts.contains(&"sich".to_owned()) || parts.contains(&"sicherheit".to_owned()),
        "{parts:?}"
    );
    let mut dutch = Vocabulary::new("nl".parse().unwrap());
    dutch.learn("De schijfruimte en het geheugen", |_| ());
    assert_eq!(names(&dutch, "schijf"), ["schijfruimt"]);
    let mut english = Vocabulary::new(Language::ENGLISH);
    english.learn("discs and discotheques", |_| ());
    assert!(names(&english, "disc").is_empty());
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
