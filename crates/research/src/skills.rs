//! The verbs that workflows share: plain functions with typed input and output that take a step's context and reach the
//! world through the services. They know no workflow's state.

pub mod budget;
pub(crate) mod cite;
pub(crate) mod compose;
pub(crate) mod definitions;
pub(crate) mod effort;
pub(crate) mod gates;
pub mod locate;
pub(crate) mod mentions;
pub(crate) mod place;
pub mod rank;
pub(crate) mod read;
pub(crate) mod refine;
pub(crate) mod relevance;
pub mod search;
pub mod stop;
pub(crate) mod trusted_words;
pub(crate) mod works;
