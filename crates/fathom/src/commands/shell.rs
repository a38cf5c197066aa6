//! Completion scripts and the man page, made from the command line's own description.

use clap::CommandFactory;

use crate::cli::Cli;
use crate::exit::{Exit, Problem, Result};
use crate::screen;

pub fn completions(shell: clap_complete::Shell) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "fathom", &mut script);
    print(&script)
}

pub fn man() -> Result<Exit> {
    let mut page = Vec::new();
    let written = clap_mangen::Man::new(Cli::command()).render(&mut page);
    written.map_err(Problem::failed)?;
    print(&page)
}

fn print(bytes: &[u8]) -> Result<Exit> {
    screen::print(&String::from_utf8_lossy(bytes))?;
    Ok(Exit::Complete)
}
