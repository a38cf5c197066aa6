//! A library's index beside tantivy's on the same synthetic text: building, asking, starting again, updating, bytes.
//!
//! The text is made from a fixed seed, with words as frequent as in a language, the most frequent of them English small words:
//! a text's language is told by those. tantivy holds its index in memory and gets the passages ready cut; ours is on the disk and
//! begins with the files. Times of processor and clock are given, since other programs may run.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail};
use fathom_evidence::extract::InProcessReader;
use fathom_store::library::{DocumentLibrary, LibraryLimits, ReadProgress};
use nix::time::{ClockId, clock_gettime};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use super::again;
use crate::figure::{Figure, ms};

const SEED: u64 = 14;
const VOCABULARY: usize = 60_000;
/// The most frequent words, which nobody asks for.
const STOP_WORDS: usize = 100;
const PASSAGE_WORDS: usize = 85;
const FILES: usize = 20_000;
const QUERIES: usize = 200;
const CHANGED: usize = 10;
const FILE_AGE: Duration = Duration::from_secs(60);

/// `bench library [--passages N]`, 100,000 and 1,000,000 without it.
pub fn measure(rest: &[&str]) -> Result<()> {
    match rest {
        [] => {
            for passages in ["100000", "1000000"] {
                again(&["bench", "library", "--passages", passages])?;
            }
            Ok(())
        }
        ["--passages", passages] => whole(passages.parse().context("--passages wants a number")?),
        ["--ask", index, passages] => asked(Path::new(index), passages.parse()?),
        _ => bail!("bench library [--passages N]"),
    }
}

fn whole(passages: usize) -> Result<()> {
    let place = tempfile::tempdir()?;
    let (texts, index) = (place.path().join("texts"), place.path().join("index"));
    let bytes = write_texts(&texts, passages)?;
    let library = DocumentLibrary::open(&index, LibraryLimits::default())?;
    let (wall, cpu) = (Instant::now(), cpu_time()?);
    update(&library, &texts)?;
    let (wall, cpu) = (wall.elapsed(), cpu_time()? - cpu);
    let counts = library.counts()?;
    let megabytes = bytes as f64 / 1e6;
    drop(library);
    let index_bytes = fs::metadata(index.join("index.sqlite"))?.len();
    Figure::named("library_index")
        .with("passages", counts.passages)
        .number("megabytes", megabytes)
        .number("s", wall.as_secs_f64())
        .number("megabytes_a_cpu_second", megabytes / cpu.as_secs_f64())
        .number("bytes_of_text", index_bytes as f64 / counts.bytes as f64)
        .print();
    let begun = Instant::now();
    let library = DocumentLibrary::open(&index, LibraryLimits::default())?;
    update(&library, &texts)?;
    let opened = begun.elapsed();
    library.search("second start", "", None, 10)?;
    Figure::named("library_second_start")
        .number("ms", ms(opened))
        .number("first_answer_ms", ms(begun.elapsed()))
        .print();
    for nth in 0..CHANGED {
        let path = texts.join(name(nth * 997 % FILES));
        let text = fs::read_to_string(&path)?;
        fs::write(
            &path,
            format!("{text}\n\nA line that is new in the text {nth}."),
        )?;
    }
    let begun = Instant::now();
    update(&library, &texts)?;
    Figure::named("library_update")
        .with("changed", CHANGED)
        .with("files", FILES)
        .number("ms", ms(begun.elapsed()))
        .print();
    drop(library);
    let index = index
        .to_str()
        .context("the folder has a name that is no text")?;
    again(&["bench", "library", "--ask", index, &passages.to_string()])?;
    #[cfg(feature = "peers")]
    super::library_peer::measure(&texts, &queries())?;
    Ok(())
}

/// Asks an index that is there, in a process of its own for its memory.
fn asked(index: &Path, passages: usize) -> Result<()> {
    let library = DocumentLibrary::open(index, LibraryLimits::default())?;
    let mut times = QueryTimes::default();
    for query in queries() {
        times.add(|| Ok(library.search(&query, "", None, 10)?))?;
    }
    times
        .figure("library_query", passages)
        .number("memory_megabytes", peak_memory()? as f64 / 1e6)
        .print();
    Ok(())
}

/// What queries took, in milliseconds.
#[derive(Default)]
pub(super) struct QueryTimes {
    wall: Vec<f64>,
    cpu: Vec<f64>,
}

impl QueryTimes {
    pub(super) fn add<T>(&mut self, query: impl FnOnce() -> Result<T>) -> Result<T> {
        let (wall, cpu) = (Instant::now(), thread_cpu_time()?);
        let found = query()?;
        self.wall.push(ms(wall.elapsed()));
        self.cpu.push(ms(thread_cpu_time()? - cpu));
        Ok(found)
    }

    pub(super) fn figure(mut self, name: &'static str, passages: usize) -> Figure {
        Figure::named(name)
            .with("passages", passages)
            .number("median_ms", percentile(&mut self.wall, 0.5))
            .number("p95_ms", percentile(&mut self.wall, 0.95))
            .number("median_cpu_ms", percentile(&mut self.cpu, 0.5))
            .number("p95_cpu_ms", percentile(&mut self.cpu, 0.95))
    }
}

fn update(library: &DocumentLibrary, texts: &Path) -> Result<()> {
    let (progress, go) = (ReadProgress::default(), AtomicBool::new(false));
    library.update(&[texts.to_owned()], &InProcessReader, &progress, &go)?;
    Ok(())
}

fn name(nth: usize) -> PathBuf {
    PathBuf::from(format!("{:03}/{nth}.txt", nth % 200))
}

/// Files of so many passages in all; gives their bytes. They are as old as most people's files: one that was written to within
/// the last seconds is read once more at the next start.
fn write_texts(folder: &Path, passages: usize) -> Result<u64> {
    let written = SystemTime::now() - FILE_AGE;
    let mut words = ZipfWords::new(SEED);
    let mut bytes = 0;
    for nth in 0..FILES {
        let path = folder.join(name(nth));
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        let of_file = (nth + 1) * passages / FILES - nth * passages / FILES;
        let text: Vec<String> = (0..of_file)
            .map(|_| words.sentences(PASSAGE_WORDS))
            .collect();
        let text = text.join("\n\n");
        bytes += text.len() as u64;
        fs::write(&path, text)?;
        fs::File::options()
            .append(true)
            .open(path)?
            .set_modified(written)?;
    }
    Ok(bytes)
}

fn queries() -> Vec<String> {
    let mut words = ZipfWords::new(SEED + 1);
    let query = |_| {
        let length = words.random.random_range(3..9);
        let mut asked = Vec::new();
        while asked.len() < length {
            let nth = words.nth();
            asked.extend((nth > STOP_WORDS).then(|| spelled(nth)));
        }
        asked.join(" ")
    };
    (0..QUERIES).map(query).collect()
}

/// Words by chance, the nth as frequent as 1/n.
struct ZipfWords {
    random: StdRng,
}

impl ZipfWords {
    fn new(seed: u64) -> Self {
        Self {
            random: StdRng::seed_from_u64(seed),
        }
    }

    fn nth(&mut self) -> usize {
        let exponent: f64 = self.random.random();
        (VOCABULARY as f64).powf(exponent) as usize
    }

    fn sentences(&mut self, words: usize) -> String {
        let mut text = String::new();
        for nth in 0..words {
            text.push_str(&spelled(self.nth()));
            text.push_str(if nth % 17 == 16 { ". " } else { " " });
        }
        text.trim_end().to_owned() + "."
    }
}

/// The most frequent words first.
const SMALL_WORDS: &str = "the of and to a in is that for it as was with be by on not he his but at are this have from or \
    had an they which you were her all she there would their we him been has when who will more no if out so";

/// A small word for the first numbers, then a word that can be spoken, another for each number.
fn spelled(mut nth: usize) -> String {
    if let Some(word) = SMALL_WORDS.split_whitespace().nth(nth - 1) {
        return word.to_owned();
    }
    const SOUNDS: [&str; 24] = [
        "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu",
        "va", "we", "xi", "yo", "zu", "bra", "cle", "dri", "sto",
    ];
    let mut word = String::from("t");
    loop {
        word.push_str(SOUNDS[nth % SOUNDS.len()]);
        nth /= SOUNDS.len();
        if nth == 0 {
            return word;
        }
    }
}

fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let at = (values.len() as f64 * share) as usize;
    values
        .get(at.min(values.len().saturating_sub(1)))
        .copied()
        .unwrap_or(f64::NAN)
}

/// The processor time of this process so far.
pub(super) fn cpu_time() -> Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').context("/proc/self/stat is odd")?;
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|field| field.parse::<u64>().ok()).sum();
    Ok(Duration::from_millis(ticks * 10))
}

/// The processor time of this thread so far.
fn thread_cpu_time() -> Result<Duration> {
    Ok(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)?.into())
}

fn peak_memory() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    Ok(1024 * kilobytes.context("/proc/self/status is odd")?)
}
