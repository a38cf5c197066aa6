//! Plain questions to an OpenAI-compatible endpoint: what is sent, and every form in which an answer comes.

use std::sync::Arc;

use fathom_providers::FailureCause;
use fathom_providers::model::{
    ChatMessage, FinishReason, ModelApi, ModelCost, ModelRequest, ModelSettings, TokenUsage,
    ToolCall, ToolDefinition,
};
use serde_json::{Value, json};

use crate::server::{Reply, Server, chunk, completion, events};
use crate::world::{CANARY, ModelWorld, endpoint, request};

fn story() -> String {
    let usage = json!({"model": "tiny-1", "choices": [], "usage": {"prompt_tokens": "7", "completion_tokens": 3.0, "prompt_tokens_details": {"cached_tokens": 2}}});
    let chunks = [
        chunk(
            &json!({"role": "assistant", "content": "", "reasoning_content": "hm"}),
            None,
        ),
        chunk(&json!({"content": "Kelp "}), None),
        chunk(&json!({"content": "grows."}), None),
        chunk(&json!({}), Some("stop")),
        usage,
    ];
    format!(": keep-alive\n\n{}", events(&chunks))
}

#[tokio::test]
async fn an_answer_is_streamed_and_counted_and_the_request_is_as_it_should_be() {
    let server = Server::with(vec![Reply::stream(story())]).await;
    let world = ModelWorld::openai(&server);
    let served = world.ask(&request()).await.unwrap();
    let completion = served.value;
    assert_eq!(completion.text, "Kelp grows.");
    assert_eq!(completion.finish, FinishReason::Stop);
    assert_eq!(completion.model, "tiny-1");
    let usage = TokenUsage {
        input: 7,
        output: 3,
        cached: 2,
        estimated: false,
    };
    assert_eq!(completion.usage, usage);
    // gpt-4o: 5 tokens at 2.50, 2 at 1.25, 3 at 10 dollars a million.
    assert_eq!(
        completion.cost,
        Some(ModelCost(12_500_000 + 2_500_000 + 30_000_000))
    );
    assert!(served.by.as_str().ends_with("/gpt-4o"));

    let asked = &server.asked()[0];
    assert_eq!(asked.path, "/v1/chat/completions");
    assert_eq!(
        asked.header("authorization"),
        Some(&*format!("Bearer {CANARY}"))
    );
    let expected = json!({
        "model": "gpt-4o", "temperature": 0.3, "max_tokens": 4096,
        "stream": true, "stream_options": {"include_usage": true},
        "messages": [
            {"role": "system", "content": "You plan research."},
            {"role": "user", "content": "Why do kelp forests shrink?"},
        ],
    });
    assert_eq!(asked.body, expected);
}

#[tokio::test]
async fn tools_are_offered_and_their_calls_put_together_from_pieces() {
    let call = |index: Value, id: Value, name: Value, arguments: Value| json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]});
    let chunks = [
        chunk(
            &call(json!(0), json!("a"), json!("web_search"), json!("")),
            None,
        ),
        chunk(
            &call(json!(1), Value::Null, json!("read_page"), json!({"id": 7})),
            None,
        ),
        chunk(
            &call(json!(0), Value::Null, Value::Null, json!("{\"query\":")),
            None,
        ),
        chunk(
            &call(
                json!(0),
                Value::Null,
                json!("web_search"),
                json!(" \"kelp\"}"),
            ),
            None,
        ),
        chunk(&json!({}), Some("tool_calls")),
    ];
    let server = Server::with(vec![Reply::stream(events(&chunks))]).await;
    let world = ModelWorld::openai(&server);
    let earlier = ToolCall {
        id: "z".into(),
        name: "web_search".into(),
        arguments: "{}".into(),
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
                text: String::new(),
                tool_calls: vec![earlier],
            },
            ChatMessage::Tool {
                call_id: "z".into(),
                text: "nothing".into(),
            },
        ],
        ..request()
    };
    let completion = world.ask(&asked).await.unwrap().value;
    assert_eq!(completion.finish, FinishReason::ToolCalls);
    let [search, page] = &completion.tool_calls[..] else {
        panic!("{completion:?}")
    };
    assert_eq!(
        (&*search.id, &*search.name, &*search.arguments),
        ("a", "web_search", "{\"query\": \"kelp\"}")
    );
    assert_eq!(
        (&*page.id, &*page.name, &*page.arguments),
        ("call_1", "read_page", "{\"id\":7}")
    );
    assert!(completion.usage.estimated, "no usage came");
    assert!(completion.usage.input > 10 && completion.usage.output > 3);
    let body = &server.asked()[0].body;
    assert_eq!(
        body["tools"],
        json!([{"type": "function", "function": {"name": "web_search", "description": "Searches.", "parameters": {"type": "object"}}}])
    );
    assert_eq!(
        body["messages"][2]["tool_calls"],
        json!([{"id": "z", "type": "function", "function": {"name": "web_search", "arguments": "{}"}}])
    );
    assert_eq!(
        body["messages"][3],
        json!({"role": "tool", "tool_call_id": "z", "content": "nothing"})
    );
}

#[tokio::test]
async fn bent_forms_of_a_good_answer_are_read() {
    let parts = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "Ke"}, {"type": "text", "text": "lp"}]);
    let without_done = format!(
        "data: {}\n\ndata: {}",
        chunk(&json!({"content": "Kelp"}), None),
        chunk(&json!({}), Some("stop"))
    );
    let without_finish = events(&[chunk(&json!({"content": "Kelp", "refusal": ""}), None)]);
    let late_error = events(&[
        chunk(&json!({"content": "Kelp"}), Some("stop")),
        json!({"error": {"code": 400}, "choices": []}),
    ]);
    let crlf = events(&[chunk(&json!({"content": "Kelp"}), Some("stop"))]).replace('\n', "\r\n");
    let mut bare = completion("Kelp", "stop");
    bare["usage"] = Value::Null;
    bare["error"] = Value::Null;
    let mut in_parts = completion("", "stop");
    in_parts["choices"][0]["message"]["content"] = parts;
    let replies = [
        Reply::chat("Kelp"),
        Reply::json(200, &bare),
        Reply::json(200, &in_parts),
        Reply::stream(without_done),
        Reply::stream(without_finish),
        Reply::stream(late_error),
        Reply::stream(crlf),
    ];
    for reply in replies {
        let server = Server::with(vec![reply.clone()]).await;
        let served = ModelWorld::openai(&server).ask(&request()).await;
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        assert_eq!(served.expect(&text).value.text, "Kelp", "{text}");
        assert_eq!(server.asked().len(), 1);
    }
}

#[tokio::test]
async fn an_answer_that_is_none_is_asked_for_once_more_and_then_told() {
    let cut = format!("data: {}\n\n", chunk(&json!({"content": "Kel"}), None));
    let replies = [
        Reply::json(200, &json!({"choices": []})),
        Reply::json(200, &completion("", "stop")),
        Reply::json(200, &json!({"error": {"message": "odd"}})),
        Reply {
            kind: "text/html",
            ..Reply::stream("<html>sign in</html>")
        },
        Reply::stream(""),
        Reply::stream(cut.clone()),
        Reply::stream(cut).broken(),
        Reply::stream("data: {not json\n\n"),
        Reply::stream(format!(
            "data: {}\n\nevent: error\ndata: {{\"error\": {{\"code\": \"odd\"}}}}\n\n",
            chunk(&json!({"content": "Kel"}), None)
        )),
    ];
    for reply in replies {
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        let server = Server::with(vec![reply.clone()]).await;
        let exhausted = ModelWorld::openai(&server)
            .ask(&request())
            .await
            .unwrap_err();
        assert_eq!(
            exhausted.decisive().unwrap().cause,
            FailureCause::Garbled,
            "{text}"
        );
        assert_eq!(server.asked().len(), 2, "{text}");
        let server = Server::with(vec![reply, Reply::chat("Kelp")]).await;
        let served = ModelWorld::openai(&server).ask(&request()).await.unwrap();
        assert_eq!(served.value.text, "Kelp", "{text}");
    }
}

#[tokio::test]
async fn an_error_in_the_midst_of_a_stream_is_classed_by_its_code() {
    let begun = chunk(&json!({"content": "Kel"}), None);
    let failing = |error: Value| Reply::stream(format!("data: {begun}\n\ndata: {error}\n\n"));
    let overloaded = failing(json!({"error": {"type": "overloaded_error"}}));
    let server = Server::with(vec![overloaded, Reply::chat("Kelp")]).await;
    let world = ModelWorld::openai(&server);
    assert_eq!(world.ask(&request()).await.unwrap().value.text, "Kelp");
    assert_eq!(world.events.lock().unwrap().len(), 2, "it is tried again");

    let full = failing(json!({"error": {"code": "context_length_exceeded"}}));
    let server = Server::with(vec![full]).await;
    let exhausted = ModelWorld::openai(&server)
        .ask(&request())
        .await
        .unwrap_err();
    assert_eq!(
        exhausted.decisive().unwrap().cause,
        FailureCause::ContextTooLong
    );
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_refused_key_leads_to_the_next_endpoint_after_one_attempt() {
    let first = Server::with(vec![Reply::json(
        401,
        &json!({"error": {"code": "invalid_api_key", "message": CANARY}}),
    )])
    .await;
    let second = Server::with(vec![Reply::chat("Kelp")]).await;
    let mut fallback = endpoint(ModelApi::OpenAi, &second);
    fallback.model = Some("local".to_owned());
    let world = ModelWorld::with(ModelSettings::new(vec![
        endpoint(ModelApi::OpenAi, &first),
        fallback,
    ]));
    let served = world.ask(&request()).await.unwrap();
    assert!(served.by.as_str().ends_with("/local"));
    assert_eq!(served.tried[0].cause, FailureCause::KeyRefused);
    assert_eq!(served.value.cost, None, "nobody set a price for it");
    assert_eq!(second.asked()[0].body["model"], "local");
    world.ask(&request()).await.unwrap();
    assert_eq!(first.asked().len(), 1, "the key is not tried again");
}

#[tokio::test]
async fn a_model_that_declines_says_so_in_its_finish() {
    let mut refusal = completion("", "stop");
    refusal["choices"][0]["message"] =
        json!({"content": null, "refusal": "I can't help with that."});
    let filtered = completion("", "content_filter");
    let streamed = events(&[
        chunk(&json!({"refusal": "I can't "}), None),
        chunk(&json!({"refusal": "help."}), None),
        chunk(&json!({}), Some("stop")),
    ]);
    for reply in [
        Reply::json(200, &refusal),
        Reply::json(200, &filtered),
        Reply::stream(streamed),
    ] {
        let server = Server::with(vec![reply]).await;
        let served = ModelWorld::openai(&server).ask(&request()).await.unwrap();
        assert_eq!(served.value.finish, FinishReason::Refused);
    }
}

#[tokio::test]
async fn without_an_endpoint_the_answer_says_what_to_set() {
    let exhausted = ModelWorld::new(Vec::new())
        .ask(&request())
        .await
        .unwrap_err();
    assert_eq!(
        exhausted.to_string(),
        "no provider is configured for this; set a key or an address for one"
    );
}

#[tokio::test]
async fn a_prompt_that_a_server_has_cut_without_a_word_is_told_as_too_long() {
    let answered = |read: u64| {
        let mut reply = completion("fine", "stop");
        reply["usage"]["prompt_tokens"] = json!(read);
        Reply::json(200, &reply)
    };
    let long = ModelRequest::new(
        "You plan research.",
        "Why do kelp forests shrink? ".repeat(1_000),
    );
    // Ollama counts exactly its window where it has cut; others count what they read, however it was cached.
    for (read, is_cut) in [(4_096, true), (2_048, true), (4_099, false), (6_656, false)] {
        let server = Server::with(vec![answered(read)]).await;
        let outcome = ModelWorld::openai(&server).ask(&long).await;
        let cause = outcome.err().map(|exhausted| exhausted.tried[0].cause);
        let expected = is_cut.then_some(FailureCause::ContextTooLong);
        assert_eq!(cause, expected, "{read} of about 6,700");
    }
}
