//! The known name that somebody most likely meant.

/// The known name with the fewest letters to change, unless it is quite another word.
pub fn nearest<'k>(given: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let near = known.into_iter().map(|name| (distance(given, name), name));
    let (changes, name) = near.min()?;
    (changes <= 2 + given.chars().count() / 4).then_some(name)
}

/// Letters to add, drop or replace.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (nth, letter) in from.chars().enumerate() {
        let mut next = vec![nth + 1];
        for (at, other) in to.iter().enumerate() {
            let replaced = row[at] + usize::from(letter != *other);
            next.push(replaced.min(row[at + 1] + 1).min(next[at] + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_its_name_and_another_word_finds_none() {
        let known = ["report.target_length", "report.max_iterations", "store"];
        assert_eq!(nearest("report.target_lenght", known), Some(known[0]));
        assert_eq!(nearest("stores", known), Some("store"));
        assert_eq!(nearest("colour_of_the_sky_at_noon", known), None);
    }
}
