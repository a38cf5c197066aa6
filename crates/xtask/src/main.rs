//! `cargo xtask`: the full check of the workspace, its proofs and its benchmarks.
//!
//! Takes a command, runs other programs and prints what came of it. It checks and never ships.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a command line: printing is how it answers"
)]

mod arguments;
mod cargo;
mod clients;
mod dependencies;
mod evals;
mod service;
mod step;
mod test;

use std::env;
use std::process::ExitCode;

use anyhow::Result;

use arguments::{Command, USAGE};

/// What shells use for a command that was called wrongly.
const CALLED_WRONGLY: u8 = 2;

fn main() -> ExitCode {
    let command = match arguments::parse(env::args_os().skip(1)) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("xtask: {error:#}\n\n{USAGE}");
            return ExitCode::from(CALLED_WRONGLY);
        }
    };
    match run(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Help => {
            println!("{USAGE}");
            Ok(())
        }
        Command::Test { filter } if filter.is_empty() => test::everything(),
        Command::Test { filter } => test::matching(&filter),
        Command::Evals { verb, area, rest } => evals::run(verb, &area, &rest),
        Command::Clients => clients::build_and_run(),
        Command::Postgres => service::serve(),
    }
}
