//! Tables and numbers that Word has bounds for.

use roxmltree::{Document as Tree, Node};

use super::{paragraphs, text_of, unpacked, with_text};

/// A table of one head row and one more, whose cells are numbered.
fn wide(columns: usize) -> String {
    let row = |name: &str| -> String {
        let cells = (1..=columns).map(|column| format!(" {name}{column} |"));
        cells.collect()
    };
    let rule = " --- |".repeat(columns);
    format!("|{}\n|{rule}\n|{}\n", row("head"), row("cell"))
}

fn widths(text: &str) -> Vec<usize> {
    let tree = Tree::parse(text).unwrap();
    let columns = tree
        .descendants()
        .filter(|node| node.tag_name().name() == "gridCol");
    let width = |node: Node<'_, '_>| {
        let mut all = node.attributes();
        let width = all.find(|one| one.name() == "w");
        width.unwrap().value().parse().unwrap()
    };
    columns.map(width).collect()
}

#[test]
fn the_columns_of_a_table_fill_the_width_of_the_text() {
    for columns in [1, 2, 7, 63] {
        let widths = widths(&text_of(&with_text(&wide(columns))));
        assert_eq!(widths.len(), columns);
        assert_eq!(widths.iter().sum::<usize>(), 9_070);
    }
}

#[test]
fn a_table_wider_than_word_takes_is_written_row_by_row_and_loses_nothing() {
    let text = text_of(&with_text(&wide(64)));
    assert!(!text.contains("<w:tbl>"));
    let paragraphs = paragraphs(&text);
    for name in ["head", "cell"] {
        let cells: Vec<String> = (1..=64).map(|column| format!("{name}{column}")).collect();
        let words = cells.join(" | ");
        let row = paragraphs.iter().find(|one| one.words == words).unwrap();
        assert_eq!(
            (row.style.as_str(), row.mark, row.left),
            ("Normal", None, None)
        );
    }
}

#[test]
fn a_list_that_begins_at_a_number_too_high_for_word_begins_at_its_highest() {
    let parts = unpacked(&with_text(
        "999999999. far\n1000000000. on\n\ntext\n\n7. near",
    ));
    let lists = &parts.last().unwrap().1;
    for (start, there) in [(32_767, true), (7, true), (999_999_999, false)] {
        let written = format!("<w:startOverride w:val=\"{start}\"/>");
        assert_eq!(lists.contains(&written), there, "{start}");
    }
}
