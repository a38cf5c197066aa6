//! Makes a model's reply, and spoils it.

use std::io;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures::{StreamExt, stream};
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};

/// What a good model would have written.
pub(super) const GOOD: &str = r#"{"title": "Kelp", "queries": [{"text": "kelp growth in warm water", "priority": 1}, {"text": "urchins eat kelp", "priority": 2}, {"text": "kelp restoration", "priority": 3}], "note": "Look at 'barrens' too."}"#;

/// A way to spoil a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MalformedWay {
    Cut,
    Flip,
    Deep,
    Huge,
    WrongTypes,
    Thoughts,
    Talk,
    Quotes,
    NoUtf8,
    Envelope,
    WireCut,
    WireFlip,
    Noise,
    Status,
}

impl MalformedWay {
    pub(super) const ALL: [Self; 14] = [
        Self::Cut,
        Self::Flip,
        Self::Deep,
        Self::Huge,
        Self::WrongTypes,
        Self::Thoughts,
        Self::Talk,
        Self::Quotes,
        Self::NoUtf8,
        Self::Envelope,
        Self::WireCut,
        Self::WireFlip,
        Self::Noise,
        Self::Status,
    ];
}

/// A reply as it goes over the wire.
pub(super) struct Spoilt {
    status: u16,
    body: Vec<u8>,
    /// The connection breaks after the body.
    breaks: bool,
    /// The words of the good answer are as they were, if fewer.
    pub(super) keeps_words: bool,
}

impl Spoilt {
    pub(super) fn response(self) -> Response {
        let breaks = self.breaks.then(|| Err(io::Error::other("cut")));
        let pieces = [Ok(Bytes::from(self.body))].into_iter().chain(breaks);
        // What came before the break is sent while the next piece is waited for.
        let pieces = stream::iter(pieces).then(async |piece| {
            tokio::task::yield_now().await;
            piece
        });
        let mut response = Response::new(Body::from_stream(pieces));
        *response.status_mut() = self.status.try_into().unwrap_or_default();
        response
    }
}

/// The way follows from the question, so that all are met equally often; chance draws the rest.
pub(super) fn spoilt(question: u64, rng: &mut StdRng) -> Spoilt {
    let way = MalformedWay::ALL[question as usize % MalformedWay::ALL.len()];
    let finish = if rng.random() { "stop" } else { "length" };
    let mut reply = Spoilt {
        status: 200,
        body: Vec::new(),
        breaks: false,
        keeps_words: matches!(
            way,
            MalformedWay::Cut | MalformedWay::Thoughts | MalformedWay::Talk | MalformedWay::WireCut
        ),
    };
    reply.body = match way {
        MalformedWay::Cut => wire(&GOOD[..rng.random_range(0..GOOD.len())], finish, rng),
        MalformedWay::Flip => wire(&flipped(GOOD.as_bytes(), rng), finish, rng),
        MalformedWay::Deep => wire(&deep(rng), finish, rng),
        MalformedWay::Huge => wire(&huge(rng), finish, rng),
        MalformedWay::WrongTypes => wire(&wrong(rng), "stop", rng),
        MalformedWay::Thoughts => wire(&thoughts(rng), "stop", rng),
        MalformedWay::Talk => wire(&talk(rng), "stop", rng),
        MalformedWay::Quotes => wire(&quotes(rng), "stop", rng),
        MalformedWay::NoUtf8 => no_utf8(wire(GOOD, "stop", rng), rng),
        MalformedWay::Envelope => envelope(rng).to_string().into_bytes(),
        MalformedWay::WireCut => {
            reply.breaks = rng.random();
            let whole = wire(GOOD, finish, rng);
            whole[..rng.random_range(0..=whole.len())].to_vec()
        }
        MalformedWay::WireFlip => {
            let whole = wire(GOOD, finish, rng);
            flipped(&whole, rng).into_bytes()
        }
        MalformedWay::Noise => (0..rng.random_range(0..2_000))
            .map(|_| rng.random())
            .collect(),
        MalformedWay::Status => {
            reply.status = *[200, 204, 302, 400, 401, 404, 422, 429, 500, 503]
                .choose(rng)
                .unwrap_or(&200);
            flipped(envelope(rng).to_string().as_bytes(), rng).into_bytes()
        }
    };
    reply
}

/// The text as a whole reply, or as a stream of uneven pieces.
fn wire(text: &str, finish: &str, rng: &mut StdRng) -> Vec<u8> {
    if rng.random() {
        let choice = json!({"message": {"content": text}, "finish_reason": finish});
        return json!({"model": "spoilt", "choices": [choice]})
            .to_string()
            .into_bytes();
    }
    let mut stream = String::from(": waiting\n\n");
    let mut rest: Vec<char> = text.chars().collect();
    while !rest.is_empty() {
        let piece: String = rest
            .drain(..rng.random_range(1..=rest.len().min(400)))
            .collect();
        let chunk = json!({"choices": [{"delta": {"content": piece}, "finish_reason": null}]});
        stream += &format!("data: {chunk}\n\n");
    }
    let end = json!({"choices": [{"delta": {}, "finish_reason": finish}]});
    format!("{stream}data: {end}\n\ndata: [DONE]\n\n").into_bytes()
}

fn flipped(bytes: &[u8], rng: &mut StdRng) -> String {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.random_range(1..6) {
        let place = rng.random_range(0..bytes.len().max(1));
        if let Some(byte) = bytes.get_mut(place) {
            *byte = rng.random();
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn deep(rng: &mut StdRng) -> String {
    let (open, close) = *[("[", "]"), ("{\"a\":", "}"), ("[{\"title\":", "}]")]
        .choose(rng)
        .unwrap_or(&("[", "]"));
    let depth = rng.random_range(1..=10_000);
    let closed = if rng.random() {
        depth
    } else {
        rng.random_range(0..=depth)
    };
    open.repeat(depth) + "1" + &close.repeat(closed)
}

fn huge(rng: &mut StdRng) -> String {
    let number = match rng.random_range(0..4) {
        0 => "9".repeat(rng.random_range(20..5_000)),
        1 => format!("1e{}", rng.random_range(300..100_000)),
        2 => "-1".to_owned(),
        _ => format!("0.{}", "1".repeat(2_000)),
    };
    let title = "k".repeat(rng.random_range(0..100_000));
    format!(
        r#"{{"title": "{title}", "queries": [{{"text": "a", "priority": {number}}}], "note": null}}"#
    )
}

fn wrong(rng: &mut StdRng) -> String {
    let mut value: Value = serde_json::from_str(GOOD).unwrap_or_default();
    let odd = [
        json!(null),
        json!(7),
        json!("7"),
        json!([]),
        json!({}),
        json!(true),
        json!([[]]),
    ];
    let place = *[
        "/title",
        "/queries",
        "/queries/0",
        "/queries/1/text",
        "/queries/2/priority",
        "/note",
        "",
    ]
    .choose(rng)
    .unwrap_or(&"");
    if let (Some(part), Some(odd)) = (value.pointer_mut(place), odd.choose(rng)) {
        *part = odd.clone();
    }
    value.to_string()
}

fn thoughts(rng: &mut StdRng) -> String {
    let draft = r#"{"title": "Draft", "queries": [], "note": null}"#;
    match rng.random_range(0..5) {
        0 => format!("<think>perhaps {draft}</think>{GOOD}"),
        1 => format!("<think>perhaps {draft}\n{GOOD}"),
        2 => format!("perhaps {draft}</think>\n\n{GOOD}"),
        3 => format!("{GOOD}<think>or {draft}"),
        _ => format!("<THINKING>{draft}</THINKING><think></think>{GOOD}"),
    }
}

fn talk(rng: &mut StdRng) -> String {
    let before = *[
        "",
        "Sure! ",
        "```json\n",
        "Here is [the plan] {as asked}:\n```\n",
        "**Plan**\n\n",
    ]
    .choose(rng)
    .unwrap_or(&"");
    let after = *[
        "",
        "\n```",
        "\n```\nHope {this} helps]",
        " }",
        "\n\n[1] a source",
    ]
    .choose(rng)
    .unwrap_or(&"");
    format!("{before}{GOOD}{after}")
}

fn quotes(rng: &mut StdRng) -> String {
    let faults: [fn(&str) -> String; 7] = [
        |text| text.replace("\"]", "\",]").replace("}]", "},]"),
        |text| text.replace('"', "'"),
        |text| text.replace("\"title\"", "title").replace("null", "None"),
        |text| text.replace("\"Kelp\"", "\u{201c}Kelp\u{201d}"),
        |text| text.replace("Kelp", "the \"kelp\" and its\nkin"),
        |text| text.replace(", ", "\n"),
        |text| text.replace("Kelp", "\\alpha \\kelp"),
    ];
    let mut text = GOOD.to_owned();
    for _ in 0..rng.random_range(1..4) {
        text = faults.choose(rng).map(|fault| fault(&text)).unwrap_or(text);
    }
    text
}

fn no_utf8(mut wire: Vec<u8>, rng: &mut StdRng) -> Vec<u8> {
    for _ in 0..rng.random_range(1..10) {
        let place = rng.random_range(0..=wire.len());
        wire.insert(place, rng.random_range(0x80..=0xff));
    }
    wire
}

/// The frame around the text, bent.
fn envelope(rng: &mut StdRng) -> Value {
    let odd = [
        json!(null),
        json!(7),
        json!(""),
        json!([]),
        json!({}),
        json!([null, {"type": "text"}, {"text": 7}]),
        json!(-1),
        json!({"content": {"content": 1}}),
        json!("\u{0}"),
        json!([GOOD]),
        json!([{"type": "text", "text": GOOD}]),
        json!([{"function": {"name": 7, "arguments": {"a": 1}}, "index": "x"}]),
        json!(1e300),
    ];
    let mut value = json!({
        "model": "spoilt", "error": null, "usage": {"prompt_tokens": 3, "completion_tokens": 4},
        "choices": [{"index": 0, "message": {"content": GOOD, "tool_calls": null, "refusal": null}, "finish_reason": "stop"}],
    });
    let places = [
        "/choices",
        "/choices/0",
        "/choices/0/message",
        "/choices/0/message/content",
        "/choices/0/message/tool_calls",
        "/choices/0/message/refusal",
        "/choices/0/finish_reason",
        "/usage",
        "/usage/prompt_tokens",
        "/model",
        "/error",
        "",
    ];
    for _ in 0..rng.random_range(1..3) {
        let place = places.choose(rng).copied().unwrap_or_default();
        if let (Some(part), Some(odd)) = (value.pointer_mut(place), odd.choose(rng)) {
            *part = odd.clone();
        }
    }
    value
}
