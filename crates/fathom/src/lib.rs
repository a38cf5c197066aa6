//! The program `fathom` as a library, for programs that add workflows of their own to its commands.
//!
//! [`run_with`] is all there is: the command line of this process, with more workflows than the built-in ones. What was
//! registered is started, listed, resumed, forked and drawn by the ordinary commands.

#![warn(missing_docs)]

mod answer_screen;
mod cli;
mod commands;
mod deliver;
mod edits;
mod encoder_files;
mod exit;
mod files;
mod follow;
mod gates;
mod http;
mod library_list;
mod library_pages;
mod library_vectors;
mod mcp;
mod nearest;
mod outside;
mod own_library;
mod paint;
mod progress;
mod reading;
mod render;
mod review;
mod run_list;
mod screen;
mod settings;
mod signals;
mod telemetry;
mod tokens;
mod traces;
mod unnamed_indexes;
mod wiring;

use std::process::ExitCode;

use clap::Parser;
use fathom_workflow::{Error, HostBuilder};

use crate::cli::{Cli, Command};
use crate::exit::{Exit, Problem, Result};
use crate::screen::{TextColour, TextStyle};

/// Registers workflows with the host of this process.
type Register = Box<dyn FnOnce(HostBuilder) -> std::result::Result<HostBuilder, Error>>;

/// Does what the arguments of this process ask for and gives its exit code. `register` adds workflows to the built-in
/// ones, each with what its nodes may call; `Ok` adds none.
pub fn run_with(
    register: impl FnOnce(HostBuilder) -> std::result::Result<HostBuilder, Error> + 'static,
) -> ExitCode {
    let exit = run(Cli::parse(), Box::new(register)).unwrap_or_else(|problem| {
        tell(&problem);
        problem.exit
    });
    exit.into()
}

fn run(cli: Cli, register: Register) -> Result<Exit> {
    if matches!(cli.command, Command::ReadPdf) {
        let served = fathom_store::library::pdf_subprocess::serve();
        return served
            .map(|()| Exit::Complete)
            .map_err(|error| Problem::failed(format!("the document cannot be read: {error}")));
    }
    telemetry::start()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Problem::failed(format!("the program cannot start: {error}")))?;
    let exit = runtime.block_on(commands::run(cli, register));
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
    let told = screen::harmless(&problem.to_string());
    screen::tell(&format!("{word} {told}"));
}
