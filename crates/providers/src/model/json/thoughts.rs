//! Takes a model's thoughts out of its answer.

use std::borrow::Cow;

const TAGS: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
];

/// Blocks that are taken out at most.
const BLOCKS_MAX: usize = 64;

/// The text without its thoughts. A thought without an end takes all that follows, and one without a beginning,
/// which some templates leave in the prompt, all before it.
pub fn without(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for (open, close) in TAGS {
        for _ in 0..BLOCKS_MAX {
            let Some(shorter) = one_less(&text, open, close) else {
                break;
            };
            text = Cow::Owned(shorter);
        }
    }
    text
}

fn one_less(text: &str, open: &str, close: &str) -> Option<String> {
    let start = find(text, open, 0);
    let end = find(text, close, start.unwrap_or(0));
    match (start, end) {
        (None, None) => None,
        (None, Some(end)) => Some(text.get(end + close.len()..)?.to_owned()),
        (Some(start), None) => Some(text.get(..start)?.to_owned()),
        (Some(start), Some(end)) => {
            Some(text.get(..start)?.to_owned() + text.get(end + close.len()..)?)
        }
    }
}

/// Where the tag stands, in whatever case.
fn find(text: &str, tag: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes().get(from..)?;
    let same = |window: &[u8]| window.eq_ignore_ascii_case(tag.as_bytes());
    bytes
        .windows(tag.len())
        .position(same)
        .map(|place| from + place)
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn thoughts_are_taken_out_wherever_their_tags_are_missing() {
        for (text, said) in [
            ("plain", "plain"),
            ("<think>a</think>b", "b"),
            ("a<THINK>b</Think>c<thinking>d</thinking>e", "ace"),
            ("a <think> never ends {", "a "),
            ("the start is missing</think> b", " b"),
            ("<think></think><think>x</think>y", "y"),
        ] {
            assert_eq!(without(text), said, "{text}");
        }
    }
}
