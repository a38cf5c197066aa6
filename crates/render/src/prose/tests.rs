use super::*;

fn text(words: &str) -> ProseInline {
    ProseInline::Text(words.to_owned())
}

fn paragraph(markdown: &str) -> Vec<ProseInline> {
    match parse(markdown).as_slice() {
        [ProseBlock::Paragraph(inlines)] => inlines.clone(),
        other => panic!("one paragraph expected, not {other:?}"),
    }
}

#[test]
fn citations_are_found_however_they_are_written() {
    assert_eq!(
        paragraph("Trees cool [1], and more [2, 3] or [4–6]."),
        [
            text("Trees cool "),
            ProseInline::Cite(vec![1]),
            text(", and more "),
            ProseInline::Cite(vec![2, 3]),
            text(" or "),
            ProseInline::Cite(vec![4, 5, 6]),
            text("."),
        ]
    );
}

#[test]
fn no_text_can_give_a_citation_an_address() {
    let expected = [text("So it is "), ProseInline::Cite(vec![1]), text(".")];
    assert_eq!(
        paragraph("So it is [1].\n\n[1]: https://evil.example"),
        expected
    );
    assert_eq!(paragraph("So it is [1](https://evil.example)."), expected);
    assert_eq!(
        paragraph("So it is [1][x].\n\n[x]: https://evil.example"),
        expected
    );
}

#[test]
fn raw_html_is_text_and_an_image_is_its_description() {
    assert_eq!(
        paragraph("a <b onclick=x>c</b>"),
        [text("a <b onclick=x>c</b>")]
    );
    assert_eq!(
        parse("<script>\nalert(1)\n</script>"),
        [ProseBlock::Paragraph(vec![text(
            "<script> alert(1) </script>"
        )])]
    );
    assert_eq!(
        paragraph("![the plan](https://evil.example/x.png)"),
        [text("the plan")]
    );
}

#[test]
fn a_link_to_anything_but_a_web_or_mail_address_is_its_words() {
    assert_eq!(paragraph("[here](javascript:alert(1))"), [text("here")]);
    assert_eq!(
        paragraph("<a@b.example>"),
        [ProseInline::Link {
            to: "mailto:a@b.example".to_owned(),
            text: vec![text("a@b.example")],
        }]
    );
}

#[test]
fn a_heading_in_the_prose_is_no_heading_of_the_report() {
    let expected = [
        ProseBlock::Lead(vec![text("Costs")]),
        ProseBlock::Paragraph(vec![text("High.")]),
    ];
    assert_eq!(parse("# Costs\n\nHigh."), expected);
    assert_eq!(parse("Costs\n=====\n\nHigh."), expected);
}

#[test]
fn very_deep_nesting_is_flattened_and_its_words_are_kept() {
    let deep = format!("{}deep words", "> ".repeat(50_000));
    let shown = format!("{:?}", parse(&deep));
    assert!(shown.contains("deep words"));
    assert!(shown.matches("Quote").count() <= 16);
    let lists = format!("{}end of lists", "- ".repeat(2_000));
    assert!(format!("{:?}", parse(&lists)).contains("end of lists"));
}

#[test]
fn lists_tables_quotes_and_code_keep_their_form() {
    let blocks =
        parse("1. one\n2. two\n\n> said\n\n```\nlet x;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
    assert!(matches!(&blocks[0], ProseBlock::List { first: Some(1), items } if items.len() == 2));
    assert!(matches!(&blocks[1], ProseBlock::Quote(_)));
    assert_eq!(blocks[2], ProseBlock::Code("let x;\n".to_owned()));
    assert!(matches!(&blocks[3], ProseBlock::Table(rows) if rows.len() == 2));
}

#[test]
fn an_empty_item_counts_where_items_are_counted() {
    let lengths = |text: &str| match parse(text).as_slice() {
        [ProseBlock::List { items, .. }] => items.iter().map(Vec::len).collect(),
        _ => Vec::new(),
    };
    assert_eq!(lengths("1. a\n2.\n3. c\n"), [1, 0, 1]);
    assert_eq!(lengths("- a\n-\n- c\n"), [1, 1]);
    assert_eq!(parse("1.\n2.\n"), []);
}
