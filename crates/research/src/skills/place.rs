//! The line of a text file that a passage begins in, so that an editor can be opened there.

use crate::library::Library;

/// Files of these kinds are not read line by line by anybody.
const NO_LINES: [&str; 8] = ["html", "htm", "xhtml", "pdf", "docx", "odt", "epub", "doc"];

/// So many letters and digits of a passage are looked for: enough to be found once, and few enough to stand before the
/// first mark that was taken out of it.
const SOUGHT_CHARS: [usize; 3] = [80, 40, 20];

/// The line, from 1; nothing where the file has none or the words are not found there.
pub(crate) async fn line(library: &dyn Library, name: &str, passage: &str) -> Option<u32> {
    let ending = name
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_lowercase());
    let is_page = name.contains("://");
    if is_page || ending.is_some_and(|ending| NO_LINES.contains(&ending.as_str())) {
        return None;
    }
    let bytes = library.read(name).await.ok()?;
    line_in(&String::from_utf8_lossy(&bytes), passage)
}

/// Compares letters and digits alone: markup and line breaks were taken out of the passage.
fn line_in(file: &str, passage: &str) -> Option<u32> {
    let letters = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let mut all = String::with_capacity(file.len());
    // Where each line begins among the letters.
    let mut begins = Vec::new();
    for line in file.lines() {
        begins.push(all.len());
        all.push_str(&letters(line));
    }
    let passage = letters(passage);
    let sought = SOUGHT_CHARS
        .iter()
        .map(|most| -> String { passage.chars().take(*most).collect() });
    let at = sought
        .filter(|sought| !sought.is_empty())
        .find_map(|sought| all.find(&sought))?;
    // Of the lines without letters the last counts: the next one is where the words begin.
    let line = begins.partition_point(|begin| *begin <= at);
    u32::try_from(line).ok().filter(|line| *line > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_found_by_its_letters_whatever_marks_stand_between_them() {
        let file = "# Trees\n\nIntro.\n\n- Street **trees** cool\n  the `air` by day.\n\nNights.\n";
        assert_eq!(line_in(file, "Street trees cool the air by day."), Some(5));
        assert_eq!(line_in(file, "Nights."), Some(8));
        assert_eq!(line_in(file, "Roofs reflect."), None);
        assert_eq!(line_in(file, ""), None);
        assert_eq!(line_in("", "words"), None);
    }
}
