//! Where a provider is reached: a base address from the operator's settings.

use std::fmt;

use url::{Host, Url};

/// An `http` or `https` address to which paths are added.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl(Url);

/// Why a text from the settings is no base address, and what to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlError {
    /// No URL with a host.
    #[error("it is no address of the form https://host/path")]
    Malformed,
    /// Neither `http` nor `https`.
    #[error("it must begin with http:// or https://")]
    Scheme,
    /// A password in an address ends up in logs.
    #[error("it holds a user name or password; set the provider's key instead")]
    UserInfo,
    /// Paths could not be added after it.
    #[error("it holds a query or fragment; give only the part before the ? or #")]
    Query,
}

impl BaseUrl {
    /// Takes an address from the settings, with or without a slash at its end.
    pub fn parse(raw: &str) -> Result<Self, BaseUrlError> {
        let url = Url::parse(raw.trim()).map_err(|_| BaseUrlError::Malformed)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BaseUrlError::Scheme);
        }
        if !url.has_host() {
            return Err(BaseUrlError::Malformed);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BaseUrlError::UserInfo);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(BaseUrlError::Query);
        }
        Ok(Self(url))
    }

    /// The address with these segments after its own; each is escaped.
    pub fn join<'a>(&self, segments: impl IntoIterator<Item = &'a str>) -> Url {
        let mut url = self.0.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    /// Whether it is on this machine or in a private network, as far as its name tells.
    pub(crate) fn is_nearby(&self) -> bool {
        match self.0.host() {
            Some(Host::Ipv4(address)) => {
                address.is_loopback() || address.is_private() || address.is_link_local()
            }
            Some(Host::Ipv6(address)) => {
                address.is_loopback()
                    || address.is_unique_local()
                    || address.is_unicast_link_local()
            }
            Some(Host::Domain(name)) => {
                let endings = [".localhost", ".local", ".lan", ".home.arpa", ".internal"];
                !name.contains('.') || endings.iter().any(|ending| name.ends_with(ending))
            }
            None => false,
        }
    }

    /// The host and, if it is not the usual one, the port: enough to name an endpoint.
    pub fn authority(&self) -> String {
        authority(&self.0)
    }
}

/// The host and, if it is not the scheme's usual one, the port.
pub(crate) fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_added_to_an_address_with_or_without_a_slash_at_its_end() {
        for raw in ["http://127.0.0.1:8091/v1", " http://127.0.0.1:8091/v1/ "] {
            let address = BaseUrl::parse(raw).unwrap();
            let url = address.join(["chat", "completions"]);
            assert_eq!(url.as_str(), "http://127.0.0.1:8091/v1/chat/completions");
            assert_eq!(address.authority(), "127.0.0.1:8091");
        }
        let works = BaseUrl::parse("https://api.example.org").unwrap();
        let one = works.join(["works", "10.5555/a b?c"]);
        assert_eq!(
            one.as_str(),
            "https://api.example.org/works/10.5555%2Fa%20b%3Fc"
        );
    }

    #[test]
    fn servers_of_ones_own_are_told_from_those_far_away() {
        let nearby = |raw: &str| BaseUrl::parse(raw).unwrap().is_nearby();
        for raw in [
            "http://127.0.0.1:8091/v1",
            "http://[::1]:8091/v1",
            "http://192.168.1.7/v1",
            "http://localhost:11434/v1",
            "http://ollama:11434/v1",
            "http://studio.local/v1",
        ] {
            assert!(nearby(raw), "{raw}");
        }
        for raw in [
            "https://api.openai.com/v1",
            "https://8.8.8.8/v1",
            "https://local.example.org",
        ] {
            assert!(!nearby(raw), "{raw}");
        }
    }

    #[test]
    fn an_address_that_cannot_serve_says_what_to_change() {
        for (raw, fault) in [
            ("api.example.org", BaseUrlError::Malformed),
            ("ftp://example.org", BaseUrlError::Scheme),
            ("https://me:key@example.org", BaseUrlError::UserInfo),
            ("https://example.org/?key=1", BaseUrlError::Query),
            ("", BaseUrlError::Malformed),
        ] {
            assert_eq!(BaseUrl::parse(raw), Err(fault), "{raw}");
        }
    }
}
