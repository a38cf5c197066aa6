//! Standard output and standard error: what may be coloured, how wide it is, and text that cannot take the terminal over.

use std::io::{self, IsTerminal, Write};

use crate::exit::{Problem, Result};

/// Lines are not longer than this, however wide the window: long lines are hard to read.
const WIDTH_MOST: usize = 100;
const WIDTH_LEAST: usize = 40;
const WIDTH_UNKNOWN: usize = 80;
const HEIGHT_UNKNOWN: usize = 24;

/// Ways to set text off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextStyle {
    pub bold: bool,
    pub italic: bool,
    pub dim: bool,
    pub colour: Option<TextColour>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextColour {
    Red,
    Green,
    Yellow,
    Cyan,
}

impl TextStyle {
    pub const PLAIN: Self = Self {
        bold: false,
        italic: false,
        dim: false,
        colour: None,
    };
    pub const BOLD: Self = Self {
        bold: true,
        ..Self::PLAIN
    };
    pub const DIM: Self = Self {
        dim: true,
        ..Self::PLAIN
    };

    pub const fn in_colour(colour: TextColour) -> Self {
        Self {
            colour: Some(colour),
            ..Self::PLAIN
        }
    }

    /// The text in this style, if there is colour.
    pub fn paint(self, text: &str, coloured: bool) -> String {
        let mut codes: Vec<&str> = Vec::new();
        codes.extend(self.bold.then_some("1"));
        codes.extend(self.dim.then_some("2"));
        codes.extend(self.italic.then_some("3"));
        codes.extend(self.colour.map(|colour| match colour {
            TextColour::Red => "31",
            TextColour::Green => "32",
            TextColour::Yellow => "33",
            TextColour::Cyan => "36",
        }));
        if coloured && !codes.is_empty() && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", codes.join(";"))
        } else {
            text.to_owned()
        }
    }
}

/// Whether a stream of the given kind may be coloured.
fn coloured(is_terminal: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    is_terminal && !set("NO_COLOR") && !dumb
}

pub fn stdout_is_coloured() -> bool {
    coloured(io::stdout().is_terminal())
}

pub fn stderr_is_coloured() -> bool {
    coloured(io::stderr().is_terminal())
}

/// Whether lines on standard error can be drawn over again.
pub fn stderr_is_live() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stderr().is_terminal() && !dumb
}

/// Whether there is a person to ask: one who sees the question and can type.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Columns to write in.
pub fn width() -> usize {
    let size = console::Term::stdout().size_checked();
    let size = size.or_else(|| console::Term::stderr().size_checked());
    let width = size.map_or(WIDTH_UNKNOWN, |(_, columns)| usize::from(columns));
    width.clamp(WIDTH_LEAST, WIDTH_MOST)
}

/// The lines of the window; a common number where there is none.
pub fn height() -> usize {
    let size = console::Term::stdout().size_checked();
    size.map_or(HEIGHT_UNKNOWN, |(rows, _)| usize::from(rows))
}

/// Text as a terminal may show it: nothing in a document can move the cursor or change the window.
pub fn harmless(text: &str) -> String {
    let kept = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().filter(kept).collect()
}

/// Prints to standard output. A reader that has gone away, such as `head`, is no fault.
pub fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

pub fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Problem::failed(format!(
            "standard output cannot be written: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Prints a line to standard output.
pub fn print_line(line: &str) -> Result<()> {
    print(&format!("{line}\n"))
}

/// Tells a person something on standard error. If nobody can hear it, nothing is lost.
pub fn tell(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// A number of things: "1 retry", "6 retries", "2 searches".
pub fn counted(count: u64, kind: &str) -> String {
    if count == 1 {
        return format!("1 {kind}");
    }
    let hisses = ["s", "x", "ch", "sh"].iter().any(|end| kind.ends_with(end));
    match kind.strip_suffix('y') {
        Some(stem) => format!("{count} {stem}ies"),
        None if hisses => format!("{count} {kind}es"),
        None => format!("{count} {kind}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_cannot_take_the_terminal_over() {
        let hostile = "safe\x1b[2J\x1b]0;owned\x07 text\u{9b}31m\r\nnext\tcell";
        assert_eq!(harmless(hostile), "safe[2J]0;owned text31m\nnext\tcell");
    }

    #[test]
    fn without_colour_nothing_but_the_text_is_printed() {
        assert_eq!(TextStyle::BOLD.paint("word", false), "word");
        assert_eq!(TextStyle::BOLD.paint("word", true), "\x1b[1mword\x1b[0m");
    }
}
