//! What the HTTP client's errors mean, found by their types and never by their words.

use std::error::Error;
use std::io;

use super::NameLookupError;
use crate::call::{AttemptError, TransportError};

/// The request could not be sent, or no answer began.
pub(super) fn from_sending(error: &reqwest::Error) -> AttemptError {
    if error.is_builder() {
        return AttemptError::Bug;
    }
    if error.is_timeout() {
        return TransportError::Connect.into();
    }
    let transport = if let Some(fault) = find::<NameLookupError>(error) {
        match fault {
            NameLookupError::Unknown => TransportError::DnsUnknown,
            NameLookupError::NotAsked => TransportError::DnsTemporary,
        }
    } else if tls(error) {
        TransportError::TlsRefused
    } else if find::<hyper::Error>(error).is_some_and(hyper::Error::is_parse) {
        TransportError::Protocol
    } else {
        from_socket(error).unwrap_or(TransportError::Reset)
    };
    transport.into()
}

/// The body broke off, or could not be decoded.
pub(super) fn from_body(error: &reqwest::Error) -> AttemptError {
    let transport = match find::<hyper::Error>(error) {
        Some(broken) if broken.is_incomplete_message() => TransportError::Truncated,
        Some(broken) if broken.is_parse() => TransportError::Protocol,
        Some(_) => from_socket(error).unwrap_or(TransportError::Truncated),
        None => TransportError::Decode,
    };
    transport.into()
}

fn from_socket(error: &reqwest::Error) -> Option<TransportError> {
    Some(match find::<io::Error>(error)?.kind() {
        io::ErrorKind::ConnectionRefused => TransportError::Refused,
        io::ErrorKind::TimedOut => TransportError::Connect,
        io::ErrorKind::UnexpectedEof => TransportError::Truncated,
        _ => TransportError::Reset,
    })
}

/// rustls hides its error inside an `io::Error`.
fn tls(error: &reqwest::Error) -> bool {
    chain(error).any(|cause| {
        let inner = cause
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        cause.is::<rustls::Error>() || inner.is_some_and(|inner| inner.is::<rustls::Error>())
    })
}

fn find<T: Error + 'static>(error: &reqwest::Error) -> Option<&T> {
    chain(error).find_map(|cause| cause.downcast_ref::<T>())
}

fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |&cause| cause.source())
}
