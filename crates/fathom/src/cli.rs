//! What can be typed: every command and its flags. What they do is in `commands/`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use fathom_research::breakpoint::Breakpoint;
use fathom_research::{AskedDepth, Style};
use fathom_workflow::draw;

/// Asks a question, reads what there is, and writes a report that says only what a stored passage says.
#[derive(Parser)]
#[command(
    name = "fathom",
    version,
    arg_required_else_help = true,
    max_term_width = 100
)]
#[command(
    after_help = "Exit codes: 0 complete, 1 failed, 2 wrong usage, 3 partial report, 4 waiting for a person, 130 stopped by Ctrl-C."
)]
pub struct Cli {
    /// Settings file [default: FATHOM_CONFIG, else fathom.toml in FATHOM_HOME and [report] of the one here]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Research a question and write a cited report
    Report(Report),
    /// Look at runs and go on with them
    #[command(subcommand)]
    Runs(Runs),
    /// Folders of your own documents
    #[command(subcommand)]
    Library(Library),
    /// Draw a workflow, or the way a run went through it
    Graph(Graph),
    /// Check what works here, and what a key would add
    Doctor,
    /// Show every setting, its value and where it came from
    Config,
    /// Print a completion script for your shell
    Completions { shell: clap_complete::Shell },
    /// Print the man page, or write one for every command
    Man {
        /// Folder for the pages: fathom.1, fathom-report.1, fathom-runs-list.1, …
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Read one PDF from standard input, for the program itself
    #[command(hide = true, name = crate::pdf_subprocess::COMMAND)]
    ReadPdf,
}

#[derive(Args)]
pub struct Report {
    /// 10 to 2,000 characters
    pub question: String,
    /// Folder of your own documents; may be given several times
    #[arg(long, value_name = "DIR")]
    pub library: Vec<PathBuf>,
    /// Search the web too; without a library it is searched anyway
    #[arg(long)]
    pub web: bool,
    /// Search anew, whatever earlier searches found; results are kept for a day otherwise
    #[arg(long)]
    pub fresh: bool,
    /// quick, standard, comprehensive, or auto: the planner chooses
    #[arg(long, value_name = "DEPTH")]
    pub depth: Option<AskedDepth>,
    /// academic, technical or executive
    #[arg(long, value_name = "STYLE")]
    pub style: Option<Style>,
    /// Words of the whole report
    #[arg(long, value_name = "WORDS", value_parser = clap::value_parser!(u32).range(100..=20_000))]
    pub length: Option<u32>,
    /// What else the answer should take into account
    #[arg(long, value_name = "TEXT")]
    pub context: Option<String>,
    /// How references are set
    #[arg(long, value_name = "STYLE")]
    pub citation_style: Option<CitationStyle>,
    /// Where you want to be asked
    #[arg(long, value_name = "GATES", value_delimiter = ',')]
    pub review: Vec<Review>,
    /// Stop and ask at a place of your own, as "after search if sources < 5"; may be given several times
    #[arg(long, value_name = "PLACE")]
    pub stop: Vec<Breakpoint>,
    /// Time for the whole run, waiting for you not counted
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub max_time: Option<u64>,
    /// Keep the run when finished runs expire
    #[arg(long)]
    pub keep: bool,
    #[command(flatten)]
    pub output: Output,
}

/// How a run is shown and where its report goes.
#[derive(Args, Clone, Debug, Default)]
pub struct Output {
    /// Write the report to a file; its ending chooses the format
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[arg(long)]
    pub format: Option<Format>,
    /// Print events as JSON lines; the last line is the result
    #[arg(long)]
    pub json: bool,
    /// No progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[value(alias = "markdown")]
    Md,
    Html,
    Docx,
    Json,
    #[value(alias = "bib")]
    Bibtex,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Review {
    /// Before anything is searched for
    Plan,
    /// Before the report goes out
    Final,
    /// When the review finds something critical
    Critical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CitationStyle {
    Numeric,
    Apa,
    Ieee,
    Vancouver,
}

impl CitationStyle {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Numeric => "numeric",
            Self::Apa => "apa",
            Self::Ieee => "ieee",
            Self::Vancouver => "vancouver",
        }
    }
}

#[derive(Subcommand)]
pub enum Runs {
    /// List runs, newest first
    List(List),
    /// Show a run, or its state as it was at a step
    Show {
        #[command(flatten)]
        run: Id,
        #[arg(long, value_name = "STEP")]
        at: Option<u64>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Go on with a run that was stopped, failed or lost its process
    Resume {
        #[command(flatten)]
        run: Id,
        #[command(flatten)]
        output: Output,
    },
    /// Decide at a gate, then go on
    Review(Decide),
    /// Begin a new run from a step of another
    Fork {
        #[command(flatten)]
        run: Id,
        #[arg(long, value_name = "STEP")]
        at: u64,
        /// Fields of the state to change first (JSON or TOML)
        #[arg(long, value_name = "FILE")]
        edits: Option<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
    /// Live a run again from its journal, with no outside call, and compare
    Replay {
        #[command(flatten)]
        run: Id,
    },
    /// Stop a run; it can be resumed
    Cancel {
        #[command(flatten)]
        run: Id,
    },
    /// Write a run's report, or its whole log
    Export {
        #[command(flatten)]
        run: Id,
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[arg(long)]
        format: Option<Format>,
        /// Everything that is stored of the run, as JSON lines
        #[arg(long, conflicts_with = "format")]
        log: bool,
    },
    /// Keep a finished run from expiring, or let it
    Keep {
        #[command(flatten)]
        run: Id,
        /// Let it expire again
        #[arg(long)]
        off: bool,
    },
    /// Remove a run for good
    Delete {
        #[command(flatten)]
        run: Id,
    },
}

/// Which run.
#[derive(Args)]
pub struct Id {
    /// Its id, or the beginning of it
    pub id: String,
}

#[derive(Args)]
pub struct List {
    /// Only runs with this status, such as waiting or completed
    #[arg(long)]
    pub status: Vec<String>,
    /// Only runs whose question holds this text
    #[arg(long)]
    pub text: Option<String>,
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    pub limit: u16,
    /// As JSON lines
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Decide {
    #[command(flatten)]
    pub run: Id,
    pub verdict: Verdict,
    /// What to do better, for modify or reject
    #[arg(long, value_name = "TEXT")]
    pub feedback: Option<String>,
    /// Changed fields for modify (JSON or TOML)
    #[arg(long, value_name = "FILE")]
    pub edits: Option<PathBuf>,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Verdict {
    Approve,
    Reject,
    Modify,
    Skip,
}

#[derive(Subcommand)]
pub enum Library {
    /// Add folders that `report` searches when it gets no --library
    Add {
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
    },
    /// List the folders
    List,
    /// Search the folders
    Search {
        query: String,
        #[arg(long, value_name = "DIR")]
        library: Vec<PathBuf>,
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1_000))]
        limit: u16,
        /// As JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Take folders off the list; nothing on the disk is touched
    Remove {
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
    },
}

#[derive(Args)]
pub struct Graph {
    /// report
    pub workflow: String,
    /// mermaid, dot or svg
    #[arg(long, default_value = "mermaid")]
    pub format: draw::Format,
    /// Mark the way this run went
    #[arg(long, value_name = "ID")]
    pub run: Option<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_fits_together() {
        Cli::command().debug_assert();
    }
}
