//! The workflows: each file reads like its diagram.

pub mod answer;
pub mod appraise;
pub mod ask;
pub mod report;
pub mod search;
