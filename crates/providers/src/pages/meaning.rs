//! What a fault of the fetcher is to the call layer, which decides by it whether to try again.

use std::io::{Error, ErrorKind};

use crate::call::{self, Transport};
use crate::fetch::{Fault, Refusal};

pub(super) fn of(fault: &Fault) -> call::Fault {
    let transport = match fault {
        Fault::Refused(refusal) => of_refusal(refusal),
        Fault::NameNotFound { .. } => Transport::DnsUnknown,
        Fault::NameLookup { .. } => Transport::DnsTemporary,
        Fault::Connect(error) => of_connecting(error),
        Fault::ConnectTime { .. } => Transport::Connect,
        Fault::Tls(error) => of_handshake(error),
        Fault::FirstByteTime { .. } => Transport::FirstByte,
        Fault::IdleTime { .. } => Transport::Idle,
        Fault::TotalTime { .. } => Transport::Total,
        // The site could not be asked for its rules: as if it had not answered.
        Fault::Reset | Fault::RobotsUnreachable => Transport::Reset,
        Fault::NotHttp => Transport::Protocol,
        Fault::TooLarge { .. } | Fault::Bomb { .. } => Transport::TooLarge,
        Fault::UnknownEncoding { .. } | Fault::NestedEncoding | Fault::BrokenEncoding => {
            Transport::Decode
        }
    };
    transport.into()
}

fn of_refusal(refusal: &Refusal) -> Transport {
    match refusal {
        Refusal::Robots => Transport::Robots,
        Refusal::TooManyRedirects { .. } => Transport::TooManyRedirects,
        Refusal::TooLong { .. }
        | Refusal::Malformed { .. }
        | Refusal::Scheme { .. }
        | Refusal::UserInfo
        | Refusal::Port { .. }
        | Refusal::LocalName { .. }
        | Refusal::Metadata { .. }
        | Refusal::Address { .. }
        | Refusal::Downgrade
        | Refusal::NoLocation => Transport::Forbidden,
    }
}

/// What the system says of a connection that it could not make.
fn of_connecting(error: &Error) -> Transport {
    match error.kind() {
        ErrorKind::TimedOut => Transport::Connect,
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => Transport::Reset,
        _ => Transport::Refused,
    }
}

/// A connection that broke during the handshake is no verdict on the certificate.
fn of_handshake(error: &Error) -> Transport {
    match error.kind() {
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => Transport::Reset,
        _ => Transport::TlsRefused,
    }
}
