//! Hosts that the operator opens although they are not public: `FATHOM_FETCH_ALLOW=host:port,…`.
//!
//! A setting, read once at the start; nothing in a request reaches it. It opens the named port of the
//! named host and no other, and never an address that serves a machine's metadata.

use std::collections::BTreeSet;

use url::Url;

use super::{TargetHost, names};

/// The opened hosts. The default opens none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowList {
    open: BTreeSet<(TargetHost, u16)>,
}

/// What is wrong with the setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AllowListError {
    /// An entry without a port would open all of them.
    #[error("\"{entry}\" has no port: write host:port")]
    NoPort {
        /// The entry as it was written.
        entry: String,
    },
    /// What stands before the port is no host.
    #[error("\"{entry}\" does not name a host: write host:port, such as wiki.example.org:8080")]
    NoHost {
        /// The entry as it was written.
        entry: String,
    },
    /// Metadata services stay closed.
    #[error("\"{entry}\" serves a machine's own metadata and can't be opened")]
    Metadata {
        /// The entry as it was written.
        entry: String,
    },
}

impl AllowList {
    /// Reads `host:port,host:port`; an IPv6 address stands in brackets. Empty entries are skipped.
    pub fn parse(setting: &str) -> Result<Self, AllowListError> {
        let entries = setting.split(',').map(str::trim);
        let open = entries
            .filter(|entry| !entry.is_empty())
            .map(parse_entry)
            .collect::<Result<_, _>>()?;
        Ok(Self { open })
    }

    /// Whether the operator listed this host with this port.
    pub fn opens(&self, host: &TargetHost, port: u16) -> bool {
        // The set is small, and a borrowed pair is no key of an owned one.
        self.open
            .iter()
            .any(|open| open.0 == *host && open.1 == port)
    }
}

fn parse_entry(entry: &str) -> Result<(TargetHost, u16), AllowListError> {
    let no_host = || AllowListError::NoHost {
        entry: entry.to_owned(),
    };
    let no_port = || AllowListError::NoPort {
        entry: entry.to_owned(),
    };
    let (name, port) = entry.rsplit_once(':').ok_or_else(no_port)?;
    let port = port.parse().map_err(|_| no_port())?;
    // The same parser as for pages, so that both mean the same host by the same words.
    let url = Url::parse(&format!("http://{name}/")).map_err(|_| no_host())?;
    if url.path() != "/" || url.port().is_some() || !url.username().is_empty() {
        return Err(no_host());
    }
    let host = TargetHost::from_url(&url).map_err(|_| no_host())?;
    let metadata = match &host {
        TargetHost::Name(name) => names::is_metadata(name),
        TargetHost::Address(address) => super::address::is_metadata(*address),
    };
    if metadata {
        return Err(AllowListError::Metadata {
            entry: entry.to_owned(),
        });
    }
    Ok((host, port))
}
