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

/// A library with its index in a folder of its own, and what it says after an update.
struct Indexed {
    _index: TempDir,
    library: DocumentLibrary,
}

impl std::ops::Deref for Indexed {
    type Target = DocumentLibrary;

    fn deref(&self) -> &DocumentLibrary {
        &self.library
    }
}

impl Indexed {
    fn read<P: AsRef<Path>>(roots: &[P]) -> Self {
        Self::read_within(roots, LibraryLimits::default()).unwrap()
    }

    fn read_within<P: AsRef<Path>>(
        roots: &[P],
        limits: LibraryLimits,
    ) -> Result<Self, LibraryError> {
        let index = tempfile::tempdir().unwrap();
        let library = DocumentLibrary::open(index.path(), limits)?;
        let indexed = Self {
            _index: index,
            library,
        };
        indexed.update(roots)?;
        Ok(indexed)
    }

    /// How many files were read.
    fn update<P: AsRef<Path>>(&self, roots: &[P]) -> Result<usize, LibraryError> {
        let roots: Vec<PathBuf> = roots.iter().map(|root| root.as_ref().to_owned()).collect();
        let (progress, go) = (ReadProgress::default(), AtomicBool::new(false));
        let updated = self
            .library
            .update(&roots, &InProcessReader, &progress, &go)?;
        assert_eq!(updated, UpdateOutcome::Updated);
        Ok(progress.files())
    }

    fn names(&self) -> Vec<String> {
        let documents = self.documents().unwrap().into_iter();
        documents.map(|document| document.name).collect()
    }

    fn skipped_names(&self) -> Vec<String> {
        let skipped = self.skipped().unwrap().into_iter();
        let mut names: Vec<String> = skipped.map(|one| one.name).collect();
        names.sort_unstable();
        names
    }

    fn found(&self, query: &str, limit: usize) -> Vec<LibraryPassage> {
        self.search(query, None, limit).unwrap()
    }
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
    let library = Indexed::read(&[place.path()]);
    assert_eq!(library.names(), ["streets/paving.md", "trees.md"]);
    let found = library.found("Does light paving stay cool?", 5);
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
    let library = Indexed::read(&[place.path()]);
    let question = "How do street trees cool the air?";
    let found = library.found(question, 10);
    let titles: Vec<&str> = found.iter().map(|one| one.title.as_str()).collect();
    assert_eq!(found.len(), 2, "{titles:?}");
    assert!(titles.contains(&"Trees"));
    // Scores are comparable within one search only.
    let [best] = &library.found(question, 1)[..] else {
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
    let library = Indexed::read(&[place.path()]);
    let found = library.found("when does a gingko shed leaves", 1);
    assert_eq!(found[0].name, "ginkgo.md");
    let words = ["gingko", "Ginkgo", "GINKGO", "tree", "baobab"].map(str::to_owned);
    let mentions = library.mentions(&words).unwrap();
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

const OAKS: &str = "Oaks grow slowly and live for centuries in parks.";

#[test]
fn an_update_reads_what_changed_and_forgets_what_is_gone() {
    let place = folder(&[TREES, PAVING, ("oaks.txt", OAKS)]);
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    let age = |name: &str| {
        let file = fs::File::options()
            .append(true)
            .open(place.path().join(name));
        file.unwrap().set_modified(old).unwrap();
    };
    ["trees.md", "streets/paving.md", "oaks.txt"]
        .into_iter()
        .for_each(age);
    let library = Indexed::read(&[place.path()]);
    assert_eq!(
        library.update(&[place.path()]).unwrap(),
        0,
        "nothing changed"
    );
    fs::write(
        place.path().join("oaks.txt"),
        "Elms grow quickly in wet soil.",
    )
    .unwrap();
    fs::remove_file(place.path().join("streets/paving.md")).unwrap();
    assert_eq!(library.update(&[place.path()]).unwrap(), 1);
    assert_eq!(library.names(), ["oaks.txt", "trees.md"]);
    assert_eq!(
        library.found("do elms grow in wet soil", 5)[0].name,
        "oaks.txt"
    );
    assert!(
        library
            .found("oaks live for centuries in parks", 5)
            .iter()
            .all(|one| one.text != OAKS)
    );
    assert_eq!(library.found("light paving", 5), []);
    let mentions = library
        .mentions(&["paving".to_owned(), "elms".to_owned()])
        .unwrap();
    assert_eq!((mentions[0].passages, mentions[1].passages), (0, 1));
    assert_eq!(library.counts().unwrap().passages, 2);
}

#[test]
fn a_moved_file_and_a_copy_keep_one_text() {
    let place = folder(&[("a/oaks.txt", OAKS), TREES]);
    let library = Indexed::read(&[place.path()]);
    fs::create_dir(place.path().join("b")).unwrap();
    fs::rename(
        place.path().join("a/oaks.txt"),
        place.path().join("b/elms.txt"),
    )
    .unwrap();
    fs::write(place.path().join("copy.txt"), OAKS).unwrap();
    library.update(&[place.path()]).unwrap();
    assert_eq!(library.names(), ["b/elms.txt", "copy.txt", "trees.md"]);
    assert_eq!(
        library.counts().unwrap().passages,
        2,
        "the text is kept once"
    );
    let found = library.found("oaks in parks", 5);
    assert_eq!(
        (found[0].name.as_str(), found[0].title.as_str()),
        ("b/elms.txt", "elms")
    );
    assert_eq!(library.read("copy.txt").unwrap(), OAKS.as_bytes());
}

#[test]
fn many_small_updates_are_joined_and_find_the_same_as_one_reading() {
    let place = folder(&[]);
    let library = Indexed::read(&[place.path()]);
    for nth in 0..20 {
        let text = format!(
            "# Street {nth}\n\nStreet number {nth} has {} trees of the kind{nth}.\n",
            nth * 7
        );
        fs::write(place.path().join(format!("{nth}.md")), text).unwrap();
        if nth % 5 == 4 {
            fs::remove_file(place.path().join(format!("{}.md", nth - 3))).unwrap();
        }
        library.update(&[place.path()]).unwrap();
    }
    let fresh = Indexed::read(&[place.path()]);
    assert_eq!(library.names(), fresh.names());
    assert_eq!(library.counts().unwrap(), fresh.counts().unwrap());
    for query in [
        "trees of kind7",
        "street number 12",
        "how many trees has street 19",
        "kind6",
    ] {
        let names = |library: &Indexed| -> Vec<String> {
            library
                .found(query, 3)
                .into_iter()
                .map(|one| one.name)
                .collect()
        };
        assert_eq!(names(&library)[0], names(&fresh)[0], "{query}");
    }
}

#[test]
fn one_writes_and_others_read_what_was_committed() {
    let place = folder(&[TREES]);
    let index = tempfile::tempdir().unwrap();
    let open = || DocumentLibrary::open(index.path(), LibraryLimits::default()).unwrap();
    let (one, other) = (open(), open());
    let lock = one.file.lock().unwrap();
    assert!(lock.is_some());
    let go = AtomicBool::new(false);
    let roots = [place.path().to_owned()];
    let update = |library: &DocumentLibrary| {
        let progress = ReadProgress::default();
        library
            .update(&roots, &InProcessReader, &progress, &go)
            .unwrap()
    };
    assert_eq!(update(&other), UpdateOutcome::Busy);
    assert_eq!(other.search("street trees", None, 5).unwrap(), []);
    drop(lock);
    assert_eq!(update(&one), UpdateOutcome::Updated);
    assert_eq!(other.search("street trees", None, 5).unwrap().len(), 1);
}

#[test]
fn an_index_of_a_newer_form_is_refused_and_one_of_an_older_form_is_made_again() {
    let place = folder(&[TREES]);
    let library = Indexed::read(&[place.path()]);
    let index = library._index.path();
    let set = |form: u32| {
        let connection = library.file.connect().unwrap();
        connection
            .pragma_update(None, "user_version", form)
            .unwrap();
    };
    set(99);
    let refused = DocumentLibrary::open(index, LibraryLimits::default());
    assert!(matches!(refused, Err(LibraryError::Newer { form: 99, .. })));
    set(0);
    let again = DocumentLibrary::open(index, LibraryLimits::default()).unwrap();
    assert_eq!(again.counts().unwrap(), LibraryCounts::default());
}

#[test]
fn a_damaged_index_is_named_and_says_what_to_do() {
    let place = folder(&[TREES]);
    let library = Indexed::read(&[place.path()]);
    let index = tempfile::tempdir().unwrap();
    let file = index.path().join(library.file.path().file_name().unwrap());
    fs::write(
        file,
        "no database at all, but long enough to be looked at".repeat(100),
    )
    .unwrap();
    let refused = DocumentLibrary::open(index.path(), LibraryLimits::default());
    let why = refused.err().unwrap().to_string();
    assert!(why.contains("delete it"), "{why}");
}

#[test]
fn a_cancelled_update_keeps_what_was_read_and_goes_on_later() {
    let place = folder(&[TREES, PAVING]);
    let index = tempfile::tempdir().unwrap();
    let library = DocumentLibrary::open(index.path(), LibraryLimits::default()).unwrap();
    let (progress, stopped) = (ReadProgress::default(), AtomicBool::new(true));
    let roots = [place.path().to_owned()];
    let update = |cancelled| library.update(&roots, &InProcessReader, &progress, cancelled);
    update(&stopped).unwrap();
    assert!(!library.counts().unwrap().complete);
    update(&AtomicBool::new(false)).unwrap();
    let counts = library.counts().unwrap();
    assert_eq!((counts.documents, counts.complete), (2, true));
}

#[cfg(target_os = "linux")]
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
fn passages_with_vectors_are_found_by_their_meaning() {
    let place = folder(&[TREES, PAVING, ("oaks.txt", OAKS)]);
    let library = Indexed::read(&[place.path()]);
    let missing = library.unencoded("toy", 100).unwrap();
    assert_eq!(missing.iter().map(|one| one.texts.len()).sum::<usize>(), 3);
    for block in &missing {
        // The toy encoder knows whether a text is about oaks.
        let encode = |text: &String| {
            if text.contains("Oaks") {
                vec![0.1, 0.9]
            } else {
                vec![0.9, 0.1]
            }
        };
        let vectors: Vec<Vec<f32>> = block.texts.iter().map(encode).collect();
        library.keep_vectors("toy", block, &vectors).unwrap();
    }
    assert_eq!(library.unencoded("toy", 100).unwrap(), []);
    assert_eq!(library.counts().unwrap().vectors, 3);
    let vector = |model: &str| QueryVector {
        model: model.to_owned(),
        values: vec![0.0, 1.0],
    };
    let near = library
        .search("venerable timber", Some(&vector("toy")), 1)
        .unwrap();
    assert_eq!(near[0].name, "oaks.txt");
    assert!(near[0].similarity.unwrap() > 0.8);
    let other = library.search("venerable timber", Some(&vector("other")), 1);
    assert_eq!(other.unwrap(), []);
    fs::remove_file(place.path().join("oaks.txt")).unwrap();
    library.update(&[place.path()]).unwrap();
    assert_eq!(
        library.counts().unwrap().vectors,
        2,
        "they go with their text"
    );
}

#[test]
fn a_folder_that_is_removed_while_it_is_read_costs_its_files_only() {
    struct Remover(PathBuf);
    impl DocumentReader for Remover {
        fn read(
            &self,
            bytes: &[u8],
            hint: &extract::FormatHint<'_>,
            limits: &extract::ExtractLimits,
        ) -> Result<fathom_evidence::Document, fathom_evidence::Error> {
            fs::remove_dir_all(&self.0).ok();
            InProcessReader.read(bytes, hint, limits)
        }
    }
    let place = folder(&[
        ("a.txt", "Alders grow by water."),
        ("gone/b.txt", "x"),
        ("gone/c.txt", "y"),
    ]);
    let index = tempfile::tempdir().unwrap();
    let limits = LibraryLimits {
        threads: 1,
        ..LibraryLimits::default()
    };
    let library = DocumentLibrary::open(index.path(), limits).unwrap();
    let (progress, go) = (ReadProgress::default(), AtomicBool::new(false));
    let remover = Remover(place.path().join("gone"));
    let roots = [place.path().to_owned()];
    library.update(&roots, &remover, &progress, &go).unwrap();
    let skipped = library.skipped().unwrap();
    assert_eq!(skipped.len(), 2, "{skipped:?}");
    assert!(
        skipped.iter().all(|one| one.why.contains("it is gone")),
        "{skipped:?}"
    );
    assert_eq!(library.search("alders", None, 5).unwrap().len(), 1);
}

#[test]
fn a_german_word_is_mentioned_and_found_inside_longer_ones_also_after_segments_were_joined() {
    let german = |nth: usize, about: &str| {
        format!(
            "Die Bäume der Stadt {nth} wachsen an den Straßen. {about} Das ist in jedem Sommer so."
        )
    };
    let folder = folder(&[
        (
            "garten.txt",
            &german(0, "Die Bewässerung kostet im Jahr viel."),
        ),
        ("platten.txt", &german(1, "Die Festplatten sind alt.")),
    ]);
    let indexed = Indexed::read(&[folder.path()]);
    let check = || {
        let asked = ["Wasser", "Platte", "Feuer"].map(str::to_owned);
        let mentions = indexed.mentions(&asked).unwrap();
        let passages: Vec<usize> = mentions.iter().map(|one| one.passages).collect();
        assert_eq!(passages, [1, 1, 0]);
        assert!(mentions.iter().all(|one| !one.as_written), "{mentions:?}");
        let found = indexed.found("Wie viel Wasser braucht das?", 1);
        assert_eq!(found[0].name, "garten.txt");
    };
    check();
    for nth in 0..8 {
        let name = format!("more-{nth}.txt");
        fs::write(
            folder.path().join(name),
            german(2 + nth, "Es regnet selten."),
        )
        .unwrap();
        indexed.update(&[folder.path()]).unwrap();
    }
    check();
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
