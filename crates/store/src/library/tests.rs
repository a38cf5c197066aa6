use std::fs;

use fathom_evidence::extract::InProcessReader;
use tempfile::TempDir;

use super::*;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn names(folder: &DocumentLibrary) -> Vec<&str> {
    let names = folder.documents().iter().map(|d| d.name.as_str());
    names.collect()
}

const TREES: (&str, &str) = (
    "trees.md",
    "# Trees\n\nStreet trees cool the afternoon air by two degrees, mostly by shade.\n",
);
const PAVING: (&str, &str) = (
    "streets/paving.md",
    "# Paving\n\nLight paving reflects the sun and stays cooler than asphalt does.\n",
);

#[test]
fn a_document_is_found_by_what_it_says_and_read_by_its_name() {
    let place = folder(&[TREES, PAVING]);
    let library = DocumentLibrary::open(&[place.path()], &InProcessReader).unwrap();
    assert_eq!(names(&library), ["streets/paving.md", "trees.md"]);
    let found = library.search("Does light paving stay cool?", 5);
    assert_eq!(found[0].name, "streets/paving.md");
    assert_eq!(found[0].title, "Paving");
    assert_eq!(found[0].sections, ["Paving"]);
    assert!(found[0].text.contains("reflects the sun"));
    assert!(found.windows(2).all(|two| two[0].score >= two[1].score));
    let bytes = library.read(&found[0].name).unwrap();
    assert_eq!(bytes, PAVING.1.as_bytes());
}

#[test]
fn each_text_is_found_once_however_many_documents_and_passages_have_it() {
    let paragraph =
        "Street trees cool the air of a street by shade and by the water they give off. ";
    let long = (paragraph.repeat(8) + "\n\n").repeat(9);
    let place = folder(&[("long.txt", &long), ("copy.txt", &long), TREES]);
    let library = DocumentLibrary::open(&[place.path()], &InProcessReader).unwrap();
    let question = "How do street trees cool the air?";
    let found = library.search(question, 10);
    let titles: Vec<&str> = found.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(found.len(), 2, "{titles:?}");
    assert!(titles.contains(&"Trees"));
    // Scores are comparable within one search only.
    let [best] = &library.search(question, 1)[..] else {
        panic!("one passage was asked for")
    };
    assert_eq!((&best.name, &best.text), (&found[0].name, &found[0].text));
}

#[test]
fn a_misspelled_word_is_found_as_the_documents_spell_it_and_an_absent_one_is_not() {
    let ginkgo = (
        "ginkgo.md",
        "# Ginkgo\n\nThe ginkgo sheds its leaves within a single night in November.\n",
    );
    let place = folder(&[TREES, PAVING, ginkgo]);
    let library = DocumentLibrary::open(&[place.path()], &InProcessReader).unwrap();
    let found = library.search("when does a gingko shed leaves", 1);
    assert_eq!(found[0].name, "ginkgo.md");
    let words = ["gingko", "Ginkgo", "GINKGO", "tree", "baobab"].map(str::to_owned);
    let mentions = library.mentions(&words);
    let told = mentions.iter().map(|one| {
        let nearest = one.nearest.as_deref();
        (one.word.as_str(), one.passages, one.as_written, nearest)
    });
    let expected = [
        ("gingko", 0, false, Some("ginkgo")),
        ("Ginkgo", 1, false, None),
        ("GINKGO", 1, false, None),
        ("tree", 1, false, None),
        ("baobab", 0, false, None),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    assert!(mentions.iter().all(|one| one.of == 3));
}

#[test]
fn what_cannot_be_read_is_listed_with_a_sentence_and_stops_nothing() {
    let place = folder(&[
        TREES,
        ("empty.txt", "  \n"),
        ("broken.pdf", "%PDF-1.7 and no more"),
    ]);
    fs::write(place.path().join("photo.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    let library = DocumentLibrary::open(&[place.path()], &InProcessReader).unwrap();
    assert_eq!(names(&library), ["trees.md"]);
    let mut skipped: Vec<&str> = library.skipped().iter().map(|s| s.name.as_str()).collect();
    skipped.sort_unstable();
    assert_eq!(skipped, ["broken.pdf", "empty.txt", "photo.png"]);
    assert!(library.skipped().iter().all(|one| !one.why.is_empty()));
}

#[test]
fn hidden_files_are_left_out_in_silence() {
    let place = folder(&[
        TREES,
        (".secret.md", "hidden text"),
        (".git/config.md", "text"),
    ]);
    let library = DocumentLibrary::open(&[place.path()], &InProcessReader).unwrap();
    assert_eq!(names(&library), ["trees.md"]);
    assert_eq!(library.skipped(), []);
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_library_is_not_followed_and_a_circle_is_not_walked() {
    let outside = folder(&[("private.txt", "nobody may read this text")]);
    let place = folder(&[TREES]);
    let link = |to: &Path, name: &str| {
        std::os::unix::fs::symlink(to, place.path().join(name)).unwrap();
    };
    link(&outside.path().join("private.txt"), "leak.txt");
    link(outside.path(), "leak");
    link(place.path(), "circle");
    let library = DocumentLibrary::open(&[place.path()], &InProcessReader).unwrap();
    assert_eq!(names(&library), ["trees.md"]);
    let skipped: Vec<&str> = library.skipped().iter().map(|s| s.name.as_str()).collect();
    assert_eq!(skipped, ["leak", "leak.txt"]);
    assert!(library.read("leak.txt").is_err());
}

#[test]
fn nothing_outside_the_library_is_read_whatever_name_is_given() {
    let place = folder(&[TREES]);
    let library = DocumentLibrary::open(&[place.path()], &InProcessReader).unwrap();
    for name in ["../trees.md", "/etc/passwd", "", "streets/../trees.md"] {
        let refused = library.read(name);
        assert!(
            matches!(refused, Err(ReadDocumentError::Missing { .. })),
            "{name}"
        );
    }
}

#[test]
fn several_folders_give_their_names_to_their_documents() {
    let (one, two) = (
        folder(&[("lib/a.txt", "alpha beta")]),
        folder(&[("lib/a.txt", "gamma")]),
    );
    let roots = [one.path().join("lib"), two.path().join("lib")];
    let library = DocumentLibrary::open(&roots, &InProcessReader).unwrap();
    assert_eq!(names(&library), ["lib-2/a.txt", "lib/a.txt"]);
    let again = DocumentLibrary::open(
        &[roots[0].clone(), roots[0].join("../lib")],
        &InProcessReader,
    )
    .unwrap();
    assert_eq!(names(&again), ["a.txt"]);
    let within =
        DocumentLibrary::open(&[one.path().to_owned(), roots[0].clone()], &InProcessReader)
            .unwrap();
    assert_eq!(names(&within), ["lib/a.txt"]);
}

#[test]
fn a_library_beyond_its_limits_is_read_in_part_and_says_so() {
    let files = [
        ("a", "alpha"),
        ("b", "beta"),
        ("c", "gamma"),
        ("d/e/f", "deep"),
    ];
    let place = folder(&files);
    let limits = LibraryLimits {
        files: 1,
        depth: 2,
        ..LibraryLimits::default()
    };
    let progress = ReadProgress::default();
    let roots = [place.path()];
    let library =
        DocumentLibrary::open_within(&roots, limits, &InProcessReader, &progress).unwrap();
    assert_eq!(names(&library), ["a"]);
    assert_eq!((progress.read(), progress.files()), (1, 1));
    let skipped: Vec<&str> = library.skipped().iter().map(|s| s.name.as_str()).collect();
    assert_eq!(skipped, ["d/e", "2 more files"]);
    assert_eq!(library.files_skipped(), 3);
}

#[test]
fn what_is_neither_folder_nor_file_is_refused_by_name() {
    let place = folder(&[]);
    let missing = DocumentLibrary::open(&[place.path().join("nowhere")], &InProcessReader)
        .err()
        .unwrap();
    assert!(missing.to_string().contains("there is no folder or file"));
    let device = DocumentLibrary::open(&["/dev/null"], &InProcessReader);
    let device = device.err().unwrap().to_string();
    assert!(device.contains("is neither a folder nor a file"));
}

#[test]
fn a_single_file_is_a_library_and_keeps_its_name() {
    let place = folder(&[TREES, PAVING, ("other/trees.md", "Oaks grow slowly here.")]);
    let [trees, other] = ["trees.md", "other/trees.md"].map(|name| place.path().join(name));
    let alone = DocumentLibrary::open(&[&trees], &InProcessReader).unwrap();
    assert_eq!(names(&alone), ["trees.md"]);
    assert_eq!(alone.read("trees.md").unwrap(), TREES.1.as_bytes());
    let both = DocumentLibrary::open(&[&trees, &other], &InProcessReader).unwrap();
    assert_eq!(names(&both), ["trees-2.md", "trees.md"]);
    let streets = place.path().join("streets");
    let mixed = DocumentLibrary::open(&[&trees, &streets], &InProcessReader).unwrap();
    assert_eq!(names(&mixed), ["streets/paving.md", "trees.md"]);
    let inside = DocumentLibrary::open(&[place.path(), &trees], &InProcessReader).unwrap();
    assert_eq!(names(&inside).len(), 3, "it is read once");
}

#[test]
fn an_empty_folder_finds_nothing() {
    let place = folder(&[]);
    let library = DocumentLibrary::open(&[place.path()], &InProcessReader).unwrap();
    assert_eq!(library.documents(), []);
    assert_eq!(library.search("anything at all", 5), []);
}
