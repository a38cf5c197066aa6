//! Links are what a reader could click, each once, and only what may be fetched.

use url::Url;

use crate::fetch::{AllowList, links};

fn found(html: &str) -> Vec<String> {
    let page = Url::parse("https://example.com/a/page?x=1").unwrap();
    let links = links(html, &page, &AllowList::default());
    links
        .iter()
        .map(|link| link.target.url().to_string())
        .collect()
}

#[test]
fn references_are_resolved_against_the_page_or_its_base() {
    let html = r##"<a href="b">b</a> <a href=/c>c</a> <A HREF='//example.org/d'>d</A>
        <a href=" https://example.org/e f ">e</a> <area href="?y=2"> <a href="../g#part">g</a>"##;
    let expected = [
        "https://example.com/a/b",
        "https://example.com/c",
        "https://example.org/d",
        "https://example.org/e%20f",
        "https://example.com/a/page?y=2",
        "https://example.com/g",
    ];
    assert_eq!(found(html), expected);
    let based = r#"<base href="/base/"><base href="/no/"><a href="x">x</a>"#;
    assert_eq!(found(based), ["https://example.com/base/x"]);
}

#[test]
fn each_place_is_given_once_and_the_page_itself_never() {
    let html =
        r##"<a href="/b#1">1</a><a href="/b#2">2</a><a href="#top">top</a><a href="">me</a>"##;
    assert_eq!(found(html), ["https://example.com/b"]);
}

#[test]
fn what_may_not_be_fetched_is_no_link() {
    let html = r#"<a href="javascript:alert(1)">x</a><a href="mailto:a@example.com">x</a>
        <a href="http://127.0.0.1/">x</a><a href="http://localhost/">x</a><a href="file:///etc/passwd">x</a>
        <a href="http://user@example.com/">x</a><a href="https://example.com:22/">x</a><a href="http://[">x</a>
        <a name="no-href">x</a><a href="data:text/html,x">x</a><a href="tel:123">x</a>"#;
    assert!(found(html).is_empty());
    let base = r#"<base href="http://169.254.169.254/"><a href="latest">x</a>"#;
    assert!(found(base).is_empty());
}

#[test]
fn text_that_looks_like_markup_gives_no_link() {
    let html = r#"<script>var a = '<a href="/script">';</script><style><a href="/style"></style>
        <!-- <a href="/comment"> --><textarea><a href="/textarea"></textarea>
        <title><a href="/title"></title><a title='<a href="/attribute">' href="/real">real</a>"#;
    assert_eq!(found(html), ["https://example.com/real"]);
}

#[test]
fn a_link_has_its_words() {
    let page = Url::parse("https://example.com/").unwrap();
    let html = "<p>Before <a href=/x>The <b>whole</b>\n  story &amp; more</a> after</p><a href=/y><img></a>";
    let links = links(html, &page, &AllowList::default());
    let texts: Vec<&str> = links.iter().map(|link| link.text.as_str()).collect();
    assert_eq!(texts, ["The whole story & more", ""]);
}

#[test]
fn hostile_nesting_and_endless_lists_are_bounded() {
    let deep = format!("{}<a href=/deep>x</a>", "<div>".repeat(100_000));
    assert_eq!(found(&deep), ["https://example.com/deep"]);
    let many: String = (0..5_000)
        .map(|n| format!("<a href=/{n}>{n}</a>"))
        .collect();
    assert_eq!(found(&many).len(), 1_000);
    let unclosed = format!("<a href=/x>{}", "words ".repeat(100_000));
    assert_eq!(found(&unclosed).len(), 1);
}
