//! `eval ask`: the best five passages of plain BM25 beside what `fathom ask` shows, on the same questions.
//!
//! Two measures, the same for both: the answer stands in the first 700 characters that a reader sees, and it stands in one
//! of the passages shown. Questions: those given over real libraries, MuSiQue, and claims of SciFact.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;

use super::ask::{self, Asking};
use super::questions::{self, SEED, TestQuestion};
use super::score::{AnswerRow, AnswerVerdict, Scorer, head, plain, tells};
use super::{baseline, library_folder, scifact};

/// Passages of BM25 that are shown.
const PLAIN_PASSAGES: usize = 5;

/// Characters that count as answered at once.
const FIRST: usize = 700;

/// The command's own limit, and some more to start and end.
const LIMIT: Duration = Duration::from_secs(600);

const USAGE: &str = "\
usage: eval ask --data DIR --libraries DIR [OPTION…]

  --data DIR        folder of the public sets, which holds questions/given.jsonl [FATHOM_DATA]
  --libraries DIR   folder that questions/fetch.sh laid out
  --only WORD,…     ids, kinds, languages or libraries; `musique` and `scifact` are kinds too
  --musique N       questions of MuSiQue [100]
  --scifact N       claims of SciFact [100]
  --binary PATH     the program [`fathom` beside this one]
  --home DIR        data folder whose settings and encoder are used";

struct AskOptions {
    data: PathBuf,
    libraries: PathBuf,
    only: Vec<String>,
    musique: usize,
    scifact: usize,
    asking: Asking,
}

/// `eval ask --data DIR --libraries DIR …`.
pub fn eval(rest: &[&str]) -> Result<()> {
    let place = tempfile::tempdir()?;
    let mut options = AskOptions::parse(rest)?;
    let libraries = place.path().join("libraries");
    std::fs::create_dir(&libraries)?;
    for entry in std::fs::read_dir(&options.libraries)? {
        let entry = entry?;
        symlink(
            std::path::absolute(entry.path())?,
            libraries.join(entry.file_name()),
        )?;
    }
    let homes = place.path().join("homes");
    std::fs::create_dir(&homes)?;
    options.asking.shared_homes = Some(homes);
    let claims = scifact::lay_out(&options.data, &libraries)?;
    options.libraries = libraries;
    let sets = questions::read(&options.data, None)?;
    let mut asked = sets.sample(0, options.musique);
    asked.extend(claims.choose_multiple(&mut StdRng::seed_from_u64(SEED), options.scifact));
    asked.retain(|question| options.wants(question));
    if asked.is_empty() {
        bail!("no question is left to ask");
    }
    let plain = plain_passages(&asked, &options)?;
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let scorer = Scorer::new(FIRST)?;
    for question in asked {
        let row = ask::ask(question, &options.asking, Some(&options.libraries))?;
        let passages = plain.get(&question.id).map_or(&[][..], Vec::as_slice);
        let set = if question.kind == question.library {
            question.kind.as_str()
        } else {
            "questions"
        };
        let tally = tallies.entry(set).or_default();
        tally.take(question, &row, passages, &scorer)?;
    }
    print(&tallies);
    Ok(())
}

/// The first passages of plain BM25 for every question, by its id; each library is read once.
fn plain_passages(
    asked: &[&TestQuestion],
    options: &AskOptions,
) -> Result<HashMap<String, Vec<String>>> {
    let mut best: HashMap<String, Vec<String>> = HashMap::new();
    let own = asked.iter().filter(|one| !one.documents.is_empty());
    for question in own {
        let texts = question.documents.iter().map(|(_, text)| text.as_str());
        best.extend(baseline::best_passages(texts, &[question]));
    }
    let shared = asked.iter().filter(|one| one.documents.is_empty());
    let libraries: BTreeSet<&str> = shared.clone().map(|one| one.library.as_str()).collect();
    for library in libraries {
        let texts = baseline::texts(&library_folder(Some(&options.libraries), library)?)?;
        let of_it: Vec<&TestQuestion> = shared
            .clone()
            .filter(|one| one.library == library)
            .copied()
            .collect();
        let texts = texts.values().map(String::as_str);
        best.extend(baseline::best_passages(texts, &of_it));
    }
    for passages in best.values_mut() {
        passages.truncate(PLAIN_PASSAGES);
    }
    Ok(best)
}

/// What came of the questions of one set.
#[derive(Default)]
struct Tally {
    answerable: usize,
    /// By BM25 and by `ask`.
    at_once: [usize; 2],
    shown: [usize; 2],
    without_answer: usize,
    told: usize,
    /// Questions that were searched for twice, as far as the answer says.
    seconds: Vec<f64>,
    failed: usize,
}

impl Tally {
    fn take(
        &mut self,
        question: &TestQuestion,
        row: &AnswerRow,
        passages: &[String],
        scorer: &Scorer,
    ) -> Result<()> {
        let scored = scorer.score(question, row)?;
        self.seconds.push(row.seconds);
        self.failed += usize::from(row.exit != 0);
        if !question.answerable {
            self.without_answer += 1;
            self.told += usize::from(scored.at_once == AnswerVerdict::Right);
            return Ok(());
        }
        let plainly = plain(&passages.join("\n"));
        let own = plain(&row.passages.join("\n"));
        let hits = [
            tells(question, head(&plainly, Some(FIRST)))?,
            scored.at_once == AnswerVerdict::Right,
            tells(question, &plainly)?,
            tells(question, &own)?,
        ];
        let [plain_once, own_once, plain_shown, own_shown] = hits.map(usize::from);
        self.answerable += 1;
        self.at_once = [self.at_once[0] + plain_once, self.at_once[1] + own_once];
        self.shown = [self.shown[0] + plain_shown, self.shown[1] + own_shown];
        tell(question, row, hits);
        Ok(())
    }

    fn add(&mut self, other: &Self) {
        self.answerable += other.answerable;
        for at in 0..2 {
            self.at_once[at] += other.at_once[at];
            self.shown[at] += other.shown[at];
        }
        self.without_answer += other.without_answer;
        self.told += other.told;
        self.seconds.extend(&other.seconds);
        self.failed += other.failed;
    }

    fn line(&self, name: &str) -> String {
        let gain = |[plain, own]: [usize; 2]| match plain {
            0 => "–".to_owned(),
            plain => format!("{:+.0} %", 100.0 * (own as f64 / plain as f64 - 1.0)),
        };
        let mut seconds = self.seconds.clone();
        seconds.sort_by(f64::total_cmp);
        let middle = seconds.get(seconds.len() / 2).copied().unwrap_or_default();
        format!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} of {} | {middle:.2} | {} |",
            self.answerable,
            self.at_once[0],
            self.at_once[1],
            gain(self.at_once),
            self.shown[0],
            self.shown[1],
            gain(self.shown),
            self.told,
            self.without_answer,
            self.failed,
        )
    }
}

fn print(tallies: &BTreeMap<&str, Tally>) {
    say(&format!(
        "Right at once: the answer stands in the first {FIRST} characters, of the first {PLAIN_PASSAGES} passages of BM25 one \
         after another, and of the answer of `ask`. Shown: it stands in one of the passages shown.\n"
    ));
    say(
        "| set | n | BM25 right at once | ask | | BM25 shown | ask | | no answer told | median s | failed |",
    );
    say("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut all = Tally::default();
    for (name, tally) in tallies {
        say(&tally.line(name));
        all.add(tally);
    }
    say(&all.line("**all**"));
}

#[expect(clippy::print_stdout, reason = "the table is what this is for")]
fn say(line: &str) {
    println!("{line}");
}

#[expect(clippy::print_stderr, reason = "progress for the person who waits")]
fn tell(question: &TestQuestion, row: &AnswerRow, hits: [bool; 4]) {
    let marks: String = hits
        .iter()
        .map(|hit| if *hit { '+' } else { '-' })
        .collect();
    let asked: String = question.question.chars().take(70).collect();
    eprintln!(
        "{:<12} {marks} {:>6.2} s  {asked}",
        question.id, row.seconds
    );
}

impl AskOptions {
    fn parse(rest: &[&str]) -> Result<Self> {
        let mut data = std::env::var_os("FATHOM_DATA").map(PathBuf::from);
        let mut libraries: Option<PathBuf> = None;
        let mut options = Self {
            data: PathBuf::new(),
            libraries: PathBuf::new(),
            only: Vec::new(),
            musique: 100,
            scifact: 100,
            asking: Asking {
                binary: std::env::current_exe()?.with_file_name("fathom"),
                command: "ask",
                home: None,
                shared_homes: None,
                limit: LIMIT,
                arguments: vec!["--quiet".to_owned()],
            },
        };
        for pair in rest.chunks(2) {
            let [name, value] = *pair else {
                bail!("\"{}\" needs a value\n\n{USAGE}", pair.join(" "));
            };
            let number = || {
                let number = value.parse::<usize>();
                number.with_context(|| format!("{name} needs a number, not \"{value}\""))
            };
            match name {
                "--data" => data = Some(value.into()),
                "--libraries" => libraries = Some(value.into()),
                "--only" => options
                    .only
                    .extend(value.split(',').map(|word| word.trim().to_owned())),
                "--musique" => options.musique = number()?,
                "--scifact" => options.scifact = number()?,
                "--binary" => options.asking.binary = std::path::absolute(value)?,
                "--home" => options.asking.home = Some(std::path::absolute(value)?),
                _ => bail!("\"{name}\" is not known here\n\n{USAGE}"),
            }
        }
        options.data = data.with_context(|| format!("where are the sets?\n\n{USAGE}"))?;
        let missing = || format!("where are the libraries?\n\n{USAGE}");
        options.libraries = libraries.with_context(missing)?;
        Ok(options)
    }

    fn wants(&self, question: &TestQuestion) -> bool {
        super::is_named(&self.only, question)
    }
}
