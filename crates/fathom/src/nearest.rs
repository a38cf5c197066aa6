//! The known name that somebody most likely meant.

/// The known name with the fewest letters to change, unless it is quite another word.
pub fn nearest<'k>(given: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let near = known.into_iter();
    let near = near.map(|name| (strsim::levenshtein(given, name), name));
    let (changes, name) = near.min()?;
    (changes <= 2 + given.chars().count() / 4).then_some(name)
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
