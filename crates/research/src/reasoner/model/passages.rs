//! Which passages a model is shown: the best first, as many as its window takes, and not all of one source.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use fathom_providers::model::ModelRequest;
use serde::Serialize;

use super::prompt::plain;
use crate::reasoner::{EarlierTurn, Pace, TaskPassage};

/// Tokens of passages that are shown at first. An endpoint whose window is smaller says so, and half of it is tried.
const TOKENS_FIRST: u64 = 12_000;

/// With fewer tokens there is no passage to be shown.
const TOKENS_LEAST: u64 = 400;

/// Characters of one source that are shown.
const SOURCE_CHARS: usize = 10_000;

/// Characters of one passage, a heading and a line on a source.
const PASSAGE_CHARS: usize = 3_000;
const LINE_CHARS: usize = 120;

/// Sources, and characters of a passage, that a prompt keeps which was too long.
const SOURCES_CUT: usize = 10;
const PASSAGE_CHARS_CUT: usize = 500;

/// Characters of what was said before.
const TURN_CHARS: usize = 600;

/// A slow model gets what it reads in so many seconds.
const READING_S: f64 = 45.0;

/// How many tokens of passages the model was seen to take.
pub(super) struct PassageWindow(AtomicU64);

impl Default for PassageWindow {
    fn default() -> Self {
        Self(AtomicU64::new(TOKENS_FIRST))
    }
}

impl PassageWindow {
    /// The tokens for a prompt that was cut so many times.
    pub(super) fn tokens(&self, pace: Option<Pace>, cuts: u8) -> u64 {
        let known = self.0.load(Ordering::Relaxed);
        let read = pace.map_or(known, |pace| (pace.tokens_per_s * READING_S) as u64);
        (known.min(read) >> cuts.min(8)).max(TOKENS_LEAST)
    }

    /// Remembers that a prompt was too long until it was cut so many times.
    pub(super) fn learn(&self, cuts: u8) {
        if cuts > 0 {
            self.0.store(self.tokens(None, cuts), Ordering::Relaxed);
        }
    }
}

/// A passage as it is shown.
#[derive(Serialize)]
pub(super) struct NumberedPassage {
    /// Its place in the task's list, from 1.
    pub(super) number: usize,
    about: String,
    section: String,
    text: String,
}

/// The first passages that have so many tokens together; one at least. A prompt that was cut once has those of the ten best
/// sources, and one that was cut again the beginning of each.
pub(super) fn within(passages: &[TaskPassage], most_tokens: u64, cuts: u8) -> Vec<NumberedPassage> {
    let sources = if cuts >= 1 { SOURCES_CUT } else { usize::MAX };
    let passage_chars = if cuts >= 2 {
        PASSAGE_CHARS_CUT
    } else {
        PASSAGE_CHARS
    };
    let mut left = most_tokens;
    let mut chars: BTreeMap<_, usize> = BTreeMap::new();
    let mut shown = Vec::new();
    for (passage, number) in passages.iter().zip(1..) {
        let is_new = !chars.contains_key(&passage.source);
        let used = chars.get(&passage.source).copied().unwrap_or_default();
        let most = passage_chars.min(SOURCE_CHARS.saturating_sub(used));
        if most == 0 || (is_new && chars.len() >= sources) {
            continue;
        }
        let one = NumberedPassage {
            number,
            about: plain(&passage.about, LINE_CHARS),
            section: plain(&passage.section, LINE_CHARS),
            text: plain(&passage.text, most),
        };
        let line = format!("({number}) {} › {}: {}", one.about, one.section, one.text);
        let tokens = ModelRequest::new("", line).estimate_tokens();
        if tokens > left && !shown.is_empty() {
            break;
        }
        left = left.saturating_sub(tokens);
        chars.insert(passage.source, used + one.text.chars().count());
        shown.push(one);
    }
    shown
}

/// What was said before, in lines.
pub(super) fn turns(turns: &[EarlierTurn]) -> Vec<serde_json::Value> {
    let line = |turn: &EarlierTurn| {
        serde_json::json!({
            "question": plain(&turn.question, TURN_CHARS),
            "answer": plain(&turn.answer, TURN_CHARS),
        })
    };
    turns.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    fn passage(source: u32, words: usize) -> TaskPassage {
        TaskPassage {
            source: SourceId(source),
            about: "Street trees".to_owned(),
            section: String::new(),
            text: "cooling ".repeat(words),
        }
    }

    #[test]
    fn a_source_has_its_share_and_others_follow() {
        let mut all = vec![passage(1, 370); 5];
        all.push(passage(2, 20));
        let shown = within(&all, 100_000, 0);
        let numbers: Vec<usize> = shown.iter().map(|one| one.number).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 6]);
        let chars: usize = shown[..4].iter().map(|one| one.text.chars().count()).sum();
        assert!(chars <= SOURCE_CHARS + 1, "{chars}");
    }

    #[test]
    fn a_prompt_that_is_cut_keeps_ten_sources_then_their_beginnings_then_fewer_passages() {
        let mut all: Vec<TaskPassage> = (1..=14).map(|source| passage(source, 100)).collect();
        all.push(passage(3, 100));
        let shown = |cuts: u8| within(&all, 100_000 >> cuts, cuts);
        assert_eq!(shown(0).len(), 15);
        let numbers: Vec<usize> = shown(1).iter().map(|one| one.number).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15]);
        let longest =
            |shown: &[NumberedPassage]| shown.iter().map(|one| one.text.chars().count()).max();
        assert!(longest(&shown(1)) > Some(700));
        assert!(longest(&shown(2)) <= Some(PASSAGE_CHARS_CUT + 1));
        let window = PassageWindow::default();
        assert_eq!(window.tokens(None, 3), TOKENS_FIRST / 8);
        let many: Vec<TaskPassage> = (0..90).map(|source| passage(source % 9, 100)).collect();
        let count = |cuts: u8| within(&many, window.tokens(None, cuts), cuts).len();
        assert!(count(3) < count(2), "{} {}", count(3), count(2));
    }

    #[test]
    fn a_small_window_gets_the_first_passages_and_at_least_one() {
        let all = vec![passage(1, 100), passage(2, 100), passage(3, 100)];
        assert_eq!(within(&all, 500, 0).len(), 2);
        assert_eq!(within(&all, 1, 0).len(), 1);
        let window = PassageWindow::default();
        window.learn(2);
        assert_eq!(window.tokens(None, 0), TOKENS_FIRST / 4);
        assert_eq!(window.tokens(None, 8), TOKENS_LEAST);
        let slow = Pace { tokens_per_s: 28.0 };
        assert_eq!(window.tokens(Some(slow), 0), 1_260);
    }
}
