//! Who may write to a run, and until when.
//!
//! Checks never wait: a lease of no time has lapsed, a lease of an hour has not.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::fixtures::{HOUR, NONE, Writer, creation, moment, picture};
use fathom_workflow::record::{Status, Token};
use fathom_workflow::{Error, Owner, RunId, Store};

/// How many reach for a run at once where one may have it.
const CLAIMERS: usize = 20;

async fn assert_held(store: &Arc<dyn Store>, run: RunId, by: &Owner, promise: &str) {
    let claimed = store.claim(run, &Owner::unique(), HOUR).await;
    assert!(
        matches!(&claimed, Err(Error::Held { run: named, owner, .. }) if *named == run && owner == by),
        "{promise}: {claimed:?}"
    );
}

pub async fn the_fence_rises_when_a_run_changes_hands(store: Arc<dyn Store>) {
    let mut writer = Writer::begin_with(&store, creation("passed on"), NONE).await;
    writer.write_for(writer.step("1"), NONE).await;
    let mut last = writer.token;
    for _ in 0..4 {
        let token = store.claim(writer.run, &Owner::unique(), NONE).await;
        let wanted = Token {
            fence: last.fence + 1,
            rev: last.rev,
        };
        assert_eq!(token.unwrap(), wanted, "a claim raises the fence by one");
        assert_eq!(store.head(writer.run).await.unwrap().1, wanted);
        last = wanted;
    }
    let token = store.claim(writer.run, &writer.owner, NONE).await.unwrap();
    assert_eq!(token.fence, last.fence + 1, "also for a former owner");
}

pub async fn a_live_lease_keeps_others_out(store: Arc<dyn Store>) {
    let writer = Writer::begin(&store).await;
    let before = picture(&store, writer.run).await;
    assert_held(&store, writer.run, &writer.owner, "the creator holds it").await;
    let again = store.claim(writer.run, &writer.owner, HOUR).await;
    assert!(
        matches!(again, Err(Error::Held { until, .. }) if until > moment(0)),
        "not even its owner can claim it twice: {again:?}"
    );
    assert_eq!(picture(&store, writer.run).await, before, "no fence rose");

    let other = Writer::begin_with(&store, creation("another"), NONE).await;
    let heir = Owner::named("heir");
    store.claim(other.run, &heir, HOUR).await.unwrap();
    assert_held(&store, other.run, &heir, "a claimer holds it").await;
}

pub async fn a_lapsed_lease_can_be_taken(store: Arc<dyn Store>) {
    let writer = Writer::begin_with(&store, creation("left alone"), NONE).await;
    let heir = Owner::unique();
    let claimed = store.claim(writer.run, &heir, HOUR).await;
    assert!(claimed.is_ok(), "a lapsed lease can be taken: {claimed:?}");
    assert_held(&store, writer.run, &heir, "the taker holds it").await;
}

pub async fn of_many_claimers_one_wins(store: Arc<dyn Store>) {
    let writer = Writer::begin_with(&store, creation("wanted by many"), NONE).await;
    let mut claims = JoinSet::new();
    for _ in 0..CLAIMERS {
        let (store, run) = (Arc::clone(&store), writer.run);
        claims.spawn(async move { store.claim(run, &Owner::unique(), HOUR).await });
    }
    let mut tokens = Vec::new();
    for claim in claims.join_all().await {
        match claim {
            Ok(token) => tokens.push(token),
            Err(Error::Held { .. }) => {}
            Err(error) => panic!("a late claimer finds it held, not {error:?}"),
        }
    }
    let (_, token) = store.head(writer.run).await.unwrap();
    assert_eq!(tokens, [token], "one of {CLAIMERS} wins");
    assert_eq!(token.fence, writer.token.fence + 1);
}

pub async fn a_stale_owner_cannot_write(store: Arc<dyn Store>) {
    let mut stale = Writer::begin_with(&store, creation("taken over"), NONE).await;
    stale.write_for(stale.step("1"), NONE).await;
    let heir = Owner::unique();
    let token = store.claim(stale.run, &heir, HOUR).await.unwrap();
    let before = picture(&store, stale.run).await;

    let refused = store.append(stale.step("too late"), HOUR).await;
    assert!(
        matches!(refused, Err(Error::Superseded { .. })),
        "the former owner is refused: {refused:?}"
    );
    store.renew(&stale.owner, &[stale.run], HOUR).await.unwrap();
    store.release(stale.run, stale.token).await.unwrap();
    assert_held(&store, stale.run, &heir, "the heir still holds it").await;
    assert_eq!(picture(&store, stale.run).await, before, "nothing changed");

    stale.token = token;
    stale.take_steps(1).await;
}

pub async fn renewing_keeps_a_run(store: Arc<dyn Store>) {
    let owner = Owner::unique();
    let mut runs = Vec::new();
    for title in ["one", "two", "lost sight of"] {
        let creation = creation(title);
        runs.push(creation.run.id());
        store.create(creation, &owner, NONE).await.unwrap();
    }
    let other = Writer::begin_with(&store, creation("another's"), NONE).await;

    let named = [runs[0], runs[1], other.run];
    store.renew(&owner, &named, HOUR).await.unwrap();
    for run in &runs[..2] {
        assert_held(&store, *run, &owner, "every run it names is kept").await;
    }
    for run in [runs[2], other.run] {
        let free = store.claim(run, &Owner::unique(), HOUR).await;
        assert!(
            free.is_ok(),
            "neither another's lease nor one that is not named: {free:?}"
        );
    }

    let mut given_up = Writer::begin(&store).await;
    given_up.write(given_up.parting(Status::Waiting, 1)).await;
    store
        .renew(&given_up.owner, &[given_up.run], HOUR)
        .await
        .unwrap();
    let free = store.claim(given_up.run, &owner, HOUR).await;
    assert!(free.is_ok(), "what was given up stays so: {free:?}");
}

pub async fn an_append_prolongs_the_lease(store: Arc<dyn Store>) {
    let mut writer = Writer::begin_with(&store, creation("busy"), NONE).await;
    writer.write_for(writer.step("1"), HOUR).await;
    assert_held(&store, writer.run, &writer.owner, "writing keeps a run").await;

    let mut left = Writer::begin(&store).await;
    left.write(left.parting(Status::Waiting, 1)).await;
    let mut answer = left.blank();
    answer.head.status = Status::Pending;
    left.write(answer).await;
    let claimed = store.claim(left.run, &Owner::unique(), HOUR).await;
    assert!(
        claimed.is_ok(),
        "writing to a run that nobody holds takes no hold of it: {claimed:?}"
    );
}

pub async fn a_released_run_can_be_taken(store: Arc<dyn Store>) {
    let mut writer = Writer::begin_with(&store, creation("given up"), NONE).await;
    let stale = writer.token;
    writer.take_over(HOUR).await;
    writer.take_steps(1).await;
    let before = picture(&store, writer.run).await;
    store.release(writer.run, stale).await.unwrap();
    assert_held(
        &store,
        writer.run,
        &writer.owner,
        "a stale token frees none",
    )
    .await;

    store.release(writer.run, writer.token).await.unwrap();
    assert_eq!(
        picture(&store, writer.run).await,
        before,
        "release is no write"
    );
    let claimed = store.claim(writer.run, &Owner::unique(), HOUR).await;
    assert!(claimed.is_ok(), "a released run is free: {claimed:?}");
}

pub async fn an_append_can_release_the_run(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    let append = writer.parting(Status::Waiting, 1);
    writer.write(append.clone()).await;
    let heir = Owner::unique();
    let claimed = store.claim(writer.run, &heir, HOUR).await;
    assert!(claimed.is_ok(), "it was given up in the write: {claimed:?}");

    store.append(append, HOUR).await.unwrap();
    assert_held(&store, writer.run, &heir, "its repeat frees nothing").await;
}
