//! The program `fathom`, with the workflows that are built in.

use std::process::ExitCode;

fn main() -> ExitCode {
    fathom::run_with(Ok)
}
