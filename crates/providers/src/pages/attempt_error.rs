//! What a fault of the fetcher is to the call layer, which decides by it whether to try again.

use std::io::{Error, ErrorKind};

use crate::call::{self, TransportError};
use crate::fetch::{FetchError, FetchRefusal};

pub(super) fn to_attempt_error(fault: &FetchError) -> call::AttemptError {
    let transport = match fault {
        FetchError::Refused(refusal) => from_refusal(refusal),
        FetchError::NameNotFound { .. } => TransportError::DnsUnknown,
        FetchError::NameLookup { .. } => TransportError::DnsTemporary,
        FetchError::Connect(error) => from_connecting(error),
        FetchError::ConnectTime { .. } => TransportError::Connect,
        FetchError::Tls(error) => from_handshake(error),
        FetchError::FirstByteTime { .. } => TransportError::FirstByte,
        FetchError::IdleTime { .. } => TransportError::Idle,
        FetchError::TotalTime { .. } => TransportError::Total,
        // The site could not be asked for its rules: as if it had not answered.
        FetchError::Reset | FetchError::RobotsUnreachable => TransportError::Reset,
        FetchError::NotHttp => TransportError::Protocol,
        FetchError::TooLarge { .. } | FetchError::Bomb { .. } => TransportError::TooLarge,
        FetchError::UnknownEncoding { .. }
        | FetchError::NestedEncoding
        | FetchError::BrokenEncoding => TransportError::Decode,
    };
    transport.into()
}

fn from_refusal(refusal: &FetchRefusal) -> TransportError {
    match refusal {
        FetchRefusal::Robots => TransportError::Robots,
        FetchRefusal::TooManyRedirects { .. } => TransportError::TooManyRedirects,
        FetchRefusal::TooLong { .. }
        | FetchRefusal::Malformed { .. }
        | FetchRefusal::Scheme { .. }
        | FetchRefusal::UserInfo
        | FetchRefusal::Port { .. }
        | FetchRefusal::LocalName { .. }
        | FetchRefusal::Metadata { .. }
        | FetchRefusal::Address { .. }
        | FetchRefusal::Downgrade
        | FetchRefusal::NoLocation => TransportError::Forbidden,
    }
}

/// What the system says of a connection that it could not make.
fn from_connecting(error: &Error) -> TransportError {
    match error.kind() {
        ErrorKind::TimedOut => TransportError::Connect,
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => TransportError::Reset,
        _ => TransportError::Refused,
    }
}

/// A connection that broke during the handshake is no verdict on the certificate.
fn from_handshake(error: &Error) -> TransportError {
    match error.kind() {
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => TransportError::Reset,
        _ => TransportError::TlsRefused,
    }
}
