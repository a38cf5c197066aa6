//! Connections: a question that nobody waits for any more leaves nothing at work, and a model on one's own machine may be
//! silent between a sign of life and its answer.

use std::time::Duration;

use fathom_providers::model::{ModelApi, ModelEndpoint, ModelSettings};
use fathom_providers::{BaseUrl, ClientSettings, HttpClient};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::server::{chunk, events};
use crate::world::{ModelWorld, request};

/// Only a connection that stays open takes so long.
const PATIENCE: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_dropped_question_closes_its_connection_before_and_within_the_answer() {
    let begun =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"choices\":[]}\n\n";
    for sent in ["", begun] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let address = BaseUrl::parse(&address).unwrap();
        let world = ModelWorld::new(vec![ModelEndpoint::new(ModelApi::OpenAi, address, None)]);
        let question = tokio::spawn(async move { world.plan().await });
        let mut wire = asked(&listener).await;
        wire.write_all(sent.as_bytes()).await.unwrap();
        question.abort();
        assert!(question.await.unwrap_err().is_cancelled());
        let mut rest = Vec::new();
        let closed = timeout(PATIENCE, wire.read_to_end(&mut rest)).await;
        assert!(closed.is_ok(), "the connection stays open after {sent:?}");
        let again = timeout(Duration::from_millis(200), listener.accept()).await;
        assert!(again.is_err(), "nobody asks again");
    }
}

#[tokio::test]
async fn a_model_nearby_may_pause_after_a_sign_of_life() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let address = BaseUrl::parse(&address).unwrap();
    let idle = Duration::from_millis(1);
    let client = HttpClient::new(ClientSettings {
        idle,
        ..ClientSettings::default()
    });
    let endpoint = ModelEndpoint::new(ModelApi::OpenAi, address, None);
    let world = ModelWorld::by(&client.unwrap(), ModelSettings::new(vec![endpoint]));
    let question = tokio::spawn(async move { world.ask(&request()).await });
    let mut wire = asked(&listener).await;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: processing\n\n";
    wire.write_all(head.as_bytes()).await.unwrap();
    wire.flush().await.unwrap();
    tokio::time::sleep(30 * idle).await;
    let story = events(&[chunk(&json!({"content": "Urchins."}), Some("stop"))]);
    wire.write_all(story.as_bytes()).await.unwrap();
    drop(wire);
    let served = question.await.unwrap().unwrap();
    assert_eq!(served.value.text, "Urchins.");
}

/// The connection on which the question has come whole.
async fn asked(listener: &TcpListener) -> TcpStream {
    let (mut wire, _) = listener.accept().await.unwrap();
    let mut read = Vec::new();
    while !read.ends_with(b"}") {
        let count = wire.read_buf(&mut read).await.unwrap();
        assert!(count > 0, "the question breaks off");
    }
    wire
}
