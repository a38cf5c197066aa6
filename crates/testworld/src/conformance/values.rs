//! What is written comes back to the byte, however large, odd or exact it is.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::fixtures::{
    HOUR, Writer, add_entries, body, creation, entry, event, moment, picture, snapshot, text_of,
};
use fathom_workflow::journal::RunFilter;
use fathom_workflow::record::{EntryPart, Meters, Status};
use fathom_workflow::{Owner, Payload, Store};

/// Larger than any body a store would keep beside its row.
const LARGE: usize = 2 * 1024 * 1024;

pub async fn large_bodies_survive(store: Arc<dyn Store>) {
    let large = |fill: &str| fill.repeat(LARGE / fill.len());
    let [state, update, whole, answer] = ["state", "update", "whole", "answer"].map(large);
    let mut runs = Vec::new();
    for title in ["the first", "its twin"] {
        let mut creation = creation(title);
        creation.base.payload = Some(body(&state));
        let mut writer = Writer::begin_with(&store, creation, HOUR).await;
        let mut append = writer.step(&update);
        let mut call = entry(1, "call", EntryPart::Answered);
        call.payload = body(&answer);
        add_entries(&mut append, [call]);
        writer.write(append).await;
        let mut append = writer.step("2");
        append.snapshot = Some(snapshot(2, &whole));
        writer.write(append).await;
        writer.write(writer.parting(Status::Completed, 3)).await;
        runs.push(writer.run);
    }
    // The twin's bodies are equal bytes; they must not leave with the first.
    store.delete(runs.remove(0)).await.unwrap();
    let found = picture(&store, runs[0]).await;
    let texts: Vec<_> = found.steps.into_iter().filter_map(|step| step.1).collect();
    assert!(texts == [state, update, "2".to_owned()], "steps come back");
    assert!(found.entries[0].1 == answer, "a journal entry comes back");
    let loaded = store.load(runs[0], None).await.unwrap();
    assert!(
        text_of(&loaded.from.state) == whole,
        "a snapshot comes back"
    );
}

pub async fn odd_text_survives(store: Arc<dyn Store>) {
    let odd = [
        "it's \"quoted\" \\ `so`; DROP TABLE runs; --",
        "100% _under_ %s {} $1 ?1 :name",
        "日本語 ελληνικά 🧭👩🏽‍🔬 e\u{301} \u{feff}",
        "עברית \u{202e}abc\u{202c} العربية",
        "line\nbreak\ttab\r\n \u{1}\u{7f}\u{2028} ",
        "",
    ];
    for text in odd {
        let mut creation = creation(text);
        let owner = Owner::named(format!("owner {text}"));
        creation.run.about.workflow = text.to_owned().into();
        creation.run.head.reason = Some(text.to_owned());
        let mut writer = Writer::begin_with(&store, creation.clone(), HOUR).await;
        writer.write(writer.parting(Status::Pending, 1)).await;
        writer.token = store.claim(writer.run, &owner, HOUR).await.unwrap();
        // JSON may hold a NUL character, which some databases' texts may not.
        let with_nul = format!("{text}\0{text}");
        let mut append = writer.step(&with_nul);
        add_entries(&mut append, [entry(1, text, EntryPart::Opened)]);
        append.events = vec![event(append.head.events, &with_nul)];
        append.head.status = Status::Running(text.to_owned().into());
        append.head.next = Some(text.to_owned().into());
        writer.write(append.clone()).await;

        let found = picture(&store, writer.run).await;
        assert_eq!(found.run.about, creation.run.about);
        assert_eq!(found.run.head, append.head);
        assert_eq!(found.steps[1].1, Some(with_nul));
        assert_eq!(found.entries[0].0.key, text);
        assert_eq!(found.events.last(), append.events.last());
        store.mark_cancel(writer.run, true).await.unwrap();
        assert_eq!(store.cancels(&owner).await.unwrap(), [writer.run]);
        let filter = RunFilter {
            workflow: Some(text.to_owned()),
            text: Some(text.to_owned()),
            ..RunFilter::default()
        };
        let listed = store.list(&filter).await.unwrap().runs;
        assert_eq!(listed, [found.run], "it is found by its text: {text:?}");
    }
}

pub async fn fine_times_and_large_numbers_survive(store: Arc<dyn Store>) {
    let fine = moment(1) + std::time::Duration::from_nanos(789);
    let mut creation = creation("exactly");
    creation.run.head.deadline = Some(fine);
    creation.run.head.wake_at = Some(Timestamp::MAX);
    let mut writer = Writer::begin_with(&store, creation, HOUR).await;
    let value = json!({
        "large": u64::MAX, "small": i64::MIN, "third": 0.1, "tiny": 5e-324,
        "nested": [[null, true, {}], []],
    });
    let mut append = writer.step("");
    append.head.updated_at = fine;
    append.head.attempts = u32::MAX;
    append.head.waited = std::time::Duration::from_nanos(u64::MAX);
    if let Some(record) = &mut append.record {
        record.meta.at = fine;
        record.meta.meters = Meters::from([("tokens".into(), u64::MAX)]);
        record.payload = Some(Payload::encoded(&value).unwrap());
    }
    let record = append.record.clone().unwrap();
    writer.write(append).await;

    let (run, _) = store.head(writer.run).await.unwrap();
    assert_eq!(run.head, writer.head, "the header keeps nanoseconds");
    let loaded = store.load(writer.run, None).await.unwrap();
    assert_eq!(loaded.records[0].meta, record.meta);
    let payload = loaded.records[0].payload.as_ref().unwrap();
    assert_eq!(payload.decode_owned::<Value>().unwrap(), value);
    assert_eq!(
        payload.bytes().unwrap(),
        record.payload.unwrap().bytes().unwrap(),
        "bodies come back to the byte"
    );
}

pub async fn an_append_tells_what_it_wrote(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    let short = writer.write(writer.step("short")).await.bytes;
    let long = writer.write(writer.step(&"long".repeat(1000))).await.bytes;
    if store.is_durable() {
        assert!(short > 0, "a durable store writes something");
        assert!(long > short + 3500, "the more the longer: {short}, {long}");
    }
}
