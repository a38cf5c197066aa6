//! What the service costs: its routes beside a bare handler with the same bytes, runs that wait, and many answers at once.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use fathom_testworld::{Script, Stage};
use futures::future::try_join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use super::peer::{self, PeerService};
use super::served::{Served, in_a_world, pages};
use crate::figure::{self, Figure, median, ms, timed};

/// Clients that ask at once, and how often each does in a round.
const CLIENTS: usize = 8;
const REQUESTS: usize = 400;
const ROUNDS: usize = 9;

const PARKED: usize = 1_000;

/// Runs that are parked before anything is measured, so that caches of a fixed size are full.
const PARKED_BEFORE: usize = 3_000;
const ANSWERS: usize = 100;

/// What every call of the scripted world takes.
const CALL: Duration = Duration::from_millis(50);

/// `bench service [--only routes|parked|answers | --peer]`
pub async fn bench(rest: &[&str]) -> Result<()> {
    match rest {
        [] => {
            routes().await?;
            parked().await?;
            answers(false).await
        }
        ["--only", "routes"] => routes().await,
        ["--only", "parked"] => parked().await,
        ["--only", "answers"] => answers(false).await,
        ["--peer"] => answers(true).await,
        // Not for people: the handler that the routes are compared with.
        ["--bare", body] => bare(body.to_string()).await,
        _ => bail!("there is --only with routes, parked or answers, and --peer"),
    }
}

/// Each route beside a bare handler in a process of its own, in turns.
async fn routes() -> Result<()> {
    let served = Served::toy(&[]).await?;
    let run = served
        .begin(&json!({ "workflow": "countdown", "options": { "from": 1 } }))
        .await?;
    served.text(&format!("/runs/{run}/events")).await?;
    for (name, path) in [
        ("health", "/health".to_owned()),
        ("run", format!("/runs/{run}")),
    ] {
        let body = served.text(&path).await?;
        let (bare, address) = bare_server(&body).await?;
        let ours = format!("{}{path}", served.address);
        let processes = (served.process(), bare.id().unwrap_or_default());
        let (mut ratios, mut us, mut bare_us) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = (0.0, 0.0);
        for round in 0..=ROUNDS {
            let (one, other) = (load(&served, &ours).await?, load(&served, &address).await?);
            // The first round warms both up.
            if round == 0 {
                before = cpu_ms(processes);
            } else {
                ratios.push(one / other);
                us.push(one);
                bare_us.push(other);
            }
        }
        let after = cpu_ms(processes);
        drop(bare);
        let each = 1e3 / (ROUNDS * CLIENTS * REQUESTS) as f64;
        let (cpu_us, bare_cpu_us) = ((after.0 - before.0) * each, (after.1 - before.1) * each);
        Figure::named("service-route")
            .with("route", name)
            .with("bytes", body.len())
            .number("request_us", median(us))
            .number("bare_us", median(bare_us))
            .number("ratio", median(ratios))
            // What a busy machine disturbs least.
            .number("cpu_us", cpu_us)
            .number("bare_cpu_us", bare_cpu_us)
            .number("cpu_ratio", cpu_us / bare_cpu_us)
            .print();
    }
    Ok(())
}

/// The time on processors of our service and of the bare one.
fn cpu_ms((ours, bare): (u32, u32)) -> (f64, f64) {
    (figure::cpu_ms_of(ours), figure::cpu_ms_of(bare))
}

/// Microseconds a request, over all clients.
async fn load(served: &Served, address: &str) -> Result<f64> {
    let client = || async {
        for _ in 0..REQUESTS {
            let got = served.client.get(address).send().await?;
            got.error_for_status()?.bytes().await?;
        }
        anyhow::Ok(())
    };
    let (done, took) = timed(try_join_all((0..CLIENTS).map(|_| client()))).await;
    done?;
    Ok(took.as_secs_f64() * 1e6 / (CLIENTS * REQUESTS) as f64)
}

async fn bare(body: String) -> Result<()> {
    let reply = move || {
        let body = body.clone();
        async move { ([(CONTENT_TYPE, "application/json")], body) }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    #[expect(
        clippy::print_stdout,
        reason = "whoever started it waits for the address"
    )]
    {
        println!("{}", listener.local_addr()?);
    }
    axum::serve(listener, Router::new().route("/", get(reply))).await?;
    Ok(())
}

async fn bare_server(body: &str) -> Result<(Child, String)> {
    let program = std::env::current_exe().context("this program cannot find itself")?;
    let mut command = Command::new(program);
    command.args(["bench", "service", "--bare", body]);
    let (child, address) = peer::start(command).await?;
    Ok((child, format!("{address}/")))
}

/// What a run costs that waits for its time.
async fn parked() -> Result<()> {
    let served = Served::toy(&[("FATHOM_SERVE_MAX_QUEUE", "10000")]).await?;
    park(&served, PARKED_BEFORE).await?;
    let threads = threads(&served);
    let before = figure::resident_kib_of(served.process());
    park(&served, PARKED).await?;
    let after = figure::resident_kib_of(served.process());
    Figure::named("service-parked")
        .with("runs", PARKED)
        .number("kib_a_run", (after as f64 - before as f64) / PARKED as f64)
        .with(
            "threads_more",
            self::threads(&served).saturating_sub(threads),
        )
        .print();
    Ok(())
}

/// Begins runs and waits until all of them rest.
async fn park(served: &Served, runs: usize) -> Result<()> {
    let options = json!({ "from": 1, "rest_ms": 3_600_000 });
    let body = json!({ "workflow": "countdown", "options": options });
    let mut begun = Vec::new();
    for _ in 0..runs {
        begun.push(served.begin(&body).await?);
    }
    for run in begun {
        let stream = served.request(Method::GET, &format!("/runs/{run}/events"));
        let (mut stream, mut told) = (stream.send().await?, String::new());
        while !told.contains("\"event\":\"parked\"") {
            let piece = stream.chunk().await?.context("it rests before it ends")?;
            told.push_str(std::str::from_utf8(&piece)?);
        }
    }
    Ok(())
}

fn threads(served: &Served) -> usize {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", served.process()));
    tasks.map_or(0, Iterator::count)
}

/// Many answers at once beside one alone, over a world whose every call takes 50 ms. The peer has the same world after us.
async fn answers(with_peer: bool) -> Result<()> {
    let script = Script::sensible(pages()).taking(CALL).on_hosts(3);
    let workers = ANSWERS.to_string();
    let more = [
        ("FATHOM_SERVE_WORKERS", workers.as_str()),
        ("FATHOM_SERVE_MAX_QUEUE", "1000"),
        // One model and one search engine bear all that these runs ask at once.
        ("FATHOM_CALLS_MODELS_AT_ONCE", "1000"),
        ("FATHOM_CALLS_SEARCHES_AT_ONCE", "1000"),
    ];
    let (stage, served) = in_a_world(script, &more).await?;
    let ours = AnswerService {
        client: &served.client,
        address: &served.address,
        process: served.process(),
    };
    measure(&stage, "fathom", ours).await?;
    if with_peer {
        let peer = PeerService::start(&stage).await?;
        let theirs = AnswerService {
            client: &served.client,
            address: &peer.address,
            process: peer.process(),
        };
        measure(&stage, &peer.name, theirs).await?;
    }
    Ok(())
}

/// A service that answers tasks by `POST /run`.
#[derive(Clone, Copy)]
struct AnswerService<'a> {
    client: &'a reqwest::Client,
    address: &'a str,
    process: u32,
}

async fn measure(stage: &Stage, name: &str, service: AnswerService<'_>) -> Result<()> {
    let mut alone = Vec::new();
    for nth in 0..5 {
        let (done, took) = timed(answer(service, nth)).await;
        done?;
        alone.push(ms(took));
    }
    let (cpu_before, calls_before) = (figure::cpu_ms_of(service.process), stage.calls().len());
    let all = try_join_all((0..ANSWERS).map(|nth| answer(service, 100 + nth)));
    let (done, took) = timed(all).await;
    done?;
    let cpu = figure::cpu_ms_of(service.process) - cpu_before;
    let calls = stage.calls().len() - calls_before;
    let alone = median(alone);
    Figure::named("service-answers")
        .with("service", name)
        .with("runs", ANSWERS)
        .number("one_ms", alone)
        .number("all_ms", ms(took))
        .number("ratio", ms(took) / alone)
        .number("calls_each", calls as f64 / ANSWERS as f64)
        // Below this the cores do not let it go: what the answers compute, shared among them.
        .number("cpu_ms_each", cpu / ANSWERS as f64)
        .with("cores", std::thread::available_parallelism()?.get())
        .print();
    Ok(())
}

async fn answer(service: AnswerService<'_>, nth: usize) -> Result<()> {
    let task = format!("What is known about street trees in town number {nth}?");
    let body = json!({ "task": task, "complexity_tier": "simple", "max_execution_time_s": 600 });
    let asked = service.client.post(format!("{}/run", service.address));
    let answered = asked.json(&body).send().await?;
    let answer: Value = answered.error_for_status()?.json().await?;
    if answer["degraded_mode"] != false {
        bail!("degraded: {answer}");
    }
    Ok(())
}
