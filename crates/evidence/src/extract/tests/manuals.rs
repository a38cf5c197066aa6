//! Promises about pages of manuals: every word of them counts.

use super::{FormatHint, cited, read, titles};
use crate::Document;
use crate::document::ParagraphRole;

const MANUAL: &str = r##"<!DOCTYPE html><html xml:lang="en"><head><title>run — A manual</title></head><body>
<div class="related" role="navigation"><a href="i.html">index</a></div>
<ul><li><a href="#a">Running</a></li><li><a href="#b">Stopping</a></li><li><a href="#c">Limits</a></li>
<li><a href="#d">Signals</a></li><li><a href="#e">Errors</a></li></ul>
<p>Next: <a href="n.html">Stopping</a>, Previous: <a href="p.html">Files</a>, Up: <a href="u.html">Top</a> [<a href="t.html">Contents</a>]</p>
<h1>Running<a class="headerlink" href="#a">¶</a></h1>
<p>It returns <code>None</code>. When <em>x</em> is <b>given</b>, see <a href="x.html">the notes</a>.</p>
<dl><dt><code>run(timeout=None)</code></dt><dd><p>Starts the program.</p><p>Changed in version 3.8: it may be given 2<sup>32</sup> seconds.</p>
<pre>run(5)
</pre></dd><dt>stop()</dt><dd>Ends it.</dd></dl>
<table><caption>Codes that programs end with</caption><tr><th>Code</th><th>Meaning</th></tr><tr><td>127</td><td>not found</td></tr></table>
<figure><img src="a.png"><figcaption>How a program is started.</figcaption></figure>
<p><a href="src.html">source</a></p></body></html>"##;

fn page(html: &str) -> Document {
    read(html.as_bytes(), &FormatHint::default()).expect("it is a page")
}

#[test]
fn a_manual_loses_no_definition_note_table_caption_or_code() {
    let document = page(MANUAL);
    assert_eq!(
        cited(&document),
        [
            (ParagraphRole::Heading, "Running"),
            (
                ParagraphRole::Body,
                "It returns None. When x is given, see the notes."
            ),
            (ParagraphRole::Term, "run(timeout=None)"),
            (ParagraphRole::ListItem, "Starts the program."),
            (
                ParagraphRole::ListItem,
                "Changed in version 3.8: it may be given 2^32 seconds."
            ),
            (ParagraphRole::Code, "run(5)"),
            (ParagraphRole::Term, "stop()"),
            (ParagraphRole::ListItem, "Ends it."),
            (ParagraphRole::Caption, "Codes that programs end with"),
            (ParagraphRole::TableRow, "Code | Meaning"),
            (ParagraphRole::TableRow, "127 | not found"),
            (ParagraphRole::Caption, "How a program is started."),
        ]
    );
    assert_eq!(titles(&document), [(1, "Running")]);
    assert_eq!(document.about.title.as_deref(), Some("Running"));
    assert_eq!(document.language().code(), "en");
}

#[test]
fn an_index_keeps_its_links_for_they_are_what_it_says() {
    let links: String = (0..20)
        .map(|n| format!("<li><a href='{n}'>Term number {n}</a></li>"))
        .collect();
    let document = page(&format!(
        "<html><body><h1>Index</h1><ul>{links}</ul></body></html>"
    ));
    assert_eq!(document.paragraphs.len(), 21);
}

#[test]
fn a_place_that_nobody_closed_makes_no_link_of_the_rest() {
    let rows = "<tr><td>screen</td><td>keeps programs at work</td></tr>".repeat(6);
    let document = page(&format!(
        "<html><body><p>Tools:</p><a id='t'/><table>{rows}</table></body></html>"
    ));
    assert_eq!(document.text.matches("keeps programs at work").count(), 6);
}

#[test]
fn a_page_that_stands_in_a_form_is_read_and_a_search_field_is_not() {
    let long = "Trees cool the streets they stand in by some degrees. ".repeat(5);
    let html = format!(
        "<html><body><form><label>Find a page</label></form><form><p>{long}</p></form></body></html>"
    );
    let document = page(&html);
    assert!(document.text.starts_with("Trees cool"), "{}", document.text);
    assert!(!document.text.contains("Find a page"));
}

#[test]
fn notes_beside_the_text_are_kept_unless_they_are_links() {
    let html = "<html><body><p>Trees cool the streets they stand in.</p>\
        <aside><p>[1] As measured in Delft in the summer of 2019.</p></aside>\
        <aside><a href='a'>More on trees</a> <a href='b'>More on streets</a></aside></body></html>";
    let document = page(html);
    assert!(document.text.contains("measured in Delft"));
    assert!(!document.text.contains("More on"), "{}", document.text);
}
