//! Several providers of one kind, asked in order until one answers.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::provider::Provider;
use super::{Attempt, Caller, Terms};
use crate::error::{Cause, Failure};

/// An answer, and who was asked in vain before.
#[derive(Clone, Debug, PartialEq)]
pub struct Served<T> {
    pub value: T,
    pub by: Provider,
    pub tried: Vec<Failure>,
}

impl<T> Served<T> {
    /// Whether somebody else than the first choice answered.
    pub fn is_degraded(&self) -> bool {
        !self.tried.is_empty()
    }
}

/// Nobody answered; why not, one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exhausted {
    pub tried: Vec<Failure>,
}

impl Exhausted {
    /// The failure that ended it: one that no other provider could mend, or the last.
    pub fn decisive(&self) -> Option<&Failure> {
        self.tried.last()
    }

    /// When the first of them is worth asking again, where that is known.
    pub fn wake_at(&self) -> Option<jiff::Timestamp> {
        self.tried
            .iter()
            .filter_map(|failure| failure.wake_at)
            .min()
    }
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.tried.is_empty() {
            return f.write_str("no provider is set up for this; set a key or an address for one");
        }
        let each: Vec<String> = self.tried.iter().map(Failure::to_string).collect();
        write!(f, "no provider could answer: {}", each.join("; "))
    }
}

impl std::error::Error for Exhausted {}

impl Caller {
    /// Asks the providers in order. A failure that another provider may mend leads on to the next; when none is
    /// left, those that were passed over because of their breaker get a last chance.
    pub async fn chain<T, F, Fut>(
        &self,
        providers: &[Provider],
        terms: &Terms<'_>,
        mut operation: F,
    ) -> Result<Served<T>, Exhausted>
    where
        F: FnMut(Attempt) -> Fut,
        Fut: Future<Output = Result<T, Fault>>,
    {
        let mut tried = Vec::new();
        for last_resort in [false, true] {
            for provider in providers {
                if last_resort && !take_skipped(&mut tried, provider) {
                    continue;
                }
                match self.ask(provider, terms, last_resort, &mut operation).await {
                    Ok(value) => {
                        let by = provider.clone();
                        return Ok(Served { value, by, tried });
                    }
                    Err(failure) => {
                        let ends = !failure.next_provider_may_help();
                        tried.push(failure);
                        if ends {
                            return Err(Exhausted { tried });
                        }
                    }
                }
            }
        }
        Err(Exhausted { tried })
    }
}

/// Takes the provider off the list if its breaker kept it from being asked.
fn take_skipped(tried: &mut Vec<Failure>, provider: &Provider) -> bool {
    let skipped =
        |failure: &Failure| failure.cause == Cause::BreakerOpen && failure.provider == *provider;
    let place = tried.iter().position(skipped);
    place.map(|place| tried.remove(place)).is_some()
}
