//! What the world answers. Whatever a script leaves open is answered as a sensible model and a plain web would.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::prompt::{Judgement, Prompt};

/// How the model answers one prompt.
#[derive(Clone, Debug)]
pub enum Reply {
    Json(Value),
    Text(String),
    /// An error status with a body.
    Status(u16, Value),
    /// An answer without a choice in it.
    NoChoices,
    /// The beginning of an answer, cut by a limit on tokens.
    Cut(String),
    /// The stream is open and says that it lives, and no answer ever comes.
    Pings,
    /// The answer begins and breaks off.
    BreaksOff(String),
    /// The answer begins, and nothing follows.
    Stalls(String),
    /// Too many calls: to be asked again after so many seconds.
    Later(u64),
    /// No answer ever comes.
    Hangs,
}

/// A page of the small web here.
#[derive(Clone, Debug)]
pub struct Page {
    pub title: String,
    /// Words by which the search finds it.
    pub text: String,
}

/// A few pages on street trees, for tests that need something to find.
pub fn street_tree_pages() -> Vec<Page> {
    let page = |title: &str, text: &str| Page {
        title: title.to_owned(),
        text: text.to_owned(),
    };
    vec![
        page(
            "Street trees and cooling",
            "Street trees lowered the afternoon air temperature by 1.9 degrees in the trial of Halvern. \
             The cooling was strongest in streets with closed canopy. The trial ran for three summers. \
             It was paid for by the council.",
        ),
        page(
            "Water for street trees",
            "Young street trees need 120 litres of water a week in their first summer. \
             Without that water, a third of the street trees died. The water came from a well.",
        ),
        page(
            "What street trees cost",
            "The cost of one street tree over forty years was 2,100 euros in Dunmere. \
             Maintenance makes up most of the cost of street trees. Planting is the smaller part.",
        ),
    ]
}

/// A work in the register, which a page names by its DOI.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub(crate) page: usize,
    pub(crate) doi: String,
    /// Crossref's record; nothing where the register fails.
    pub(crate) record: Option<Value>,
}

type Answer = Arc<dyn Fn(&Prompt, usize) -> Option<Reply> + Send + Sync>;

#[derive(Clone)]
pub struct Script {
    pub(crate) answer: Answer,
    pub(crate) pages: Arc<Vec<Page>>,
    pub(crate) works: Vec<Work>,
    /// What every answer takes.
    pub(crate) delay: Duration,
    pub(crate) search_fails: bool,
    /// Searches from this number on are never answered.
    pub(crate) search_hangs_from: usize,
    /// Pages from this number on are found and cannot be read.
    pub(crate) readable: usize,
    /// Pages with the page that is a free copy of them.
    pub(crate) copies: Vec<(usize, usize)>,
    /// How many hosts the pages are spread over.
    pub(crate) hosts: usize,
}

impl Script {
    /// A model that does its work, and a web of these pages.
    pub fn sensible(pages: Vec<Page>) -> Self {
        Self {
            answer: Arc::new(|_, _| None),
            pages: Arc::new(pages),
            works: Vec::new(),
            delay: Duration::ZERO,
            search_fails: false,
            search_hangs_from: usize::MAX,
            readable: usize::MAX,
            copies: Vec::new(),
            hosts: 1,
        }
    }

    /// Answers a prompt in a way of its own; gets how many prompts for this judgement came before. `None` leaves it
    /// to the sensible model.
    #[must_use]
    pub fn answering(
        mut self,
        answer: impl Fn(&Prompt, usize) -> Option<Reply> + Send + Sync + 'static,
    ) -> Self {
        self.answer = Arc::new(answer);
        self
    }

    /// Answers one judgement always in the same way.
    #[must_use]
    pub fn always(self, judgement: Judgement, reply: Reply) -> Self {
        self.answering(move |prompt, _| (prompt.judgement == judgement).then(|| reply.clone()))
    }

    #[must_use]
    pub fn taking(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Spreads the pages over hosts, since few are read at once from one.
    #[must_use]
    pub fn on_hosts(mut self, hosts: usize) -> Self {
        self.hosts = hosts.max(1);
        self
    }

    /// Gives a page a DOI, and the register its record as Crossref writes it; a register without one fails.
    #[must_use]
    pub fn with_work(mut self, page: usize, doi: &str, record: Option<Value>) -> Self {
        self.works.push(Work {
            page,
            doi: doi.to_owned(),
            record,
        });
        self
    }

    /// Pages from this number on are found and cannot be read.
    #[must_use]
    pub fn readable_until(mut self, number: usize) -> Self {
        self.readable = number;
        self
    }

    /// Says of a page that another is a free copy of it.
    #[must_use]
    pub fn with_copy(mut self, page: usize, copy: usize) -> Self {
        self.copies.push((page, copy));
        self
    }

    #[must_use]
    pub fn without_search(mut self) -> Self {
        self.search_fails = true;
        self
    }

    /// Searches from this number on are never answered.
    #[must_use]
    pub fn hanging_from_search(mut self, number: usize) -> Self {
        self.search_hangs_from = number;
        self
    }
}
