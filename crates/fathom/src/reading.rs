//! Shows how far the reading of a library has come: one line that is drawn over again on a terminal, now and then a line
//! elsewhere. Everything goes to standard error, and nothing when it is to be quiet.

use std::io::Write as _;
use std::pin::pin;
use std::time::Duration;

use fathom_store::library::ReadProgress;
use tokio::time::{Instant, interval_at};

use crate::screen;

/// What is read sooner needs no word.
const FIRST: Duration = Duration::from_millis(300);

const REDRAW_EVERY: Duration = Duration::from_millis(150);

/// Between two lines where nothing can be drawn over.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Waits for a library to be read, and shows how far it is.
pub async fn shown<T>(progress: &ReadProgress, quiet: bool, reading: impl Future<Output = T>) -> T {
    if quiet {
        return reading.await;
    }
    if !screen::stderr_is_live() {
        return ticking(reading, LINE_EVERY, || screen::tell(&sentence(progress))).await;
    }
    let draw = |text: &str| {
        let mut err = std::io::stderr().lock();
        // If nobody sees it, nothing is lost.
        let _ = write!(err, "\r\x1b[2K{text}").and_then(|()| err.flush());
    };
    let read = ticking(reading, REDRAW_EVERY, || {
        draw(&format!("  {}", sentence(progress)));
    });
    let read = read.await;
    draw("");
    read
}

/// Waits for some work, and tells of it after a moment and then again and again.
async fn ticking<T>(work: impl Future<Output = T>, every: Duration, mut tell: impl FnMut()) -> T {
    let mut work = pin!(work);
    let mut ticks = interval_at(Instant::now() + FIRST, every);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            _ = ticks.tick() => tell(),
        }
    }
}

fn sentence(progress: &ReadProgress) -> String {
    match (progress.read(), progress.files()) {
        (_, 0) => "Looking through the library.".to_owned(),
        (read, files) if read < files => format!("Reading the library: {read} of {files} files."),
        (_, files) => format!("Indexing the library: {files} files."),
    }
}

#[cfg(test)]
mod tests {
    use fathom_evidence::extract::InProcessReader;
    use fathom_store::library::{DocumentLibrary, LibraryLimits};

    use super::*;

    #[tokio::test]
    async fn what_takes_no_time_goes_without_a_word() {
        const {
            assert!(
                FIRST.as_millis() < 500,
                "nobody waits half a second in silence"
            )
        };
        let mut told = 0;
        ticking(async {}, REDRAW_EVERY, || told += 1).await;
        assert_eq!(told, 0);
    }

    #[test]
    fn files_are_counted_while_they_are_read() {
        let progress = ReadProgress::default();
        assert_eq!(sentence(&progress), "Looking through the library.");
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.txt", "b.txt"] {
            std::fs::write(folder.path().join(name), "Trees cool streets.").unwrap();
        }
        let limits = LibraryLimits::default();
        DocumentLibrary::open_within(&[folder.path()], limits, &InProcessReader, &progress)
            .unwrap();
        assert_eq!(sentence(&progress), "Indexing the library: 2 files.");
    }
}
