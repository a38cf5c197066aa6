//! Two appraisals of the same trials, domain by domain: how often they agree, and how much of that is chance.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::Judgement;
use super::csv::CsvRow;

/// How far two reviewers agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Five domains and the whole, in the order of the tables.
    pub columns: Vec<ColumnAgreement>,
    /// Trials that only one of the two has.
    pub unmatched: Vec<String>,
}

/// How far they agree on one domain, or on the whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnAgreement {
    /// `D1` to `D5`, or `Overall`.
    pub column: String,
    /// Trials that both judged.
    pub trials: usize,
    /// Of these, how many alike.
    pub agreed: usize,
    /// Cohen's kappa: 1 is full agreement, 0 is what chance gives; nothing where chance alone gives full agreement.
    pub kappa: Option<f64>,
    /// Trials that they judged otherwise, with both judgements.
    pub differ: Vec<(String, Judgement, Judgement)>,
}

const COLUMNS: [&str; 6] = ["D1", "D2", "D3", "D4", "D5", "Overall"];

/// A trial of both, with the row of either.
type PairedRows<'r> = (
    &'r str,
    &'r [Option<Judgement>; 6],
    &'r [Option<Judgement>; 6],
);

/// Compares rows of the same name.
pub fn compare(left: &[CsvRow], right: &[CsvRow]) -> Comparison {
    let by_name: BTreeMap<&str, &[Option<Judgement>; 6]> = right
        .iter()
        .map(|(name, row)| (name.as_str(), row))
        .collect();
    let paired = left.iter().filter_map(|(name, row)| {
        let other = by_name.get(name.as_str())?;
        Some((name.as_str(), row, *other))
    });
    let pairs: Vec<PairedRows<'_>> = paired.collect();
    let known = |name: &str, rows: &[CsvRow]| rows.iter().any(|(other, _)| other == name);
    let only_left = left.iter().filter(|(name, _)| !known(name, right));
    let only_right = right.iter().filter(|(name, _)| !known(name, left));
    let unmatched = only_left.chain(only_right);
    Comparison {
        columns: (0..COLUMNS.len()).map(|at| column(at, &pairs)).collect(),
        unmatched: unmatched.map(|(name, _)| name.clone()).collect(),
    }
}

fn column(at: usize, pairs: &[PairedRows<'_>]) -> ColumnAgreement {
    let both = |(name, one, two): &PairedRows<'_>| {
        let (one, two) = (one.get(at).copied()?, two.get(at).copied()?);
        Some(((*name).to_owned(), one?, two?))
    };
    let judged: Vec<(String, Judgement, Judgement)> = pairs.iter().filter_map(both).collect();
    let agreed = judged.iter().filter(|(_, one, two)| one == two).count();
    ColumnAgreement {
        column: COLUMNS.get(at).copied().unwrap_or_default().to_owned(),
        trials: judged.len(),
        agreed,
        kappa: kappa(&judged),
        differ: judged
            .into_iter()
            .filter(|(_, one, two)| one != two)
            .collect(),
    }
}

/// Agreement beyond chance, over the most that is possible beyond chance (Cohen, 1960).
fn kappa(judged: &[(String, Judgement, Judgement)]) -> Option<f64> {
    let all = judged.len() as f64;
    if judged.is_empty() {
        return None;
    }
    let share = |holds: &dyn Fn(&(String, Judgement, Judgement)) -> bool| {
        judged.iter().filter(|one| holds(one)).count() as f64 / all
    };
    let observed = share(&|(_, one, two)| one == two);
    let by_chance: f64 = Judgement::ALL
        .into_iter()
        .map(|word| share(&|(_, one, _)| *one == word) * share(&|(_, _, two)| *two == word))
        .sum();
    (by_chance < 1.0).then(|| (observed - by_chance) / (1.0 - by_chance))
}

impl Comparison {
    /// As lines for a terminal.
    pub fn lines(&self) -> String {
        let mut text = String::from("          trials  agreed  kappa\n");
        for one in &self.columns {
            let kappa = one
                .kappa
                .map_or("  –".to_owned(), |kappa| format!("{kappa:.2}"));
            // A string takes all that is written to it.
            let _ = writeln!(
                text,
                "{:<8}{:>8}{:>8}{kappa:>7}",
                one.column, one.trials, one.agreed
            );
        }
        for one in &self.columns {
            for (name, left, right) in &one.differ {
                let _ = writeln!(text, "{} {name}: {left} / {right}", one.column);
            }
        }
        if !self.unmatched.is_empty() {
            let _ = writeln!(
                text,
                "In one of the two only: {}",
                self.unmatched.join(", ")
            );
        }
        text
    }
}
