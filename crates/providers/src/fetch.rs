//! Reads pages of the public internet, and nothing else.
//!
//! A URL becomes a [`FetchTarget`] by the guard's rules or is refused; only a target can be dialled, and
//! every address behind it is judged first. [`Fetcher::get`] gives a [`FetchedPage`] or a typed [`FetchError`].
//! Models and search have a client of their own, for addresses from the operator's settings.

mod body;
mod decode;
mod dial;
mod error;
mod exchange;
mod guard;
mod limits;
mod page;
mod robots;
mod slots;

pub use body::PageCut;
pub use dial::{FetchNetwork, NameResolver, StreamConnector, SystemNetwork, WireStream};
pub use error::{FetchError, FetchRefusal};
pub use guard::{AllowList, AllowListError, FetchTarget, TargetHost};
pub use limits::FetchLimits;
pub use page::{FetchedPage, Fetcher, PageVersion};

#[cfg(test)]
mod tests;
