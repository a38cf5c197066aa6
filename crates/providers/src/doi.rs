//! A work's DOI, read from the many ways in which people and pages write it.
//!
//! Takes `10.1000/182`, `doi:10.1000/182`, `https://doi.org/10.1000/182` and the like; gives one spelling, in lower
//! case, so that two of the same work are equal. `doi/told.rs` finds them in addresses and arXiv numbers. Whether such
//! a work exists is for `works`.

mod told;

use std::borrow::Cow;
use std::fmt;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use url::Url;

/// Longer ones are not DOIs but accidents.
const CHARS_MAX: usize = 512;

/// What comes before the DOI itself, in lower case.
const LABELS: [&str; 6] = [
    "info:doi/",
    "urn:doi:",
    "doi.org/",
    "dx.doi.org/",
    "doi:",
    "doi",
];
const HOSTS: [&str; 3] = ["doi.org", "dx.doi.org", "www.doi.org"];

/// What sentences and citation lists leave behind a DOI.
const TRAILING: &[char] = &[
    '.', ',', ';', ':', '!', '?', '"', '\'', '”', '’', '»', '…', '*',
];
const BRACKETS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')];

/// A DOI in lower case, without its resolver: `10.1000/182`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Doi(String);

/// Why a text is no DOI.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DoiError {
    /// It does not have the form `10.<number>/<name>`.
    #[error("it is no DOI; one looks like 10.1000/182, with or without https://doi.org/ before it")]
    Malformed,
    /// Longer than any real one.
    #[error("it has {chars} characters, more than the {CHARS_MAX} that a DOI may have here")]
    TooLong {
        /// Its length.
        chars: usize,
    },
}

impl Doi {
    /// Takes a DOI bare, with `doi:` before it, or as the URL of a resolver.
    pub fn parse(raw: &str) -> Result<Self, DoiError> {
        let chars = raw.chars().take(4 * CHARS_MAX).count();
        if chars > CHARS_MAX {
            return Err(DoiError::TooLong { chars });
        }
        let bare = without_label(trim(raw));
        let bare = trim(&bare);
        if !is_doi(bare) {
            return Err(DoiError::Malformed);
        }
        // By its standard a DOI is the same in capitals, for the letters of ASCII only.
        Ok(Self(bare.to_ascii_lowercase()))
    }

    /// Without a resolver, in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Where a reader finds the work.
    pub fn url(&self) -> String {
        let root = Url::parse("https://doi.org/").ok();
        let with_path = root.map(|mut url| {
            url.set_path(&self.0);
            url.to_string()
        });
        with_path.unwrap_or_else(|| format!("https://doi.org/{}", self.0))
    }
}

/// The text without a label or resolver before it; escapes are undone where they can only be escapes.
fn without_label(text: &str) -> Cow<'_, str> {
    if let Some(path) = resolver_path(text) {
        return unescape(path);
    }
    let label = LABELS.iter().find_map(|label| {
        let (start, rest) = text.split_at_checked(label.len())?;
        start.eq_ignore_ascii_case(label).then_some(rest)
    });
    let bare = label.map_or(text, |rest| rest.trim_start_matches([':', '/', ' ']));
    if bare.contains('/') {
        Cow::Borrowed(bare)
    } else {
        unescape(bare)
    }
}

/// The path of `https://doi.org/…`, without query and fragment.
fn resolver_path(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once("://")?;
    let web = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
    let (host, path) = rest.split_once('/')?;
    let known = HOSTS.iter().any(|known| host.eq_ignore_ascii_case(known));
    let end = path.find(['?', '#']).unwrap_or(path.len());
    (web && known).then(|| path[..end].trim_start_matches('/'))
}

fn unescape(text: &str) -> Cow<'_, str> {
    percent_decode_str(text)
        .decode_utf8()
        .unwrap_or(Cow::Borrowed(text))
}

/// Without blanks, quotation marks and the punctuation of the sentence around it. A closing bracket stays if the
/// DOI itself opens it.
fn trim(text: &str) -> &str {
    let mut text = text
        .trim()
        .trim_start_matches(['"', '\'', '“', '‘', '«', '<', '(', '[', '{']);
    // Each turn takes a character away.
    loop {
        let shorter = text.trim_end_matches(TRAILING).trim_end();
        let shorter = without_stray_bracket(shorter);
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter;
    }
}

fn without_stray_bracket(text: &str) -> &str {
    let stray = BRACKETS.iter().find(|(open, close)| {
        text.ends_with(*close) && text.matches(*close).count() > text.matches(*open).count()
    });
    match stray {
        Some((_, close)) => text.strip_suffix(*close).unwrap_or(text),
        None => text,
    }
}

/// `10.`, a registrant's number with at most some parts after dots, a slash, and a name.
fn is_doi(text: &str) -> bool {
    let Some((registrant, name)) = text
        .strip_prefix("10.")
        .and_then(|rest| rest.split_once('/'))
    else {
        return false;
    };
    let (first, parts) = match registrant.split_once('.') {
        Some((first, parts)) => (first, parts),
        None => (registrant, "0"),
    };
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let visible = |c: char| !c.is_whitespace() && !c.is_control();
    (4..=9).contains(&first.len())
        && number(first)
        && parts.split('.').all(number)
        && !name.is_empty()
        && name.chars().all(visible)
}

impl TryFrom<String> for Doi {
    type Error = DoiError;

    fn try_from(raw: String) -> Result<Self, DoiError> {
        Self::parse(&raw)
    }
}

impl From<Doi> for String {
    fn from(doi: Doi) -> Self {
        doi.0
    }
}

impl fmt::Display for Doi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Doi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_ways_to_write_a_doi_mean_the_same() {
        for raw in [
            "10.1000/ABC-182",
            " doi:10.1000/abc-182.",
            "DOI: 10.1000/abc-182",
            "doi 10.1000/abc-182",
            "https://doi.org/10.1000/abc-182",
            "http://dx.doi.org/10.1000/Abc-182?from=feed#top",
            "https://www.doi.org/10.1000%2Fabc-182",
            "HTTPS://DOI.ORG/10.1000/abc-182",
            "doi.org/10.1000/abc-182",
            "info:doi/10.1000/abc-182",
            "(doi:10.1000/abc-182).",
            "<https://doi.org/10.1000/abc-182>,",
            "“10.1000/abc-182”",
            "10.1000%2Fabc-182",
        ] {
            let doi = Doi::parse(raw);
            assert_eq!(
                doi.as_ref().map(Doi::as_str),
                Ok("10.1000/abc-182"),
                "{raw}"
            );
        }
    }

    #[test]
    fn what_belongs_to_a_doi_stays() {
        for (raw, doi) in [
            (
                "10.1016/S0140-6736(20)30183-5",
                "10.1016/s0140-6736(20)30183-5",
            ),
            (
                "(10.1016/S0140-6736(20)30183-5)",
                "10.1016/s0140-6736(20)30183-5",
            ),
            (
                "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O",
                "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o",
            ),
            ("10.1000.10/a%20b", "10.1000.10/a%20b"),
            ("10.48550/arXiv.2303.14334v1", "10.48550/arxiv.2303.14334v1"),
            ("10.5555/µ", "10.5555/µ"),
        ] {
            assert_eq!(Doi::parse(raw).unwrap().as_str(), doi);
        }
    }

    #[test]
    fn nonsense_is_refused_with_a_sentence() {
        for raw in [
            "",
            "10.1000",
            "10.1000/",
            "10.12/abc",
            "10.abcd/abc",
            "10.1000./abc",
            "11.1000/abc",
            "10.1000/a b",
            "https://example.org/10.1000/abc",
            "ftp://doi.org/10.1000/abc",
            "https://doi.org/",
            "doi:",
            "a sentence",
        ] {
            let fault = Doi::parse(raw).unwrap_err();
            assert_eq!(fault, DoiError::Malformed, "{raw}");
            assert!(fault.to_string().contains("10.1000/182"));
        }
        let long = format!("10.1000/{}", "a".repeat(CHARS_MAX));
        assert!(matches!(Doi::parse(&long), Err(DoiError::TooLong { .. })));
    }

    #[test]
    fn its_address_can_be_opened_and_read_again() {
        let doi = Doi::parse("10.1002/(sici)1097<693::aid-asi4>3.0.co;2-o?#%").unwrap();
        let url = doi.url();
        assert!(Url::parse(&url).is_ok());
        assert_eq!(Doi::parse(&url), Ok(doi));
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_read_or_refused_and_what_is_read_stays(raw in "\\PC{0,60}") {
            for raw in [raw.clone(), format!("10.1234/{raw}"), format!("https://doi.org/10.1234/{raw}")] {
                if let Ok(doi) = Doi::parse(&raw) {
                    prop_assert_eq!(Doi::parse(doi.as_str()), Ok(doi.clone()));
                    let json = serde_json::to_string(&doi).unwrap();
                    prop_assert_eq!(serde_json::from_str::<Doi>(&json).unwrap(), doi);
                }
            }
        }
    }
}
