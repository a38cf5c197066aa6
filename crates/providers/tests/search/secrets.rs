//! T29 for search: keys stay out of everything that is printed, stored or told, even if a server repeats them.

use fathom_providers::search::SearchEngine;

use crate::world::{Answer, SearchServer, alone, chains, client, key, query, search, settings};

#[tokio::test]
async fn no_key_is_ever_printed_stored_or_told() {
    let client = client();
    let server = SearchServer::start([]).await;
    let mut places = 0;
    for engine in SearchEngine::ALL
        .into_iter()
        .filter(|engine| engine.key_setting().is_some())
    {
        let key = key(engine);
        for answer in answers(engine, &key) {
            server.say(answer);
            let chains = alone(engine, server.port, &client);
            let (outcome, events) = search(&chains, &query(engine, "x")).await;
            let mut told = vec![
                format!("{outcome:?}"),
                format!("{events:?}"),
                serde_json::to_string(&events).unwrap(),
                format!("{:?}", chains.left_out()),
            ];
            match outcome {
                Ok(served) => told.push(serde_json::to_string(&served.value).unwrap()),
                Err(failed) => {
                    told.push(failed.to_string());
                    told.push(serde_json::to_string(&failed).unwrap());
                }
            }
            places += told.len();
            for text in told {
                assert!(!text.contains(&key), "{engine}: {text}");
            }
        }
        assert!(
            server.asked().iter().any(|asked| asked.contains(&key)),
            "{engine} got its key"
        );
    }
    let all = settings(server.port);
    let told = format!("{all:?} {:?}", chains(&all, &client).left_out());
    assert!(!told.contains("canary"), "{told}");
    println!("T29 search: 0 keys in {} places", places + 1);
}

/// The ways in which servers repeat a key: in refusals, in their headers, and among the results.
fn answers(engine: SearchEngine, key: &str) -> Vec<Vec<Answer>> {
    let json = "application/json";
    let mut refusal = Answer::new(
        401,
        json,
        format!(r#"{{"error":{{"code":"{key}","message":"{key}"}}}}"#),
    );
    refusal.headers.push(("retry-after".into(), key.into()));
    let page = Answer::new(200, "text/html", format!("<html>{key}</html>"));
    let hit = format!(
        r#"{{"title":"{key}","link":"https://a.example/{key}","url":"https://a.example/{key}","html_url":"https://a.example/{key}","path":"{key}","paperId":"1","id":"https://a.example/{key}","content":"{key}","snippet":"{key}"}}"#
    );
    let ids = Answer::new(200, json, r#"{"esearchresult":{"idlist":["1"]}}"#);
    let found = match engine {
        SearchEngine::Pubmed => vec![
            ids,
            Answer::new(
                200,
                "text/xml",
                format!(
                    "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>{key}</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
                ),
            ),
        ],
        _ => vec![Answer::new(
            200,
            json,
            format!(
                r#"{{"status":"ok","organic":[{hit}],"results":[{hit}],"web":{{"results":[{hit}]}},"data":[{hit}],"items":[{hit}],"articles":[{hit}]}}"#
            ),
        )],
    };
    vec![vec![refusal], vec![page], found]
}
