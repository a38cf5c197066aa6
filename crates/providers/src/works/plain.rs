//! Titles without the markup that publishers put into them: JATS and HTML tags, entities, folded blanks.

use std::cell::RefCell;

use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer};

/// Some titles are escaped twice.
const ROUNDS_MAX: usize = 2;

const CHARS_MAX: usize = 2_000;

pub(super) fn plain(text: &str) -> String {
    let mut text: String = text.chars().take(CHARS_MAX).collect();
    for _ in 0..ROUNDS_MAX {
        if text.contains(['<', '&']) {
            text = without_markup(&text);
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn without_markup(text: &str) -> String {
    let sink = Sink::default();
    let tokenizer = Tokenizer::new(sink, Default::default());
    let input = BufferQueue::default();
    input.push_back(text.into());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

#[derive(Default)]
struct Sink(RefCell<String>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if let Token::CharacterTokens(text) = token {
            self.0.borrow_mut().push_str(&text);
        }
        TokenSinkResult::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn markup_is_taken_out_and_words_stay() {
        for (text, is) in [
            (
                "CO<sub>2</sub> and <i>c</i><sub><i>p</i></sub>",
                "CO2 and cp",
            ),
            ("<jats:title>A &amp; B</jats:title>", "A & B"),
            (
                "&amp;lt;i&amp;gt;E. coli&amp;lt;/i&amp;gt;",
                "<i>E. coli</i>",
            ),
            (
                "&lt;i&gt;E. coli&lt;/i&gt; &#8211; p &lt; 0.05",
                "E. coli – p < 0.05",
            ),
            (
                "<i>Women in Ming China</i>\n            .",
                "Women in Ming China .",
            ),
            ("p < 0.05 & more", "p < 0.05 & more"),
            ("", ""),
        ] {
            assert_eq!(plain(text), is);
        }
    }
}
