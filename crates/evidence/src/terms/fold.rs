//! Letters that are told apart in print and not in search: case, accents, forms of the same sign.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// In lower case, with ligatures, full-width and other compatible forms resolved.
pub(super) fn lower(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return word.to_ascii_lowercase().into();
        }
        return word.into();
    }
    word.nfkc()
        .flat_map(char::to_lowercase)
        .nfc()
        .collect::<String>()
        .into()
}

/// Without accents, and with the letters that no accent explains spelt out.
pub(super) fn without_accents(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return word.into();
    }
    let mut plain = String::with_capacity(word.len());
    for c in word.nfd().filter(|c| !is_accent(*c)).nfc() {
        match spelt_out(c) {
            Some(letters) => plain.push_str(letters),
            None => plain.push(c),
        }
    }
    plain.into()
}

/// Combining marks of Latin, Greek and Cyrillic, and the vowel signs of Arabic. Those of other
/// scripts tell words apart.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{652}')
}

fn spelt_out(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'ı' => "i",
        'þ' => "th",
        _ => return None,
    })
}
