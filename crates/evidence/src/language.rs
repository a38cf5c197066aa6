//! The language of a text, as far as splitting and stemming need to know it.

mod short;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A long text is looked at in so many places, so that what it opens with is not taken for the whole: a page may begin with
/// what was never translated.
const PLACES: usize = 4;

/// So much of each place is looked at: first its small words, then the runs of its letters. More does not change the answer.
const WORDS_BYTES: usize = 500;
const LETTERS_BYTES: usize = 1_200;

/// Of a passage less is enough.
const PASSAGE_BYTES: usize = 150;

/// Of a shorter text the words are looked at first.
const SHORT_BYTES: usize = 300;

/// A language by its two-letter code (ISO 639-1), lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Language([u8; 2]);

impl Language {
    /// English, the language of all word lists here.
    pub const ENGLISH: Self = Self(*b"en");

    /// The language a text is written in; nothing when it is too short or too mixed to tell. A question of a few words
    /// is enough in English, German, French, Spanish, Italian, Portuguese and Dutch.
    pub fn detect(text: &str) -> Option<Self> {
        if text.len() <= SHORT_BYTES
            && let Some(language) = short::language(text)
        {
            return Some(language);
        }
        if let Some(language) = short::spoken_in(&samples(text, WORDS_BYTES)) {
            return Some(language);
        }
        let info = whatlang::detect(&samples(text, LETTERS_BYTES))?;
        // A script tells its language better than letters that many languages share.
        let told = info.is_reliable() || info.script() != whatlang::Script::Latin;
        two_letters(info.lang()).filter(|_| told)
    }

    /// The language of running text, where its small words are plainly those of English, German, French, Spanish, Italian,
    /// Portuguese or Dutch. Nothing of a text of few words.
    pub fn plainly_of(text: &str) -> Option<Self> {
        short::spoken_in(&samples(text, PASSAGE_BYTES))
    }

    /// Whether questions in this language are full of a word, in any case: "difference", "people", "bedeutet".
    pub fn has_frequent(self, word: &str) -> bool {
        short::is_frequent(&word.to_lowercase(), self)
    }

    /// The two letters of ISO 639-1.
    pub fn code(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or("en")
    }
}

/// Takes `de`, and also `de-CH` or `de_CH` as pages declare it.
impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        let code = text.split(['-', '_']).next().unwrap_or_default().trim();
        match code.as_bytes() {
            [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
                Ok(Self([a.to_ascii_lowercase(), b.to_ascii_lowercase()]))
            }
            _ => Err(UnknownLanguage(text.chars().take(20).collect())),
        }
    }
}

/// What was given as a language and is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no language: give two letters, such as \"en\" or \"de\"")]
pub struct UnknownLanguage(String);

impl TryFrom<String> for Language {
    type Error = UnknownLanguage;

    fn try_from(text: String) -> Result<Self, UnknownLanguage> {
        text.parse()
    }
}

impl From<Language> for String {
    fn from(language: Language) -> Self {
        language.code().to_owned()
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Parts of so many bytes from places that are spread over a text evenly; a text that is not longer than they are together is
/// taken whole.
fn samples(text: &str, bytes: usize) -> Cow<'_, str> {
    if text.len() <= PLACES * bytes {
        return Cow::Borrowed(text);
    }
    let step = (text.len() - bytes) / (PLACES - 1);
    let part = |nth: usize| {
        let start = text.ceil_char_boundary(nth * step);
        let end = text.floor_char_boundary(start + bytes);
        text.get(start..end).unwrap_or_default()
    };
    Cow::Owned((0..PLACES).map(part).collect::<Vec<_>>().join(" "))
}

fn two_letters(lang: whatlang::Lang) -> Option<Language> {
    use whatlang::Lang;
    let code = match lang {
        Lang::Eng => "en",
        Lang::Rus => "ru",
        Lang::Cmn => "zh",
        Lang::Spa => "es",
        Lang::Por => "pt",
        Lang::Ita => "it",
        Lang::Fra => "fr",
        Lang::Deu => "de",
        Lang::Ukr => "uk",
        Lang::Ara => "ar",
        Lang::Hin => "hi",
        Lang::Jpn => "ja",
        Lang::Heb => "he",
        Lang::Pol => "pl",
        Lang::Jav => "jv",
        Lang::Nld => "nl",
        Lang::Swe => "sv",
        Lang::Dan => "da",
        Lang::Nob => "nb",
        Lang::Fin => "fi",
        Lang::Tur => "tr",
        Lang::Ell => "el",
        Lang::Hun => "hu",
        Lang::Ces => "cs",
        Lang::Ron => "ro",
        Lang::Kor => "ko",
        Lang::Vie => "vi",
        Lang::Cat => "ca",
        Lang::Slk => "sk",
        Lang::Bul => "bg",
        _ => return None,
    };
    code.parse().ok()
}

#[cfg(test)]
mod tests;
