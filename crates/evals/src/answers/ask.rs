//! Puts one question to the program, in a data folder of its own, and weighs what that cost.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use wait4::{ResUse, Wait4 as _};

use super::questions::TestQuestion;
use super::score::{AnswerRow, ReadAnswer, parse_output};
use crate::figure;

/// How often it is looked whether the program has ended.
const POLL: Duration = Duration::from_millis(10);

/// The program's complaint is kept up to this many characters from its end.
const ERROR_CHARS: usize = 2_000;

/// Exit codes of a report: complete, and partial.
const REPORTED: [i32; 2] = [0, 3];

/// How questions are put.
pub(super) struct Asking {
    pub(super) binary: PathBuf,
    /// `report` or `ask`.
    pub(super) command: &'static str,
    /// A data folder whose entries each new one links to, its store excepted.
    pub(super) home: Option<PathBuf>,
    /// Where the questions of one library share a data folder, so that its index is made once.
    pub(super) shared_homes: Option<PathBuf>,
    pub(super) limit: Duration,
    /// For the command, after the usual ones.
    pub(super) arguments: Vec<String>,
}

pub(super) fn ask(
    question: &TestQuestion,
    asking: &Asking,
    libraries: Option<&Path>,
) -> Result<AnswerRow> {
    let folder = tempfile::tempdir()?;
    let home = match &asking.shared_homes {
        Some(homes) if question.documents.is_empty() => homes.join(&question.library),
        _ => folder.path().join("home"),
    };
    if !home.is_dir() {
        fs::create_dir(&home)?;
        if let Some(prepared) = &asking.home {
            link(prepared, &home)?;
        }
    }
    let library = if question.documents.is_empty() {
        super::library_folder(libraries, &question.library)?
    } else {
        write_documents(question, &folder.path().join("library"))?
    };
    let (mut output, mut errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut command = Command::new(&asking.binary);
    command
        .args([asking.command, &question.question, "--library"])
        .arg(library)
        .arg("--json")
        .args(&asking.arguments)
        .env("FATHOM_HOME", &home)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(errors.try_clone()?);
    let begun = Instant::now();
    let child = command.spawn();
    let child = child.with_context(|| format!("{} cannot be started", asking.binary.display()))?;
    let (ended, peak_kib) = wait(child, asking.limit)?;
    let seconds = begun.elapsed().as_secs_f64();
    let exit = ended.status.code().unwrap_or(-1);
    let ReadAnswer {
        lead,
        whole,
        said,
        sources,
        passages,
        answered,
    } = parse_output(&text(&mut output)?);
    let complaint = if REPORTED.contains(&exit) {
        String::new()
    } else {
        text(&mut errors)?
    };
    let skipped = complaint.chars().count().saturating_sub(ERROR_CHARS);
    Ok(AnswerRow {
        id: question.id.clone(),
        question: question.question.clone(),
        exit,
        seconds,
        cpu_s: (ended.rusage.utime + ended.rusage.stime).as_secs_f64(),
        peak_mb: peak_kib >> 10,
        lead,
        whole,
        said,
        sources,
        passages,
        answered,
        errors: complaint.chars().skip(skipped).collect(),
        bm25: Vec::new(),
    })
}

/// Waits for a program, kills it after the limit, and gives the most memory that it was seen to hold, in KiB.
fn wait(mut child: Child, limit: Duration) -> Result<(ResUse, u64)> {
    let begun = Instant::now();
    // Not the peak that `wait4` gives: on Linux that is at least what we held ourselves when we started the program.
    let mut peak_kib = 0;
    loop {
        peak_kib = figure::peak_kib_of(child.id()).max(peak_kib);
        if let Some(ended) = child.try_wait4()? {
            return Ok((ended, peak_kib));
        }
        if begun.elapsed() > limit {
            child.kill()?;
            return Ok((child.wait4()?, peak_kib));
        }
        std::thread::sleep(POLL);
    }
}

/// Settings and models are shared; runs are not.
fn link(prepared: &Path, home: &Path) -> Result<()> {
    let listed = fs::read_dir(prepared)
        .with_context(|| format!("the data folder {} cannot be read", prepared.display()))?;
    for entry in listed {
        let entry = entry?;
        let name = entry.file_name();
        if !name.to_string_lossy().contains(".db") {
            symlink(entry.path(), home.join(name))?;
        }
    }
    Ok(())
}

fn write_documents(question: &TestQuestion, folder: &Path) -> Result<PathBuf> {
    fs::create_dir(folder)?;
    for (name, text) in &question.documents {
        fs::write(folder.join(name), text)?;
    }
    Ok(folder.to_owned())
}

fn text(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
