//! Addresses that differ in nothing that matters, made the same.

use url::Url;

use crate::plan::SourceKind;

/// Parameters that say how a reader came, not what is read.
const TRACKING: &[&str] = &[
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "cmpid",
    "dclid",
    "fbclid",
    "gad_source",
    "gbraid",
    "gclid",
    "gclsrc",
    "hsctatracking",
    "igsh",
    "igshid",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "oly_anon_id",
    "oly_enc_id",
    "ref_src",
    "ref_url",
    "s_kwcid",
    "spm",
    "srsltid",
    "twclid",
    "ttclid",
    "vero_id",
    "wbraid",
    "wickedid",
    "yclid",
];

/// What begins the name of such a parameter.
const TRACKING_PREFIXES: &[&str] = &["utm_", "pk_", "mtm_", "hsa_"];

/// Labels of a host for small screens.
const SMALL_SCREEN: &[&str] = &["m", "mobile", "amp"];

/// The address to read: without what tracks readers and without the fragment. The name of a person's own document
/// stays as it is.
pub(super) fn clean(kind: SourceKind, address: &str) -> String {
    let Some(mut url) = parse(kind, address) else {
        return address.to_owned();
    };
    url.set_fragment(None);
    let kept: Vec<(String, String)> = pairs(&url).collect();
    if kept.len() != url.query_pairs().count() {
        set_query(&mut url, &kept);
    }
    url.into()
}

/// The address to compare: one scheme, no `www.` or small-screen host, no default port, no trailing slash, parameters
/// in order. It need not be one that can be fetched. The name of a person's own document stays as it is.
pub(super) fn normal(kind: SourceKind, address: &str) -> String {
    let Some(mut url) = parse(kind, address) else {
        return address.to_owned();
    };
    url.set_fragment(None);
    let mut kept: Vec<(String, String)> = pairs(&url).filter(|pair| !is_amp(pair)).collect();
    kept.sort();
    set_query(&mut url, &kept);
    let host = url.host_str().map(bare_host).unwrap_or_default();
    let port = url
        .port()
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    let path = bare_path(url.path());
    let query = url.query().map(|query| format!("?{query}"));
    format!("https://{host}{port}{path}{}", query.unwrap_or_default())
}

fn parse(kind: SourceKind, address: &str) -> Option<Url> {
    match kind {
        SourceKind::Local => None,
        SourceKind::Web | SourceKind::Academic | SourceKind::News | SourceKind::Code => {
            Url::parse(address).ok()
        }
    }
}

fn pairs(url: &Url) -> impl Iterator<Item = (String, String)> {
    url.query_pairs()
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .filter(|(name, _)| !is_tracking(name))
}

fn set_query(url: &mut Url, pairs: &[(String, String)]) {
    url.set_query(None);
    if !pairs.is_empty() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
}

fn is_tracking(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TRACKING.contains(&name.as_str())
        || TRACKING_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

fn is_amp((name, value): &(String, String)) -> bool {
    match name.as_str() {
        "amp" => matches!(value.as_str(), "" | "1" | "true"),
        "outputType" => value == "amp",
        _ => false,
    }
}

/// `www.`, `m.`, `amp.` in front, and `en.m.` as wikis have it; never so that no name of two parts is left.
fn bare_host(host: &str) -> String {
    let host = host.trim_end_matches('.');
    let host = host.strip_prefix("www.").unwrap_or(host);
    let labels: Vec<&str> = host.split('.').collect();
    let spare = labels.len() > 2 && host.parse::<std::net::Ipv4Addr>().is_err();
    match labels.as_slice() {
        [first, rest @ ..] if spare && SMALL_SCREEN.contains(first) => rest.join("."),
        [language, "m", rest @ ..] if rest.len() >= 2 && (2..=3).contains(&language.len()) => {
            format!("{language}.{}", rest.join("."))
        }
        _ => labels.join("."),
    }
}

/// Without the slash at its end, and without `/amp` after the article's own path.
fn bare_path(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    match path.strip_suffix("/amp") {
        Some(article) if !article.is_empty() => article,
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalised(address: &str) -> String {
        normal(SourceKind::Web, address)
    }

    #[test]
    fn addresses_of_one_page_are_the_same() {
        for address in [
            "https://example.org/a?b=1&c=2",
            "http://www.example.org/a/?c=2&b=1",
            "HTTPS://EXAMPLE.ORG:443/a?utm_source=x&b=1&c=2&fbclid=y#part",
            "https://m.example.org/a?b=1&c=2&GCLID=z",
            "https://amp.example.org/a/amp/?b=1&c=2&amp=1",
        ] {
            assert_eq!(
                normalised(address),
                "https://example.org/a?b=1&c=2",
                "{address}"
            );
        }
        assert_eq!(
            normalised("https://en.m.wikipedia.org/wiki/Tide"),
            "https://en.wikipedia.org/wiki/Tide"
        );
    }

    #[test]
    fn addresses_of_different_pages_stay_apart() {
        for (one, other) in [
            ("https://example.org/a", "https://example.org/A"),
            ("https://example.org/?id=1", "https://example.org/?id=2"),
            ("https://example.org/", "https://docs.example.org/"),
            ("https://example.org/", "https://example.org:8443/"),
            ("https://m.org/", "https://org/"),
            ("https://example.org/amp", "https://example.org/"),
            ("https://example.org/?ref=a", "https://example.org/?ref=b"),
        ] {
            assert_ne!(normalised(one), normalised(other), "{one} {other}");
        }
    }

    #[test]
    fn a_clean_address_can_still_be_fetched() {
        for (raw, read) in [
            (
                "https://www.example.org/a/?utm_medium=x&b=%20c#d",
                "https://www.example.org/a/?b=+c",
            ),
            (
                "https://example.org/a?b=%20c",
                "https://example.org/a?b=%20c",
            ),
            ("https://example.org/?utm_source=x", "https://example.org/"),
        ] {
            assert_eq!(clean(SourceKind::Web, raw), read, "{raw}");
        }
    }
}
