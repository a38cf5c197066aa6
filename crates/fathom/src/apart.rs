//! Reads PDFs in a child process with limits, all else here: a file that exhausts stack, memory or time costs that file
//! and not the run.
//!
//! The child is this very program with the hidden command `read-pdf`. It gets an [`Order`] as a line of JSON and the
//! bytes after it on its standard input, and answers with the document, or why there is none, as JSON.

use std::env;
use std::io::{self, BufRead, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

use fathom_evidence::extract::{
    self, DocumentFormat, DocumentReader, ExtractLimits, FormatHint, is_pdf,
};
use fathom_evidence::{Document, Error};
use nix::sys::resource::{Resource, setrlimit};
use serde::{Deserialize, Serialize};

/// What the child may take before the system ends it.
const MEMORY_BYTES: u64 = 2 << 30;
const CPU_SECONDS: u64 = 60;
const STACK_BYTES: usize = 64 << 20;

/// An answer is at most so many times as long as the text in it may be: places and escapes come on top.
const ANSWER_PER_TEXT: u64 = 16;

/// The command that the child is called with.
pub const COMMAND: &str = "read-pdf";

#[derive(Clone, Copy, Debug, Default)]
pub struct Apart;

#[derive(Serialize, Deserialize)]
struct Order {
    limits: ExtractLimits,
    password: Option<String>,
}

impl DocumentReader for Apart {
    fn read(
        &self,
        bytes: &[u8],
        hint: &FormatHint<'_>,
        limits: &ExtractLimits,
    ) -> Result<Document, Error> {
        if !is_pdf(bytes) || bytes.len() > limits.document_max_bytes {
            return extract::read_within(bytes, hint, limits);
        }
        let order = Order {
            limits: *limits,
            password: hint.password.map(str::to_owned),
        };
        let answer = asked(&order, bytes)
            .map_err(|error| broken(&format!("its reader could not be started: {error}")))?;
        serde_json::from_slice(&answer)
            .unwrap_or_else(|_| Err(broken("reading it took too much, or failed badly")))
    }
}

fn broken(why: &str) -> Error {
    Error::Broken {
        format: DocumentFormat::Pdf,
        why: why.to_owned(),
    }
}

/// What the child answers; less than a whole answer if it came to grief.
fn asked(order: &Order, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut child = Ended(
        Command::new(program()?)
            .arg(COMMAND)
            .env_clear()
            // Ctrl-C is for us: a child that it ends would look like a broken document.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?,
    );
    if let Some(mut input) = child.0.stdin.take() {
        let mut line = serde_json::to_vec(order)?;
        line.push(b'\n');
        // It reads all before it writes anything. One that is gone already shows in its answer.
        let _ = input.write_all(&line).and_then(|()| input.write_all(bytes));
    }
    let mut answer = Vec::new();
    if let Some(output) = child.0.stdout.take() {
        let longest = order.limits.text_max_bytes as u64 * ANSWER_PER_TEXT;
        output.take(longest).read_to_end(&mut answer)?;
    }
    Ok(answer)
}

/// This very program, also where a newer one has taken its place on the disk.
fn program() -> io::Result<PathBuf> {
    let own = PathBuf::from("/proc/self/exe");
    match own.exists() {
        true => Ok(own),
        false => env::current_exe(),
    }
}

/// A child that does not outlive the asking.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // One that has ended cannot be killed, which is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The child's side: reads what it is given and says what it found.
pub fn serve() -> io::Result<()> {
    // Where whoever asked is gone, nobody reads the answer.
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    setrlimit(Resource::RLIMIT_AS, MEMORY_BYTES, MEMORY_BYTES)?;
    setrlimit(Resource::RLIMIT_CPU, CPU_SECONDS, CPU_SECONDS)?;
    let mut input = io::stdin().lock();
    let mut line = String::new();
    input.read_line(&mut line)?;
    let order: Order = serde_json::from_str(&line)?;
    let mut bytes = Vec::new();
    let largest = order.limits.document_max_bytes as u64;
    input.take(largest).read_to_end(&mut bytes)?;
    let read = move || {
        let hint = FormatHint {
            password: order.password.as_deref(),
            ..FormatHint::default()
        };
        extract::read_within(&bytes, &hint, &order.limits)
    };
    let reading = thread::Builder::new().stack_size(STACK_BYTES).spawn(read)?;
    let read = reading.join();
    let read = read.unwrap_or_else(|_| Err(broken("reading it failed badly")));
    serde_json::to_writer(io::stdout().lock(), &read)?;
    Ok(())
}
