//! The words after `cargo xtask`, parsed.

use std::ffi::OsString;

use anyhow::{Context, Result, anyhow, bail};

pub const USAGE: &str = "\
Usage: cargo xtask COMMAND

  test              the full check: format, dependencies, clippy, tests, doc tests, clients
  test WORD…        only the tests whose name contains a word
  prove AREA ARG…   the proofs of an area, `engine`, `providers` or `service`: `prove engine --seed 7 --only T1,T3`
  bench AREA ARG…   the benchmarks of an area: `bench engine [--peer]`, `bench library`, `bench providers`, `bench report`, `bench service [--peer]`
  eval AREA ARG…    what an area reaches on given data, as `eval evidence --data DIR`, `eval answers` or `eval ask`
  clients           only the clients in Python, against the program as it is built now
  postgres          a private PostgreSQL server to try things with, until its input ends (Ctrl-D)
  help              this text

test, and prove and bench of the engine, start a private PostgreSQL server, and install
PostgreSQL first where they may. To use a server of your own, set FATHOM_TEST_POSTGRES to its URL.
test and clients install Python packages from PyPI, once, in the target folder.";

#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    Help,
    Clients,
    Postgres,
    Test {
        filter: Vec<String>,
    },
    Evals {
        verb: Verb,
        area: String,
        rest: Vec<String>,
    },
}

/// What the package of evaluations is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Prove,
    Bench,
    Eval,
}

impl Verb {
    pub fn word(self) -> &'static str {
        match self {
            Self::Prove => "prove",
            Self::Bench => "bench",
            Self::Eval => "eval",
        }
    }
}

pub fn parse(words: impl Iterator<Item = OsString>) -> Result<Command> {
    let words: Result<Vec<String>> = words.map(readable).collect();
    let words = words?;
    let (command, rest) = words.split_first().context("a command is missing")?;
    match command.as_str() {
        "help" | "--help" | "-h" => Ok(Command::Help),
        "test" => test(rest),
        "prove" => evals(Verb::Prove, rest),
        "bench" => evals(Verb::Bench, rest),
        "eval" => evals(Verb::Eval, rest),
        "clients" => Ok(Command::Clients),
        "postgres" => Ok(Command::Postgres),
        unknown => bail!("there is no command `{unknown}`"),
    }
}

fn test(filter: &[String]) -> Result<Command> {
    match filter.iter().find(|word| word.starts_with('-')) {
        None => Ok(Command::Test {
            filter: filter.to_vec(),
        }),
        Some(option) if option == "--help" || option == "-h" => Ok(Command::Help),
        Some(option) => bail!(
            "`test` takes words from the names of tests, not the option `{option}`; \
             for options, call `cargo nextest run` or `cargo test` itself"
        ),
    }
}

fn evals(verb: Verb, words: &[String]) -> Result<Command> {
    let word = verb.word();
    let example = match verb {
        Verb::Prove | Verb::Bench => "engine",
        Verb::Eval => "evidence",
    };
    let missing = || format!("`{word}` needs an area, such as `{word} {example}`");
    let (area, rest) = words.split_first().with_context(missing)?;
    match area.as_str() {
        "--help" | "-h" => Ok(Command::Help),
        option if option.starts_with('-') => bail!(missing()),
        area => Ok(Command::Evals {
            verb,
            area: area.to_owned(),
            rest: rest.to_vec(),
        }),
    }
}

fn readable(word: OsString) -> Result<String> {
    word.into_string()
        .map_err(|word| anyhow!("{} is not valid UTF-8", word.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_line(line: &str) -> Result<Command> {
        parse(line.split_whitespace().map(OsString::from))
    }

    fn complaint(line: &str) -> String {
        parse_line(line).unwrap_err().to_string()
    }

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn test_alone_is_the_full_check() {
        assert_eq!(
            parse_line("test").unwrap(),
            Command::Test { filter: Vec::new() }
        );
    }

    #[test]
    fn words_after_test_are_its_filter() {
        let expected = Command::Test {
            filter: strings(&["cluster", "folder"]),
        };
        assert_eq!(parse_line("test cluster folder").unwrap(), expected);
    }

    #[test]
    fn an_option_after_test_is_refused_with_a_way_out() {
        assert!(complaint("test -p xtask").contains("`cargo nextest run`"));
    }

    #[test]
    fn everything_after_an_area_is_passed_on() {
        let lines = [("prove", Verb::Prove), ("bench", Verb::Bench)];
        for (word, verb) in lines {
            let rest = strings(&["--seed", "7", "--only", "T1,T3", "--help"]);
            let expected = Command::Evals {
                verb,
                area: "engine".into(),
                rest,
            };
            let line = format!("{word} engine --seed 7 --only T1,T3 --help");
            assert_eq!(parse_line(&line).unwrap(), expected);
        }
    }

    #[test]
    fn a_missing_area_is_named() {
        assert!(complaint("prove").contains("`prove engine`"));
        assert!(complaint("bench --seed 7").contains("`bench engine`"));
    }

    #[test]
    fn a_missing_or_unknown_command_is_named() {
        assert_eq!(complaint(""), "a command is missing");
        assert_eq!(complaint("tset"), "there is no command `tset`");
    }

    #[test]
    fn help_is_found_wherever_one_looks() {
        for line in ["help", "--help", "-h", "test --help", "prove -h"] {
            assert_eq!(parse_line(line).unwrap(), Command::Help, "{line}");
        }
    }

    #[test]
    fn the_usage_names_every_verb() {
        for verb in [Verb::Prove, Verb::Bench, Verb::Eval] {
            assert!(USAGE.contains(&format!("\n  {} AREA", verb.word())));
        }
    }
}
