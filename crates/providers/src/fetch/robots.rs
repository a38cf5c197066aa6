//! Obeys robots.txt by RFC 9309: asked once per site, remembered for a day.
//!
//! No such file (4xx) or an endless redirect allows everything; a server that fails (5xx) or can't be
//! reached forbids everything. It is asked once more when somebody tries again, then after some minutes.
//! The file itself is fetched by the rules of any page.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use http::StatusCode;
use robotxt::Robots;
use tokio::{sync::OnceCell, time::Instant};

use super::{FetchError, FetchRefusal, FetchTarget, FetchedPage, page::FetchPath};

/// How robots.txt files name us.
const PRODUCT: &str = "fathom";

const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
const FAILURE_KEPT: Duration = Duration::from_secs(5 * 60);
const SITES_MAX: usize = 1_024;

#[derive(Default)]
pub(super) struct RobotsCache {
    sites: Mutex<HashMap<String, Arc<RobotsSite>>>,
}

struct RobotsSite {
    since: Instant,
    /// The time before, the rules could not be had.
    asked_again: bool,
    rules: OnceCell<RobotsRules>,
}

enum RobotsRules {
    Known(Robots),
    Unreachable,
}

impl RobotsCache {
    /// Refuses the target if its site's rules do. Several pages of a site wait for one file.
    pub(super) async fn check(
        &self,
        target: &FetchTarget,
        road: &FetchPath,
    ) -> Result<(), FetchError> {
        let site = self.site(target);
        match site.rules.get_or_try_init(|| ask(target, road)).await? {
            RobotsRules::Known(robots) if robots.is_url_allowed(target.url()) => Ok(()),
            RobotsRules::Known(_) => Err(FetchRefusal::Robots.into()),
            RobotsRules::Unreachable => Err(FetchError::RobotsUnreachable),
        }
    }

    fn site(&self, target: &FetchTarget) -> Arc<RobotsSite> {
        let key = target.url().origin().ascii_serialization();
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let over = sites.get(&key).filter(|site| site.is_over());
        let asked_again = over.is_some_and(|site| site.is_unreachable());
        if over.is_some() {
            sites.remove(&key);
        }
        if sites.len() >= SITES_MAX {
            make_room(&mut sites);
        }
        let fresh = || {
            Arc::new(RobotsSite {
                since: Instant::now(),
                asked_again,
                rules: OnceCell::new(),
            })
        };
        Arc::clone(sites.entry(key).or_insert_with(fresh))
    }
}

impl RobotsSite {
    fn is_over(&self) -> bool {
        let kept = match self.rules.get() {
            Some(RobotsRules::Unreachable) if !self.asked_again => return true,
            Some(RobotsRules::Unreachable) => FAILURE_KEPT,
            Some(RobotsRules::Known(_)) | None => KEPT,
        };
        self.since.elapsed() > kept
    }

    fn is_unreachable(&self) -> bool {
        matches!(self.rules.get(), Some(RobotsRules::Unreachable))
    }
}

fn make_room(sites: &mut HashMap<String, Arc<RobotsSite>>) {
    sites.retain(|_, site| !site.is_over());
    if sites.len() >= SITES_MAX {
        let oldest = sites.iter().min_by_key(|(_, site)| site.since);
        if let Some(key) = oldest.map(|(key, _)| key.clone()) {
            sites.remove(&key);
        }
    }
}

/// Asks the site for its rules. A fault that its pages would meet just the same is passed on as it is.
async fn ask(target: &FetchTarget, road: &FetchPath) -> Result<RobotsRules, FetchError> {
    let url = target.url().join("/robots.txt");
    let url = url.map_err(|_| FetchError::RobotsUnreachable)?;
    let rules = match road.robots_file(url).await {
        Ok(page) => rules_from_page(&page),
        Err(FetchError::Refused(FetchRefusal::TooManyRedirects { .. })) => {
            RobotsRules::Known(Robots::allow_all())
        }
        Err(fault) if fault.is_unconnected() => return Err(fault),
        Err(_) => RobotsRules::Unreachable,
    };
    Ok(rules)
}

/// RFC 9309, section 2.3.1; that a busy server has no rules is not to be concluded from its 429.
fn rules_from_page(page: &FetchedPage) -> RobotsRules {
    let status = page.status;
    if status.is_success() {
        RobotsRules::Known(Robots::parse(&page.bytes, PRODUCT))
    } else if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS {
        RobotsRules::Known(Robots::allow_all())
    } else {
        RobotsRules::Unreachable
    }
}
