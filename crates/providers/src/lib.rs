//! Everything that crosses the network: models, search, pages, registers of works; and calls that fail well.
//!
//! Of the crates that ship, the only one with an HTTP client or a key.

#![warn(missing_docs, unreachable_pub)]

pub mod call;
mod client;
mod clock;
mod doi;
mod download;
mod error;
pub mod fetch;
mod lenient;
pub mod model;
pub mod pages;
mod plain;
mod published;
pub mod search;
mod secret;
mod tls;
pub mod works;

pub use client::{BaseUrl, BaseUrlError, ClientError, ClientSettings, HttpClient};
pub use clock::{Clock, SystemClock};
pub use doi::{Doi, DoiError};
pub use download::download;
pub use error::{CallFailure, FailureCategory, FailureCause, FailureSeverity};
pub use published::{DateError, PublicationDate};
pub use secret::Secret;
