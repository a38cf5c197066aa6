//! The command line: every command and its flags. What they do is in `commands/`.

mod runs;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use fathom_render::CitationStyle;
use fathom_research::workflows::report::breakpoint::Breakpoint;
use fathom_research::{AskedDepth, ReportStyle};
use fathom_workflow::draw;

use self::values::{citation_style, tier, years};
use crate::library_list::library_name;

pub use self::runs::{ListArgs, ReviewArgs, RunsCommand, StartArgs, VerdictArg};

/// Researches a question and writes a report whose every claim rests on a stored passage.
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
    /// Settings file [default: FATHOM_CONFIG, else fathom.toml in FATHOM_HOME; of one in this folder only harmless settings count]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Command,
}

/// A command of the program.
#[derive(Subcommand)]
pub enum Command {
    /// Research a question and write a cited report
    Report(ReportArgs),
    /// Answer a task from searched sources, in rounds, with checked citations
    Answer(AnswerArgs),
    /// Ask your own documents, and get the passages that answer
    Ask(AskArgs),
    /// Appraise the risk of bias of randomised trials (RoB 2)
    Appraise(AppraiseArgs),
    /// List runs, look at them, resume them and decide at their gates
    #[command(subcommand)]
    Runs(RunsCommand),
    /// Serve runs of every workflow over HTTP, until Ctrl-C
    Serve(ServeArgs),
    /// Serve an MCP client over standard input and output; the client starts this itself
    Mcp(McpArgs),
    /// Manage the tokens of the service
    #[command(subcommand)]
    Token(TokenCommand),
    /// Manage the folders of your own documents
    #[command(subcommand)]
    Library(LibraryCommand),
    /// Install the sentence encoder, which finds passages by their meaning
    #[command(subcommand)]
    Encoder(EncoderCommand),
    /// Draw a workflow, or the path a run took through it
    Graph(GraphArgs),
    /// Check what works here, and what a key would add
    Doctor {
        /// Send nothing: do not ask whether models and providers answer
        #[arg(long)]
        offline: bool,
    },
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
    #[command(hide = true, name = fathom_store::library::pdf_subprocess::COMMAND)]
    ReadPdf,
}

/// What `fathom report` takes.
#[derive(Args)]
pub struct ReportArgs {
    /// What you want to know, in 10 to 2,000 characters
    pub question: String,
    /// Library, folder of your own documents, or one file; may be given several times
    #[arg(long, value_name = "NAME|PATH")]
    pub library: Vec<PathBuf>,
    /// Also search the web, as is done anyway when there is no library
    #[arg(long)]
    pub web: bool,
    /// Ignore the results of earlier searches, which are kept for a day
    #[arg(long)]
    pub fresh: bool,
    /// quick, standard, comprehensive, or auto to let the planner choose
    #[arg(long, value_name = "DEPTH")]
    pub depth: Option<AskedDepth>,
    /// academic, technical or executive
    #[arg(long, value_name = "STYLE")]
    pub style: Option<ReportStyle>,
    /// Length of the report in words
    #[arg(long, value_name = "WORDS", value_parser = clap::value_parser!(u32).range(100..=20_000))]
    pub length: Option<u32>,
    /// Background that the report should take into account
    #[arg(long, value_name = "TEXT")]
    pub context: Option<String>,
    /// Field of the question, such as cardiology; may be given several times
    #[arg(long, value_name = "FIELD")]
    pub domain: Vec<String>,
    /// Day from which the question is asked, such as 2024-05-17, instead of today
    #[arg(long, value_name = "DAY")]
    pub date: Option<jiff::civil::Date>,
    /// Years of scholarly works, such as 2015-2024, 2015- or -2024
    #[arg(long, value_name = "YEARS", value_parser = years, allow_hyphen_values = true)]
    pub years: Option<(Option<i16>, Option<i16>)>,
    /// First day of news, instead of the last 30 days
    #[arg(long, value_name = "DAY")]
    pub since: Option<jiff::civil::Date>,
    /// Language of results of the web, such as en, where a provider can tell
    #[arg(long, value_name = "CODE")]
    pub language: Option<String>,
    /// Style of the references: numeric, apa, ieee, vancouver, mla, nature, another CSL style by name, or a .csl file
    #[arg(long, value_name = "STYLE", value_parser = citation_style)]
    pub citation_style: Option<CitationStyle>,
    /// Gates at which you want to be asked
    #[arg(long, value_name = "GATES", value_delimiter = ',')]
    pub review: Vec<ReviewGate>,
    /// Stop and ask at a point of your choice, such as "after search if sources < 5"; may be given several times
    #[arg(long, value_name = "PLACE")]
    pub stop: Vec<Breakpoint>,
    /// Time limit for the whole run, not counting the time it waits for you
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub max_time: Option<u64>,
    /// Keep the run when finished runs expire
    #[arg(long)]
    pub keep: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What `fathom answer` takes.
#[derive(Args)]
pub struct AnswerArgs {
    /// What you want to know, in 10 to 2,000 characters
    pub task: String,
    /// simple, standard or deep: 2, 5 or 10 rounds; without it the planner chooses
    #[arg(long, value_name = "TIER", value_parser = tier)]
    pub tier: Option<AskedDepth>,
    /// Library, folder of your own documents, or one file; may be given several times
    #[arg(long, value_name = "NAME|PATH")]
    pub library: Vec<PathBuf>,
    /// Also search the web, as is done anyway when there is no library
    #[arg(long)]
    pub web: bool,
    /// Rounds of searching, whatever the tier
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub max_iters: Option<u32>,
    /// Time limit; what there is then is the answer
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub max_time: Option<u64>,
    /// Keep the run when finished runs expire
    #[arg(long)]
    pub keep: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What `fathom ask` takes.
#[derive(Args)]
pub struct AskArgs {
    /// What you want to know
    #[arg(required_unless_present = "interactive")]
    pub question: Option<String>,
    /// Library, folder of your own documents, or one file; may be given several times
    #[arg(long, value_name = "NAME|PATH")]
    pub library: Vec<PathBuf>,
    /// Keep asking: follow-up questions are understood with the earlier ones
    #[arg(long, short, conflicts_with_all = ["out", "format", "json"])]
    pub interactive: bool,
    /// Go on after this run, or after the last one where no id is given
    #[arg(long, value_name = "ID", num_args = 0..=1, requires = "interactive")]
    pub resume: Option<Option<String>>,
    /// Time limit for an answer
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub max_time: Option<u64>,
    /// Keep the run when finished runs expire
    #[arg(long)]
    pub keep: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What `fathom appraise` takes.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct AppraiseArgs {
    #[command(subcommand)]
    pub command: Option<AppraiseCommand>,
    /// Reports of trials (PDF, HTML, Word, Markdown or text), or folders that hold some
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The effect that your review is interested in
    #[arg(long, default_value = "assignment")]
    pub effect: EffectArg,
    /// The outcome whose result is appraised [default: the primary one]
    #[arg(long, value_name = "TEXT")]
    pub outcome: Option<String>,
    /// The trial's protocol or register entry, searched for domain 5
    #[arg(long, value_name = "FILE")]
    pub protocol: Option<PathBuf>,
    /// Your own answers, as TOML or JSON; they stand before all others
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// Look at the answers of each trial before its appraisal goes out, and change those you disagree with
    #[arg(long)]
    pub review: bool,
    /// Count four or five domains with some concerns as high risk
    #[arg(long)]
    pub strict: bool,
    /// Write the page, the Word file, JSON, the robvis table and the plots to this folder, or one of them to a file
    #[arg(long, value_name = "DIR|FILE")]
    pub out: Option<PathBuf>,
    /// Print each appraisal as a line of JSON
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// What `fathom appraise` can do besides.
#[derive(Subcommand)]
pub enum AppraiseCommand {
    /// Compare two appraisals of the same trials: agreement and Cohen's kappa by domain
    Compare {
        /// A folder that was written by --out, a robvis table, or appraisals.json
        left: PathBuf,
        /// The other
        right: PathBuf,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// The effects that a trial can be appraised for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EffectArg {
    /// Of being assigned to the intervention (intention to treat)
    Assignment,
    /// Of adhering to it (per protocol)
    Adherence,
}

/// How a run is shown and where its report goes.
#[derive(Args, Clone, Debug, Default)]
pub struct OutputArgs {
    /// Write the report to a file; its extension chooses the format
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Format of the report
    #[arg(long)]
    pub format: Option<ReportFormat>,
    /// Add the stored words that each claim rests on to Markdown and Word
    #[arg(long)]
    pub proofs: bool,
    /// Print events as JSON lines; the last line is the result
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// The forms of what a run brought; which there are depends on what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    #[value(alias = "markdown")]
    Md,
    Html,
    Docx,
    Json,
    #[value(alias = "bib")]
    Bibtex,
    /// The table that robvis reads, of an appraisal
    Csv,
    /// The traffic lights of an appraisal
    Svg,
    /// The same as dots
    Png,
}

/// The gates of a report that are built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReviewGate {
    /// Before anything is searched
    Plan,
    /// Before the report is handed over
    Final,
    /// When the review finds something critical
    Critical,
}

/// What `fathom serve` takes.
#[derive(Args)]
pub struct ServeArgs {
    /// Address and port [default: 127.0.0.1:7575]; another machine's reach needs a token
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// How many runs are worked on at a time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub workers: Option<u16>,
    /// A name that the service is reached by, besides its address; may be given several times
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
}

/// What `fathom mcp` takes.
#[derive(Args)]
pub struct McpArgs {
    /// Folder of your own documents, or the name of a library, to search where a call names none; may be given several times
    #[arg(long, value_name = "DIR")]
    pub library: Vec<PathBuf>,
}

/// What `fathom token` can do.
#[derive(Subcommand)]
pub enum TokenCommand {
    /// Add a token for an owner and print it, this once
    Add {
        owner: String,
        #[command(flatten)]
        caps: CapArgs,
    },
    /// Change what an owner may use; a cap that is not given stays as it is
    Limit {
        owner: String,
        #[command(flatten)]
        caps: CapArgs,
        /// Take a cap away; may be given several times
        #[arg(long, value_name = "CAP")]
        clear: Vec<CapName>,
    },
    /// List tokens by their ids
    List,
    /// Revoke a token; a running service refuses it from now on
    Revoke { id: String },
}

/// What an owner may use.
#[derive(Args)]
pub struct CapArgs {
    /// Runs under way at a time
    #[arg(long, value_name = "N")]
    pub max_runs: Option<usize>,
    /// Tokens that the runs of 24 hours spend together
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u64>,
    /// Dollars that the runs of 24 hours cost together, such as 2.50
    #[arg(long, value_name = "DOLLARS", value_parser = micros)]
    pub max_cost: Option<u64>,
}

/// A cap to be taken away.
#[derive(Clone, Copy, ValueEnum)]
pub enum CapName {
    /// On runs under way at a time
    Runs,
    /// On tokens
    Tokens,
    /// On dollars
    Cost,
}

/// Dollars in millionths.
fn micros(text: &str) -> Result<u64, String> {
    let dollars: f64 = text.parse().map_err(|_| "write dollars, such as 2.50")?;
    if (0.0..1e9).contains(&dollars) {
        Ok((dollars * 1e6).round() as u64)
    } else {
        Err("it is 0 or more".to_owned())
    }
}

/// What `fathom library` can do.
#[derive(Subcommand)]
pub enum LibraryCommand {
    /// Add folders, files or pages of the web, and index them
    Add {
        #[arg(required = true, value_name = "PATH|URL")]
        paths: Vec<PathBuf>,
        /// Library to add them to, made where there is none; without it, the one that is searched when none is named
        #[arg(long, value_name = "NAME", value_parser = library_name)]
        library: Option<String>,
    },
    /// List the libraries with their folders
    List {
        /// Also list the files that were left out, and why
        #[arg(long)]
        skipped: bool,
        /// This library alone
        #[arg(long, value_name = "NAME")]
        library: Option<String>,
    },
    /// Search the documents
    Search {
        /// Words to search for
        query: String,
        /// Library, folder or file to search instead; may be given several times
        #[arg(long, value_name = "NAME|PATH")]
        library: Vec<PathBuf>,
        /// How many passages at most
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1_000))]
        limit: u16,
        /// As JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Remove folders, files or pages, or a whole library; no file of yours is touched
    Remove {
        #[arg(required_unless_present = "library", value_name = "PATH|URL")]
        paths: Vec<PathBuf>,
        /// Library to remove them from, or to remove as a whole
        #[arg(long, value_name = "NAME")]
        library: Option<String>,
    },
    /// Read what is new or has changed, and fetch pages again; searching reads changed files by itself
    Update {
        /// Library, folder or file instead of all libraries; may be given several times
        #[arg(long, value_name = "NAME|PATH")]
        library: Vec<PathBuf>,
        /// Also compute the vectors that are missing, with the encoder; stop with Ctrl-C and go on later
        #[arg(long)]
        vectors: bool,
    },
    /// Stay and read what changes, until Ctrl-C; vectors are computed meanwhile where there is an encoder
    Watch {
        /// Library, folder or file instead of all libraries; may be given several times
        #[arg(long, value_name = "NAME|PATH")]
        library: Vec<PathBuf>,
        /// Seconds between two looks at the files
        #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=86_400))]
        every: u64,
        /// Compute no vectors
        #[arg(long)]
        no_vectors: bool,
    },
}

/// What `fathom encoder` can do.
#[derive(Subcommand)]
pub enum EncoderCommand {
    /// Fetch the encoder's files (21 MB), check them and keep them in the data folder
    Install {
        /// Take this ONNX file instead of fetching it; its vocab.txt or tokenizer.json is taken from beside it
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// Accept another model than the one that Fathom was measured with
        #[arg(long, requires = "from")]
        any: bool,
    },
    /// Show which encoder is installed
    Status,
}

/// What `fathom graph` takes.
#[derive(Args)]
pub struct GraphArgs {
    /// Its name, such as report
    pub workflow: String,
    /// mermaid, dot or svg
    #[arg(long, default_value = "mermaid")]
    pub format: draw::Format,
    /// Mark the path this run took
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
