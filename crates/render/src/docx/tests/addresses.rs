//! Addresses: Word refuses a whole file for one that is no URI.

use proptest::prelude::*;

use super::{FormOptions, docx, faults, sample, text_of, unpacked};

/// Whether an address is one by RFC 3986, told without the parser that the product uses.
pub(super) fn is_uri(text: &str) -> bool {
    let (whole, fragment) = text.split_once('#').unwrap_or((text, ""));
    let (scheme, rest) = whole.split_once(':').unwrap_or_default();
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len())),
        None => ("", rest),
    };
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let (host, port) = match host.strip_prefix('[').map(|host| host.split_once(']')) {
        Some(Some((numbers, port))) => match numbers.parse::<std::net::Ipv6Addr>() {
            Ok(_) => ("numbers", port),
            Err(_) => return false,
        },
        Some(None) => return false,
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let port = port.strip_prefix(':').unwrap_or("0");
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/?@!$&'()*+,;=%".contains(c);
    let hex = |part: &str| part.len() >= 2 && u8::from_str_radix(&part[..2], 16).is_ok();
    (scheme == "mailto" || (scheme.starts_with("http") && !host.is_empty()))
        && port.parse::<u16>().is_ok()
        && [host, path, fragment]
            .iter()
            .all(|part| part.chars().all(plain))
        && text.split('%').skip(1).all(hex)
}

/// Addresses that Word would refuse the whole file for, and some that it takes.
const ADDRESSES: [&str; 12] = [
    "http://[::1/",
    "http://[::1]:80/",
    "http://example.org:99999999/",
    "https://example.org/%zz[x]",
    "https://example.org/50%",
    "https://example.org/?a[]=%5B",
    "https://example.org/#a#b",
    "https://a..example/",
    "https://例え.example/木?q=ü",
    "mailto:a@b.example?subject=%x",
    "http://%41/",
    "https://user:word@example.org:8080/",
];

#[test]
fn an_address_that_word_would_refuse_is_shown_as_plain_words() {
    for address in ADDRESSES {
        let report = sample::filled_with(address);
        assert_eq!(
            faults(&docx(&report, &FormOptions::FULL).unwrap()),
            Vec::<String>::new()
        );
    }
    let mut report = sample::full();
    report.summary = "Read [the first plan](http://[::1/), <http://example.org:99999999/> or \
                      [the second *plan*](https://example.org/a?b=c&d)."
        .to_owned();
    let bytes = docx(&report, &FormOptions::FULL).unwrap();
    let text = text_of(&bytes);
    for words in ["the first plan", "http://example.org:99999999/"] {
        let run = format!("<w:r><w:rPr></w:rPr><w:t xml:space=\"preserve\">{words}</w:t></w:r>");
        assert!(text.contains(&run), "{words}");
    }
    let relations = unpacked(&bytes).remove(4).1;
    assert!(!relations.contains("9999"));
    assert!(relations.contains("Target=\"https://example.org/a?b=c&amp;d\""));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_the_addresses_are_the_file_is_sound(
        scheme in "(https?://|mailto:)",
        host in r"[a-z.:@%!木\[\]0-9]{0,12}",
        path in r"[/?#]?[a-z%0-9\[\]{}|^!&=;木#?@/:]{0,20}",
        known in proptest::sample::select(ADDRESSES.to_vec()),
    ) {
        let address = format!("{scheme}{host}{path}");
        for text in [address.clone(), format!("[words](<{address}>) <{address}> [w]({known}{path})")] {
            let bytes = docx(&sample::filled_with(&text), &FormOptions::FULL).unwrap();
            prop_assert_eq!(faults(&bytes), Vec::<String>::new());
        }
    }
}
