//! Works and pages that searches found.

mod doi;

pub use doi::Doi;
