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

use super::{Fault, Page, Refusal, Target, page::Road};

const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
const FAILURE_KEPT: Duration = Duration::from_secs(5 * 60);
const SITES_MAX: usize = 1_024;

#[derive(Default)]
pub(super) struct RobotsCache {
    sites: Mutex<HashMap<String, Arc<Site>>>,
}

struct Site {
    since: Instant,
    /// The time before, the rules could not be had.
    asked_again: bool,
    rules: OnceCell<Rules>,
}

enum Rules {
    Known(Robots),
    Unreachable,
}

impl RobotsCache {
    /// Refuses the target if its site's rules do. Several pages of a site wait for one file.
    pub(super) async fn check(&self, target: &Target, road: &Road) -> Result<(), Fault> {
        let site = self.site(target);
        match site.rules.get_or_try_init(|| ask(target, road)).await? {
            Rules::Known(robots) if robots.is_url_allowed(target.url()) => Ok(()),
            Rules::Known(_) => Err(Refusal::Robots.into()),
            Rules::Unreachable => Err(Fault::RobotsUnreachable),
        }
    }

    fn site(&self, target: &Target) -> Arc<Site> {
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
            Arc::new(Site {
                since: Instant::now(),
                asked_again,
                rules: OnceCell::new(),
            })
        };
        Arc::clone(sites.entry(key).or_insert_with(fresh))
    }
}

impl Site {
    fn is_over(&self) -> bool {
        let kept = match self.rules.get() {
            Some(Rules::Unreachable) if !self.asked_again => return true,
            Some(Rules::Unreachable) => FAILURE_KEPT,
            Some(Rules::Known(_)) | None => KEPT,
        };
        self.since.elapsed() > kept
    }

    fn is_unreachable(&self) -> bool {
        matches!(self.rules.get(), Some(Rules::Unreachable))
    }
}

fn make_room(sites: &mut HashMap<String, Arc<Site>>) {
    sites.retain(|_, site| !site.is_over());
    if sites.len() >= SITES_MAX {
        let oldest = sites.iter().min_by_key(|(_, site)| site.since);
        if let Some(key) = oldest.map(|(key, _)| key.clone()) {
            sites.remove(&key);
        }
    }
}

/// Asks the site for its rules. A fault that its pages would meet just the same is passed on as it is.
async fn ask(target: &Target, road: &Road) -> Result<Rules, Fault> {
    let url = target.url().join("/robots.txt");
    let url = url.map_err(|_| Fault::RobotsUnreachable)?;
    let rules = match road.robots_file(url).await {
        Ok(page) => of_page(&page, road),
        Err(Fault::Refused(Refusal::TooManyRedirects { .. })) => Rules::Known(Robots::allow_all()),
        Err(fault) if fault.is_unconnected() => return Err(fault),
        Err(_) => Rules::Unreachable,
    };
    Ok(rules)
}

/// RFC 9309, section 2.3.1; that a busy server has no rules is not to be concluded from its 429.
fn of_page(page: &Page, road: &Road) -> Rules {
    let status = page.status;
    if status.is_success() {
        Rules::Known(Robots::parse(&page.bytes, road.product()))
    } else if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS {
        Rules::Known(Robots::allow_all())
    } else {
        Rules::Unreachable
    }
}
