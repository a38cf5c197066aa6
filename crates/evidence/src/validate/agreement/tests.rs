use super::*;
use crate::claim::lexicon::lines;

fn pairs(texts: &[&str]) -> Vec<(usize, usize)> {
    let statement = |text| Statement {
        source: "s",
        start: 0,
        text,
    };
    let statements: Vec<Statement<'_>> = texts.iter().copied().map(statement).collect();
    agreements(&statements, Language::ENGLISH)
}

/// How many pairs of a list are taken to agree, of how many. Each is put among the others of its list.
fn taken(list: &'static str) -> (usize, usize) {
    let listed: Vec<(&str, &str)> = lines(list)
        .filter_map(|line| line.split_once(" | "))
        .collect();
    let mut found = 0;
    for (left, right) in &listed {
        let agree = !pairs(&[left, right]).is_empty();
        println!(
            "{} {left} | {right}",
            if agree { "agree " } else { "differ" }
        );
        found += usize::from(agree);
    }
    (found, listed.len())
}

#[test]
fn agreement_is_rather_missed_than_invented() {
    let (right, alike) = taken(include_str!("alike.txt"));
    let (wrong, unlike) = taken(include_str!("lookalikes.txt"));
    assert!(alike >= 30 && unlike >= 80);
    println!(
        "precision {right} of {}, recall {right} of {alike}, {wrong} of {unlike} look-alikes taken",
        right + wrong
    );
    assert_eq!(wrong, 0);
    assert!(right * 5 >= alike * 4, "{right} of {alike}");
}

#[test]
fn statements_on_one_measure_with_near_figures_agree() {
    let found = pairs(&[
        "The afternoon air under closed canopy was 1.9 °C cooler (95 % interval 1.4 to 2.4 °C) than in open streets.",
        "In the afternoon, the air under trees was 1.6 °C cooler than in open streets.",
        "The clock of the network ran four minutes late.",
    ]);
    assert_eq!(found, [(0, 1)]);
}

#[test]
fn far_figures_and_opposite_directions_are_no_agreement() {
    let found = pairs(&[
        "Survival of street trees in Tessmark after planting was 91 percent.",
        "Survival of street trees in Tessmark after planting was 32 percent.",
        "Dense canopy raises nitrogen dioxide at pavement level in busy streets.",
        "Dense canopy lowers nitrogen dioxide at pavement level in busy streets.",
    ]);
    assert_eq!(found, []);
}

#[test]
fn without_figures_only_nearly_the_same_words_agree() {
    let found = pairs(&[
        "The town began to telephone older people on hot days in the same districts.",
        "On hot days the town began to telephone older people in the same districts.",
        "Older people stay at home when the town is hot.",
    ]);
    assert_eq!(found, [(0, 1)]);
}

#[test]
fn the_same_is_seen_among_many_others_and_nothing_else_is() {
    let found = pairs(&[
        "At 13:00 shutters lowered the room temperature by 3.5 °C.",
        "Shutters lowered the room temperature by 3 to 4 °C at noon.",
        "Shutters lowered the room temperature by 3 °C at night.",
        "Shutters lowered the wall temperature by 3.5 °C at noon.",
        "Shutters raised the room temperature by 3.5 °C at noon.",
        "Shutters did not lower the room temperature by 3.5 °C at noon.",
        "Curtains lowered the room temperature by 3.5 °C at noon.",
        "Shutters lowered the room temperature by 9 °C at noon.",
        "Shutters lowered the room temperature by 3.5 percent at noon.",
        "In Rome, shutters lowered the room temperature by 3.5 °C at night.",
    ]);
    assert_eq!(found, [(0, 1), (2, 9)]);
}
