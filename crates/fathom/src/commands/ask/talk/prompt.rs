//! Where a person types: a line at a time, with the lines of earlier talks at hand.

use std::path::{Path, PathBuf};

use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};

use crate::exit::{Problem, Result};

const HISTORY_FILE: &str = "ask-history.txt";
const HISTORY_LINES: usize = 1_000;

/// What came of waiting for a line.
pub(super) enum Typed {
    /// A line, without the blanks around it.
    Line(String),
    /// The person wants to leave: Ctrl-C, Ctrl-D, or the end of a file.
    Left,
}

/// The line editor. Between two lines it is here; while one is typed, a thread of its own has it.
pub(super) struct Prompt {
    editor: Option<DefaultEditor>,
    history: PathBuf,
}

impl Prompt {
    pub(super) async fn open(home: &Path) -> Result<Self> {
        let settings = Config::builder().max_history_size(HISTORY_LINES);
        let settings = settings.map_err(unusable)?.build();
        let mut editor = DefaultEditor::with_config(settings).map_err(unusable)?;
        let history = home.join(HISTORY_FILE);
        // Lines of earlier talks are a comfort; without them it works as well.
        let _ = editor.load_history(&history);
        Ok(Self {
            editor: Some(editor),
            history,
        })
    }

    pub(super) async fn line(&mut self) -> Result<Typed> {
        let Some(mut editor) = self.editor.take() else {
            return Ok(Typed::Left);
        };
        let history = self.history.clone();
        let typing = tokio::task::spawn_blocking(move || {
            let read = editor.readline("? ");
            if let Ok(line) = &read {
                // That a line is not kept is no reason to stop.
                let _ = editor.add_history_entry(line.trim());
                let _ = editor.append_history(&history);
            }
            (editor, read)
        });
        let (editor, read) = typing.await.map_err(Problem::failed)?;
        self.editor = Some(editor);
        match read {
            Ok(line) => Ok(Typed::Line(line.trim().to_owned())),
            Err(ReadlineError::Interrupted | ReadlineError::Eof) => Ok(Typed::Left),
            Err(error) => Err(unusable(error)),
        }
    }
}

fn unusable(error: ReadlineError) -> Problem {
    Problem::failed(format!("nothing can be typed here: {error}"))
}
