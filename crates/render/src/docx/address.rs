//! Addresses as a Word document may hold them.
//!
//! Word refuses a whole file for one address that is no URI, so an address is taken apart and written anew, and what
//! is then still no URI is not linked to.

use url::{Host, Url};

/// Word follows no address that is much longer.
const ADDRESS_MAX_BYTES: usize = 2_000;

/// The address in the form of RFC 3986; nothing where it has none.
pub(super) fn target(to: &str) -> Option<String> {
    let url = Url::parse(to).ok()?;
    let named = match url.host() {
        Some(Host::Domain(name)) => is_name(name),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        None => url.scheme() == "mailto",
    };
    let written = url.as_str();
    // Brackets stand around an address of numbers and nowhere else.
    let literal = matches!(url.host(), Some(Host::Ipv6(_)));
    let brackets = if literal { 1 } else { 0 };
    let bracketed = ["[", "]"].map(|bracket| written.matches(bracket).count());
    let sound = named
        && bracketed == [brackets, brackets]
        && written.matches('#').count() <= 1
        && written.len() <= ADDRESS_MAX_BYTES
        && is_spelt(written.as_bytes());
    sound.then(|| written.to_owned())
}

/// Labels of letters, digits and hyphens between single dots, as every reader of addresses takes them.
fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        let fit = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        !label.is_empty() && label.bytes().all(fit)
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    name.split('.').all(label)
}

/// Whether only characters of RFC 3986 stand in it, and behind each per cent sign a number of two hex digits.
fn is_spelt(written: &[u8]) -> bool {
    let mut rest = written;
    loop {
        rest = match rest {
            [] => return true,
            [b'%', high, low, rest @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                rest
            }
            [byte, rest @ ..] if is_plain(*byte) => rest,
            _ => return false,
        };
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn an_address_is_written_as_a_uri() {
        for (given, written) in [
            ("https://a.example/b?c=d#e", "https://a.example/b?c=d#e"),
            ("HTTP://A.example", "http://a.example/"),
            (
                "https://例え.example/木",
                "https://xn--r8jz45g.example/%E6%9C%A8",
            ),
            ("http://[::1]:8080/", "http://[::1]:8080/"),
            (
                "https://a.example/100%25?q=%20x",
                "https://a.example/100%25?q=%20x",
            ),
            ("mailto:a@b.example", "mailto:a@b.example"),
        ] {
            assert_eq!(target(given).as_deref(), Some(written));
        }
    }

    #[test]
    fn what_is_no_uri_is_not_linked_to() {
        for bad in [
            "http://[::1/",
            "http://example.org:99999999/",
            "https://example.org/%zz[x]",
            "https://example.org/%zz",
            "https://example.org/100%",
            "https://example.org/[x]",
            "https://example.org/?a[]=1",
            "https://example.org/#a#b",
            "https://a..example/",
            "https://a!b.example/",
            "http://[::1]/]",
            "https://example.org:x/",
            "mailto:a[1]@b.example",
            "no address",
        ] {
            assert_eq!(target(bad), None, "{bad}");
        }
        let long = format!("https://example.org/{}", "木".repeat(1_000));
        assert_eq!(target(&long), None);
    }
}
