//! Damaged records and files: named, never taken for data, never a panic.

use std::path::Path;

use fathom_store::Sqlite;
use fathom_workflow::journal::RunFilter;
use fathom_workflow::record::{Blob, Damage, Loaded};
use fathom_workflow::{Error, RunId, Store};
use rusqlite::Connection;

use super::fixtures::{HOUR, Writer, picture, text};
use super::new_file;

/// Bytes flipped, one at a time, in copies of a file.
const FLIPS: usize = 200;

/// A run of eight steps, with a whole state beside the fourth and the sixth.
async fn eight_steps(path: &Path) -> RunId {
    let store = Sqlite::open(path).unwrap();
    let mut writer = Writer::begin(&store, HOUR).await;
    writer.take_steps(&store, 8, &[4, 6]).await;
    writer.run
}

/// Changes the file behind the store's back.
fn tamper(path: &Path, sql: &str) {
    let file = Connection::open(path).unwrap();
    file.execute_batch("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")
        .unwrap();
    let changed = file.execute(sql, []).unwrap();
    assert!(changed > 0, "{sql} changed nothing");
}

async fn load(path: &Path, run: RunId) -> Result<Loaded, Error> {
    Sqlite::open(path).unwrap().load(run, None).await
}

fn damage(what: &str, why: &str) -> Damage {
    Damage {
        what: what.into(),
        why: why.into(),
    }
}

fn named<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Damaged { damage, .. }) => format!("{}: {}", damage.what, damage.why),
        other => panic!("damage is named, not {other:?}"),
    }
}

#[tokio::test]
async fn a_flipped_byte_in_a_step_is_named_and_the_run_loads_up_to_the_step_before() {
    let path = new_file();
    let run = eight_steps(&path).await;
    tamper(
        &path,
        "UPDATE steps SET body = CAST('\"update 9\"' AS BLOB) WHERE step = 8",
    );
    let loaded = load(&path, run).await.unwrap();
    let wanted = damage("step 8", "its checksum does not match");
    assert_eq!(loaded.damage, Some(wanted));
    assert_eq!((loaded.from.step, loaded.records.len()), (6, 1));
    assert_eq!(loaded.run.head.step, 8);

    let store = Sqlite::open(&path).unwrap();
    assert_eq!(store.load(run, Some(7)).await.unwrap().damage, None);
    let refused = store.steps(run, 0, 100).await;
    assert!(named(refused).starts_with("step 8: its checksum"));
    assert_eq!(store.steps(run, 0, 8).await.unwrap().len(), 8);
    let other = Writer::begin(&store, HOUR).await;
    picture(&store, other.run).await.unwrap();
}

#[tokio::test]
async fn a_missing_or_moved_step_is_named() {
    let path = new_file();
    let run = eight_steps(&path).await;
    tamper(&path, "DELETE FROM steps WHERE step = 7");
    let loaded = load(&path, run).await.unwrap();
    assert_eq!(loaded.damage, Some(damage("step 7", "it is missing")));
    assert_eq!(loaded.records.len(), 0);
    tamper(&path, "UPDATE steps SET step = 7 WHERE step = 8");
    let moved = load(&path, run).await.unwrap().damage;
    assert_eq!(moved, Some(damage("step 7", "its checksum does not match")));
    tamper(&path, "DELETE FROM steps WHERE step = 7");
    let cut_off = load(&path, run).await.unwrap().damage;
    assert_eq!(cut_off, Some(damage("step 7", "it is missing")));
}

#[tokio::test]
async fn a_damaged_snapshot_is_passed_over() {
    let path = new_file();
    let run = eight_steps(&path).await;
    for (sql, step) in [
        ("UPDATE snapshots SET meta = zeroblob(9) WHERE step = 6", 4),
        ("UPDATE snapshots SET body = NULL WHERE step = 4", 0),
    ] {
        tamper(&path, sql);
        let loaded = load(&path, run).await.unwrap();
        assert_eq!((loaded.from.step, loaded.damage), (step, None));
        assert_eq!(loaded.records.len() as u64, 8 - step);
        let last = loaded.records.last().unwrap().payload.as_ref().unwrap();
        assert_eq!(text(last), "update 8");
    }
    tamper(&path, "UPDATE steps SET sum = zeroblob(16) WHERE step = 0");
    let refused = load(&path, run).await;
    assert!(named(refused).starts_with("step 0: "), "no state is left");
}

#[tokio::test]
async fn a_body_kept_apart_is_checked_too() {
    let path = new_file();
    let store = Sqlite::open(&path).unwrap();
    let mut writer = Writer::begin(&store, HOUR).await;
    let large = writer.step(&"word ".repeat(100_000));
    writer.write(&store, large).await.unwrap();
    drop(store);
    tamper(
        &path,
        "UPDATE blobs SET bytes = zeroblob(10) WHERE length(bytes) > 1000",
    );
    let loaded = load(&path, writer.run).await.unwrap();
    let wanted = damage("step 1", "its body does not match its hash");
    assert_eq!(loaded.damage, Some(wanted));
    tamper(&path, "DELETE FROM blobs WHERE length(bytes) = 10");
    let loaded = load(&path, writer.run).await.unwrap();
    assert!(loaded.damage.unwrap().why.ends_with("is missing"));

    tamper(&path, "UPDATE blobs SET bytes = zeroblob(9)");
    let store = Sqlite::open(&path).unwrap();
    let page = Blob::new(*b"page of step 1").hash;
    let refused = store.blob(page).await;
    assert!(
        matches!(refused, Err(Error::StoreDamaged { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_journal_or_events_with_a_gap_are_named() {
    let path = new_file();
    let run = eight_steps(&path).await;
    tamper(
        &path,
        "DELETE FROM entries WHERE step = 2 AND key = 'fetch'",
    );
    tamper(
        &path,
        "UPDATE entries SET step = 99 WHERE step = 3 AND key = 'fetch'",
    );
    tamper(
        &path,
        "UPDATE entries SET key = 'other' WHERE step = 4 AND key = 'fetch'",
    );
    tamper(&path, "DELETE FROM events WHERE first = 6");
    let store = Sqlite::open(&path).unwrap();
    for (step, wanted) in [
        (2, "journal of step 2: it has 1 entries of 2"),
        (3, "journal of step 3: it has 1 entries of 2"),
        (
            4,
            "journal entry \"other\" of step 4: its checksum does not match",
        ),
    ] {
        assert_eq!(named(store.entries(run, step).await), wanted);
    }
    assert_eq!(store.entries(run, 1).await.unwrap().len(), 2);
    assert_eq!(store.events(run, 0, 5).await.unwrap().len(), 5);
    for (after, limit) in [(0, 6), (5, 1), (6, 1)] {
        let refused = named(store.events(run, after, limit).await);
        assert!(refused.ends_with("they are missing"), "{refused}");
    }
    assert_eq!(store.events(run, 7, 100).await.unwrap().len(), 10);
    drop(store);
    tamper(&path, "DELETE FROM events WHERE first = 16");
    let store = Sqlite::open(&path).unwrap();
    let refused = named(store.events(run, 13, 100).await);
    assert_eq!(refused, "events from 16: they are missing");
}

#[tokio::test]
async fn a_damaged_header_is_named_and_the_other_runs_go_on() {
    for (number, sql) in [
        "UPDATE runs SET head = zeroblob(9)",
        "UPDATE runs SET about_sum = zeroblob(16)",
        "UPDATE runs SET status = 'waitinf'",
        "UPDATE runs SET ended = 1",
        "UPDATE runs SET keep = 'may dxpire'",
        "UPDATE runs SET rev = rev + 1",
        "UPDATE runs SET wake_at = 5",
        "UPDATE runs SET title = CAST(x'ff' AS TEXT)",
    ]
    .into_iter()
    .enumerate()
    {
        let path = new_file();
        let run = eight_steps(&path).await;
        tamper(&path, sql);
        let store = Sqlite::open(&path).unwrap();
        let refused = named(store.load(run, None).await);
        assert!(refused.starts_with("header: "), "{number}: {refused}");
        let other = Writer::begin(&store, HOUR).await;
        let page = store.list(&RunFilter::default()).await.unwrap();
        assert_eq!((page.runs.len(), page.damaged.len()), (1, 1), "{sql}");
        assert!(page.damaged[0].contains(&run.to_string()));
        picture(&store, other.run).await.unwrap();
        let purged = store.purge(jiff::Timestamp::MAX).await.unwrap();
        assert_eq!(purged.runs, 0, "a flipped bit costs no run: {sql}");
    }
}

#[tokio::test]
async fn a_run_that_lost_its_header_is_named() {
    let path = new_file();
    let run = eight_steps(&path).await;
    let other = eight_steps(&path).await;
    tamper(&path, "DELETE FROM runs WHERE rowid = 1");
    let store = Sqlite::open(&path).unwrap();
    assert_eq!(named(store.head(run).await), "header: it is missing");
    assert_eq!(named(store.steps(run, 0, 9).await), "header: it is missing");
    let page = store.list(&RunFilter::default()).await.unwrap();
    assert_eq!(page.damaged, ["the list of runs: 1 headers are missing"]);
    picture(&store, other).await.unwrap();
    assert!(matches!(
        store.head(RunId::new()).await,
        Err(Error::StoreDamaged { .. })
    ));
}

/// What a killed process leaves: the file, its log, and the index that says how much was committed.
fn as_after_a_crash(path: &Path, harm: impl FnOnce(&mut Vec<u8>)) -> std::path::PathBuf {
    let copy = new_file();
    std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
    let beside = |path: &Path, ending: &str| format!("{}{ending}", path.display());
    for ending in ["", "-wal", "-shm"] {
        std::fs::copy(beside(path, ending), beside(&copy, ending)).unwrap();
    }
    let log = beside(&copy, "-wal");
    let mut bytes = std::fs::read(&log).unwrap();
    harm(&mut bytes);
    std::fs::write(&log, bytes).unwrap();
    copy
}

#[tokio::test]
async fn a_log_that_lost_commits_is_refused() {
    let path = new_file();
    let store = Sqlite::open(&path).unwrap();
    let mut writer = Writer::begin(&store, HOUR).await;
    writer.take_steps(&store, 8, &[4, 6]).await;
    let whole = picture(&store, writer.run).await.unwrap();

    let unharmed = Sqlite::open(as_after_a_crash(&path, |_| {})).unwrap();
    assert_eq!(picture(&unharmed, writer.run).await.unwrap(), whole);
    let harms: [fn(&mut Vec<u8>); 5] = [
        |log| log[100] ^= 1,
        |log| {
            let last = log.len() - 1;
            log[last] ^= 1;
        },
        |log| log[17] ^= 1,
        |log| log.truncate(log.len() - 1),
        |log| log.clear(),
    ];
    for (nth, harm) in harms.into_iter().enumerate() {
        match Sqlite::open(as_after_a_crash(&path, harm)) {
            Err(Error::StoreDamaged { what, .. }) => assert!(what.ends_with("-wal"), "{what}"),
            Err(other) => panic!("harm {nth}: {other}"),
            Ok(_) => panic!("harm {nth} went unseen"),
        }
    }
    // Another process may open the file while this one writes.
    let second = Sqlite::open(&path).unwrap();
    assert_eq!(picture(&second, writer.run).await.unwrap(), whole);
}

/// Every byte of the file is as likely to be hit, so pages, schema and free space are hit too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flipped_byte_anywhere_gives_the_same_data_or_an_error() {
    let path = new_file();
    let run = eight_steps(&path).await;
    let whole = picture(&Sqlite::open(&path).unwrap(), run).await.unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let (mut same, mut state) = (0, 0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..FLIPS {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let at = (state >> 33) as usize % bytes.len();
        let bit = 1 << (state >> 30 & 7);
        let mut hit = bytes.clone();
        hit[at] ^= bit;
        std::fs::write(&path, hit).unwrap();
        let Ok(store) = Sqlite::open(&path) else {
            continue;
        };
        let _ = store.load(run, None).await;
        if let Ok(seen) = picture(&store, run).await {
            assert!(
                seen == whole,
                "bit {bit} of byte {at} went unseen:\n{seen}\n{whole}"
            );
            same += 1;
        }
    }
    assert!(same > 0 && same < FLIPS, "some were harmless: {same}");
}

#[tokio::test]
async fn a_file_cut_short_gives_the_same_data_or_an_error() {
    let path = new_file();
    let run = eight_steps(&path).await;
    let whole = picture(&Sqlite::open(&path).unwrap(), run).await.unwrap();
    let bytes = std::fs::read(&path).unwrap();
    for length in (0..bytes.len()).step_by(1021) {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let Ok(store) = Sqlite::open(&path) else {
            continue;
        };
        if let Ok(seen) = picture(&store, run).await {
            assert!(seen == whole, "cut at {length}: {seen}");
        }
    }
}
