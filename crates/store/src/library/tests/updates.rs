//! Updates: what changed is read, what is gone is forgotten, what was read is kept.

use super::*;

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
        "kind8",
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
fn small_updates_write_no_large_segment_anew() {
    let large: String = (0..400)
        .map(|nth| format!("Street {nth} has limes. {}\n\n", OAKS.repeat(10)))
        .collect();
    let place = folder(&[("large.txt", &large)]);
    let library = Indexed::read(&[place.path()]);
    let segments = || {
        let wanted = "SELECT id, passages FROM segments ORDER BY passages DESC";
        let found = library.read_index(|connection, _| {
            let mut rows = connection.prepare(wanted)?;
            let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<(i64, i64)>>>()
        });
        found.unwrap()
    };
    let before = segments();
    assert!(matches!(before.as_slice(), [(_, 300..)]), "{before:?}");
    for nth in 0..9 {
        let (name, text) = (format!("{nth}.txt"), format!("Elm {nth} stands alone."));
        fs::write(place.path().join(name), text).unwrap();
        library.update(&[place.path()]).unwrap();
        let now = segments();
        assert_eq!(now.first(), before.first());
        assert!(now.len() <= 4, "{now:?}");
    }
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
    assert_eq!(library.search("alders", "", None, 5).unwrap().len(), 1);
}
