//! Refines a query that found too little: searches in other words and reads results, one action a turn.
//!
//! A reasoner chooses the action and code does it, within bounds on turns, searches and reads. A result is read by its
//! number, so that no text can lead to an address that no search gave. Every turn, search and read is recorded.

use fathom_workflow::NodeError;

use super::read;
use super::search::{Answered, Hit, SearchOutcome, SearchTask, once};
use crate::plan::{Query, QueryId, SourceKind};
use crate::reasoner::{Ctx, RefineAction, RefineTask, SeenResult, judge};

/// Results that are shown to who chooses.
const RESULTS_MOST: usize = 15;

/// Bytes of a read text that are kept for showing.
const TEXT_BYTES: usize = 8_000;

/// Actions that cannot be done, after which nothing more is asked.
const FAULTS_MOST: u32 = 2;

/// Pages that are read to refine one query.
pub(crate) const READS_MOST: u32 = 2;

/// What one query may still use.
#[derive(Clone, Copy)]
pub(crate) struct RefineLimits {
    pub(crate) searches: u32,
    pub(crate) reads: u32,
}

/// The first answer, with what further turns brought.
pub(crate) async fn refine(
    task: &SearchTask<'_>,
    ctx: &Ctx,
    id: QueryId,
    first: Answered,
    limits: RefineLimits,
) -> Result<Answered, NodeError> {
    let mut refinement = Refinement::new(task, ctx, id, first, limits);
    for turn in 1..=task.settings.max_search_iterations {
        if refinement.is_over() {
            break;
        }
        match refinement.choose(turn).await? {
            RefineAction::Search(query) => refinement.search(query).await?,
            RefineAction::Read { result } => refinement.read(result).await?,
            RefineAction::Stop => break,
        }
    }
    Ok(refinement.first)
}

struct Refinement<'a> {
    task: &'a SearchTask<'a>,
    ctx: &'a Ctx,
    id: QueryId,
    first: Answered,
    left: RefineLimits,
    kinds: Vec<SourceKind>,
    tried: Vec<String>,
    /// Each search that was put, with where it looked.
    put: Vec<(SourceKind, String)>,
    /// Each document once, in the order in which they were found.
    hits: Vec<Hit>,
    seen: Vec<SeenResult>,
    history: Vec<String>,
    faults: u32,
    poor: bool,
}

impl<'a> Refinement<'a> {
    fn new(
        task: &'a SearchTask<'a>,
        ctx: &'a Ctx,
        id: QueryId,
        first: Answered,
        left: RefineLimits,
    ) -> Self {
        let tried = task.queries.iter().map(|asked| asked.query.text.clone());
        let put = task.queries.iter();
        let put = put.map(|asked| (asked.query.kind, asked.query.text.to_lowercase()));
        let found = first.hits.clone();
        let mut refinement = Self {
            task,
            ctx,
            id,
            first,
            left,
            kinds: ctx.deps().kinds(task.settings.scope),
            tried: tried.collect(),
            put: put.collect(),
            hits: Vec::new(),
            seen: Vec::new(),
            history: Vec::new(),
            faults: 0,
            poor: true,
        };
        refinement.show(found);
        refinement
    }

    /// Nothing is read for its own sake: without a search left, no turn is worth its price.
    fn is_over(&self) -> bool {
        !self.poor || self.left.searches == 0 || self.faults >= FAULTS_MOST
    }

    async fn choose(&mut self, turn: u32) -> Result<RefineAction, NodeError> {
        let task = RefineTask {
            question: self.task.question,
            query: &self.first.query,
            place: self.id,
            turn,
            caps: self.task.settings.caps,
            tried: &self.tried,
            kinds: &self.kinds,
            results: &self.seen,
            history: &self.history,
            searches_left: self.left.searches,
            reads_left: self.left.reads,
        };
        let ctx = self.ctx;
        let judged = judge(&ctx.deps().reasoners.refiners, |refiner| {
            refiner.refine_query(ctx, &task)
        })
        .await?;
        self.first.failures.extend(judged.failures);
        Ok(judged.value)
    }

    async fn search(&mut self, query: Query) -> Result<(), NodeError> {
        let kind = word(query.kind);
        let text = &query.text;
        let put = (query.kind, text.to_lowercase());
        if text.is_empty() || !self.kinds.contains(&query.kind) {
            self.fault(format!("{kind}_search cannot be done so."));
            return Ok(());
        }
        if self.put.contains(&put) {
            self.fault(format!("{kind}_search “{text}” had been tried before."));
            return Ok(());
        }
        self.tried.push(text.clone());
        self.put.push(put);
        self.left.searches -= 1;
        let nth = self.first.refined.len() + 1;
        let key = format!("search/{}/again/{nth}", self.id.0);
        let again = once(self.task, self.ctx, &query, key).await?;
        let came = match &again.outcome {
            SearchOutcome::Found { hits, .. } => format!("gave {hits} results"),
            SearchOutcome::Failed { .. } => "failed".to_owned(),
        };
        let said = format!("{kind}_search “{}” {came}.", query.text);
        self.history.push(said);
        // Where one place to look is down, another may do.
        let failed = matches!(again.outcome, SearchOutcome::Failed { .. });
        self.poor = failed || again.is_poor(self.task);
        self.show(again.hits.clone());
        self.first.refined.push(again);
        Ok(())
    }

    async fn read(&mut self, result: usize) -> Result<(), NodeError> {
        let at = result.checked_sub(1);
        let hit = at.and_then(|at| self.hits.get(at)).cloned();
        let (Some(at), Some(hit)) = (at, hit) else {
            self.fault(format!("read_page {result}: there is no such result."));
            return Ok(());
        };
        let again = self.first.read.iter().any(|(key, _)| *key == hit.key);
        if again || self.left.reads == 0 {
            self.fault(format!("read_page {result}: it cannot be read any more."));
            return Ok(());
        }
        self.left.reads -= 1;
        // With its number among the reads: two results may lead to one address.
        let nth = self.first.read.len() + 1;
        let key = format!("search/{}/read/{nth}/{}", self.id.0, hit.location);
        let taken = read::taken(self.ctx, self.task.settings.scope, key, hit.located()).await?;
        match &taken {
            Ok(taken) => {
                let documents = &self.ctx.deps().documents;
                let document = documents.open(self.ctx, &taken.snapshot).await?;
                let end = document.text.floor_char_boundary(TEXT_BYTES);
                let text = document.text.get(..end).map(str::to_owned);
                if let Some(seen) = self.seen.get_mut(at) {
                    seen.text = text;
                }
                self.history
                    .push(format!("read_page {result} gave its text."));
            }
            Err(_) => {
                let said = format!("read_page {result}: it could not be read.");
                self.history.push(said);
            }
        }
        self.first.read.push((hit.key, taken));
        Ok(())
    }

    fn fault(&mut self, said: String) {
        self.faults += 1;
        self.history.push(said);
    }

    fn show(&mut self, hits: Vec<Hit>) {
        for hit in hits {
            let known = self.hits.iter().any(|known| known.key == hit.key);
            if known || self.hits.len() >= RESULTS_MOST {
                continue;
            }
            self.seen.push(SeenResult {
                kind: hit.kind,
                title: hit.about.title.clone(),
                snippet: hit.snippet.clone(),
                text: None,
            });
            self.hits.push(hit);
        }
    }
}

fn word(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Web => "web",
        SourceKind::Academic => "academic",
        SourceKind::News => "news",
        SourceKind::Code => "code",
        SourceKind::Local => "local",
    }
}
