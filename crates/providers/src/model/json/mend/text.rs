//! One text in quotes: its end is found, and what may not stand in it is escaped.

use super::MendStop;

/// What was read.
pub(super) struct MendedText {
    /// Bytes, with both quotes.
    pub(super) length: usize,
    pub(super) changed: bool,
}

pub(super) fn is_quote(char: char) -> bool {
    closers(char).is_some()
}

/// What may end a text that begins so.
fn closers(open: char) -> Option<&'static [char]> {
    match open {
        '"' => Some(&['"']),
        '\'' => Some(&['\'']),
        '\u{201c}' => Some(&['\u{201d}', '"']),
        '\u{2018}' => Some(&['\u{2019}']),
        _ => None,
    }
}

/// Reads the text at the beginning of `rest`, and writes it to `json` as it should be.
pub(super) fn read(rest: &str, json: &mut String) -> Result<MendedText, MendStop> {
    let mut chars = rest.char_indices();
    let (_, open) = chars.next().ok_or(MendStop::Cut)?;
    let closers = closers(open).ok_or(MendStop::Doubtful)?;
    let mut changed = open != '"';
    let mut inner = false;
    json.push('"');
    while let Some((place, char)) = chars.next() {
        if char == '\\' {
            let (_, escaped) = chars.next().ok_or(MendStop::Cut)?;
            changed |= escape(escaped, json);
        } else if closers.contains(&char) {
            let length = place + char.len_utf8();
            if ends(rest.get(length..).unwrap_or_default())? {
                json.push('"');
                return Ok(MendedText { length, changed });
            }
            (changed, inner) = (true, true);
            push(char, json);
        } else {
            changed |= push(char, json);
        }
    }
    // One of the quotes that were taken for a part of the text may have been its end.
    Err(if inner {
        MendStop::Doubtful
    } else {
        MendStop::Cut
    })
}

/// Whether a quote with this behind it ends its text. One that stands before more words is part of them; one
/// before another quote could be either.
fn ends(behind: &str) -> Result<bool, MendStop> {
    let next = behind.trim_start();
    let blanks = behind.len() - next.len();
    let new_line = behind
        .get(..blanks)
        .is_some_and(|blanks| blanks.contains('\n'));
    match next.chars().next() {
        None => Ok(true),
        Some(',' | ':' | '}' | ']') => Ok(true),
        Some(_) if new_line => Ok(true),
        Some(char) if is_quote(char) => Err(MendStop::Doubtful),
        Some('/') => Err(MendStop::Doubtful),
        Some(_) => Ok(false),
    }
}

/// Writes what stands after a backslash; tells whether it had to be changed.
fn escape(escaped: char, json: &mut String) -> bool {
    match escaped {
        '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u' => {
            json.push('\\');
            json.push(escaped);
            false
        }
        '\'' => {
            json.push('\'');
            true
        }
        // A formula's backslash, or one before a line's end.
        _ => {
            json.push_str("\\\\");
            push(escaped, json);
            true
        }
    }
}

/// Writes a character, escaped if it may not stand in a text; tells whether it was.
fn push(char: char, json: &mut String) -> bool {
    match char {
        '"' => json.push_str("\\\""),
        '\n' => json.push_str("\\n"),
        '\r' => json.push_str("\\r"),
        '\t' => json.push_str("\\t"),
        '\0'..='\u{1f}' => json.push_str(&format!("\\u{:04x}", u32::from(char))),
        _ => {
            json.push(char);
            return false;
        }
    }
    true
}
