use proptest::prelude::*;

use super::*;

const ANIMALS: [&str; 3] = ["cat cat dog", "dog", "fish"];

fn index(texts: &[&str]) -> Bm25 {
    Bm25::build(texts, Language::ENGLISH, &Bm25Settings::default())
}

fn near(one: f32, other: f32) -> bool {
    (one - other).abs() < 1e-4
}

#[test]
fn scores_are_those_of_the_formula() {
    // k1 1.2, b 0.75; three texts of 3, 1 and 1 words. Rarity: cat ln(1 + 2.5/1.5) = 0.98083, dog
    // ln(1 + 1.5/2.5) = 0.47000. Norm of the first text 1.2 · (0.25 + 0.75 · 1.8) = 1.92, of the
    // second 1.2 · (0.25 + 0.75 · 0.6) = 0.84.
    let scores = index(&ANIMALS).scores("cat dog");
    let first = 0.98083 * 2.0 * 2.2 / (2.0 + 1.92) + 0.47000 * 2.2 / (1.0 + 1.92);
    let second = 0.47000 * 2.2 / (1.0 + 0.84);
    assert!(near(scores[0], first), "{scores:?}");
    assert!(near(scores[1], second), "{scores:?}");
    assert_eq!(scores[2], 0.0);
}

#[test]
fn an_explanation_adds_up_to_the_score() {
    let index = index(&ANIMALS);
    let explain = |question: &str, doc| index.explain_query(&index.query(question), doc);
    let said = explain("the dogs and a cat", 0);
    let terms: Vec<&str> = said.iter().map(|one| one.term.as_str()).collect();
    assert_eq!(terms, ["cat", "dog"]);
    let sum: f32 = said.iter().map(|one| one.score).sum();
    assert!(near(sum, index.scores("dog cat")[0]));
    assert!(explain("cat", 7).is_empty());
}

#[test]
fn a_word_in_a_heavier_part_counts_more() {
    let texts = [[("cat", 1.0), ("dog", 1.0)], [("dog", 3.0), ("cat", 1.0)]];
    let index = Bm25::build_fields(texts, Language::ENGLISH, &Bm25Settings::default());
    assert_eq!(index.search("dog", 2)[0].doc, 1);
    assert_eq!(index.search("cat", 2)[0].doc, 0);
}

#[test]
fn a_word_that_is_asked_twice_counts_twice_only_in_a_long_question() {
    let words: Vec<String> = (0..40).map(|nth| format!("word{nth}")).collect();
    let long = words.join(" ");
    let index = index(&[&long, "dog", "fish"]);
    assert_eq!(index.scores("dog dog Dogs"), index.scores("dog"));
    let (once, twice) = (format!("{long} dog"), format!("{long} dog dogs"));
    assert!(near(2.0 * index.scores(&once)[1], index.scores(&twice)[1]));
}

#[test]
fn of_equal_texts_the_earlier_comes_first() {
    let found: Vec<usize> = index(&["fish", "cat", "cat", "cat"])
        .search("cat", 2)
        .iter()
        .map(|hit| hit.doc)
        .collect();
    assert_eq!(found, [1, 2]);
}

#[test]
fn nothing_is_found_where_nothing_is_or_nothing_is_asked() {
    assert!(index(&[]).search("cat", 5).is_empty());
    assert!(index(&["", " .,"]).search("cat", 5).is_empty());
    let index = index(&ANIMALS);
    for question in ["", "the of and", "unicorn"] {
        assert!(index.search(question, 5).is_empty(), "{question}");
    }
    assert!(index.search("cat dog", 0).is_empty());
    assert_eq!(index.search("cat dog", usize::MAX).len(), 2);
}

proptest! {
    #[test]
    fn a_search_is_the_best_of_all_scores(
        texts in prop::collection::vec("([a-f]{1,2} ){0,12}", 0..30),
        question in "([a-f]{1,2} ){0,6}",
        top_k in 0_usize..40,
    ) {
        let index = Bm25::build(&texts, Language::ENGLISH, &Bm25Settings::default());
        let mut all: Vec<(usize, f32)> = index.scores(&question).into_iter().enumerate().collect();
        all.retain(|(_, score)| *score > 0.0);
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all.truncate(top_k);
        let found = index.search(&question, top_k);
        let found: Vec<(usize, f32)> = found.iter().map(|hit| (hit.doc, hit.score)).collect();
        prop_assert_eq!(found, all);
        let again = Bm25::build(&texts, Language::ENGLISH, &Bm25Settings::default());
        prop_assert_eq!(again.scores(&question), index.scores(&question));
    }
}

#[test]
fn texts_in_several_languages_are_found_by_questions_in_each() {
    let texts = [
        ("en", "The packages were installed on every machine."),
        ("de", "Die Festplatten waren verschlüsselt worden."),
        ("fr", "Les paquets ont été installés sur les machines."),
    ];
    let texts = texts.map(|(code, text)| (code.parse().unwrap(), [(text, 1.0)]));
    let index = Bm25::build_languages(texts, Language::ENGLISH, &Bm25Settings::default());
    let best = |question: &str| index.search(question, 1).first().map(|hit| hit.doc);
    assert_eq!(best("which package is installed?"), Some(0));
    assert_eq!(best("Wie verschlüssele ich eine Platte?"), Some(1));
    assert_eq!(
        best("comment installer un paquet sur ma machine ?"),
        Some(2)
    );
}

#[test]
fn what_people_say_and_do_not_ask_finds_nothing() {
    let texts = [
        "Das ist eigentlich nur eine Anmerkung.",
        "Ein Metapaket ist leer.",
    ];
    let index = Bm25::build(texts, "de".parse().unwrap(), &Bm25Settings::default());
    let found = index.search("was ist eigentlich ein Metapaket?", 5);
    let found: Vec<usize> = found.iter().map(|hit| hit.doc).collect();
    assert_eq!(found, [1]);
}
