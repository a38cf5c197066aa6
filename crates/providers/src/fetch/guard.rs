//! What may be fetched: turns text into a [`FetchTarget`], the only thing that can be dialled.
//!
//! One parser reads the URL, and its reading is what is checked, looked up, dialled and sent: two
//! parsers that differ are how such guards are passed. A literal address is judged here; the addresses
//! of a name are judged in `dial`, when they are known.

pub(super) mod address;
mod allow;
mod names;

use std::net::IpAddr;

use url::Url;

use super::FetchRefusal;

pub use allow::{AllowList, AllowListError};

pub(super) const URL_MAX_CHARS: usize = 2_048;
const PORTS: [u16; 4] = [80, 443, 8080, 8443];

/// A URL that our rules let us fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchTarget {
    url: Url,
    host: TargetHost,
    port: u16,
    opened: bool,
}

/// Where a URL points: a name in lower case without a dot at its end, or a literal address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TargetHost {
    /// A name in ASCII, lower case, without a dot at its end.
    Name(String),
    /// An address that stands in the URL itself.
    Address(IpAddr),
}

impl FetchTarget {
    /// Reads and checks a URL as somebody wrote it.
    pub fn parse(raw: &str, allow: &AllowList) -> Result<Self, FetchRefusal> {
        let raw = raw.trim_matches(' ');
        within_length(raw)?;
        // The parser would drop these silently, and the text would mean something else than it shows.
        if raw.chars().any(|c| c.is_control() || c.is_whitespace()) {
            let why = "it holds spaces or control characters".to_owned();
            return Err(FetchRefusal::Malformed { why });
        }
        let url = Url::parse(raw).map_err(malformed)?;
        Self::check(url, allow)
    }

    /// Checks a URL that was put together from a page's address and a reference in it.
    pub fn check(mut url: Url, allow: &AllowList) -> Result<Self, FetchRefusal> {
        url.set_fragment(None);
        within_length(url.as_str())?;
        if !matches!(url.scheme(), "http" | "https") {
            let scheme = url.scheme().to_owned();
            return Err(FetchRefusal::Scheme { scheme });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchRefusal::UserInfo);
        }
        let host = TargetHost::from_url(&url)?;
        let port = url.port_or_known_default().unwrap_or_default();
        let opened = allow.opens(&host, port);
        host.check(opened)?;
        if !opened && !PORTS.contains(&port) {
            return Err(FetchRefusal::Port { port });
        }
        if let TargetHost::Name(name) = &host {
            url.set_host(Some(name)).map_err(malformed)?;
        }
        Ok(Self {
            url,
            host,
            port,
            opened,
        })
    }

    /// Where a redirect leads, by the same rules; never from https to http.
    pub(crate) fn redirect(&self, location: &str, allow: &AllowList) -> Result<Self, FetchRefusal> {
        within_length(location)?;
        let next = Self::check(self.url.join(location).map_err(malformed)?, allow)?;
        if self.is_secure() && !next.is_secure() {
            return Err(FetchRefusal::Downgrade);
        }
        Ok(next)
    }

    /// Judges an address that the host's name leads to; gives the one to dial.
    pub(super) fn judge(&self, address: IpAddr) -> Result<IpAddr, FetchRefusal> {
        judge(address, self.opened)
    }

    /// The URL in its normal form, without a fragment.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Whom to dial.
    pub fn host(&self) -> &TargetHost {
        &self.host
    }

    /// The port in the URL, or the scheme's own.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether it is reached over TLS.
    pub(crate) fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Did the operator open this host by name?
    pub(super) fn is_opened(&self) -> bool {
        self.opened
    }
}

impl TargetHost {
    fn from_url(url: &Url) -> Result<Self, FetchRefusal> {
        match url.host() {
            Some(url::Host::Ipv4(address)) => Ok(Self::Address(address.into())),
            Some(url::Host::Ipv6(address)) => Ok(Self::Address(address.into())),
            Some(url::Host::Domain(name)) => Ok(Self::Name(names::canonical(name)?.to_owned())),
            None => Err(malformed(url::ParseError::EmptyHost)),
        }
    }

    fn check(&self, opened: bool) -> Result<(), FetchRefusal> {
        match self {
            Self::Address(address) => judge(*address, opened).map(|_| ()),
            Self::Name(name) if names::is_metadata(name) => {
                let host = name.clone();
                Err(FetchRefusal::Metadata { host })
            }
            Self::Name(name) if !opened && names::is_local(name) => {
                let name = name.clone();
                Err(FetchRefusal::LocalName { name })
            }
            Self::Name(_) => Ok(()),
        }
    }
}

fn judge(address: IpAddr, opened: bool) -> Result<IpAddr, FetchRefusal> {
    if address::is_metadata(address) {
        let host = address.to_string();
        return Err(FetchRefusal::Metadata { host });
    }
    if opened {
        return Ok(address);
    }
    address::public(address).map_err(|why| FetchRefusal::Address { address, why })
}

fn within_length(text: &str) -> Result<(), FetchRefusal> {
    let chars = text.chars().count();
    if chars > URL_MAX_CHARS {
        let limit = URL_MAX_CHARS;
        return Err(FetchRefusal::TooLong { chars, limit });
    }
    Ok(())
}

fn malformed(error: url::ParseError) -> FetchRefusal {
    let why = error.to_string();
    FetchRefusal::Malformed { why }
}
