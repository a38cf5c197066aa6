//! Takes out of a text what nobody sees, so that what is quoted is what was read.
//!
//! Marks that only steer display (direction, joining, soft hyphens) can hide words or break a search;
//! they go. Letters stay as they are, but for ligatures, which become the letters they stand for,
//! and composed forms (NFC). Quotes and dashes are left alone: a quote must match its source.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// One paragraph: every run of white space becomes one blank.
pub(super) fn line(text: &str) -> String {
    if is_plain_line(text) {
        return text.trim_matches(' ').to_owned();
    }
    let visible = visible(text);
    let mut line = String::with_capacity(visible.len());
    for word in visible.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Whether all of it is seen and no white space follows other white space, which is quickly told of most lines.
fn is_plain_line(text: &str) -> bool {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~');
    text.as_bytes().iter().all(plain) && !text.contains("  ")
}

/// Several lines whose breaks and indentation mean something, such as code. Blank lines inside are
/// dropped, since a blank line ends a paragraph in a document's text.
pub(super) fn lines(text: &str) -> String {
    let visible = visible(text);
    let kept: Vec<&str> = visible
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect();
    kept.join("\n")
}

/// The text with what is not seen taken out, white space as it was.
pub(super) fn visible(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' | '\t' | ' ' => seen.push(c),
            '\r' => {
                if rest.peek() != Some(&'\n') {
                    seen.push('\n');
                }
            }
            '\u{2028}' | '\u{2029}' | '\u{85}' | '\u{b}' | '\u{c}' => seen.push('\n'),
            // Joiners carry meaning in scripts such as Persian or Hindi and in emoji, none in Latin.
            '\u{200c}' | '\u{200d}' if joins(before) && joins(rest.peek().copied()) => seen.push(c),
            c if is_unseen(c) => continue,
            c if c.is_whitespace() => seen.push(' '),
            c => match ligature(c) {
                Some(letters) => seen.push_str(letters),
                None => seen.push(c),
            },
        }
        before = Some(c);
    }
    match is_nfc_quick(seen.chars()) {
        IsNormalized::Yes => seen,
        IsNormalized::No | IsNormalized::Maybe => seen.nfc().collect(),
    }
}

fn joins(neighbour: Option<char>) -> bool {
    neighbour.is_some_and(|c| c >= '\u{590}' && !c.is_whitespace() && !is_unseen(c))
}

/// Marks of direction, zero width and control, tags and noncharacters.
pub(super) fn is_unseen(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
        | '\u{e0000}'..='\u{e0fff}')
}

fn ligature(c: char) -> Option<&'static str> {
    Some(match c {
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        'ﬅ' | 'ﬆ' => "st",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{line, lines};

    #[test]
    fn marks_that_nobody_sees_are_taken_out() {
        assert_eq!(
            line("so\u{ad}cial \u{202e}net\u{200b}work\u{2066}s\u{feff}"),
            "social networks"
        );
        assert_eq!(line("a\u{200d}b\0c\u{1b}d\u{e0041}"), "abcd");
    }

    #[test]
    fn ligatures_become_letters_and_accents_are_composed() {
        assert_eq!(
            line("e\u{fb03}cient \u{fb01}t, cafe\u{301}"),
            "efficient fit, café"
        );
    }

    #[test]
    fn joiners_stay_where_they_carry_meaning() {
        let persian = "می\u{200c}خواهم";
        assert_eq!(line(persian), persian);
    }

    #[test]
    fn white_space_of_any_kind_is_one_blank_and_code_keeps_its_lines() {
        assert_eq!(line(" a\u{a0}\u{2009}b\r\nc\td "), "a b c d");
        assert_eq!(lines("fn a() {\r\n    b\n\n}  \n"), "fn a() {\n    b\n}");
    }

    #[test]
    fn quotes_and_dashes_are_left_as_they_are() {
        assert_eq!(line("“It’s 5–10 %”…"), "“It’s 5–10 %”…");
    }
}
