//! Promises about Markdown, plain text, JSON and CSV.

use super::{FormatHint, cited, named, read, titles};
use crate::document::ParagraphRole;

#[test]
fn markdown_keeps_what_is_marked() {
    let text = "---\ntitle: \"Sleep and work\"\nauthors:\n  - A. Person\n  - B. Person\ndate: 2024-05\ndoi: https://doi.org/10.5555/abc.1\n---\n\n\
        # Methods\n\nWe *asked* [forty](http://x.test) `adults`\nin one town.\n\n- one\n- two\n\n> Said so.\n\n\
        | Group | n |\n|---|---|\n| A | 20 |\n\n## Code\n\n```\nfn a() {\n    b\n}\n```\n";
    let document = read(text.as_bytes(), &named("notes.md")).expect("it is Markdown");
    assert_eq!(
        cited(&document),
        [
            (ParagraphRole::Heading, "Methods"),
            (ParagraphRole::Body, "We asked forty adults in one town."),
            (ParagraphRole::ListItem, "one"),
            (ParagraphRole::ListItem, "two"),
            (ParagraphRole::Quote, "Said so."),
            (ParagraphRole::TableRow, "Group | n"),
            (ParagraphRole::TableRow, "A | 20"),
            (ParagraphRole::Heading, "Code"),
            (ParagraphRole::Code, "fn a() {\n    b\n}"),
        ]
    );
    assert_eq!(titles(&document), [(1, "Methods"), (2, "Code")]);
    assert_eq!(document.about.title.as_deref(), Some("Sleep and work"));
    assert_eq!(document.about.authors, ["A. Person", "B. Person"]);
    assert_eq!(document.about.published.as_deref(), Some("2024-05"));
    assert_eq!(document.about.doi.as_deref(), Some("10.5555/abc.1"));
}

#[test]
fn plain_text_is_named_by_a_first_line_that_stands_alone() {
    let title = |text: &str| {
        let document = read(text.as_bytes(), &named("a.txt")).expect("it is text");
        document.about.title
    };
    let log = "Log of the gardeners\n\nWe watered sixty trees today.";
    assert_eq!(title(log).as_deref(), Some("Log of the gardeners"));
    assert_eq!(title("We watered sixty trees.\n\nIt rained."), None);
    assert_eq!(title("Only one line of words"), None);
}

#[test]
fn plain_text_is_joined_across_lines_and_divided_by_its_headings() {
    let text = "A Study of Sleep\n================\n\nIt was found that people who work at night sleep less than\n\
        those who work by day, which is well-\nknown to most of us and to all who were asked.\n\n\
        2.1 Participants\n\n- adults\n- who work\n\nRESULTS\n\nThey slept.\n";
    let document = read(text.as_bytes(), &FormatHint::default()).expect("it is text");
    assert_eq!(
        cited(&document),
        [
            (ParagraphRole::Heading, "A Study of Sleep"),
            (
                ParagraphRole::Body,
                "It was found that people who work at night sleep less than those who work by day, \
                 which is well-known to most of us and to all who were asked."
            ),
            (ParagraphRole::Heading, "2.1 Participants"),
            (ParagraphRole::ListItem, "adults"),
            (ParagraphRole::ListItem, "who work"),
            (ParagraphRole::Heading, "RESULTS"),
            (ParagraphRole::Body, "They slept."),
        ]
    );
}

#[test]
fn form_feeds_begin_pages() {
    let document =
        read(b"First page.\x0cSecond page.", &FormatHint::default()).expect("it is text");
    assert_eq!(document.pages.len(), 2);
    assert_eq!(document.paragraphs[1].page, Some(2));
}

#[test]
fn rows_of_a_table_say_what_their_values_are() {
    let csv = "name;age\n\"Person; A.\";31\nB;\n";
    let document = read(csv.as_bytes(), &named("people.csv")).expect("it is CSV");
    assert_eq!(
        cited(&document),
        [
            (ParagraphRole::TableRow, "name | age"),
            (ParagraphRole::TableRow, "name: Person; A.; age: 31"),
            (ParagraphRole::TableRow, "name: B"),
        ]
    );
}

#[test]
fn json_is_read_in_its_own_order() {
    let json = r#"{"zeta": "last letter", "alpha": 1.5, "tags": ["a", "b"], "rows": [{"n": 1}, {"n": 2}]}"#;
    let document = read(json.as_bytes(), &FormatHint::default()).expect("it is JSON");
    assert_eq!(
        cited(&document),
        [
            (
                ParagraphRole::TableRow,
                "zeta: last letter; alpha: 1.5; tags: a, b"
            ),
            (ParagraphRole::Body, "rows:"),
            (ParagraphRole::TableRow, "n: 1"),
            (ParagraphRole::TableRow, "n: 2"),
        ]
    );
}

#[test]
fn json_that_is_too_deep_or_cut_off_is_read_as_text() {
    let deep = format!("{}\"word\"{}", "[".repeat(100_000), "]".repeat(100_000));
    let document = read(deep.as_bytes(), &named("deep.json")).expect("its words can be read");
    assert!(document.text.contains("word"));
    assert_eq!(document.lost.len(), 1);
}

#[test]
fn deep_markdown_ends() {
    for mark in ["> ", "* ", "[", "**", "<b>"] {
        let deep = format!("{}word", mark.repeat(20_000));
        assert!(read(deep.as_bytes(), &named("deep.md")).is_ok(), "{mark}");
    }
}

#[test]
fn a_text_in_a_script_without_capitals_has_paragraphs_and_passages() {
    let texts = [
        "城市里的树木可以降低街道的温度。\n\n研究人员在夏天测量了四十条街道的温度。",
        "ต้นไม้ในเมืองช่วยลดอุณหภูมิของถนน\n\nนักวิจัยวัดอุณหภูมิของถนนสี่สิบสายในฤดูร้อน",
        "الأشجار في المدينة تخفض حرارة الشوارع.\n\nقاس الباحثون حرارة أربعين شارعا في الصيف.",
        "शहर के पेड़ सड़कों का तापमान कम करते हैं।\n\nशोधकर्ताओं ने गर्मियों में चालीस सड़कों का तापमान मापा।",
        "街の木は道の温度を下げる。\n\n研究者は夏に四十の道の温度を測った。",
        "도시의 나무는 거리의 온도를 낮춘다.\n\n연구자들은 여름에 마흔 거리의 온도를 쟀다.",
    ];
    for text in texts {
        let document = read(text.as_bytes(), &named("a.txt")).expect("it is text");
        let bodies = cited(&document).into_iter();
        let bodies = bodies.filter(|(role, _)| *role == ParagraphRole::Body);
        assert_eq!(bodies.count(), 2, "{text}");
        let passages = crate::passage::passages(&document, &Default::default());
        assert!(!passages.is_empty(), "{text}");
    }
}
