//! The plain form of a text, in which typography is left out of account, with the way back from
//! every byte of it to the text as it was stored.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use crate::Span;

use super::{stands_alone, without_spaces};

/// A text that repeats the words of a quote more often than this, each time with other hyphens, is
/// no prose; looking on could take long.
const PLACES_MAX: usize = 1_000;

/// How far to look for the next letter or digit behind a space.
const LOOK_AHEAD: usize = 8;

/// Compatible, composed characters; one kind of quotation mark and dash; one space between words
/// and none beside other marks; no hyphens between letters, which are kept apart.
#[derive(Debug, Default)]
pub(super) struct FlatText {
    text: String,
    runs: Vec<Run>,
    hyphens: Vec<Hyphen>,
}

/// A stretch of the plain text and the stretch it was made from.
#[derive(Clone, Copy, Debug)]
struct Run {
    flat: Span,
    from: Span,
    /// Byte for byte the same.
    same: bool,
}

/// Where a hyphen stood between two letters.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Hyphen {
    at: usize,
    /// It ended a line, so that it may or may not belong to the word.
    soft: bool,
}

/// One character on the way to the plain form.
#[derive(Clone, Copy)]
struct FlatChar {
    c: char,
    from: Span,
}

impl FlatText {
    pub(super) fn new(text: &str, ignore_case: bool) -> Self {
        let pieces = pieces(text, ignore_case);
        let mut flat = Self::default();
        let mut last_sign = None;
        let mut i = 0;
        while let Some(piece) = pieces.get(i) {
            let run = pieces.get(i..).unwrap_or_default();
            let (taken, next) = if piece.c.is_whitespace() {
                (flat.space(run, last_sign), None)
            } else if piece.c == '-' {
                (flat.hyphen(run), None)
            } else {
                flat.push(piece.c, piece.from);
                (1, Some(piece.c).filter(|c| c.is_alphanumeric()))
            };
            last_sign = next.or(last_sign);
            i += taken.max(1);
        }
        flat
    }

    /// Every place in `text`, whose plain form this is, where the wanted words stand.
    pub(super) fn places<'a>(
        &'a self,
        wanted: &FlatText,
        text: &'a str,
    ) -> impl Iterator<Item = Span> + use<'a> {
        let mut found: Vec<Span> = Vec::new();
        if !wanted.text.is_empty() {
            for (at, same) in self.text.match_indices(&wanted.text).take(PLACES_MAX) {
                let place = Span::new(at, at + same.len());
                if !self.same_hyphens(place, wanted) {
                    continue;
                }
                found.extend(self.origin(place).filter(|from| stands_alone(text, *from)));
            }
        }
        found.into_iter()
    }

    /// A space is kept between words, and where taking it away would join two numbers.
    fn space(&mut self, run: &[FlatChar], last_sign: Option<char>) -> usize {
        let taken = run.iter().take_while(|p| p.c.is_whitespace()).count();
        let after = run.get(taken..).unwrap_or_default();
        let (Some(before), Some(next)) = (self.text.chars().next_back(), after.first()) else {
            return taken;
        };
        let words = before.is_alphanumeric() && next.c.is_alphanumeric();
        let spaced = !without_spaces(before) && !without_spaces(next.c);
        let next_sign = after.iter().take(LOOK_AHEAD).map(|p| p.c);
        let next_sign = next_sign.into_iter().find(|c| c.is_alphanumeric());
        let numbers = [last_sign, next_sign]
            .iter()
            .all(|c| c.is_some_and(char::is_numeric));
        if (words && spaced) || (numbers && before != '-' && next.c != '-') {
            let end = run.get(taken - 1).map_or(0, |p| p.from.end);
            let start = run.first().map_or(end, |p| p.from.start);
            self.push(' ', Span::new(start, end));
        }
        taken
    }

    /// Several hyphens, or hyphens with space around them, are one dash. Between letters it is
    /// only remembered.
    fn hyphen(&mut self, run: &[FlatChar]) -> usize {
        let dash = |p: &&FlatChar| p.c == '-' || p.c.is_whitespace();
        let taken = run.iter().take_while(dash).count();
        let stretch = run.get(..taken).unwrap_or_default();
        let next = run.get(taken).map(|p| p.c);
        let before = self.text.chars().next_back();
        let single = stretch.iter().filter(|p| p.c == '-').count() == 1;
        let glued = matches!((self.runs.last(), stretch.first()),
            (Some(last), Some(first)) if last.from.end == first.from.start);
        let breaks = stretch
            .iter()
            .any(|p| matches!(p.c, '\n' | '\r' | '\u{2028}'));
        if before.is_some_and(char::is_alphabetic) && next.is_some_and(char::is_alphabetic) {
            let soft = single && glued && breaks;
            self.hyphens.push(Hyphen {
                at: self.text.len(),
                soft,
            });
        } else if let (Some(first), Some(last)) = (stretch.first(), stretch.last()) {
            let from = Span::new(first.from.start, last.from.end);
            // A dash that opens a number may be its sign: the space before it tells.
            let sign = single && taken == 1 && next.is_some_and(char::is_numeric);
            if sign && !glued && before.is_some_and(|c| c != ' ') {
                self.push(' ', Span::new(from.start, from.start));
            }
            self.push('-', from);
        }
        taken
    }

    fn push(&mut self, c: char, from: Span) {
        let start = self.text.len();
        self.text.push(c);
        let flat = Span::new(start, self.text.len());
        let same = flat.len() == from.len();
        if let Some(last) = self.runs.last_mut()
            && last.same
            && same
            && last.flat.end == flat.start
            && last.from.end == from.start
        {
            last.flat.end = flat.end;
            last.from.end = from.end;
            return;
        }
        self.runs.push(Run { flat, from, same });
    }

    /// Hyphens must agree wherever neither text ends a line with one.
    fn same_hyphens(&self, place: Span, wanted: &FlatText) -> bool {
        let first = self.hyphens.partition_point(|h| h.at <= place.start);
        let inside = self.hyphens.get(first..).unwrap_or_default();
        let mut here = inside.iter().take_while(|h| h.at < place.end).peekable();
        let mut there = wanted.hyphens.iter().peekable();
        loop {
            let a = here.peek().map(|h| (h.at - place.start, h.soft));
            let b = there.peek().map(|h| (h.at, h.soft));
            let next = match (a, b) {
                (None, None) => return true,
                (Some((x, _)), Some((y, _))) if x == y => None,
                (Some((x, soft)), Some((y, _))) if x < y => Some((true, soft)),
                (Some((_, soft)), None) => Some((true, soft)),
                (_, Some((_, soft))) => Some((false, soft)),
            };
            match next {
                Some((_, false)) => return false,
                Some((true, true)) => drop(here.next()),
                Some((false, true)) => drop(there.next()),
                None => {
                    here.next();
                    there.next();
                }
            }
        }
    }

    /// The stretch of the stored text that a stretch of the plain one was made from.
    fn origin(&self, place: Span) -> Option<Span> {
        let run_at = |at: usize| {
            let after = self.runs.partition_point(|run| run.flat.start <= at);
            self.runs.get(after.checked_sub(1)?)
        };
        let first = run_at(place.start)?;
        let last = run_at(place.end.checked_sub(1)?)?;
        let into = |run: &Run, at: usize| run.from.start + (at - run.flat.start);
        let start = if first.same {
            into(first, place.start)
        } else {
            first.from.start
        };
        let end = if last.same {
            into(last, place.end)
        } else {
            last.from.end
        };
        Some(Span::new(start, end))
    }
}

/// The characters of a text after normalisation, each with the stretch it came from. A letter and
/// the marks put on it are normalised together.
fn pieces(text: &str, ignore_case: bool) -> Vec<FlatChar> {
    let mut pieces = Vec::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if c == '\u{00AD}' && chars.peek().is_some_and(|(_, next)| next.is_whitespace()) {
            // A soft hyphen is seen only where a line ends.
            let from = Span::new(start, start + c.len_utf8());
            pieces.push(FlatChar { c: '-', from });
            continue;
        }
        if c.is_ascii() && chars.peek().is_none_or(|(_, next)| next.is_ascii()) {
            let from = Span::new(start, start + 1);
            emit(plain(c), from, ignore_case, &mut pieces);
            continue;
        }
        let mut end = start + c.len_utf8();
        while let Some((at, mark)) = chars.next_if(|(_, next)| joins(*next)) {
            end = at + mark.len_utf8();
        }
        let from = Span::new(start, end);
        let cluster = from.of(text).unwrap_or_default();
        if let Some(sign) = raised(c).filter(|_| ends_in_digit(&pieces)) {
            pieces.push(FlatChar {
                c: sign,
                from: Span::new(start, start),
            });
        }
        for c in cluster.nfkc() {
            emit(plain(c), from, ignore_case, &mut pieces);
        }
    }
    pieces
}

fn emit(c: Option<char>, from: Span, ignore_case: bool, pieces: &mut Vec<FlatChar>) {
    let Some(c) = c else { return };
    if ignore_case {
        pieces.extend(c.to_lowercase().map(|c| FlatChar { c, from }));
    } else {
        pieces.push(FlatChar { c, from });
    }
}

/// Marks over letters, and the vowels and finals of composed Hangul.
fn joins(c: char) -> bool {
    canonical_combining_class(c) != 0 || matches!(c, '\u{1160}'..='\u{11FF}')
}

fn ends_in_digit(pieces: &[FlatChar]) -> bool {
    pieces.last().is_some_and(|p| p.c.is_numeric())
}

/// What keeps 10² apart from 102 and 1½ from 11/2.
fn raised(c: char) -> Option<char> {
    match c {
        '²' | '³' | '¹' | '\u{2070}'..='\u{209F}' => Some('^'),
        '¼'..='¾' | '\u{2150}'..='\u{215E}' => Some(' '),
        _ => None,
    }
}

/// One sign for each kind of mark; nothing for marks that are not seen.
fn plain(c: char) -> Option<char> {
    Some(match c {
        '“' | '”' | '„' | '‟' | '«' | '»' | '〝' | '〞' | '″' => '"',
        '‘' | '’' | '‚' | '‛' | '‹' | '›' | '`' | '´' | '′' => '\'',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | '﹘' | '﹣' | '－' | '⁃' => {
            '-'
        }
        '⁄' | '∕' => '/',
        // A soft hyphen, joiners, marks of direction and the mark of byte order.
        '\u{00AD}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}'
        | '\u{FEFF}' => return None,
        c if c.is_control() && !c.is_whitespace() => return None,
        c => c,
    })
}
