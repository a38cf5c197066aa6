use super::Language;

#[test]
fn names_alone_tell_no_language() {
    assert_eq!(Language::detect("BTreeMap ValueError"), None);
}

#[test]
fn a_script_of_its_own_tells_its_language() {
    let detected = |text| Language::detect(text).map(|language| language.to_string());
    assert_eq!(detected("城市里的树木").as_deref(), Some("zh"));
    assert_eq!(detected("街の木は涼しい").as_deref(), Some("ja"));
    assert_eq!(detected("الأشجار في المدينة").as_deref(), Some("ar"));
}

#[test]
fn a_letter_that_unlisted_languages_share_tells_nothing_alone() {
    for text in [
        "Kuinka paljon katupuut viilentävät ilmaa kesällä?",
        "Hur mycket sänker gatuträd temperaturen?",
    ] {
        let detected = Language::detect(text).map(|language| language.to_string());
        assert_ne!(detected.as_deref(), Some("de"), "{text}");
    }
    let german = Language::detect("Straßenbäume Lufttemperatur?");
    assert_eq!(german.unwrap().code(), "de");
}

#[test]
fn a_filler_or_a_foreign_name_does_not_turn_the_language() {
    let detected = |text| Language::detect(text).map(|language| language.to_string());
    assert_eq!(
        detected("was ist eigentlich ein merge commit?").as_deref(),
        Some("de")
    );
    assert_eq!(
        detected("comment faire un git rebase ?").as_deref(),
        Some("fr")
    );
}

#[test]
fn a_word_that_opens_a_question_tells_its_language_though_others_share_it() {
    for text in ["Do plane trees cause hay fever?", "Do trees lower noise?"] {
        assert_eq!(Language::detect(text).unwrap().code(), "en", "{text}");
    }
}

#[test]
fn running_text_is_told_by_its_small_words_and_unlisted_languages_are_not_mistaken() {
    let detected = |text: &str| Language::detect(&text.repeat(3)).map(|found| found.to_string());
    let english = "The trees of a street cool the air in summer, and it is known that they do so by shade and by the water \
                   that they give off through their leaves during the day. ";
    let dutch = "De bomen van een straat koelen de lucht in de zomer, en het is bekend dat zij dat doen door schaduw en \
                 door het water dat zij overdag met hun bladeren afgeven. ";
    let danish = "Træerne i en gade køler luften om sommeren, og man ved at de gør det ved hjælp af skygge og ved det \
                  vand som de afgiver gennem deres blade i løbet af dagen for at holde sig kølige. ";
    assert_eq!(detected(english).as_deref(), Some("en"));
    assert_eq!(detected(dutch).as_deref(), Some("nl"));
    assert_eq!(detected(danish).as_deref(), Some("da"));
}

#[test]
fn a_page_that_opens_in_another_language_has_that_of_the_rest() {
    let opening =
        "This page was not yet translated and tells of the trees in the city. ".repeat(12);
    let rest = "Die Bäume in der Stadt sind nicht nur schön, sie kühlen auch die Luft. ".repeat(60);
    let detected = Language::detect(&(opening + &rest));
    assert_eq!(detected.unwrap().code(), "de");
}

#[test]
fn words_that_several_languages_share_are_taken_for_english() {
    for text in [
        "boot in rescue mode",
        "pizza in rome",
        "war in europe",
        "die roll in python",
        "comment in sql",
    ] {
        let detected = Language::detect(text).map(|language| language.to_string());
        assert!(
            matches!(detected.as_deref(), None | Some("en")),
            "{text}: {detected:?}"
        );
    }
}

#[test]
fn words_of_all_questions_are_known() {
    let german: Language = "de".parse().unwrap();
    assert!(Language::ENGLISH.has_frequent("Difference") && german.has_frequent("bedeutet"));
    assert!(!Language::ENGLISH.has_frequent("bedeutet") && !german.has_frequent("plafond"));
}
