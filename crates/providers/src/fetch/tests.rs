//! The promises of the fetcher, through its own door.

mod bodies;
mod faults;
mod guard;
mod links;
mod pages;
mod properties;
mod world;
