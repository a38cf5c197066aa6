//! Looks works up by their DOI: who wrote what, where and when, and whether it was retracted.
//!
//! Crossref is asked first, then DataCite; both need no key. Takes a [`Doi`]; gives a [`Work`], or none if both
//! registers say that they have none. The resolver at doi.org is not asked: it answers with redirects to other
//! hosts, which the client does not follow. Its form of metadata, CSL-JSON, is what Crossref's parser reads as well.

mod crossref;
mod datacite;
mod fields;
mod notice;
mod work;

pub(crate) use notice::is_retracted;
pub use notice::{NoticeKind, WorkNotice};
pub use work::{Work, WorkAuthor};

use std::sync::Arc;
use std::time::Duration;

use url::Url;

use serde_json::Value;

use crate::call::{
    AttemptError, CallAttempt, CallContext, CallKind, Caller, ChainExhausted, ProviderName,
};
use crate::client::HttpRequest;
use crate::{BaseUrl, CallFailure, Doi, HttpClient};

/// Where the registers are reached.
#[derive(Clone, Debug)]
pub struct WorkSettings {
    /// Asked first.
    pub crossref: BaseUrl,
    /// Asked for what Crossref does not have.
    pub datacite: BaseUrl,
    /// Whom the registers may write to. Crossref serves those sooner who give one.
    pub mail: Option<String>,
    /// How long a register may take to begin its answer.
    pub first_byte: Duration,
}

impl Default for WorkSettings {
    fn default() -> Self {
        let fixed = |raw| BaseUrl::parse(raw).expect("these addresses are well formed");
        Self {
            crossref: fixed("https://api.crossref.org"),
            datacite: fixed("https://api.datacite.org"),
            mail: None,
            first_byte: Duration::from_secs(10),
        }
    }
}

/// The registers of works.
pub struct Works {
    client: HttpClient,
    caller: Arc<Caller>,
    settings: WorkSettings,
}

/// A register's answer, understood; none if the JSON is of another shape.
type ParseWork = fn(&Value, &Doi) -> Option<Work>;

impl Works {
    /// Shares the caller with everything else that asks these registers.
    pub fn new(client: HttpClient, caller: Arc<Caller>, settings: WorkSettings) -> Self {
        Self {
            client,
            caller,
            settings,
        }
    }

    /// What is known of the work; none if no register has it. If one register could not be asked and the other has
    /// nothing, that is a failure: the work may well exist.
    pub async fn look_up(
        &self,
        doi: &Doi,
        context: &CallContext<'_>,
    ) -> Result<Option<Work>, ChainExhausted> {
        let mut tried = Vec::new();
        let settings = &self.settings;
        let registers: [(&str, &BaseUrl, &str, ParseWork); 2] = [
            ("crossref", &settings.crossref, "works", crossref::work),
            ("datacite", &settings.datacite, "dois", datacite::work),
        ];
        for (name, address, list, parse) in registers {
            let url = address.join([list, doi.as_str()]);
            match self.ask(name, &url, doi, parse, context).await {
                Ok(Some(work)) => return Ok(Some(work)),
                Ok(None) => {}
                Err(failure) => {
                    let ends = !failure.next_provider_may_help();
                    tried.push(failure);
                    if ends {
                        break;
                    }
                }
            }
        }
        if tried.is_empty() {
            return Ok(None);
        }
        Err(ChainExhausted { tried })
    }

    /// Asks one register. That it has no such work is an answer.
    async fn ask(
        &self,
        name: &str,
        url: &Url,
        doi: &Doi,
        parse: ParseWork,
        context: &CallContext<'_>,
    ) -> Result<Option<Work>, CallFailure> {
        let context = context.with_kind(CallKind::Search);
        let operation = async |attempt: CallAttempt| {
            let request = self.request(name, url.clone());
            match self.client.ask(&attempt, request).await {
                Ok(reply) => {
                    let found = parse(&reply.json()?, doi);
                    found.map(Some).ok_or_else(|| reply.refused())
                }
                Err(AttemptError::Answer(answer)) if answer.status == 404 => Ok(None),
                Err(fault) => Err(fault),
            }
        };
        self.caller
            .call(&ProviderName::new(name), &context, operation)
            .await
    }

    fn request(&self, name: &str, url: Url) -> HttpRequest {
        let request = HttpRequest::get(url, self.settings.first_byte).accept("application/json");
        match (name, &self.settings.mail) {
            ("crossref", Some(mail)) => request.query("mailto", mail),
            _ => request,
        }
    }
}

#[cfg(test)]
mod tests;
