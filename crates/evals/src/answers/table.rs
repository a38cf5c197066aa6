//! Prints what came of the questions as Markdown tables: by kind, language and library, and by what the report says of itself.

use std::collections::BTreeSet;

use super::questions::TestQuestion;
use super::score::{AnswerVerdict, ScoredAnswer};

const COLUMNS: &str = "\
| | n | right at once | anywhere | wrong | refused | found | BM25 1 | 3 | 20 | without answer | told | CPU s | most | MB |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|";

/// The columns of [`COLUMNS`] that are counts of answerable questions.
const COUNTS: usize = 8;

type GroupName = fn(&TestQuestion) -> &str;

pub(super) fn print(all: &[ScoredAnswer<'_>], first: usize) {
    say(&format!(
        "Right at once: in the first {first} characters; wrong and refused (\"not in your documents\", which is false) are \
         counted there too. Found: the file with the answer is among the sources. BM25: the answer is in its best passages. \
         Told: of the questions without an answer, those of which that was said.\n"
    ));
    // The public sets are libraries of their own, and would drown the given questions.
    let (public, given): (Vec<_>, Vec<_>) = all
        .iter()
        .partition(|one| one.question.kind == one.question.library);
    say(COLUMNS);
    let groups: [(&str, GroupName); 3] = [
        ("kind", |one| &one.kind),
        ("language", |one| &one.language),
        ("library", |one| &one.library),
    ];
    for (name, group) in groups {
        let names: BTreeSet<&str> = given.iter().map(|one| group(one.question)).collect();
        for value in names {
            let some = given.iter().filter(|one| group(one.question) == value);
            say(&AnswerTally::new(some.copied()).line(&format!("{name}: {value}")));
        }
    }
    let sets: BTreeSet<&str> = public
        .iter()
        .map(|one| one.question.kind.as_str())
        .collect();
    for set in sets {
        let some = public.iter().filter(|one| one.question.kind == set);
        let tally = AnswerTally::new(some.copied());
        say(&tally.line(&format!("**{set}**")));
        say(&tally.shares(&format!("{set}, share")));
    }
    if !given.is_empty() {
        let tally = AnswerTally::new(given.iter().copied());
        say(&tally.line("**questions**"));
        say(&tally.shares("questions, share"));
    }
    say("\n| answered | n | right at once | right anywhere | without an answer in the documents |");
    say("|---|---|---|---|---|");
    calibration("questions", &given);
    calibration("public sets", &public);
}

/// Of the answers that call themselves answered, partly answered or not: how many are?
fn calibration(name: &str, all: &[&ScoredAnswer<'_>]) {
    let marks: BTreeSet<Option<&str>> = all.iter().map(|one| one.row.answered.as_deref()).collect();
    for mark in marks {
        let marked = all.iter().filter(|one| one.row.answered.as_deref() == mark);
        let count = |holds: &dyn Fn(&ScoredAnswer<'_>) -> bool| {
            marked.clone().filter(|one| holds(one)).count()
        };
        say(&format!(
            "| {name}: {} | {} | {} | {} | {} |",
            mark.unwrap_or("does not say"),
            marked.clone().count(),
            count(&|one| one.at_once == AnswerVerdict::Right),
            count(&|one| one.anywhere == AnswerVerdict::Right),
            count(&|one| !one.question.answerable),
        ));
    }
}

/// One line of the table.
#[derive(Default)]
struct AnswerTally {
    /// Answerable questions, then those of them that are right at once, and so on as the columns go.
    counts: [usize; 1 + COUNTS],
    without_answer: usize,
    told: usize,
    cpu_s: Vec<f64>,
    peak_mb: u64,
}

impl AnswerTally {
    fn new<'a>(some: impl Iterator<Item = &'a ScoredAnswer<'a>>) -> Self {
        let mut tally = Self::default();
        for one in some {
            tally.cpu_s.push(one.row.cpu_s);
            tally.peak_mb = tally.peak_mb.max(one.row.peak_mb);
            if !one.question.answerable {
                tally.without_answer += 1;
                tally.told += usize::from(one.at_once == AnswerVerdict::Right);
                continue;
            }
            let [best, few, many] = one.bm25;
            let held = [
                true,
                one.at_once == AnswerVerdict::Right,
                one.anywhere == AnswerVerdict::Right,
                one.at_once == AnswerVerdict::Wrong,
                one.at_once == AnswerVerdict::Refused,
                one.found,
                best,
                few,
                many,
            ];
            for (count, held) in tally.counts.iter_mut().zip(held) {
                *count += usize::from(held);
            }
        }
        tally
    }

    fn line(&self, name: &str) -> String {
        let counts = self.counts.map(|count| count.to_string()).join(" | ");
        let mean = self.cpu_s.iter().sum::<f64>() / self.cpu_s.len().max(1) as f64;
        let most = self.cpu_s.iter().copied().fold(0.0, f64::max);
        let (without, told, peak) = (self.without_answer, self.told, self.peak_mb);
        format!("| {name} | {counts} | {without} | {told} | {mean:.1} | {most:.1} | {peak} |")
    }

    /// The counts as shares of the questions that they are counted of.
    fn shares(&self, name: &str) -> String {
        let [answerable, counts @ ..] = self.counts;
        let share = |count: usize, of: usize| match of {
            0 => String::new(),
            of => format!("{:.2}", count as f64 / of as f64),
        };
        let shares = counts.map(|count| share(count, answerable)).join(" | ");
        let told = share(self.told, self.without_answer);
        format!("| {name} | | {shares} | | {told} | | | |")
    }
}

#[expect(clippy::print_stdout, reason = "the tables are what this is for")]
fn say(line: &str) {
    println!("{line}");
}
