//! Streams of events: what is received is what is stored, from any number on.

use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};

use super::served::{Served, expect};

fn countdown(from: u32) -> Value {
    json!({ "workflow": "countdown", "options": { "from": from } })
}

async fn from(served: &Served, run: &str, last: &str) -> Response {
    let request = served.request(Method::GET, &format!("/runs/{run}/events"));
    request.header("Last-Event-ID", last).send().await.unwrap()
}

/// The numbers of the events in a piece of a stream, each of them whole.
fn numbers(text: &str) -> Vec<u64> {
    let events = text
        .split_inclusive("\n\n")
        .filter(|event| event.ends_with("\n\n"));
    let number = |event: &str| {
        let id = event.lines().find_map(|line| line.strip_prefix("id: "))?;
        let data = event.lines().find_map(|line| line.strip_prefix("data: "))?;
        let data: Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["number"].to_string(), id);
        id.parse().ok()
    };
    events.filter_map(number).collect()
}

#[tokio::test]
async fn a_stream_goes_on_after_any_event_without_gap_or_repeat() {
    let served = Served::toy();
    let run = served.begin(&countdown(20)).await;
    assert_eq!(served.ended(&run).await, "completed");
    let last = served.json(&format!("/runs/{run}")).await["events"]
        .as_u64()
        .unwrap();
    for after in 0..=last {
        let text = from(&served, &run, &after.to_string())
            .await
            .text()
            .await
            .unwrap();
        assert_eq!(numbers(&text), (after + 1..=last).collect::<Vec<_>>());
        assert!(text.ends_with("event: end\ndata: {\"status\":\"completed\",\"reason\":null}\n\n"));
    }
}

#[tokio::test]
async fn a_client_that_is_cut_off_again_and_again_receives_what_is_stored() {
    let mut served = Served::toy();
    let run = served.begin(&countdown(200)).await;
    let mut seen: Vec<u64> = Vec::new();
    for cut in 0.. {
        let after = seen.last().copied().unwrap_or(0);
        let mut stream = from(&served, &run, &after.to_string()).await;
        // A few pieces, then the client goes; at some of the first cuts the server is killed too.
        let mut text = String::new();
        for _ in 0..3 {
            match stream.chunk().await {
                Ok(Some(bytes)) => text.push_str(std::str::from_utf8(&bytes).unwrap()),
                Ok(None) | Err(_) => break,
            }
        }
        seen.extend(numbers(&text));
        if text.contains("event: end") {
            break;
        }
        if cut % 4 == 3 && cut < 12 {
            served.kill();
            served.start();
        }
    }
    let last = served.json(&format!("/runs/{run}")).await["events"]
        .as_u64()
        .unwrap();
    assert_eq!(seen, (1..=last).collect::<Vec<_>>());
}

#[tokio::test]
async fn numbers_that_no_event_has_are_refused() {
    let served = Served::toy();
    let run = served.begin(&countdown(1)).await;
    for last in ["-1", "x", "1.5", "999999", "99999999999999999999"] {
        let told = expect(
            from(&served, &run, last).await,
            StatusCode::UNPROCESSABLE_ENTITY,
        )
        .await;
        assert_eq!(told["error"]["field"], "Last-Event-ID", "{last}");
    }
    let wrong = served.get(&format!("/runs/{run}/events?after=x")).await;
    let told = expect(wrong, StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(told["error"]["field"], "after");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_stream_gives_signs_of_life_and_ends_with_the_service() {
    let mut served = Served::toy_with(&[("FATHOM_SERVE_HEARTBEAT_S", "1")]);
    let options = json!({ "from": 1, "rest_ms": 3_600_000 });
    let run = served
        .begin(&json!({ "workflow": "countdown", "options": options }))
        .await;
    let mut stream = served.get(&format!("/runs/{run}/events")).await;
    let mut text = String::new();
    while !text.contains("\n: \n") && !text.contains("\n:\n") {
        let bytes = stream.chunk().await.unwrap().unwrap();
        text.push_str(std::str::from_utf8(&bytes).unwrap());
    }
    let reading = tokio::spawn(async move {
        let mut rest = String::new();
        while let Ok(Some(bytes)) = stream.chunk().await {
            rest.push_str(std::str::from_utf8(&bytes).unwrap());
        }
        rest
    });
    let (code, _) = tokio::task::block_in_place(|| served.terminate());
    assert_eq!(code, Some(143));
    assert!(
        !reading.await.unwrap().contains("event: end"),
        "the run has not ended"
    );
}
