//! Running a program to its end, with its complaint in the error.

use std::process::Command;

use anyhow::{Context, Result, bail};

/// Gives an error with what the program wrote when it does not succeed; its output is dropped
/// otherwise.
pub(super) fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("cannot run `{program}`"))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = [output.stdout, output.stderr].concat();
    bail!(
        "`{program}` failed ({}):\n{}",
        output.status,
        String::from_utf8_lossy(&complaint).trim()
    )
}
