//! Several providers of one kind, asked in order until one answers.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::attempt_error::AttemptError;
use super::provider::ProviderName;
use super::{CallAttempt, CallContext, Caller};
use crate::error::{CallFailure, FailureCause};

/// An answer, and who was asked in vain before.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainAnswer<T> {
    /// What the provider answered.
    pub value: T,
    /// Who answered.
    pub by: ProviderName,
    /// Those before it in the chain, in order; empty if the first one answered.
    pub tried: Vec<CallFailure>,
}

/// Nobody answered; why not, one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChainExhausted {
    /// One failure for each provider, in order; empty if none is configured.
    pub tried: Vec<CallFailure>,
}

impl ChainExhausted {
    /// The failure that ended it: one that no other provider could help with, or the last.
    pub fn decisive(&self) -> Option<&CallFailure> {
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

impl fmt::Display for ChainExhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.tried.is_empty() {
            return f
                .write_str("no provider is configured for this; set a key or an address for one");
        }
        let each: Vec<String> = self.tried.iter().map(CallFailure::to_string).collect();
        write!(f, "no provider could answer: {}", each.join("; "))
    }
}

impl std::error::Error for ChainExhausted {}

impl Caller {
    /// Asks the providers in order. A failure that another provider may help with leads on to the next; when none is
    /// left, those that were passed over because of their breaker get a last chance.
    pub async fn chain<T, F, Fut>(
        &self,
        providers: &[ProviderName],
        context: &CallContext<'_>,
        mut operation: F,
    ) -> Result<ChainAnswer<T>, ChainExhausted>
    where
        F: FnMut(CallAttempt) -> Fut,
        Fut: Future<Output = Result<T, AttemptError>>,
    {
        let mut tried = Vec::new();
        // Plain pairs: an iterator with closures, held over an await, keeps the future from being sent to a task.
        let first = providers.iter().map(|provider| (provider, false));
        let again = providers.iter().map(|provider| (provider, true));
        let turns: Vec<(&ProviderName, bool)> = first.chain(again).collect();
        for (provider, last_resort) in turns {
            if last_resort && !take_skipped(&mut tried, provider) {
                continue;
            }
            match self
                .ask(provider, context, last_resort, &mut operation)
                .await
            {
                Ok(value) => {
                    let by = provider.clone();
                    return Ok(ChainAnswer { value, by, tried });
                }
                Err(failure) => {
                    let ends = !failure.next_provider_may_help();
                    tried.push(failure);
                    if ends {
                        break;
                    }
                }
            }
        }
        Err(ChainExhausted { tried })
    }
}

/// Takes the provider off the list if its breaker kept it from being asked.
fn take_skipped(tried: &mut Vec<CallFailure>, provider: &ProviderName) -> bool {
    let skipped = |failure: &CallFailure| {
        failure.cause == FailureCause::BreakerOpen && failure.provider == *provider
    };
    let place = tried.iter().position(skipped);
    place.map(|place| tried.remove(place)).is_some()
}
