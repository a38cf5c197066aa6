//! The workflows: each file reads like its diagram.

pub mod answer;
pub mod report;
