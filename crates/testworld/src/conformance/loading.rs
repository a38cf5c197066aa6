//! Reading a run back: its steps, its journal, and what its state is folded from.

use std::sync::Arc;

use super::fixtures::{
    HOUR, Writer, add_entries, base, body, creation, entry, moment, plain_entries, plain_steps,
    snapshot, text_of, update,
};
use fathom_workflow::record::{
    BaseReason, CutReason, EntryKind, EntryPart, Loaded, LoopUse, Meters, Rescue, RunTally,
    StepKind,
};
use fathom_workflow::{Error, Store};

/// The texts a state is folded from, the whole state first.
fn fold(loaded: &Loaded) -> Vec<String> {
    let updates = loaded.records.iter().filter_map(|r| r.payload.as_ref());
    let whole = std::iter::once(&loaded.from.state);
    whole.chain(updates).map(text_of).collect()
}

fn numbers(loaded: &Loaded) -> Vec<u64> {
    loaded.records.iter().map(|r| r.meta.step).collect()
}

/// A tally with something in every field.
fn full_tally() -> RunTally {
    RunTally {
        steps: 12,
        loops: [("look -> look".into(), 3)].into(),
        meters: Meters::from([("tokens".into(), 40), ("searches".into(), 2)]),
        rescue: Some(Rescue {
            from: "look".into(),
            cut: CutReason::StepLimit(9),
        }),
    }
}

pub async fn steps_come_back_in_order_and_whole(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    let mut written = vec![creation("").base];
    for step in 1..=6 {
        let mut record = update(step, &format!("the update of step {step}"));
        record.meta.looped = Some(LoopUse {
            edge: "look -> look".into(),
            used: 2,
        });
        if step == 4 {
            record.meta.kind = StepKind::Cut(CutReason::Failed("no luck".to_owned()));
            record.payload = None;
        }
        if step == 6 {
            record.meta.next = None;
        }
        let mut append = writer.step("");
        append.record = Some(record);
        add_entries(&mut append, [entry(step, "call", EntryPart::Answered)]);
        written.extend(append.record.clone());
        writer.write(append).await;
    }
    let written = plain_steps(&written);
    let read = store.steps(writer.run, 0, usize::MAX).await.unwrap();
    assert_eq!(plain_steps(&read), written, "all steps, whole");
    let read = store.steps(writer.run, 2, 3).await.unwrap();
    assert_eq!(plain_steps(&read), written[2..5], "some steps, in order");
    for from in [7, u64::MAX] {
        let read = store.steps(writer.run, from, 3).await.unwrap();
        assert!(read.is_empty(), "no step from {from} on: {read:?}");
    }
    let loaded = store.load(writer.run, None).await.unwrap();
    assert_eq!(plain_steps(&loaded.records), written[1..]);
    assert_eq!(loaded.damage, None);
}

pub async fn a_journal_comes_back_in_order_and_whole(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    for step in [1, 2] {
        let mut written = Vec::new();
        // Written neither in the order of their times nor of their keys.
        for (second, keys) in [(20, &["z", "a", "m"][..]), (10, &["n"]), (30, &["b", "B"])] {
            let mut batch: Vec<_> = keys
                .iter()
                .map(|key| entry(step, key, EntryPart::Answered))
                .collect();
            for entry in &mut batch {
                entry.meta.at = moment(second);
            }
            writer.write(writer.with_entries(batch.clone())).await;
            written.extend(batch);
        }
        let mut gate = entry(step, "z", EntryPart::Opened);
        gate.meta.kind = EntryKind::Gate;
        gate.meta.meters = Meters::new();
        gate.meta.at = moment(0);
        writer.write(writer.with_entries([gate.clone()])).await;
        written.push(gate);

        written.sort_by_key(|entry| (entry.meta.at, entry.meta.key.clone()));
        let under_way = store.entries(writer.run, step).await.unwrap();
        assert_eq!(plain_entries(&under_way), plain_entries(&written));
        writer.take_steps(1).await;
        let recorded = store.entries(writer.run, step).await.unwrap();
        assert_eq!(plain_entries(&recorded), plain_entries(&written));
    }
    for step in [0, 3, u64::MAX] {
        let read = store.entries(writer.run, step).await.unwrap();
        assert!(read.is_empty(), "step {step} has no journal: {read:?}");
    }
}

pub async fn loading_at_a_step_gives_that_step(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    writer.take_steps(5).await;
    let (header, _) = store.head(writer.run).await.unwrap();
    let texts = ["begun", "1", "2", "3", "4", "5"];
    for at in 0..=5 {
        let loaded = store.load(writer.run, Some(at)).await.unwrap();
        assert_eq!(loaded.from.step, 0);
        assert_eq!(numbers(&loaded), Vec::from_iter(1..=at), "at step {at}");
        let wanted = texts.iter().take(loaded.records.len() + 1);
        assert!(wanted.eq(&fold(&loaded)), "at step {at}: {loaded:?}");
        assert_eq!(loaded.run, header, "the header is today's");
    }
    let loaded = store.load(writer.run, None).await.unwrap();
    assert_eq!(fold(&loaded), texts, "without a step, the last");
}

pub async fn a_step_out_of_range_is_named(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    writer.take_steps(3).await;
    for wanted in [4, 1000, u64::MAX] {
        let refused = store.load(writer.run, Some(wanted)).await;
        assert!(
            matches!(
                refused,
                Err(Error::NoSuchStep { run, step, last: 3 }) if run == writer.run && step == wanted
            ),
            "there is no step {wanted}: {refused:?}"
        );
    }
}

pub async fn a_snapshot_shortens_loading(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    writer.take_steps(2).await;
    for whole in ["whole at 3", "whole at 4"] {
        let mut append = writer.step("folded");
        let mut snapshot = snapshot(append.head.step, whole);
        snapshot.tally.loops = full_tally().loops;
        append.snapshot = Some(snapshot);
        writer.write(append).await;
    }
    writer.take_steps(2).await;

    let loaded = store.load(writer.run, None).await.unwrap();
    assert_eq!(loaded.from.step, 4, "the latest snapshot");
    assert_eq!(loaded.from.tally.steps, 4);
    assert_eq!(loaded.from.tally.loops, full_tally().loops);
    assert_eq!(numbers(&loaded), [5, 6]);
    assert_eq!(fold(&loaded), ["whole at 4", "5", "6"]);
    let loaded = store.load(writer.run, Some(3)).await.unwrap();
    assert_eq!((loaded.from.step, numbers(&loaded)), (3, vec![]));
    assert_eq!(fold(&loaded), ["whole at 3"]);
    let loaded = store.load(writer.run, Some(2)).await.unwrap();
    assert_eq!(fold(&loaded), ["begun", "1", "2"], "none from the future");
    let steps = store.steps(writer.run, 0, usize::MAX).await.unwrap();
    assert_eq!(steps.len(), 7, "a snapshot replaces no record");
}

pub async fn a_reopened_base_starts_the_fold(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    writer.take_steps(1).await;
    let mut append = writer.step("2");
    append.snapshot = Some(snapshot(2, "whole at 2"));
    writer.write(append).await;
    writer.take_steps(1).await;
    let mut append = writer.step("");
    append.record = Some(base(4, full_tally(), BaseReason::Reopened, "reopened"));
    writer.write(append).await;
    writer.take_steps(1).await;

    let loaded = store.load(writer.run, None).await.unwrap();
    assert_eq!(loaded.from.step, 4, "an earlier snapshot is passed over");
    assert_eq!(loaded.from.tally, full_tally(), "its tally comes with it");
    assert_eq!(fold(&loaded), ["reopened", "5"]);
    assert_eq!(numbers(&loaded), [5]);
    let loaded = store.load(writer.run, Some(4)).await.unwrap();
    assert_eq!((loaded.from.step, numbers(&loaded)), (4, vec![]));
    let loaded = store.load(writer.run, Some(3)).await.unwrap();
    assert_eq!(
        fold(&loaded),
        ["whole at 2", "3"],
        "before it, the old fold"
    );

    let mut append = writer.step("");
    append.record = Some(base(6, full_tally(), BaseReason::Reopened, "again"));
    writer.write(append).await;
    let loaded = store.load(writer.run, None).await.unwrap();
    assert_eq!(fold(&loaded), ["again"], "of two bases the later counts");
    let mut append = writer.step("7");
    append.snapshot = Some(snapshot(7, "whole at 7"));
    writer.write(append).await;
    let loaded = store.load(writer.run, None).await.unwrap();
    assert_eq!(
        fold(&loaded),
        ["whole at 7"],
        "a later snapshot counts again"
    );

    let mut forked = creation("a fork");
    forked.base = base(0, full_tally(), BaseReason::Forked, "forked");
    forked.base.payload = Some(body("edited"));
    let fork = Writer::begin_with(&store, forked, HOUR).await;
    let loaded = store.load(fork.run, None).await.unwrap();
    assert_eq!(loaded.from.tally, full_tally(), "a fork starts with counts");
    assert_eq!(fold(&loaded), ["edited"]);
}
