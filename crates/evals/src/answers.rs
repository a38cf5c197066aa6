//! Whether the program answers: questions with known answers, put to it as a user would put them.
//!
//! Takes the given questions over real libraries, prompts of Evidence Inference and questions of MuSiQue; runs
//! `fathom report … --library DIR --json` for each in a data folder of its own and prints what came of it, beside the best
//! passages of plain BM25. The sets are read from a folder and never copied. Results can be kept and scored again.

mod ask;
mod baseline;
mod questions;
mod scifact;
mod score;
mod side_by_side;
mod table;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use ask::Asking;
use questions::TestQuestion;
use score::{AnswerRow, ScoredAnswer, Scorer};
pub use side_by_side::eval as eval_ask;

const USAGE: &str = "\
usage: eval answers --data DIR --libraries DIR [OPTION…] [-- ARGUMENT…]

  --data DIR        folder of the public sets, which holds questions/given.jsonl [FATHOM_DATA]
  --libraries DIR   folder that questions/fetch.sh laid out
  --questions FILE  another file of questions than given.jsonl
  --only WORD,…     ids, kinds, languages or libraries; `evidence-inference` and `musique` are kinds too
  --prompts N       prompts of Evidence Inference, drawn from its test split [10]
  --musique N       questions of MuSiQue [10]
  --binary PATH     the program [`fathom` beside this one]
  --home DIR        data folder whose settings and encoder each question's own folder gets
  --jobs N          questions asked at a time [1]
  --limit SECONDS   time for a question [600]
  --first N         characters that count as answered at once [700]
  --out FILE        keep results as JSON lines; a question that is there is not asked again
  --rescore FILE    score kept results and ask nothing
  -- ARGUMENT…      more arguments for `fathom report`";

struct AnswersOptions {
    data: PathBuf,
    libraries: Option<PathBuf>,
    questions: Option<PathBuf>,
    only: Vec<String>,
    prompts: usize,
    musique: usize,
    asking: Asking,
    jobs: usize,
    first: usize,
    out: Option<PathBuf>,
    rescore: Option<PathBuf>,
}

/// `eval answers --data DIR --libraries DIR …`; without arguments it says which there are.
pub fn eval(rest: &[&str]) -> Result<()> {
    let options = AnswersOptions::parse(rest)?;
    let scorer = Scorer::new(options.first)?;
    let sets = questions::read(&options.data, options.questions.as_deref())?;
    let stored = options.rescore.as_ref().or(options.out.as_ref());
    let mut rows = stored.map_or(Ok(Vec::new()), |file| read_rows(file))?;
    let chosen = |question: &&TestQuestion| options.wants(question);
    let todo: Vec<&TestQuestion> = if options.rescore.is_some() {
        Vec::new()
    } else {
        let sample = sets.sample(options.prompts, options.musique);
        let is_new = |one: &&TestQuestion| rows.iter().all(|row| row.id != one.id);
        sample.into_iter().filter(chosen).filter(is_new).collect()
    };
    ask_all(&todo, &options, &scorer, &mut rows)?;
    let all: HashMap<&str, &TestQuestion> = sets
        .all()
        .filter(chosen)
        .map(|one| (one.id.as_str(), one))
        .collect();
    let scored: Vec<ScoredAnswer> = rows
        .iter()
        .filter_map(|row| Some(scorer.score(all.get(row.id.as_str())?, row)))
        .collect::<Result<_>>()?;
    if scored.is_empty() {
        bail!("no question is left to score");
    }
    table::print(&scored, options.first);
    Ok(())
}

/// Asks questions, several at a time, and adds what came of each to `rows`.
fn ask_all(
    todo: &[&TestQuestion],
    options: &AnswersOptions,
    scorer: &Scorer,
    rows: &mut Vec<AnswerRow>,
) -> Result<()> {
    let passages = baselines(todo, options)?;
    let queue = Mutex::new(todo.iter());
    let done = Mutex::new((rows, Ok(())));
    let work = || loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(question) = next else { return };
        let asked = ask::ask(question, &options.asking, options.libraries.as_deref());
        let scored = asked.and_then(|mut row| {
            row.bm25 = passages.get(&question.id).cloned().unwrap_or_default();
            tell(question, &scorer.score(question, &row)?);
            if let Some(out) = &options.out {
                keep(out, &row)?;
            }
            Ok(row)
        });
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        match scored {
            Ok(row) => done.0.push(row),
            Err(error) if done.1.is_ok() => {
                done.1 = Err(error.context(question.id.clone()));
            }
            Err(_) => {}
        }
        if done.1.is_err() {
            return;
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.min(todo.len()) {
            scope.spawn(work);
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).1
}

/// The best passages for every question, by its id; each library is read once.
fn baselines(
    todo: &[&TestQuestion],
    options: &AnswersOptions,
) -> Result<HashMap<String, Vec<String>>> {
    let mut by_library: BTreeMap<&str, Vec<&TestQuestion>> = BTreeMap::new();
    let mut best = HashMap::new();
    for question in todo {
        if question.documents.is_empty() {
            let asked = by_library.entry(&question.library).or_default();
            asked.push(question);
        } else {
            let texts = question.documents.iter().map(|(_, text)| text.as_str());
            let found = baseline::best_passages(texts, &[question]);
            best.extend(found);
        }
    }
    for (library, asked) in by_library {
        let folder = library_folder(options.libraries.as_deref(), library)?;
        let texts = baseline::texts(&folder)?;
        best.extend(baseline::best_passages(
            texts.values().map(String::as_str),
            &asked,
        ));
    }
    Ok(best)
}

fn library_folder(libraries: Option<&Path>, library: &str) -> Result<PathBuf> {
    let folder = libraries.map(|libraries| libraries.join(library));
    let folder =
        folder.with_context(|| format!("give --libraries DIR, which holds \"{library}\""))?;
    if !folder.is_dir() {
        bail!(
            "{} is not there: lay it out with questions/fetch.sh",
            folder.display()
        );
    }
    Ok(std::path::absolute(folder)?)
}

fn read_rows(file: &Path) -> Result<Vec<AnswerRow>> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("{} cannot be read", file.display()))?;
    let rows = text.lines().map(serde_json::from_str);
    let rows: Result<_, _> = rows.collect();
    rows.with_context(|| format!("{} is not a file of results", file.display()))
}

/// Adds one line in one write, so that a run that is stopped loses no whole line.
fn keep(out: &Path, row: &AnswerRow) -> Result<()> {
    let mut line = serde_json::to_string(row)?;
    line.push('\n');
    let file = std::fs::File::options()
        .append(true)
        .create(true)
        .open(out)
        .with_context(|| format!("{} cannot be written", out.display()));
    Ok(file?.write_all(line.as_bytes())?)
}

#[expect(clippy::print_stderr, reason = "progress for the person who waits")]
fn tell(question: &TestQuestion, scored: &ScoredAnswer<'_>) {
    let (once, anywhere) = (scored.at_once.name(), scored.anywhere.name());
    let (id, cpu) = (&question.id, scored.row.cpu_s);
    let asked: String = question.question.chars().take(70).collect();
    eprintln!("{id:<12} {once:<8} {anywhere:<8} {cpu:>7.1} s CPU  {asked}");
}

impl AnswersOptions {
    fn parse(rest: &[&str]) -> Result<Self> {
        let mut data = std::env::var_os("FATHOM_DATA").map(PathBuf::from);
        let mut options = Self {
            data: PathBuf::new(),
            libraries: None,
            questions: None,
            only: Vec::new(),
            prompts: 10,
            musique: 10,
            asking: Asking {
                binary: std::env::current_exe()?.with_file_name("fathom"),
                command: "report",
                home: None,
                shared_homes: None,
                limit: Duration::from_secs(600),
                arguments: Vec::new(),
            },
            jobs: 1,
            first: 700,
            out: None,
            rescore: None,
        };
        let own = rest.iter().position(|word| *word == "--");
        let (own, further) = rest.split_at(own.unwrap_or(rest.len()));
        options.asking.arguments = further.iter().skip(1).map(ToString::to_string).collect();
        for pair in own.chunks(2) {
            let [name, value] = *pair else {
                bail!("\"{}\" needs a value\n\n{USAGE}", pair.join(" "));
            };
            let number = || {
                let number = value.parse::<usize>();
                number.with_context(|| format!("{name} needs a number, not \"{value}\""))
            };
            match name {
                "--data" => data = Some(value.into()),
                "--libraries" => options.libraries = Some(value.into()),
                "--questions" => options.questions = Some(value.into()),
                "--only" => options
                    .only
                    .extend(value.split(',').map(|word| word.trim().to_owned())),
                "--prompts" => options.prompts = number()?,
                "--musique" => options.musique = number()?,
                "--binary" => options.asking.binary = std::path::absolute(value)?,
                "--home" => options.asking.home = Some(std::path::absolute(value)?),
                "--jobs" => options.jobs = number()?.max(1),
                "--limit" => options.asking.limit = Duration::from_secs(number()? as u64),
                "--first" => options.first = number()?,
                "--out" => options.out = Some(value.into()),
                "--rescore" => options.rescore = Some(value.into()),
                _ => bail!("\"{name}\" is not known here\n\n{USAGE}"),
            }
        }
        options.data = data.with_context(|| format!("where are the sets?\n\n{USAGE}"))?;
        Ok(options)
    }

    fn wants(&self, question: &TestQuestion) -> bool {
        is_named(&self.only, question)
    }
}

/// Whether a question is among those that some words choose; no words choose all.
fn is_named(only: &[String], question: &TestQuestion) -> bool {
    let named = |word: &String| {
        [
            &question.id,
            &question.kind,
            &question.language,
            &question.library,
        ]
        .contains(&word)
    };
    only.is_empty() || only.iter().any(named)
}
