//! The door to the models: which one serves a role, asked through the call layer, with fall-over.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::completion::Completion;
use super::settings::{Api, Role, RoleSettings, Settings};
use super::{Anthropic, Model, OpenAi, Progress, Request};
use crate::Client;
use crate::call::{Attempt, Caller, Exhausted, Fault, Kind, Provider, Served, Terms};
use crate::error::Cause;

/// Codes by which a provider says that its model's output broke the form: the answer is no use, the request is fine.
const OUTPUT_CODES: &[&str] = &["json_validate_failed", "tool_use_failed"];

/// All models that a run may ask, and what was learnt about them. One per process.
pub struct Models {
    caller: Arc<Caller>,
    settings: Settings,
    models: BTreeMap<Provider, Entry>,
}

struct Entry {
    model: Arc<dyn Model>,
    /// The model's name, as it is asked for.
    name: String,
}

impl Models {
    pub fn new(client: &Client, caller: Arc<Caller>, settings: Settings) -> Self {
        let mut models = BTreeMap::new();
        for role in Role::ALL {
            for (place, provider) in chain(&settings, role).into_iter().enumerate() {
                let Some(endpoint) = settings.endpoints.get(place) else {
                    continue;
                };
                let name = named(&settings, role, place);
                let model: Arc<dyn Model> = match endpoint.api {
                    Api::OpenAi => Arc::new(OpenAi::new(client.clone(), endpoint.clone(), &name)),
                    Api::Anthropic => {
                        Arc::new(Anthropic::new(client.clone(), endpoint.clone(), &name))
                    }
                };
                models.entry(provider).or_insert(Entry { model, name });
            }
        }
        Self {
            caller,
            settings,
            models,
        }
    }

    /// Asks the role's models in order. An answer that breaks off or holds nothing is asked for once more.
    pub async fn ask(
        &self,
        role: Role,
        request: &Request,
        terms: &Terms<'_>,
        progress: Option<&dyn Progress>,
    ) -> Result<Served<Completion>, Exhausted> {
        match self.once(role, request, terms, progress).await {
            Err(exhausted) if is_worth_another(&exhausted) => {
                self.once(role, request, terms, progress).await
            }
            outcome => outcome,
        }
    }

    /// The providers that serve a role, in order.
    pub fn providers(&self, role: Role) -> Vec<Provider> {
        chain(&self.settings, role)
    }

    pub(super) async fn once(
        &self,
        role: Role,
        request: &Request,
        terms: &Terms<'_>,
        progress: Option<&dyn Progress>,
    ) -> Result<Served<Completion>, Exhausted> {
        let request = &self.fitted(role, request);
        let terms = Terms {
            kind: Kind::Model,
            ..*terms
        };
        let chain = chain(&self.settings, role);
        self.caller
            .chain(&chain, &terms, |attempt: Attempt| async move {
                let entry = self.models.get(&attempt.provider).ok_or(Fault::Bug)?;
                let mut completion = entry.model.complete(request, &attempt, progress).await?;
                let prices = &self.settings.prices;
                let price = prices
                    .get(&entry.name)
                    .or_else(|| prices.get(&completion.model));
                completion.cost = price.map(|price| price.of(&completion.usage));
                Ok(completion)
            })
            .await
    }

    /// Tells a model that its endpoint did not keep to a schema.
    pub(super) fn schema_was_ignored(&self, by: &Provider) {
        if let Some(entry) = self.models.get(by) {
            entry.model.schema_was_ignored();
        }
    }

    /// Twice the tokens, up to the ceiling; none if there are no more to be had.
    pub(super) fn more_tokens(&self, role: Role, request: &Request) -> Option<u32> {
        let now = self.fitted(role, request).max_tokens?;
        let more = now.saturating_mul(2).min(self.settings.max_tokens_ceiling);
        (more > now).then_some(more)
    }

    /// The request with the role's settings where it has none of its own.
    fn fitted(&self, role: Role, request: &Request) -> Request {
        let settings = of_role(&self.settings, role);
        Request {
            temperature: request.temperature.or(Some(settings.temperature)),
            max_tokens: request.max_tokens.or(Some(settings.max_tokens)),
            ..request.clone()
        }
    }
}

/// Whether the failure is about the answer's form: then the same question may get a better one.
pub(super) fn is_worth_another(exhausted: &Exhausted) -> bool {
    exhausted.decisive().is_some_and(|failure| {
        let code = failure.code.as_deref().unwrap_or_default();
        failure.cause == Cause::Garbled || OUTPUT_CODES.contains(&code)
    })
}

fn of_role(settings: &Settings, role: Role) -> RoleSettings {
    let set = settings.roles.get(&role).cloned();
    set.unwrap_or_else(|| RoleSettings::of(role))
}

fn named(settings: &Settings, role: Role, place: usize) -> String {
    let own = settings
        .endpoints
        .get(place)
        .and_then(|endpoint| endpoint.model.clone());
    own.unwrap_or_else(|| of_role(settings, role).model)
}

fn chain(settings: &Settings, role: Role) -> Vec<Provider> {
    let named = |(place, endpoint): (usize, &super::Endpoint)| {
        Provider::model(&endpoint.name, &named(settings, role, place))
    };
    settings.endpoints.iter().enumerate().map(named).collect()
}
