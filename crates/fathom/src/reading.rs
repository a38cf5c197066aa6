//! Shows how far the reading of a library has come: one line that is drawn over again on a terminal, now and then a line
//! elsewhere. Everything goes to standard error, and nothing when it is to be quiet. Ctrl-C ends the reading and keeps what was
//! read.

use std::io::Write as _;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use fathom_store::library::{DocumentLibrary, ReadProgress};
use tokio::time::{Instant, interval_at};

use crate::exit::{Problem, Result};
use crate::own_library::OwnLibrary;
use crate::screen;
use crate::signals::Signals;

/// What is read sooner needs no word.
const FIRST: Duration = Duration::from_millis(300);

const REDRAW_EVERY: Duration = Duration::from_millis(150);

/// Between two lines where nothing can be drawn over.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Waits for a library to be read, and shows how far it is.
pub async fn shown(library: &OwnLibrary, quiet: bool) -> Result<Arc<DocumentLibrary>> {
    let mut signals = Signals::listen()?;
    let mut reading = pin!(progressing(library, quiet));
    let stopped = tokio::select! {
        biased;
        read = &mut reading => return read,
        exit = signals.next() => exit,
    };
    library.stop();
    // It ends with the files that are being read.
    let documents = reading.await?;
    let counts = documents.counts().map_err(Problem::failed)?;
    let read = screen::counted(counts.documents as u64, "document");
    Err(Problem::stopped(
        stopped,
        format!("stopped; the library keeps the {read} it has, and goes on from there"),
    ))
}

async fn progressing(library: &OwnLibrary, quiet: bool) -> Result<Arc<DocumentLibrary>> {
    let reading = async { library.documents().await.map_err(Problem::usage) };
    let progress = library.progress();
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
    let (read, files) = (progress.read(), progress.files());
    match (files, progress.rate()) {
        (0, _) => "Looking through the library.".to_owned(),
        (files, _) if read == files => format!("Indexing the library: {files} files."),
        (files, None) => format!("Reading the library: {read} of {files} files."),
        (files, Some((rate, left))) => {
            let left = left_over(left);
            format!("Reading the library: {read} of {files} files, {rate:.0} a second, {left}.")
        }
    }
}

/// How long something still takes, in words.
pub fn left_over(time: Duration) -> String {
    match time.as_secs() {
        0..90 => format!("about {} s left", time.as_secs().max(1)),
        seconds => format!("about {} min left", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
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

    #[tokio::test]
    async fn files_are_counted_while_they_are_read() {
        let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (name, text) in [("a.txt", "Trees cool streets."), ("b.txt", "Shade helps.")] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let library = OwnLibrary::new(home.path(), vec![folder.path().to_owned()]);
        assert_eq!(sentence(library.progress()), "Looking through the library.");
        shown(&library, true).await.unwrap();
        assert_eq!(
            sentence(library.progress()),
            "Indexing the library: 2 files."
        );
    }

    #[test]
    fn the_time_that_is_left_is_told_in_seconds_and_then_in_minutes() {
        let told = |seconds| left_over(Duration::from_secs(seconds));
        assert_eq!(told(0), "about 1 s left");
        assert_eq!(told(89), "about 89 s left");
        assert_eq!(told(100), "about 2 min left");
    }
}
