//! The workflows: each file reads like its diagram.

pub mod ask;
pub mod report;
