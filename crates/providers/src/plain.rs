//! Providers' titles and snippets as plain text: no markup, no entities, no invisible marks, folded blanks, a bound.
//!
//! Only tags of a known name are markup: `Vec<T>` and `p < 0.05` are what somebody wrote.

use html5ever::data::NAMED_ENTITIES;

/// Tags between which no blank is due.
const INLINE: &str = "a abbr b bold cite code em ext-link font i inf italic mark monospace s sc scp small span strong \
                      sub sup tt u underline xref";

/// Tags that part words.
const BLOCK: &str = "abstract article blockquote body br dd div dl dt figure h1 h2 h3 h4 h5 h6 head header hr html \
                     img li list list-item ol p pre q script sec section style table tbody td th title tr ul video";

/// Namespaces of markup in the metadata of works.
const SPACES: &[&str] = &["jats", "mml", "m", "ns0", "xhtml", "html"];

/// A longer run after `<` is no tag.
const TAG_BYTES_MAX: usize = 2_000;

/// The longest name of an entity is shorter.
const ENTITY_BYTES_MAX: usize = 40;

/// Plain text of at most so many characters.
pub(crate) fn plain(text: &str, chars_max: usize) -> String {
    let untagged = replaced(text, '<', tag);
    bounded(&replaced(&untagged, '&', entity), chars_max)
}

/// Text that holds no markup, such as code: only invisible marks go, blanks are folded, and the bound is kept.
pub(crate) fn bounded(text: &str, chars_max: usize) -> String {
    let mut kept = String::new();
    let mut blank = false;
    let mut left = chars_max;
    for c in text.chars().filter(|c| !is_invisible(*c)) {
        if c.is_whitespace() || c.is_control() {
            blank = !kept.is_empty();
            continue;
        }
        // A blank is kept only with the character after it.
        let needed = 1 + usize::from(blank);
        if left < needed {
            break;
        }
        left -= needed;
        if blank {
            kept.push(' ');
            blank = false;
        }
        kept.push(c);
    }
    kept
}

/// Zero-width and direction marks, tags and other characters that are not seen but can hide words.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
            | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// The text with each run that begins with `mark` put as `read` has it; what `read` does not know stays.
fn replaced<T: AsRef<str>>(
    text: &str,
    mark: char,
    read: impl Fn(&str) -> Option<(usize, T)>,
) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.find(mark).map(|at| rest.split_at(at)) {
        kept.push_str(before);
        let length = match read(from) {
            Some((length, meaning)) => {
                kept.push_str(meaning.as_ref());
                length
            }
            None => {
                kept.push(mark);
                mark.len_utf8()
            }
        };
        rest = from.get(length..).unwrap_or_default();
    }
    kept + rest
}

/// The length of the tag or comment that `text` begins with, and a blank if words end at it.
fn tag(text: &str) -> Option<(usize, &'static str)> {
    if let Some(comment) = text.strip_prefix("<!--") {
        return comment.find("-->").map(|end| (end + 7, " "));
    }
    let end = text.bytes().take(TAG_BYTES_MAX).position(|b| b == b'>')?;
    let inside = text.get(1..end)?;
    let inside = inside.strip_prefix('/').unwrap_or(inside);
    let name_end = inside
        .find(|c: char| c.is_whitespace() || c == '/')
        .unwrap_or(inside.len());
    let (name, rest) = inside.split_at(name_end);
    // After the name of a tag come attributes or nothing: `a<b and c>d` compares.
    if !matches!(rest.trim(), "" | "/") && !rest.contains('=') {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let spaced = name.split_once(':');
    let spaced = spaced.filter(|(space, _)| SPACES.contains(space));
    let local = spaced.map_or(name.as_str(), |(_, local)| local);
    let is_block = BLOCK.split(' ').any(|block| block == local);
    let is_tag = is_block || spaced.is_some() || INLINE.split(' ').any(|inline| inline == local);
    is_tag.then_some((end + 1, if is_block { " " } else { "" }))
}

/// The length of the entity that `text` begins with, and what it means.
fn entity(text: &str) -> Option<(usize, String)> {
    let end = text
        .bytes()
        .take(ENTITY_BYTES_MAX)
        .position(|b| b == b';')?;
    let name = text.get(1..end)?;
    let meaning = if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        char::from_u32(code)?.to_string()
    } else {
        let (first, second) = NAMED_ENTITIES.get(&format!("{name};"))?;
        [*first, *second]
            .into_iter()
            .filter(|code| *code != 0)
            .filter_map(char::from_u32)
            .collect()
    };
    Some((end + 1, meaning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_of_providers_becomes_plain_text() {
        for (raw, read) in [
            ("About <strong>Rust</strong> &amp; C", "About Rust & C"),
            (
                "<jats:title>Abstract</jats:title><jats:p>CO<jats:sub>2</jats:sub> rose.</jats:p>",
                "Abstract CO2 rose.",
            ),
            (
                "<span class=\"searchmatch\">Lettuce</span>s<br/>grow",
                "Lettuces grow",
            ),
            (
                "caf&eacute; &#8211; &#x201C;quoted&#x201D; &nbsp; &unknown; AT&T",
                "café – “quoted” &unknown; AT&T",
            ),
            (
                "p < 0.05, a<b and c>d, Vec<T>",
                "p < 0.05, a<b and c>d, Vec<T>",
            ),
            ("one <!-- hidden --> two", "one two"),
            ("<mml:math><mml:mi>x</mml:mi></mml:math>-ray", "x-ray"),
            (
                "un\u{200B}seen\u{202E} \u{FEFF}marks\u{0}\n\tgo",
                "unseen marks go",
            ),
            ("<", "<"),
            ("&", "&"),
            ("<b", "<b"),
        ] {
            assert_eq!(plain(raw, 1_000), read, "{raw}");
        }
    }

    #[test]
    fn text_keeps_its_bound_in_characters() {
        assert_eq!(plain("ééé ééé", 5), "ééé é");
        assert_eq!(plain("abc def", 4), "abc");
        assert_eq!(plain("abc", 0), "");
        assert_eq!(plain(&"x ".repeat(10_000), 99).chars().count(), 99);
    }
}
