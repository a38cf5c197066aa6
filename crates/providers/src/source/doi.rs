//! A DOI in one form: lower case, no resolver before it. Also found in addresses, and made from arXiv's numbers.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

const CHARS_MAX: usize = 300;

/// What stands before a DOI in the wild.
const BEFORE: &[&str] = &[
    "https://",
    "http://",
    "dx.doi.org/",
    "www.doi.org/",
    "doi.org/",
    "doi:",
    "doi ",
];

/// What publishers put after a DOI in the address of a page.
const AFTER: &[&str] = &[
    "/abstract",
    "/epdf",
    "/epub",
    "/full",
    "/fulltext",
    "/html",
    "/meta",
    "/pdf",
    "/pdfft",
    "/summary",
    ".full.pdf",
    ".full-text",
    ".full",
    ".pdf",
    ".abstract",
    ".html",
    ".short",
];

/// Prefixes whose pages put a version after the DOI.
const VERSIONED: &[&str] = &["10.1101/", "10.48550/arxiv."];

/// `10.<register>/<name>`, in lower case since DOIs are compared without regard to case.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Doi(String);

impl Doi {
    /// The DOI in `raw`: bare, with `doi:` or a resolver before it, or as `arXiv:2104.12255v1`.
    pub fn parse(raw: &str) -> Option<Self> {
        let mut text = decoded(raw.trim()).to_lowercase();
        if let Some(number) = text.strip_prefix("arxiv:") {
            return Self::of_arxiv(number);
        }
        for before in BEFORE {
            if let Some(rest) = text.strip_prefix(before) {
                text = rest.trim_start().to_owned();
            }
        }
        let text = text.trim_end_matches(['.', ',', ';', ')', ']', '}', '"', '\'', '/']);
        is_doi(text).then(|| Self(without_version(text).to_owned()))
    }

    /// The DOI of an arXiv number, with or without a version: `2104.12255v1`, `astro-ph/0601001`.
    pub fn of_arxiv(number: &str) -> Option<Self> {
        let number = number.trim().to_lowercase();
        let number = number.strip_suffix(".pdf").unwrap_or(&number);
        let bare = unversioned(number);
        let digits = |text: &str, count: std::ops::RangeInclusive<usize>| {
            count.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
        };
        let fits = match (bare.split_once('.'), bare.split_once('/')) {
            (Some((month, number)), None) => digits(month, 4..=4) && digits(number, 4..=5),
            (_, Some((archive, number))) => {
                let plain = |b: u8| b.is_ascii_alphabetic() || b == b'-' || b == b'.';
                !archive.is_empty() && archive.bytes().all(plain) && digits(number, 7..=7)
            }
            (None, None) => false,
        };
        fits.then(|| Self(format!("10.48550/arxiv.{bare}")))
    }

    /// The DOI that a page's address names, if it names one.
    pub fn of_url(url: &str) -> Option<Self> {
        let url = Url::parse(url).ok()?;
        let host = url.host_str()?;
        let host = host.strip_prefix("www.").unwrap_or(host);
        let path = decoded(url.path());
        if matches!(host, "doi.org" | "dx.doi.org") {
            return Self::parse(path.trim_start_matches('/'));
        }
        if host == "arxiv.org" || host.ends_with(".arxiv.org") {
            let number = ["/abs/", "/pdf/", "/html/"]
                .iter()
                .find_map(|before| path.strip_prefix(before));
            return Self::of_arxiv(number?);
        }
        let in_query = url
            .query_pairs()
            .find(|(name, value)| matches!(&**name, "id" | "doi") && value.starts_with("10."));
        let named = match in_query {
            Some((_, value)) => value.into_owned(),
            None => path.get(path.find("/10.")? + 1..)?.to_owned(),
        };
        Self::parse(without_page(&named))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address that leads to the work.
    pub fn url(&self) -> String {
        let mut url = String::from("https://doi.org/");
        for c in self.0.chars() {
            match c {
                '<' | '>' | '#' | '?' | '%' | '"' | '{' | '}' | '^' | '[' | ']' | '`' | '|'
                | '\\' => url.push_str(&format!("%{:02X}", u32::from(c))),
                _ => url.push(c),
            }
        }
        url
    }
}

fn is_doi(text: &str) -> bool {
    let Some((register, name)) = text
        .strip_prefix("10.")
        .and_then(|rest| rest.split_once('/'))
    else {
        return false;
    };
    let registered = register.split('.').all(|part| {
        (1..=9).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    });
    registered
        && register.len() >= 4
        && !name.is_empty()
        && text.len() <= CHARS_MAX
        && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

fn without_page(named: &str) -> &str {
    let lower = named.to_ascii_lowercase();
    let after = AFTER.iter().find(|after| lower.ends_with(**after));
    let end = named.len() - after.map_or(0, |after| after.len());
    named.get(..end).unwrap_or(named)
}

fn without_version(doi: &str) -> &str {
    if VERSIONED.iter().any(|prefix| doi.starts_with(prefix)) {
        unversioned(doi)
    } else {
        doi
    }
}

/// The text without `v2` at its end.
fn unversioned(text: &str) -> &str {
    let bare = text.trim_end_matches(|c: char| c.is_ascii_digit());
    match bare.strip_suffix('v') {
        Some(before)
            if bare.len() < text.len() && before.ends_with(|c: char| c.is_ascii_digit()) =>
        {
            before
        }
        _ => text,
    }
}

/// Percent escapes resolved, where they give text.
fn decoded(text: &str) -> String {
    let pair = text.replace('+', "%2B").replace('&', "%26");
    let mut values = url::form_urlencoded::parse(pair.as_bytes());
    match values.next() {
        Some((name, value)) if value.is_empty() && !pair.contains('=') => name.into_owned(),
        _ => text.to_owned(),
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

impl From<Doi> for String {
    fn from(doi: Doi) -> Self {
        doi.0
    }
}

impl TryFrom<String> for Doi {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("no DOI of the form 10.1000/name")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doi_has_one_form_however_it_is_written() {
        for raw in [
            "10.1000/Xyz.1",
            "doi:10.1000/xyz.1",
            "DOI: 10.1000/xyz.1",
            "https://doi.org/10.1000/XYZ.1",
            "http://dx.doi.org/10.1000%2Fxyz.1",
            " 10.1000/xyz.1. ",
        ] {
            assert_eq!(Doi::parse(raw).unwrap().as_str(), "10.1000/xyz.1", "{raw}");
        }
        for raw in [
            "",
            "10.1/x",
            "11.1000/x",
            "10.1000/",
            "10.1000 x",
            "10.10a0/x",
            "xyz",
        ] {
            assert_eq!(Doi::parse(raw), None, "{raw}");
        }
    }

    #[test]
    fn the_doi_in_an_address_is_found() {
        for (url, doi) in [
            ("https://doi.org/10.1000/xyz", Some("10.1000/xyz")),
            (
                "https://link.example.org/article/10.1007/s1-2-3",
                Some("10.1007/s1-2-3"),
            ),
            (
                "https://example.org/doi/full/10.1126/sci.1?x=1",
                Some("10.1126/sci.1"),
            ),
            (
                "https://example.org/doi/10.1126/sci.1/abstract",
                Some("10.1126/sci.1"),
            ),
            (
                "https://example.org/article?id=10.1371/journal.a.1",
                Some("10.1371/journal.a.1"),
            ),
            (
                "https://bio.example.org/content/10.1101/2024.04.01.58v2.full.pdf",
                Some("10.1101/2024.04.01.58"),
            ),
            (
                "https://arxiv.org/abs/2104.12255v3",
                Some("10.48550/arxiv.2104.12255"),
            ),
            (
                "https://arxiv.org/pdf/2104.12255v1.pdf",
                Some("10.48550/arxiv.2104.12255"),
            ),
            (
                "http://export.arxiv.org/abs/astro-ph/0601001",
                Some("10.48550/arxiv.astro-ph/0601001"),
            ),
            ("https://example.org/10.html", None),
            ("https://example.org/v/10.2/notes", None),
            ("mailto:a@example.org", None),
        ] {
            assert_eq!(Doi::of_url(url).map(String::from).as_deref(), doi, "{url}");
        }
        assert_eq!(
            Doi::parse("arXiv:2104.12255v1"),
            Doi::parse("10.48550/arXiv.2104.12255")
        );
    }
}
