//! Which host names can be names on the public internet.
//!
//! The address behind a name is checked again when it is dialled; refusing here spares the look-up,
//! and keeps the names of inner machines out of other people's DNS logs.

use crate::fetch::FetchRefusal;

const NAME_MAX_CHARS: usize = 253;
const LABEL_MAX_CHARS: usize = 63;

/// Names by which clouds serve a machine's own secrets.
const METADATA: &str = "instance-data instance-data.ec2.internal metadata metadata.azure.internal metadata.goog \
    metadata.google.internal metadata.packet.net metadata.platformequinix.com \
    metadata.tencentyun.com";

/// Endings that never belong to a public host.
const LOCAL: &str = "arpa cluster.local corp home internal intranet invalid lan local localdomain localhost onion \
    svc test";

/// Takes a name as the URL parser left it; gives it without the dot at its end.
pub(super) fn canonical(name: &str) -> Result<&str, FetchRefusal> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let bad_label = |label: &str| label.is_empty() || label.len() > LABEL_MAX_CHARS;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if name.len() > NAME_MAX_CHARS || name.split('.').any(bad_label) || !name.chars().all(plain) {
        let why = "the host is not a name that can be looked up".to_owned();
        return Err(FetchRefusal::Malformed { why });
    }
    Ok(name)
}

pub(super) fn is_metadata(name: &str) -> bool {
    METADATA.split(' ').any(|metadata| metadata == name)
}

pub(super) fn is_local(name: &str) -> bool {
    let ends_with = |ending| {
        name.strip_suffix(ending)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !name.contains('.') || LOCAL.split(' ').any(ends_with)
}
