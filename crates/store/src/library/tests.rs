//! A library as those who use it see it: here what is found in it, in the modules the rest.

mod index_files;
mod updates;
mod walking;

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
        self.search(query, "", None, limit).unwrap()
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

const OAKS: &str = "Oaks grow slowly and live for centuries in parks.";

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
fn a_word_that_people_know_or_a_short_name_is_not_taken_for_a_misspelled_one() {
    let shops = ("shops.md", "They open later, and sell shoes in pairs.\n");
    let place = folder(&[shops]);
    let library = Indexed::read(&[place.path()]);
    let words = ["laser", "Paris", "latter", "lazer", "latre", "paisr"].map(str::to_owned);
    let mentions = library.mentions(&words).unwrap();
    let nearest = mentions.iter().map(|one| one.nearest.as_deref());
    let expected = [None, None, None, None, Some("later"), Some("pairs")];
    assert_eq!(nearest.collect::<Vec<_>>(), expected);
}

#[test]
fn words_that_documents_write_apart_or_together_are_found() {
    let boats = (
        "boats.md",
        "Every rower wears a life jacket on the water.\n",
    );
    let shell = ("shell.md", "A readonly variable keeps its value.\n");
    let place = folder(&[TREES, PAVING, boats, shell]);
    let library = Indexed::read(&[place.path()]);
    let mentions = library.mentions(&["lifejacket".to_owned()]).unwrap();
    assert_eq!(mentions[0].nearest.as_deref(), Some("life jacket"));
    assert_eq!(
        library.found("must i have a lifejacket", 1)[0].name,
        "boats.md"
    );
    assert_eq!(
        library.found("how do i make it read only", 1)[0].name,
        "shell.md"
    );
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
        .search("venerable timber", "", Some(&vector("toy")), 1)
        .unwrap();
    assert_eq!(near[0].name, "oaks.txt");
    assert!(near[0].similarity.unwrap() > 0.8);
    let other = library.search("venerable timber", "", Some(&vector("other")), 1);
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
