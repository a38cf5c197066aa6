//! Reads PDFs in a child process with limits, all else here: a file that exhausts stack, memory or time costs that file
//! and not the run.
//!
//! The child is this very program, called with the one argument [`COMMAND`], at which it calls [`serve`] before it does
//! anything else. It gets a [`ReadRequest`] as a line of JSON and the bytes after it on its standard input, and answers
//! with the document, or why there is none, as JSON. It is killed once nobody waits for its answer: when the reading is
//! cancelled, when its time is up, and when this process dies.

use std::env;
use std::io::{self, BufRead, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fathom_evidence::extract::{
    self, DocumentFormat, DocumentReader, ExtractLimits, FormatHint, is_pdf,
};
use fathom_evidence::{Document, Error};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::resource::{Resource, setrlimit};
use serde::{Deserialize, Serialize};

/// The child's stack: objects that are nested deeper than that end it.
const STACK_BYTES: usize = 64 << 20;

/// An answer is at most so many times as long as the text in it may be: places and escapes come on top.
const ANSWER_PER_TEXT: usize = 16;

/// An answer is read in pieces of this size.
const CHUNK_BYTES: usize = 64 << 10;

/// How often a reading looks whether anybody still waits for it.
const CANCEL_CHECK_MS: u16 = 50;

const CANCELLED: &str = "its reading was cancelled";

/// The command that the child is called with.
pub const COMMAND: &str = "read-pdf";

/// What the child may take for one PDF before it is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubprocessLimits {
    /// Of address space. A small file can make the library ask for gigabytes.
    pub memory_bytes: u64,
    /// Of one processor.
    pub cpu_seconds: u64,
    /// From the start of the child to its answer.
    pub wall_seconds: u64,
}

impl Default for SubprocessLimits {
    fn default() -> Self {
        Self {
            memory_bytes: 2 << 30,
            cpu_seconds: 60,
            wall_seconds: 180,
        }
    }
}

/// Reads PDFs in a child process and everything else in this one.
#[derive(Clone, Debug, Default)]
pub struct PdfSubprocess {
    limits: SubprocessLimits,
    /// Ends every reading once it is set; see [`FormatHint::cancelled`] for a single one.
    cancelled: Option<Arc<AtomicBool>>,
    /// What to run as the child; this very program where none is named.
    program: Option<PathBuf>,
}

impl PdfSubprocess {
    /// A reader for one who may stop waiting: nothing is read any more once the flag is set.
    pub fn until(cancelled: Arc<AtomicBool>) -> Self {
        Self {
            cancelled: Some(cancelled),
            ..Self::default()
        }
    }

    /// With another program as the child: one that calls [`serve`] when it is given [`COMMAND`].
    #[must_use]
    pub fn with_program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = Some(program.into());
        self
    }

    /// With other limits than those by default.
    #[must_use]
    pub fn with_limits(mut self, limits: SubprocessLimits) -> Self {
        self.limits = limits;
        self
    }

    fn is_cancelled(&self, hint: &FormatHint<'_>) -> bool {
        let flags = [self.cancelled.as_deref(), hint.cancelled];
        flags
            .into_iter()
            .flatten()
            .any(|flag| flag.load(Ordering::Relaxed))
    }
}

#[derive(Serialize, Deserialize)]
struct ReadRequest {
    limits: ExtractLimits,
    subprocess: SubprocessLimits,
    password: Option<String>,
}

impl DocumentReader for PdfSubprocess {
    fn read(
        &self,
        bytes: &[u8],
        hint: &FormatHint<'_>,
        limits: &ExtractLimits,
    ) -> Result<Document, Error> {
        if self.is_cancelled(hint) {
            return Err(broken(CANCELLED));
        }
        if !is_pdf(bytes) || bytes.len() > limits.document_max_bytes {
            return extract::read_within(bytes, hint, limits);
        }
        let request = ReadRequest {
            limits: *limits,
            subprocess: self.limits,
            password: hint.password.map(str::to_owned),
        };
        let program = self.program.clone().map_or_else(own_program, Ok);
        let asking =
            program.and_then(|program| ask(&program, &request, bytes, || self.is_cancelled(hint)));
        let answer =
            asking.map_err(|error| broken(&format!("its reader could not be started: {error}")))?;
        if self.is_cancelled(hint) {
            return Err(broken(CANCELLED));
        }
        serde_json::from_slice(&answer).unwrap_or_else(|_| {
            Err(broken(
                "reading it took too much time or memory, or crashed",
            ))
        })
    }
}

fn broken(why: &str) -> Error {
    Error::Broken {
        format: DocumentFormat::Pdf,
        why: why.to_owned(),
    }
}

/// What the child answers; less than a whole answer if it crashed or nobody waits for it any more.
fn ask(
    program: &Path,
    request: &ReadRequest,
    bytes: &[u8],
    is_cancelled: impl Fn() -> bool,
) -> io::Result<Vec<u8>> {
    let mut child = KilledOnDrop(
        Command::new(program)
            .arg(COMMAND)
            .env_clear()
            // Ctrl-C is for us: a child that it ends would look like a broken document.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?,
    );
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    let input = child.0.stdin.take();
    thread::scope(|scope| {
        // Written beside, for a child may not read. One that is gone already shows in its answer.
        scope.spawn(move || {
            let mut input = input?;
            input
                .write_all(&line)
                .and_then(|()| input.write_all(bytes))
                .ok()
        });
        let answer = answer_of(&mut child, request, is_cancelled);
        // The writer ends with the child.
        drop(child);
        answer
    })
}

/// What a child says until it ends, its time is over or nobody waits any more.
fn answer_of(
    child: &mut KilledOnDrop,
    request: &ReadRequest,
    is_cancelled: impl Fn() -> bool,
) -> io::Result<Vec<u8>> {
    let mut answer = Vec::new();
    let longest = request.limits.text_max_bytes * ANSWER_PER_TEXT;
    let mut chunk = vec![0; CHUNK_BYTES];
    let begun = Instant::now();
    let time = Duration::from_secs(request.subprocess.wall_seconds);
    if let Some(mut output) = child.0.stdout.take() {
        while !is_cancelled() && answer.len() < longest && begun.elapsed() < time {
            let mut ready = [PollFd::new(output.as_fd(), PollFlags::POLLIN)];
            match poll(&mut ready, CANCEL_CHECK_MS) {
                Ok(0) | Err(Errno::EINTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            match output.read(&mut chunk)? {
                0 => break,
                read => answer.extend_from_slice(&chunk[..read]),
            }
        }
    }
    Ok(answer)
}

/// This very program, even where a newer one has taken its place on the disk.
fn own_program() -> io::Result<PathBuf> {
    let own = PathBuf::from("/proc/self/exe");
    if own.exists() {
        Ok(own)
    } else {
        env::current_exe()
    }
}

/// A child that does not outlive whoever asked it.
struct KilledOnDrop(Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        // One that has ended cannot be killed, which is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The child's side: reads what it is given on its standard input and says on its standard output what it found. It
/// sets limits for this whole process, so nothing else is to be done in it.
pub fn serve() -> io::Result<()> {
    // Nobody reads the answer once whoever asked is gone.
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    let mut input = io::stdin().lock();
    let mut line = String::new();
    input.read_line(&mut line)?;
    let request: ReadRequest = serde_json::from_str(&line)?;
    let SubprocessLimits {
        memory_bytes,
        cpu_seconds,
        ..
    } = request.subprocess;
    setrlimit(Resource::RLIMIT_AS, memory_bytes, memory_bytes)?;
    setrlimit(Resource::RLIMIT_CPU, cpu_seconds, cpu_seconds)?;
    let mut bytes = Vec::new();
    let largest = request.limits.document_max_bytes as u64;
    input.take(largest).read_to_end(&mut bytes)?;
    let read = move || {
        let hint = FormatHint {
            password: request.password.as_deref(),
            ..FormatHint::default()
        };
        extract::read_within(&bytes, &hint, &request.limits)
    };
    let reading = thread::Builder::new().stack_size(STACK_BYTES).spawn(read)?;
    let read = reading.join();
    let read = read.unwrap_or_else(|_| Err(broken("reading it crashed")));
    serde_json::to_writer(io::stdout().lock(), &read)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A program that never answers, in a folder; it writes its number to the second path, moved into place whole.
    fn silent_program(folder: &Path) -> (PathBuf, PathBuf) {
        let (program, pid) = (folder.join("reader"), folder.join("pid"));
        let script = format!(
            "#!/bin/sh\necho $$ > {0}.new && /bin/mv {0}.new {0}\nexec /bin/sleep 600\n",
            pid.display()
        );
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        (program, pid)
    }

    #[test]
    fn a_reader_that_never_answers_is_ended_in_time() {
        let folder = tempfile::tempdir().unwrap();
        let (program, _) = silent_program(folder.path());
        let limits = SubprocessLimits {
            wall_seconds: 1,
            ..SubprocessLimits::default()
        };
        let reader = PdfSubprocess::default()
            .with_program(program)
            .with_limits(limits);
        let read = reader.read(
            b"%PDF-1.5\n",
            &FormatHint::default(),
            &ExtractLimits::default(),
        );
        assert!(read.unwrap_err().to_string().contains("too much time"));
    }

    #[test]
    fn a_cancelled_reading_leaves_no_child_at_work() {
        let folder = tempfile::tempdir().unwrap();
        let (program, pid) = silent_program(folder.path());
        let cancelled = Arc::new(AtomicBool::new(false));
        let reader = PdfSubprocess::until(Arc::clone(&cancelled)).with_program(program);
        let reading = thread::spawn(move || {
            reader.read(
                b"%PDF-1.5\n",
                &FormatHint::default(),
                &ExtractLimits::default(),
            )
        });
        while !pid.exists() {
            assert!(!reading.is_finished(), "{:?}", reading.join());
            thread::yield_now();
        }
        let child = format!("/proc/{}", fs::read_to_string(&pid).unwrap().trim());
        assert!(Path::new(&child).exists());
        cancelled.store(true, Ordering::Relaxed);
        assert!(reading.join().unwrap().is_err());
        assert!(!Path::new(&child).exists(), "the child is still at work");
    }
}
