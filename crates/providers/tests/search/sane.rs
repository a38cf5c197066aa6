//! What every hit keeps to, whatever a provider sends.

use fathom_providers::search::{
    ABSTRACT_CHARS_MAX, AUTHORS_MAX, NAME_CHARS_MAX, SNIPPET_CHARS_MAX, SearchAnswer, SearchHit,
    SearchQuery, TEXT_CHARS_MAX, TITLE_CHARS_MAX, URL_CHARS_MAX,
};
use url::Url;

/// Fails on the first hit that breaks a promise.
pub(crate) fn check(found: &SearchAnswer, query: &SearchQuery) {
    assert!(found.hits.len() <= query.max_results(), "too many hits");
    let mut rank = 0;
    for hit in &found.hits {
        assert!(hit.rank > rank, "ranks rise");
        rank = hit.rank;
        check_hit(hit);
    }
    let stored = serde_json::to_string(found).unwrap();
    let loaded: SearchAnswer = serde_json::from_str(&stored).unwrap();
    assert_eq!(&loaded, found, "a stored answer is the same when loaded");
}

fn check_hit(hit: &SearchHit) {
    for url in std::iter::once(&hit.url).chain(&hit.pdf_url) {
        let parsed = Url::parse(url).unwrap();
        assert!(matches!(parsed.scheme(), "http" | "https") && parsed.has_host());
        assert!(url.len() <= URL_CHARS_MAX);
    }
    assert!(!hit.title.is_empty());
    for (text, most) in [
        (Some(&hit.title), TITLE_CHARS_MAX),
        (Some(&hit.snippet), SNIPPET_CHARS_MAX),
        (hit.abstract_text.as_ref(), ABSTRACT_CHARS_MAX),
        (hit.full_text.as_ref(), TEXT_CHARS_MAX),
        (hit.venue.as_ref(), NAME_CHARS_MAX),
        (hit.language.as_ref(), NAME_CHARS_MAX),
    ] {
        let text = text.map_or("", String::as_str);
        assert!(text.chars().count() <= most);
        assert_eq!(text.trim(), text);
        let hidden = |c: char| {
            c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{feff}')
        };
        assert!(!text.contains(hidden), "{text:?}");
    }
    assert!(hit.authors.len() <= AUTHORS_MAX);
    assert!(
        hit.score
            .is_none_or(|score| score.is_finite() && score >= 0.0)
    );
}
