//! Fetches a page: check, robots.txt, the host's turn, connect, ask, follow or read.
//!
//! Takes a URL as text, gives a [`FetchedPage`] with its bytes as the server meant them: decoded from their
//! transfer, not yet from their charset. What the bytes are, and what they say, is for
//! `evidence::extract`. Whether to try again is for the caller. Time is tokio's, which tests can pause.

use std::{fmt, pin::Pin, time::Duration};

use http::{HeaderMap, StatusCode, header};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::{
    AllowList, FetchError, FetchLimits, FetchRefusal, FetchTarget, PageCut, body,
    dial::FetchNetwork, exchange, robots::RobotsCache, slots::HostSlots,
};
use crate::client::AGENT;

/// A robots.txt takes at most this much of its page's time.
const ROBOTS_TOTAL: Duration = Duration::from_secs(15);

/// What a server answered.
#[derive(Clone)]
pub struct FetchedPage {
    /// Where the bytes came from, after redirects.
    pub url: Url,
    /// Any status but a redirect; bytes are read of a success only.
    pub status: StatusCode,
    /// As the server declares it, which may be wrong.
    pub content_type: Option<String>,
    /// Those of the last answer.
    pub headers: HeaderMap,
    /// Unpacked, in the page's own charset.
    pub bytes: Vec<u8>,
    /// Set if the end is missing because of the size limit.
    pub cut: Option<PageCut>,
    /// How many were followed.
    pub redirects: usize,
}

impl FetchedPage {
    /// Which version of the page this is, as far as its server says.
    pub fn version(&self) -> PageVersion {
        let text = |name: header::HeaderName| {
            let value = self.headers.get(name)?.to_str().ok()?;
            Some(value.to_owned())
        };
        PageVersion {
            etag: text(header::ETAG),
            last_modified: text(header::LAST_MODIFIED),
        }
    }
}

/// Names a version of a page in its server's words, so that it is only sent again when it has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageVersion {
    /// The header `ETag`.
    pub etag: Option<String>,
    /// The header `Last-Modified`.
    pub last_modified: Option<String>,
}

impl fmt::Debug for FetchedPage {
    /// Without the bytes: a stranger's text has no place in our logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchedPage")
            .field("url", &self.url.as_str())
            .field("status", &self.status.as_u16())
            .field("bytes", &self.bytes.len())
            .field("cut", &self.cut)
            .finish_non_exhaustive()
    }
}

/// Reads pages of the public internet, and of hosts that the operator opened.
pub struct Fetcher {
    road: FetchPath,
    robots: RobotsCache,
}

/// Everything between a checked target and its answer, robots.txt left aside.
pub(super) struct FetchPath {
    network: FetchNetwork,
    allow: AllowList,
    limits: FetchLimits,
    slots: HostSlots,
}

impl Fetcher {
    /// Has an empty memory of robots.txt files: make one per process.
    pub fn new(network: FetchNetwork, allow: AllowList, limits: FetchLimits) -> Self {
        let road = FetchPath {
            slots: HostSlots::new(limits.at_once_per_host),
            network,
            allow,
            limits,
        };
        Self {
            road,
            robots: RobotsCache::default(),
        }
    }

    /// What the operator opened; the links of a page are judged by it too.
    pub fn allow(&self) -> &AllowList {
        &self.road.allow
    }

    /// Fetches one page.
    pub async fn get(&self, url: &str) -> Result<FetchedPage, FetchError> {
        self.get_unless(url, &PageVersion::default()).await
    }

    /// Fetches one page, unless its server says that it still has this version: the status is 304 then, and there are no bytes.
    pub async fn get_unless(
        &self,
        url: &str,
        known: &PageVersion,
    ) -> Result<FetchedPage, FetchError> {
        let target = FetchTarget::parse(url, &self.road.allow)?;
        self.road.follow(target, known, Some(&self.robots)).await
    }
}

enum FetchStep {
    Arrived(FetchedPage),
    Onward(FetchTarget),
}

impl FetchPath {
    async fn follow(
        &self,
        first: FetchTarget,
        known: &PageVersion,
        robots: Option<&RobotsCache>,
    ) -> Result<FetchedPage, FetchError> {
        let mut target = first;
        let total = match robots {
            Some(_) => self.limits.total,
            None => self.limits.total.min(ROBOTS_TOTAL),
        };
        let mut end = Instant::now() + total;
        let late = |_| FetchError::TotalTime { limit: total };
        for redirects in 0..=self.limits.redirects {
            if let Some(robots) = robots {
                let checked = timeout_at(end, robots.check(&target, self)).await;
                checked.map_err(late)??;
            }
            let queued = Instant::now();
            let turn = self.slots.take(target.host()).await;
            end += queued.elapsed();
            let step = timeout_at(end, self.step(&target, known, redirects)).await;
            drop(turn);
            match step.map_err(late)?? {
                FetchStep::Arrived(page) => return Ok(page),
                FetchStep::Onward(next) => target = next,
            }
        }
        let limit = self.limits.redirects;
        Err(FetchRefusal::TooManyRedirects { limit }.into())
    }

    async fn step(
        &self,
        target: &FetchTarget,
        known: &PageVersion,
        redirects: usize,
    ) -> Result<FetchStep, FetchError> {
        let wire = self.network.dial(target, &self.limits).await?;
        let answer = exchange::ask(wire, target, known, AGENT, &self.limits).await?;
        if is_redirect(answer.status) {
            let location = answer.headers.get(header::LOCATION);
            let location = location.ok_or(FetchRefusal::NoLocation)?;
            let location = String::from_utf8_lossy(location.as_bytes());
            return Ok(FetchStep::Onward(target.redirect(&location, &self.allow)?));
        }
        let (bytes, cut) = if answer.status.is_success() {
            body::read(answer.body, &answer.headers, &self.limits).await?
        } else {
            (Vec::new(), None)
        };
        let content_type = answer.headers.get(header::CONTENT_TYPE);
        Ok(FetchStep::Arrived(FetchedPage {
            url: target.url().clone(),
            status: answer.status,
            content_type: content_type.map(|t| String::from_utf8_lossy(t.as_bytes()).into_owned()),
            headers: answer.headers,
            bytes,
            cut,
            redirects,
        }))
    }

    /// The file that says what may be read. Boxed, for a page waits for this and this is a page.
    pub(super) fn robots_file(
        &self,
        url: Url,
    ) -> Pin<Box<dyn Future<Output = Result<FetchedPage, FetchError>> + Send + '_>> {
        Box::pin(async move {
            let target = FetchTarget::check(url, &self.allow)?;
            self.follow(target, &PageVersion::default(), None).await
        })
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}
