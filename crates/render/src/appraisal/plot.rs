//! The two plots that reviewers know: traffic lights, a row a trial, and a bar of shares for each domain.

use super::picture::{Anchor, Picture, PictureText, Shape};
use super::{Appraisal, Domain, Judgement};

const ROW: usize = 44;
const COLUMN: usize = 62;
const HEAD: usize = 76;
const LETTER: usize = 8;
/// Longer names are cut, so that the picture stays a picture.
const LABEL_CHARS: usize = 40;

/// What is drawn where a judgement hangs on an unanswered question.
const UNKNOWN_COLOUR: &str = "#4ea1f7";
const UNKNOWN_WORD: &str = "Not settled";

/// A circle for each domain and the whole, a row a trial. Trials that were not appraised have no row.
pub fn traffic_lights(appraisals: &[Appraisal]) -> Picture {
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
    let mut picture = Picture::new(width, legend + 130, "Risk of bias by trial and domain");
    let heads = Domain::ALL.map(Domain::code).into_iter().chain(["Overall"]);
    for (at, head) in heads.enumerate() {
        let x = left + at * COLUMN + COLUMN / 2;
        picture.text((x, HEAD - 16), Anchor::Middle, 14, true, head);
    }
    picture.text((left - 12, HEAD - 16), Anchor::End, 14, true, "Study");
    for (at, (row, label)) in rows.iter().zip(&labels).enumerate() {
        let y = HEAD + at * ROW + ROW / 2;
        picture.shapes.push(Shape::Rect {
            at: (8.0, (y - ROW / 2) as f64),
            size: ((width - 16) as f64, ROW as f64),
            fill: if at % 2 == 0 { "#f4f4f4" } else { "#ffffff" },
            outlined: false,
            title: None,
        });
        picture.text((left - 12, y + 5), Anchor::End, 14, false, label);
        let domains = Domain::ALL.map(|domain| row.settled(domain));
        let all = domains.into_iter().chain([row.settled_overall()]);
        for (nth, judgement) in all.enumerate() {
            picture.light((left + nth * COLUMN + COLUMN / 2, y), 15, judgement);
        }
    }
    for (at, domain) in Domain::ALL.into_iter().enumerate() {
        let line = format!("{domain}: {}", domain.title());
        let place = (24, legend + 18 + at * 20);
        picture.text(place, Anchor::Start, 13, false, &line);
    }
    for (at, judgement) in legend_entries().into_iter().enumerate() {
        let y = legend + 14 + at * 24;
        picture.light((width - 170, y), 9, judgement);
        let word = judgement.map_or(UNKNOWN_WORD, Judgement::word);
        picture.text((width - 152, y + 5), Anchor::Start, 13, false, word);
    }
    picture
}

/// For each domain and the whole, which share of the trials has which judgement.
pub fn summary_plot(appraisals: &[Appraisal]) -> Picture {
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
    let title = "Risk of bias: shares of trials";
    let mut picture = Picture::new(LEFT + BAR + 40, 50 + 6 * STEP + 70, title);
    for (at, (name, domain)) in names.zip(columns).enumerate() {
        let y = 30 + at * STEP;
        let place = (LEFT - 12, y + 19);
        picture.text(place, Anchor::End, 13, domain.is_none(), name);
        let judged = |row: &&Appraisal| match domain {
            Some(domain) => row.settled(domain),
            None => row.settled_overall(),
        };
        let mut x = LEFT as f64;
        for entry in legend_entries() {
            let count = rows.iter().filter(|row| judged(row) == entry).count();
            let wide = count as f64 / rows.len().max(1) as f64 * BAR as f64;
            if count > 0 {
                picture.shapes.push(Shape::Rect {
                    at: (x, y as f64),
                    size: (wide, 28.0),
                    fill: entry.map_or(UNKNOWN_COLOUR, Judgement::colour),
                    outlined: true,
                    title: Some(format!("{count} of {}", rows.len())),
                });
            }
            x += wide;
        }
    }
    let axis = 30 + 6 * STEP + 10;
    for (at, percent) in ["0%", "25%", "50%", "75%", "100%"].into_iter().enumerate() {
        let place = (LEFT + at * BAR / 4, axis);
        picture.text(place, Anchor::Middle, 12, false, percent);
    }
    for (at, judgement) in legend_entries().into_iter().enumerate() {
        let (x, y) = (LEFT - 40 + at * 135, axis + 18);
        picture.shapes.push(Shape::Rect {
            at: (x as f64, y as f64),
            size: (14.0, 14.0),
            fill: judgement.map_or(UNKNOWN_COLOUR, Judgement::colour),
            outlined: true,
            title: None,
        });
        let word = judgement.map_or(UNKNOWN_WORD, Judgement::word);
        picture.text((x + 20, y + 12), Anchor::Start, 12, false, word);
    }
    picture
}

/// From the best to the worst, then what is not known.
fn legend_entries() -> [Option<Judgement>; 4] {
    let [low, some, high] = Judgement::ALL.map(Some);
    [low, some, high, None]
}

impl Picture {
    /// A judgement as a circle with its sign.
    fn light(&mut self, at: (usize, usize), radius: usize, judgement: Option<Judgement>) {
        self.shapes.push(Shape::Circle {
            at,
            radius,
            fill: judgement.map_or(UNKNOWN_COLOUR, Judgement::colour),
        });
        let sign = judgement.map_or('?', Judgement::sign).to_string();
        let middle = (at.0, at.1 + radius / 3);
        self.text(middle, Anchor::Middle, radius, true, &sign);
    }

    fn text(&mut self, at: (usize, usize), anchor: Anchor, size: usize, bold: bool, words: &str) {
        self.shapes.push(Shape::Text(PictureText {
            at,
            anchor,
            size,
            bold,
            words: words.to_owned(),
        }));
    }
}

fn shortened(label: &str) -> String {
    if label.chars().count() <= LABEL_CHARS {
        return label.to_owned();
    }
    let kept: String = label.chars().take(LABEL_CHARS - 1).collect();
    format!("{}…", kept.trim_end())
}
