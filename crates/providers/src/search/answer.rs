//! An answer of JSON that bends its own rules: `NaN`, stray backslashes, lists that are null or missing.

use serde_json::Value;

use crate::call::AttemptError;
use crate::client::HttpReply;

/// An answer's JSON, and how many numbers in it were none.
pub(super) struct JsonBody {
    pub(super) json: Value,
    pub(super) bad_numbers: u32,
}

/// The answer's JSON, mended if need be; else the fault that says what came instead.
pub(super) fn body(reply: &HttpReply) -> Result<JsonBody, AttemptError> {
    if let Ok(json) = reply.json() {
        return Ok(JsonBody {
            json,
            bad_numbers: 0,
        });
    }
    let (text, bad_numbers) = mended(&String::from_utf8_lossy(reply.body()));
    let json = serde_json::from_str(&text).map_err(|_| reply.refused())?;
    Ok(JsonBody { json, bad_numbers })
}

/// The list at `path`. It may be missing from an answer that holds `sign`, by which we know that it is one.
pub(super) fn items<'a>(
    reply: &HttpReply,
    json: &'a Value,
    path: &[&str],
    sign: &str,
) -> Result<&'a [Value], AttemptError> {
    let found = path.iter().try_fold(json, |value, name| value.get(name));
    match found {
        Some(Value::Array(items)) => Ok(items),
        None | Some(Value::Null) if json.get(sign).is_some() && json["error"].is_null() => Ok(&[]),
        _ => Err(reply.refused()),
    }
}

/// The text with what JSON does not know made `null` or left out: `NaN`, infinite and oversized numbers, control
/// characters and unknown escapes in strings. Also how many numbers became `null`.
fn mended(text: &str) -> (String, u32) {
    let mut kept = String::with_capacity(text.len());
    let mut bad_numbers = 0;
    let mut chars = text.char_indices().peekable();
    let mut inside = false;
    while let Some((at, c)) = chars.next() {
        if inside {
            inside = c != '"';
            match (c, chars.peek().map(|(_, next)| *next)) {
                ('\\', Some(next)) if "\"\\/bfnrtu".contains(next) => {
                    kept.extend([c, next]);
                    chars.next();
                }
                ('\\', _) => {}
                _ => kept.push(if c.is_control() { ' ' } else { c }),
            }
        } else if c == '-' || c == '+' || c.is_ascii_alphanumeric() {
            let mut end = at + c.len_utf8();
            while let Some((next_at, next)) = chars.next_if(|(_, next)| is_of_word(*next)) {
                end = next_at + next.len_utf8();
            }
            let word = text.get(at..end).unwrap_or_default();
            let bad = is_bad_number(word);
            kept.push_str(if bad { "null" } else { word });
            bad_numbers += u32::from(bad);
        } else {
            inside = c == '"';
            kept.push(c);
        }
    }
    (kept, bad_numbers)
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "+-.".contains(c)
}

fn is_bad_number(word: &str) -> bool {
    let bare = word.trim_start_matches(['-', '+']).to_ascii_lowercase();
    matches!(bare.as_str(), "nan" | "infinity" | "inf")
        || word.parse::<f64>().is_ok_and(f64::is_infinite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_json_does_not_know_is_mended() {
        for (raw, read, bad) in [
            (r#"{"score": NaN}"#, r#"{"score":null}"#, 1),
            (
                r#"[-Infinity, 1e999, -1.5e2, true]"#,
                "[null,null,-150.0,true]",
                2,
            ),
            (r#"{"a": "NaN \q \" \u00e9"}"#, r#"{"a":"NaN q \" é"}"#, 0),
            ("{\"a\": \"one\ntwo\"}", r#"{"a":"one two"}"#, 0),
        ] {
            let (text, count) = mended(raw);
            let value: Value = serde_json::from_str(&text).unwrap();
            assert_eq!((value.to_string().as_str(), count), (read, bad), "{raw}");
        }
    }
}
