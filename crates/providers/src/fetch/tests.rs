//! The promises of the fetcher, through its own door.

mod bodies;
mod faults;
mod guard;
mod pages;
mod properties;
mod world;
