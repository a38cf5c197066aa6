//! `fathom appraise compare`: how far two appraisals of the same trials agree.

use std::path::Path;

use fathom_render::appraisal::compare::compare;
use fathom_render::appraisal::{Appraisal, CsvRow, Domain, read_csv};
use serde_json::json;

use crate::exit::{Exit, Problem, Result};
use crate::screen;

pub(super) fn run(left: &Path, right: &Path, json: bool) -> Result<Exit> {
    let compared = compare(&rows(left)?, &rows(right)?);
    if json {
        screen::print_line(&json!(compared).to_string())?;
    } else {
        screen::print(&screen::harmless(&compared.lines()))?;
    }
    Ok(Exit::Complete)
}

/// The judgements in a robvis table, in `appraisals.json`, or in a folder that holds one of the two.
fn rows(path: &Path) -> Result<Vec<CsvRow>> {
    let file = if path.is_dir() {
        path.join("robvis.csv")
    } else {
        path.to_owned()
    };
    let name = file.display();
    let text = std::fs::read_to_string(&file)
        .map_err(|error| Problem::usage(format!("{name} cannot be read: {error}")))?;
    if !text.trim_start().starts_with(['[', '{']) {
        return read_csv(&text).map_err(|error| Problem::usage(format!("{name}: {error}")));
    }
    let appraisals: Vec<Appraisal> = serde_json::from_str(&text)
        .map_err(|error| Problem::usage(format!("{name} holds no appraisals: {error}")))?;
    Ok(appraisals
        .iter()
        .filter(|one| one.refused.is_none())
        .map(row)
        .collect())
}

fn row(appraisal: &Appraisal) -> CsvRow {
    let [d1, d2, d3, d4, d5] = Domain::ALL.map(|domain| appraisal.settled(domain));
    let label = appraisal.study.label.clone();
    (label, [d1, d2, d3, d4, d5, appraisal.settled_overall()])
}
