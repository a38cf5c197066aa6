//! The table that robvis reads: a row a trial, a column a domain.

use std::fmt::Write as _;

use super::{Appraisal, Domain, Judgement};

/// What robvis calls a domain that was not judged.
const NO_INFORMATION: &str = "No information";

/// One row a trial, under the heads robvis expects. Trials that were not appraised have no row; a judgement that hangs on
/// an unanswered question is "No information".
pub fn csv(appraisals: &[Appraisal]) -> String {
    let mut text = String::from("Study,D1,D2,D3,D4,D5,Overall\n");
    let appraised = appraisals.iter().filter(|one| one.refused.is_none());
    for appraisal in appraised {
        text.push_str(&field(&appraisal.study.label));
        let domains = Domain::ALL.map(|domain| appraisal.settled(domain));
        for judgement in domains.into_iter().chain([appraisal.settled_overall()]) {
            // A string takes all that is written to it.
            let _ = write!(
                text,
                ",{}",
                judgement.map_or(NO_INFORMATION, Judgement::word)
            );
        }
        text.push('\n');
    }
    text
}

/// Why a table cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CsvError {
    /// It has not the columns.
    #[error("the table has no column \"{0}\": robvis tables have Study, D1 to D5 and Overall")]
    Column(String),
    /// A cell holds another word than a judgement.
    #[error(
        "\"{word}\" of {study} is not a judgement: use Low, Some concerns, High or No information"
    )]
    Judgement {
        /// The row.
        study: String,
        /// What stands there.
        word: String,
    },
}

/// A trial's name and its six judgements, overall last; nothing where it says "No information".
pub type CsvRow = (String, [Option<Judgement>; 6]);

/// Reads such a table, whoever made it. Further columns, such as weights, are passed over.
pub fn read_csv(text: &str) -> Result<Vec<CsvRow>, CsvError> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let heads = fields(
        lines
            .next()
            .unwrap_or_default()
            .trim_start_matches('\u{feff}'),
    );
    let column = |name: &str| {
        let at = heads
            .iter()
            .position(|head| head.trim().eq_ignore_ascii_case(name));
        at.ok_or_else(|| CsvError::Column(name.to_owned()))
    };
    let study = column("Study")?;
    let columns = ["D1", "D2", "D3", "D4", "D5", "Overall"].map(column);
    let mut rows = Vec::new();
    for line in lines {
        let cells = fields(line);
        let cell = |at: usize| cells.get(at).map_or("", |cell| cell.trim());
        let mut judgements = [None; 6];
        for (judgement, column) in judgements.iter_mut().zip(columns.clone()) {
            *judgement = judged(cell(study), cell(column?))?;
        }
        rows.push((cell(study).to_owned(), judgements));
    }
    Ok(rows)
}

fn judged(study: &str, word: &str) -> Result<Option<Judgement>, CsvError> {
    let said = |other: &str| word.eq_ignore_ascii_case(other);
    let found = Judgement::ALL.into_iter().find(|one| said(one.word()));
    match found {
        None if word.is_empty() || said(NO_INFORMATION) || said("NI") => Ok(None),
        None => Err(CsvError::Judgement {
            study: study.to_owned(),
            word: word.to_owned(),
        }),
        found => Ok(found),
    }
}

/// A field, quoted where it must be. A spreadsheet takes what begins like a formula for one, so that gets an apostrophe.
fn field(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let text = match text.chars().next() {
        Some('=' | '+' | '-' | '@') => format!("'{text}"),
        _ => text,
    };
    if text.contains(['"', ',']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                push(&mut fields, '"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            letter => push(&mut fields, letter),
        }
    }
    fields
}

fn push(fields: &mut [String], letter: char) {
    if let Some(last) = fields.last_mut() {
        last.push(letter);
    }
}
