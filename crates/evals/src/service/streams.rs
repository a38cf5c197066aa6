//! T14 and T15: many clients on streams of events, and clients that do not read, or say nothing.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use fathom_testworld::Script;
use futures::future::try_join_all;
use jiff::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::served::{Served, TASK, in_a_world, pages};
use crate::figure;
use crate::proofs::{Proof, Setting, Size};

/// What a client may cost, in KiB.
const CLIENT_KIB: f64 = 50.0;

/// What all but one in a hundred events may take from their happening to a client, in milliseconds.
const DELIVERY_MS: f64 = 250.0;

/// Until when a client that does nothing must be gone.
const REAPED_WITHIN: Duration = Duration::from_secs(60);

pub(super) fn many_clients() -> Proof {
    Proof {
        id: "T14",
        what: "many clients follow many runs",
        run: |setting| Box::pin(follow_all(setting)),
    }
}

pub(super) fn dead_clients() -> Proof {
    Proof {
        id: "T15",
        what: "clients that do nothing are let go",
        run: |setting| Box::pin(let_go(setting)),
    }
}

/// What a client saw of a run.
struct Seen {
    numbers: Vec<u64>,
    /// How long events took that happened while it was there, in milliseconds.
    delays: Vec<f64>,
}

async fn follow_all(setting: Setting) -> Result<String> {
    let (clients, runs) = setting.size.pick((200, 20), (1_000, 100));
    let kib = idle_client_kib(clients).await?;
    // Slow enough that all clients are there while the runs go on.
    let script = Script::sensible(pages()).taking(Duration::from_secs(1));
    let workers = runs.to_string();
    let more = [
        ("FATHOM_SERVE_WORKERS", workers.as_str()),
        ("FATHOM_SERVE_MAX_QUEUE", "1000"),
    ];
    let (_stage, served) = in_a_world(script, &more).await?;
    let mut begun = Vec::new();
    for _ in 0..runs {
        let settings = json!({ "max_execution_time_s": 600 });
        let options = json!({ "tier": "simple", "settings": settings });
        let body = json!({ "workflow": "answer", "question": TASK, "options": options });
        begun.push(served.begin(&body).await?);
    }
    let following = (0..clients).map(|client| follow(&served, &begun[client % runs]));
    let seen = try_join_all(following).await?;
    let mut delays = Vec::new();
    for (client, seen) in seen.into_iter().enumerate() {
        let run = &begun[client % runs];
        let stored = served.json(&format!("/runs/{run}")).await?["events"].as_u64();
        let whole: Vec<u64> = (1..=stored.context("a run counts its events")?).collect();
        ensure!(
            seen.numbers == whole,
            "client {client} missed events of {run}"
        );
        delays.extend(seen.delays);
    }
    let events = delays.len();
    ensure!(events > 0, "no event happened while clients were there");
    delays.sort_unstable_by(f64::total_cmp);
    let (median, late) = (delays[events / 2], delays[events * 99 / 100]);
    ensure!(kib <= CLIENT_KIB, "a client costs {kib:.0} KiB");
    // A debug build on a busy machine says nothing about time.
    ensure!(
        setting.size == Size::Quick || late <= DELIVERY_MS,
        "one event in a hundred takes more than {late:.0} ms"
    );
    Ok(format!(
        "{clients} clients on {runs} runs: {events} live events without gap or repeat, median {median:.0} ms and 99 % within \
         {late:.0} ms of their happening; {kib:.0} KiB a client"
    ))
}

/// Follows a run to its end.
async fn follow(served: &Served, run: &str) -> Result<Seen> {
    let stream = served.request(Method::GET, &format!("/runs/{run}/events"));
    let mut stream = stream.send().await?.error_for_status()?;
    let connected = Timestamp::now();
    let (mut text, mut seen) = (
        String::new(),
        Seen {
            numbers: Vec::new(),
            delays: Vec::new(),
        },
    );
    while let Some(piece) = stream.chunk().await? {
        let now = Timestamp::now();
        text.push_str(std::str::from_utf8(&piece)?);
        while let Some((event, rest)) = text.split_once("\n\n") {
            let data = event.lines().find_map(|line| line.strip_prefix("data: "));
            if event.starts_with("event: end") {
                return Ok(seen);
            }
            if let Some(data) = data {
                let data: Value = serde_json::from_str(data)?;
                seen.numbers.extend(data["number"].as_u64());
                let at: Timestamp = data["at"].as_str().unwrap_or_default().parse()?;
                if at > connected {
                    seen.delays.push(now.duration_since(at).as_secs_f64() * 1e3);
                }
            }
            text = rest.to_owned();
        }
    }
    anyhow::bail!("the stream of {run} ended without its end")
}

fn resting() -> Value {
    json!({ "workflow": "countdown", "options": { "from": 1, "rest_ms": 3_600_000 } })
}

/// What the service holds for one client that follows a run which rests.
async fn idle_client_kib(clients: usize) -> Result<f64> {
    let served = Served::toy(&[]).await?;
    let run = served.begin(&resting()).await?;
    // Whatever the first of its kind brings along is no client's.
    let _first = first_piece(&served, &run).await?;
    let before = figure::resident_kib_of(served.process());
    let following = (0..clients).map(|_| first_piece(&served, &run));
    let _streams = try_join_all(following).await?;
    let after = figure::resident_kib_of(served.process());
    Ok(after.saturating_sub(before) as f64 / clients as f64)
}

async fn first_piece(served: &Served, run: &str) -> Result<reqwest::Response> {
    let stream = served.request(Method::GET, &format!("/runs/{run}/events"));
    let mut stream = stream.send().await?.error_for_status()?;
    stream.chunk().await?.context("a run has events")?;
    Ok(stream)
}

async fn let_go(setting: Setting) -> Result<String> {
    let each = setting.size.pick(10, 50);
    let quick = [
        ("FATHOM_SERVE_CLIENT_TIMEOUT_S", "2"),
        ("FATHOM_SERVE_HEARTBEAT_S", "1"),
    ];
    let served = Served::toy(setting.size.pick(&quick[..], &[])).await?;
    let count = json!({ "workflow": "countdown", "options": { "from": 900 } });
    let long = served.begin(&count).await?;
    follow(&served, &long).await?;
    let (sockets, memory) = (served.sockets()?, figure::resident_kib_of(served.process()));
    let address = served.address.trim_start_matches("http://").to_owned();
    let mut dead = Vec::new();
    for _ in 0..each {
        // One that never ends its request, and one that asks for much and reads nothing.
        dead.push(silent(&address, "GET /health HTTP/1.1\r\nHost: loc").await?);
        let asks =
            format!("GET /runs/{long}/events HTTP/1.1\r\nHost: localhost\r\n\r\n").repeat(60);
        dead.push(silent(&address, &asks).await?);
    }
    let begun = Instant::now();
    while served.sockets()? < sockets + each {
        ensure!(begun.elapsed() < REAPED_WITHIN, "they are not connected");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut most = memory;
    let mut slowest = Duration::ZERO;
    while served.sockets()? > sockets + 1 {
        let waited = begun.elapsed();
        ensure!(
            waited < REAPED_WITHIN,
            "{} sockets are left",
            served.sockets()? - sockets
        );
        most = most.max(figure::resident_kib_of(served.process()));
        // Others are served meanwhile.
        let asked = Instant::now();
        served.text("/health").await?;
        slowest = slowest.max(asked.elapsed());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let (reaped, kib) = (begun.elapsed(), (most - memory) / dead.len() as u64);
    ensure!(kib <= 1_024, "a dead client costs {kib} KiB");
    follow(&served, &long).await?;
    // They see that they were let go.
    for mut stream in dead {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
    }
    Ok(format!(
        "{each} that never end their request and {each} that read nothing: gone after {:.0} s, {kib} KiB each; \
         others answered within {:.0} ms meanwhile",
        reaped.as_secs_f64(),
        figure::ms(slowest)
    ))
}

/// A connection that says this and then does nothing.
async fn silent(address: &str, says: &str) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(says.as_bytes()).await?;
    Ok(stream)
}
