//! Shows a run while it works, from its events alone: a tree that is drawn over again on a terminal, plain lines elsewhere.
//!
//! Everything goes to standard error, and nothing when it is to be quiet.

mod tree;

use std::io::Write;

use fathom_workflow::event::{Event, EventKind, Level};
use jiff::Timestamp;

use crate::screen::{self, TextColour, TextStyle};
use tree::{ProgressTree, StepRow};

/// Rows of the tree that are shown; earlier ones scroll out of it.
const ROWS_SHOWN: usize = 14;

/// Lines of a text that is being written; its beginning scrolls out.
const DRAFT_LINES: usize = 6;

/// Turns slowly: a tree that twitches is not read.
const SPINNER: [&str; 4] = ["◐", "◓", "◑", "◒"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProgressMode {
    Live,
    Lines,
    Silent,
}

pub struct Progress {
    mode: ProgressMode,
    coloured: bool,
    tree: ProgressTree,
    /// Lines that stand on the screen and will be drawn over.
    drawn: usize,
    turn: usize,
    /// What the person must know now, such as that the run is stopping.
    notice: Option<String>,
    /// Whether the tree is wiped out in the end.
    passes: bool,
}

impl Progress {
    /// `asked_at` is when the person began to wait; the run's first event, where nothing is said.
    pub fn new(quiet: bool, asked_at: Option<Timestamp>) -> Self {
        let mode = match (quiet, screen::stderr_is_live()) {
            (true, _) => ProgressMode::Silent,
            (false, true) => ProgressMode::Live,
            (false, false) => ProgressMode::Lines,
        };
        Self {
            mode,
            coloured: screen::stderr_is_coloured(),
            tree: ProgressTree::new(asked_at),
            drawn: 0,
            turn: 0,
            notice: None,
            passes: false,
        }
    }

    /// For what is over in a moment: the tree does not stay, and where it cannot be wiped out there is none.
    pub fn passing(quiet: bool) -> Self {
        let quiet = quiet || !screen::stderr_is_live();
        Self {
            passes: true,
            ..Self::new(quiet, None)
        }
    }

    pub fn is_live(&self) -> bool {
        self.mode == ProgressMode::Live
    }

    /// Takes an event in; on plain output, tells of it if it matters to a person.
    pub fn take(&mut self, event: &Event) {
        self.tree.take(event);
        if self.mode == ProgressMode::Lines
            && let Some(line) = self.line(event)
        {
            screen::tell(&screen::harmless(&line));
        }
    }

    /// Says something above the tree, or as a line.
    pub fn say(&mut self, text: &str) {
        match self.mode {
            ProgressMode::Silent => {}
            ProgressMode::Lines => screen::tell(text),
            ProgressMode::Live => self.notice = Some(text.to_owned()),
        }
    }

    /// Draws the tree again, a little later.
    pub fn tick(&mut self) {
        self.turn += 1;
        self.draw();
    }

    /// Draws the tree for the last time, and leaves it standing unless it is to pass.
    pub fn rest(&mut self) {
        self.notice = None;
        if self.passes {
            self.wipe();
        } else {
            self.draw();
        }
        self.drawn = 0;
    }

    fn line(&self, event: &Event) -> Option<String> {
        match &event.kind {
            EventKind::StepFinished { step, .. } => {
                let row = self.tree.row(*step)?;
                Some(format!("{}: {}", row.name(), row.told(event.at)))
            }
            EventKind::StepCut { node, cut, .. } => {
                Some(format!("{}: cut short, {cut}", tree::spaced(node)))
            }
            EventKind::Log {
                level: Level::Warn | Level::Error,
                message,
            } => Some(format!("warning: {message}")),
            EventKind::RunResumed { step, .. } => Some(format!("resumed at step {step}")),
            _ => None,
        }
    }

    fn draw(&mut self) {
        if self.mode != ProgressMode::Live {
            return;
        }
        let lines = self.lines(Timestamp::now());
        let mut frame = String::new();
        if self.drawn > 0 {
            frame.push_str(&format!("\x1b[{}A", self.drawn));
        }
        for line in &lines {
            frame.push_str(&format!("\r\x1b[2K{line}\n"));
        }
        // What was longer before is wiped out.
        frame.push_str("\x1b[J");
        let mut err = std::io::stderr().lock();
        // Written at once, so that it does not flicker; if nobody sees it, nothing is lost.
        let _ = err.write_all(frame.as_bytes()).and_then(|()| err.flush());
        self.drawn = lines.len();
    }

    fn wipe(&self) {
        if self.drawn > 0 {
            let mut err = std::io::stderr().lock();
            // If nobody sees it, nothing is lost.
            let _ = write!(err, "\x1b[{}A\r\x1b[J", self.drawn).and_then(|()| err.flush());
        }
    }

    fn lines(&self, now: Timestamp) -> Vec<String> {
        let width = screen::width();
        let rows = self.tree.rows();
        let shown = rows.iter().skip(rows.len().saturating_sub(ROWS_SHOWN));
        let mut lines: Vec<String> = shown.map(|row| self.row(row, now, width)).collect();
        if let Some(note) = self.tree.note() {
            let note = cut(&format!("    {}", screen::harmless(note)), width);
            lines.push(TextStyle::in_colour(TextColour::Yellow).paint(&note, self.coloured));
        }
        if let Some(draft) = self.tree.draft() {
            lines.extend(self.draft(draft, width));
        }
        let sums = cut(&format!("  {}", self.tree.sums(now)), width);
        lines.push(TextStyle::DIM.paint(&sums, self.coloured));
        if let Some(notice) = &self.notice {
            lines.push(TextStyle::BOLD.paint(&cut(&format!("  {notice}"), width), self.coloured));
        }
        lines
    }

    /// What is being written, as far as there is room; nothing of it has been checked yet.
    fn draft(&self, draft: &str, width: usize) -> Vec<String> {
        let (mut lines, mut line) = (Vec::new(), String::new());
        for word in screen::harmless(draft).split_whitespace() {
            if console::measure_text_width(&line) + console::measure_text_width(word) + 5 > width {
                lines.push(std::mem::take(&mut line));
            }
            line.push_str(&format!(" {word}"));
        }
        lines.push(line);
        let last = lines.iter().skip(lines.len().saturating_sub(DRAFT_LINES));
        let last = last.map(|line| cut(&format!("   {line}"), width));
        last.map(|line| TextStyle::DIM.paint(&line, self.coloured))
            .collect()
    }

    fn row(&self, row: &StepRow, now: Timestamp, width: usize) -> String {
        let (mark, style) = match (row.is_done(), row.is_cut()) {
            (_, true) => ("✗", TextStyle::in_colour(TextColour::Red)),
            (true, false) => ("✓", TextStyle::in_colour(TextColour::Green)),
            (false, false) => (
                SPINNER[self.turn % SPINNER.len()],
                TextStyle::in_colour(TextColour::Cyan),
            ),
        };
        let mark = style.paint(mark, self.coloured);
        let told = cut(&row.told(now), width.saturating_sub(24));
        let told = TextStyle::DIM.paint(&told, self.coloured);
        format!("  {mark} {:<18} {told}", row.name())
    }
}

fn cut(text: &str, width: usize) -> String {
    console::truncate_str(text, width, "…").into_owned()
}
