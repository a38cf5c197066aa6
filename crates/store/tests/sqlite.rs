//! The SQLite store against the suite that every store passes, and what only a file can show.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test: whatever fails ends it"
)]

#[path = "sqlite/alone.rs"]
mod alone;
#[path = "sqlite/damage.rs"]
mod damage;
#[path = "sqlite/fixtures.rs"]
mod fixtures;

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use fathom_store::{Sqlite, SqliteOptions};
use fathom_testworld::conformance::clock;
use fathom_workflow::journal::RunFilter;
use fathom_workflow::{Error, ManualClock, Owner, Store};
use fixtures::{HOUR, NONE, Writer, creation, moment, picture, text};
use futures::FutureExt;
use futures::future::join_all;
use rusqlite::Connection;
use tempfile::TempDir;

/// A path in a folder of this test's own, which goes when the test's thread ends.
fn new_file() -> PathBuf {
    thread_local! {
        static FOLDERS: RefCell<Vec<TempDir>> = const { RefCell::new(Vec::new()) };
    }
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("made on the way").join("runs.db");
    FOLDERS.with_borrow_mut(|folders| folders.push(folder));
    path
}

async fn open() -> Arc<dyn Store> {
    Arc::new(Sqlite::open(new_file()).unwrap())
}

mod conforms {
    fathom_testworld::store_conformance!(super::open);
}

fn with_clock() -> (Arc<dyn Store>, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::at(moment(0)));
    let options = SqliteOptions {
        clock: clock.clone(),
        ..SqliteOptions::default()
    };
    let store = Sqlite::open_with(new_file(), options).unwrap();
    (Arc::new(store), clock)
}

#[tokio::test]
async fn a_lease_lapses_at_its_time() {
    let (store, clock) = with_clock();
    clock::a_lease_lapses_at_its_time(store, clock).await;
}

#[tokio::test]
async fn a_run_is_due_once_unheld_long_enough() {
    let (store, clock) = with_clock();
    clock::a_run_is_due_once_unheld_long_enough(store, clock).await;
}

#[tokio::test]
async fn two_stores_on_one_file_see_and_fence_each_other() {
    let path = new_file();
    let (one, two) = (Sqlite::open(&path).unwrap(), Sqlite::open(&path).unwrap());
    let mut old = Writer::begin(&one, NONE).await;
    old.write(&one, old.step("seen by both")).await.unwrap();
    let seen = picture(&two, old.run).await.unwrap();
    assert_eq!(seen, picture(&one, old.run).await.unwrap());

    let held = one.create(creation("held"), &Owner::unique(), HOUR).await;
    held.unwrap();
    let token = two.claim(old.run, &Owner::unique(), HOUR).await;
    let Err(Error::Held { .. }) = token else {
        panic!("the append prolonged the lease, so the other store is kept out: {token:?}");
    };
    one.release(old.run, old.token).await.unwrap();
    let token = two.claim(old.run, &Owner::unique(), HOUR).await.unwrap();
    let stale = one.append(old.step("too late"), HOUR).await;
    assert!(matches!(stale, Err(Error::Superseded { .. })), "{stale:?}");
    old.token = token;
    old.write(&two, old.step("by the new holder"))
        .await
        .unwrap();
    let seen = picture(&one, old.run).await.unwrap();
    assert!(seen.contains("by the new holder") && !seen.contains("too late"));
}

#[test]
fn a_new_file_can_be_opened_by_many_at_once() {
    let path = new_file();
    std::thread::scope(|scope| {
        let opened: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| Sqlite::open(&path)))
            .collect();
        for store in opened {
            store.join().unwrap().unwrap();
        }
    });
}

#[tokio::test]
async fn a_full_disk_is_named_and_costs_nothing() {
    let path = new_file();
    let limited = |pages| SqliteOptions {
        page_limit: Some(pages),
        ..SqliteOptions::default()
    };
    let small = Sqlite::open_with(&path, limited(60)).unwrap();
    let mut writer = Writer::begin(&small, HOUR).await;
    let refused = loop {
        let append = writer.step(&"word ".repeat(3000));
        match writer.write(&small, append.clone()).await {
            Ok(()) => assert!(writer.head.step < 60, "60 pages hold no 60 steps"),
            Err(error) => break (append, error),
        }
    };
    let (append, error) = refused;
    assert!(matches!(error, Error::DiskFull), "{error:?}");
    assert!(error.retry(), "the same call may succeed later");
    let before = picture(&small, writer.run).await.unwrap();
    drop(small);

    let large = Sqlite::open_with(&path, limited(600)).unwrap();
    assert_eq!(picture(&large, writer.run).await.unwrap(), before);
    let last = append.head.step;
    writer.write(&large, append).await.unwrap();
    let loaded = large.load(writer.run, None).await.unwrap();
    assert_eq!((loaded.records.len() as u64, loaded.damage), (last, None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_full_disk_every_answer_is_true() {
    let options = SqliteOptions {
        page_limit: Some(200),
        ..SqliteOptions::default()
    };
    let store = Arc::new(Sqlite::open_with(new_file(), options).unwrap());
    let writers = join_all((0..20).map(|_| Writer::begin(&*store, HOUR))).await;
    let tasks = writers.into_iter().map(|mut writer| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            while writer.head.step < 40 {
                let append = writer.step(&"word ".repeat(600));
                match writer.write(&*store, append).await {
                    Ok(()) => {}
                    Err(Error::DiskFull) => break,
                    Err(error) => panic!("{error:?}"),
                }
            }
            writer
        })
    });
    let mut full = 0;
    for task in join_all(tasks).await {
        let writer = task.unwrap();
        let loaded = store.load(writer.run, None).await.unwrap();
        assert_eq!(loaded.run.head, writer.head, "what was answered is there");
        assert_eq!(loaded.records.len() as u64, writer.head.step);
        picture(&*store, writer.run).await.unwrap();
        full += usize::from(writer.head.step < 40);
    }
    assert!(full > 0, "the disk did fill up");
}

#[tokio::test]
async fn a_vetoed_commit_leaves_nothing() {
    let crash = Arc::new(AtomicBool::new(false));
    let asked = Arc::new(AtomicUsize::new(0));
    let hook = {
        let (crash, asked) = (Arc::clone(&crash), Arc::clone(&asked));
        move || {
            asked.fetch_add(1, Ordering::Relaxed);
            crash.load(Ordering::Relaxed)
        }
    };
    let options = SqliteOptions {
        before_commit: Some(Arc::new(hook)),
        ..SqliteOptions::default()
    };
    let path = new_file();
    let store = Sqlite::open_with(&path, options).unwrap();
    let mut writer = Writer::begin(&store, HOUR).await;
    let before = picture(&store, writer.run).await.unwrap();

    crash.store(true, Ordering::Relaxed);
    let append = writer.step("lost once");
    let lost = store.append(append.clone(), HOUR).await;
    assert!(matches!(lost, Err(Error::StoreGone { .. })), "{lost:?}");
    assert_eq!(picture(&store, writer.run).await.unwrap(), before);
    let page = append.blobs[0].hash;
    assert_eq!(store.blob(page).await.unwrap(), None);
    assert_eq!((asked.load(Ordering::Relaxed), store.commits()), (2, 1));

    crash.store(false, Ordering::Relaxed);
    writer.write(&store, append).await.unwrap();
    assert_eq!(store.commits(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn appends_that_wait_together_share_commits() {
    let store = Arc::new(Sqlite::open(new_file()).unwrap());
    let writers = join_all((0..200).map(|_| Writer::begin(&*store, HOUR))).await;
    let before = store.commits();
    let appends = writers.iter().map(|writer| {
        let (store, append) = (Arc::clone(&store), writer.step("together"));
        tokio::spawn(async move { store.append(append, HOUR).await })
    });
    for appended in join_all(appends).await {
        appended.unwrap().unwrap();
    }
    let commits = store.commits() - before;
    assert!(commits < 100, "200 appends took {commits} commits");
    for writer in writers {
        let loaded = store.load(writer.run, None).await.unwrap();
        assert_eq!(loaded.records.len(), 1);
    }
}

#[tokio::test]
async fn an_append_that_fails_half_way_does_not_hurt_those_it_comes_with() {
    let store = Sqlite::open(new_file()).unwrap();
    let writers = join_all((0..100).map(|_| Writer::begin(&store, HOUR))).await;
    let before = join_all(writers.iter().map(|writer| picture(&store, writer.run))).await;
    let appends = writers.iter().zip(0..).map(|(writer, number)| {
        let mut append = writer.step("together");
        match (number % 20, &mut append.record) {
            // The header is moved before the database finds that it has a step 0.
            (7, Some(record)) => (append.head.step, record.meta.step) = (0, 0),
            (13, _) => append.token.fence += 1,
            _ => {}
        }
        store.append(append, HOUR)
    });
    let appended = join_all(appends).await;
    for (number, (writer, appended)) in writers.iter().zip(appended).enumerate() {
        let now = picture(&store, writer.run).await.unwrap();
        let unchanged = now == *before[number].as_ref().unwrap();
        match (number % 20, appended) {
            (7, Err(Error::Store { .. })) | (13, Err(Error::Superseded { .. })) => {
                assert!(unchanged, "run {number}");
            }
            (7 | 13, other) => panic!("run {number}: {other:?}"),
            (_, appended) => assert!(appended.is_ok() && !unchanged, "run {number}: {appended:?}"),
        }
    }
}

#[tokio::test]
async fn dropping_the_store_finishes_queued_writes() {
    let path = new_file();
    let store = Sqlite::open(&path).unwrap();
    let mut runs = Vec::new();
    for number in 0..50 {
        let creation = creation(&number.to_string());
        runs.push(creation.run.id());
        let owner = Owner::unique();
        // Polled once, so the write is handed in; then nobody waits for it any more.
        let _ = store.create(creation, &owner, HOUR).now_or_never();
    }
    drop(store);
    assert!(!path.with_extension("db-wal").exists(), "tidied up");
    let store = Sqlite::open(&path).unwrap();
    for run in runs {
        picture(&store, run).await.unwrap();
    }
}

#[tokio::test]
async fn a_file_of_this_format_is_opened_again() {
    let path = new_file();
    let store = Sqlite::open(&path).unwrap();
    assert_eq!(store.describe(), format!("sqlite:{}", path.display()));
    assert!(store.is_durable());
    let mut writer = Writer::begin(&store, HOUR).await;
    writer.take_steps(&store, 5, &[3]).await;
    let before = picture(&store, writer.run).await.unwrap();
    drop(store);

    let file = Connection::open(&path).unwrap();
    let number = |pragma: &str| -> i64 {
        let sql = format!("PRAGMA {pragma}");
        file.query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(number("user_version"), 2);
    assert_eq!(number("application_id"), 0x4674_686d);
    assert_eq!(number("page_size"), 4096);
    drop(file);

    let store = Sqlite::open(&path).unwrap();
    assert_eq!(picture(&store, writer.run).await.unwrap(), before);
    writer.take_steps(&store, 6, &[]).await;
    let loaded = store.load(writer.run, None).await.unwrap();
    assert_eq!(
        (loaded.from.step, text(&loaded.from.state)),
        (3, "whole at 3".into())
    );
    let page = store.list(&RunFilter::default()).await.unwrap();
    assert_eq!(page.runs, [loaded.run]);
}

#[test]
fn a_newer_database_is_refused_with_the_reason() {
    let path = new_file();
    drop(Sqlite::open(&path).unwrap());
    let file = Connection::open(&path).unwrap();
    file.pragma_update(None, "user_version", 3).unwrap();
    drop(file);
    let refused = Sqlite::open(&path).err().unwrap();
    assert!(matches!(refused, Error::NewerFormat { found: 3, known: 2 }));
    assert_eq!(
        refused.to_string(),
        "the database has format 3, but this program knows up to 2; use the newer program that wrote it"
    );
}

#[test]
fn a_file_that_is_not_ours_is_refused_and_left_alone() {
    let path = new_file();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let letter = "Dear reader, this is not a database. ".repeat(200);
    std::fs::write(&path, &letter).unwrap();
    let refused = Sqlite::open(&path).err().unwrap();
    assert!(
        matches!(&refused, Error::StoreDamaged { what, .. } if *what == path.display().to_string()),
        "{refused:?}"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), letter);

    std::fs::remove_file(&path).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE recipes (name)").unwrap();
    drop(other);
    let before = std::fs::read(&path).unwrap();
    let refused = Sqlite::open(&path).err().unwrap().to_string();
    assert!(refused.contains("another program"), "{refused}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}
