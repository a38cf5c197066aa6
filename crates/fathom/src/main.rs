//! The program `fathom`: takes what was typed, starts what it takes to do it, and ends with a code.

mod cli;
mod commands;
mod deliver;
mod edits;
mod exit;
mod files;
mod follow;
mod gates;
mod nearest;
mod outside;
mod own_library;
mod paint;
mod pdf_subprocess;
mod progress;
mod render;
mod screen;
mod settings;
mod signals;
mod telemetry;
mod wiring;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::exit::{Exit, Problem, Result};
use crate::screen::{TextColour, TextStyle};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let exit = run(cli).unwrap_or_else(|problem| {
        tell(&problem);
        problem.exit
    });
    exit.into()
}

fn run(cli: Cli) -> Result<Exit> {
    if matches!(cli.command, Command::ReadPdf) {
        let served = pdf_subprocess::serve();
        return served
            .map(|()| Exit::Complete)
            .map_err(|error| Problem::failed(format!("the document cannot be read: {error}")));
    }
    telemetry::start()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Problem::failed(format!("the program cannot start: {error}")))?;
    let exit = runtime.block_on(commands::run(cli));
    // A thread that waits for somebody to type must not keep the program.
    runtime.shutdown_background();
    exit
}

fn tell(problem: &Problem) {
    let error = TextStyle {
        bold: true,
        ..TextStyle::in_colour(TextColour::Red)
    };
    let word = error.paint("error:", screen::stderr_is_coloured());
    screen::tell(&format!(
        "{word} {}",
        screen::harmless(&problem.to_string())
    ));
}
