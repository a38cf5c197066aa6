//! The door to the models: which one serves a role, asked through the call layer, with fall-over.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::client::ModelClient;
use super::completion::{Completion, TokenUsage};
use super::settings::{ModelRole, ModelSettings, RoleSettings};
use super::{ModelRequest, ModelSpending};
use crate::HttpClient;
use crate::call::{
    AttemptError, CallAttempt, CallContext, CallKind, Caller, ChainAnswer, ChainExhausted,
    ProviderName,
};
use crate::error::FailureCause;

/// Codes by which a provider says that its model's output broke the form: the answer is no use, the request is fine.
const OUTPUT_CODES: &[&str] = &["json_validate_failed", "tool_use_failed"];

/// All models that a run may ask, and what was learnt about them. One per process.
pub struct Models {
    caller: Arc<Caller>,
    settings: ModelSettings,
    models: BTreeMap<ProviderName, ModelClient>,
}

impl Models {
    /// Shares the caller with everything else that asks these endpoints.
    pub fn new(client: &HttpClient, caller: Arc<Caller>, settings: ModelSettings) -> Self {
        let mut models = BTreeMap::new();
        for role in ModelRole::ALL {
            for (place, provider) in chain(&settings, role).into_iter().enumerate() {
                let Some(endpoint) = settings.endpoints.get(place) else {
                    continue;
                };
                let name = named(&settings, role, place);
                let model = ModelClient::new(client.clone(), endpoint.clone(), name);
                models.entry(provider).or_insert(model);
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
        role: ModelRole,
        request: &ModelRequest,
        context: &CallContext<'_>,
    ) -> Result<ChainAnswer<Completion>, ChainExhausted> {
        match self.once(role, request, context).await {
            Err(exhausted) if is_worth_another(&exhausted) => {
                self.once(role, request, context).await
            }
            outcome => outcome,
        }
    }

    /// The providers that serve a role, in order.
    pub fn providers(&self, role: ModelRole) -> Vec<ProviderName> {
        chain(&self.settings, role)
    }

    /// The model that is asked first in a role.
    pub fn name(&self, role: ModelRole) -> String {
        named(&self.settings, role, 0)
    }

    /// The models of all roles and endpoints whose price is not known, each once. Their cost cannot be capped.
    pub fn unpriced(&self) -> Vec<&str> {
        let names: BTreeSet<&str> = self.models.values().map(|one| one.model.as_str()).collect();
        let unknown = |name: &&str| self.settings.prices.find(name).is_none();
        names.into_iter().filter(unknown).collect()
    }

    pub(super) async fn once(
        &self,
        role: ModelRole,
        request: &ModelRequest,
        context: &CallContext<'_>,
    ) -> Result<ChainAnswer<Completion>, ChainExhausted> {
        let request = &self.fitted(role, request);
        let context = context.with_kind(CallKind::Model);
        let chain = chain(&self.settings, role);
        self.caller
            .chain(&chain, &context, |attempt: CallAttempt| async move {
                let client = self.models.get(&attempt.provider);
                let client = client.ok_or(AttemptError::Bug)?;
                let mut completion = client.complete(request, &attempt).await?;
                let prices = &self.settings.prices;
                let price = prices
                    .find(&client.model)
                    .or_else(|| prices.find(&completion.model));
                completion.cost = price.map(|price| price.cost(&completion.usage));
                Ok(completion)
            })
            .await
    }

    /// Tells a model that its endpoint did not keep to a schema.
    pub(super) fn schema_was_ignored(&self, by: &ProviderName) {
        if let Some(client) = self.models.get(by) {
            client.schema_was_ignored();
        }
    }

    /// Twice the tokens, up to the ceiling; none if there are no more to be had.
    pub(super) fn more_tokens(&self, role: ModelRole, request: &ModelRequest) -> Option<u32> {
        let now = self.fitted(role, request).max_tokens?;
        let more = now.saturating_mul(2).min(self.settings.max_tokens_ceiling);
        (more > now).then_some(more)
    }

    /// What one answer may cost at most, roughly: the request's tokens and all that the answer may have, at the price
    /// of the role's first model.
    pub fn estimate(&self, role: ModelRole, request: &ModelRequest) -> ModelSpending {
        let usage = TokenUsage {
            input: request.estimate_tokens(),
            output: u64::from(self.fitted(role, request).max_tokens.unwrap_or_default()),
            cached: 0,
            estimated: true,
        };
        let price = self.settings.prices.find(&named(&self.settings, role, 0));
        ModelSpending {
            usage,
            cost: price.map(|price| price.cost(&usage)),
            answers: 0,
        }
    }

    /// The request with the role's settings where it has none of its own.
    fn fitted(&self, role: ModelRole, request: &ModelRequest) -> ModelRequest {
        let settings = role_settings(&self.settings, role);
        ModelRequest {
            temperature: request.temperature.or(Some(settings.temperature)),
            max_tokens: request.max_tokens.or(Some(settings.max_tokens)),
            ..request.clone()
        }
    }
}

/// Whether the failure is about the answer's form: then the same question may get a better one.
pub(super) fn is_worth_another(exhausted: &ChainExhausted) -> bool {
    exhausted.decisive().is_some_and(|failure| {
        let code = failure.code.as_deref().unwrap_or_default();
        failure.cause == FailureCause::Garbled || OUTPUT_CODES.contains(&code)
    })
}

fn role_settings(settings: &ModelSettings, role: ModelRole) -> RoleSettings {
    let set = settings.roles.get(&role).cloned();
    set.unwrap_or_else(|| RoleSettings::for_role(role))
}

/// The model asked for: the role's own at the first endpoint, else the endpoint's, else the usual one.
fn named(settings: &ModelSettings, role: ModelRole, place: usize) -> String {
    let of_endpoint = settings.endpoints.get(place);
    let of_endpoint = of_endpoint.and_then(|endpoint| endpoint.model.clone());
    let of_role = role_settings(settings, role).model;
    let named = match place {
        0 => of_role.or(of_endpoint),
        _ => of_endpoint.or(of_role),
    };
    named.unwrap_or_else(|| role.usual_model().to_owned())
}

fn chain(settings: &ModelSettings, role: ModelRole) -> Vec<ProviderName> {
    let named = |(place, endpoint): (usize, &super::ModelEndpoint)| {
        ProviderName::model(&endpoint.name, &named(settings, role, place))
    };
    settings.endpoints.iter().enumerate().map(named).collect()
}
