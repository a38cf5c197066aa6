//! A run that has the store to itself is written on its caller's thread, all others by the thread that
//! shares its commits. Which of the two it was must show nowhere else.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use fathom_store::{Sqlite, SqliteOptions};
use fathom_workflow::record::Append;
use fathom_workflow::{Error, Owner, Store};
use futures::FutureExt;

use super::fixtures::{HOUR, Writer, creation, picture};
use super::new_file;

/// The thread that shares commits may still be tidying up after the last one; then the next goes to
/// it as well. But not for ever.
const PATIENCE: u64 = 10_000;

/// A store that tells which thread commits, and may be told to drop a commit.
struct Watched {
    store: Sqlite,
    committed_by: Arc<Mutex<Option<ThreadId>>>,
    veto: Arc<AtomicBool>,
}

impl Watched {
    fn open() -> Self {
        let committed_by = Arc::new(Mutex::new(None));
        let veto = Arc::new(AtomicBool::new(false));
        let hook = {
            let (committed_by, veto) = (Arc::clone(&committed_by), Arc::clone(&veto));
            move || {
                *committed_by.lock().unwrap() = Some(std::thread::current().id());
                veto.load(Ordering::Relaxed)
            }
        };
        let options = SqliteOptions {
            before_commit: Some(Arc::new(hook)),
            ..SqliteOptions::default()
        };
        Self {
            store: Sqlite::open_with(new_file(), options).unwrap(),
            committed_by,
            veto,
        }
    }

    /// Whether the last commit was made on the thread of this test.
    fn committed_here(&self) -> bool {
        *self.committed_by.lock().unwrap() == Some(std::thread::current().id())
    }

    /// Takes steps until one is committed on this thread.
    async fn settle(&self, writer: &mut Writer) {
        while !self.committed_here() {
            assert!(writer.head.step < PATIENCE, "it is never left to itself");
            let append = writer.step("on the way");
            writer.write(&self.store, append).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_is_alone_is_written_by_its_caller() {
    let watched = Watched::open();
    let mut writer = Writer::begin(&watched.store, HOUR).await;
    assert!(!watched.committed_here(), "a run begins in the queue");
    watched.settle(&mut writer).await;
    for _ in 0..20 {
        let append = writer.step("alone");
        writer.write(&watched.store, append).await.unwrap();
        assert!(watched.committed_here());
    }
    let loaded = watched.store.load(writer.run, None).await.unwrap();
    assert_eq!(loaded.run.head, writer.head);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_that_take_turns_are_left_to_the_thread_that_shares_commits() {
    let watched = Watched::open();
    let mut one = Writer::begin(&watched.store, HOUR).await;
    let mut two = Writer::begin(&watched.store, HOUR).await;
    for _ in 0..20 {
        for writer in [&mut one, &mut two] {
            let append = writer.step("in turns");
            writer.write(&watched.store, append).await.unwrap();
            assert!(!watched.committed_here());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn news_from_within_a_step_waits_for_company() {
    let watched = Watched::open();
    let mut writer = Writer::begin(&watched.store, HOUR).await;
    watched.settle(&mut writer).await;
    let mut news = writer.step("not over yet");
    news.record = None;
    (news.head.step, news.head.entries) = (writer.head.step, 2);
    writer.write(&watched.store, news).await.unwrap();
    assert!(!watched.committed_here());
}

#[tokio::test]
async fn where_one_thread_does_everything_it_is_not_kept_waiting() {
    let watched = Watched::open();
    let mut writer = Writer::begin(&watched.store, HOUR).await;
    for _ in 0..20 {
        let append = writer.step("alone");
        writer.write(&watched.store, append).await.unwrap();
        assert!(!watched.committed_here());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn appends_made_alone_and_in_a_crowd_end_the_same() {
    let (alone, crowd) = (Watched::open(), Watched::open());
    let creation = creation("twice");
    let mut here = Writer::with(&alone.store, creation.clone(), HOUR).await;
    let mut there = Writer::with(&crowd.store, creation, HOUR).await;
    let mut other = Writer::begin(&crowd.store, HOUR).await;
    let mut by_caller = 0;
    for number in 0..60 {
        let mut append = here.step(&format!("step {number}"));
        spoil(&mut append, number);
        let veto = number % 10 == 9;
        alone.veto.store(veto, Ordering::Relaxed);
        crowd.veto.store(veto, Ordering::Relaxed);
        let beside = other.step("beside");
        let taken = here.write(&alone.store, append.clone()).await;
        let (shared, _) = futures::join!(
            there.write(&crowd.store, append),
            other.write(&crowd.store, beside),
        );
        assert_eq!(format!("{taken:?}"), format!("{shared:?}"), "{number}");
        assert_eq!(taken.is_ok(), number % 10 < 6, "{number}: {taken:?}");
        by_caller += usize::from(alone.committed_here());
        assert!(!crowd.committed_here());
    }
    assert!(by_caller > 0, "none was made alone");
    assert_eq!(
        picture(&alone.store, here.run).await.unwrap(),
        picture(&crowd.store, there.run).await.unwrap()
    );
}

/// Makes some of ten appends such as the store refuses, before or after it has changed something.
fn spoil(append: &mut Append, number: u64) {
    match (number % 10, &mut append.record) {
        (6, _) => append.token.fence += 1,
        (7, _) => append.token.rev += 5,
        // The header is moved before the database finds that it has a step 0.
        (8, Some(record)) => (append.head.step, record.meta.step) = (0, 0),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_met_alone_is_named_and_costs_nothing() {
    let options = SqliteOptions {
        page_limit: Some(100),
        ..SqliteOptions::default()
    };
    let store = Sqlite::open_with(new_file(), options).unwrap();
    let mut writer = Writer::begin(&store, HOUR).await;
    let refused = loop {
        assert!(writer.head.step < 100, "100 pages hold no 100 steps");
        let append = writer.step(&"word ".repeat(3000));
        if let Err(error) = writer.write(&store, append).await {
            break error;
        }
    };
    assert!(matches!(refused, Error::DiskFull), "{refused:?}");
    let loaded = store.load(writer.run, None).await.unwrap();
    assert_eq!((loaded.run.head, loaded.damage), (writer.head, None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_goes_away_leaves_a_whole_step_or_none() {
    let store = Arc::new(Sqlite::open(new_file()).unwrap());
    let mut writer = Writer::begin(&*store, HOUR).await;
    let mut taken = 0;
    for number in 0..120 {
        let append = writer.step("perhaps");
        let going = Arc::clone(&store);
        if number % 2 == 0 {
            let _ = going.append(append, HOUR).now_or_never();
        } else {
            let task = tokio::spawn(async move { going.append(append, HOUR).await });
            if number % 3 == 0 {
                tokio::task::yield_now().await;
            }
            task.abort();
            let _ = task.await;
        }
        // Comes after all that was handed in.
        store.renew(&Owner::unique(), &[], HOUR).await.unwrap();
        picture(&*store, writer.run).await.unwrap();
        let (run, token) = store.head(writer.run).await.unwrap();
        let more = run.head.step - writer.head.step;
        assert!(more <= 1 && token.rev == writer.token.rev + more);
        taken += more;
        (writer.head, writer.token) = (run.head, token);
    }
    assert!(taken > 0, "none was taken");
}
