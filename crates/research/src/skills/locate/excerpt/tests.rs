use super::sentence::reads_as_prose;
use super::*;
use crate::analysis::Evidence;
use crate::plan::SubQuestionId;
use crate::source::SourceId;

fn sentence(evidence: usize, start: usize, text: &str) -> Sentence {
    Sentence {
        evidence,
        span: Span::new(start, start + text.len()),
        text: text.to_owned(),
        headings: Vec::new(),
        first: start == 0,
        prose: reads_as_prose(text),
        review: None,
    }
}

fn chosen(question: &str, all: &[Sentence], meaning: Option<&[f32]>) -> Excerpts {
    let language = Language::ENGLISH;
    let words = QuestionWords::new(question, language, &[]);
    let kind = AnswerKind::read(question, language);
    best(all, meaning, &words, kind, language)
}

fn texts(excerpts: &[Excerpt]) -> Vec<&str> {
    excerpts.iter().map(|one| one.text.as_str()).collect()
}

#[test]
fn the_sentence_with_the_question_s_words_opens_the_answer_wherever_it_stands() {
    let all = [
        sentence(0, 0, "Lists may be sorted in place."),
        sentence(1, 0, "Sets have no order at all."),
        sentence(
            1,
            60,
            "A coprocess is a shell command that runs beside the others.",
        ),
    ];
    let excerpts = chosen("What is a coprocess?", &all, None);
    assert_eq!(texts(&excerpts.answer)[0], all[2].text);
    assert!(excerpts.answers);
    let beside = [sentence(
        0,
        0,
        "This is the way out of a coprocess of a shell.",
    )];
    assert!(!chosen("What is a coprocess?", &beside, None).answers);
}

#[test]
fn what_tells_what_a_thing_is_comes_before_what_repeats_its_name() {
    let all = [
        sentence(
            0,
            0,
            "Cut a graft with a knife for grafts, and keep the graft wet.",
        ),
        sentence(1, 0, "Choose a graft by its age."),
        sentence(2, 0, "A graft is a shoot that grows on another plant."),
    ];
    let excerpts = chosen("what is a graft", &all, None);
    assert_eq!(texts(&excerpts.answer)[0], all[2].text);
    let excerpts = chosen("how old is a graft", &all, None);
    assert_ne!(texts(&excerpts.answer)[0], all[2].text);
}

#[test]
fn a_heading_counts_for_the_sentences_under_it() {
    let mut all = [
        sentence(0, 0, "The default setting is 2000."),
        sentence(0, 60, "The default setting is 1000."),
    ];
    all[1].headings = vec!["Maximum number of columns".to_owned()];
    let excerpts = chosen("maximum number of columns", &all, None);
    assert_eq!(texts(&excerpts.answer)[0], all[1].text);
    // The first sentence under the name of a thing tells of it.
    all[0].headings = vec!["4.2 Grafts".to_owned()];
    let excerpts = chosen("what is a graft", &all, None);
    assert_eq!(texts(&excerpts.answer)[0], all[0].text);
}

#[test]
fn program_text_gives_way_to_prose_and_copies_are_shown_once() {
    let all = [
        sentence(0, 0, "fn alias() -> alias { expand(alias); }"),
        sentence(0, 60, "An alias is expanded in a shell only."),
        sentence(1, 0, "An alias is expanded in a shell only."),
    ];
    let excerpts = chosen("Is an alias expanded?", &all, None);
    assert_eq!(texts(&excerpts.answer), [&all[1].text, &all[0].text]);
}

#[test]
fn neighbours_are_quoted_together_and_an_answer_keeps_to_three_passages_and_its_length() {
    let long = "The shell waits for the job and tells how it ended. ".repeat(11);
    let all = [
        sentence(0, 0, "The job ends."),
        sentence(0, 14, "The shell tells its status."),
        sentence(1, 0, &long),
        sentence(2, 0, "A job has a number."),
        sentence(3, 0, "The shell counts jobs."),
        sentence(4, 0, "Nothing is said of it here."),
    ];
    let excerpts = chosen("What does the shell tell of a job?", &all, None);
    let answer = texts(&excerpts.answer);
    assert!(
        answer.contains(&"The job ends. The shell tells its status."),
        "{answer:?}"
    );
    let passages: BTreeSet<usize> = excerpts.answer.iter().map(|one| one.evidence).collect();
    assert!(passages.len() <= ANSWER_PASSAGES);
    let chars: usize = answer.iter().map(|text| text.len()).sum();
    assert!(chars <= ANSWER_CHARS + GAP_CHARS * 3, "{chars}");
    let further: BTreeSet<usize> = excerpts.further.iter().map(|one| one.evidence).collect();
    assert!(further.is_disjoint(&passages));
    assert_eq!(further.len() + passages.len(), 5);
}

#[test]
fn a_sentence_that_leans_on_the_one_before_takes_it_along_and_a_fragment_comes_last() {
    let all = [
        sentence(0, 0, "The kernel keeps a cache of names."),
        sentence(
            0,
            35,
            "It is emptied when the disk is unmounted, or by hand as root.",
        ),
        sentence(1, 0, "The disk is full."),
    ];
    let answer = chosen("When is the disk cache emptied?", &all, None).answer;
    assert_eq!(
        texts(&answer)[0],
        "The kernel keeps a cache of names. It is emptied when the disk is unmounted, or by hand as root."
    );
}

#[test]
fn a_sentence_that_explains_a_term_is_quoted_with_the_term() {
    let quote = "-u\n\nTreat unset variables as an error when they are expanded.\n\nNote. It prints a message.";
    let piece = Evidence {
        answers: SubQuestionId(0),
        source: SourceId(1),
        span: Span::new(100, 100 + quote.len()),
        quote: quote.to_owned(),
        sections: Vec::new(),
        page: None,
        confidence: 1.0,
        relaxed: false,
    };
    let all = of_passages(&[piece], &["Options"], Language::ENGLISH);
    assert_eq!(
        all[0].text,
        "-u Treat unset variables as an error when they are expanded."
    );
    assert_eq!(all[0].span.start, 100);
    assert_eq!(all[1].text, "It prints a message.");
}

#[test]
fn what_a_review_pools_outranks_a_single_study_that_has_more_of_the_words() {
    let mut all = [
        sentence(0, 0, "Street trees lowered the temperature by 0.5 °C."),
        sentence(9, 0, "Pooled over 14 studies, cooling came to 1.8 °C."),
    ];
    let question = "How much do street trees lower the temperature?";
    assert_eq!(texts(&chosen(question, &all, None).answer)[0], all[0].text);
    all[1].review = Some("Cooling by street trees: a review".to_owned());
    assert_eq!(texts(&chosen(question, &all, None).answer)[0], all[1].text);
    all[1].review = Some("Cooling by lakes: a review".to_owned());
    assert_eq!(texts(&chosen(question, &all, None).answer)[0], all[0].text);
}

#[test]
fn an_encoder_s_opinion_can_lift_a_sentence_that_has_no_word_of_the_question() {
    let all = [
        sentence(0, 0, "The file is closed when the program ends."),
        sentence(1, 0, "Each command of a pipeline has its own subshell."),
    ];
    let question = "Why is my variable empty after the loop?";
    let with = chosen(question, &all, Some(&[0.1, 0.7]));
    assert_eq!(texts(&with.answer)[0], all[1].text);
    assert!(!with.answers);
}

#[test]
fn a_sentence_with_all_words_answers_only_where_it_shows_the_kind_of_answer_itself() {
    let question = "how many columns may a table have at most?";
    let spread = [
        sentence(0, 0, "A table may have many columns at most."),
        sentence(0, 39, "Rows take up to 4096 bytes of a page."),
    ];
    assert!(!chosen(question, &spread, None).answers);
    let told = [sentence(0, 0, "A table may have 2000 columns at most.")];
    assert!(chosen(question, &told, None).answers);
}

#[test]
fn a_row_of_a_table_gives_way_to_prose() {
    let all = [
        sentence(0, 0, "street: Mill Lane; cleaner air: 14; trees: 3."),
        sentence(1, 0, "Street trees made the air in Mill Lane cleaner."),
    ];
    let excerpts = chosen("Do street trees make the air cleaner?", &all, None);
    assert_eq!(texts(&excerpts.answer)[0], all[1].text);
}

#[test]
fn rows_of_tables_and_lists_of_titles_are_no_prose() {
    for text in [
        "street: Mill Lane; trees: 14; °C: 1.9",
        "Mill Lane | 14 trees | 1.9 °C",
        "Trees Planting Trees Pruning Trees Trees And Water Grafts",
    ] {
        assert!(!reads_as_prose(text), "{text}");
    }
    assert!(reads_as_prose(
        "The Halvern Trial of Street Trees ended in 2019."
    ));
    assert!(reads_as_prose(
        "Die Bäume der Stadt kühlen im Sommer die Luft"
    ));
}
