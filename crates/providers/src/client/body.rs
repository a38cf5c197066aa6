//! An answer whose head has come: its body is read piece by piece, within its limits.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use tokio::time::timeout;

use super::{ClientSettings, Reply, strike, trouble};
use crate::Secret;
use crate::call::{Answer, BODY_PREFIX_MAX, Fault, Headers, Transport};

pub(crate) struct Opened {
    response: Response,
    headers: Headers,
    secrets: Vec<Secret>,
    /// How long the next piece may take.
    patience: Duration,
    idle: Duration,
    left_bytes: usize,
}

impl Opened {
    pub(super) fn new(
        response: Response,
        secrets: Vec<Secret>,
        first_byte: Duration,
        settings: &ClientSettings,
    ) -> Self {
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| (name, String::from_utf8_lossy(value.as_bytes())))
            .collect();
        Self {
            response,
            headers,
            secrets,
            // Some send the head at once, and the first piece when they have read the question.
            patience: first_byte.max(settings.idle),
            idle: settings.idle,
            left_bytes: settings.answer_max_bytes,
        }
    }

    pub(super) fn is_success(&self) -> bool {
        self.response.status().is_success()
    }

    pub(crate) fn headers(&self) -> &Headers {
        &self.headers
    }

    /// The next piece of the body; none at its end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Fault> {
        let piece = timeout(self.patience, self.response.chunk())
            .await
            .map_err(|_| Transport::Idle)?
            .map_err(|error| trouble::of_body(&error))?;
        self.patience = self.idle;
        if let Some(piece) = &piece {
            let left = self.left_bytes.checked_sub(piece.len());
            self.left_bytes = left.ok_or(Transport::TooLarge)?;
        }
        Ok(piece)
    }

    /// The answer as a fault. A body that breaks off is as good as its beginning.
    pub(super) async fn refusal(&mut self) -> Fault {
        let mut body = Vec::new();
        while body.len() < BODY_PREFIX_MAX {
            match self.next().await {
                Ok(Some(piece)) => body.extend_from_slice(&piece),
                Ok(None) | Err(_) => break,
            }
        }
        let status = self.response.status().as_u16();
        let answer = Answer::new(status, self.headers.clone(), &body);
        strike(answer, &self.secrets).into()
    }

    /// The answer with this body, read to its end or no further.
    pub(crate) fn reply(self, body: Vec<u8>) -> Reply {
        Reply {
            headers: self.headers,
            status: self.response.status().as_u16(),
            body,
            secrets: self.secrets,
        }
    }
}
