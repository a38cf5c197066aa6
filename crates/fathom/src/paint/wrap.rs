//! Wraps styled text to a width, between words.

use console::measure_text_width;

use crate::screen::TextStyle;

/// Text in one style.
#[derive(Clone, Debug)]
pub(super) struct StyledText {
    pub(super) text: String,
    pub(super) style: TextStyle,
}

/// A word, which may change its style inside, and its width in columns.
#[derive(Default)]
struct StyledWord {
    painted: String,
    columns: usize,
}

/// Lines no wider than `width`, unless a single word is.
pub(super) fn wrapped(pieces: &[StyledText], width: usize, coloured: bool) -> Vec<String> {
    let mut lines = LineWrapper {
        width,
        done: Vec::new(),
        line: String::new(),
        columns: 0,
    };
    let mut word = StyledWord::default();
    for piece in pieces {
        let mut run = String::new();
        for c in piece.text.chars() {
            if c.is_whitespace() {
                word.add(&run, piece.style, coloured);
                run.clear();
                lines.put(std::mem::take(&mut word));
                if c == '\n' {
                    lines.end();
                }
            } else {
                run.push(c);
            }
        }
        word.add(&run, piece.style, coloured);
    }
    lines.put(word);
    lines.end();
    lines.done
}

impl StyledWord {
    fn add(&mut self, run: &str, style: TextStyle, coloured: bool) {
        self.columns += measure_text_width(run);
        self.painted.push_str(&style.paint(run, coloured));
    }
}

struct LineWrapper {
    width: usize,
    done: Vec<String>,
    line: String,
    columns: usize,
}

impl LineWrapper {
    fn put(&mut self, word: StyledWord) {
        if word.columns == 0 {
            return;
        }
        if self.columns > 0 && self.columns + 1 + word.columns > self.width {
            self.end();
        }
        if self.columns > 0 {
            self.line.push(' ');
            self.columns += 1;
        }
        self.line.push_str(&word.painted);
        self.columns += word.columns;
    }

    fn end(&mut self) {
        if self.columns > 0 {
            self.done.push(std::mem::take(&mut self.line));
            self.columns = 0;
        }
    }
}
