//! No reply tells where things lie on the server's disk: its own folders are called by their names.
//!
//! States and logs of runs hold the paths that the program works with. What leaves as text is looked through here, so that
//! no route has to think of it.

use std::path::Path;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;
use futures::TryStreamExt as _;

use super::access::Caller;
use super::service::{Service, Shared};
use crate::library_list::LibraryList;

/// What the data folder is called.
const HOME: &str = "FATHOM_HOME";

/// Paths of the server, the longest first, each with what is shown in its place.
#[derive(Clone)]
struct ServerPaths(Vec<(String, String)>);

impl ServerPaths {
    fn new(service: &Service, caller: &Caller) -> Self {
        let home = &service.settings.home;
        let own = service.libraries.join(caller.folder());
        let mut shown = vec![(own, String::new()), (home.clone(), HOME.to_owned())];
        let set = &service.settings;
        let set = [&set.answer.library, &set.ask.library, &set.report.library];
        let list = LibraryList::load(home).unwrap_or_default();
        let added = list.names().flat_map(|name| list.folders(name));
        for folder in added.chain(set.into_iter().flatten()) {
            let name = folder.file_name().unwrap_or_default();
            shown.push((folder.clone(), name.to_string_lossy().into_owned()));
        }
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (path, name) in shown {
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            for path in [path, real] {
                pairs.extend(pair(&path, &name));
            }
        }
        pairs.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        pairs.dedup();
        Self(pairs)
    }

    fn hide(&self, text: Bytes) -> Bytes {
        let Ok(read) = std::str::from_utf8(&text) else {
            return text;
        };
        if !self.0.iter().any(|(path, _)| read.contains(path.as_str())) {
            return text;
        }
        let mut read = read.to_owned();
        for (path, shown) in &self.0 {
            // Below a folder without a name of its own, paths begin with what follows.
            if shown.is_empty() {
                read = read.replace(&format!("{path}/"), "");
            }
            read = read.replace(path.as_str(), shown);
        }
        read.into()
    }
}

/// A path that is worth to be hidden: one that is absolute, and not the root itself.
fn pair(path: &Path, shown: &str) -> Option<(String, String)> {
    let text = path.to_str()?.trim_end_matches('/');
    (path.is_absolute() && !text.is_empty()).then(|| (text.to_owned(), shown.to_owned()))
}

/// Takes the server's paths out of what leaves as text.
pub async fn hide_paths(State(service): State<Shared>, request: Request, next: Next) -> Response {
    let caller = request.extensions().get::<Caller>().cloned();
    let response = next.run(request).await;
    let Some(caller) = caller.filter(|_| is_text(&response)) else {
        return response;
    };
    let (mut parts, body) = response.into_parts();
    if body.size_hint().exact().is_none() {
        let paths = ServerPaths::new(&service, &caller);
        // Streams are made of whole lines, one or more in each piece.
        let body = body
            .into_data_stream()
            .map_ok(move |piece| paths.hide(piece));
        return Response::from_parts(parts, Body::from_stream(body));
    }
    let bytes = axum::body::to_bytes(body, usize::MAX)
        .await
        .unwrap_or_default();
    if !may_hold_paths(&bytes) {
        return Response::from_parts(parts, Body::from(bytes));
    }
    parts.headers.remove(header::CONTENT_LENGTH);
    let hidden = ServerPaths::new(&service, &caller).hide(bytes);
    Response::from_parts(parts, Body::from(hidden))
}

/// Whether something in a text begins like an absolute path: behind a quotation mark, a space or a bracket.
fn may_hold_paths(bytes: &[u8]) -> bool {
    let mut pairs = bytes.windows(2);
    pairs.any(|pair| pair[1] == b'/' && !pair[0].is_ascii_alphanumeric() && pair[0] != b'<')
}

fn is_text(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.starts_with("text/") || kind.contains("json") || kind.contains("svg")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_called_by_the_name_of_its_folder() {
        let pairs = [
            ("/srv/fathom/owners/ada", ""),
            ("/srv/fathom", HOME),
            ("/home/ada/papers", "papers"),
        ];
        let pairs = pairs
            .into_iter()
            .map(|(path, shown)| (path.to_owned(), shown.to_owned()));
        let paths = ServerPaths(pairs.collect());
        let told = paths.hide(Bytes::from_static(
            br#"{"document":"/srv/fathom/owners/ada/notes/trial.md","library":["/home/ada/papers"],"index":"/srv/fathom/libraries/x"}"#,
        ));
        assert_eq!(
            told,
            r#"{"document":"notes/trial.md","library":["papers"],"index":"FATHOM_HOME/libraries/x"}"#
        );
        assert!(may_hold_paths(b"[\"/srv\"]") && !may_hold_paths(b"{\"a\":\"b/c\"}</p>"));
        assert_eq!(pair(Path::new("/"), "x"), None);
    }
}
