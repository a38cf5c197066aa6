//! Wraps styled text to a width, between words.

use console::measure_text_width;

use crate::screen::Style;

/// Text in one style.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) style: Style,
}

/// A word, which may change its style inside, and its width in columns.
#[derive(Default)]
struct Word {
    painted: String,
    columns: usize,
}

/// Lines no wider than `width`, unless a word is.
pub(super) fn wrapped(pieces: &[Piece], width: usize, coloured: bool) -> Vec<String> {
    let mut lines = Lines {
        width,
        done: Vec::new(),
        line: String::new(),
        columns: 0,
    };
    let mut word = Word::default();
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

impl Word {
    fn add(&mut self, run: &str, style: Style, coloured: bool) {
        self.columns += measure_text_width(run);
        self.painted.push_str(&style.paint(run, coloured));
    }
}

struct Lines {
    width: usize,
    done: Vec<String>,
    line: String,
    columns: usize,
}

impl Lines {
    fn put(&mut self, word: Word) {
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
