//! T29 for the whole program: secrets that can be recognised are set wherever one can be set, a world repeats what it is sent,
//! and nothing that the service logs, stores, streams or answers holds one.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use fathom_testworld::{Judgement, Reply, Script};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use reqwest::Method;
use serde_json::{Value, json};

use super::served::{Served, TASK, in_a_world, pages};
use crate::proofs::{Proof, Setting};

/// Every setting that holds a key.
const KEYS: [&str; 11] = [
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "FATHOM_ENCODER_API_KEY",
    "SERPER_API_KEY",
    "TAVILY_API_KEY",
    "BRAVE_API_KEY",
    "NEWS_API_KEY",
    "GITHUB_TOKEN",
    "SEMANTIC_SCHOLAR_API_KEY",
    "OPENALEX_API_KEY",
    "NCBI_API_KEY",
];

pub(super) fn proof() -> Proof {
    Proof {
        id: "T29",
        what: "canary secrets come out of the service nowhere",
        run: |setting| Box::pin(run(setting)),
    }
}

async fn run(setting: Setting) -> Result<String> {
    let rounds = setting.size.pick(1, 20);
    let mut rng = StdRng::seed_from_u64(setting.seed);
    let (mut texts, mut bytes) = (0, 0);
    for _ in 0..rounds {
        let canary = format!("canary{:016x}", rng.random::<u64>());
        for (name, text) in all_that_comes_out(&canary).await? {
            let start = canary.get(..14).unwrap_or(&canary).as_bytes();
            let found = text.windows(start.len()).any(|piece| piece == start);
            ensure!(!found, "the canary came out in {name}");
            texts += 1;
            bytes += text.len();
        }
    }
    Ok(format!(
        "{rounds} canaries in {} keys and a token: 0 hits in {texts} texts of {} KB",
        KEYS.len(),
        bytes / 1_000
    ))
}

/// Everything that a service with these secrets tells or leaves behind, by name.
async fn all_that_comes_out(canary: &str) -> Result<Vec<(String, Vec<u8>)>> {
    let mut keys: Vec<(&str, &str)> = KEYS.iter().map(|name| (*name, canary)).collect();
    keys.push(("FATHOM_LOG", "trace"));
    // An endpoint that refuses the key and says it aloud; the answer is then made without it.
    let repeats =
        json!({ "error": { "message": format!("Incorrect API key provided: {canary}") } });
    let script =
        Script::sensible(pages()).always(Judgement::Sentences, Reply::Status(401, repeats));
    let (stage, served) = in_a_world(script, &keys).await?;
    let mut out = Vec::new();
    let mut take = |name: &str, text: String| out.push((name.to_owned(), text.into_bytes()));
    let body = json!({ "task": TASK, "complexity_tier": "simple" });
    let answered = served
        .request(Method::POST, "/run")
        .json(&body)
        .send()
        .await?;
    let answer: Value = answered.json().await?;
    let run = answer["run"]
        .as_str()
        .context("the run has an id")?
        .to_owned();
    ensure!(
        stage.calls().iter().any(|call| call.kind == "model"),
        "the model was asked"
    );
    take("/run", answer.to_string());
    for path in runs_routes(&served, &run).await? {
        take(&path, served.text(&path).await?);
    }
    for words in [
        &["config"][..],
        &["doctor", "--offline"],
        &["runs", "show", &run],
        &["token", "list"],
    ] {
        take(&words.join(" "), served.told(words)?);
    }
    // A token is told once, and kept as its hash.
    let added = served.told(&["token", "add", "ada"])?;
    let token = added.lines().find(|line| line.starts_with("fathom_"));
    let token = token.context("the token is told")?.trim().to_owned();
    let bad = served
        .request(Method::GET, "/runs")
        .bearer_auth(canary)
        .send()
        .await?;
    take("401", bad.text().await?);
    let own = served
        .request(Method::GET, "/runs")
        .bearer_auth(&token)
        .send()
        .await?;
    let own = own.error_for_status()?.text().await?;
    take("/runs", own);
    take("the log", served.log()?);
    let mut files = Vec::new();
    read_all(&served.home(), &mut files)?;
    ensure!(files.len() > 1, "the data folder holds something");
    for (name, kept) in &files {
        let secret = token.trim_start_matches("fathom_").as_bytes();
        let found = kept.windows(secret.len()).any(|piece| piece == secret);
        ensure!(!found, "the token is kept in {name}");
    }
    out.extend(files);
    Ok(out)
}

/// Everything that can be read of a run and of the service, by the service's own description.
async fn runs_routes(served: &Served, run: &str) -> Result<Vec<String>> {
    let described = served.json("/openapi.json").await?;
    let paths = described["paths"].as_object().context("there are routes")?;
    let read = paths
        .iter()
        .filter(|(_, methods)| methods.get("get").is_some());
    let read = read.map(|(path, _)| path.replace("{id}", run));
    let mut read: Vec<String> = read.filter(|path| !path.contains('{')).collect();
    read.push(format!("/runs/{run}/state?whole=true"));
    for format in ["md", "html", "json"] {
        read.push(format!("/runs/{run}/report?format={format}"));
    }
    ensure!(read.len() > 10, "{read:?}");
    Ok(read)
}

/// Every file below a folder.
fn read_all(folder: &Path, files: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read_all(&path, files)?;
        } else {
            files.push((path.display().to_string(), std::fs::read(&path)?));
        }
    }
    Ok(())
}
