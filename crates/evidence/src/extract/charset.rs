//! Turns bytes into text, whatever their declaration says.
//!
//! A byte order mark is certain. Bytes that are valid UTF-8 and use it are UTF-8, whoever says
//! otherwise. Then what was declared counts, unless the bytes contradict it; then a detector guesses.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::Error;

/// How far a page's own `<meta charset>` may stand from its beginning.
const META_BYTES: usize = 4_096;

/// How many bytes the detector looks at: more does not change its answer.
const GUESS_BYTES: usize = 256 * 1_024;

/// A text with more than one control character in so many is no text.
const CONTROLS_ONE_IN: usize = 50;

/// What bytes say.
pub(super) struct Decoded {
    pub(super) text: String,
    /// A sentence when some of it could not be read.
    pub(super) lost: Option<String>,
}

pub(super) fn decode(bytes: &[u8], content_type: Option<&str>) -> Result<Decoded, Error> {
    let encoding = choose(bytes, content_type);
    // This honours a byte order mark above all, and takes it away.
    let (text, _, _) = encoding.decode(bytes);
    let text = text.into_owned();
    let all = text.chars().count();
    let bad = text.matches('\u{fffd}').count();
    let controls = text.bytes().filter(|byte| is_control(char::from(*byte)));
    let controls = controls.count();
    if controls + bad > all / CONTROLS_ONE_IN + 1 && controls > 0 || bad > all / 4 {
        return Err(Error::NotADocument {
            found: "binary data".to_owned(),
        });
    }
    let lost = (bad > 0).then(|| {
        format!(
            "{bad} characters could not be decoded as {} and stand as \u{fffd}.",
            encoding.name()
        )
    });
    Ok(Decoded { text, lost })
}

fn is_control(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{e}'..='\u{1a}' | '\u{1c}'..='\u{1f}' | '\u{7f}')
}

fn choose(bytes: &[u8], content_type: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    if let Some(encoding) = wide_without_mark(bytes) {
        return encoding;
    }
    let declared = content_type.and_then(by_header).or_else(|| by_meta(bytes));
    if bytes.is_ascii() {
        // Some encodings write everything in ASCII bytes, so a declaration counts here.
        return declared
            .filter(|declared| !is_wide(declared))
            .unwrap_or(UTF_8);
    }
    if is_mostly_utf8(bytes) {
        return UTF_8;
    }
    let guess = guess(bytes);
    match declared {
        None => guess,
        Some(declared) if contradicts(bytes, declared, guess) => guess,
        Some(declared) => declared,
    }
}

/// UTF-8 throughout, or with single bad bytes in much that is good.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let mut good = 0_usize;
    let mut bad = 0_usize;
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    bad == 0 || good > 20 * bad
}

/// Whether its units have two bytes.
fn is_wide(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

/// Text in two-byte units has zeros in every other byte: in most of them where it is Latin, at blanks
/// and digits in other scripts. Text in other encodings has none.
fn wide_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(META_BYTES)];
    let pairs = head.chunks_exact(2);
    let (count, mut first, mut last) = (pairs.len(), 0, 0);
    for pair in pairs {
        first += usize::from(pair.first() == Some(&0));
        last += usize::from(pair.last() == Some(&0));
    }
    let (encoding, zeros, others) = if last > first {
        (UTF_16LE, last, first)
    } else {
        (UTF_16BE, first, last)
    };
    let latin = zeros * 10 >= count * 7 && others * 20 <= count;
    let other_script = || zeros * 20 >= count && others == 0 && reads_as(encoding, head);
    (count >= 4 && zeros > 0 && (latin || other_script())).then_some(encoding)
}

/// Whether bytes make a text of letters and blanks in this encoding.
fn reads_as(encoding: &'static Encoding, head: &[u8]) -> bool {
    let (text, _) = encoding.decode_without_bom_handling(head);
    let plain = |c: &char| c.is_alphabetic() || c.is_whitespace();
    let count = text.chars().filter(plain).count();
    !text.chars().any(is_control) && count * 10 >= text.chars().count() * 7
}

/// A declaration is wrong when its own rules are broken, or when it is the Western default that
/// servers put on anything and the bytes are plainly of another script.
fn contradicts(bytes: &[u8], declared: &'static Encoding, guess: &'static Encoding) -> bool {
    if declared == guess {
        return false;
    }
    let head = &bytes[..bytes.len().min(GUESS_BYTES)];
    if declared == WINDOWS_1252 {
        let (text, _) = guess.decode_without_bom_handling(head);
        let letters = text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic());
        let (mut latin, mut other) = (0_usize, 0_usize);
        for letter in letters {
            if letter < '\u{250}' {
                latin += 1
            } else {
                other += 1
            }
        }
        return other > 3 * latin && other > 20;
    }
    declared
        .decode_without_bom_handling_and_without_replacement(bytes)
        .is_none()
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[..bytes.len().min(GUESS_BYTES)], true);
    detector.guess(None, Utf8Detection::Deny)
}

fn by_header(content_type: &str) -> Option<&'static Encoding> {
    let (_, rest) = content_type.split_once("charset")?;
    let label = rest.trim_start().strip_prefix('=')?;
    let label = label.split(';').next()?.trim().trim_matches(['"', '\'']);
    Encoding::for_label(label.as_bytes())
}

/// `<meta charset="…">`, `<meta http-equiv … content="…; charset=…">` or `<?xml encoding="…"?>`.
fn by_meta(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(META_BYTES)];
    if !head.contains(&b'<') {
        return None;
    }
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let mut rest = head.as_str();
    loop {
        let charset = rest.find("charset").map(|at| (at, at + "charset".len()));
        let encoding = rest.find("encoding").map(|at| (at, at + "encoding".len()));
        let (start, end) = charset.into_iter().chain(encoding).min()?;
        // Only a declaration inside a tag counts; the words may stand in the text too.
        let in_tag = rest[..start].rfind('<') > rest[..start].rfind('>');
        rest = &rest[end..];
        let Some(value) = rest.trim_start().strip_prefix('=') else {
            continue;
        };
        let value = value.trim_start().trim_start_matches(['"', '\'']);
        let stop = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
        let label = value.split(stop).next().unwrap_or_default();
        let found = Encoding::for_label(label.as_bytes());
        if let Some(encoding) = found.filter(|_| in_tag) {
            // A page whose tags could be read byte by byte is not in two-byte units.
            return Some(if is_wide(encoding) { UTF_8 } else { encoding });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    fn read(bytes: &[u8], content_type: Option<&str>) -> String {
        decode(bytes, content_type).expect("it is text").text
    }

    #[test]
    fn a_byte_order_mark_decides_and_is_taken_away() {
        assert_eq!(
            read(
                b"\xef\xbb\xbfna\xc3\xafve",
                Some("text/html; charset=iso-8859-1")
            ),
            "naïve"
        );
        let wide: Vec<u8> = "\u{feff}naïve"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(read(&wide, None), "naïve");
    }

    #[test]
    fn valid_utf8_wins_over_a_wrong_declaration() {
        assert_eq!(
            read(
                "Größe – “x”".as_bytes(),
                Some("text/html; charset=ISO-8859-1")
            ),
            "Größe – “x”"
        );
    }

    #[test]
    fn latin1_declared_as_utf8_is_read_as_what_it_is() {
        let page = b"<meta charset=\"utf-8\"><p>Die Gr\xf6\xdfe der St\xe4dte w\xe4chst f\xfcr \xe4ltere Leute.";
        assert!(read(page, None).contains("Die Größe der Städte wächst für ältere Leute."));
    }

    #[test]
    fn a_declared_charset_is_used_from_header_or_page() {
        assert_eq!(
            read(
                b"\xcf\xf0\xe8\xe2\xe5\xf2",
                Some("text/plain; charset=\"windows-1251\"")
            ),
            "Привет"
        );
        let page = b"<html><head><meta http-equiv=Content-Type content='text/html; charset=windows-1251'></head>\xcf\xf0\xe8\xe2\xe5\xf2";
        assert!(read(page, None).ends_with("Привет"));
    }

    #[test]
    fn another_script_under_the_western_default_is_recognised() {
        let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode("Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний.");
        assert!(read(&bytes, Some("text/html; charset=iso-8859-1")).contains("мягких"));
    }

    #[test]
    fn two_byte_text_without_a_mark_is_recognised() {
        let wide: Vec<u8> = "plain words here"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert_eq!(read(&wide, None), "plain words here");
    }

    #[test]
    fn single_bad_bytes_are_counted_and_the_rest_is_kept() {
        let mut bytes = "Größe ".repeat(40).into_bytes();
        bytes.push(0xff);
        let decoded = decode(&bytes, None).expect("it is text");
        assert!(decoded.text.starts_with("Größe Größe"));
        assert!(
            decoded
                .lost
                .expect("it says so")
                .starts_with("1 characters")
        );
    }

    #[test]
    fn binary_data_is_refused() {
        let noise: Vec<u8> = (0..2_000_u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        assert!(decode(&noise, Some("text/plain")).is_err());
    }
}
