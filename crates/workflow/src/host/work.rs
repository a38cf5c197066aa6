//! The background half of a host: takes up runs that are due and works on them.
//!
//! Due are unfinished runs whose owner's lease has lapsed, and waiting ones whose deadline or wake-up
//! time has come. A run that cannot be taken up is logged and left alone, so that it does not
//! stand in the way of the others.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Host, OpenedSlot};
use crate::clock::later;
use crate::record::Status;
use crate::{Error, RunId, RunOutcome};

/// What one pass over the due runs brought.
#[derive(Debug, Default)]
pub struct WorkPass {
    /// Runs that were worked on until they waited or ended.
    pub worked: Vec<(RunId, RunOutcome)>,
    /// Runs that could not be taken up, or whose work failed.
    pub skipped: Vec<SkippedRun>,
}

/// A run that was due and could not be worked on.
#[derive(Debug)]
pub struct SkippedRun {
    /// Which it is.
    pub run: RunId,
    /// Why.
    pub error: Error,
    /// Whether this program will fail at every try, and so leaves the run alone.
    pub lasting: bool,
}

/// A due run that was taken up, when the work on it is over.
#[derive(Debug)]
pub enum WorkedRun {
    /// It waits or has ended.
    Worked(RunId, RunOutcome),
    /// It could not be worked on.
    Skipped(SkippedRun),
}

/// A run under way in the background, as it ends.
struct WorkResult {
    run: RunId,
    /// Known of runs that were found when due ones were looked for.
    workflow: Option<&'static str>,
    /// `None` when it was told to stop.
    ended: Result<Option<RunOutcome>, Error>,
}

/// The background work of one caller.
struct Worker {
    host: Host,
    limit: usize,
    stop: CancellationToken,
    under_way: JoinSet<WorkResult>,
    /// Runs that cannot be taken up by this program, with their workflow, for as long as they are due.
    left_alone: HashMap<RunId, &'static str>,
    /// Runs whose work has failed since the last look. The others come first at the next one.
    just_failed: HashSet<RunId>,
    /// The workflow whose run was taken up last.
    last_served: Option<&'static str>,
    /// Whether the last look used all the room up, so that it may have left due runs behind.
    full: bool,
}

impl Host {
    /// Takes up due runs of every registered workflow, at most `limit` at a time, until `stop` is
    /// cancelled. Then it breaks off the steps under way, as a crash would but with the runs given
    /// up, so that another process can go on at once. If this future is dropped instead, the runs
    /// are free when their leases have lapsed. `tell` hears of every run when the work on it is over.
    pub async fn work(
        &self,
        limit: usize,
        stop: CancellationToken,
        mut tell: impl FnMut(WorkedRun) + Send,
    ) {
        let clock = Arc::clone(self.runtime.clock());
        let mut worker = self.worker(limit, stop);
        let look_every = self.settings.look_every;
        let (mut look, mut last_look) = (true, clock.now());
        while !worker.stop.is_cancelled() {
            if look {
                worker.take_up_due().await;
                last_look = clock.now();
            }
            worker.tell_room();
            look = tokio::select! {
                () = worker.stop.cancelled() => false,
                () = clock.reach(later(last_look, look_every)) => true,
                () = self.background.handed_over.notified() => worker.take_up_handed_over(),
                // A clock that was set back would reach that moment only much later.
                () = tokio::time::sleep(look_every) => clock.now() < last_look,
                // A run that could not be worked on is still due, and is not tried again at once.
                Some(done) = worker.under_way.join_next() => worker.settle(done.ok(), &mut tell),
            };
        }
        self.background.take_all_and_close();
        while let Some(done) = worker.under_way.join_next().await {
            worker.settle(done.ok(), &mut tell);
        }
        self.release_open_runs().await;
    }

    /// One pass of [`Host::work`]: takes up what is due now, works on it until it waits or ends, and
    /// tells what came of it.
    pub async fn work_once(&self, limit: usize) -> WorkPass {
        let mut worker = self.worker(limit, CancellationToken::new());
        let mut pass = WorkPass::default();
        worker.take_up_due().await;
        while let Some(done) = worker.under_way.join_next().await {
            worker.settle(done.ok(), &mut |worked| match worked {
                WorkedRun::Worked(run, outcome) => pass.worked.push((run, outcome)),
                WorkedRun::Skipped(skipped) => pass.skipped.push(skipped),
            });
        }
        pass
    }

    fn worker(&self, limit: usize, stop: CancellationToken) -> Worker {
        Worker {
            host: self.clone(),
            limit,
            stop,
            under_way: JoinSet::new(),
            left_alone: HashMap::new(),
            just_failed: HashSet::new(),
            last_served: None,
            full: false,
        }
    }

    /// Works on a run until it waits, ends, or `stop` is cancelled.
    async fn run_until(
        &self,
        run: RunId,
        stop: CancellationToken,
    ) -> Result<Option<RunOutcome>, Error> {
        let mut slot = self.open_runs.take(run, &self.runtime).await?;
        let OpenedSlot::Open(open) = self.opened(&mut slot, run).await? else {
            return self.outcome_of(run).await.map(Some);
        };
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                progress = open.advance() => match progress? {
                    crate::Progress::Ran { .. } => {}
                    crate::Progress::Waiting { .. } | crate::Progress::Done(_) => {
                        return self.outcome_of(run).await.map(Some);
                    }
                },
            }
        }
        slot.release().await;
        Ok(None)
    }
}

impl Worker {
    /// Starts work on due runs, as many as the limit leaves room for. It begins after the workflow
    /// that was served last, so that the backlog of one does not keep the others waiting.
    async fn take_up_due(&mut self) {
        self.take_up_handed_over();
        self.start_due().await;
        self.full = self.room() == 0;
    }

    async fn start_due(&mut self) {
        let just_failed = std::mem::take(&mut self.just_failed);
        let mut names: Vec<&'static str> = self.host.workflows.keys().copied().collect();
        if let Some(last) = names
            .iter()
            .position(|name| Some(*name) == self.last_served)
        {
            names.rotate_left(last + 1);
        }
        for name in names {
            let room = self.room();
            if room == 0 {
                return;
            }
            // Those that are left alone or have just failed stay due, and must not use the others'
            // room up.
            let asked = room + self.left_alone.len() + just_failed.len();
            let mut due = match self.host.runtime.unattended(name, asked).await {
                Ok(due) => due,
                Err(error) => {
                    tracing::warn!(%error, workflow = name, "due runs could not be read");
                    continue;
                }
            };
            // Those that others have worked on, or removed, need not be remembered. A full list may lack some.
            if due.len() < asked {
                self.left_alone
                    .retain(|run, workflow| *workflow != name || due.contains(run));
                self.tell_left_alone();
            }
            due.retain(|run| !self.left_alone.contains_key(run));
            due.sort_by_key(|run| just_failed.contains(run));
            for run in due.into_iter().take(room) {
                self.begin(run, Some(name));
                self.last_served = Some(name);
            }
        }
    }

    fn begin(&mut self, run: RunId, workflow: Option<&'static str>) {
        let (host, stop) = (self.host.clone(), self.stop.clone());
        self.under_way.spawn(async move {
            WorkResult {
                run,
                workflow,
                ended: host.run_until(run, stop).await,
            }
        });
    }

    fn room(&self) -> usize {
        self.limit.saturating_sub(self.under_way.len())
    }

    /// Tells callers how many runs they may hand over.
    fn tell_room(&self) {
        self.host.background.hand_overs().room = self.room();
    }

    /// Begins with the runs that callers have handed over, and takes no more until the room is told again. Says whether there
    /// are some in the store to be looked for.
    fn take_up_handed_over(&mut self) -> bool {
        let handed = self.host.background.take_all_and_close();
        for run in handed.runs {
            self.begin(run, None);
        }
        handed.left_in_store
    }

    fn tell_left_alone(&self) {
        let background = &self.host.background;
        background
            .left_alone
            .store(self.left_alone.len(), Ordering::Relaxed);
    }

    /// Takes the end of a run's work into account, and says whether to look for due runs now: where some may have been
    /// left behind for want of room, and where the run waits, perhaps for a moment that has come already. A task that panicked
    /// has nothing to tell.
    fn settle(&mut self, done: Option<WorkResult>, tell: &mut impl FnMut(WorkedRun)) -> bool {
        let Some(WorkResult {
            run,
            workflow,
            ended,
        }) = done
        else {
            tracing::error!("the work on a run panicked; its lease will lapse");
            return false;
        };
        let error = match ended {
            Ok(outcome) => {
                let waits = outcome
                    .as_ref()
                    .is_some_and(|one| one.status == Status::Waiting);
                if let Some(outcome) = outcome {
                    tracing::debug!(%run, status = %outcome.status, "worked on a run that was due");
                    tell(WorkedRun::Worked(run, outcome));
                }
                return self.full || waits;
            }
            Err(error) => error,
        };
        let lasting = is_lasting(&error);
        if lasting {
            // One that was handed over is still due, and will be found with its workflow.
            let is_known = workflow.is_some_and(|workflow| {
                let known = self.left_alone.insert(run, workflow);
                known.is_some()
            });
            if !is_known {
                tracing::warn!(%run, %error, "a run that is due cannot be taken up");
            }
            self.tell_left_alone();
        } else {
            self.just_failed.insert(run);
            if let Error::Store { .. } = error {
                tracing::warn!(%run, %error, "a run that is due will be tried again");
            }
        }
        let skipped = SkippedRun {
            run,
            error,
            lasting,
        };
        tell(WorkedRun::Skipped(skipped));
        false
    }
}

impl Drop for Worker {
    /// Whoever hands a run over from now on leaves it to others.
    fn drop(&mut self) {
        self.host.background.take_all_and_close();
    }
}

/// Whether an error would come again at every try by this program. What is not named here may pass:
/// others had the run, or the store did not answer or was short of something.
fn is_lasting(error: &Error) -> bool {
    matches!(
        error,
        Error::OtherWorkflow { .. }
            | Error::NotReady { .. }
            | Error::UnknownWorkflow { .. }
            | Error::NewerVersion { .. }
            | Error::NewerFormat { .. }
            | Error::UnknownNode { .. }
            | Error::InvalidUpdate { .. }
            | Error::KeyReused { .. }
            | Error::UndeclaredTarget { .. }
            | Error::Diverged { .. }
            | Error::CrashLoop { .. }
            | Error::Encode { .. }
            | Error::Decode { .. }
            | Error::Damaged { .. }
            | Error::StoreDamaged { .. }
    )
}
