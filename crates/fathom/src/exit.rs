//! How the program ends: its exit codes, and problems told in a sentence or two.

use std::fmt;
use std::process::ExitCode;

use fathom_workflow::Error;

use crate::edits;

/// Scripts rely on these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All that was asked for is done.
    Complete,
    /// Something went wrong.
    Failed,
    /// What was asked for makes no sense; nothing was done.
    Usage,
    /// There is a report, and it says itself that it is not a full one.
    Partial,
    /// A person must decide before the run goes on.
    Waiting,
    /// Stopped by Ctrl-C. As shells count it: 128 and the signal's number.
    Interrupted,
    /// Asked to end by the system.
    Terminated,
}

impl Exit {
    /// The code that the program ends with.
    pub fn number(self) -> u8 {
        match self {
            Self::Complete => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Partial => 3,
            Self::Waiting => 4,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.number().into()
    }
}

/// What went wrong and what to do about it, for a person.
#[derive(Debug)]
pub struct Problem {
    /// The code to end with.
    pub exit: Exit,
    what: String,
    advice: Option<String>,
}

/// What a command gives, or the problem that a person is told of.
pub type Result<T> = std::result::Result<T, Problem>;

impl Problem {
    /// Something went wrong that is not the mistake of whoever asked.
    pub fn failed(what: impl fmt::Display) -> Self {
        Self::new(Exit::Failed, what)
    }

    /// What was asked for cannot be done as it was asked.
    pub fn usage(what: impl fmt::Display) -> Self {
        Self::new(Exit::Usage, what)
    }

    /// Somebody wanted the program to end.
    pub fn stopped(exit: Exit, what: impl fmt::Display) -> Self {
        Self::new(exit, what)
    }

    fn new(exit: Exit, what: impl fmt::Display) -> Self {
        Self {
            exit,
            what: what.to_string(),
            advice: None,
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn advise(mut self, advice: impl fmt::Display) -> Self {
        self.advice = Some(advice.to_string());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = self.what.chars();
        // A sentence begins with a capital; a path or an option is written as it is.
        let is_word = |word: &str| word.chars().all(char::is_alphabetic);
        if self.what.split(' ').next().is_some_and(is_word) {
            let first = letters.next().map(|first| first.to_uppercase());
            for letter in first.into_iter().flatten() {
                write!(f, "{letter}")?;
            }
        }
        f.write_str(letters.as_str())?;
        if !self.what.ends_with(['.', '?', '!']) {
            f.write_str(".")?;
        }
        match &self.advice {
            Some(advice) => write!(f, "\n{advice}"),
            None => Ok(()),
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        if let Error::InvalidInput(invalid) = &error {
            let why = edits::explained(invalid);
            return Self::usage(format!("what was given cannot be used: {why}"));
        }
        let exit = match &error {
            Error::BadRunId { .. }
            | Error::NoSuchRun { .. }
            | Error::NoSuchStep { .. }
            | Error::NoSuchWorkflow { .. }
            | Error::NotReady { .. }
            | Error::OtherWorkflow { .. } => Exit::Usage,
            Error::Waiting { .. } => Exit::Waiting,
            _ => Exit::Failed,
        };
        let advice = match &error {
            Error::NoSuchRun { .. } | Error::BadRunId { .. } => {
                Some("List runs with: fathom runs list".to_owned())
            }
            Error::Waiting { run, .. } => Some(format!(
                "Decide with: fathom runs review {run} approve (or reject, modify, skip)"
            )),
            Error::UnknownWorkflow { run, .. } | Error::NewerVersion { run, .. } => Some(format!(
                "See what is recorded of it: fathom runs show {run}"
            )),
            Error::Ended { run, .. } => Some(format!("See it with: fathom runs show {run}")),
            Error::NewerFormat { .. } => Some(
                "Update the program, or keep new runs elsewhere: FATHOM_STORE=sqlite:PATH"
                    .to_owned(),
            ),
            Error::NotReady { .. } | Error::StoreGone { .. } | Error::Store { .. } => {
                Some("See what works with: fathom doctor".to_owned())
            }
            _ => None,
        };
        Self {
            advice,
            ..Self::new(exit, error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_told_in_a_sentence_and_what_to_do_in_another() {
        let problem = Problem::usage("there is no folder x; check the path").advise("Or make it.");
        assert_eq!(
            problem.to_string(),
            "There is no folder x; check the path.\nOr make it."
        );
        assert_eq!(problem.exit.number(), 2);
    }
}
