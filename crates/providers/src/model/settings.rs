//! Who is asked: endpoints in order, a model per role, and what tokens cost.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::price::TokenPrice;
use crate::{BaseUrl, Secret};

/// The part a model plays in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelRole {
    /// Plans the research.
    Planner,
    /// Refines search queries.
    Searcher,
    /// Reads sources and finds claims.
    Analyst,
    /// Writes the report.
    Writer,
    /// Reviews drafts and checks support.
    Reviewer,
}

impl ModelRole {
    /// Every role once.
    pub const ALL: [Self; 5] = [
        Self::Planner,
        Self::Searcher,
        Self::Analyst,
        Self::Writer,
        Self::Reviewer,
    ];
}

/// How a role's requests are made.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleSettings {
    /// Used at endpoints that name no model of their own.
    pub model: String,
    /// Zero for the most likely answer.
    pub temperature: f32,
    /// The limit on an answer, raised once if it is cut off.
    pub max_tokens: u32,
}

impl RoleSettings {
    /// The usual settings of this role.
    pub fn for_role(role: ModelRole) -> Self {
        let (model, temperature) = match role {
            ModelRole::Planner => ("gpt-4o", 0.3),
            ModelRole::Searcher => ("gpt-4o-mini", 0.1),
            ModelRole::Analyst => ("gpt-4o", 0.2),
            ModelRole::Writer => ("gpt-4o", 0.4),
            ModelRole::Reviewer => ("gpt-4o", 0.1),
        };
        Self {
            model: model.to_owned(),
            temperature,
            max_tokens: 4_096,
        }
    }
}

/// The wire form an endpoint speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelApi {
    /// Chat completions, as OpenAI and most others offer them.
    OpenAi,
    /// Anthropic's Messages.
    Anthropic,
}

/// A server of models.
#[derive(Clone, Debug)]
pub struct ModelEndpoint {
    /// The name that events and errors give it.
    pub name: String,
    /// The wire form that it speaks.
    pub api: ModelApi,
    /// What comes before `/chat/completions` or `/messages`, such as `https://api.openai.com/v1`.
    pub address: BaseUrl,
    /// Local servers need none.
    pub key: Option<Secret>,
    /// The model to ask for here, whatever the role; a local server often has just one.
    pub model: Option<String>,
    /// An answer must begin within this time.
    pub first_byte: Duration,
}

/// How long an answer may take to begin. A model on one's own machine reads a long prompt for minutes, and lets those
/// wait who ask at the same time: only the limit of the whole call holds there.
const FIRST_BYTE: Duration = Duration::from_secs(30);
const FIRST_BYTE_NEARBY: Duration = Duration::from_secs(600);

impl ModelEndpoint {
    /// Named after its host, with more patience for a server nearby.
    pub fn new(api: ModelApi, address: BaseUrl, key: Option<Secret>) -> Self {
        let first_byte = if address.is_nearby() {
            FIRST_BYTE_NEARBY
        } else {
            FIRST_BYTE
        };
        Self {
            name: address.authority(),
            api,
            address,
            key,
            model: None,
            first_byte,
        }
    }
}

/// Which endpoints are asked, and for which role.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    /// The first is asked first; the others when it fails.
    pub endpoints: Vec<ModelEndpoint>,
    /// A role that is missing has its usual settings.
    pub roles: BTreeMap<ModelRole, RoleSettings>,
    /// By the model's name as it is asked for.
    pub prices: BTreeMap<String, TokenPrice>,
    /// An answer that was cut off is asked for again with more tokens, up to this many.
    pub max_tokens_ceiling: u32,
}

impl ModelSettings {
    /// All roles with their usual settings.
    pub fn new(endpoints: Vec<ModelEndpoint>) -> Self {
        let roles = ModelRole::ALL.map(|role| (role, RoleSettings::for_role(role)));
        // List prices of the default models; an operator with others sets them.
        let prices = [
            ("gpt-4o", 2_500_000, 10_000_000),
            ("gpt-4o-mini", 150_000, 600_000),
        ];
        let priced = |(model, input_micros, output_micros): (&str, u64, u64)| {
            let price = TokenPrice {
                input_micros,
                output_micros,
                cached_micros: Some(input_micros / 2),
            };
            (model.to_owned(), price)
        };
        Self {
            endpoints,
            roles: roles.into(),
            prices: prices.into_iter().map(priced).collect(),
            max_tokens_ceiling: 32_768,
        }
    }
}
