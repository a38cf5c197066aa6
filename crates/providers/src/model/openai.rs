//! Chat completions, as OpenAI and most others serve them: the body of a request, and what an answer means.

mod read;
mod write;

pub(super) use read::take;
pub(super) use write::{body, rounded};
