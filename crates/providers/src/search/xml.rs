//! Reading XML answers: a bounded tree, and text by the names of elements.

use std::borrow::Cow;

use roxmltree::{Document, Node, ParsingOptions};

/// Far more than fifty records hold.
const NODES_MAX: u32 = 500_000;

/// The tree, with entities of the document's own allowed but nothing fetched for it.
pub(super) fn document(text: &str) -> Option<Document<'_>> {
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: NODES_MAX,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(text, options).ok()
}

pub(super) fn children<'a>(
    node: Node<'a, 'a>,
    name: &'a str,
) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children()
        .filter(move |child| child.tag_name().name() == name)
}

/// The first element down this path of names.
pub(super) fn at<'a>(node: Node<'a, 'a>, path: &[&'a str]) -> Option<Node<'a, 'a>> {
    path.iter()
        .try_fold(node, |node, name| children(node, name).next())
}

/// All text inside, without the blanks around it; none if nothing else is there.
pub(super) fn text<'a>(node: Node<'a, 'a>) -> Option<Cow<'a, str>> {
    let parts: Vec<&str> = node
        .descendants()
        .filter(Node::is_text)
        .filter_map(|node| node.text())
        .collect();
    let whole = match parts.as_slice() {
        [one] => Cow::Borrowed(one.trim()),
        many => Cow::Owned(many.concat().trim().to_owned()),
    };
    (!whole.is_empty()).then_some(whole)
}

pub(super) fn text_at<'a>(node: Node<'a, 'a>, path: &[&'a str]) -> Option<Cow<'a, str>> {
    at(node, path).and_then(text)
}
