//! Rules that correct where sentences begin: some are added, some moved or taken back.
//!
//! Each rule looks at a bounded stretch around one place, so the work grows with the text only.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::lists;

const WORDS: &str = include_str!("words.txt");

type Set = LazyLock<BTreeSet<&'static str>>;
static GOES_ON: Set = LazyLock::new(|| lists::set(WORDS, "goes on"));
static BEFORE_NUMBER: Set = LazyLock::new(|| lists::set(WORDS, "goes on before a number"));
static BEFORE_SMALL: Set = LazyLock::new(|| lists::set(WORDS, "goes on before a small letter"));
static NEVER_FIRST: Set = LazyLock::new(|| lists::set(WORDS, "never first"));
static TAKES_A_LETTER: Set = LazyLock::new(|| lists::set(WORDS, "takes a letter"));
static OPENS_GLUED: Set = LazyLock::new(|| lists::set(WORDS, "opens a sentence without a blank"));
static LINE_GOES_ON: Set = LazyLock::new(|| lists::set(WORDS, "line goes on"));

/// How far around a place a rule looks, in bytes.
const NEAR: usize = 80;

/// A heading that was glued to its text is not longer than this, in characters and words.
const HEADING_CHARS: usize = 60;
const HEADING_WORDS: usize = 7;

/// A note mark such as `[12, 14–19]` is not longer than this inside its brackets.
const NOTE_BYTES: usize = 24;

const STOPS: [char; 4] = ['.', '!', '?', '…'];

/// The beginnings given, and those that were missed between them.
pub(super) fn added(text: &str, begins: &[usize]) -> Vec<usize> {
    let ends = begins.iter().copied().skip(1).chain([text.len()]);
    let mut all = Vec::with_capacity(begins.len());
    for (&start, end) in begins.iter().zip(ends) {
        all.push(start);
        let Some(sentence) = text.get(start..end) else {
            continue;
        };
        let opened = sentence.len() - sentence.trim_start().len();
        let missed = missed(sentence, opened);
        all.extend(missed.into_iter().map(|at| start + at));
    }
    all
}

fn missed(sentence: &str, opened: usize) -> Vec<usize> {
    let mut found: Vec<usize> = heading_line(sentence, opened).into_iter().collect();
    for (at, c) in sentence.char_indices() {
        let after = at + c.len_utf8();
        let begin = match c {
            '.' | '!' | '?' => after_note_mark(sentence, at)
                .or_else(|| after_label(sentence, at))
                .or_else(|| after_may(sentence, at))
                .or_else(|| after_aside(sentence, opened, after)),
            '…' => capital_after_space(sentence, after),
            _ => None,
        };
        let begin = begin.filter(|at| *at < sentence.len());
        found.extend(begin.filter(|at| found.last().is_none_or(|last| last < at)));
    }
    found
}

/// "follows.12 It is": a note's number in small raised digits, flattened into the text.
fn after_note_mark(sentence: &str, stop: usize) -> Option<usize> {
    let rest = sentence.get(stop + 1..)?;
    let marks = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',' || c == '–');
    let taken = rest.len() - marks.len();
    let word = last_word(&sentence[..stop]);
    let plain = word.chars().count() >= 4 && word.chars().all(char::is_lowercase);
    if taken == 0 || taken > 8 || !plain || !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    capital_after_space(sentence, stop + 1 + taken)
}

/// "hepatitis B. Patients": the letter is a label, no initial of a name.
fn after_label(sentence: &str, stop: usize) -> Option<usize> {
    let head = &sentence[..stop];
    let label = head.chars().next_back().filter(char::is_ascii_uppercase)?;
    let before = head[..head.len() - label.len_utf8()].trim_end();
    let apart = before.len() < head.len() - label.len_utf8();
    if !apart && !before.ends_with('°') {
        return None;
    }
    let noun = last_word(before).to_lowercase();
    if TAKES_A_LETTER.contains(noun.as_str()) || before.ends_with('°') {
        return capital_after_space(sentence, stop + 1);
    }
    None
}

/// "It began in May. Patients": the month is no abbreviation and no name.
fn after_may(sentence: &str, stop: usize) -> Option<usize> {
    let before = sentence[..stop].strip_suffix("May")?;
    let word = last_word(before.trim_end());
    let dated = word.chars().all(|c| c.is_ascii_digit()) && !word.is_empty();
    let joint = [
        "in", "of", "since", "until", "by", "from", "to", "and", "early", "late", "mid",
    ];
    if !before.ends_with(char::is_whitespace) || !(dated || joint.contains(&word)) {
        return None;
    }
    capital_after_space(sentence, stop + 1)
}

/// "(It was late.) They slept.": an aside that is a sentence of its own.
fn after_aside(sentence: &str, opened: usize, after: usize) -> Option<usize> {
    let close = sentence.get(after..)?.chars().next()?;
    let open = match close {
        ')' => '(',
        ']' => '[',
        _ => return None,
    };
    if !sentence.get(opened..)?.starts_with(open) {
        return None;
    }
    let inside = sentence.get(opened + 1..after)?;
    if inside.contains(close) {
        return None;
    }
    capital_after_space(sentence, after + close.len_utf8())
}

/// Where the next word begins, when white space and then a capital or an opening sign follows.
fn capital_after_space(sentence: &str, at: usize) -> Option<usize> {
    let rest = sentence.get(at..)?;
    let word = rest.trim_start();
    let spaced = word.len() < rest.len();
    let opens = |c: char| matches!(c, '"' | '“' | '‘' | '«' | '(' | '[');
    let first = word.trim_start_matches(opens).chars().next()?;
    let alone = word.starts_with("I ") || word.starts_with("I'") || word.starts_with("I’");
    let capital = first.is_uppercase() && !alone;
    (spaced && capital).then(|| at + rest.len() - word.len())
}

/// "Results\nThe trial …": a short first line that is a heading without a stop.
fn heading_line(sentence: &str, opened: usize) -> Option<usize> {
    let body = sentence.get(opened..)?;
    let (line, rest) = body.split_once('\n')?;
    let title = line.trim();
    let next = rest.trim_start().chars().next()?;
    let words = title.split_whitespace().count();
    let ends_open = title.ends_with(|c: char| !c.is_alphanumeric() && c != ')' && c != '?');
    let last = last_word(title).to_lowercase();
    let heading = title.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
        && title.chars().count() <= HEADING_CHARS
        && words <= HEADING_WORDS
        && !ends_open
        && !LINE_GOES_ON.contains(last.as_str())
        && next.is_uppercase();
    let longer = rest.trim().chars().count() > title.chars().count();
    (heading && longer).then(|| opened + line.len() + 1)
}

/// The beginnings given, without those at which no sentence begins.
pub(super) fn taken_back(text: &str, begins: &[usize]) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::with_capacity(begins.len());
    for &begin in begins {
        let Some(&start) = kept.last() else {
            kept.push(begin);
            continue;
        };
        // Marks that were given to the sentence before may reach past this beginning.
        if begin <= start {
            continue;
        }
        let (before, after) = (&text[start..begin], &text[begin..]);
        if goes_on(before, after) {
            continue;
        }
        let begin = begin + stray_marks(before, after);
        if begin < text.len() {
            kept.push(begin);
        }
    }
    kept
}

/// Whether the sentence so far runs on into what was taken for the next.
fn goes_on(before: &str, after: &str) -> bool {
    let said = before.trim_end();
    let gap = &before[said.len()..];
    if said.is_empty() {
        return true;
    }
    if gap.contains("\n\n") {
        return false;
    }
    let near = &said[said.floor_char_boundary(said.len().saturating_sub(NEAR))..];
    let after = after.trim_start();
    torn(near, gap, after)
        || (gap.is_empty() && inside_name(near, after))
        || is_marker(said)
        || after_abbreviation(near, after)
        || small_start(near, after)
        || quoted_speech(near, after)
}

/// Whether a cut of a long text, and no stop, separates the two.
fn torn(near: &str, gap: &str, after: &str) -> bool {
    let noted = near.trim_end_matches(|c: char| c.is_ascii_digit() || c == ',' || c == '–');
    let ended = noted.len() < near.len() && noted.ends_with(STOPS);
    let inside = near.ends_with(|c: char| c.is_alphanumeric() || c == ',' || c == ';');
    inside && !ended && !gap.contains('\n') && !after.starts_with(marks_item)
}

/// `os.path.join`, `Node.js`, `BEGIN...COMMIT`, `list?page=2`: a stop with no blank after it is part of a name. A blank
/// that was lost is told by the word that follows: "for a week.The others".
fn inside_name(near: &str, after: &str) -> bool {
    let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ')' | ']');
    let head = near.trim_end_matches(['.', '?', '!']);
    let word_end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let word = &after[..word_end.unwrap_or(after.len())];
    head.len() < near.len()
        && head.ends_with(named)
        && !word.is_empty()
        && !OPENS_GLUED.contains(word)
}

/// "1.", "a)", "M.": a mark before a sentence, not a sentence.
fn is_marker(said: &str) -> bool {
    // Longer is no marker; looking at all of it would make long texts slow.
    if said.len() > 8 {
        return false;
    }
    let inside = said.trim_end_matches(['.', ')', ':']);
    let ended = inside.len() < said.len();
    let inside = inside.trim_start_matches('(');
    let number = inside.len() <= 3 && inside.chars().all(|c| c.is_ascii_digit());
    let letter = inside.chars().count() == 1 && inside.chars().all(char::is_alphabetic);
    ended && !inside.is_empty() && (number || (letter && !is_cjk(inside)))
}

fn after_abbreviation(near: &str, after: &str) -> bool {
    let Some(head) = near.strip_suffix('.') else {
        return false;
    };
    let start = head.rfind(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '/' | ','));
    let word = &head[start.map_or(0, |at| {
        at + head[at..].chars().next().map_or(1, char::len_utf8)
    })..];
    let word = word.to_lowercase();
    let word = word.as_str();
    let first = after.chars().next();
    let number = first.is_some_and(|c| c.is_ascii_digit()) || single_letter(after);
    let small = first.is_some_and(char::is_lowercase);
    let letter = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    GOES_ON.contains(word)
        || (number && BEFORE_NUMBER.contains(word))
        || (small && (letter || BEFORE_SMALL.contains(word) || BEFORE_NUMBER.contains(word)))
}

fn single_letter(after: &str) -> bool {
    let mut chars = after.chars();
    let letter = chars
        .next()
        .is_some_and(|c| c.is_ascii_uppercase() && c != 'A' && c != 'I');
    letter && chars.next().is_some_and(|c| c.is_whitespace() || c == ',')
}

/// "± 0.24. versus 1.15": what no sentence begins with. Where all is written small it may begin one
/// all the same; then two sentences stay together, which loses less than half a sentence would.
fn small_start(near: &str, after: &str) -> bool {
    let word = after
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    near.ends_with('.') && NEVER_FIRST.contains(word)
}

/// 「…？」と聞いた: quoted speech that the sentence goes on after.
fn quoted_speech(near: &str, after: &str) -> bool {
    near.ends_with(['」', '』'])
        && ["と", "って", "という"]
            .iter()
            .any(|on| after.starts_with(on))
}

/// How much at the start of a sentence belongs to the one before: "[5,6]" or a bracket's end.
fn stray_marks(before: &str, after: &str) -> usize {
    if before.ends_with("\n\n") {
        return 0;
    }
    let mut rest = after;
    loop {
        let shorter = rest.trim_start_matches([')', ']', '”', '’', '»', '」', '』']);
        let shorter = without_note(shorter.trim_start()).unwrap_or(shorter);
        if shorter.len() == rest.len() {
            return after.len() - rest.len();
        }
        rest = shorter;
    }
}

/// What follows a note mark such as `[5]`, `[5, 6]` or `[7–9]`.
fn without_note(rest: &str) -> Option<&str> {
    let inside = rest.strip_prefix('[')?;
    let near = &inside[..inside.floor_char_boundary(NOTE_BYTES)];
    let close = near.find(']').filter(|at| *at > 0)?;
    let (marks, after) = inside.split_at(close);
    let note = |c: char| c.is_ascii_digit() || matches!(c, ',' | '-' | '–' | ' ');
    (marks.chars().all(note) && !after[1..].trim_start().is_empty()).then(|| &after[1..])
}

fn last_word(text: &str) -> &str {
    let near = &text[text.floor_char_boundary(text.len().saturating_sub(NEAR))..];
    let start = near.char_indices().rfind(|(_, c)| !c.is_alphanumeric());
    start.map_or(near, |(at, c)| &near[at + c.len_utf8()..])
}

fn marks_item(c: char) -> bool {
    matches!(
        c,
        '-' | '–' | '—' | '•' | '*' | '†' | '‡' | '·' | '▪' | '◦' | '#'
    )
}

fn is_cjk(text: &str) -> bool {
    text.starts_with(cjk)
}

fn cjk(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}
