//! An answer on a terminal: the answer first, then each passage under a line that leads to its file.

use std::path::{Path, PathBuf};

use fathom_render::Answer;
use fathom_render::answer::{self, AnswerSource};
use fathom_render::phrases::Phrases;
use supports_hyperlinks::Stream;

use crate::library_pages;
use crate::paint::paint;
use crate::screen::{self, TextStyle};

/// Characters of a passage that are shown; the whole of it is in a file, and in `:sources`.
const PASSAGE_CHARS: usize = 420;

/// The answer and its sources. `roots` are the folders that they were found in, as far as they are known here.
pub fn painted(answer: &Answer, roots: &[PathBuf]) -> String {
    let coloured = screen::stdout_is_coloured();
    let mut out = paint(&answer::opening(answer), screen::width(), coloured);
    if !answer.sources.is_empty() {
        let heading = Phrases::new(answer.language).sources;
        out.push_str(&format!("\n{}\n", TextStyle::BOLD.paint(heading, coloured)));
    }
    for source in &answer.sources {
        out.push_str(&one_source(answer, source, roots, PASSAGE_CHARS));
    }
    out.push('\n');
    for line in answer::footnotes(answer) {
        let line = screen::harmless(&line);
        out.push_str(&format!("{}\n", TextStyle::DIM.paint(&line, coloured)));
    }
    out
}

/// The sources alone, with their passages in full.
pub fn sources(answer: &Answer, roots: &[PathBuf]) -> String {
    let sources = answer.sources.iter();
    sources
        .map(|source| one_source(answer, source, roots, usize::MAX))
        .collect()
}

fn one_source(answer: &Answer, source: &AnswerSource, roots: &[PathBuf], most: usize) -> String {
    let coloured = screen::stdout_is_coloured();
    let place = screen::harmless(&answer::place(source, answer.language));
    let linked = match place_of(roots, &source.location) {
        Some(target) if supports_hyperlinks::on(Stream::Stdout) => link(&target, &place),
        _ => place,
    };
    let number = TextStyle::BOLD.paint(&format!("[{}]", source.number.0), coloured);
    let passage = cut(&source.passage, most);
    let quote = quoted(&passage, coloured);
    format!("\n{number} {linked}\n{quote}")
}

/// The passage set in from the left.
fn quoted(passage: &str, coloured: bool) -> String {
    let plain: String = passage
        .chars()
        .flat_map(|c| {
            // Nothing in a document may be read as Markdown here.
            let escape = c.is_ascii_punctuation().then_some('\\');
            escape.into_iter().chain([c])
        })
        .collect();
    paint(&format!("> {plain}"), screen::width(), coloured)
}

fn cut(passage: &str, most: usize) -> String {
    let line = passage.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default().trim_end()),
        None => line,
    }
}

/// Where the text of a source lies.
#[derive(Debug, PartialEq)]
pub enum SourcePlace {
    File(PathBuf),
    Page(String),
}

/// A file or a page as an address that a terminal can open.
fn link(place: &SourcePlace, text: &str) -> String {
    let (begins, path) = match place {
        SourcePlace::File(file) => ("file://", file.to_string_lossy()),
        SourcePlace::Page(address) => ("", address.as_str().into()),
    };
    let is_page = matches!(place, SourcePlace::Page(_));
    let encoded: String = path
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                char::from(byte).to_string()
            }
            // The address of a page has its own signs encoded already.
            b'!'..=b'~' if is_page => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect();
    format!("\x1b]8;;{begins}{encoded}\x1b\\{text}\x1b]8;;\x1b\\")
}

/// The page or the file of a source; nothing for a file that is no longer there.
pub fn place_of(roots: &[PathBuf], name: &str) -> Option<SourcePlace> {
    if library_pages::is_address(Path::new(name)) {
        return Some(SourcePlace::Page(name.to_owned()));
    }
    file_of(roots, name).map(SourcePlace::File)
}

/// The file of a source: a name inside one of the folders, which stands behind the folder's own name where there are several.
fn file_of(roots: &[PathBuf], name: &str) -> Option<PathBuf> {
    let rest = name.split_once('/').map(|(_, rest)| rest);
    let candidates = roots.iter().flat_map(|root| {
        let is_it = root.file_name().is_some_and(|own| own == name);
        [
            is_it.then(|| root.clone()),
            Some(root.join(name)),
            rest.map(|rest| root.join(rest)),
        ]
    });
    candidates.flatten().find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_its_file_and_holds_no_other_sign() {
        let file = SourcePlace::File("/home/ada/my notes/ä;1.md".into());
        let linked = link(&file, "ä;1.md, line 3");
        assert_eq!(
            linked,
            "\x1b]8;;file:///home/ada/my%20notes/%C3%A4%3B1.md\x1b\\ä;1.md, line 3\x1b]8;;\x1b\\"
        );
    }

    #[test]
    fn a_page_links_to_itself() {
        let page = place_of(&[], "https://example.org/a?b=1 2").unwrap();
        assert_eq!(
            link(&page, "a"),
            "\x1b]8;;https://example.org/a?b=1%202\x1b\\a\x1b]8;;\x1b\\"
        );
    }

    #[test]
    fn a_file_is_found_in_one_folder_in_several_and_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        for place in [&one, &two] {
            std::fs::create_dir(place).unwrap();
        }
        let file = two.join("a.md");
        std::fs::write(&file, "Trees.").unwrap();
        assert_eq!(
            file_of(std::slice::from_ref(&two), "a.md"),
            Some(file.clone())
        );
        assert_eq!(file_of(&[one.clone(), two], "two/a.md"), Some(file.clone()));
        assert_eq!(file_of(std::slice::from_ref(&file), "a.md"), Some(file));
        assert_eq!(file_of(&[one], "a.md"), None);
    }

    #[test]
    fn a_passage_is_shown_as_it_is_and_cannot_take_the_terminal_over() {
        let shown = quoted("# not a *heading* \x1b[2J [1](x) `code`", false);
        assert!(
            shown.contains("# not a *heading* [2J [1](x) `code`"),
            "{shown}"
        );
    }
}
