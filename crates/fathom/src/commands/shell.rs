//! Completion scripts and man pages, made from the command line's own description.

use std::path::Path;

use clap::CommandFactory;

use crate::cli::Cli;
use crate::exit::{Exit, Problem, Result};
use crate::screen;

pub fn completions(shell: clap_complete::Shell) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "fathom", &mut script);
    print(&script)
}

/// Prints the page of the whole program, or writes one for every command into a folder.
pub fn man(folder: Option<&Path>) -> Result<Exit> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        let written = clap_mangen::Man::new(Cli::command()).render(&mut page);
        written.map_err(Problem::failed)?;
        return print(&page);
    };
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.map_err(|error| {
        let folder = folder.display();
        Problem::failed(format!(
            "the man pages cannot be written to {folder}: {error}"
        ))
    })?;
    Ok(Exit::Complete)
}

fn print(bytes: &[u8]) -> Result<Exit> {
    screen::print(&String::from_utf8_lossy(bytes))?;
    Ok(Exit::Complete)
}
