//! Promises about web pages.

use super::{ExtractLimits, FormatHint, cited, read, read_within, titles};
use crate::document::ParagraphRole;

const ARTICLE: &str = r#"<!DOCTYPE html><html lang="en"><head><title>Sleep and work | The Paper</title>
<meta property="og:title" content="Sleep and work"><meta name="citation_doi" content="doi:10.5555/xyz">
<script type="application/ld+json">{"@type":"NewsArticle","author":[{"name":"A. Person"},{"name":"B. Person"}],"datePublished":"2024-05-17T08:00:00Z"}</script>
<script>var hidden = "<p>not text</p>";</script><style>p { color: red }</style></head>
<body><nav><ul><li><a href="/">Home</a></li><li><a href="/news">News of the day</a></li></ul></nav>
<article><h1>Sleep and work</h1>
<p>People who work at night sleep less than people who work by day, a study of forty adults in one town has found this year.</p>
<p style="display: none">Nobody can see this sentence, and nobody should be able to quote it from here either.</p>
<h2>What was measured</h2>
<p>The authors asked each person to wear a watch for two weeks, and they compared the nights with what the people wrote down.</p>
<ul><li>Forty adults who work in shifts took part in it.</li><li>Two weeks of nights were measured for each of them.</li></ul>
<blockquote><p>We did not expect so large a difference between the two groups, said one of the authors to this paper.</p></blockquote>
<table><tr><th>Group</th><th>Hours</th></tr><tr><td>Night</td><td>5.9</td></tr><tr><td>Day</td><td>7.1</td></tr></table>
<p>The difference was 1.2 hours a night on average, and it stayed when age and the number of children were taken into account.</p>
</article><footer><p>Copyright by the paper, all rights reserved. Terms of use and privacy policy.</p></footer></body></html>"#;

#[test]
fn a_page_gives_its_main_content_with_roles_and_sections() {
    let document = read(ARTICLE.as_bytes(), &FormatHint::default()).expect("it is a page");
    let cited = cited(&document);
    let has = |role, start: &str| {
        cited
            .iter()
            .any(|(is, text)| *is == role && text.starts_with(start))
    };
    assert!(has(ParagraphRole::Body, "People who work at night"));
    assert!(has(ParagraphRole::ListItem, "Forty adults"));
    assert!(has(ParagraphRole::Quote, "We did not expect"));
    assert!(has(ParagraphRole::TableRow, "Night | 5.9"));
    assert!(titles(&document).contains(&(2, "What was measured")));
    assert_eq!(document.about.doi.as_deref(), Some("10.5555/xyz"));
    for absent in ["Home", "Copyright", "Nobody can see", "not text", "color"] {
        assert!(!document.text.contains(absent), "{absent} is no content");
    }
}

#[test]
fn a_page_says_what_it_is() {
    let about = read(ARTICLE.as_bytes(), &FormatHint::default())
        .expect("it is a page")
        .about;
    assert_eq!(about.title.as_deref(), Some("Sleep and work"));
    assert_eq!(about.authors, ["A. Person", "B. Person"]);
    assert_eq!(about.published.as_deref(), Some("2024-05-17"));
    assert_eq!(
        about
            .language
            .map(|language| language.to_string())
            .as_deref(),
        Some("en")
    );
}

#[test]
fn what_is_meant_for_libraries_comes_first() {
    let page = r#"<html><head><meta name="citation_title" content="On Sleep">
        <meta name="citation_author" content="Person, A."><meta name="citation_author" content="Person, B.">
        <meta name="citation_publication_date" content="2023/11"><meta property="og:title" content="Journal | On Sleep">
        <meta name="author" content="The publisher"></head><body><p>We asked forty people about their sleep.</p></body></html>"#;
    let about = read(page.as_bytes(), &FormatHint::default())
        .expect("it is a page")
        .about;
    assert_eq!(about.title.as_deref(), Some("On Sleep"));
    assert_eq!(about.authors, ["Person, A.", "Person, B."]);
    assert_eq!(about.published.as_deref(), Some("2023-11"));
}

#[test]
fn two_line_breaks_part_paragraphs() {
    let page = "<html><body><article><h1>Sleep and work</h1><div>People who work at night sleep less than people who \
        work by day, a study of forty adults found.<br><br>The authors asked each person to wear a watch for two weeks, \
        and compared the nights.<br>They did so twice.</div><p>The difference was 1.2 hours a night on average, and it stayed \
        when age was taken into account.</p></article></body></html>";
    let document = read(page.as_bytes(), &FormatHint::default()).expect("it is a page");
    let cited = cited(&document);
    let has = |role, start: &str| {
        let mut all = cited.iter();
        all.any(|(is, text)| *is == role && text.starts_with(start))
    };
    assert!(has(ParagraphRole::Body, "People who work"), "{cited:?}");
    assert!(has(ParagraphRole::Body, "The authors asked"), "{cited:?}");
}

#[test]
fn a_page_a_hundred_thousand_deep_is_read() {
    for tag in ["div", "b", "table", "rt"] {
        let open = format!("<{tag}>").repeat(100_000);
        let page = format!("<html><body><p>Some words that stand before it.</p>{open}deep inside");
        let document = read(page.as_bytes(), &FormatHint::default()).expect("it is a page");
        assert!(document.text.contains("words that stand before"), "{tag}");
    }
}

#[test]
fn a_huge_page_is_read_as_a_whole() {
    let rows = "<tr><td>one</td><td>two</td></tr>".repeat(30_000);
    let page = format!(
        "<html><head><meta property=\"og:title\" content=\"Rows\"></head>\
        <body><nav>Menu</nav><table>{rows}</table></body></html>"
    );
    let document = read(page.as_bytes(), &FormatHint::default()).expect("it is a page");
    assert_eq!(document.paragraphs.len(), 30_000);
    assert!(!document.text.contains("Menu"));
    assert!(document.lost[0].contains("html_max_tags"));
}

#[test]
fn a_page_too_large_is_refused() {
    let limits = ExtractLimits {
        html_max_bytes: 100,
        ..ExtractLimits::default()
    };
    assert!(read_within(ARTICLE.as_bytes(), &FormatHint::default(), &limits).is_err());
}

#[test]
fn reading_twice_gives_the_same_document() {
    let one = read(ARTICLE.as_bytes(), &FormatHint::default());
    assert_eq!(one, read(ARTICLE.as_bytes(), &FormatHint::default()));
}

#[test]
fn a_short_page_keeps_its_heading_apart_from_its_first_sentence() {
    let page = "<!doctype html><html lang=\"en\"><head><title>Water</title></head><body><article>\
        <h1>Water for street trees</h1><p>Young street trees need 120 litres a week. A third of \
        them died without.</p></article></body></html>";
    let document = read(page.as_bytes(), &FormatHint::default()).unwrap();
    assert!(!document.text.contains("treesYoung"), "{}", document.text);
    assert!(
        document
            .text
            .contains("Young street trees need 120 litres a week.")
    );
}

/// Ways to put text on a page so that a program reads it and a person does not.
const HIDING: [&str; 24] = [
    "style=\"font-size:0\"",
    "style=\"font-size: 0px !important\"",
    "style=\"font-size:1px\"",
    "style=\"font: 0/0 serif\"",
    "style=\"color:transparent\"",
    "style=\"color: rgba(0, 0, 0, 0)\"",
    "style=\"color:#fff\"",
    "style=\"color:white;background-color:#FFFFFF\"",
    "style=\"color:#123;background:#112233\"",
    "style=\"opacity:0\"",
    "style=\"position:absolute;left:-9999px\"",
    "style=\"position: fixed; top: -100em\"",
    "style=\"text-indent:-9999px\"",
    "style=\"height:0;overflow:hidden\"",
    "style=\"position:absolute;clip:rect(0,0,0,0)\"",
    "style=\"clip-path: inset(50%)\"",
    "style=\"transform: scale(0)\"",
    "style=\"display:none\"",
    "style=\"visibility: hidden\"",
    "hidden",
    "aria-hidden=\"true\"",
    "class=\"visually-hidden\"",
    "class=\"gone\"",
    "id=\"away\"",
];

/// What stands around a text does not hide it.
const SHOWING: [&str; 9] = [
    "style=\"font-size:14px;color:#333\"",
    "style=\"color:white;background:#222\"",
    "style=\"color:white;background-image:url(sky.jpg)\"",
    "style=\"opacity:0.9\"",
    "style=\"position:absolute;left:-3px\"",
    "class=\"hidden md:block\"",
    "class=\"d-none d-md-block\"",
    "class=\"printed\"",
    "class=\"tab chosen\"",
];

fn shown(page: &str) -> String {
    let read = read(page.as_bytes(), &FormatHint::default());
    read.expect("it is a page").text
}

fn page_with(attribute: &str) -> String {
    let seen = "Street trees lowered the afternoon air temperature by 1.9 degrees in the trial of Halvern. \
                The cooling was strongest in streets with closed canopy, and weakest at night.";
    format!(
        "<!doctype html><html lang=\"en\"><head><title>Trees</title><style>/* a */ p.gone, .x {{ display : none }} \
         #away {{ position:absolute; left:-4000px }} @media print {{ .printed {{ display:none }} }}          .tab {{ display:none }} .tab.chosen {{ display:block }}</style></head><body>\
         <article><h1>Trees</h1><p>{seen}</p><p {attribute}>The council paid for the zebras.</p>\
         <p>{seen}</p></article></body></html>"
    )
}

#[test]
fn what_nobody_sees_on_a_page_is_not_read() {
    for attribute in HIDING {
        let text = shown(&page_with(attribute));
        assert!(!text.contains("zebras"), "{attribute}: {text}");
        assert!(text.contains("closed canopy"), "{attribute}: {text}");
    }
    for attribute in SHOWING {
        let text = shown(&page_with(attribute));
        assert!(text.contains("zebras"), "{attribute}: {text}");
    }
}

#[test]
fn text_in_the_colour_of_what_lies_around_it_is_not_read() {
    let dark = "<div style=\"background:#222\"><p style=\"color:#222\">Unseen zebras.</p><p style=\"color:white\">White words are seen here.</p></div>";
    let page = page_with("").replace(
        "The council paid for the zebras.",
        &format!("Seen.</p>{dark}<p>"),
    );
    let text = shown(&page);
    assert!(!text.contains("zebras"), "{text}");
    assert!(text.contains("White words"), "{text}");
}
