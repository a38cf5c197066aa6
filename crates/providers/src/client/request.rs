//! One request to a provider, with its secrets kept in mind so that they can be struck from what comes back.

use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Body, Method};
use serde::Serialize;
use url::Url;

use crate::Secret;

pub(crate) struct HttpRequest {
    /// Absent if a part of it could not be written: that is a fault of ours.
    pub(super) http: Option<reqwest::Request>,
    pub(super) secrets: Vec<Secret>,
    pub(super) first_byte: Duration,
    /// How long an answer that has begun may pause; the client's own limit if none is given.
    pub(super) idle: Option<Duration>,
}

impl HttpRequest {
    /// The answer must begin within `first_byte`.
    pub(crate) fn get(url: Url, first_byte: Duration) -> Self {
        Self {
            http: Some(reqwest::Request::new(Method::GET, url)),
            secrets: Vec::new(),
            first_byte,
            idle: None,
        }
    }

    pub(crate) fn post<T: Serialize>(url: Url, body: &T, first_byte: Duration) -> Self {
        let http = serde_json::to_vec(body).ok().map(|body| {
            let mut http = reqwest::Request::new(Method::POST, url);
            *http.body_mut() = Some(Body::from(body));
            let json = HeaderValue::from_static("application/json");
            http.headers_mut().insert(CONTENT_TYPE, json);
            http
        });
        Self {
            http,
            secrets: Vec::new(),
            first_byte,
            idle: None,
        }
    }

    /// Lets an answer that has begun pause for so long.
    pub(crate) fn pausing(self, idle: Duration) -> Self {
        Self {
            idle: Some(idle),
            ..self
        }
    }

    pub(crate) fn accept(self, form: &'static str) -> Self {
        self.header(ACCEPT, HeaderValue::from_static(form))
    }

    pub(crate) fn query(mut self, name: &str, value: impl ToString) -> Self {
        if let Some(http) = &mut self.http {
            let mut pairs = http.url_mut().query_pairs_mut();
            pairs.append_pair(name, &value.to_string());
        }
        self
    }

    pub(crate) fn query_if_set(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        if let Some(http) = &mut self.http {
            http.headers_mut().insert(name, value);
        }
        self
    }

    /// `Authorization: Bearer …`, unless there is no key.
    pub(crate) fn bearer(self, key: Option<&Secret>) -> Self {
        match key {
            Some(key) => self.secret(AUTHORIZATION, &format!("Bearer {}", key.expose()), key),
            None => self,
        }
    }

    /// The key in a header of its own, unless there is none.
    pub(crate) fn key_header(self, name: &'static str, key: Option<&Secret>) -> Self {
        match key {
            Some(key) => self.secret(HeaderName::from_static(name), key.expose(), key),
            None => self,
        }
    }

    /// The key in a header, behind some words.
    pub(crate) fn key_behind(self, name: &'static str, words: &str, key: &Secret) -> Self {
        let value = format!("{words}{}", key.expose());
        self.secret(HeaderName::from_static(name), &value, key)
    }

    /// The key in the query, for providers that take it nowhere else.
    pub(crate) fn key_query(self, name: &str, key: Option<&Secret>) -> Self {
        let Some(key) = key else { return self };
        let mut request = self.query(name, key.expose());
        request.secrets.push(key.clone());
        request
    }

    fn secret(mut self, name: HeaderName, value: &str, key: &Secret) -> Self {
        self.secrets.push(key.clone());
        match HeaderValue::from_str(value) {
            Ok(mut value) => {
                value.set_sensitive(true);
                self.header(name, value)
            }
            Err(_) => Self { http: None, ..self },
        }
    }
}
