//! Reads pages of the public internet, and nothing else.
//!
//! A URL becomes a [`Target`] by the guard's rules or is refused; only a target can be dialled, and
//! every address behind it is judged first. [`Fetcher::get`] gives a [`Page`] or a typed [`Fault`].
//! Models and search have a client of their own, for addresses from the operator's settings.

mod body;
mod decode;
mod dial;
mod exchange;
mod fault;
mod guard;
mod limits;
mod links;
mod page;
mod robots;
mod slots;

pub use body::Cut;
pub use dial::{Connector, Resolver, System, Wire};
pub use fault::{Fault, Refusal};
pub use guard::{Allow, AllowFault, Host, Target};
pub use limits::Limits;
pub use links::{Link, links};
pub use page::{Fetcher, Network, Page};

#[cfg(test)]
mod tests;
