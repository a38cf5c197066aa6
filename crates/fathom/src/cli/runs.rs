//! `fathom runs`: what can be done with runs, and its flags.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{OutputArgs, ReportFormat};

/// What `fathom runs` can do.
#[derive(Subcommand)]
pub enum RunsCommand {
    /// Start a run of any workflow
    Start(StartArgs),
    /// List runs, newest first
    List(ListArgs),
    /// Show a run, or its state at a step
    Show {
        #[command(flatten)]
        run: RunArg,
        /// The state after this step
        #[arg(long, value_name = "STEP")]
        at: Option<u64>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Resume a run that was stopped, failed or crashed
    Resume {
        #[command(flatten)]
        run: RunArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Decide at a gate and continue the run
    Review(ReviewArgs),
    /// Start a new run from a step of another
    Fork {
        #[command(flatten)]
        run: RunArg,
        /// The step to start from
        #[arg(long, value_name = "STEP")]
        at: u64,
        /// Fields of the state to change first, as JSON or TOML
        #[arg(long, value_name = "FILE")]
        edits: Option<PathBuf>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Replay a run from its journal, without any outside call, and compare
    Replay {
        #[command(flatten)]
        run: RunArg,
    },
    /// Stop a run; it can be resumed
    Cancel {
        #[command(flatten)]
        run: RunArg,
    },
    /// Export what a run brought, or its whole log
    Export {
        #[command(flatten)]
        run: RunArg,
        /// Write to a file; its extension chooses the format
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Format of the report
        #[arg(long)]
        format: Option<ReportFormat>,
        /// Add the stored words that each claim rests on to Markdown and Word
        #[arg(long)]
        proofs: bool,
        /// Everything that is stored about the run, as JSON lines
        #[arg(long, conflicts_with = "format")]
        log: bool,
    },
    /// Keep a finished run from expiring
    Keep {
        #[command(flatten)]
        run: RunArg,
        /// Let it expire again
        #[arg(long)]
        off: bool,
    },
    /// Delete a run for good
    Delete {
        #[command(flatten)]
        run: RunArg,
    },
    /// Take up runs that are due, until Ctrl-C
    #[command(long_about = WORK)]
    Work {
        /// How many runs at a time
        #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=1_000))]
        limit: u16,
    },
}

const WORK: &str = "Take up runs that are due, until Ctrl-C: those whose process has died, those that are parked until a time that has come, and those whose gate's deadline has passed.";

/// What `fathom runs start` takes.
#[derive(Args)]
pub struct StartArgs {
    /// Its name, such as report
    pub workflow: String,
    /// What the run starts with: JSON, or @FILE that holds it
    #[arg(long, value_name = "JSON|@FILE")]
    pub input: String,
    /// Keep the run when finished runs expire
    #[arg(long)]
    pub keep: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The run that is meant.
#[derive(Args)]
pub struct RunArg {
    /// The run's id, or the beginning of it
    pub id: String,
}

/// What `fathom runs list` takes.
#[derive(Args)]
pub struct ListArgs {
    /// Only runs with this status, such as waiting, completed or partial
    #[arg(long)]
    pub status: Vec<String>,
    /// Only runs of this workflow
    #[arg(long, value_name = "NAME")]
    pub workflow: Option<String>,
    /// Only runs whose question contains this text
    #[arg(long)]
    pub text: Option<String>,
    /// Only runs that were started on this day or later
    #[arg(long, value_name = "DAY")]
    pub since: Option<jiff::civil::Date>,
    /// Only runs that were started before this day
    #[arg(long, value_name = "DAY")]
    pub before: Option<jiff::civil::Date>,
    /// How many runs at most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    pub limit: u16,
    /// As JSON lines
    #[arg(long)]
    pub json: bool,
}

/// What `fathom runs review` takes.
#[derive(Args)]
pub struct ReviewArgs {
    #[command(flatten)]
    pub run: RunArg,
    /// Your decision
    pub verdict: VerdictArg,
    /// What to do better, for modify or reject
    #[arg(long, value_name = "TEXT")]
    pub feedback: Option<String>,
    /// Changed fields for modify, as JSON or TOML
    #[arg(long, value_name = "FILE")]
    pub edits: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What can be decided at a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VerdictArg {
    Approve,
    Reject,
    Modify,
    Skip,
}
