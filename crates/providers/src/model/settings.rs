//! Who is asked: endpoints in order, a model per role, and what tokens cost.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::price::ModelPrices;
use crate::{BaseUrl, Secret};

/// The part a model plays in a run.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
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

    /// The name in settings.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The model that is asked for where no setting names one.
    pub(super) fn usual_model(self) -> &'static str {
        match self {
            Self::Searcher => "gpt-4o-mini",
            Self::Planner | Self::Analyst | Self::Writer | Self::Reviewer => "gpt-4o",
        }
    }
}

/// How a role's requests are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleSettings {
    /// Asked for at the first endpoint, whatever model that has for all roles. Where neither names one, the usual one.
    pub model: Option<String>,
    /// Zero for the most likely answer.
    pub temperature: f32,
    /// The limit on an answer, raised once if it is cut off.
    pub max_tokens: u32,
}

impl RoleSettings {
    /// The usual settings of this role.
    pub fn for_role(role: ModelRole) -> Self {
        let temperature = match role {
            ModelRole::Planner => 0.3,
            ModelRole::Searcher | ModelRole::Reviewer => 0.1,
            ModelRole::Analyst => 0.2,
            ModelRole::Writer => 0.4,
        };
        Self {
            model: None,
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
    /// An answer that has begun may pause for so long. Comments and pings count as a sign of life.
    pub idle: Duration,
}

/// How long an answer may take to begin, and may pause. A model on one's own machine reads a long prompt for minutes,
/// sometimes after a first sign of life, and lets those wait who ask at the same time: only the limit of the whole call
/// holds there.
const PATIENCE: Duration = Duration::from_secs(30);
const PATIENCE_NEARBY: Duration = Duration::from_secs(600);

impl ModelEndpoint {
    /// Named after its host, with more patience for a server nearby.
    pub fn new(api: ModelApi, address: BaseUrl, key: Option<Secret>) -> Self {
        let patience = if address.is_nearby() {
            PATIENCE_NEARBY
        } else {
            PATIENCE
        };
        Self {
            name: address.authority(),
            api,
            address,
            key,
            model: None,
            first_byte: patience,
            idle: patience,
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
    /// What tokens cost, by the model's name.
    pub prices: ModelPrices,
    /// An answer that was cut off is asked for again with more tokens, up to this many.
    pub max_tokens_ceiling: u32,
}

impl ModelSettings {
    /// All roles with their usual settings.
    pub fn new(endpoints: Vec<ModelEndpoint>) -> Self {
        let roles = ModelRole::ALL.map(|role| (role, RoleSettings::for_role(role)));
        Self {
            endpoints,
            roles: roles.into(),
            prices: ModelPrices::published(),
            max_tokens_ceiling: 32_768,
        }
    }
}
