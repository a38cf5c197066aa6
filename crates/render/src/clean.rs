//! Strings from outside, made fit to stand in a rendering.
//!
//! Takes any text; gives text without characters that a reader cannot see but a terminal or a page obeys, in one line
//! where a line is wanted. Escaping for a format is left to that format.

/// A longer address is no address that anybody follows.
const LINK_MAX_CHARS: usize = 2_000;

/// So much of a source's name tells it from others; the whole of it stands in the JSON.
const NAME_MAX_CHARS: usize = 160;

/// All of a text in one line, with single blanks.
pub(super) fn line(text: &str) -> String {
    let visible: String = text.chars().filter_map(shown).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text with its lines kept.
pub(super) fn lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.chars().filter_map(shown).collect()
}

/// A line cut after so many characters, with a mark where it was cut.
pub(super) fn cut(text: &str, most: usize) -> String {
    let whole = line(text);
    if whole.chars().count() <= most {
        return whole;
    }
    let head: String = whole.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", head.trim_end())
}

/// The name of a source as it stands beside its number or a quote of it.
pub(super) fn name(text: &str) -> String {
    cut(text, NAME_MAX_CHARS)
}

/// A line as a sentence of its own, with a capital and a full stop, however it was given.
pub(super) fn sentence(text: &str) -> String {
    let line = line(text);
    let mut chars = line.chars();
    let Some(first) = chars.next() else {
        return line;
    };
    let stop = if line.ends_with(['.', '!', '?', '…', '。']) {
        ""
    } else {
        "."
    };
    format!("{}{}{stop}", first.to_uppercase(), chars.as_str())
}

/// The letters and digits of a text, for comparing what was set differently.
pub(super) fn skeleton(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Text as XML and HTML may hold it, inside an element or a quoted value. Characters that XML forbids are left out.
pub(super) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(c),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            _ => out.push(c),
        }
    }
    out
}

/// An address that may be linked to; nothing for any other scheme, or for what is no address.
pub(super) fn link(to: &str) -> Option<String> {
    let to = to.trim();
    let head: String = to.chars().take(8).collect::<String>().to_ascii_lowercase();
    let allowed = ["http://", "https://", "mailto:"];
    let scheme = allowed.iter().find(|scheme| head.starts_with(**scheme))?;
    let bare = to.len() <= scheme.len();
    let broken = |c: char| c.is_control() || c.is_whitespace() || shown(c).is_none();
    if bare || to.chars().any(broken) || to.chars().count() > LINK_MAX_CHARS {
        return None;
    }
    Some(to.chars().map(encoded).collect())
}

/// What would end an address early in Markdown, in a page or in BibTeX is written by its number.
fn encoded(c: char) -> String {
    match c {
        '<' | '>' | '"' | '\'' | '`' | '\\' | '{' | '}' | '|' | '^' => {
            format!("%{:02X}", u32::from(c))
        }
        _ => c.to_string(),
    }
}

/// Control characters are dropped, except that tabs are blanks; so are marks that turn the direction of writing, and
/// characters without a shape that carry hidden words.
fn shown(c: char) -> Option<char> {
    match c {
        '\n' => Some('\n'),
        '\t' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(' '),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}' => None,
        c if c.is_control() => None,
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_or_a_page_would_obey_is_dropped() {
        assert_eq!(line("a\u{1b}[31mred\n\tb\u{202e}c\u{0}"), "a[31mred bc");
        assert_eq!(lines("a\r\n\u{7}b"), "a\nb");
        assert_eq!(line("ha\u{e0041}t\u{200b}"), "hat");
    }

    #[test]
    fn only_addresses_that_a_reader_may_follow_are_links() {
        for good in [
            "https://a.example/b?c=d#e",
            "HTTP://a.example",
            "mailto:a@b.example",
        ] {
            assert!(link(good).is_some(), "{good}");
        }
        let bad = [
            "javascript:alert(1)",
            " java\nscript:alert(1)",
            "data:text/html,x",
            "//a.example",
            "https://",
            "https://a b",
            "file:///etc/passwd",
            "vbscript:x",
            "",
        ];
        for bad in bad {
            assert_eq!(link(bad), None, "{bad}");
        }
        assert_eq!(
            link("https://a.example/\"><b>").as_deref(),
            Some("https://a.example/%22%3E%3Cb%3E")
        );
    }

    #[test]
    fn a_reason_given_in_passing_becomes_a_sentence() {
        assert_eq!(sentence("every search failed"), "Every search failed.");
        assert_eq!(sentence("Is it so?"), "Is it so?");
        assert_eq!(sentence(" "), "");
    }

    #[test]
    fn a_cut_line_says_that_it_was_cut() {
        assert_eq!(cut("abc def", 7), "abc def");
        assert_eq!(cut("abc def", 5), "abc…");
    }
}
