//! Who is called: the name under which a provider, a model or a page's host is remembered.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// `serper`, `openai/gpt-4o`, or the host of a page. Never an address with a key in it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProviderName(Arc<str>);

impl ProviderName {
    /// Any text will do; settings and events use the same one.
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// A model has a breaker and a limit of its own.
    pub fn model(endpoint: &str, model: &str) -> Self {
        Self(format!("{endpoint}/{model}").into())
    }

    /// The name as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProviderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ProviderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
