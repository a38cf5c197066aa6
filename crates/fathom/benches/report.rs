//! What a report costs beyond the answers it waits for: one JSON line a figure.
//!
//! A scripted world answers every call in 200 ms. The critical path is what the calls alone take, as the ledger saw
//! them: phases that depend on each other one after another, and within a phase so many calls at once as the settings
//! allow. Then the run without a model over the example library.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark may stop at the first fault, and its lines are what it is for"
)]

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use fathom_testworld::{Call, Judgement, Page, Reply, Script, Stage};
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::{Value, json};

const ANSWER: Duration = Duration::from_millis(200);
const PAGES: usize = 30;
const HOSTS: usize = 15;
const TIMES: usize = 5;

/// What the program does at once by default.
const AT_ONCE: usize = 8;

const ASPECTS: [&str; 12] = [
    "cooling", "water", "cost", "shade", "roots", "pruning", "species", "pollen", "storms",
    "paving", "birds", "noise",
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let runs = tokio::runtime::Runtime::new().unwrap();
    if words.iter().any(|word| word == "--extractive")
        || !words.iter().any(|word| word == "--staged")
    {
        extractive();
    }
    if words.iter().any(|word| word == "--staged")
        || !words.iter().any(|word| word == "--extractive")
    {
        let measured: Vec<Staged> = (0..TIMES).map(|_| staged(&runs)).collect();
        print_staged(&measured);
    }
}

/// What one run of the program took.
struct Took {
    wall: Duration,
    cpu: Duration,
    /// The most memory that any run so far has held.
    peak_kib: i64,
}

fn run(command: &mut Command) -> Took {
    let used = || {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
        let micros = |time: nix::sys::time::TimeVal| {
            Duration::from_secs(time.tv_sec().unsigned_abs())
                + Duration::from_micros(time.tv_usec().unsigned_abs())
        };
        (
            micros(usage.user_time()) + micros(usage.system_time()),
            usage.max_rss(),
        )
    };
    let (before, _) = used();
    let begun = Instant::now();
    let output = command.output().unwrap();
    let wall = begun.elapsed();
    let (after, peak_kib) = used();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!([0, 3].contains(&output.status.code().unwrap()), "{said}");
    Took {
        wall,
        cpu: after - before,
        peak_kib,
    }
}

fn program(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.env_clear().env("FATHOM_HOME", home);
    command
}

fn extractive() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/street-trees");
    let took: Vec<Took> = (0..TIMES)
        .map(|_| {
            let home = tempfile::tempdir().unwrap();
            let mut command = program(home.path());
            command.args([
                "report",
                "How much do street trees lower the air temperature in summer?",
            ]);
            run(command.arg("--library").arg(&library).arg("-q"))
        })
        .collect();
    let wall = median(took.iter().map(|took| ms(took.wall)));
    let cpu = median(took.iter().map(|took| ms(took.cpu)));
    let peak = took.iter().map(|took| took.peak_kib).max().unwrap() / 1024;
    figure("extractive_wall_ms", wall, 2_000.0);
    figure("extractive_cpu_ms", cpu, f64::NAN);
    figure("extractive_peak_mib", peak as f64, 150.0);
}

struct Staged {
    took: Took,
    path: Duration,
    calls: usize,
}

fn staged(runtime: &tokio::runtime::Runtime) -> Staged {
    let script = Script::sensible(pages())
        .always(Judgement::Plan, Reply::Json(plan()))
        .taking(ANSWER)
        .on_hosts(HOSTS);
    let stage = runtime.block_on(Stage::open(script)).unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut command = program(home.path());
    command
        .env("OPENAI_BASE_URL", stage.model_url())
        .env("FATHOM_SEARXNG_URL", stage.search_url())
        .env("FATHOM_SEARCH_WEB", "searxng")
        .env("FATHOM_FETCH_ALLOW", stage.fetch_allow())
        .env("FATHOM_REPORT_MAX_SOURCES", PAGES.to_string())
        // One draft, whatever its review says: the path below has each phase once.
        .env("FATHOM_REPORT_MAX_ITERATIONS", "0")
        .args([
            "report",
            "What is known about street trees?",
            "--depth",
            "comprehensive",
            "-q",
        ]);
    let took = run(&mut command);
    let calls = stage.calls();
    let count = |kind: &str| calls.iter().filter(|call| call.kind == kind).count();
    assert_eq!((count("search"), count("page")), (ASPECTS.len(), PAGES));
    Staged {
        took,
        path: critical_path(&calls),
        calls: calls.len(),
    }
}

fn print_staged(measured: &[Staged]) {
    let of = |number: fn(&Staged) -> f64| median(measured.iter().map(number));
    let ratio = |one: &Staged| one.took.wall.as_secs_f64() / one.path.as_secs_f64();
    figure("staged_wall_ms", of(|one| ms(one.took.wall)), f64::NAN);
    figure("staged_critical_path_ms", of(|one| ms(one.path)), f64::NAN);
    figure("staged_wall_over_critical_path", of(ratio), 1.25);
    figure("staged_cpu_ms", of(|one| ms(one.took.cpu)), 150.0);
    figure("staged_calls", of(|one| one.calls as f64), f64::NAN);
}

/// How long the calls alone take: every phase waits for the one before it.
fn critical_path(calls: &[Call]) -> Duration {
    let phases = [
        "Plan ",
        "search",
        "page",
        "Analysis ",
        "Section ",
        "Frame ",
        "Support ",
        "Review ",
    ];
    let of_phase = |phase: &str| {
        let of = |call: &&Call| {
            call.kind == phase || call.key.starts_with(phase) && call.kind == "model"
        };
        let answered = calls.iter().filter(of);
        let took = answered.filter_map(|call| Some(call.answered? - call.began));
        at_once(took.collect())
    };
    phases.into_iter().map(of_phase).sum()
}

/// How long calls take of which so many are under way at once, each begun when one ends.
fn at_once(calls: Vec<Duration>) -> Duration {
    let mut lanes = [Duration::ZERO; AT_ONCE];
    for call in calls {
        let free = lanes.iter_mut().min();
        *free.unwrap() += call;
    }
    lanes.into_iter().max().unwrap()
}

fn plan() -> Value {
    let sub_questions: Vec<Value> = ASPECTS[..6]
        .iter()
        .map(|aspect| json!({ "text": format!("What is known about the {aspect} of street trees?"), "needs": [] }))
        .collect();
    let query = |(nth, aspect): (usize, &&str)| {
        json!({
            "text": format!("street trees {aspect}"), "intent": aspect, "kind": "web",
            "priority": 1, "serves": nth % 6 + 1,
        })
    };
    let queries: Vec<Value> = ASPECTS.iter().enumerate().map(query).collect();
    let sections: Vec<Value> = (1..=6)
        .map(|number| json!({ "title": format!("Part {number}"), "answers": [number] }))
        .collect();
    json!({
        "understanding": "It asks for facts.", "decomposition": "By aspect.", "strategy": "Search each.",
        "outline": "A section each.", "risks": "None seen.", "sub_questions": sub_questions,
        "queries": queries, "sections": sections, "methodology": "Read and compare.",
        "confidence": 0.8, "warnings": [], "depth": null,
    })
}

/// Pages of a few paragraphs, each of one aspect.
fn pages() -> Vec<Page> {
    let page = |nth: usize| {
        let aspect = ASPECTS[nth % ASPECTS.len()];
        let paragraph = |part: usize| {
            let (streets, share) = (12 + nth * 3 + part, 10 + (nth * 7 + part * 5) % 80);
            format!(
                "In study {nth} of the {aspect} of street trees, {streets} streets were watched over summer {part}. \
                 The {aspect} changed by {share} percent where street trees stood close together. \
                 Part {part} was paid for by the council of the town and read by two people who had no stake in it."
            )
        };
        Page {
            title: format!("Study {nth}: street trees and {aspect}"),
            text: (1..=6).map(paragraph).collect::<Vec<_>>().join("\n\n"),
        }
    };
    (0..PAGES).map(page).collect()
}

fn figure(name: &str, value: f64, at_most: f64) {
    let mut line = json!({ "figure": name, "value": (value * 1_000.0).round() / 1_000.0 });
    if at_most.is_finite() {
        line["target_at_most"] = json!(at_most);
        line["met"] = json!(value <= at_most);
    }
    println!("{line}");
}

fn ms(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}
