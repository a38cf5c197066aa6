//! The parser's events, made safe to read by recursion and free of addresses that stand elsewhere in the text.

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

/// What is nested deeper is taken up into what it stands in.
const DEPTH_MAX: usize = 16;

pub(super) fn read(text: &str) -> Vec<Event<'_>> {
    let events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let mut kept = Vec::with_capacity(events.len());
    let mut open: Vec<TagHandling> = Vec::new();
    let mut depth = 0;
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start(tag) => {
                let following = events.get(at + 1..).unwrap_or_default();
                let shown = match tag {
                    Tag::Link { link_type, .. } if in_brackets(*link_type, following) => {
                        TagHandling::Brackets
                    }
                    _ if depth >= DEPTH_MAX => TagHandling::Nothing,
                    _ => TagHandling::Itself,
                };
                open.push(shown);
                match shown {
                    TagHandling::Itself => {
                        depth += 1;
                        kept.push(event.clone());
                    }
                    TagHandling::Brackets => kept.push(Event::Text("[".into())),
                    TagHandling::Nothing => kept.push(Event::SoftBreak),
                }
            }
            Event::End(_) => match open.pop() {
                Some(TagHandling::Itself) => {
                    depth -= 1;
                    kept.push(event.clone());
                }
                Some(TagHandling::Brackets) => kept.push(Event::Text("]".into())),
                Some(TagHandling::Nothing) | None => {}
            },
            _ => kept.push(event.clone()),
        }
    }
    kept
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TagHandling {
    Itself,
    /// A link whose text stands in brackets again, because the brackets are not for a link here.
    Brackets,
    Nothing,
}

/// A number in brackets is a citation, even where the text gives it an address of its own; and an address that stands
/// elsewhere in the text is not followed, for it could be given to any bracket.
fn in_brackets(link_type: LinkType, following: &[Event<'_>]) -> bool {
    let number = |text: &str| {
        text.chars()
            .all(|c| c.is_ascii_digit() || " ,;–-^".contains(c))
    };
    match link_type {
        LinkType::Autolink | LinkType::Email => false,
        LinkType::Inline => {
            matches!(following, [Event::Text(text), Event::End(TagEnd::Link), ..] if number(text))
        }
        _ => true,
    }
}
