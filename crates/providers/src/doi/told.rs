//! DOIs as registers and addresses tell them: in the address of a page, as an arXiv number, with a version behind.

use url::Url;

use super::{Doi, unescape};

/// What publishers put after a DOI in the address of a page.
const AFTER: &str = "/abstract /epdf /epub /full /fulltext /html /meta /pdf /pdfft /summary .full.pdf .full-text \
    .full .pdf .abstract .html .short";

/// Prefixes whose pages put a version after the DOI.
const VERSIONED: &[&str] = &["10.1101/", "10.48550/arxiv."];

impl Doi {
    /// The DOI as a register tells it, or an arXiv number with `arXiv:` before it. A version behind it is left out,
    /// since all versions are one work.
    pub fn told(raw: &str) -> Option<Self> {
        let raw = raw.trim();
        match raw.split_at_checked("arxiv:".len()) {
            Some((label, number)) if label.eq_ignore_ascii_case("arxiv:") => {
                Self::from_arxiv(number)
            }
            _ => Self::parse(raw).ok().map(without_version),
        }
    }

    /// The DOI of an arXiv number, with or without a version: `2104.12255v1`, `astro-ph/0601001`.
    pub fn from_arxiv(number: &str) -> Option<Self> {
        let number = number.trim().to_ascii_lowercase();
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
    pub fn from_url(url: &str) -> Option<Self> {
        let url = Url::parse(url).ok()?;
        let host = url.host_str()?;
        let host = host.strip_prefix("www.").unwrap_or(host);
        let path = unescape(url.path());
        if matches!(host, "doi.org" | "dx.doi.org") {
            return Self::told(path.trim_start_matches('/'));
        }
        if host == "arxiv.org" || host.ends_with(".arxiv.org") {
            let number = ["/abs/", "/pdf/", "/html/"]
                .iter()
                .find_map(|before| path.strip_prefix(before));
            return Self::from_arxiv(number?);
        }
        let in_query = url
            .query_pairs()
            .find(|(name, value)| matches!(&**name, "id" | "doi") && value.starts_with("10."));
        let named = match in_query {
            Some((_, value)) => value.into_owned(),
            None => path.get(path.find("/10.")? + 1..)?.to_owned(),
        };
        Self::told(without_page(&named))
    }
}

fn without_page(named: &str) -> &str {
    let lower = named.to_ascii_lowercase();
    let after = AFTER.split(' ').find(|after| lower.ends_with(after));
    let end = named.len() - after.map_or(0, |after| after.len());
    named.get(..end).unwrap_or(named)
}

fn without_version(doi: Doi) -> Doi {
    if VERSIONED.iter().any(|prefix| doi.0.starts_with(prefix)) {
        Doi(unversioned(&doi.0).to_owned())
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

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(
                Doi::from_url(url).map(String::from).as_deref(),
                doi,
                "{url}"
            );
        }
        assert_eq!(
            Doi::told("arXiv:2104.12255v1"),
            Doi::told("10.48550/arXiv.2104.12255v2")
        );
    }
}
