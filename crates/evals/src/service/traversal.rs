//! T30: strings that lead out of a folder, wherever a request holds an id, a name or a file. A file outside is never read, nothing
//! is written outside, and no reply holds what stands there.

use std::collections::BTreeSet;
use std::fs::{File, FileTimes};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, ensure};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::served::{Served, TASK};
use crate::proofs::{Proof, Setting};

/// The file outside.
const NAME: &str = "outside.md";

/// What stands in the file outside.
const CANARY: &str = "canary-7c1e: the street trees outside the root";

pub(super) fn proof() -> Proof {
    Proof {
        id: "T30",
        what: "path traversal strings reach nothing outside the root",
        run: |setting| Box::pin(run(setting)),
    }
}

/// Ways to write a path that leads to a file.
fn ways_out(outside: &Path) -> Vec<String> {
    let name = NAME;
    let whole = outside.join(name).to_string_lossy().into_owned();
    let mut ways = vec![
        whole.clone(),
        format!("/{whole}"),
        format!("file://{whole}"),
        format!("{whole}\0.md"),
        "~/outside.md".to_owned(),
        "$FATHOM_HOME/../outside.md".to_owned(),
        "notes".to_owned() + &whole,
        "/proc/self/environ".to_owned(),
        "/etc/passwd".to_owned(),
        "C:\\Windows\\win.ini".to_owned(),
        "\\\\localhost\\c$\\win.ini".to_owned(),
        ".".to_owned(),
        "..".to_owned(),
        ".deleted-runs.json".to_owned(),
        "tokens.json".to_owned(),
    ];
    for up in [
        "../",
        "..\\",
        "..%2f",
        "%2e%2e/",
        "%2e%2e%2f",
        "..%5c",
        "..%252f",
        "..%c0%af",
        "....//",
        "..;/",
        "．．／",
        "./../",
    ] {
        for depth in [1, 3, 4, 8] {
            ways.push(format!("{}{name}", up.repeat(depth)));
            ways.push(format!("notes/{}{name}", up.repeat(depth)));
        }
    }
    ways
}

async fn run(setting: Setting) -> Result<String> {
    let served = Served::open(&[]).await?;
    let outside = served.outside().to_owned();
    let secret = outside.join(NAME);
    std::fs::write(&secret, CANARY)?;
    let notes = served.home().join("owners/_local/notes");
    std::fs::create_dir_all(&notes)?;
    std::fs::write(
        notes.join("inside.md"),
        "Street trees cool the air of a town.",
    )?;
    let watched = is_watched(&secret)?;
    let before = listed(&outside, &served.home())?;
    let (mut asked, mut taken) = (0, 0);
    let ways = ways_out(&outside);
    let ways: Vec<&String> = ways.iter().step_by(setting.size.pick(3, 1)).collect();
    for way in &ways {
        for request in requests(&served, way)? {
            let Some(request) = request else { continue };
            let path = request.url().path().to_owned();
            let response = served.client.execute(request).await;
            let response = response.with_context(|| format!("{path} with {way:?}"))?;
            let status = response.status();
            let body = response.text().await?;
            ensure!(
                !body.contains(CANARY),
                "{path} with {way:?} told what stands outside"
            );
            ensure!(
                !status.is_server_error(),
                "{path} with {way:?}: {status} {body}"
            );
            asked += 1;
            taken += usize::from(status.is_success());
        }
    }
    ensure!(
        listed(&outside, &served.home())? == before,
        "something was written outside"
    );
    ensure!(
        notes.join("inside.md").is_file(),
        "a document was deleted by a name that is not its own"
    );
    let read = std::fs::metadata(&secret)?.accessed()? != long_ago();
    ensure!(!(watched && read), "the file outside was read");
    let seen = if watched { "never read" } else { "never told" };
    Ok(format!(
        "{} strings in {asked} requests, {taken} of them answered with something else: a file outside was {seen}, nothing written outside",
        ways.len()
    ))
}

/// A request for every place where a string can go. One that cannot even be written is nothing.
fn requests(served: &Served, way: &str) -> Result<Vec<Option<reqwest::Request>>> {
    let coded = utf8_percent_encode(way, NON_ALPHANUMERIC).to_string();
    let get = |path: String| served.request(Method::GET, &path);
    let delete = |path: String| served.request(Method::DELETE, &path);
    let post = |path: &str, body: Value| served.request(Method::POST, path).json(&body);
    let runs = |body: Value| post("/runs", body);
    let mut all: Vec<RequestBuilder> = Vec::new();
    for text in [way, &coded] {
        all.extend([
            get(format!("/runs/{text}")),
            get(format!("/runs/{text}/report")),
            get(format!("/runs/{text}/export")),
            get(format!("/libraries/{text}")),
            get(format!("/{text}")),
            get(format!("/search?query=trees&library={text}")),
            delete(format!("/runs/{text}")),
            delete(format!("/libraries/{text}")),
            delete(format!("/libraries/{}", text.trim_end_matches(NAME))),
            // Documents inside may be deleted by their own names, and by nothing else.
            delete(format!("/libraries/notes/documents/{text}")),
            form(served, &format!("/libraries/{text}/documents"), "a.md"),
        ]);
    }
    let library = json!({ "library": [way] });
    all.extend([
        form(served, "/libraries/notes/documents", way),
        form(served, "/uploads", way),
        post("/run", json!({ "task": TASK, "library": [way] })),
        post("/search", json!({ "query": "street trees", "library": [way] })),
        runs(json!({ "workflow": way })),
        runs(json!({ "workflow": "appraise", "options": { "document": way } })),
        runs(json!({ "workflow": "appraise", "options": { "document": "notes/inside.md", "protocol": way } })),
        runs(json!({ "workflow": "ask", "question": TASK, "options": { "settings": library } })),
        runs(json!({ "workflow": "report", "question": TASK, "options": { "settings": library } })),
        post("/v1/chat/completions", json!({ "model": way, "messages": [{ "role": "user", "content": TASK }] })),
        mcp(served, "tools/call", json!({ "name": "read_source", "arguments": { "run": way, "source": 1 } })),
        mcp(served, "tools/call", json!({ "name": "search", "arguments": { "query": "street trees", "library": [way] } })),
        mcp(served, "resources/read", json!({ "uri": format!("fathom://runs/{way}/report") })),
        mcp(served, "resources/read", json!({ "uri": way })),
    ]);
    Ok(all
        .into_iter()
        .map(|request| request.build().ok())
        .collect())
}

fn mcp(served: &Served, method: &str, params: Value) -> RequestBuilder {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let request = served.request(Method::POST, "/mcp").json(&body);
    request.header("Accept", "application/json, text/event-stream")
}

/// A document of this name, sent as a form.
fn form(served: &Served, path: &str, name: &str) -> RequestBuilder {
    let name = name.replace(['"', '\r', '\n', '\0'], "");
    let body = format!(
        "--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\nStreet trees.\r\n--edge--\r\n"
    );
    let request = served.request(Method::POST, path);
    request
        .header("Content-Type", "multipart/form-data; boundary=edge")
        .body(body)
}

/// Every file below a folder, except what lies in another.
fn listed(folder: &Path, except: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path == except {
            continue;
        }
        if path.is_dir() && !path.is_symlink() {
            files.extend(listed(&path, except)?);
        }
        files.insert(path);
    }
    Ok(files)
}

fn long_ago() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(86_400)
}

/// Whether this disk tells that a file was read; the file is then marked as unread.
fn is_watched(file: &Path) -> Result<bool> {
    let unread = || -> Result<()> {
        let times = FileTimes::new()
            .set_accessed(long_ago())
            .set_modified(SystemTime::now());
        Ok(File::options().write(true).open(file)?.set_times(times)?)
    };
    unread()?;
    std::fs::read(file)?;
    let is_told = std::fs::metadata(file)?.accessed()? != long_ago();
    unread()?;
    Ok(is_told)
}
