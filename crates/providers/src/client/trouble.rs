//! What the HTTP client's errors mean, found by their types and never by their words.

use std::error::Error;
use std::io;

use super::NameFault;
use crate::call::{Fault, Transport};

/// The request could not be sent, or no answer began.
pub(super) fn of_sending(error: &reqwest::Error) -> Fault {
    if error.is_builder() {
        return Fault::Bug;
    }
    if error.is_timeout() {
        return Transport::Connect.into();
    }
    let transport = if let Some(fault) = find::<NameFault>(error) {
        match fault {
            NameFault::Unknown => Transport::DnsUnknown,
            NameFault::NotAsked => Transport::DnsTemporary,
        }
    } else if tls(error) {
        Transport::TlsRefused
    } else if find::<hyper::Error>(error).is_some_and(hyper::Error::is_parse) {
        Transport::Protocol
    } else {
        of_socket(error).unwrap_or(Transport::Reset)
    };
    transport.into()
}

/// The body broke off, or could not be decoded.
pub(super) fn of_body(error: &reqwest::Error) -> Fault {
    let transport = match find::<hyper::Error>(error) {
        Some(broken) if broken.is_incomplete_message() => Transport::Truncated,
        Some(broken) if broken.is_parse() => Transport::Protocol,
        Some(_) => of_socket(error).unwrap_or(Transport::Truncated),
        None => Transport::Decode,
    };
    transport.into()
}

fn of_socket(error: &reqwest::Error) -> Option<Transport> {
    match find::<io::Error>(error)?.kind() {
        io::ErrorKind::ConnectionRefused => Some(Transport::Refused),
        io::ErrorKind::TimedOut => Some(Transport::Connect),
        io::ErrorKind::UnexpectedEof => Some(Transport::Truncated),
        _ => Some(Transport::Reset),
    }
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
