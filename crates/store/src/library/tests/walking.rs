//! Which files of a library are read, and under which names.

use super::*;

#[test]
fn what_cannot_be_read_is_listed_with_a_sentence_and_stops_nothing() {
    let place = folder(&[
        TREES,
        ("empty.txt", "  \n"),
        ("broken.pdf", "%PDF-1.7 and no more"),
    ]);
    fs::write(place.path().join("photo.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    let library = Indexed::read(&[place.path()]);
    assert_eq!(library.names(), ["trees.md"]);
    assert_eq!(
        library.skipped_names(),
        ["broken.pdf", "empty.txt", "photo.png"]
    );
    let skipped = library.skipped().unwrap();
    assert!(skipped.iter().all(|one| !one.why.is_empty()));
}

#[test]
fn hidden_files_are_left_out_in_silence() {
    let place = folder(&[
        TREES,
        (".secret.md", "hidden text"),
        (".git/config.md", "text"),
    ]);
    let library = Indexed::read(&[place.path()]);
    assert_eq!(library.names(), ["trees.md"]);
    assert_eq!(library.skipped().unwrap(), []);
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
    let library = Indexed::read(&[place.path()]);
    assert_eq!(library.names(), ["trees.md"]);
    assert_eq!(library.skipped_names(), ["leak", "leak.txt"]);
    assert!(library.read("leak.txt").is_err());
}

#[test]
fn nothing_outside_the_library_is_read_whatever_name_is_given() {
    let place = folder(&[TREES]);
    let library = Indexed::read(&[place.path()]);
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
    let library = Indexed::read(&roots);
    assert_eq!(library.names(), ["lib-2/a.txt", "lib/a.txt"]);
    let again = Indexed::read(&[roots[0].clone(), roots[0].join("../lib")]);
    assert_eq!(again.names(), ["a.txt"]);
    let within = Indexed::read(&[one.path().to_owned(), roots[0].clone()]);
    assert_eq!(within.names(), ["lib/a.txt"]);
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
    let library = Indexed::read_within(&[place.path()], limits).unwrap();
    assert_eq!(library.names(), ["a"]);
    assert_eq!(library.skipped_names(), ["2 more files", "d/e"]);
    assert_eq!(library.counts().unwrap().skipped, 3);
}

#[test]
fn what_is_neither_folder_nor_file_is_refused_by_name() {
    let place = folder(&[]);
    let refused = |path: &Path| {
        let refused = Indexed::read_within(&[path], LibraryLimits::default());
        refused.err().unwrap().to_string()
    };
    let missing = refused(&place.path().join("nowhere"));
    assert!(missing.contains("there is no folder or file"));
    let device = refused(Path::new("/dev/null"));
    assert!(device.contains("is neither a folder nor a file"));
}

#[test]
fn a_single_file_is_a_library_and_keeps_its_name() {
    let place = folder(&[TREES, PAVING, ("other/trees.md", "Oaks grow slowly here.")]);
    let [trees, other] = ["trees.md", "other/trees.md"].map(|name| place.path().join(name));
    let alone = Indexed::read(&[&trees]);
    assert_eq!(alone.names(), ["trees.md"]);
    assert_eq!(alone.read("trees.md").unwrap(), TREES.1.as_bytes());
    let both = Indexed::read(&[&trees, &other]);
    assert_eq!(both.names(), ["trees-2.md", "trees.md"]);
    let streets = place.path().join("streets");
    let mixed = Indexed::read(&[&trees, &streets]);
    assert_eq!(mixed.names(), ["streets/paving.md", "trees.md"]);
    let inside = Indexed::read(&[place.path(), &trees]);
    assert_eq!(inside.names().len(), 3, "it is read once");
}

#[test]
fn an_empty_folder_finds_nothing() {
    let place = folder(&[]);
    let library = Indexed::read(&[place.path()]);
    assert_eq!(library.documents().unwrap(), []);
    assert_eq!(library.found("anything at all", 5), []);
}

#[test]
fn names_that_are_no_text_are_told_apart() {
    use std::os::unix::ffi::OsStrExt as _;
    let place = folder(&[]);
    for (bytes, text) in [(b"b\xe4ume.txt", "Oaks"), (b"b\xe5ume.txt", "Elms")] {
        let name = std::ffi::OsStr::from_bytes(bytes);
        fs::write(
            place.path().join(name),
            format!("{text} grow in this street."),
        )
        .unwrap();
    }
    let library = Indexed::read(&[place.path()]);
    assert_eq!(library.names(), ["b\\xe4ume.txt", "b\\xe5ume.txt"]);
    assert_eq!(library.found("elms", 1)[0].name, "b\\xe5ume.txt");
    let read = library.read("b\\xe5ume.txt").unwrap();
    assert!(read.starts_with(b"Elms"));
}

#[test]
fn a_page_is_called_by_its_address_and_read_by_it() {
    let pages = folder(&[(
        "0af3",
        "<html><body><p>Trees cool the air of towns in summer.</p></body></html>",
    )]);
    let address = "https://example.org/trees";
    let file = pages.path().canonicalize().unwrap().join("0af3");
    let index = tempfile::tempdir().unwrap();
    let library = DocumentLibrary::open(index.path(), LibraryLimits::default()).unwrap();
    let indexed = Indexed {
        _index: index,
        library: library.calling([(file, address.to_owned())].into()),
    };
    indexed.update(&[pages.path()]).unwrap();
    assert_eq!(indexed.names(), [address]);
    assert_eq!(indexed.found("trees", 1)[0].name, address);
    assert!(indexed.read(address).unwrap().starts_with(b"<html>"));
}
