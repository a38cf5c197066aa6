//! An answer whose head has come: its body is read piece by piece, within its limits.

use std::mem;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use tokio::time::timeout;

use super::{HttpReply, strike, transport};
use crate::Secret;
use crate::call::{AttemptError, BODY_PREFIX_MAX, FailedResponse, ResponseHeaders, TransportError};

pub(crate) struct OpenResponse {
    response: Response,
    headers: ResponseHeaders,
    secrets: Vec<Secret>,
    /// How long the next piece may take.
    patience: Duration,
    idle: Duration,
    left_bytes: usize,
}

impl OpenResponse {
    /// Waits for the head of what was sent.
    pub(super) async fn wait(
        sent: impl Future<Output = reqwest::Result<Response>>,
        secrets: Vec<Secret>,
        (first_byte, idle): (Duration, Duration),
        answer_max_bytes: usize,
    ) -> Result<Self, AttemptError> {
        let response = timeout(first_byte, sent).await;
        let response = response.map_err(|_| TransportError::FirstByte)?;
        let mut response = response.map_err(|error| transport::from_sending(&error))?;
        Ok(Self {
            headers: mem::take(response.headers_mut()).into(),
            response,
            secrets,
            // Some send the head at once, and the first piece when they have read the question.
            patience: first_byte.max(idle),
            idle,
            left_bytes: answer_max_bytes,
        })
    }

    pub(super) fn is_success(&self) -> bool {
        self.response.status().is_success()
    }

    pub(crate) fn headers(&self) -> &ResponseHeaders {
        &self.headers
    }

    /// The next piece of the body; none at its end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, AttemptError> {
        let piece = timeout(self.patience, self.response.chunk()).await;
        let piece = piece.map_err(|_| TransportError::Idle)?;
        let piece = piece.map_err(|error| transport::from_body(&error))?;
        self.patience = self.idle;
        if let Some(piece) = &piece {
            let left = self.left_bytes.checked_sub(piece.len());
            self.left_bytes = left.ok_or(TransportError::TooLarge)?;
        }
        Ok(piece)
    }

    /// The rest of the body.
    pub(crate) async fn rest(&mut self, mut body: Vec<u8>) -> Result<Vec<u8>, AttemptError> {
        while let Some(piece) = self.next().await? {
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    /// The answer as a fault. A body that breaks off is as good as its beginning.
    pub(super) async fn refusal(&mut self) -> AttemptError {
        let mut body = Vec::new();
        while body.len() < BODY_PREFIX_MAX {
            match self.next().await {
                Ok(Some(piece)) => body.extend_from_slice(&piece),
                Ok(None) | Err(_) => break,
            }
        }
        let status = self.response.status().as_u16();
        let answer = FailedResponse::new(status, self.headers.clone(), &body);
        strike(answer, &self.secrets).into()
    }

    /// The answer with this body, read to its end or no further.
    pub(crate) fn reply(self, body: impl Into<Bytes>) -> HttpReply {
        HttpReply {
            headers: self.headers,
            status: self.response.status().as_u16(),
            body: body.into(),
            secrets: self.secrets,
        }
    }
}
