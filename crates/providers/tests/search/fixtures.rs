//! Every provider against the exchanges that are written down for it.

use std::fs;
use std::path::{Path, PathBuf};

use fathom_providers::search::SearchEngine;
use fathom_providers::{CallFailure, HttpClient};

use crate::fixture;
use crate::world::{SearchServer, alone, client, search};

/// Each request is as the fixture says, to the letter, and what comes of the answer is as the snapshot says.
#[tokio::test]
async fn every_provider_asks_and_reads_as_its_fixtures_say() {
    let client = client();
    let mut wrong = Vec::new();
    for engine in SearchEngine::ALL {
        let folder = folder().join(engine.as_str());
        let mut files: Vec<PathBuf> = fs::read_dir(&folder)
            .unwrap_or_else(|_| panic!("{engine} has no fixtures"))
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        assert!(
            files.len() >= 2,
            "{engine} needs a good answer and a bad one"
        );
        for file in files {
            let name = file.file_stem().unwrap().to_str().unwrap();
            let (difference, outcome) = run(engine, &file, &client).await;
            wrong.extend(difference);
            insta::with_settings!({snapshot_path => "outcomes", prepend_module_to_snapshot => false, omit_expression => true}, {
                insta::assert_snapshot!(format!("{engine}_{name}"), outcome);
            });
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

async fn run(engine: SearchEngine, file: &Path, client: &HttpClient) -> (Option<String>, String) {
    let fixture = fixture::read(engine, &fs::read_to_string(file).unwrap());
    let server = SearchServer::start(fixture.answers).await;
    let (outcome, events) = search(&alone(engine, server.port, client), &fixture.query).await;
    // A provider that is asked again is asked the same.
    let mut asked = server.asked();
    asked.dedup();
    let difference = (asked != fixture.requests).then(|| {
        let (asked, expected) = (asked.join("\n---\n"), fixture.requests.join("\n---\n"));
        format!("{}\nasked\n{asked}\nexpected\n{expected}", file.display())
    });
    let told = match outcome {
        Ok(served) => serde_json::to_string_pretty(&served.value).unwrap(),
        Err(exhausted) => {
            assert_eq!(events.len(), exhausted.tried[0].attempts as usize);
            failure(&exhausted.tried[0])
        }
    };
    let port = format!("127.0.0.1:{}", server.port);
    (difference, told.replace(&port, "127.0.0.1:PORT"))
}

/// All but the time to come back, which differs from run to run.
fn failure(failure: &CallFailure) -> String {
    let facts = CallFailure {
        wake_at: None,
        ..failure.clone()
    };
    serde_json::to_string_pretty(&facts).unwrap()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/search/fixtures")
}
