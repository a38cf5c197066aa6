//! A person at a terminal of their own: what they are shown, what they type, what comes of it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};

use nix::pty::openpty;

use super::sandbox::{QUESTION, Sandbox};

/// The program with a terminal in front of it.
struct Terminal {
    screen: File,
    seen: String,
    /// How far it was looked at.
    looked: usize,
    child: Child,
}

impl Terminal {
    fn open(sandbox: &Sandbox, words: &[&str], editor: &str) -> Self {
        let pty = openpty(None, None).unwrap();
        let end = |fd: &OwnedFd| Stdio::from(fd.try_clone().unwrap());
        let child = sandbox
            .command()
            .args(words)
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .env("PATH", "/usr/bin:/bin")
            .env("EDITOR", editor)
            .stdin(end(&pty.slave))
            .stdout(end(&pty.slave))
            .stderr(end(&pty.slave))
            .spawn();
        Self {
            screen: File::from(pty.master),
            seen: String::new(),
            looked: 0,
            child: child.unwrap(),
        }
    }

    /// Reads until these words stand on the screen. The program's end would end the reading too.
    fn see(&mut self, words: &str) {
        let mut bytes = [0; 4_096];
        loop {
            if let Some(at) = self.seen[self.looked..].find(words) {
                self.looked += at + words.len();
                return;
            }
            let read = self.screen.read(&mut bytes).unwrap_or(0);
            assert!(read > 0, "it ended without \"{words}\":\n{}", self.seen);
            self.seen.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
    }

    fn write(&mut self, line: &str) {
        self.screen
            .write_all(format!("{line}\n").as_bytes())
            .unwrap();
    }

    /// Reads to the end.
    fn end(mut self) -> (i32, String) {
        let mut bytes = [0; 4_096];
        while let Ok(read @ 1..) = self.screen.read(&mut bytes) {
            self.seen.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
        let ended = self.child.wait().unwrap();
        (ended.code().unwrap_or(-1), self.seen)
    }
}

fn report(sandbox: &Sandbox, gate: &str, editor: &str) -> Terminal {
    let words = ["report", QUESTION, "--library", "library", "--review", gate];
    Terminal::open(sandbox, &words, editor)
}

#[test]
fn a_plan_approved_at_the_terminal_goes_on_to_the_report_at_once() {
    let sandbox = Sandbox::new();
    let mut terminal = report(&sandbox, "plan", "true");
    terminal.see("The plan is ready");
    terminal.see("[a]pprove, [m]odify, [r]eject, [s]kip or [l]ater?");
    terminal.write("what?");
    terminal.see("[a]pprove, [m]odify, [r]eject, [s]kip or [l]ater?");
    terminal.write("a");
    let (code, seen) = terminal.end();
    assert!([0, 3].contains(&code), "{seen}");
    assert!(
        seen.contains("References") || seen.contains("Sources"),
        "{seen}"
    );
}

#[test]
fn a_report_in_a_terminal_ends_with_its_answer_and_how_to_keep_it() {
    let sandbox = Sandbox::new();
    let words = ["report", QUESTION, "--library", "library"];
    let (code, seen) = Terminal::open(&sandbox, &words, "true").end();
    assert!([0, 3].contains(&code), "{seen}");
    let (body, ending) = seen.rsplit_once("Sources").unwrap();
    assert!(
        body.contains(" sources cited, ") || body.contains(" source cited, "),
        "{seen}"
    );
    assert!(ending.contains(" cited, "), "{ending}");
    let last = ending.trim_end().lines().last().unwrap();
    assert!(
        last.trim_start().starts_with("fathom runs export "),
        "{ending}"
    );
    assert!(!seen.contains("How this report was made"), "{seen}");
}

#[test]
fn an_edit_that_does_not_fit_is_refused_by_its_field_and_can_be_made_again() {
    let sandbox = Sandbox::new();
    // The first time a number, then a text.
    let editor = sandbox.file(
        "editor.sh",
        r#"if [ -e edited ]; then new='"Trees by hand"'; else new=7; touch edited; fi
sed -i "0,/^title = .*/s//title = $new/" "$1"
"#,
    );
    let editor = format!("sh {}", editor.display());
    let mut terminal = report(&sandbox, "final", &editor);
    terminal.see("or [l]ater?");
    terminal.write("m");
    terminal.see("That cannot be used. title: ");
    terminal.see("[e]dit again or [d]rop the edits?");
    terminal.write("e");
    let (code, seen) = terminal.end();
    assert!([0, 3].contains(&code), "{seen}");
    assert!(seen.contains("Trees by hand"), "{seen}");
}

#[test]
fn later_leaves_the_run_waiting_and_says_how_to_decide() {
    let sandbox = Sandbox::new();
    let mut terminal = report(&sandbox, "plan", "true");
    terminal.see("or [l]ater?");
    terminal.write("l");
    let (code, seen) = terminal.end();
    assert_eq!(code, 4, "{seen}");
    assert!(seen.contains("fathom runs review"), "{seen}");
}

#[test]
fn a_stop_of_ones_own_takes_words_where_there_is_nothing_to_edit() {
    let sandbox = Sandbox::new();
    let words = [
        "report",
        QUESTION,
        "--library",
        "library",
        "--stop",
        "before plan",
    ];
    let mut terminal = Terminal::open(&sandbox, &words, "true");
    terminal.see("You wanted to be asked before plan.");
    terminal.see("or [l]ater?");
    terminal.write("m");
    terminal.see("What should be done differently?");
    terminal.write("Mind the paving.");
    let (code, seen) = terminal.end();
    assert!([0, 3].contains(&code), "{seen}");
    let listed = sandbox.run(&["runs", "list"]).out;
    let id = listed.split_whitespace().next().unwrap();
    let shown = sandbox.run(&["runs", "show", id, "--json"]).out;
    assert!(shown.contains("Mind the paving."), "{shown}");
}

#[test]
fn a_missing_editor_is_told_with_what_to_set_and_the_question_is_asked_again() {
    let sandbox = Sandbox::new();
    let mut terminal = report(&sandbox, "plan", "no-such-editor");
    terminal.see("[l]ater?");
    terminal.write("m");
    terminal.see("no-such-editor");
    terminal.see("Set EDITOR");
    terminal.see("[l]ater?");
    terminal.write("l");
    assert_eq!(terminal.end().0, 4);
}
