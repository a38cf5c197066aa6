//! Reads a model's answer off the wire: a stream of events, or one whole reply from those who do not stream.
//!
//! What a piece of JSON means is left to the wire form's own `take`. An answer that breaks off, holds an error or
//! holds nothing is a fault, and the call layer decides what follows.

use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;

use super::completion::Completion;
use super::gather::PartialCompletion;
use super::request::ModelRequest;
use super::sse::{SseEvent, SseEvents};
use crate::Secret;
use crate::call::{AttemptError, TransportError};
use crate::client::OpenResponse;

/// After the last event the stream should end; a connection that lingers is given up.
const LINGER: Duration = Duration::from_millis(50);

/// How one answer is read.
pub(super) struct AnswerReader<'a> {
    pub(super) request: &'a ModelRequest,
    /// Struck from the answer, should it be repeated there.
    pub(super) key: Option<&'a Secret>,
    /// Adds an event, or a whole reply, to the answer.
    pub(super) take: fn(&mut PartialCompletion, &Value),
}

impl AnswerReader<'_> {
    pub(super) async fn read(&self, mut opened: OpenResponse) -> Result<Completion, AttemptError> {
        let mut begin = Vec::new();
        while begin.iter().all(u8::is_ascii_whitespace) {
            match opened.next().await? {
                Some(piece) => begin.extend_from_slice(&piece),
                None => break,
            }
        }
        // A stream begins with the name of a field or with a comment.
        let first = begin.iter().find(|byte| !byte.is_ascii_whitespace());
        if matches!(first, Some(b':' | b'd' | b'e' | b'i' | b'r' | 0xef)) {
            self.stream(opened, begin).await
        } else {
            self.whole(opened, begin).await
        }
    }

    async fn whole(
        &self,
        mut opened: OpenResponse,
        begin: Vec<u8>,
    ) -> Result<Completion, AttemptError> {
        let body = opened.rest(begin).await?;
        let reply = opened.reply(body);
        let value: Value = reply.json()?;
        let mut gathered = PartialCompletion::default();
        (self.take)(&mut gathered, &value);
        if gathered.finish.is_none() && !value["error"].is_null() {
            return Err(reply.refused());
        }
        let completion = gathered.completion(self.request, self.key);
        completion.ok_or_else(|| reply.refused())
    }

    async fn stream(
        &self,
        mut opened: OpenResponse,
        begin: Vec<u8>,
    ) -> Result<Completion, AttemptError> {
        let mut events = SseEvents::default();
        let mut gathered = PartialCompletion::default();
        let mut piece = Some(begin);
        while !gathered.done {
            let (whole, ended) = match &piece {
                Some(piece) => (events.feed(piece), false),
                None => (events.end().into_iter().collect(), true),
            };
            for event in &whole {
                if self.event(&mut gathered, event).is_err() {
                    return Err(opened.reply(event.data.clone().into_bytes()).refused());
                }
            }
            if let Some(listener) = &self.request.listener {
                let text = &gathered.text;
                listener.hear(&self.key.map_or(text.into(), |key| key.strike(text)));
            }
            if ended {
                break;
            }
            piece = opened.next().await?.map(Vec::from);
        }
        if gathered.done {
            // Reading on to the end lets the connection be used again.
            let _ = timeout(LINGER, opened.next()).await;
        } else if gathered.finish.is_none() {
            return Err(TransportError::Truncated.into());
        }
        let completion = gathered.completion(self.request, self.key);
        completion.ok_or_else(|| opened.reply(Vec::new()).refused())
    }

    /// Adds an event; fails if it says that there will be no answer.
    fn event(&self, gathered: &mut PartialCompletion, event: &SseEvent) -> Result<(), BrokenEvent> {
        if gathered.done || event.data.is_empty() {
            return Ok(());
        }
        if event.data == "[DONE]" {
            gathered.done = true;
            return Ok(());
        }
        let value = serde_json::from_str::<Value>(&event.data).ok();
        let fails =
            event.name == "error" || value.as_ref().is_none_or(|value| !value["error"].is_null());
        if fails && gathered.finish.is_none() {
            return Err(BrokenEvent);
        }
        // An answer that was already declared finished is not lost by what comes after, which may bring the usage.
        gathered.done = fails;
        (self.take)(gathered, &value.unwrap_or_default());
        Ok(())
    }
}

/// The event brought an error, or nothing that can be read.
struct BrokenEvent;
