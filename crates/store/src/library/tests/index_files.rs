//! The file of the index: its readers and its writer, its form, damage.

use super::*;

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
    assert_eq!(other.search("street trees", "", None, 5).unwrap(), []);
    drop(lock);
    assert_eq!(update(&one), UpdateOutcome::Updated);
    assert_eq!(other.search("street trees", "", None, 5).unwrap().len(), 1);
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
