//! Anthropic's Messages: what is sent, and what comes back.

use std::sync::Arc;

use fathom_providers::FailureCause;
use fathom_providers::model::{
    ChatMessage, FinishReason, ModelError, ModelRequest, ToolCall, ToolDefinition,
};
use serde_json::{Value, json};

use crate::server::{Reply, Server};
use crate::world::{CANARY, ModelWorld, PLAN, plan, request};

fn stream(events: &[Value]) -> Reply {
    let line = |event: &Value| {
        let name = event["type"].as_str().unwrap();
        format!("event: {name}\ndata: {event}\n\n")
    };
    Reply::stream(events.iter().map(line).collect::<String>())
}

fn start() -> Value {
    json!({"type": "message_start", "message": {"model": "tiny-1", "content": [], "stop_reason": null,
        "usage": {"input_tokens": 20, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 1, "output_tokens": 1}}})
}

fn open(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn piece(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn end(reason: &str) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ]
}

#[tokio::test]
async fn a_streamed_message_is_read_and_the_request_is_as_it_should_be() {
    let [delta, stop] = end("end_turn");
    let server = Server::with(vec![stream(&[
        start(),
        open(0, json!({"type": "thinking", "thinking": ""})),
        piece(0, json!({"type": "thinking_delta", "thinking": "hm"})),
        json!({"type": "ping"}),
        open(1, json!({"type": "text", "text": ""})),
        piece(1, json!({"type": "text_delta", "text": "Kelp "})),
        piece(1, json!({"type": "text_delta", "text": "grows."})),
        json!({"type": "content_block_stop", "index": 1}),
        delta,
        stop,
    ])])
    .await;
    let completion = ModelWorld::anthropic(&server)
        .ask(&request())
        .await
        .unwrap()
        .value;
    assert_eq!(
        (&*completion.text, completion.finish),
        ("Kelp grows.", FinishReason::Stop)
    );
    let usage = completion.usage;
    assert_eq!(
        (usage.input, usage.output, usage.cached, usage.estimated),
        (26, 9, 5, false)
    );
    assert_eq!(completion.model, "tiny-1");
    let asked = &server.asked()[0];
    assert_eq!(asked.path, "/v1/messages");
    assert_eq!(asked.header("x-api-key"), Some(CANARY));
    assert_eq!(asked.header("anthropic-version"), Some("2023-06-01"));
    let expected = json!({
        "model": "tiny", "max_tokens": 4096, "temperature": 0.3, "stream": true,
        "system": "You plan research.",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Why do kelp forests shrink?"}]}],
    });
    assert_eq!(asked.body, expected);
}

#[tokio::test]
async fn a_value_is_asked_for_as_the_input_of_a_tool() {
    let (front, back) = PLAN.split_at(20);
    let [delta, stop] = end("tool_use");
    let server = Server::with(vec![stream(&[
        start(),
        open(
            0,
            json!({"type": "tool_use", "id": "t1", "name": "Plan", "input": {}}),
        ),
        piece(0, json!({"type": "input_json_delta", "partial_json": ""})),
        piece(
            0,
            json!({"type": "input_json_delta", "partial_json": front}),
        ),
        piece(0, json!({"type": "input_json_delta", "partial_json": back})),
        delta,
        stop,
    ])])
    .await;
    assert_eq!(
        ModelWorld::anthropic(&server).plan().await.unwrap().value,
        plan()
    );
    let body = &server.asked()[0].body;
    assert_eq!(body["tool_choice"], json!({"type": "tool", "name": "Plan"}));
    assert_eq!(body["tools"][0]["name"], "Plan");
    assert_eq!(body["tools"][0]["input_schema"]["type"], "object");
}

#[tokio::test]
async fn tools_and_their_results_are_put_as_the_interface_wants_them() {
    let whole = json!({"type": "message", "model": "tiny-1", "stop_reason": "tool_use",
        "content": [
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": "t2", "name": "web_search", "input": {"query": "kelp"}},
            {"type": "server_tool_use", "id": "s1", "name": "own", "input": {}},
        ],
        "usage": {"input_tokens": 3, "output_tokens": 4}});
    let server = Server::with(vec![Reply::json(200, &whole)]).await;
    let call = |id: &str, arguments: &str| ToolCall {
        id: id.into(),
        name: "web_search".into(),
        arguments: arguments.into(),
    };
    let asked = ModelRequest {
        tools: vec![ToolDefinition {
            name: "web_search".into(),
            description: "Searches.".into(),
            parameters: Arc::new(json!({"type": "object"})),
        }],
        messages: vec![
            ChatMessage::User {
                text: "Look.".into(),
            },
            ChatMessage::Assistant {
                text: " ".into(),
                tool_calls: vec![call("a", "{\"query\":\"x\"}"), call("b", "{broken")],
            },
            ChatMessage::Tool {
                call_id: "a".into(),
                text: "one".into(),
            },
            ChatMessage::Tool {
                call_id: "b".into(),
                text: "two".into(),
            },
        ],
        ..request()
    };
    let completion = ModelWorld::anthropic(&server)
        .ask(&asked)
        .await
        .unwrap()
        .value;
    assert_eq!(
        completion.tool_calls,
        [ToolCall {
            id: "t2".into(),
            ..call("", "{\"query\":\"kelp\"}")
        }]
    );
    assert_eq!(
        (&*completion.text, completion.finish),
        ("Looking.", FinishReason::ToolCalls)
    );
    let body = &server.asked()[0].body;
    assert_eq!(body["system"], "You plan research.");
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "Look."}]},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "a", "name": "web_search", "input": {"query": "x"}},
                {"type": "tool_use", "id": "b", "name": "web_search", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "one"},
                {"type": "tool_result", "tool_use_id": "b", "content": "two"},
            ]},
        ])
    );
}

#[tokio::test]
async fn errors_refusals_and_breaks_are_told_apart() {
    let [delta, stop] = end("refusal");
    let server = Server::with(vec![stream(&[start(), delta, stop])]).await;
    let error = ModelWorld::anthropic(&server).plan().await.unwrap_err();
    assert!(matches!(error, ModelError::Refused { .. }), "{error:?}");

    let overloaded =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}});
    let [delta, stop] = end("end_turn");
    let good = [
        start(),
        open(0, json!({"type": "text", "text": "Kelp"})),
        delta,
        stop,
    ];
    let server = Server::with(vec![stream(&[start(), overloaded]), stream(&good)]).await;
    assert_eq!(
        ModelWorld::anthropic(&server)
            .ask(&request())
            .await
            .unwrap()
            .value
            .text,
        "Kelp"
    );

    let server = Server::with(vec![stream(&good[..2])]).await;
    let exhausted = ModelWorld::anthropic(&server)
        .ask(&request())
        .await
        .unwrap_err();
    assert_eq!(exhausted.decisive().unwrap().cause, FailureCause::Garbled);

    let gone = json!({"type": "error", "error": {"type": "not_found_error", "message": "model"}});
    let server = Server::with(vec![Reply::json(404, &gone)]).await;
    let exhausted = ModelWorld::anthropic(&server)
        .ask(&request())
        .await
        .unwrap_err();
    assert_eq!(
        exhausted.decisive().unwrap().cause,
        FailureCause::RequestRefused
    );
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_model_that_takes_no_temperature_or_no_forced_tool_is_found_out_once() {
    let server = Server::start(|_, asked| {
        let picky = asked.body.get("temperature").or(asked.body.get("tool_choice"));
        if picky.is_some() {
            let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": "no"}});
            return Reply::json(400, &error);
        }
        let [delta, stop] = end("end_turn");
        stream(&[start(), open(0, json!({"type": "text", "text": PLAN})), delta, stop])
    })
    .await;
    let world = ModelWorld::anthropic(&server);
    assert_eq!(world.plan().await.unwrap().value, plan());
    assert_eq!(server.asked().len(), 4);
    assert_eq!(world.plan().await.unwrap().value, plan());
    let asked = server.asked();
    assert_eq!(asked.len(), 5);
    assert!(
        asked[4].body["system"]
            .as_str()
            .unwrap()
            .contains("JSON Schema")
    );
}
