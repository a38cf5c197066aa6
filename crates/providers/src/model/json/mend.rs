//! Mends small faults in JSON that a model wrote, and never makes anything up.
//!
//! Mended are: commas after the last item, or missing between lines; quotes of other kinds, or none around keys;
//! quotes, line ends and stray backslashes within texts; Python's literals; comments; closing brackets that are
//! missing. In an answer that was cut off, the value that was being written is left out, since half a number or
//! half a sentence is another one. Whatever is doubtful is not mended: then the model is asked again.

mod text;

use self::text::MendedText;

/// Brackets within brackets at most, as serde_json has it.
const DEPTH_MAX: usize = 128;

/// Ways to close an answer that was cut off.
const CLOSINGS_MAX: usize = 8;

/// The value that begins with the first bracket of the text; none if that is no JSON, and cannot be made so.
pub(super) fn value(text: &str) -> Option<MendedJson> {
    let mut mender = JsonMender {
        rest: text,
        json: String::new(),
        changed: false,
        open: Vec::new(),
    };
    let cut = mender.run().err();
    match cut {
        Some(MendStop::Doubtful) => return None,
        Some(MendStop::Cut) => {
            mender.changed = true;
            mender.rest = "";
        }
        None => {}
    }
    Some(MendedJson {
        length: text.len() - mender.rest.len(),
        json: mender.json,
        changed: mender.changed,
        open: mender
            .open
            .iter()
            .map(|level| (level.closer, level.whole))
            .collect(),
    })
}

/// A value found at the beginning of a text.
#[derive(Debug)]
pub(super) struct MendedJson {
    json: String,
    /// Bytes of the text that it took.
    pub(super) length: usize,
    pub(super) changed: bool,
    /// For a value that was cut off: how long the JSON is after the last whole item at each depth.
    open: Vec<(u8, usize)>,
}

impl MendedJson {
    /// The value as it can be read: whole, or closed after its last whole item, deepest first.
    pub(super) fn readings(&self) -> Vec<String> {
        if self.open.is_empty() {
            return vec![self.json.clone()];
        }
        let deepest_first = (0..self.open.len()).rev().take(CLOSINGS_MAX);
        deepest_first.map(|depth| self.closed_at(depth)).collect()
    }

    fn closed_at(&self, depth: usize) -> String {
        let whole = self.open.get(depth).map_or(0, |(_, whole)| *whole);
        let mut json = self.json.get(..whole).unwrap_or_default().to_owned();
        let closers = self.open.iter().take(depth + 1).rev();
        json.extend(closers.map(|(closer, _)| char::from(*closer)));
        json
    }
}

struct JsonMender<'a> {
    rest: &'a str,
    json: String,
    changed: bool,
    open: Vec<NestingLevel>,
}

/// An object or a list that is being read.
struct NestingLevel {
    closer: u8,
    /// The length of the JSON after its last whole item.
    whole: usize,
    items: usize,
    /// Whether a comma, or the end of a line, parts the last item from the next.
    parted: bool,
}

/// Why there is no whole value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MendStop {
    /// The text ended.
    Cut,
    /// It could be read in more than one way, or in none.
    Doubtful,
}

impl<'a> JsonMender<'a> {
    /// Reads until the first bracket is closed. Each round takes at least one character.
    fn run(&mut self) -> Result<(), MendStop> {
        self.open_bracket()?;
        while let Some(level) = self.open.len().checked_sub(1) {
            let new_line = self.skip_blanks()?;
            let level = &mut self.open[level];
            if new_line && level.items > 0 && !level.parted {
                // Only needed if no comma follows, which is looked at next.
                if !self.rest.starts_with([',', '}', ']']) {
                    level.parted = true;
                    self.changed = true;
                }
            }
            match self.next()? {
                ',' => self.comma()?,
                '}' | ']' => self.close_bracket()?,
                _ => self.item()?,
            }
        }
        Ok(())
    }

    fn comma(&mut self) -> Result<(), MendStop> {
        self.take(1);
        let level = self.open.last_mut().ok_or(MendStop::Doubtful)?;
        if level.items == 0 || level.parted {
            return Err(MendStop::Doubtful);
        }
        level.parted = true;
        Ok(())
    }

    fn item(&mut self) -> Result<(), MendStop> {
        let level = self.open.last_mut().ok_or(MendStop::Doubtful)?;
        if level.items > 0 && !level.parted {
            return Err(MendStop::Doubtful);
        }
        if level.items > 0 {
            self.json.push(',');
        }
        if level.closer == b'}' {
            self.key()?;
        }
        if self.rest.starts_with(['{', '[']) {
            return self.open_bracket();
        }
        self.scalar()?;
        self.item_done();
        Ok(())
    }

    fn item_done(&mut self) {
        let whole = self.json.len();
        if let Some(level) = self.open.last_mut() {
            level.items += 1;
            level.parted = false;
            level.whole = whole;
        }
    }

    fn key(&mut self) -> Result<(), MendStop> {
        if text::is_quote(self.next()?) {
            self.text()?;
        } else {
            let word = self.word()?;
            let plain = |char: char| char.is_ascii_alphanumeric() || char == '_';
            if !word.chars().all(plain) {
                return Err(MendStop::Doubtful);
            }
            self.json.push_str(&format!("\"{word}\""));
            self.changed = true;
        }
        self.skip_blanks()?;
        if self.next()? != ':' {
            return Err(MendStop::Doubtful);
        }
        self.take(1);
        self.json.push(':');
        self.skip_blanks().map(drop)
    }

    fn scalar(&mut self) -> Result<(), MendStop> {
        if text::is_quote(self.next()?) {
            return self.text();
        }
        let word = self.word()?;
        let written = match word {
            "true" | "false" | "null" => word,
            "True" => "true",
            "False" => "false",
            "None" => "null",
            _ if serde_json::from_str::<serde_json::Number>(word).is_ok() => word,
            _ => return Err(MendStop::Doubtful),
        };
        self.changed |= written != word;
        self.json.push_str(written);
        Ok(())
    }

    fn text(&mut self) -> Result<(), MendStop> {
        let MendedText { length, changed } = text::read(self.rest, &mut self.json)?;
        self.changed |= changed;
        self.take(length);
        Ok(())
    }

    /// A run of letters and digits. At the end of the text nobody knows whether it is whole.
    fn word(&mut self) -> Result<&'a str, MendStop> {
        let part = |char: char| char.is_alphanumeric() || "+-._".contains(char);
        let end = self.rest.find(|char| !part(char)).ok_or(MendStop::Cut)?;
        let (word, _) = self.rest.split_at(end);
        if word.is_empty() {
            return Err(MendStop::Doubtful);
        }
        self.take(end);
        Ok(word)
    }

    fn open_bracket(&mut self) -> Result<(), MendStop> {
        let bracket = self.next()?;
        let closer = if bracket == '{' { b'}' } else { b']' };
        if self.open.len() >= DEPTH_MAX {
            return Err(MendStop::Doubtful);
        }
        self.take(1);
        self.json.push(bracket);
        self.open.push(NestingLevel {
            closer,
            whole: self.json.len(),
            items: 0,
            parted: false,
        });
        Ok(())
    }

    /// Closes the bracket, and before it those inside whose own closing was forgotten.
    fn close_bracket(&mut self) -> Result<(), MendStop> {
        let closer = self.next()?;
        let place = self
            .open
            .iter()
            .rposition(|level| char::from(level.closer) == closer);
        let place = place.ok_or(MendStop::Doubtful)?;
        self.changed |= place + 1 < self.open.len();
        self.changed |= self.open.last().is_some_and(|level| level.parted);
        self.take(1);
        while self.open.len() > place {
            let level = self.open.pop().ok_or(MendStop::Doubtful)?;
            self.json.push(char::from(level.closer));
            self.item_done();
        }
        Ok(())
    }

    /// Passes over blanks and comments; tells whether a line ended among them.
    fn skip_blanks(&mut self) -> Result<bool, MendStop> {
        let mut new_line = false;
        // Each round takes a comment, so this ends.
        loop {
            let trimmed = self.rest.trim_start();
            let blanks = self.rest.len() - trimmed.len();
            new_line |= self
                .rest
                .get(..blanks)
                .is_some_and(|blanks| blanks.contains('\n'));
            self.rest = trimmed;
            let end = if trimmed.starts_with("//") {
                trimmed.find('\n')
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").map(|end| end + 2)
            } else {
                return Ok(new_line);
            };
            self.changed = true;
            let Some(end) = end else {
                self.rest = "";
                return Err(MendStop::Cut);
            };
            self.take(end);
        }
    }

    fn next(&self) -> Result<char, MendStop> {
        self.rest.chars().next().ok_or(MendStop::Cut)
    }

    fn take(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }
}
