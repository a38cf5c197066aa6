//! The two plots that reviewers know: traffic lights, a row a trial, and a bar of shares for each domain. As SVG.

use std::fmt::Write as _;

use super::{Appraisal, Domain, Judgement};
use crate::clean;

const ROW: usize = 44;
const COLUMN: usize = 62;
const HEAD: usize = 76;
const LETTER: usize = 8;
/// Longer names are cut, so that the picture stays a picture.
const LABEL_CHARS: usize = 40;

/// What is drawn where a judgement hangs on an unanswered question.
const UNKNOWN_COLOUR: &str = "#4ea1f7";
const UNKNOWN_WORD: &str = "No information";

const FONT: &str = "font-family=\"Helvetica, Arial, sans-serif\"";

/// A circle for each domain and the whole, a row a trial. Trials that were not appraised have no row.
pub fn traffic_lights(appraisals: &[Appraisal]) -> String {
    let rows: Vec<&Appraisal> = appraisals
        .iter()
        .filter(|one| one.refused.is_none())
        .collect();
    let labels: Vec<String> = rows.iter().map(|one| shortened(&one.study.label)).collect();
    let letters = labels
        .iter()
        .map(|label| label.chars().count())
        .max()
        .unwrap_or(0);
    let left = (letters.max(8) * LETTER) + 32;
    let width = (left + 6 * COLUMN + 24).max(620);
    let legend = HEAD + rows.len() * ROW + 24;
    let mut svg = open(width, legend + 130, "Risk of bias by trial and domain");
    let heads = Domain::ALL.map(Domain::code).into_iter().chain(["Overall"]);
    for (at, head) in heads.enumerate() {
        let x = left + at * COLUMN + COLUMN / 2;
        text(&mut svg, x, HEAD - 16, "middle", 14, true, head);
    }
    text(&mut svg, left - 12, HEAD - 16, "end", 14, true, "Study");
    for (at, (row, label)) in rows.iter().zip(&labels).enumerate() {
        let y = HEAD + at * ROW + ROW / 2;
        let fill = if at % 2 == 0 { "#f4f4f4" } else { "#ffffff" };
        let top = y - ROW / 2;
        // A string takes all that is written to it.
        let _ = write!(
            svg,
            "<rect x=\"8\" y=\"{top}\" width=\"{}\" height=\"{ROW}\" fill=\"{fill}\"/>",
            width - 16
        );
        text(&mut svg, left - 12, y + 5, "end", 14, false, label);
        let domains = Domain::ALL.map(|domain| row.settled(domain));
        for (nth, judgement) in domains
            .into_iter()
            .chain([row.settled_overall()])
            .enumerate()
        {
            light(&mut svg, left + nth * COLUMN + COLUMN / 2, y, 15, judgement);
        }
    }
    for (at, domain) in Domain::ALL.into_iter().enumerate() {
        let line = format!("{domain}: {}", domain.title());
        text(
            &mut svg,
            24,
            legend + 18 + at * 20,
            "start",
            13,
            false,
            &line,
        );
    }
    for (at, judgement) in legend_entries().into_iter().enumerate() {
        let y = legend + 14 + at * 24;
        light(&mut svg, width - 170, y, 9, judgement);
        let word = judgement.map_or(UNKNOWN_WORD, Judgement::word);
        text(&mut svg, width - 152, y + 5, "start", 13, false, word);
    }
    svg.push_str("</svg>\n");
    svg
}

/// For each domain and the whole, which share of the trials has which judgement.
pub fn summary_plot(appraisals: &[Appraisal]) -> String {
    const LEFT: usize = 300;
    const BAR: usize = 480;
    const STEP: usize = 38;
    let rows: Vec<&Appraisal> = appraisals
        .iter()
        .filter(|one| one.refused.is_none())
        .collect();
    let names = Domain::ALL
        .map(Domain::title)
        .into_iter()
        .chain(["Overall risk of bias"]);
    let columns = Domain::ALL.map(Some).into_iter().chain([None]);
    let mut svg = open(
        LEFT + BAR + 40,
        50 + 6 * STEP + 70,
        "Risk of bias: shares of trials",
    );
    for (at, (name, domain)) in names.zip(columns).enumerate() {
        let y = 30 + at * STEP;
        text(
            &mut svg,
            LEFT - 12,
            y + 19,
            "end",
            13,
            domain.is_none(),
            name,
        );
        let judged = |row: &&Appraisal| match domain {
            Some(domain) => row.settled(domain),
            None => row.settled_overall(),
        };
        let mut x = LEFT as f64;
        for entry in legend_entries() {
            let count = rows.iter().filter(|row| judged(row) == entry).count();
            let share = count as f64 / rows.len().max(1) as f64;
            let (wide, colour) = (
                share * BAR as f64,
                entry.map_or(UNKNOWN_COLOUR, Judgement::colour),
            );
            if count > 0 {
                let _ = write!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{wide:.1}\" height=\"28\" fill=\"{colour}\" stroke=\"#333\">\
                     <title>{count} of {}</title></rect>",
                    rows.len()
                );
            }
            x += wide;
        }
    }
    let axis = 30 + 6 * STEP + 10;
    for (at, percent) in ["0%", "25%", "50%", "75%", "100%"].into_iter().enumerate() {
        text(
            &mut svg,
            LEFT + at * BAR / 4,
            axis,
            "middle",
            12,
            false,
            percent,
        );
    }
    for (at, judgement) in legend_entries().into_iter().enumerate() {
        let (x, colour) = (
            LEFT - 40 + at * 135,
            judgement.map_or(UNKNOWN_COLOUR, Judgement::colour),
        );
        let y = axis + 18;
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"14\" height=\"14\" fill=\"{colour}\" stroke=\"#333\"/>"
        );
        let word = judgement.map_or(UNKNOWN_WORD, Judgement::word);
        text(&mut svg, x + 20, y + 12, "start", 12, false, word);
    }
    svg.push_str("</svg>\n");
    svg
}

/// From the best to the worst, then what is not known.
fn legend_entries() -> [Option<Judgement>; 4] {
    let [low, some, high] = Judgement::ALL.map(Some);
    [low, some, high, None]
}

fn open(width: usize, height: usize, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\"><title>{title}</title><rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    )
}

fn light(svg: &mut String, x: usize, y: usize, radius: usize, judgement: Option<Judgement>) {
    let colour = judgement.map_or(UNKNOWN_COLOUR, Judgement::colour);
    let sign = judgement.map_or('?', Judgement::sign);
    // A string takes all that is written to it.
    let _ = write!(
        svg,
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{colour}\" stroke=\"#333\"/>"
    );
    text(
        svg,
        x,
        y + radius / 3,
        "middle",
        radius,
        true,
        &sign.to_string(),
    );
    svg.push('\n');
}

fn text(svg: &mut String, x: usize, y: usize, anchor: &str, size: usize, bold: bool, words: &str) {
    let weight = if bold { " font-weight=\"bold\"" } else { "" };
    let words = clean::xml(words);
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" font-size=\"{size}\" {FONT}{weight}>{words}</text>"
    );
}

fn shortened(label: &str) -> String {
    if label.chars().count() <= LABEL_CHARS {
        return label.to_owned();
    }
    let kept: String = label.chars().take(LABEL_CHARS - 1).collect();
    format!("{}…", kept.trim_end())
}
