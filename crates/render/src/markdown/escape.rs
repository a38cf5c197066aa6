//! Escaping for Markdown, no more than is needed, so that the text still reads well in a terminal.

/// How far a `;` may stand behind an `&` for the two to be an entity.
const ENTITY_MAX_CHARS: usize = 33;

/// A line of text as inline Markdown. At the beginning of a block it goes through [`opening`] as well.
pub(crate) fn text(line: &str) -> String {
    let chars: Vec<char> = line.chars().collect();
    let mut out = String::with_capacity(line.len() + 8);
    for (at, c) in chars.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1..).unwrap_or_default();
        let escaped = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '|' | '~' => true,
            '_' => !(wordy(before) && wordy(after.first().copied())),
            '#' => before.is_none_or(|c| c.is_whitespace()),
            '&' => is_entity(after),
            _ => false,
        };
        if escaped {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn wordy(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphanumeric)
}

fn is_entity(after: &[char]) -> bool {
    let end = after.iter().take(ENTITY_MAX_CHARS).position(|c| *c == ';');
    end.is_some_and(|end| {
        let mut name = after.iter().take(end);
        end > 0 && name.all(|c| c.is_ascii_alphanumeric() || *c == '#')
    })
}

/// A line that opens a block, with the mark escaped that would make it a list, a heading, a quote or a rule.
pub(crate) fn opening(line: &str) -> String {
    let line = line.trim();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = line.split_at(digits);
    match rest.chars().next() {
        Some('.' | ')') if digits > 0 => format!("{number}\\{rest}"),
        Some('>' | '-' | '+' | '=' | '#') if digits == 0 => format!("\\{line}"),
        _ => line.to_owned(),
    }
}

/// Adds Markdown behind what is written so far. Behind a bracket, what would give it an address is escaped.
pub(crate) fn append(out: &mut String, more: &str) {
    if out.ends_with(']') && more.starts_with(['(', ':']) {
        out.push('\\');
    }
    out.push_str(more);
}

/// A code span that holds any text.
pub(crate) fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A fenced block that holds any text.
pub(crate) fn code_block(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}
