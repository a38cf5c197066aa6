//! The workflows: each file reads like its diagram.

pub mod appraise;
pub mod report;
